"""Whether the Java that Spark needs is there, asked before Spark fails in words of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import DependencyError

OLDEST = 17
_MEND = f"install Java {OLDEST} or later (for example from https://adoptium.net)"


def require_java() -> None:
    """Make sure that Spark will find a Java it can run on.

    Raises
    ------
    DependencyError
        If there is none, or one that is too old; the message names what to install. Also if the
        environment asks for Spark Connect, whose Java is elsewhere.
    """
    remote = os.environ.get("SPARK_REMOTE")
    if remote:
        raise DependencyError(
            f"SPARK_REMOTE={remote} asks for Spark Connect, but this command runs Spark on this "
            "machine: unset SPARK_REMOTE, or call shapwin.register(spark) in a session of yours"
        )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    if shutil.which(java) is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH"
        raise DependencyError(f"Spark needs Java, and {where}: {_MEND} and set JAVA_HOME")
    version = _version(java)
    if version < OLDEST:
        raise DependencyError(
            f"Spark needs Java {OLDEST} or later, and {java} is Java {version}: {_MEND} and set "
            "JAVA_HOME to it"
        )


def _version(java: str) -> int:
    """The feature release of a Java; 8 calls itself 1.8. One that tells nothing passes."""
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    return int(found.group(1)) if found else OLDEST
