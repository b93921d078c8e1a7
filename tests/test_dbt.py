"""The dbt package: real dbt builds its integration tests, and its macros say what explain says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from test_notebooks import gives_what_it_shows, kernel  # noqa: F401 (a fixture)
from test_readme import BLOCKS

import shapwin
from shapwin.spark.dbt_macros import macros
from shapwin.spark.splits import SPLITS

ROOT = Path(__file__).parents[1]
SQL = ROOT / "sql"
ONE_COLUMN = ["sum", "count", "avg", "var_pop", "var_samp"]
CONDITIONS = {"eu": "region = 'EU'", "us": "region = 'US'", "unknown": "region IS NULL"}
# Of the rows that are made below; the third holds of none, and the last is NULL of some.
PREDICATES = {
    "eu": "region = 'EU'",
    'gold "it\'s" `x`': "tier = 1",
    "never": "fare IS NULL",
    "sometimes": "if(region = 'UK', NULL, tier = 0)",
}


def call(macro, *arguments, **named):
    """A call in Jinja, whose literals JSON has but for null."""
    named = {name: value for name, value in named.items() if value is not None}
    given = [*map(json.dumps, arguments), *(f"{k}={json.dumps(v)}" for k, v in named.items())]
    return f"{{{{ shapwin.{macro}({', '.join(given)}) }}}}"


# ---- what is rendered ------------------------------------------------------------------------

AGGREGATES = {
    "shapley_sum": ("sum", "y"),
    "shapley_count": ("count", "y"),
    "shapley_avg": ("avg", "y"),
    "shapley_var": ("var_pop", "y"),
    "shapley_var_pop": ("var_pop", "y"),
    "shapley_var_samp": ("var_samp", "y"),
    "shapley_covar_pop": ("covar_pop", "y", "x"),
    "shapley_covar_samp": ("covar_samp", "y", "x"),
}
FRAME = "PARTITION BY w ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def aggregates(over):
    calls = [
        f"{call(macro, *columns, 'p', over=over)} AS {macro}"
        for macro, (_, *columns) in AGGREGATES.items()
    ]
    for statistic in SPLITS:
        explained = call("shapley_explain", "y", "p", statistic, over=over, other="x")
        calls.append(f"{explained}.phi AS explained_{statistic}")
    return ", ".join(calls)


def pipeline(name, window, every, panes=None, **asked):
    """A pane table, and the windows over it."""
    pane_options = {"value": "fare", "time": "pickup", "predicates": PREDICATES, "by": "city"}
    pane_options |= panes or {}
    windows = {"window": window, "every": every, "predicates": list(PREDICATES), "by": "city"}
    return {
        f"{name} panes": call("shapley_panes", "rows_of_dbt", **pane_options),
        f"{name} windows": call("shapley_windows", "panes_of_dbt", **(windows | asked)),
    }


PIPELINES = {
    "queries": dict(window="1 hour", every="15 minutes", statistics=ONE_COLUMN),
    "atoms": dict(window="1 hour", every="15 minutes", statistics=ONE_COLUMN, queries="atoms"),
    "covariances": dict(window="1 hour", every="15 minutes", statistics=list(SPLITS), other="km"),
    "gaps": dict(
        window="10 minutes", every="25 minutes", queries={"a": "eu AND never", "b": "NOT eu"}
    ),
    "days": dict(window="1 day", every="5 hours", statistics="var_pop", offset="-90 minutes"),
    "right": dict(window="1.5 hours", every="30 minutes", closed="right"),
}
PANE = {"queries": "5 minutes", "atoms": "15 minutes", "covariances": "15 minutes"}
PANE |= {"gaps": "5 minutes", "days": "30 minutes", "right": "30 minutes"}


def texts():
    rendered = {
        "group by": f"SELECT w, {aggregates(None)} FROM golden_of_dbt GROUP BY w",
        "over": f"SELECT DISTINCT w, {aggregates(FRAME)} FROM golden_of_dbt",
        "named": f"SELECT {call('shapley_avg', 'y', 'p', 'frame')} AS phi FROM golden_of_dbt "
        f"WINDOW frame AS ({FRAME})",
    }
    for name, asked in PIPELINES.items():
        asked = dict(asked)
        panes = {k: asked.pop(k) for k in ("other", "closed") if k in asked}
        panes |= {"every": PANE[name], "offset": asked.get("offset", "0 seconds")}
        rendered |= pipeline(name, panes=panes, **asked)
    return rendered | WRONG


WRONG_PANES = dict(relation="t", value="fare", time="at", every="1 hour", predicates={"a": "b"})
WRONG_WINDOWS = dict(panes="t", window="1 hour", every="1 hour", predicates=["eu"])
WRONG = {
    "every is 1 month, which has no fixed length: write it in weeks, days": call(
        "shapley_panes", **WRONG_PANES | {"every": "1 month"}
    ),
    "every is soon, no interval: write '5 minutes'": call(
        "shapley_panes", **WRONG_PANES | {"every": "soon"}
    ),
    "every is missing: write its length, '5 minutes'": (
        "{{ shapwin.shapley_panes('t', 'fare', 'at', predicates={'a': 'b'}) }}"
    ),
    "value is ['fare'], no text: write a column or an expression in quotes": call(
        "shapley_panes", **WRONG_PANES | {"value": ["fare"], "predicates": {"eu": "b"}}
    ),
    "over is 3, no text: write what stands in OVER": call("shapley_avg", "fare", "p", 3),
    "every is -1 hour, which is not positive": call(
        "shapley_panes", **WRONG_PANES | {"every": "-1 hour"}
    ),
    "every is 1 fortnight, with the unknown unit fortnight: use microsecond": call(
        "shapley_panes", **WRONG_PANES | {"every": "1 fortnight"}
    ),
    "every is 0.1 microseconds, finer than a microsecond": call(
        "shapley_panes", **WRONG_PANES | {"every": "0.1 microseconds"}
    ),
    "window is 200000 days, longer than 100 years": call(
        "shapley_windows", **WRONG_WINDOWS | {"window": "200000 days"}
    ),
    "window is 10 days, more than 1000000 steps of 1 millisecond": call(
        "shapley_windows", **WRONG_WINDOWS | {"window": "10 days", "every": "1 millisecond"}
    ),
    "predicates is empty: give at least one": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {}}
    ),
    "predicates is a: give a dict of name to condition": call(
        "shapley_panes", **WRONG_PANES | {"predicates": "a"}
    ),
    "predicates has A twice: use each name once": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {"a": "b", "A": "c"}}
    ),
    "predicates.a is empty: write a column or an expression in quotes": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {"a": " "}}
    ),
    "center is the name of a column of the pane table: rename it": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {"center": "b"}}
    ),
    "predicate city is also a column of by: rename it": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {"city": "b"}, "by": ["`City`"]}
    ),
    "predicate _a begins with an underscore: rename it": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {"_a": "b"}}
    ),
    "predicates has 65 conditions: at most 64 are possible": call(
        "shapley_panes", **WRONG_PANES | {"predicates": {f"p{k}": "b" for k in range(65)}}
    ),
    "closed is both: use 'left' or 'right'": call("shapley_panes", **WRONG_PANES, closed="both"),
    "value is empty: write a column or an expression in quotes": (
        "{{ shapwin.shapley_avg(fare, 'p') }}"
    ),
    "predicate is empty: write a column or an expression in quotes": (
        "{{ shapwin.shapley_avg('fare', none) }}"
    ),
    "statistic is median, of which no native closed form is known": call(
        "shapley_explain", "fare", "p", "median"
    ),
    "statistic is central_moment(3), which is no macro: use the SQL aggregate or": call(
        "shapley_explain", "fare", "p", "central_moment(3)"
    ),
    "covar_pop needs a second column: give other='its name'": call(
        "shapley_explain", "fare", "p", "covar_pop"
    ),
    "statistics is stddev, of which no native closed form is known": call(
        "shapley_windows", **WRONG_WINDOWS, statistics=["avg", "stddev"]
    ),
    "statistics is empty: give at least one, such as 'avg'": call(
        "shapley_windows", **WRONG_WINDOWS, statistics=[]
    ),
    "queries is all: give 'atoms', or a dict of name to condition over predicates": call(
        "shapley_windows", **WRONG_WINDOWS, queries="all"
    ),
}


# ---- dbt -------------------------------------------------------------------------------------


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, encoding="utf-8", **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A fresh environment with what the extra `dbt` names; dbt's pins stay out of ours."""
    folder = tmp_path_factory.mktemp("environment")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    run(sys.executable, "-m", "venv", folder)
    needed = extras["optional-dependencies"]["dbt"]
    run(folder / "bin" / "pip", "install", "-q", "--no-compile", *needed)
    return folder / "bin"


@pytest.fixture(scope="module")
def dbt(environment, tmp_path_factory):
    """What dbt has made of the integration tests, built twice, and of `texts`."""
    folder = tmp_path_factory.mktemp("dbt")
    project = folder / "sql" / "integration_tests"
    written = shutil.ignore_patterns("target", "logs", "dbt_packages", "package-lock.yml")
    shutil.copytree(SQL, folder / "sql", ignore=written)
    (folder / "texts.json").write_text(json.dumps(texts()), "utf-8")
    run(environment / "dbt", "deps", cwd=project)
    driver = Path(__file__).with_name("driver_of_dbt.py")
    files = folder / "texts.json", folder / "rendered.json"
    run(environment / "python", driver, *files, cwd=project)
    (warehouse,) = project.glob("target/warehouse/*/shapwin.db")
    rendered = json.loads((folder / "rendered.json").read_text("utf-8"))
    return SimpleNamespace(warehouse=warehouse, rendered=rendered, project=project)


def sql(spark, dbt, name):
    text, errors = dbt.rendered[name]
    assert not errors
    return spark.sql(text)


def assert_same(got, right, keys=()):
    """Compare long tables: counts exactly, numbers to 1e-12 of the largest of their window."""
    assert got.columns == right.columns
    assert [f.dataType for f in got.schema] == [f.dataType for f in right.schema]
    each = [*keys, "window_start", "window_end", "statistic", "predicate"]
    got, right = got.toPandas(), right.toPandas()
    both = got.merge(right, on=each, suffixes=("", "_right"))
    assert len(got) == len(right) == len(both) > 0
    assert both.n.equals(both.n_right)
    assert both.m.equals(both.m_right)
    largest = both.assign(abs=both.phi_right.abs()).groupby(each[:-1])["abs"].transform("max")
    scale = np.maximum(largest, both.value_right.abs())
    for name in ("value", "phi", "share", "lift", "weight", "group_mean"):
        x, y = both[name].astype(float), both[f"{name}_right"].astype(float)
        of = y.abs() if name in ("weight", "group_mean") else scale
        # Where the window's value is NaN or infinite, its finite parts have a scale of their own.
        of = of.where(np.isfinite(of), y.abs())
        fine = (x == y) | (x.isna() & y.isna()) | ((x - y).abs() <= 1e-12 * of)
        assert fine.all(), both[~fine].iloc[0].to_dict()


# ---- the package -----------------------------------------------------------------------------


def test_what_is_generated_is_not_stale():
    text = (SQL / "macros" / "generated.sql").read_text("utf-8")
    assert text == macros(), "run python -m shapwin.spark.dbt_macros > sql/macros/generated.sql"


def test_it_installs_as_the_readme_says(environment, dbt, tmp_path):
    """From Git, of which a folder is as good as an address."""
    git = "git", "-c", "user.name=test", "-c", "user.email=test@localhost"
    repository = tmp_path / "repository"
    shutil.copytree(dbt.project.parent, repository / "sql", ignore=lambda *_: ["integration_tests"])
    run("git", "init", "-q", cwd=repository)
    run("git", "add", "-A", cwd=repository)
    run(*git, "commit", "-qm", "as it is", cwd=repository)
    (block,) = [text for language, text in BLOCKS if language == "yaml"]
    lines = [f"  - git: {repository}" if "git:" in line else line for line in block.splitlines()]
    project = tmp_path / "project"
    project.mkdir()
    (project / "packages.yml").write_text("\n".join(lines), "utf-8")
    (project / "dbt_project.yml").write_text("name: mine\nprofile: shapwin_integration_tests\n")
    shutil.copy(dbt.project / "profiles.yml", project)
    run(environment / "dbt", "deps", cwd=project)
    assert (project / "dbt_packages" / "shapwin" / "macros" / "generated.sql").exists()


def test_the_models_of_the_readme_are_built_and_give_what_it_shows(spark, dbt, capsys):
    at = [i for i, (language, _) in enumerate(BLOCKS) if language == "jinja"]
    for i in at:
        path, _, text = BLOCKS[i][1].partition("\n")
        assert text == (dbt.project / path.strip("{#} ")).read_text("utf-8")
    explained = spark.read.parquet(str(dbt.warehouse / "explained"))
    explained.where("statistic = 'avg' AND window_start = '2024-01-09 02:00'").selectExpr(
        "window_end", "predicate", "n", *(f"round({c}, 2) {c}" for c in ("value", "phi", "lift"))
    ).orderBy("predicate").show()
    assert capsys.readouterr().out.strip() == BLOCKS[at[-1] + 1][1].strip()


@pytest.fixture(scope="module")
def trips(spark, dbt):
    return spark.read.parquet(str(dbt.warehouse / "trips"))


def test_windows_over_appended_panes_are_those_of_all_rows(spark, dbt, trips):
    panes = spark.read.parquet(str(dbt.warehouse / "trip_panes"))
    assert sorted(row.loaded for row in panes.select("loaded").distinct().collect()) == [1, 2]
    asked = dict(window="1 hour", every="30 minutes")
    rows = dict(value="fare", time="pickup", other="km", predicates=CONDITIONS)
    some = dict(statistics=["avg", "var_pop"], **asked)
    right = shapwin.explain(trips, **rows, **some)
    assert_same(spark.read.parquet(str(dbt.warehouse / "explained")), right)
    assert_same(shapwin.attribute(panes.drop("loaded"), **some), right)
    asked |= dict(statistics=list(SPLITS), queries="atoms")
    right = shapwin.explain(trips, **rows, **asked)
    assert_same(spark.read.parquet(str(dbt.warehouse / "explained_atoms")), right)


def test_odd_names_are_names(spark, dbt, trips):
    name, best = "odd \"na'me`", 'it\'s "EU`s"'
    odd = trips.select(
        "pickup",
        F.concat(F.lit("EU's \""), "region", F.lit('"')).alias("the region"),
        F.col("fare").alias(name),
    )
    right = shapwin.explain(
        odd,
        value=name,
        time="pickup",
        window="1 hour",
        every="30 minutes",
        by="the region",
        predicates={best: F.col("the region") == 'EU\'s "EU"'},
    )
    got = spark.read.parquet(str(dbt.warehouse / "odd_names"))
    assert got.where("m > 0").count() > 0
    assert_same(got, right, ["the region"])


def test_a_persistent_view_needs_no_registration(spark, dbt, trips):
    shapwin.register(spark)
    trips.createOrReplaceTempView("trips_of_dbt")
    right = spark.sql(
        """SELECT pickup, shapley_avg(fare, region = 'EU') OVER hour AS eu,
                  shapley_avg(fare, region = 'US') OVER hour AS us
           FROM trips_of_dbt
           WINDOW hour AS (ORDER BY pickup RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW)
           ORDER BY pickup"""
    ).toPandas()
    got = spark.read.parquet(str(dbt.warehouse / "from_view")).orderBy("pickup").toPandas()
    assert np.allclose(got[["eu", "us"]], right[["eu", "us"]], rtol=1e-12, atol=1e-12)


def test_an_explanation_beside_other_aggregates(spark, dbt, trips):
    (row,) = spark.read.parquet(str(dbt.warehouse / "by_day")).collect()
    eu = row.eu.asDict()
    assert row.highest == 62
    assert row.average == pytest.approx(eu["value"])
    trips.createOrReplaceTempView("trips_of_dbt")
    shapwin.register(spark)
    right = spark.sql("SELECT shapley_explain(fare, region = 'EU', 'avg') FROM trips_of_dbt")
    assert eu == pytest.approx(right.first()[0].asDict())


# ---- the macros, as SQL ----------------------------------------------------------------------

GOLDEN = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())


@pytest.fixture(scope="module")
def golden(spark):
    rows = [
        (w, float(y), float(x), p)
        for w, window in enumerate(GOLDEN)
        for y, x, p in zip(window["values"], window["pair"], window["member"], strict=True)
    ]
    frame = spark.createDataFrame(rows, "w INT, y DOUBLE, x DOUBLE, p BOOLEAN")
    frame.createOrReplaceTempView("golden_of_dbt")


@pytest.mark.parametrize("form", ["group by", "over"])
def test_aggregates_are_exact(spark, dbt, dialect, golden, form):
    statistics = {macro: statistic for macro, (statistic, *_) in AGGREGATES.items()}
    statistics |= {f"explained_{statistic}": statistic for statistic in SPLITS}
    rows = sql(spark, dbt, form).collect()
    assert len(rows) == len(GOLDEN)
    for row in rows:
        window = GOLDEN[row.w]
        for column, statistic in statistics.items():
            right = window["phi"][statistic]
            parts = [right, window["nu"][statistic], *window["tuple_phi"][statistic]]
            assert abs(row[column] - right) <= 1e-9 * max(map(abs, parts)), (column, row.w)


def test_a_string_is_no_number(spark, dbt, dialect):
    text, _ = dbt.rendered["group by"]
    strings = spark.createDataFrame(
        [(0, "fast", 1.0, True)], "w INT, y STRING, x DOUBLE, p BOOLEAN"
    )
    strings.createOrReplaceTempView("strings_of_dbt")
    with pytest.raises(PySparkException, match="value is STRING, not a number: cast it to DOUBLE"):
        spark.sql(text.replace("golden_of_dbt", "strings_of_dbt")).collect()


def test_window_aggregates_are_computed_once(spark, dbt, golden):
    plan = sql(spark, dbt, "named")._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("windowspecdefinition") == 4  # count and avg, of the window and the group


def rows(spark, level, odd=False):
    g, n = np.random.default_rng(7), 3000
    fare = level + g.normal(size=n)
    if odd:
        fare[::701], fare[5::901], fare[7::1103] = np.nan, np.inf, -np.inf
    # A night in which Berlin's clocks skip an hour, and rows on the very borders of panes.
    seconds = g.integers(0, 2 * 86400, n) // 30 * 30
    return spark.createDataFrame(
        pd.DataFrame(
            dict(
                pickup=np.datetime64("2024-03-30T12:00:00", "us") + seconds.astype("m8[s]"),
                fare=fare,
                km=level + g.normal(size=n),
                missing=g.random(n) < 0.02,
                region=g.choice(["EU", "US", "UK"], n),
                tier=g.integers(0, 2, n),
                city=g.choice(["a", "b"], n, p=[0.95, 0.05]),
            )
        )
    ).withColumn("fare", F.expr("if(missing, NULL, fare)"))


def check(spark, dbt, name, frame):
    frame.createOrReplaceTempView("rows_of_dbt")
    sql(spark, dbt, f"{name} panes").createOrReplaceTempView("panes_of_dbt")
    right = shapwin.explain(
        frame, value="fare", time="pickup", predicates=PREDICATES, by="city", **PIPELINES[name]
    )
    assert_same(sql(spark, dbt, f"{name} windows"), right, ["city"])
    return right


@pytest.mark.parametrize("dialect", ["true"], indirect=True)
@pytest.mark.parametrize("name", PIPELINES)
def test_windows_say_what_explain_says(spark, dbt, dialect, name):
    check(spark, dbt, name, rows(spark, 1e9))


@pytest.mark.parametrize("dialect", ["false"], indirect=True)
@pytest.mark.parametrize("name", ["queries", "covariances", "atoms"])
def test_nan_and_infinities(spark, dbt, dialect, name):
    check(spark, dbt, name, rows(spark, 10.0, odd=True))


def test_days_have_24_hours_in_any_time_zone(spark, dbt):
    before = spark.conf.get("spark.sql.session.timeZone")
    frame = rows(spark, 10.0)
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        check(spark, dbt, "days", frame)
        on_the_clock = F.col("pickup").cast("timestamp_ntz")
        check(spark, dbt, "days", frame.withColumn("pickup", on_the_clock))
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_pane_tables_are_those_of_python(spark, dbt):
    frame = rows(spark, 1e9)
    right = check(spark, dbt, "queries", frame)
    asked = dict(window="1 hour", every="15 minutes", statistics=ONE_COLUMN)
    made = spark.table("panes_of_dbt")
    assert_same(shapwin.attribute(made, **asked), right, ["city"])
    same = dict(value="fare", time="pickup", every="5 minutes", predicates=PREDICATES, by="city")
    panes = shapwin.panes(frame, **same)
    assert [(f.name, f.dataType) for f in panes.schema] == [
        (f.name, f.dataType) for f in made.schema
    ]
    panes.createOrReplaceTempView("panes_of_dbt")
    assert_same(sql(spark, dbt, "queries windows"), right, ["city"])


@pytest.mark.parametrize("message", WRONG)
def test_wrong_calls_are_refused_in_words(dbt, message):
    text, errors = dbt.rendered[message]
    assert text is None
    assert f"shapwin: {message}" in errors


WRONG_ROWS = {
    "NULL AS never": "predicate 'never' is NULL in a row of the pane table that is older than it",
    "pane_end + INTERVAL 5 MINUTES AS pane_end": "and offset is 0 seconds: a row of the pane table "
    "has a pane of which they are no whole number",
    "-m AS m": "more tuples of a window or of a group in it were taken back than were there",
}


@pytest.mark.parametrize("change", WRONG_ROWS)
def test_wrong_pane_rows_stop_the_query(spark, dbt, change):
    rows(spark, 10.0).createOrReplaceTempView("rows_of_dbt")
    panes = sql(spark, dbt, "queries panes")
    column = change.rpartition(" ")[2]
    expression = change.rpartition(" AS ")[0]
    panes.withColumn(column, F.expr(expression).cast(panes.schema[column].dataType)).where(
        "pane = '2024-03-30 23:55'"
    ).createOrReplaceTempView("panes_of_dbt")
    with pytest.raises(PySparkException, match=WRONG_ROWS[change]):
        sql(spark, dbt, "queries windows").collect()


def test_the_notebook_gives_what_it_shows(environment, kernel, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("SHAPWIN_DBT", str(environment / "dbt"))
    monkeypatch.setenv("SHAPWIN_SQL", str(SQL))
    gives_what_it_shows("dbt", tmp_path)
