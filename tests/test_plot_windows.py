"""What stands on the Axes of one window, and of changes."""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest

from shapwin import Summary, closed_form, plot
from shapwin.errors import ArgumentError, ColumnError

matplotlib.use("agg")

HOURS = pd.date_range("2024-01-09 01:00", periods=3, freq="h")
ONE_WINDOW = (plot.waterfall, plot.share_lift, plot.scale)
VALUES = np.array([14.0, 11.0, 58.0, 62.0, 13.0, 20.0])


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    matplotlib.pyplot.close("all")


def explained(groups, *, statistics=("avg",), hours=HOURS[:1], values=VALUES):
    """The long table of groups of places in `values`, which grow by 10 from window to window."""
    rows = []
    for i, hour in enumerate(hours):
        here = values[: len(values) - i] + 10.0 * i
        for statistic in statistics:
            for name, places in groups.items():
                members = here[[place for place in places if place < len(here)]]
                found = closed_form(statistic, Summary.of(here), Summary.of(members))
                where = dict(window_start=hour, window_end=hour + pd.Timedelta("1h"))
                rows.append({**where, "statistic": statistic, "predicate": name, **found._asdict()})
    return pd.DataFrame(rows)


def compared(table):
    """What `shapwin.compare` makes of it, with a lag of an hour."""
    numbers = ["n", "value", "phi", "share", "lift", "weight"]
    by_group = table.groupby("predicate")
    table = table.assign(**{f"d_{name}": by_group[name].diff() for name in numbers})
    before = by_group["weight"].shift()
    return table.assign(
        composition_effect=table["d_share"] + before * table["d_lift"],
        size_effect=table["d_weight"] * table["lift"],
    )


PARTITION = {"eu": [2, 3], "us": [0, 1], "none": [4, 5]}
THIRTY = {f"p{i:02}": [i] for i in range(30)}
MANY = np.arange(30.0) ** 2


def bars(panel):
    """From where to where each bar goes, from the top."""
    patches = sorted(panel.patches, key=lambda bar: bar.get_y())
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in patches]


def labels(panel):
    return [text.get_text() for text in panel.get_yticklabels()]


def numbers(panel):
    (right,) = panel.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


def test_a_waterfall_leads_from_zero_to_the_aggregate():
    table = explained(PARTITION)
    panel = plot.waterfall(table, value="fare", unit="$")
    phi = table.set_index("predicate")["phi"]
    order = sorted(phi.index, key=lambda name: -abs(phi[name]))
    assert labels(panel) == [*order, "avg(fare)"]
    ends = np.cumsum(phi[order])
    found = bars(panel)
    np.testing.assert_allclose([bar[0] for bar in found], [0, *ends[:-1], 0])
    np.testing.assert_allclose([bar[1] for bar in found], [*ends, VALUES.mean()])
    assert numbers(panel)[-1] == "29.67"
    assert numbers(panel)[0] == f"+{phi[order[0]]:.2f}"
    assert panel.get_xlabel() == "avg(fare), $"
    assert panel.get_title("left") == "What makes up avg(fare), 2024-01-09 01:00 to 02:00"


def test_colours_of_a_waterfall_tell_up_from_down():
    table = explained(PARTITION)
    phi = table["phi"].sort_values(key=lambda x: -abs(x))
    panel = plot.waterfall(table)
    drawn = [matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in panel.patches]
    assert drawn[:-1] == [plot.COLOURS[0] if x > 0 else plot.COLOURS[3] for x in phi]
    assert {plot.COLOURS[0], plot.COLOURS[3]} < set(drawn)


def test_what_overlaps_is_a_bar_of_its_own():
    table = explained({"eu": [2, 3], "dear": [2, 3, 5]})
    panel = plot.waterfall(table)
    assert labels(panel)[-2] == "rest: in no group, or in several"
    start, end = bars(panel)[-2]
    assert start == pytest.approx(table["phi"].sum())
    assert end == pytest.approx(VALUES.mean())


def test_the_order_is_that_of_all_windows_and_lacking_atoms_keep_their_place():
    table = explained(PARTITION, hours=HOURS)
    table.loc[table["window_start"] == HOURS[1], "phi"] = [1.0, 1000.0, 2.0]
    table.loc[table["window_start"] == HOURS[1], "value"] = 1003.0
    table = table.drop(table.index[(table["window_start"] == HOURS[2])][0])
    found = [labels(plot.waterfall(table, window=str(hour))) for hour in HOURS]
    assert found[0] == found[1] == found[2][:3] + found[0][3:]
    assert found[0][0] == "us"
    last = plot.waterfall(table, window=HOURS[2])
    start, end = bars(last)[labels(last).index("eu")]
    assert start == end


@pytest.mark.parametrize("picture", [plot.waterfall, plot.share_lift])
def test_thirty_series_are_ten_and_others(picture):
    table = explained(THIRTY, values=MANY)
    panel = picture(table)
    assert labels(panel)[10] == "20 others"
    first = table.set_index("predicate")["phi"].abs().sort_values(ascending=False).index[0]
    assert labels(panel)[0] == first
    assert labels(picture(table, series=29))[29] == "1 other"
    assert "other" not in " ".join(labels(picture(table, series=30)))
    if picture is plot.waterfall:
        assert bars(panel)[-2][1] == pytest.approx(MANY.mean())


@pytest.mark.parametrize("picture", [plot.waterfall, plot.share_lift])
def test_no_label_is_clipped(picture):
    table = explained({"a rather long name of a group AND " * 6: [0, 1], "b" * 90: [2, 3, 4, 5]})
    panel = picture(table.assign(**{c: table[c] * 1e8 for c in ("value", "phi", "share", "lift")}))
    canvas = panel.figure.canvas
    canvas.draw()
    texts = [*panel.get_yticklabels(), *panel.child_axes[0].get_yticklabels(), panel.title]
    for box in (text.get_window_extent() for text in texts):
        assert box.x0 >= 0 <= box.y0
        assert box.x1 <= panel.figure.bbox.x1
        assert box.y1 <= panel.figure.bbox.y1
    rows = [text.get_window_extent() for text in panel.get_yticklabels()]
    assert all(a.y0 >= b.y1 for a, b in pairwise(rows))


def test_share_and_lift_are_two_bars_and_their_sum_a_point():
    table = explained(PARTITION).set_index("predicate")
    panel = plot.share_lift(table.reset_index())
    order = table.loc[labels(panel)]
    share, extra = (np.array([bar.get_width() for bar in drawn]) for drawn in panel.containers)
    np.testing.assert_allclose(share, order["share"])
    np.testing.assert_allclose(extra, order["weight"] * order["lift"])
    (point,) = [line for line in panel.lines if line.get_marker() == "D"]
    np.testing.assert_allclose(point.get_xdata(), order["phi"])
    names = [text.get_text() for text in panel.get_legend().get_texts()]
    assert names[0] == "share"
    assert names[1].endswith("for N = 6")


def test_lines_of_the_scale_are_the_closed_form_of_copied_rows():
    groups = {"eu": [2, 3], "rest": [0, 1, 4, 5]}
    for statistic in ("avg", "var_pop"):
        panel = plot.scale(explained(groups, statistics=[statistic]))
        assert panel.get_xscale() == "log"
        (eu,) = [line for line in panel.lines if line.get_label() == "eu"]
        at = dict(zip(eu.get_xdata(), eu.get_ydata(), strict=True))
        drawn = [n for n in at if n % 6 == 0]
        assert len(drawn) > 10
        for n in drawn:
            copies = np.tile(VALUES, int(n) // 6)
            members = np.tile(VALUES[2:4], int(n) // 6)
            found = closed_form(statistic, Summary.of(copies), Summary.of(members))
            assert at[n] == pytest.approx(found.phi, rel=1e-9)
        points = panel.collections[-1].get_offsets()
        np.testing.assert_allclose(points[0], [6, at[6]])


def test_a_sum_does_not_scale_by_its_weight():
    panel = plot.scale(explained(PARTITION, statistics=["sum"]))
    (eu,) = [line for line in panel.lines if line.get_label() == "eu"]
    assert set(eu.get_ydata()) == {120.0}


def test_thirty_lines_of_the_scale_are_seven_and_others():
    panel = plot.scale(explained(THIRTY, values=MANY))
    names = [text.get_text() for text in panel.get_legend().get_texts()]
    assert len(names) == 9
    assert names[-1] == "23 others"


@pytest.mark.parametrize("picture", ONE_WINDOW)
def test_a_window_and_a_statistic_have_to_be_chosen(picture):
    table = explained(PARTITION, hours=HOURS)
    with pytest.raises(ArgumentError, match=r"3 windows: choose one .* window='2024-01-09 03:00"):
        picture(table)
    with pytest.raises(ArgumentError, match="window='2024-01-10' is not in the table"):
        picture(table, window="2024-01-10")
    with pytest.raises(ArgumentError, match="window='soon' is no time"):
        picture(table, window="soon")
    longer = table.assign(window_end=table["window_end"] + pd.Timedelta("1h"))
    with pytest.raises(ArgumentError, match="windows of 2 lengths begin at 2024-01-09 01:00"):
        picture(pd.concat([table, longer]), window=HOURS[0])
    two = explained(PARTITION, statistics=("avg", "sum"))
    with pytest.raises(ArgumentError, match="takes one statistic: choose statistic= from"):
        picture(two)
    assert picture(two, statistic="sum", value="fare").get_title("left").count("sum(fare)") == 1


@pytest.mark.parametrize("picture", ONE_WINDOW)
def test_what_cannot_be_drawn_says_so(picture):
    table = explained(PARTITION)
    empty = table.iloc[:1].assign(n=0, m=0, phi=np.nan, value=np.nan, weight=np.nan, predicate=None)
    for change, words in (
        (table.iloc[:0], "no windows"),
        (empty, "the window is empty"),
        (table.assign(phi=np.inf), "the window holds NaN, NULL or infinite numbers"),
    ):
        panel = picture(change)
        assert words in [text.get_text() for text in panel.texts]
        assert not panel.patches


def test_players_have_no_share_and_lift_to_draw():
    table = explained(PARTITION).assign(share=np.nan, lift=np.nan, weight=np.nan)
    for picture in (plot.share_lift, plot.scale):
        with pytest.raises(ArgumentError, match="semantics='members'"):
            picture(table)
    assert len(bars(plot.waterfall(table))) == 4


@pytest.mark.parametrize("picture", [*ONE_WINDOW, plot.change])
def test_pictures_are_drawn_where_they_are_told(picture):
    axes = matplotlib.pyplot.figure().subplots()
    table = compared(explained(PARTITION, hours=HOURS))
    assert picture(table, window=HOURS[1], ax=axes) is axes
    assert axes.figure.axes == [axes]


# ---- changes ---------------------------------------------------------------------------------


def test_changes_over_time_are_stacked_where_they_add_up():
    table = compared(explained(PARTITION, hours=HOURS))
    panel = plot.change(table, value="fare", unit="$", tuples="trips")
    whole, effect, size = panel.figure.axes
    assert panel is whole
    assert panel.get_legend().get_title().get_text() == "ΔΦ, stacked"
    (line,) = [line for line in panel.lines if line.get_label() == "aggregate"]
    d_value = table.drop_duplicates("window_start")["d_value"]
    np.testing.assert_allclose(line.get_ydata()[::2], d_value)
    for axes, column in ((whole, "d_phi"), (effect, "size_effect")):
        assert {group.get_label() for group in axes.collections} == set(PARTITION)
        outlines = [path.vertices for group in axes.collections for path in group.get_paths()]
        points = np.concatenate(outlines)
        for i, hour in enumerate(HOURS[1:], start=1):
            left, right = line.get_xdata()[2 * i : 2 * i + 2]
            at = [points[abs(points[:, 0] - x) < 1e-9][:, 1] for x in (left, right)]
            middle = np.intersect1d(*at)
            changes = table[table["window_start"] == hour][column]
            assert middle.max() == pytest.approx(changes.clip(lower=0).sum(), abs=1e-12)
            assert middle.min() == pytest.approx(changes.clip(upper=0).sum(), abs=1e-12)
    assert [axes.get_ylabel() for axes in (whole, effect, size)] == [
        "Δ avg(fare)\n$",
        "of which by\nthe size",
        "trips in\nthe window",
    ]


def test_changes_that_do_not_add_up_are_lines_and_first_windows_gaps():
    table = compared(explained({"eu": [2, 3], "dear": [2, 3, 5]}, hours=HOURS))
    panel = plot.change(table)
    for axes, column in zip(panel.figure.axes, ("d_phi", "size_effect"), strict=False):
        (eu,) = [line for line in axes.lines if line.get_label() == "eu"]
        np.testing.assert_allclose(eu.get_ydata()[::2], table[table["predicate"] == "eu"][column])
        assert np.isnan(eu.get_ydata()[0])


def test_small_windows_of_either_side_are_left_out_of_changes():
    table = compared(explained({"eu": [2, 3], "dear": [2, 3, 5]}, hours=HOURS))
    panel = plot.change(table, min_n=5)  # they have 6, 5 and 4
    (eu,) = [line for line in panel.lines if line.get_label() == "eu"]
    assert np.isfinite(eu.get_ydata()[::2]).tolist() == [False, True, False]
    texts = [text.get_text() for text in panel.figure.axes[-1].texts]
    assert texts == ["windows of fewer than 5 rows, before or now, are below only"]


def test_the_change_of_one_window_is_composition_and_size():
    table = compared(explained(PARTITION, hours=HOURS))
    one = table[table["window_start"] == HOURS[1]]
    for panel in (plot.change(table, window=HOURS[1]), plot.change(one)):
        rows = one.set_index("predicate").loc[labels(panel)]
        composition, size = ([bar.get_width() for bar in drawn] for drawn in panel.containers)
        np.testing.assert_allclose(composition, rows["composition_effect"])
        np.testing.assert_allclose(size, rows["size_effect"])
        (point,) = [line for line in panel.lines if line.get_marker() == "D"]
        np.testing.assert_allclose(point.get_xdata(), rows["d_phi"])


def test_changes_of_players_are_points():
    table = compared(explained(PARTITION, hours=HOURS))
    nothing = dict(composition_effect=np.nan, size_effect=np.nan)
    panel = plot.change(table.assign(**nothing), window=HOURS[1])
    (point,) = [line for line in panel.lines if line.get_marker() == "D"]
    assert np.isfinite(point.get_xdata()).all()


def test_nothing_to_compare_says_so():
    table = compared(explained(PARTITION, hours=HOURS))
    for rows, words in (
        (table.iloc[:0], "no windows"),
        (table[table["window_start"] == HOURS[0]], "no earlier window"),
        (table[table["window_start"] == HOURS[0]].assign(n=0), "the window is empty"),
        (
            table[table["window_start"] == HOURS[1]].assign(d_phi=np.inf),
            "the window holds NaN, NULL or infinite numbers",
        ),
    ):
        assert words in [text.get_text() for text in plot.change(rows).texts]
    with pytest.raises(ColumnError, match=r"no column d_n, d_value, .*: give the .* of compare"):
        plot.change(explained(PARTITION))


def test_save_draws_the_picture_that_is_asked_for(tmp_path):
    plot.save(tmp_path / "x.png", explained(PARTITION), picture=plot.waterfall)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
