"""Render Jinja in a dbt project: reads {name: text} as JSON, writes {name: [SQL, errors]}.

Run by dbt's own Python in the project's folder. The project is parsed once for all texts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner

errors = []


def collect(event):
    if event.info.level == "error":
        errors.append(event.info.msg)


given, result = map(Path, sys.argv[1:])
options = ["--quiet", "--log-level-file", "none"]
parsed = dbtRunner(callbacks=[collect]).invoke(["parse", *options])
if not parsed.success:
    sys.exit("\n".join(errors))

runner = dbtRunner(manifest=parsed.result, callbacks=[collect])
rendered = {}
for name, text in json.loads(given.read_text("utf-8")).items():
    errors.clear()
    inline = ["--inline", text, "--no-populate-cache", "--no-introspect"]
    done = runner.invoke(["compile", *inline, *options])
    sql = done.result.results[0].node.compiled_code if done.success else None
    rendered[name] = [sql, "\n".join(errors)]
result.write_text(json.dumps(rendered), "utf-8")
