"""The memory for partitions behind OVER: frames in any order and memory, always as plainly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shapwin
from shapwin import Summary, closed_form
from shapwin.spark.over import over_arrow
from shapwin.spark.udafs import AGGREGATES, _arrow_answer, _attributing, _pandas_answer

TABLE = {aggregate.name: aggregate for aggregate in AGGREGATES}
N = 900


def frames_of(kind, rng):
    """Begins and ends of one frame a row, as Spark might ask for."""
    row = np.arange(N)
    spread = np.sort(rng.integers(0, 400, N))
    frames = {
        "trailing": (row - 49, row + 1),
        "around": (row - 20, row + 31),
        "ahead": (row + 3, row + 9),
        "growing": (row * 0, row + 1),
        "shrinking": (row, row * 0 + N),
        "long": (row - 600, row + 1),
        "one": (row, row + 1),
        "range": (np.searchsorted(spread, spread - 20), np.searchsorted(spread, spread, "right")),
        "random": (rng.integers(0, N, N), rng.integers(0, N, N)),
    }
    begin, end = (np.clip(bound, 0, N) for bound in frames[kind])
    return begin, np.maximum(begin, end)


KINDS = ["trailing", "around", "ahead", "growing", "shrinking", "long", "one", "range", "random"]


def answers(answer, columns, begin, end, cut):
    return [answer(*(cut(c, b, e) for c in columns)) for b, e in zip(begin, end, strict=True)]


def arrow_cut(column, begin, end):
    return column.slice(begin, end - begin)


def pandas_cut(column, begin, end):
    return column.iloc[begin:end]


def same(got, expected, rel=1e-12):
    """NULL where NULL, and near at the scale of all answers."""
    assert [x is None for x in got] == [x is None for x in expected]
    numbers = [(x, y) for x, y in zip(got, expected, strict=True) if y is not None]
    x, y = np.array(numbers).reshape(-1, 2).T
    finite = np.isfinite(y)
    assert (np.isnan(x) == np.isnan(y)).all()
    assert (x[~finite & ~np.isnan(y)] == y[~finite & ~np.isnan(y)]).all()
    assert np.abs(x[finite] - y[finite]).max(initial=0) <= rel * np.abs(y[finite]).max(initial=1)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def columns(rng):
    y = rng.normal(50, 3, N)
    return {
        "plain": pa.array(y),
        "nulls": pa.array(y, mask=rng.random(N) < 0.2),
        "odd": pa.array(np.where(rng.random(N) < 0.01, np.inf, np.where(y > 57, np.nan, y))),
        "integers": pa.array((y * 10).astype(np.int32)),
        "decimals": pa.array((y * 10).astype(np.int64)).cast(pa.decimal128(22, 2)),
        "other": pa.array(y + rng.normal(0, 1, N), mask=rng.random(N) < 0.1),
        "member": pa.array(rng.random(N) < 0.4, mask=rng.random(N) < 0.1),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["avg", "var_samp", "sum", "covar_pop"])
def test_frames_of_every_kind(rng, columns, kind, name):
    aggregate = TABLE[f"shapley_{name}"]
    used = [columns["nulls"], columns["member"]]
    if name == "covar_pop":
        used.insert(1, columns["other"])
    begin, end = frames_of(kind, rng)
    plain = _attributing(aggregate, name)[0]
    expected = answers(plain, used, begin, end, arrow_cut)
    same(answers(_arrow_answer(aggregate), used, begin, end, arrow_cut), expected)
    series = [c.to_pandas() for c in used]
    same(answers(_pandas_answer(aggregate), series, begin, end, pandas_cut), expected)


@pytest.mark.parametrize("value", ["plain", "odd", "integers", "decimals"])
@pytest.mark.parametrize("kind", ["trailing", "range"])
def test_columns_of_every_kind(rng, columns, kind, value):
    aggregate, used = TABLE["shapley_avg"], [columns[value], columns["member"]]
    begin, end = frames_of(kind, rng)
    expected = answers(_attributing(aggregate, "avg")[0], used, begin, end, arrow_cut)
    same(answers(_arrow_answer(aggregate), used, begin, end, arrow_cut), expected)


@pytest.mark.parametrize("kind", ["trailing", "range", "random"])
def test_frames_of_summaries(rng, columns, kind):
    y, member = rng.normal(50, 3, (N, 4)), columns["member"].fill_null(False)
    each = [Summary.of(row) for row in y]
    fields = {name: [getattr(s, name) for s in each] for name in ("m", "a", "b", "center")}
    items = pa.StructArray.from_arrays([pa.array(f) for f in fields.values()], list(fields))
    begin, end = frames_of(kind, rng)
    got = answers(_arrow_answer(TABLE["shapley_var"]), [items, member], begin, end, arrow_cut)
    p = member.to_numpy(zero_copy_only=False)
    rows = [(y[b:e].ravel(), y[b:e][p[b:e]].ravel()) for b, e in zip(begin, end, strict=True)]
    expected = [
        closed_form("var_pop", Summary.of(w), Summary.of(g)).phi if w.size else None
        for w, g in rows
    ]
    same(got, expected)


@pytest.mark.parametrize("kind", ["trailing", "range"])
def test_explanations(rng, columns, kind):
    aggregate = TABLE["shapley_explain"]
    used = [columns["nulls"], columns["member"], pa.array(["var_pop"] * N)]
    begin, end = frames_of(kind, rng)
    got = answers(_arrow_answer(aggregate), used, begin, end, arrow_cut)
    expected = answers(_attributing(aggregate, "var_pop")[0], used[:2], begin, end, arrow_cut)
    assert got[0]["statistic"] == "var_pop"
    for field in ("n", "value", "m", "phi", "share", "lift", "weight"):
        same(*([row and row[field] for row in rows] for rows in (got, expected)))


def test_a_literal_that_changes_far_ahead_is_refused_where_it_does(columns):
    answer = _arrow_answer(TABLE["shapley_explain"])
    used = [columns["plain"], columns["member"], pa.array(["avg"] * 500 + ["sum"] * (N - 500))]
    row = np.arange(500)
    answers(answer, used, np.maximum(row - 9, 0), row + 1, arrow_cut)
    with pytest.raises(ValueError, match="statistic is not one literal value"):
        answer(*(arrow_cut(c, 491, 501) for c in used))


def test_partitions_that_take_turns_and_memory_that_is_used_again(rng):
    """One call site, several partitions at once, and new ones where old ones have been."""
    answer, plain = (
        _arrow_answer(TABLE["shapley_avg"]),
        _attributing(TABLE["shapley_avg"], "avg")[0],
    )
    for _ in range(40):
        some = [(pa.array(rng.normal(0, 1, 64)), pa.array(rng.random(64) < 0.5)) for _ in range(2)]
        for row in range(64):
            for used in some if row % 16 < 4 else some[:1]:
                cut = [arrow_cut(c, max(row - 7, 0), row + 1) for c in used]
                assert answer(*cut) == pytest.approx(plain(*cut), abs=1e-12)
        del some


def test_frames_that_stop_growing_and_begin_to_slide_are_foreseen(rng):
    """As ROWS 9999 PRECEDING asks for them: few of 20,000 are answered one by one."""
    rows, width = 20_000, 10_000
    plain, prepare = _attributing(TABLE["shapley_avg"], "avg")
    alone = []

    def prepared(columns):
        frame = prepare(columns)
        one = frame.one
        frame.one = lambda begin, end: alone.append(end) or one(begin, end)
        return frame

    answer = over_arrow(plain, prepared)
    columns = pa.array(rng.normal(0, 1, rows)), pa.array(rng.random(rows) < 0.5)
    end = np.arange(1, rows + 1)
    answers(answer, columns, np.maximum(end - width, 0), end, arrow_cut)
    assert len(alone) < rows / 50


def test_slices_that_lie_apart_are_computed_plainly(rng):
    answer, plain = (
        _arrow_answer(TABLE["shapley_avg"]),
        _attributing(TABLE["shapley_avg"], "avg")[0],
    )
    y, p = pa.array(rng.normal(0, 1, N)), pa.array(rng.random(N) < 0.5)
    for row in range(60):
        cut = [y.slice(row, 9), p.slice(row + 5, 9)]
        assert answer(*cut) == plain(*cut)
        copies = [pa.array(c.to_pylist()) for c in cut]
        assert answer(*copies) == plain(*copies)


def test_series_that_lie_apart_are_computed_plainly(rng):
    answer = _pandas_answer(TABLE["shapley_avg"])
    y, p = pd.Series(rng.normal(0, 1, N)), pd.Series(rng.random(N) < 0.5)
    for row in range(60):
        values, member = y.iloc[row : row + 9], p.iloc[row : row + 9]
        fresh = _pandas_answer(TABLE["shapley_avg"])(values.copy(), member.copy())
        assert answer(values.reset_index(drop=True), member.reset_index(drop=True)) == fresh
        assert answer(
            values.sample(frac=1, random_state=1), member.sample(frac=1, random_state=1)
        ) == (pytest.approx(fresh))
        assert answer(values, member) == pytest.approx(fresh)


def test_nothing_of_a_window_stays_behind(rng):
    """A 10^17, a NaN and a level 10^9 away leave no trace in the windows without them."""
    y = rng.normal(0, 1, N)
    y[100], y[200], y[300:400] = 1e17, np.nan, 1e9
    member = rng.random(N) < 0.5
    begin, end = frames_of("trailing", rng)
    used = [pa.array(y), pa.array(member)]
    got = answers(_arrow_answer(TABLE["shapley_var"]), used, begin, end, arrow_cut)
    for k, (b, e) in enumerate(zip(begin, end, strict=True)):
        exact = closed_form("var_pop", Summary.of(y[b:e]), Summary.of(y[b:e][member[b:e]]))
        scale = max(abs(exact.phi), abs(exact.value))
        assert got[k] == pytest.approx(exact.phi, abs=1e-12 * scale, nan_ok=True)


def test_rows_that_spark_sends_without_a_buffer(spark):
    shapwin.register(spark)
    rows = "VALUES (1, 1D, true), (2, 5D, false), (3, 7D, true) AS t(id, v, p)"
    grouped = spark.sql(f"SELECT id, shapley_avg(v, p) FROM {rows} GROUP BY id ORDER BY id")
    assert [tuple(row) for row in grouped.collect()] == [(1, 1.0), (2, 0.0), (3, 7.0)]
    for frame, expected in {
        "ROWS 1 PRECEDING": [1.0, -0.5, 4.0],
        "ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING": [7.0, None, None],
    }.items():
        found = spark.sql(f"SELECT shapley_avg(v, p) OVER (ORDER BY id {frame}) FROM {rows}")
        assert [row[0] for row in found.collect()] == expected
