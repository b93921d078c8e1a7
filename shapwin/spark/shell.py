"""Spark's own ``spark-sql`` and Thrift server, with every function of shapwin registered."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.find_spark_home import _find_spark_home

from ..errors import ArgumentError
from ..java import require_java

_DRIVER = Path(__file__).with_name("shell_driver.py")

# The options of the spark-sql program itself; all others are spark-submit's. True: takes a value.
_SHELL_OPTIONS = {
    "-e": True,
    "-f": True,
    "-i": True,
    "-d": True,
    "--define": True,
    "--database": True,
    "--hiveconf": True,
    "--hivevar": True,
    "-S": False,
    "--silent": False,
    "-v": False,
    "--verbose": False,
}
_HOST, _PORT = "hive.server2.thrift.bind.host", "hive.server2.thrift.port"
_HELP = {"-h", "-H", "--help"}

_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{yy/MM/dd HH:mm:ss} %p %c{1}: %m%n
"""
# They repeat, with a Java trace, what the shell itself tells about a statement that failed.
_REPEATERS = (
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler.TaskSetManager",
    "org.apache.spark.sql.execution.datasources.v2",
    "org.apache.spark.sql.hive.thriftserver.SparkSQLDriver",
    "org.apache.spark.sql.hive.thriftserver.SparkExecuteStatementOperation",
    "org.apache.spark.util.Utils",
    "org.apache.hadoop.hive",
    "DataNucleus",
)


def spark_sql(args: list[str]) -> int:
    """Run Spark's ``spark-sql`` with every function of shapwin registered.

    Parameters
    ----------
    args : list of str
        The arguments of ``spark-sql``: ``-e "…"``, ``-f FILE``, ``-i FILE``; none for the prompt.
        Options of ``spark-submit`` (``--master``, ``--conf``, ``--driver-memory`` …) work as well.

    Returns
    -------
    int
        The exit code of ``spark-sql``.

    Raises
    ------
    DependencyError
        If Java is not installed.

    Notes
    -----
    Tables live as long as the shell. To keep them, name a warehouse and a metastore of your own:
    a ``hive-site.xml`` in ``SPARK_CONF_DIR``, or ``--conf spark.sql.warehouse.dir=…`` and
    ``--conf spark.hadoop.javax.jdo.option.ConnectionURL=…``.
    """
    if _HELP & set(args):
        return subprocess.call([_spark("spark-sql"), "--help"], env=_environment())
    return _submit("spark-sql", *split_arguments(args))


def thriftserver(args: list[str]) -> int:
    """Run Spark's Thrift server (JDBC, ODBC, beeline) with every function of shapwin registered.

    It listens on 127.0.0.1, port 10000, and runs until it is interrupted or terminated.

    Parameters
    ----------
    args : list of str
        ``--hiveconf hive.server2.thrift.port=…`` and ``…bind.host=…`` say where to listen. Options
        of ``spark-submit`` work as well.

    Returns
    -------
    int
        The exit code of the server.

    Raises
    ------
    DependencyError
        If Java is not installed.
    ArgumentError
        If the port is in use, or is no number.
    """
    submit, shell = split_arguments(args)
    settings = {_HOST: "127.0.0.1", _PORT: "10000"} | _hive_settings(shell)
    _require_free(settings[_HOST], settings[_PORT])
    listening = {f"spark.hadoop.{name}": value for name, value in settings.items()}
    return _submit("thriftserver", [*_conf(listening), *submit], [])


def split_arguments(args: list[str]) -> tuple[list[str], list[str]]:
    """Return the options of spark-submit, and those of the shell itself.

    Examples
    --------
    >>> split_arguments(["--master", "local[2]", "-e", "SELECT 1", "-S"])
    (['--master', 'local[2]'], ['-e', 'SELECT 1', '-S'])
    """
    submit, shell, rest = [], [], iter(args)
    for arg in rest:
        name = arg.partition("=")[0] if arg.startswith("--") else arg
        if name not in _SHELL_OPTIONS:
            submit.append(arg)
            continue
        shell.append(arg)
        if _SHELL_OPTIONS[name] and name == arg:
            shell.extend(next(([value] for value in rest), []))
    return submit, shell


def _submit(program: str, submit: list[str], arguments: list[str]) -> int:
    with TemporaryDirectory(prefix="shapwin-") as scratch:
        command = [_spark("spark-submit"), *_defaults(scratch), *submit, str(_DRIVER), program]
        child = subprocess.Popen([*command, *arguments], env=_environment(Path(scratch)))
        with _signals_passed_to(child):
            return child.wait()


def _hive_settings(shell: list[str]) -> dict[str, str]:
    """The NAME=VALUE of every --hiveconf."""
    words = [word.removeprefix("--hiveconf=") for word in shell if word != "--hiveconf"]
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _require_free(host: str, port: str) -> None:
    if not port.isdecimal() or int(port) > 65535:
        raise ArgumentError(f"{_PORT} is {port!r}: give a port number, as in {_PORT}=10000")
    try:
        socket.create_server((host, int(port))).close()
    except OSError as error:
        raise ArgumentError(
            f"cannot listen on {host}:{port} ({error.strerror}): "
            f"give another port, --hiveconf {_PORT}=…"
        ) from error


def _defaults(scratch: str) -> list[str]:
    """The settings that the user's own options come after and override."""
    settings = {
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.sql.execution.pyspark.udf.hideTraceback.enabled": "true",
        "spark.sql.hive.thriftServer.singleSession": "true",
        "spark.ui.enabled": "false",
    }
    return _conf(settings)


def _conf(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def _environment(scratch: Path | None = None) -> dict[str, str]:
    """The environment of spark-submit: this Python, this package, no litter and quiet logs."""
    require_java()
    env = dict(os.environ)
    env.setdefault("PYSPARK_PYTHON", sys.executable)
    env.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    env["SPARK_HOME"] = _find_spark_home()
    package_home = str(Path(__file__).parents[2])
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [package_home, env.get("PYTHONPATH")]))
    # Spark sends the driver's stderr to stdout, where only results belong.
    env["PYTHONWARNINGS"] = "ignore"
    if scratch is not None:
        options = [env.get("SPARK_SUBMIT_OPTS", ""), f"-Dderby.system.home={scratch}"]
        if not _has_own_logging(env):
            options.append(f"-Dlog4j2.configurationFile={_logging(scratch).as_uri()}")
        env["SPARK_SUBMIT_OPTS"] = " ".join(filter(None, options))
    return env


def _has_own_logging(env: dict[str, str]) -> bool:
    folder = env.get("SPARK_CONF_DIR") or f"{env['SPARK_HOME']}/conf"
    return Path(folder, "log4j2.properties").exists()


def _logging(scratch: Path) -> Path:
    quiet = "".join(
        f"logger.quiet{i}.name = {name}\nlogger.quiet{i}.level = off\n"
        for i, name in enumerate(_REPEATERS)
    )
    path = scratch / "log4j2.properties"
    path.write_text(_LOGGING + quiet, "utf-8")
    return path


def _spark(program: str) -> str:
    suffix = ".cmd" if os.name == "nt" else ""
    return str(Path(_find_spark_home(), "bin", program + suffix))


@contextmanager
def _signals_passed_to(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave Ctrl-C to the shell, which gets it as well; hand a request to terminate on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {
        signal.SIGINT: lambda *_: None,
        signal.SIGTERM: lambda *_: child.terminate(),
    }
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
