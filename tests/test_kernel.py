"""The kernel of the Python workers, without Spark: portions, keys and windows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from shapwin.errors import ArgumentError
from shapwin.spark import kernel as window_kernel
from shapwin.spark import packing, player_rows
from shapwin.spark import pane_rows as packed_rows
from shapwin.spark.exact_sums import Sums
from shapwin.spark.kernel import WindowKernel
from shapwin.spark.pane_rows import Layout
from shapwin.spark.player_rows import PlayerRows
from shapwin.spark.segments import SegmentPacker, Segments
from shapwin.summary import about_mean

LENGTH, EVERY = 10, 20
SUMS = Sums(False)
LAYOUT = Layout(1, 1, SUMS)
MICROS = pa.timestamp("us", "UTC")


def pane_rows(seed=0, keys=("a", None, "b"), rows=60):
    """Three keys; panes with gaps, some twice; centres of their own."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "_by0": np.repeat(np.array(keys, dtype=object), rows),
            "_pane": rng.choice(np.r_[-20:15, 40:70, 500:503], rows * len(keys)) * LENGTH,
            "_q0": rng.random(rows * len(keys)) < 0.4,
            "_q1": rng.random(rows * len(keys)) < 0.4,
            "_m": rng.integers(0, 5, rows * len(keys)),
        }
    )
    some = frame._m > 0
    frame["_a"] = np.where(some, rng.normal(0, 1, len(frame)), 0.0)
    frame["_b"] = np.where(some, 3 + rng.random(len(frame)), 0.0)
    frame["_center"] = rng.normal(1e6, 1, len(frame))
    frame["_atom"] = frame._q0 * 1 + frame._q1 * 2
    frame["key"] = frame._by0.map({k: i for i, k in enumerate(keys)})
    frame["_bits0"] = frame._atom
    return frame.sort_values(["key", "_pane"], kind="stable").drop(columns="key")


def batches(frame, window, size):
    """Pane rows packed by segments of ten windows."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    at = table.schema.get_field_index("_pane")
    table = table.set_column(at, "_pane", table["_pane"].cast(pa.timestamp("us", "UTC")))
    sums = frame[SUMS.columns].to_numpy(dtype=np.float64)
    table = table.append_column("_sums", pa.array(list(sums), pa.list_(pa.float64())))
    packer = SegmentPacker(LAYOUT, Segments(window, EVERY, LENGTH, 0, 10), at_once=100)
    packed = [*packer(table.to_batches(max_chunksize=30))] if len(frame) else []
    if not packed:
        return []
    return sorted_by(packed, "_by0", "_segment", "_pane").to_batches(max_chunksize=size)


def sorted_by(packed, *columns):
    return pa.Table.from_batches(packed).sort_by([(name, "ascending") for name in columns])


def kernel(window, queries=("p", "q"), **options):
    layout, count = replace(LAYOUT, packed=True, segmented=True), queries and len(queries)
    return WindowKernel(window, EVERY, LENGTH, layout, count, stretch=10, **options)


def run(frame, window, size=1000, queries=("p", "q"), **options):
    return long(kernel(window, queries, **options)(batches(frame, window, size)), queries)


def long(found, queries):
    """One row for each window and query or atom, its sums about the window's mean."""
    rows = []
    for answers in (a for a in found if a.plain.size):
        total, part = about_mean(answers.total, answers.part)
        key, start = (column.to_pylist() for column in answers.place)
        for i in range(len(queries or (1,))):
            columns = {
                "key": key,
                "start": pd.Series(start, dtype="datetime64[us, UTC]").astype("int64"),
                "label": answers.atoms.to_pylist() if queries is None else queries[i],
                "n": total.m,
                "s": answers.plain,
                "a": total.a,
                "b": total.b,
                "center": total.center,
                "m": part.m[i],
                "s_p": answers.plain_part[i],
                "a_p": part.a[i],
                "b_p": part.b[i],
            }
            rows.append(pd.DataFrame(columns))
    return pd.concat(rows).sort_values(["key", "start", "label"], ignore_index=True)


@pytest.mark.parametrize("window", [10, 20, 50, 400])
@pytest.mark.parametrize("queries", [("p", "q"), None], ids=["queries", "atoms"])
def test_portions_of_any_size_give_the_same(window, queries, monkeypatch):
    frame = pane_rows()
    at_once = run(frame, window, queries=queries)
    monkeypatch.setattr(packed_rows, "IN_ONE", 3)
    monkeypatch.setattr(window_kernel, "PORTION", 4)
    in_portions = run(frame, window, size=7, queries=queries, enough=20)
    pd.testing.assert_frame_equal(at_once, in_portions, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("window", [10, 20, 50, 400])
@pytest.mark.parametrize("queries", [("p", "q"), None], ids=["queries", "atoms"])
def test_each_window_holds_its_pane_rows(window, queries):
    frame = pane_rows(1)
    found = run(frame, window, queries=queries)
    expected = 0
    for key, of_key in frame.groupby("_by0", dropna=False):
        for start in range(-3000, 6000, EVERY):
            inside = of_key[(of_key._pane >= start) & (of_key._pane + LENGTH <= start + window)]
            rows = found[found.key.isna() if key is None or key != key else found.key == key]
            rows = rows[rows.start == start]
            if inside._m.sum() == 0:
                assert rows.empty
                continue
            if queries is None:
                groups = {a: inside[inside._atom == a] for a in sorted(set(inside._atom))}
                groups = {a: g for a, g in groups.items() if g._m.sum()}
            else:
                groups = {"p": inside[inside._q0], "q": inside[inside._q1]}
            assert list(rows.label) == list(groups)
            expected += len(groups)
            for row, group in zip(rows.itertuples(), groups.values(), strict=True):
                assert (row.n, row.m) == (inside._m.sum(), group._m.sum())
                for sums, part in ((inside, (row.s, row.a, row.b)), (group, row[-3:])):
                    away = sums._center - row.center
                    a = (sums._a + sums._m * away).sum()
                    b = (sums._b + 2 * away * sums._a + sums._m * away**2).sum()
                    s = (sums._a + sums._m * sums._center).sum()
                    assert part == pytest.approx((s, a, b), rel=1e-12, abs=1e-7)
    assert len(found) == expected


def test_more_taken_back_than_there_was_names_the_window_and_the_key():
    frame = pane_rows(keys=("a",))
    frame["_m"] = -1
    with pytest.raises(
        ArgumentError, match=r"the window from \d+-.*, route = 'a', or a group in it has -"
    ):
        run(frame, 50, by=("route",))


def test_nothing_gives_nothing():
    frame = pane_rows()
    assert list(kernel(20)(batches(frame[:0], 20, 10))) == []
    assert list(kernel(20)([])) == []


def test_rows_that_lie_in_no_window_and_between_two_segments_give_nothing():
    """Windows of 10 every 20: the pane at 190 lies after the tenth, before the eleventh."""
    frame = pane_rows(keys=("a",), rows=3).assign(_pane=190)
    packed = batches(frame, 10, 100)
    assert sum(batch.num_rows for batch in packed) == 0
    assert list(kernel(10)(packed)) == []


@pytest.mark.parametrize("window", [10, 20, 50, 400])
@pytest.mark.parametrize("queries", [("p", "q"), None], ids=["queries", "atoms"])
@pytest.mark.parametrize("together", [True, False], ids=["bits in the place", "bits beside it"])
def test_packed_rows_give_what_their_pane_rows_give(together, window, queries, monkeypatch):
    """Values packed by small portions of several tasks, a few in a span, worked off in portions."""
    monkeypatch.setattr(packing, "SPAN", 8)
    monkeypatch.setattr(packed_rows, "IN_ONE", 3)
    rng = np.random.default_rng(4)
    rows = pd.DataFrame(
        {
            "_by0": rng.choice(np.array(["a", "b", None], dtype=object), 900),
            "_time": rng.choice(np.r_[-200:150, 400:700, 5000:5030], 900),
            "_bits0": rng.integers(0, 4, 900),
            "_y": rng.normal(1e6, 1, 900),
        }
    )
    single = rows.assign(
        _pane=rows._time // LENGTH * LENGTH, _m=1, _a=0.0, _b=0.0, _center=rows._y, _q0=0, _q1=0
    )
    order = single._by0.map({"a": 0, "b": 1, None: 2}).fillna(2)
    single = single.assign(key=order).sort_values(["key", "_pane"], kind="stable")
    expected = run(single.drop(columns="key"), window, queries=queries)

    layout = Layout(1, 1, Sums(False), packed=True)
    columns, inside = rows[["_by0", "_y"]], 2 * together
    if together:
        columns = columns.assign(_place=rows._time // LENGTH * 4 | rows._bits0)
    else:
        columns = columns.assign(_place=rows._time // LENGTH, _bits0=rows._bits0)
    table = pa.Table.from_pandas(columns, preserve_index=False)
    packed = []
    for half in (table.slice(0, 500), table.slice(500)):
        packer = packing.Packer(layout, LENGTH, MICROS, inside=inside, at_once=150)
        packed += packer(half.to_batches(max_chunksize=40))
    rows = sorted_by(packed, "_by0", "_pane")
    found = WindowKernel(window, EVERY, LENGTH, layout, queries and len(queries), enough=60)
    frame = long(found(rows.to_batches(max_chunksize=5)), queries)
    pd.testing.assert_frame_equal(frame, expected, rtol=1e-9, atol=1e-7)


def test_players_of_many_windows_at_once_and_of_one_after_another(monkeypatch):
    frame = pane_rows(2)
    players = PlayerRows(kernel(50, None), ("avg", "var_pop"), ("p", "q"), 50)
    at_once = pa.Table.from_batches(players(batches(frame, 50, 1000)))
    monkeypatch.setattr(player_rows, "_AT_ONCE", 1)
    one_by_one = pa.Table.from_batches(players(batches(frame, 50, 1000)))
    assert at_once.num_rows > 300
    pd.testing.assert_frame_equal(at_once.to_pandas(), one_by_one.to_pandas(), rtol=1e-13)
