"""The frames of a partition in the hands of Spark's worker: answered ahead, and only a hint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.pandas.functions import arrow_udf, pandas_udf

import shapwin
from shapwin import Summary, closed_form
from shapwin.spark.arguments import bind
from shapwin.spark.over import over_arrow, over_pandas
from shapwin.spark.udafs import AGGREGATES, _arrow_answer, _arrow_udaf, _attributing, _from_pandas
from shapwin.spark.worker_frames import worker_frames

pytestmark = pytest.mark.oldest

TABLE = {aggregate.name: aggregate for aggregate in AGGREGATES}
AVG = TABLE["shapley_avg"]
N = 600


# ---- the worker's loops, as far as their variables go --------------------------------------------


def arrow_loop(udf_func, columns, begin_col, end_col):
    """PySpark 4.3."""
    results = []
    for i in range(len(begin_col)):
        offset = begin_col[i].as_py()
        length = end_col[i].as_py() - offset
        results.append(udf_func(*[c.slice(offset, length) for c in columns]))
    return results


def oldest_arrow_loop(func, series, begin_index, end_index):
    """PySpark 4.1."""
    result = []
    for i in range(len(begin_index)):
        offset = begin_index[i].as_py()
        length = end_index[i].as_py() - offset
        result.append(func(*[s.slice(offset, length) for s in series]))
    return result


def pandas_loop(udf_func, series, begins, ends):
    """PySpark 4.3."""
    begin_array, end_array = begins.to_numpy(), ends.to_numpy()
    results = []
    for i in range(len(begin_array)):
        results.append(udf_func(*[s.iloc[begin_array[i] : end_array[i]] for s in series]))
    return results


def oldest_pandas_loop(func, series, begin_index, end_index):
    """PySpark 4.1, whose bounds come as a series first."""
    begin_index, end_index = begin_index.to_pandas(), end_index.to_pandas()
    begin_array, end_array = begin_index.values, end_index.values
    result = []
    for i in range(len(begin_array)):
        result.append(func(*[s.iloc[begin_array[i] : end_array[i]] for s in series]))
    return result


ARROW, PANDAS = [arrow_loop, oldest_arrow_loop], [pandas_loop, oldest_pandas_loop]


def wrapped(udf):
    """As Spark wraps a function."""

    def wrapper(*args, **kwargs):
        return udf(*args, **kwargs)

    return wrapper


class Counted:
    """An aggregate's two ways to answer, and how often each has been taken."""

    def __init__(self, aggregate=AVG, statistic="avg", pandas=False):
        made = _attributing(aggregate, statistic)
        self._plain, self._prepare = _from_pandas(*made) if pandas else made
        self.plainly = self.singly = self.at_once = 0

    def plain(self, *columns):
        self.plainly += 1
        return self._plain(*columns)

    def prepare(self, columns):
        frame = self._prepare(columns)
        one, many = frame.one, frame.many

        def counted_one(begin, end):
            self.singly += 1
            return one(begin, end)

        def counted_many(begin, end):
            singly, self.at_once = self.singly, self.at_once + 1
            answers = many(begin, end)
            self.singly = singly  # a few frames are answered one by one, behind this call
            return answers

        frame.one, frame.many = counted_one, counted_many
        return frame

    @property
    def counts(self):
        return self.plainly, self.singly, self.at_once


def range_frames(rng, rows=N):
    """Of RANGE: ties, jumps, and empty frames where nothing is near."""
    time = np.sort(rng.integers(0, rows, rows))
    time[rows // 2 :] += rows
    return np.searchsorted(time, time - 20), np.searchsorted(time, time - 3, "right")


FRAMES = {
    "range": range_frames,
    "growing": lambda rng: (np.zeros(N, int), np.sort(rng.integers(1, N + 1, N))),
    "shrinking": lambda rng: (np.sort(rng.integers(0, N + 1, N)), np.full(N, N)),
    "rows": lambda rng: (np.maximum(np.arange(N) - 49, 0), np.minimum(np.arange(N) + 20, N)),
    "ahead": lambda rng: (np.minimum(np.arange(N) + 3, N), np.minimum(np.arange(N) + 9, N)),
    "behind": lambda rng: (np.maximum(np.arange(N) - 9, 0), np.maximum(np.arange(N) - 3, 0)),
    "empty": lambda rng: (np.full(N, 7), np.full(N, 7)),
    "random": lambda rng: np.sort(rng.integers(0, N + 1, (2, N)), axis=0),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def columns(rng):
    y = np.where(rng.random(N) < 0.01, np.nan, rng.normal(50, 3, N))
    y[100], y[200] = 1e17, -np.inf
    return [pa.array(y, mask=rng.random(N) < 0.2), pa.array(rng.random(N) < 0.4)]


def expected(statistic, columns, begin, end):
    """Frame by frame from its tuples alone."""
    y, *other, p = (c.to_pylist() for c in columns)
    answers = []
    for b, e in zip(begin, end, strict=True):
        rows = [i for i in range(b, e) if y[i] is not None]
        value, member = np.array([y[i] for i in rows], float), np.array([p[i] for i in rows], bool)
        x = np.array([other[0][i] for i in rows]) if other else None
        total = Summary.of(value, x)
        part = Summary.of(value[member], None if x is None else x[member])
        answers.append(closed_form(statistic, total, part).phi if rows else None)
    return answers


def same(got, wanted, columns, begin, end):
    """NULL where NULL, and near at the scale of the frame's own values."""
    y = columns[0].to_numpy(zero_copy_only=False)
    for k, (x, z) in enumerate(zip(got, wanted, strict=True)):
        size = np.abs(y[begin[k] : end[k]])
        scale = size[np.isfinite(size)].max(initial=1.0)
        assert (x is None) == (z is None)
        assert z is None or x == pytest.approx(z, rel=1e-12, abs=1e-12 * scale, nan_ok=True)


def bounds(begin, end):
    return pa.array(np.asarray(begin, np.int32)), pa.array(np.asarray(end, np.int32))


# ---- frames found --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("loop", ARROW + PANDAS)
def test_all_frames_are_answered_at_once(rng, columns, loop, kind):
    begin, end = FRAMES[kind](rng)
    counted = Counted(pandas=loop in PANDAS)
    over = over_pandas if loop in PANDAS else over_arrow
    used = [c.to_pandas() for c in columns] if loop in PANDAS else columns
    got = loop(wrapped(over(counted.plain, counted.prepare)), used, *bounds(begin, end))
    assert counted.counts == (0, 0, 1)
    if loop in PANDAS:  # where NULL is NaN
        columns = [pa.array(used[0].to_numpy()), columns[1]]
        mask = np.isnan(used[0].to_numpy())
        columns[0] = pa.array(used[0].to_numpy(), mask=mask)
    same(got, expected("avg", columns, begin, end), columns, begin, end)


@pytest.mark.parametrize("rows", [1, 2, 3, 10, 63, 64, 65, 300])
@pytest.mark.parametrize("statistic", ["avg", "var_samp", "sum", "count"])
def test_partitions_of_every_length(rng, statistic, rows):
    """One after another through one function, as for PARTITION BY."""
    counted = Counted(TABLE[f"shapley_{statistic}"], statistic)
    answer = wrapped(over_arrow(counted.plain, counted.prepare))
    for begin, end in [range_frames(rng, rows), (np.arange(rows) * 0, np.arange(rows) + 1)] * 3:
        used = [pa.array(rng.normal(50, 3, rows)), pa.array(rng.random(rows) < 0.4)]
        got = arrow_loop(answer, used, *bounds(begin, end))
        same(got, expected(statistic, used, begin, end), used, begin, end)
    assert counted.counts == ((6, 0, 0) if rows == 1 else (0, 0, 6))


def test_a_partition_of_many_frames_is_answered_in_portions(rng, monkeypatch):
    monkeypatch.setattr("shapwin.spark.over._AT_ONCE", 16)
    begin, end = np.zeros(N, int), np.repeat(np.arange(1, N // 5 + 1), 5)  # ties at the borders
    used = [pa.array(rng.normal(0, 1, N)), pa.array(rng.random(N) < 0.5)]
    counted = Counted()
    got = arrow_loop(over_arrow(counted.plain, counted.prepare), used, *bounds(begin, end))
    assert counted.counts[:2] == (0, 0)
    assert N / (N / 5 / 4) < counted.at_once < N / 16  # the last frames are longer than 4 · 16
    same(got, expected("avg", used, begin, end), used, begin, end)


def test_columns_by_name_and_two_of_them(rng, columns):
    """With keyword arguments there is one function more on the way up."""
    begin, end = range_frames(rng)
    used = [columns[0], pa.array(rng.normal(0, 1, N)), columns[1]]
    counted = Counted(TABLE["shapley_covar_pop"], "covar_pop")
    names = TABLE["shapley_covar_pop"].parameters

    def bound(given, named):
        return bind("shapley_covar_pop", names, given, named, 0)

    answer = wrapped(over_arrow(counted.plain, counted.prepare, bound, 3))

    def by_name(value, predicate, other):
        return answer(value, predicate=predicate, other=other)

    got = oldest_arrow_loop(by_name, [used[0], used[2], used[1]], *bounds(begin, end))
    assert counted.counts == (0, 0, 1)
    wanted = expected("covar_pop", used, begin, end)
    x, z = (np.array([np.nan if v is None else v for v in a]) for a in (got, wanted))
    y = used[0].to_numpy(zero_copy_only=False)
    mild = [np.abs(y[b:e]).max(initial=0) < 1e6 for b, e in zip(begin, end, strict=True)]
    assert np.allclose(x[mild], z[mild], rtol=1e-12, atol=1e-11, equal_nan=True)
    assert [v is None for v in got] == [v is None for v in wanted]


def test_explanations_and_summaries(rng, columns):
    begin, end = range_frames(rng)
    y = pa.array(rng.normal(50, 3, N), mask=rng.random(N) < 0.2)
    explain = arrow_loop(
        _arrow_udaf(TABLE["shapley_explain"]),
        [y, columns[1], pa.array(["var_pop"] * N)],
        *bounds(begin, end),
    )
    each = [Summary.of([x]) for x in y.drop_null().to_pylist()]
    fields = {name: [getattr(s, name) for s in each] for name in ("m", "a", "b", "center")}
    items = pa.StructArray.from_arrays([pa.array(f) for f in fields.values()], list(fields))
    known = np.concatenate([[0], np.cumsum(y.is_valid().to_numpy(zero_copy_only=False))])
    member = columns[1].filter(y.is_valid())
    of_items = arrow_loop(
        _arrow_answer(TABLE["shapley_var"]), [items, member], *bounds(known[begin], known[end])
    )
    wanted = expected("var_pop", [y, columns[1]], begin, end)
    same([row and row["phi"] for row in explain], wanted, [y], begin, end)
    same(of_items, wanted, [y], begin, end)


# ---- frames that are no frames of this partition -------------------------------------------------


def lying_loop(udf_func, columns, begin, end, begin_col, end_col, change=None):
    """Asks for frames other than its variables say."""
    results = []
    for i, (b, e) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        results.append(udf_func(*[c.slice(b, e - b) for c in columns]))
        if i == 0 and change is not None:
            change(begin_col, end_col)
    return results


LIES = {
    "missing": lambda b, e: (None, None),
    "of another type": lambda b, e: (b.tolist(), "frames"),
    "of another partition": lambda b, e: (pa.array(b[::-1]), pa.array(e[::-1])),
    "right at first only": lambda b, e: (
        pa.array(np.append(b[:1], np.maximum(b[1:] - 1, 0))),
        pa.array(e),
    ),
    "of one column": lambda b, e: (pa.array(b), None),
    "too short": lambda b, e: (pa.array(b[:9]), pa.array(e[:9])),
    "of two lengths": lambda b, e: (pa.array(b[:9]), pa.array(e)),
    "too long": lambda b, e: (pa.array(np.tile(b, 9)), pa.array(np.tile(e, 9))),
    "empty": lambda b, e: (pa.array([], pa.int32()), pa.array([], pa.int32())),
    "NULL": lambda b, e: (pa.array([*b[:-1], None]), pa.array(e)),
    "floats": lambda b, e: (b + 0.0, e + 0.0),
    "behind the end": lambda b, e: (b, np.append(e[:-1], 10**9)),
    "before the start": lambda b, e: (np.append(b[:-1], -1), e),
    "begun after they end": lambda b, e: (np.append(b[:-1], N), np.append(e[:-1], 1)),
    "in rows and columns": lambda b, e: (b.reshape(2, -1), e.reshape(2, -1)),
    "beyond int64": lambda b, e: (
        b.astype(np.uint64),
        np.append(e[1:].astype(np.uint64), np.uint64(2**64 - 1)),
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_frames_that_are_not_those_asked_for(rng, columns, lie):
    begin, end = range_frames(rng)
    got = lying_loop(
        wrapped(_arrow_answer(AVG)), columns, begin, end, *LIES[lie](begin.copy(), end.copy())
    )
    same(got, expected("avg", columns, begin, end), columns, begin, end)


def test_frames_that_change_after_they_were_seen(rng, columns):
    begin, end = range_frames(rng)

    def change(begins, ends):
        begins[:], ends[:] = 0, 1

    counted = Counted()
    answer = over_arrow(counted.plain, counted.prepare)
    got = lying_loop(answer, columns, begin, end, begin.copy(), end.copy(), change)
    assert counted.counts == (0, 0, 1)
    same(got, expected("avg", columns, begin, end), columns, begin, end)


def test_a_second_round_over_the_same_partition(rng, columns):
    begin, end = range_frames(rng)
    answer, wanted = _arrow_answer(AVG), expected("avg", columns, begin, end)
    for loop in (arrow_loop, oldest_arrow_loop, arrow_loop):
        same(loop(answer, columns, *bounds(begin, end)), wanted, columns, begin, end)


def test_a_caller_without_frames(rng, columns):
    assert worker_frames(0, 1) is None
    begin, end = range_frames(rng)
    counted = Counted()
    answer = over_arrow(counted.plain, counted.prepare)
    got = [
        answer(*(c.slice(b, e - b) for c in columns))
        for b, e in zip(begin.tolist(), end.tolist(), strict=True)
    ]
    assert counted.singly > N / 4
    same(got, expected("avg", columns, begin, end), columns, begin, end)


# ---- Spark itself --------------------------------------------------------------------------------


@pytest.fixture
def table(spark, rng):
    """Two partitions: t with ties, gaps and NULLs; values with NULL, NaN and an outlier."""
    t = np.sort(rng.integers(0, 200, 300)) + np.repeat([0, 500], 150)
    y = rng.normal(50, 3, 300)
    y[40], y[rng.random(300) < 0.05] = 1e17, np.nan
    rows = [
        (i % 2, i, None if i < 4 else int(t[i]), None if u > 0.9 else float(y[i]), u < 0.4)
        for i, u in enumerate(rng.random(300).tolist())
    ]
    frame = spark.createDataFrame(rows, "k INT, id INT, t INT, y DOUBLE, p BOOLEAN")
    frame.createOrReplaceTempView("over_worker")
    return rows


WINDOWS = [
    "RANGE BETWEEN 20 PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN 30 PRECEDING AND 5 PRECEDING",
    "RANGE BETWEEN 5 FOLLOWING AND 30 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN 9 PRECEDING AND 3 PRECEDING",
    "ROWS BETWEEN 3 FOLLOWING AND 9 FOLLOWING",
]


@pytest.mark.parametrize("call", ["shapley_avg(y, p)", "shapley_avg(predicate => p, value => y)"])
@pytest.mark.parametrize("window", WINDOWS)
def test_values_of_real_frames(spark, table, window, call):
    """Against each frame's own rows, which Spark collects."""
    shapwin.register(spark)
    over = f"OVER (PARTITION BY k ORDER BY t {window})"
    if window.startswith("ROWS"):
        over = over.replace("ORDER BY t", "ORDER BY t, id")
    rows = spark.sql(
        f"SELECT id, {call} {over} AS phi, collect_list(id) {over} AS ids FROM over_worker"
    ).collect()
    assert len(rows) == len(table)
    for row in rows:
        inside = [table[i] for i in row.ids if table[i][3] is not None]
        y, p = np.array([r[3] for r in inside], float), np.array([r[4] for r in inside], bool)
        if not inside:
            assert row.phi is None
            continue
        wanted = closed_form("avg", Summary.of(y), Summary.of(y[p])).phi
        scale = np.nanmax(np.abs(y), initial=1.0)
        assert row.phi == pytest.approx(wanted, rel=1e-12, abs=1e-12 * scale, nan_ok=True)


@pytest.mark.parametrize("arguments", ["y, p", "value => y, predicate => p"])
@pytest.mark.parametrize("flavor", ["arrow", "pandas"])
@pytest.mark.parametrize("window", [WINDOWS[0], WINDOWS[2], WINDOWS[4]])
def test_the_worker_still_shows_its_frames(spark, table, flavor, window, arguments):
    """If this fails on a new PySpark: its loop has other variables now, see `worker_frames`.

    The answer to each frame is how many were answered with it; without a hint, -1 or less than all.
    """
    over, column = (over_arrow, pa.Array) if flavor == "arrow" else (over_pandas, pd.Series)

    class Telling:
        def one(self, begin, end):
            return -1.0

        def many(self, begin, end):
            return [float(len(begin))] * len(begin)

    def plain(*columns):
        return -1.0

    answer = over(plain, lambda columns: Telling())

    def told(value: column, predicate: column) -> float:
        return answer(value, predicate)

    told.__annotations__ = {"value": column, "predicate": column, "return": float}
    spark.udf.register("told", (arrow_udf if flavor == "arrow" else pandas_udf)(told, "double"))
    found = spark.sql(
        f"SELECT told({arguments}) OVER (PARTITION BY k ORDER BY t {window}) FROM over_worker"
    ).collect()
    assert {row[0] for row in found} == {150.0}
