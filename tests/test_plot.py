"""What stands on the Axes, not how it looks."""

import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest

from shapwin import plot
from shapwin.errors import ArgumentError, ColumnError, DependencyError

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    matplotlib.pyplot.close("all")


def long_table(phi, *, m=None, n=10, statistics=("avg",), starts=None, zone=None):
    """A long table with Φ given as {predicate: one number a window}; ν is their sum."""
    windows = len(next(iter(phi.values())))
    starts = list(range(windows)) if starts is None else starts
    m = {name: n // len(phi) for name in phi} if m is None else m
    rows = [
        {
            "window_start": pd.Timestamp("2013-02-08", tz=zone) + pd.Timedelta(hours=start),
            "window_end": pd.Timestamp("2013-02-08", tz=zone) + pd.Timedelta(hours=start + 1),
            "statistic": statistic,
            "predicate": name,
            "n": n,
            "value": sum(values[i] for values in phi.values()),
            "m": m[name],
            "phi": values[i],
        }
        for i, start in enumerate(starts)
        for statistic in statistics
        for name, values in phi.items()
    ]
    return pd.DataFrame(rows)


def line(panel, label):
    """The values of a line, one a window."""
    (found,) = [drawn for drawn in panel.lines if drawn.get_label() == label]
    return found.get_ydata()[::2]


def span(panel, label, at):
    """From where to where a filled series goes in the middle of window `at`."""
    (found,) = [drawn for drawn in panel.collections if drawn.get_label() == label]
    points = np.concatenate([path.vertices for path in found.get_paths()])
    edges = np.unique(panel.lines[-1].get_xdata())
    inside = points[(points[:, 0] >= edges[at]) & (points[:, 0] <= edges[at + 1])]
    left, right = inside[inside[:, 0] == edges[at]], inside[inside[:, 0] == edges[at + 1]]
    both = np.intersect1d(left[:, 1], right[:, 1])
    return both.min(), both.max()


def test_groups_that_partition_the_window_are_stacked_by_sign():
    table = long_table({"a": [4.0, 1.0], "b": [3.0, -2.0]}, m={"a": 4, "b": 6})
    panel = plot.decomposition(table)
    assert span(panel, "a", 0) == (0, 4)
    assert span(panel, "b", 0) == (4, 7)
    assert span(panel, "a", 1) == (0, 1)
    assert span(panel, "b", 1) == (-2, 0)
    assert line(panel, "aggregate")[:2].tolist() == [7, -1]


def test_groups_that_overlap_are_lines_of_their_own():
    table = long_table({"a": [4.0, 1.0], "b": [3.0, -2.0]}, m={"a": 9, "b": 9})
    panel = plot.decomposition(table)
    assert line(panel, "a").tolist()[:2] == [4, 1]
    assert line(panel, "b").tolist()[:2] == [3, -2]
    assert panel.get_legend().get_title().get_text() == "Φ, each by itself"


def test_forced_stack_shows_what_does_not_add_up():
    table = long_table({"a": [4.0], "b": [3.0]}, m={"a": 3, "b": 3}).assign(value=10.0)
    panel = plot.decomposition(table, stacked=True)
    assert span(panel, "rest: in no group, or in several", 0) == (7, 10)


def test_panels_are_the_statistics_and_then_the_size():
    table = long_table({"a": [4.0, 1.0]}, statistics=("avg", "var_pop"))
    panel = plot.decomposition(table, value="fare", unit="$", tuples="trips")
    labels = [axes.get_ylabel() for axes in panel.figure.axes]
    assert labels == ["avg(fare)\n$", "var_pop(fare)\n$²", "trips in\nthe window"]
    assert panel is panel.figure.axes[0]


def test_one_statistic_on_axes_that_are_given():
    axes = matplotlib.pyplot.figure().subplots()
    table = long_table({"a": [4.0]}, statistics=("avg", "var_pop"))
    assert plot.decomposition(table, statistic="avg", ax=axes) is axes
    assert len(axes.figure.axes) == 1
    with pytest.raises(ArgumentError, match="choose statistic="):
        plot.decomposition(table, ax=axes)


def test_gaps_between_windows_stay_gaps():
    table = long_table({"a": [1.0, 2.0, 3.0]}, starts=[0, 1, 5])
    values = line(plot.decomposition(table), "aggregate")
    np.testing.assert_array_equal(values, [1, 2, np.nan, 3])


def test_small_windows_are_left_out_above_and_kept_below():
    table = long_table({"a": [1.0, 2.0]})
    table["n"] = table["m"] = [10, 2]
    panel = plot.decomposition(table, min_n=5)
    np.testing.assert_array_equal(line(panel, "aggregate"), [1, np.nan])
    size = panel.figure.axes[-1].collections[0].get_paths()[0].vertices
    assert set(size[:, 1]) == {0, 2, 10}


def test_many_series_are_few_colours_and_others():
    table = long_table({f"p{i:02}": [float(i)] for i in range(30)}, n=30)
    panel = plot.decomposition(table)
    labels = [text.get_text() for text in panel.get_legend().get_texts()]
    assert labels == ["aggregate", "23 others", *(f"p{i}" for i in range(23, 30))]
    assert span(panel, "23 others", 0)[1] == pytest.approx(sum(range(30)))


def test_colours_are_the_same_in_all_panels_and_none_is_grey():
    table = long_table({"(none)": [9.0], "a": [1.0]}, statistics=("avg", "var_pop"))
    first, second, _ = plot.decomposition(table).figure.axes
    for panel in (first, second):
        colours = {c.get_label(): c.get_facecolor()[0] for c in panel.collections}
        assert matplotlib.colors.to_hex(colours["a"]).upper() == plot.COLOURS[0]
        assert matplotlib.colors.to_hex(colours["(none)"]).upper() == plot.NONE_COLOUR


def test_one_window_has_a_width():
    low, high = plot.decomposition(long_table({"a": [1.0]})).get_xlim()
    assert high - low == pytest.approx(1 / 24)


def test_no_windows_make_an_empty_picture():
    panel = plot.decomposition(long_table({"a": [1.0]}).iloc[:0])
    assert "no windows" in [text.get_text() for text in panel.texts]


def test_missing_numbers_are_not_drawn():
    table = long_table({"a": [1.0, np.inf, 3.0]})
    np.testing.assert_array_equal(line(plot.decomposition(table), "aggregate"), [1, np.nan, 3])


def test_times_keep_their_clock_without_their_zone():
    table = long_table({"a": [1.0]}, zone="Asia/Tokyo")
    low, _ = plot.decomposition(table).get_xlim()
    assert matplotlib.dates.num2date(low).strftime("%F %H:%M") == "2013-02-08 01:00"


def test_spark_dataframes_are_taken_by_their_method():
    class Frame:
        def toPandas(self):  # noqa: N802
            return long_table({"a": [1.0]})

    assert line(plot.decomposition(Frame()), "aggregate").tolist() == [1]


def test_table_with_several_keys_is_refused():
    table = long_table({"a": [1.0]})
    both = pd.concat([table.assign(origin=o)[["origin", *table.columns]] for o in ("JFK", "LGA")])
    with pytest.raises(ArgumentError, match="filter it to one origin"):
        plot.decomposition(both)


def test_other_tables_are_refused():
    with pytest.raises(ColumnError, match="no column phi"):
        plot.decomposition(long_table({"a": [1.0]}).drop(columns="phi"))
    with pytest.raises(ArgumentError, match="'sum' is not in the table"):
        plot.decomposition(long_table({"a": [1.0]}), statistic="sum")


def test_without_matplotlib_the_mend_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(DependencyError, match=r"pip install 'shapwin\[plot\]'"):
        plot.save("x.png", long_table({"a": [1.0]}))


def test_save_writes_a_file_and_keeps_the_backend(tmp_path):
    plot.save(tmp_path / "x.png", long_table({"a": [1.0, 2.0]}))
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert matplotlib.get_backend().lower() == "agg"


def test_polygons_are_not_snapped_to_pixels():
    panel = plot.decomposition(long_table({"a": [4.0, 1.0], "b": [3.0, 2.0]}))
    filled = [drawn for axes in panel.figure.axes for drawn in axes.collections]
    assert len(filled) == 3
    assert all(drawn.get_snap() is False for drawn in filled)


def test_the_title_names_statistic_value_and_window():
    title = plot.decomposition(long_table({"a": [1.0, 2.0]}), value="fare").get_title("left")
    assert title == "What makes up avg(fare), windows of 1 hour every 1 hour"
    assert plot.decomposition(long_table({"a": [1.0]}), title="Fares").get_title("left") == "Fares"


def test_stray_windows_do_not_empty_the_picture():
    starts = [*range(40), 200_000]
    panel = plot.decomposition(long_table({"a": [1.0] * 40 + [9.0]}, starts=starts))
    low, high = panel.get_xlim()
    assert (high - low) * 24 == pytest.approx(40)
    notes = [text.get_text() for text in panel.figure.axes[-1].texts]
    assert notes == ["one window far away, on 2035-12-03, is not drawn"]
    # As many as those near, or not far enough: all are drawn.
    for starts in ([0, 1, 200_000, 200_001], [*range(40), 45]):
        panel = plot.decomposition(long_table({"a": [1.0] * len(starts)}, starts=starts))
        assert not panel.figure.axes[-1].texts


@pytest.mark.parametrize("days", [5, 12, 20, 31, 43, 80, 200, 800])
def test_labels_of_times_do_not_collide(days):
    starts = range(0, days * 24, 6)
    panel = plot.decomposition(long_table({"a": [1.0] * len(starts)}, starts=starts))
    axis = panel.figure.axes[-1].xaxis
    panel.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
    assert len(boxes) >= 3
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
