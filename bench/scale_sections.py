"""Sections of the report: whole data sets on Spark, and what they cost as they grow."""

from __future__ import annotations

from tables import EXACT, Here, Paper, Row, Section, at_most, num, percent, table

STATISTICS = ("avg", "var_pop")
PREDICTED = 0.25  # how far the model may be off at the largest input


def rq4b_spark(here: Here, paper: Paper) -> Section:
    """A month of trips on Spark."""
    theirs, peak = paper("rq4b", "peak"), here["peak"]
    phi, spread = ({q: num(x) for q, x in peak[what].items()} for what in ("phi", "var_pop"))
    other = "NOT (airport OR manhattan)"
    drilled = ("airport AND longtrip", "airport AND NOT longtrip")
    compared = [
        Row("trips", num(paper("rq4b", "trips")), num(here["trips"])),
        *throughput(here, num(paper("rq4b", "updates_per_s"))),
        *exactness(here, paper),
        Row(
            "most active atoms, of 8",
            num(paper("rq4b", "max_active_atoms")),
            num(here["atoms"]["max_active"]),
            "≤ 6",
            here["atoms"]["max_active"] <= 6,
        ),
        Row(
            "peak: window, n, average",
            f"{theirs['window_end']}, {theirs['n']}, {theirs['avg']}",
            f"{peak['window_end']}, {num(peak['n'])}, {num(peak['avg'])}",
        ),
        Row(
            "peak: Φ of airport, manhattan, other",
            f"{theirs['airport']['phi']}, {theirs['manhattan']['phi']}, –",
            ", ".join(phi[q] for q in ("airport", "manhattan", other)),
        ),
        Row(
            "drilled down, airport and longtrip; airport, not longtrip: Φ",
            f"{theirs['airport_and_longtrip']}; {theirs['airport_not_longtrip']}",
            "; ".join(phi[q] for q in drilled),
        ),
        Row(
            "peak, VAR_POP: other, manhattan, airport",
            ", ".join(num(theirs["var_pop"][x]) for x in ("other", "manhattan", "airport")),
            ", ".join(spread[q] for q in (other, "manhattan", "airport")),
        ),
        Row(
            "drilled down, VAR_POP: airport and longtrip; airport, not longtrip",
            "–",
            "; ".join(spread[q] for q in drilled),
        ),
    ]
    text = (
        f"The {'month made up' if here['data'] == 'synthetic' else 'TLC month'} of the section "
        "before, as a Parquet file that Spark reads each time: `shapwin.explain` of six queries, "
        f"AVG and VAR_POP. {clock(here)}"
    )
    return Section("RQ4b on Spark: a month of trips", compared, [text])


def flights(here: Here, paper: Paper) -> Section:
    """The sample that ships with shapwin."""
    peak = here["peak"]
    compared = [
        Row("flights", "–", num(here["flights"])),
        Row("windows with flights", "–", num(here["windows"])),
        *throughput(here, "–"),
        Row("rows a second in process, by Frames", "–", num(here["Frames"]["rows_per_s"])),
        *exactness(here, None),
        Row("most active atoms, of 8", "–", num(here["atoms"]["max_active"])),
        Row(
            "the most striking window: end, n, average delay; usual",
            "–",
            f"{peak['window_end']}, {num(peak['n'])}, {num(peak['value'])}; {num(peak['usual'])}",
        ),
    ]
    header = ["", "m", "AVG: Φ", "share", "lift", "VAR_POP: Φ"]
    rows = [
        [
            query,
            num(avg["m"]),
            *(num(avg[x]) for x in ("phi", "share", "lift")),
            num(peak[of]["var_pop"][query]["phi"]),
        ]
        for of in ("predicates", "combined")
        for query, avg in peak[of]["avg"].items()
    ]
    text = (
        "The same questions of the departures from New York in February 2013 that ship with "
        "shapwin, by the predicates of `shapwin demo`: the delay of an hour, every 5 minutes. "
        f"{clock(here)} So few rows measure what a call costs whatever it reads. The most "
        "striking window is `shapwin explain`'s; below are its predicates, and the strongest "
        "of them drilled down into."
    )
    return Section("The same of the flights that ship", compared, [text, table(header, rows)])


def throughput(here: Here, theirs: str) -> list[Row]:
    return [
        Row("rows a second: explain", theirs, num(here["rows_per_s"])),
        Row("rows a second: Spark's own, nothing explained", "–", num(here["spark_rows_per_s"])),
        Row("time of explain over Spark's own", "–", f"{num(here['explain_over_spark'])}×"),
    ]


def exactness(here: Here, paper: Paper | None) -> list[Row]:
    off = {s: here["atoms"][f"efficiency_{s}"] for s in STATISTICS}
    theirs = num(paper("rq4b", "efficiency_dev")) if paper else "–"
    return [
        *(
            at_most(f"Σ of the atoms' Φ against ν, {s}, relative", "–", off[s]["max_rel"], EXACT)
            for s in STATISTICS
        ),
        Row(
            "the same, absolute: " + ", ".join(STATISTICS),
            theirs,
            ", ".join(num(off[s]["max_abs"]) for s in STATISTICS),
        ),
        at_most("largest difference of Φ from Frames", "–", here["difference"], EXACT),
    ]


def clock(here: Here) -> str:
    return (
        f"Times are wall clock on {here['cores']} cores, the median of {here['repeats']} after "
        "one that starts workers and compiles; Spark's own sliding `avg` and `var_pop`, "
        "which explain nothing, take turns with it."
    )


def scale(here: Here, paper: Paper) -> Section:
    """What it costs as the input grows."""
    masters = here["masters"]
    largest = {master: of["runs"][-1] for master, of in masters.items()}
    compared = [
        Row(
            f"{master}: {num(here['largest'])} rows, s; the model's; off by",
            "–",
            f"{num(run['seconds'])}; {num(run['model'])}; "
            f"{percent(masters[master]['off']['largest'])}",
            f"≤ {percent(PREDICTED)}",
            masters[master]["off"]["largest"] <= PREDICTED,
            speed=True,
        )
        for master, run in largest.items()
    ]
    compared += [
        Row(
            f"{master}: largest Python worker, MB, before and after that",
            "–",
            f"{num(max(run['worker_megabytes'] for run in of['runs'][:-1]))}, "
            f"{num(largest[master]['worker_megabytes'])}",
        )
        for master, of in masters.items()
    ]
    terms = [*next(iter(masters.values()))["coefficients"]]
    model = [
        [
            master,
            f"{of['coefficients']['fixed']:.2g} s",
            *(f"{of['coefficients'][term] * 1e6:.2g}" for term in terms[1:]),
            f"{of['reading_s_per_row'] * 1e6:.2g}",
            f"{percent(of['off']['median'])}, {percent(of['off']['max'])}",
        ]
        for master, of in masters.items()
    ]
    names = [
        "a row",
        "a row with a key",
        "a pane row",
        "a window's sums of a query",
        "a result row",
    ]
    header = ["µs, wall clock", "a call", *names, "reading a row", "off: median, most"]
    parts = [table(header, model), measured(masters), far(masters)]
    text = (
        f"{num(min(run['rows'] for run in first_of(masters)['runs']))} to {num(here['largest'])} "
        "rows of a month, made by Spark and read from Parquet, 1 to 100,000 keys; three "
        f"predicates. Wall clock, the median of {here['repeats']}, each master in a process of "
        "its own. The model adds up what a call, rows, pane rows, window sums and result rows "
        "cost, with no negative cost and the least squares of relative errors over all runs but "
        "the largest, which it has to predict. Rows without a key are summed by Spark, rows "
        "with one in Python workers. Reading is Spark's alone, of the columns that are needed, "
        "and is part of what a row costs. How many pane rows, sums and result rows there are is "
        "computed from the question, not counted. A cost of 0 is one that these runs do not tell "
        "from others that grow along with it, and not nothing: 12 queries do take longer than one. "
        "The largest run, which the model predicts, has no keys; with keys the largest is among "
        "those that it is fitted on, so trust it less there. Workers' memory is of the runs before "
        "the largest, and after it."
    )
    return Section("Scale", compared, [text, *parts])


def first_of(masters: Here) -> Here:
    return next(iter(masters.values()))


def measured(masters: Here) -> str:
    """Every run, and the model's seconds in brackets."""
    header = [
        "rows",
        "keys",
        "window",
        "every",
        "queries",
        "statistics",
        "pane rows",
        "result rows",
    ]
    rows = [
        [
            *(num(run[x]) for x in ("rows", "keys")),
            *(f"{num(run[x])} s" for x in ("window", "every")),
            *(num(run[x]) for x in ("queries", "statistics")),
            *(num(round(run[x])) for x in ("pane_rows", "result_rows")),
            *(
                f"{num(of['runs'][i]['seconds'])} ({num(of['runs'][i]['model'])})"
                for of in masters.values()
            ),
        ]
        for i, run in enumerate(first_of(masters)["runs"])
    ]
    return table([*header, *(f"{master}, s (model)" for master in masters)], rows)


def far(masters: Here) -> str:
    """What the model says of far more rows on far more cores."""
    rows = [
        [
            master,
            num(of["keys"]),
            *(num(of[x]) for x in ("seconds", "of_rows", "of_reading")),
        ]
        for master, model in masters.items()
        for of in model["far"]
    ]
    asked = first_of(masters)["far"][0]
    header = ["fitted on", "keys", "s", "of which rows", "of which reading"]
    text = (
        f"What it says of {num(asked['rows'])} rows of a month on {num(asked['cores'])} cores, an "
        "hour every 5 minutes, avg and var_pop of three queries: rows are spread evenly over the "
        "cores, each as fast as a core here and reading as fast; with keys, so are pane rows, "
        "windows and results, and without keys they cost what they cost here, for there are "
        "no more of them. It leaves out what only a cluster has: a network, stragglers, the "
        "scheduling of a task for every 128 MB. Rows come in order of time, so that a task has "
        "few panes; in no order each task would pass on a row for each of all panes."
    )
    return f"{text}\n\n{table(header, rows)}"
