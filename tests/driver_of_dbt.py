"""Build a dbt project twice and render Jinja in it, by dbt's own Python in the project's folder.

    python driver_of_dbt.py texts.json rendered.json

The first file has {name: Jinja}, the second gets {name: [SQL, errors]}. All of it happens in one
session of Spark: the builds see each other's tables, and what is late comes with the second.

Not called dbt_…: dbt imports whatever beside it has such a name, as plugins.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner

errors: list[str] = []


def collect(event):
    if event.info.level == "error":
        errors.append(event.info.msg)


def build(*options):
    if not dbtRunner(callbacks=[collect]).invoke(["build", "--quiet", *options]).success:
        sys.exit("\n".join(errors))


def rendered(texts):
    """What each text becomes; the project is parsed once for all."""
    manifest = dbtRunner().invoke(["parse", "--quiet"]).result
    runner = dbtRunner(manifest=manifest, callbacks=[collect])
    for name, text in texts.items():
        errors.clear()
        inline = ["--inline", text, "--no-populate-cache", "--no-introspect", "--quiet"]
        done = runner.invoke(["compile", *inline])
        sql = done.result.results[0].node.compiled_code if done.success else None
        yield name, [sql, "\n".join(errors)]


def main(given, result):
    build("--select", "+trip_panes", "--vars", "loads: 1")
    build()
    texts = json.loads(Path(given).read_text("utf-8"))
    Path(result).write_text(json.dumps(dict(rendered(texts))), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
