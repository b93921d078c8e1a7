"""The report: tables and figures from the result files, side by side with the paper's numbers.

    python bench/report.py [--output DIR]

writes DIR/README.md and DIR/results/*.png from DIR/results/*.json. A section is a function of a
result's figures and the paper's; `SECTIONS` names the result file that each reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import figures
from results import parsed, parser
from scale_sections import flights, rq4b_spark, scale
from spark_sections import peers_spark, rq1_spark, rq2_spark
from tables import (
    EXACT,
    Here,
    Paper,
    Row,
    Section,
    at_least,
    at_most,
    flat,
    num,
    percent,
    table,
    to,
)

# ---- one function an experiment --------------------------------------------------------------


def rq1(here: Here, paper: Paper) -> Section:
    """Exactness."""
    columns = paper("rq1", "columns")
    theirs = {tuple(row[:2]): dict(zip(columns, row, strict=True)) for row in paper("rq1", "rows")}
    paper("rq1", "note")

    def each(routes: Here) -> str:
        return ", ".join(f"{route} {num(off['max_rel'])}" for route, off in routes.items())

    def theirs_of(row: Here, what: str) -> str:
        found = theirs.get((row["statistic"], row["distribution"]))
        return num(found[f"{what}_dev"]) if found else "–"

    rows = [
        at_most(
            f"{row['statistic']}, {row['distribution']}: largest relative deviation",
            theirs_of(row, "max_rel"),
            row["max_rel"],
            EXACT,
        )
        for row in here["rows"]
    ]
    worst = max(here["atoms"], key=lambda row: row["max_rel"])
    identity = paper("rq1", "atom_efficiency_k3_n_ge_3")
    rows.append(at_most("K = 3: Σ of the atoms' Φ against ν", identity, worst["max_rel"], EXACT))
    stable = here["stability"]
    lost, kept = paper("stability", "unshifted_rel_err"), paper("stability", "with_c_1e6")
    far = f"VAR_POP of {paper('stability', 'values')}"
    for what in ("N", "slides", "game"):
        paper("stability", what)
    rows += [
        at_most(
            f"{far}, {route}, no centre given",
            f"{num(kept)} with a centre given",
            stable[route],
            EXACT,
        )
        for route in ("SlidingWindow", "rolling")
    ]
    rows.append(Row(f"{far}, sums about zero", num(lost), num(stable["unshifted_running_sums"])))
    header = [
        "statistic",
        "values",
        "paper, absolute",
        "here, absolute",
        "paper, relative",
        "here, relative",
        "by route, relative",
        "oracles in doubles, relative",
    ]
    deviations = [
        [
            row["statistic"],
            row["distribution"],
            theirs_of(row, "max_abs"),
            num(row["max_abs"]),
            theirs_of(row, "max_rel"),
            num(row["max_rel"]),
            each(row["routes"]),
            each(row["oracles_in_doubles"]),
        ]
        for row in here["rows"]
    ]
    text = (
        f"{here['windows']:,} windows of each statistic ({paper('rq1', 'grid')} in the paper). "
        f"The oracle here is {here['oracle']}, so that all of a deviation is ours; relative ones "
        "are relative to max(max_i |φ_i|, |ν|) of the window (the paper does not state its "
        "denominator). The last column is what enumeration in doubles is off from the same "
        "rationals, and what a comparison with it would show: `enumerate_shapley` for the first "
        f"window of each cell, and all windows from the coalitions' sums of powers. Covariances "
        "and central moments are beyond the paper. N(10⁶, 1): windows of "
        f"{stable['size']:,} over {stable['slides']:,} slides, 51 of them against long double."
    )
    return Section("RQ1: exactness", rows, [text, table(header, deviations)])


def rq2(here: Here, paper: Paper) -> Section:
    """Latency."""
    rows = [row for of in here["rows"].values() for row in of]
    low, high = ([of[i] for of in here["rows"].values()] for i in (0, -1))
    slide = [row["sliding"]["median_us"] for row in rows]
    mine = paper("rq2", "incremental_us")
    scans = paper("rq2", "scan_us")
    sampled = paper("rq2", "mc100_ms")
    took = paper("rq2", "enumeration_s")
    enumerated = {row["N"]: row["seconds"] for row in here["enumeration"]}
    speedup = paper("rq2", "speedup_at_1e6")

    def of_both(found: list[Here], route: str) -> str:
        return to(*sorted(row[route]["median_us"] for row in found))

    def medians(route: str) -> list[list[float]]:
        return [[row[route]["median_us"] for row in of] for of in here["rows"].values()]

    def sampling(size: int) -> str:
        return to(*sorted(row["sampling_100_us"] / 1e3 for row in rows if row["N"] == size))

    largest = high[0]["N"]
    compared = [
        Row("SlidingWindow, µs a slide", to(*mine), to(min(slide), max(slide))),
        flat("SlidingWindow", num(mine[1] / mine[0]), medians("sliding")),
        flat("rolling", "–", medians("rolling")),
        *(
            at_least(f"{statistic}: scan over {name}, N = {largest:,}", said, of[-1][ratio], bar)
            for name, ratio, said, bar in (
                ("SlidingWindow", "scan_over_sliding", speedup, speedup),
                ("rolling", "scan_over_rolling", "–", 50_000),
            )
            for statistic, of in here["rows"].items()
        ),
        Row(f"scan, µs a window, N = {low[0]['N']:,}", num(scans["1e2"]), of_both(low, "scan")),
        Row(f"scan, µs a window, N = {largest:,}", num(scans["1e6"]), of_both(high, "scan")),
        Row("100 permutations, ms, N = 100", num(sampled["1e2"]), sampling(100)),
        Row("100 permutations, ms, N = 10,000", num(sampled["1e4"]), sampling(10_000)),
        Row(
            "enumeration, s, N = " + ", ".join(map(str, enumerated)),
            ", ".join(num(took[str(n)]) if str(n) in took else "–" for n in enumerated),
            ", ".join(map(num, enumerated.values())),
        ),
        at_most(
            "largest difference between the routes", "–", max(r["difference"] for r in rows), EXACT
        ),
    ]
    header = [
        "",
        "N",
        "SlidingWindow",
        "mean",
        "first use of a query",
        "rolling",
        "scan",
        "100 permutations",
        "scan / SlidingWindow",
        "scan / rolling",
    ]
    times = [
        [
            statistic,
            num(row["N"]),
            num(row["sliding"]["median_us"]),
            num(row["sliding"]["mean_us"]),
            num(row["first_use_us"]),
            num(row["rolling"]["median_us"]),
            num(row["scan"]["median_us"]),
            num(row["sampling_100_us"]),
            f"{num(row['scan_over_sliding'])}×",
            f"{num(row['scan_over_rolling'])}×",
        ]
        for statistic, of in here["rows"].items()
        for row in of
    ]
    said = (
        f"Selectivity {here['selectivity']}, {here['slides']:,} slides, one statistic attributed "
        "at each; microseconds of CPU time, medians of batches that take turns; a ratio is the "
        "median over the turns, and not the ratio of the medians. The first use of a query, which "
        "reads the whole window once, is not in the slides. "
        "`SlidingWindow` is plain Python and never subtracts: a NaN or a 10¹⁷ leaves no trace, "
        "which running sums cannot promise. `rolling` is for columns that are there as a "
        "whole. The scan sums each window again in NumPy, about zero. Enumeration is of AVG. "
        "The paper's figures are read as of one statistic a slide as well."
    )
    return Section("RQ2: latency against N", compared, [said, table(header, times)])


def rq3(here: Here, paper: Paper) -> Section:
    """Sampling."""
    theirs = paper("rq3", "at_M_3162")
    last = here["errors"]["avg"][-1]
    for what in ("N", "values", "runs", "error"):
        paper("rq3", what)
    compared = [
        Row(
            f"{statistic}: exponent of M",
            paper("rq3", "fit"),
            f"M^{num(fit['exponent'])}",
            "−0.5 ± 0.1",
            abs(fit["exponent"] + 0.5) <= 0.1,
        )
        for statistic, fit in here["fit"].items()
    ]
    compared += [
        Row(
            f"AVG: relative error, M = {last['M']:,}",
            percent(theirs["rel_error"]),
            percent(last["rel_error"]),
        ),
        Row(
            f"a window, s, M = {last['M']:,}",
            num(theirs["s_per_window"]),
            num(last["s_per_window"]),
        ),
        Row(
            "a slide of the exact answer, µs",
            num(paper("rq3", "incremental_us")),
            num(here["slide_us"]),
        ),
        Row(
            "sampling over the exact slide",
            f"{num(theirs['times_incremental'])}×",
            f"{num(last['times_slide'])}×",
        ),
    ]
    header = ["M", *(f"{s}: {what}" for s in here["errors"] for what in ("error", "ms"))]
    pairs = zip(*here["errors"].values(), strict=True)
    errors = [
        [
            num(row[0]["M"]),
            *(x for r in row for x in (percent(r["rel_error"]), num(r["s_per_window"] * 1e3))),
        ]
        for row in pairs
    ]
    text = (
        f"N = {here['N']:,}, {here['values']}, a group of {percent(here['selectivity'])}, "
        f"{here['runs']} runs; the error is |Φ̂ − Φ| / ν, its mean. The sampler walks a "
        "permutation in NumPy, which is why it costs less here than in the paper."
    )
    return Section("RQ3: sampling", compared, [text, table(header, errors)])


def rq4a(here: Here, paper: Paper) -> Section:
    """Predicates."""
    names = paper("rq4a", "columns")
    theirs = {row[0]: dict(zip(names, row, strict=True)) for row in paper("rq4a", "rows")}
    for what in ("N", "slides", "dimension_cardinality"):
        paper("rq4a", what)
    last = here["rows"][-1]
    at_64 = theirs[last["K"]]
    compared = [
        *(
            at_least(f"K = {last['K']}: loop over all atoms at once, {how}", "–", last[name], 10)
            for how, name in (
                ("from kept sums", "loop_query_over_kept"),
                ("from the rows", "loop_query_over_query"),
                ("from kept sums; loop for Φ alone", "loop_phi_over_kept"),
                ("from the rows; loop for Φ alone", "loop_phi_over_query"),
            )
        ),
        Row(
            f"K = {last['K']}: query of all atoms, µs, from kept sums; from the rows; loop",
            num(at_64["all_atom_query_us"]),
            "; ".join(num(last[name]["median_us"]) for name in ("kept", "query", "loop_query")),
        ),
        Row(
            f"K = {last['K']}: slide, µs",
            num(at_64["slide_us"]),
            f"{num(last['push']['median_us'])}; with a query {num(last['slide']['median_us'])}",
        ),
        at_most(
            "Σ of the atoms' Φ against ν", "–", max(r["efficiency"] for r in here["rows"]), EXACT
        ),
        at_most(
            "difference from one after another",
            "–",
            max(r["difference"] for r in here["rows"]),
            EXACT,
        ),
    ]
    header = [
        "K",
        "active atoms, paper",
        "here",
        "min(2^K, N)",
        "slide µs, paper",
        "push µs",
        "slide with a query µs",
        "loop's slide µs",
        "query µs, paper",
        "from kept sums",
        "from the rows",
        "loop's query µs",
    ]
    costs = [
        [
            num(row["K"]),
            num(t["active_atoms"]),
            num(row["active_atoms"]),
            num(row["min(2^K,N)"]),
            num(t["slide_us"]),
            *(num(row[name]["median_us"]) for name in ("push", "slide", "loop_slide")),
            num(t["all_atom_query_us"]),
            *(num(row[name]["median_us"]) for name in ("kept", "query", "loop_query")),
        ]
        for row in here["rows"]
        for t in [theirs[row["K"]]]
    ]
    text = (
        f"Equality predicates over dimensions of {here['dimension_cardinality']} values, "
        f"N = {here['N']:,}, {here['slides']:,} slides, AVG. The loop is the paper's structure in "
        "the same run: sums of each atom in a dict, added to and subtracted from, and one closed "
        "form after another; it gives members, Φ, share and lift, as `closed_form` does, or Φ "
        "alone, which is one sum of two products. All at once is one vectorised closed form: "
        "from kept sums of the atoms, as pane rows are (`closed_form`), or from the rows of the "
        "window at each query (`attribute_atoms`), as `SlidingWindow` keeps no sums that would "
        "need subtracting. "
        "Both have a fixed cost: for a few atoms, ask `attribute` for each."
    )
    return Section("RQ4a: predicates", compared, [text, table(header, costs)])


def rq4b(here: Here, paper: Paper) -> Section:
    """Throughput in process."""
    slid, at_once, peak, atoms = (here[x] for x in ("SlidingWindow", "Frames", "peak", "atoms"))
    theirs = paper("rq4b", "peak")
    for what in ("window", "emit", "predicates", "figure_from", "data"):
        paper("rq4b", what)
    phi = {query: num(value) for query, value in peak["phi"].items()}
    off = max(atoms[f"efficiency_{s}"]["max_rel"] for s in ("avg", "var_pop"))
    absolute = max(atoms[f"efficiency_{s}"]["max_abs"] for s in ("avg", "var_pop"))
    airport = theirs["airport"]
    compared = [
        Row("trips", num(paper("rq4b", "trips")), num(here["trips"])),
        Row("ticks", num(paper("rq4b", "ticks")), num(here["ticks"])),
        Row(
            "n of a window: least, mean, most",
            ", ".join(num(paper("rq4b", f"n_{x}")) for x in ("min", "mean", "max")),
            ", ".join(num(here["n"][x]) for x in ("min", "mean", "max")),
        ),
        at_most("Σ of the atoms' Φ against ν, relative", "–", off, EXACT),
        Row("the same, absolute", num(paper("rq4b", "efficiency_dev")), num(absolute)),
        Row(
            "most active atoms, of 8",
            num(paper("rq4b", "max_active_atoms")),
            num(atoms["max_active"]),
            "≤ 6",
            atoms["max_active"] <= 6,
        ),
        Row(
            "the month, s: SlidingWindow; Frames",
            num(paper("rq4b", "total_s")),
            f"{num(slid['total_s'])}; {num(at_once['total_s'])}",
        ),
        Row("of which updates, s", num(paper("rq4b", "update_s")), num(slid["update_s"])),
        Row("updates a second", num(paper("rq4b", "updates_per_s")), num(slid["updates_per_s"])),
        Row(
            "rows a second, all told: SlidingWindow; Frames",
            "–",
            f"{num(slid['rows_per_s'])}; {num(at_once['rows_per_s'])}",
        ),
        Row(
            "a tick, µs",
            num(paper("rq4b", "tick_us")),
            f"{num(slid['tick_us'])} for {slid['answers_a_tick']} answers",
        ),
        Row("of which coefficients, µs", num(paper("rq4b", "coefficient_us")), "from a table"),
        at_most("difference between the routes", "–", here["difference"], EXACT),
        Row("daytime average", num(paper("rq4b", "daytime_avg")), num(here["daytime_avg"])),
        Row(
            "peak: window, n, average",
            f"{theirs['window_end']}, {theirs['n']}, {theirs['avg']}",
            f"{peak['window_end']}, {num(peak['n'])}, {num(peak['avg'])}",
        ),
        Row(
            "peak, airport: m, mean, Φ",
            f"{airport['m']}, {airport['mean']}, {airport['phi']}",
            f"{num(peak['m']['airport'])}, {num(peak['airport']['mean'])}, {phi['airport']}",
        ),
        Row(
            "peak, airport: share + weight · lift, weight",
            f"{airport['share']} + {airport['weight_times_lift']}, {airport['weight']}",
            f"{num(peak['airport']['share'])} + {num(peak['airport']['weight_times_lift'])}, "
            f"{num(peak['airport']['weight'])}",
        ),
        Row(
            "peak, manhattan: m, Φ",
            f"{theirs['manhattan']['m']}, {theirs['manhattan']['phi']}",
            f"{num(peak['m']['manhattan'])}, {phi['manhattan']}",
        ),
        Row(
            "peak, airport and longtrip; airport, not longtrip: Φ",
            f"{theirs['airport_and_longtrip']}; {theirs['airport_not_longtrip']}",
            f"{phi['airport AND longtrip']}; {phi['airport AND NOT longtrip']}",
        ),
        Row(
            "peak, VAR_POP: other, manhattan, airport",
            ", ".join(num(theirs["var_pop"][x]) for x in ("other", "manhattan", "airport")),
            ", ".join(
                num(peak["var_pop"][x])
                for x in ("NOT (airport OR manhattan)", "manhattan", "airport")
            ),
        ),
    ]
    text = (
        f"{'A month made up' if here['data'] == 'synthetic' else 'The TLC month'} "
        "(`bench/trips.py`), windows (t − 1 h, t] every 5 minutes. Where the month is made up, "
        "its fares and counts are in the paper's shape and not its numbers. A tick of "
        "`SlidingWindow` brings six queries up to date with the trips of 5 minutes; the "
        "paper's does that with its updates."
    )
    return Section("RQ4b: a month of trips, in process", compared, [text])


def rq5(here: Here, paper: Paper) -> Section:
    """Semantics."""
    ranks, curve, players = here["rankings"], here["phi_vs_n"]["ends"], here["players"]
    theirs, differs = paper("rq5", "players"), paper("rq5", "top1_differs")
    paper("rq5", "groups")
    apart, case = ranks["top1_differs"], paper("rq5", "example")
    ours = ranks.get("example")
    compared = [
        Row(
            "Pearson of Φ and lift",
            num(paper("rq5", "pearson_phi_lift")),
            num(ranks["pearson_phi_lift"]),
        ),
        Row(
            "same ranking of the three groups",
            percent(paper("rq5", "full_ranking_agreement")),
            percent(ranks["full_ranking_agreement"]),
        ),
        Row(
            "another group on top: windows, part, median n",
            f"{differs['windows']}, {percent(differs['share'])}, {differs['median_n']}",
            f"{apart['windows']}, {percent(apart['share'])}, {num(apart['median_n'])}",
        ),
        Row(
            "of these, the group on top by Φ has the larger share",
            "–",
            percent(apart["share_driven"]),
        ),
        Row(
            "one of them: n, ν; on top by lift; by Φ",
            f"{case['n']}, {case['nu']}; airport, {case['airport_lift']}; "
            f"manhattan, {case['manhattan_phi']} (m = {case['manhattan_m']})",
            f"{num(ours['n'])}, {num(ours['nu'])}; {ours['by_lift']['group']}, "
            f"{num(ours['by_lift']['lift'])}; {ours['by_phi']['group']}, "
            f"{num(ours['by_phi']['phi'])} (m = {num(ours['by_phi']['m'])})"
            if ours
            else "none",
        ),
        Row(
            "Φ of the airports with the peak's mix, over the N that occur",
            to(*paper("rq5", "phi_vs_n_fixed_composition")),
            to(*curve),
        ),
        Row("players: Pearson with members", num(theirs["pearson"]), num(players["pearson"])),
        Row(
            "players: same group on top",
            percent(theirs["top1_agreement"]),
            percent(players["top1_agreement"]),
        ),
        Row(
            "players: mean |deviation|, of ν, largest",
            f"{theirs['mean_abs_dev']}, {theirs['mean_abs_dev_of_nu']}, {theirs['max_abs_dev']}",
            ", ".join(
                num(players[x]) for x in ("mean_abs_dev", "mean_abs_dev_of_nu", "max_abs_dev")
            ),
        ),
        Row(
            "players at the peak: airport, manhattan",
            f"{theirs['peak_airport']}, {theirs['peak_manhattan']}",
            f"{num(players['peak_airport'])}, {num(players['peak_manhattan'])}",
        ),
        Row(
            "players: µs a tick",
            num(theirs["us_per_tick"]),
            f"{num(players['us_per_tick'])} by `player_values` (with Banzhaf values and "
            f"interactions); {num(players['permutations_us_per_tick'])} by the 3! orders of all "
            "windows at once",
        ),
        at_most(
            "players: `player_values` against the 3! orders",
            theirs["groups_are"],
            players["difference_from_permutations"],
            EXACT,
        ),
    ]
    text = (
        f"Groups airport, manhattan and other, AVG, {here['windows']:,} windows of "
        f"{here['trips']:,} {here['data']} trips. The lift is m/N · (ȳ_P − ȳ)."
    )
    return Section("RQ5: what Φ means", compared, [text])


def peers(here: Here, paper: Paper) -> Section:
    """Peers."""
    cases = [(f"{row['predicates']} predicates, N = {row['N']:,}", row) for row in here["players"]]
    cases += [(f"{row['N']} tuples", row) for row in here["tuples"]]
    names = [
        name for name in ("shapwin", "shapiq", "dowhy", "duckdb") if name not in here["skipped"]
    ]
    worst = max(row[name]["difference"] for _, row in cases for name in names if name in row)
    header = ["players", *(f"{name}, ms" for name in names), *(f"{x} / shapwin" for x in names[1:])]
    rows = [
        [
            case,
            *(num(row[x]["ms"]) if x in row else "–" for x in names),
            *(f"{num(row[x]['times_shapwin'])}×" if x in row else "–" for x in names[1:]),
        ]
        for case, row in cases
    ]
    text = (
        "The same AVG game of the same rows in the same run, all exact, one thread, CPU time. "
        "Below 1× the peer is faster: with few players and rows the fixed cost of "
        "`player_values` tells, which gives Banzhaf values and interactions as well."
    )
    if here["skipped"]:
        text += f" Skipped, not installed: {', '.join(here['skipped'])}."
    alone = here["shapwin_alone"]
    off = max(row["efficiency"] for row in alone)
    compared = [
        at_most("largest difference from shapwin, relative", "–", worst, EXACT),
        at_most("shapwin alone: Σ of the players' values against ν", "–", off, EXACT),
    ]
    sizes = [
        [*(num(row[x]) for x in ("predicates", "atoms", "avg_s", "var_pop_s"))] for row in alone
    ]
    more = table(["shapwin alone: predicates", "atoms", "AVG, s", "VAR_POP, s"], sizes)
    return Section("Peers", compared, [text, table(header, rows), more])


SECTIONS: dict[str, Callable[[Here, Paper], Section]] = {
    "rq1": rq1,
    "rq1_spark": rq1_spark,
    "rq2": rq2,
    "rq2_spark": rq2_spark,
    "rq3": rq3,
    "rq4a": rq4a,
    "rq4b": rq4b,
    "rq4b_spark": rq4b_spark,
    "flights": flights,
    "rq5": rq5,
    "peers": peers,
    "peers_spark": peers_spark,
    "scale": scale,
}


# ---- the page --------------------------------------------------------------------------------


def write(output: Path, paper: Paper | None = None) -> Path:
    """Write the page and its figures, and return where it is."""
    paper = paper or Paper()
    folder = output / "results"
    found = {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in SECTIONS
        if (folder / f"{name}.json").exists()
    }
    sections = {name: section_of(name, result, paper) for name, result in found.items()}
    parts = [head(found, paper), bars(sections)]
    for name in SECTIONS:
        if name in sections:
            picture = figures.draw(name, found[name]["figures"], folder)
            parts += [body(sections[name], found[name], picture)]
        else:
            parts += [f"## {name}\n\nNot run: `python bench/run.py {name}`."]
    page = output / "README.md"
    page.write_text("\n\n".join(parts) + "\n")
    return page


def section_of(name: str, result: dict[str, Any], paper: Paper) -> Section:
    """The section of a result; quick ones leave open whether bars of speed are met."""
    section = SECTIONS[name](result["figures"], paper)
    if not result["quick"]:
        return section
    rows = [row._replace(met=None) if row.speed else row for row in section.rows]
    return section._replace(rows=rows)


def head(found: dict[str, Any], paper: Paper) -> str:
    quick = any(result["quick"] for result in found.values())
    said = [
        "# The paper's experiments on this implementation",
        "Made by `python bench/run.py`, which runs every experiment and writes "
        "`results/*.json`, the figures and this page; `--quick` runs them small, elsewhere; "
        "`python bench/report.py` writes the page alone.",
    ]
    if quick:
        said.append("**A quick run: small sizes, whose times mean little.**")
    machines = {json.dumps(result["machine"]): result["machine"] for result in found.values()}
    for machine in machines.values():
        said.append(
            f"Machine: {machine['cpu']}, {machine['cores']} cores, "
            f"{machine['memory_gb']} GB, {machine['system']}; the paper's: "
            f"{paper('setup', 'machine')}. Times are CPU time, of Spark's wall clock, on a machine "
            "that others use as well: ratios within one run count, absolute times are context."
        )
    return "\n\n".join(said)


def bars(sections: dict[str, Section]) -> str:
    rows = [
        (section.title, row)
        for section in sections.values()
        for row in section.rows
        if row.met is not None
    ]
    missed = [[title, row.what, row.here, row.bar] for title, row in rows if not row.met]
    text = (
        f"{len(rows) - len(missed)} of {len(rows)} bars are met. Other figures have no bar: the "
        "tables below show them beside the paper's and the peers', also where those are better."
    )
    if not missed:
        return f"## Bars\n\n{text}"
    return f"## Bars\n\n{text}\n\nMissed:\n\n" + table(["", "figure", "here", "bar"], missed)


def body(section: Section, result: dict[str, Any], picture: Path | None) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    parts = [
        f"## {section.title}",
        section.more[0],
        table(
            ["figure", "paper", "here", "bar", "met"],
            [
                [
                    row.what,
                    row.paper,
                    row.here,
                    row.bar,
                    "" if row.met is None else "yes" if row.met else "**no**",
                ]
                for row in section.rows
            ],
        ),
    ]
    parts += section.more[1:]
    if picture:
        parts.append(f"![{section.title}](results/{picture.name})")
    parts.append(
        f"`{result['command']}`, {result['date']}, {num(result['seconds'])} s; {versions}."
    )
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(write(parsed(parser((__doc__ or "").splitlines()[0], []), []).output))
