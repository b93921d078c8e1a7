"""The figures of the report, one function each: from the figures of a result file to an Axes."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log10
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

Axes = Any
BLUE, ORANGE, GREEN, GREY, BLACK = "#2a6fbb", "#d9762b", "#3a9a5b", "#8a8a8a", "#222222"
LABELS_HIGH = 16  # lines of text


def rq2(axes: Axes, here: dict[str, Any]) -> None:
    rows = here["rows"]["avg"]
    n = [row["N"] for row in rows]
    routes = {
        "100 permutations": ([row["sampling_100_us"] for row in rows], GREY),
        "scan of each window": ([row["scan"]["median_us"] for row in rows], ORANGE),
        "SlidingWindow": ([row["sliding"]["median_us"] for row in rows], BLUE),
        "rolling": ([row["rolling"]["median_us"] for row in rows], GREEN),
    }
    named_lines(axes, n, routes)
    axes.set(
        xlabel="N, tuples in the window",
        ylabel="µs a slide, AVG",
        title="RQ2: latency against window length",
        xlim=(n[0] / 1.5, n[-1] ** 1.35),
    )


def rq2_spark(axes: Axes, here: dict[str, Any]) -> None:
    rows = here["rows"]
    n = [row["N"] for row in rows]
    colors = zip(rows[0]["us_a_row"], (BLUE, GREY, GREEN, ORANGE, BLACK), strict=True)
    routes = {route: ([row["us_a_row"][route] for row in rows], color) for route, color in colors}
    named_lines(axes, n, routes)
    axes.set(
        xlabel="N, rows of the frame",
        ylabel="µs a row, AVG",
        title="RQ2 on Spark: latency against frame length",
        xlim=(n[0] / 1.5, n[-1] * (n[-1] / n[0]) ** 0.6),
    )


def named_lines(axes: Axes, n: list[int], lines: dict[str, tuple[list[float], str]]) -> None:
    """Draw lines over N, both logarithmic, each with its name at its end, the names apart."""
    for line, color in lines.values():
        axes.loglog(n, line, marker="o", color=color)
    low, high = map(log10, axes.get_ylim())
    at = -inf
    for label, (line, color) in sorted(lines.items(), key=lambda item: item[1][0][-1]):
        at = max(log10(line[-1]), at + (high - low) / LABELS_HIGH)
        axes.annotate(
            label,
            (n[-1], 10**at),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=color,
        )
    axes.set_xticks(n)
    axes.minorticks_off()


def rq3(axes: Axes, here: dict[str, Any]) -> None:
    for (statistic, rows), color in zip(here["errors"].items(), (BLUE, ORANGE), strict=True):
        m = [row["M"] for row in rows]
        fit = here["fit"][statistic]
        axes.loglog(m, [row["rel_error"] for row in rows], "o", color=color)
        label = f"{statistic}: {fit['constant']:.2f} · M^{fit['exponent']:.2f}"
        axes.loglog(
            m, [fit["constant"] * x ** fit["exponent"] for x in m], color=color, label=label
        )
    axes.set(
        xlabel="M, permutations",
        ylabel="mean |Φ̂ − Φ| / ν",
        title="RQ3: error of sampling, N = 1,000",
    )
    axes.legend(frameon=False)


def rq4a(axes: Axes, here: dict[str, Any]) -> None:
    rows = here["rows"]
    k = [row["K"] for row in rows]
    lines = (
        ("loop_query", "all atoms, one after another", GREY),
        ("query", "all atoms at once, from the rows", ORANGE),
        ("kept", "all atoms at once, from kept sums", BLUE),
        ("slide", "slide and one query", GREEN),
    )
    for name, label, color in lines:
        axes.loglog(
            k,
            [row[name]["median_us"] for row in rows],
            marker="o",
            color=color,
            label=label,
            base=10,
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(k, [f"{row['K']}\n{row['active_atoms']:,}" for row in rows])
    axes.set(
        xlabel="K, predicates; below, active atoms",
        ylabel="µs",
        title=f"RQ4a: predicates, N = {here['N']:,}",
    )
    axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.24))


def rq4b(axes: Axes, here: dict[str, Any]) -> None:
    axes.axvspan(26, 30, color="#eeeeee", zorder=0)
    day(axes, here["timeline"], "AVG(fare)")
    axes.set(ylabel="dollars", title=f"RQ4b: a thin, dear night ({here['data']} trips)")


def flights(axes: Axes, here: dict[str, Any]) -> None:
    hour, minute = map(int, here["peak"]["window_end"][11:].split(":"))
    axes.axvline(hour + minute / 60, color="#cccccc", zorder=0)
    day(axes, here["timeline"], "AVG(delay)")
    axes.set(ylabel="minutes", title="The day of the most striking hour of departures")


def day(axes: Axes, line: dict[str, Any], value: str) -> None:
    """Draw an average and what makes it up over 24 hours."""
    start = int(line["from"][11:13])
    hours = [start + i / 12 for i in range(len(line["value"]))]
    axes.axhline(0, color="black", linewidth=0.6)
    axes.plot(hours, line["value"], color="black", linewidth=2, label=value)
    for (group, phi), color in zip(line["phi"].items(), (BLUE, ORANGE, GREEN), strict=True):
        axes.plot(hours, phi, color=color, label=f"Φ {group}")
    ticks = list(range(start, start + 25, 3))
    axes.set_xticks(ticks, [f"{h % 24:02}:00" for h in ticks])
    axes.set(xlabel=f"end of the window, from {line['from'][:10]}", xlim=(hours[0], hours[-1]))
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def rq5(axes: Axes, here: dict[str, Any]) -> None:
    curve = here["phi_vs_n"]
    n = curve["n"]
    axes.semilogx(n, curve["phi"], color=BLUE, label="Φ airport")
    axes.axhline(curve["share"], color=ORANGE, label="its share")
    axes.axhline(curve["value"], color="black", linewidth=0.8, label="ν, the average")
    round_ones = [k * 10**e for e in range(1, 6) for k in (1, 2, 5)]
    axes.minorticks_off()
    shown = [x for x in round_ones if n[0] <= x <= n[-1]]
    axes.set_xticks(shown, [f"{x:,}" for x in shown])
    axes.set(
        xlabel=f"N, with the mix of {curve['composition']}",
        ylabel="dollars",
        title="RQ5: Φ grows with ln N where the mix stays",
        ylim=(0, None),
    )
    axes.legend(frameon=False, loc="lower right")


def scale(axes: Axes, here: dict[str, Any]) -> None:
    asked = ("window", "every", "keys", "queries", "statistics")
    masters = sorted(here["masters"].items(), key=lambda item: item[1]["runs"][-1]["model"])
    label = 0.0
    for (master, of), color in zip(masters, (BLUE, ORANGE, GREEN), strict=False):
        last = of["runs"][-1]
        runs = [run for run in of["runs"] if all(run[x] == last[x] for x in asked)]
        rows = [run["rows"] for run in runs]
        axes.loglog(rows, [run["model"] for run in runs], color=color, linewidth=1)
        axes.loglog(rows, [run["seconds"] for run in runs], "o", color=color)
        axes.loglog(rows[-1], last["model"], "o", color=color, markersize=11, fillstyle="none")
        label = max(last["model"], label * 1.25)  # names stand apart
        axes.annotate(
            master,
            (rows[-1], label),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            color=color,
        )
    axes.set(
        xlabel="rows; lines and rings: the model, which has not seen the last",
        ylabel="seconds",
        title="Scale: an hour every 5 minutes, three queries",
        xlim=(rows[0] / 1.5, rows[-1] * 40),
    )
    low, high = axes.get_ylim()
    times = [k * 10**e for e in range(-2, 4) for k in (1, 2, 5)]
    axes.set_yticks([t for t in times if low <= t <= high], labels=None)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(rows, [f"{x:,}" for x in rows], rotation=20)
    axes.minorticks_off()


DRAWN: dict[str, Callable[[Axes, dict[str, Any]], None]] = {
    "rq2": rq2,
    "rq2_spark": rq2_spark,
    "rq3": rq3,
    "rq4a": rq4a,
    "rq4b": rq4b,
    "rq4b_spark": rq4b,
    "flights": flights,
    "rq5": rq5,
    "scale": scale,
}


def draw(name: str, here: dict[str, Any], folder: Path) -> Path | None:
    """Draw the figure of a result, if it has one, and return where it is."""
    if name not in DRAWN:
        return None
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    DRAWN[name](axes, here)
    axes.title.set_fontsize(11)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=90, metadata={"Software": None})
    plt.close(figure)
    return path
