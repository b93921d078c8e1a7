"""The report's sections of what runs on Spark, which the paper's prototype does not."""

from __future__ import annotations

from tables import EXACT, Here, Paper, Row, Section, at_most, flat, num, table

WALL_CLOCK = "Wall clock, on {} of the machine's cores (`local[{}]`), medians"


def rq1_spark(here: Here, paper: Paper) -> Section:
    """Exactness."""
    theirs = {tuple(row[:2]): row[-1] for row in paper("rq1", "rows")}

    def paper_of(row: Here) -> str:
        found = theirs.get((row["statistic"], row["distribution"]))
        return "–" if found is None else num(found)

    def relative(off: Here | None) -> str:
        return "–" if off is None else num(off["max_rel"])

    rows = [
        at_most(
            f"{row['statistic']}, {row['distribution']}: largest relative deviation",
            paper_of(row),
            row["max_rel"],
            EXACT,
        )
        for row in here["rows"]
    ]
    routes = [*here["rows"][0]["routes"]]
    deviations = [
        [
            row["statistic"],
            row["distribution"],
            num(row["max_abs"]),
            *(relative(row["routes"].get(route)) for route in routes),
            relative(row["apart"]),
        ]
        for row in here["rows"]
    ]
    header = ["statistic", "values", "largest, absolute", *routes, here["apart"]]
    text = (
        f"{here['windows']:,} windows of RQ1's grid through Spark, against {here['oracle']}; the "
        "paper's figures are those of its own process. `shapley_…` OVER are the arrow UDAFs and "
        "the Column functions are native, both over ROWS frames. `…_from_sums` are the SQL "
        "functions of native sums about each window's first value. `explain` has each window in "
        "one pane, or slides by a row over panes of one row each. The last column is what the "
        "same SQL functions lose of native sums about zero, which the documentation warns of. "
        "Central moments are measured of the UDAFs alone."
    )
    return Section("RQ1 on Spark: exactness", rows, [text, table(header, deviations)])


def rq2_spark(here: Here, _paper: Paper) -> Section:
    """Latency."""
    first, last = here["rows"][0], here["rows"][-1]
    udaf, routes = here["udaf"], [*first["us_a_row"]]
    others = [route for route in routes if route != udaf]
    compared = [
        flat(udaf, "–", [[row["us_a_row"][udaf] for row in here["rows"]]]),
        *(
            Row(
                f"{udaf} to {route} at N = {row['N']:,}",
                "–",
                f"{num(row['udaf_over'][route])}×",
            )
            for row in (first, last)
            for route in others
        ),
        at_most(f"{udaf} and {here['column']}, difference", "–", here["difference"], EXACT),
    ]
    header = [
        "N",
        "rows of a frame, mean",
        *(f"{route}, µs a row" for route in routes),
        *(f"{udaf} / {route}" for route in others),
    ]
    times = [
        [
            num(row["N"]),
            num(row["mean_frame"]),
            *(num(row["us_a_row"][route]) for route in routes),
            *(f"{num(row['udaf_over'][route])}×" for route in others),
        ]
        for row in here["rows"]
    ]
    text = (
        f"{WALL_CLOCK.format(here['cores'], here['cores'])} of {here['repeats']} repeats in which "
        f"the routes take turns, {here['own']} once, as it takes minutes; a ratio is the median "
        "over the repeats, and not the ratio of the medians. One cached table of "
        f"{here['count']:,} rows, all in one partition, every row's result computed and thrown "
        "away. The first N − 1 rows have shorter frames, which favours what reads the whole "
        "frame. `constant UDAF` returns 1 whatever it is given: what Spark takes to call Python "
        "once a row. `spark.sql.window.segmentTree.enabled` is off by default: Spark then sums "
        f"every frame again. {here['column']} is timed with it on."
    )
    return Section("RQ2 on Spark: latency against N", compared, [text, table(header, times)])


def peers_spark(here: Here, _paper: Paper) -> Section:
    """Peers."""
    names = ["shapwin", "spark", *({"duckdb"} - {*here["skipped"]})]
    windows = [
        [
            f"{row['predicates']} predicates, N = {row['N']:,}",
            num(2 ** (row["predicates"] + 1) - 1),
            *(num(row[name]["ms"]) for name in names),
            *(f"{num(row[name]['times_shapwin'])}×" for name in names[1:]),
        ]
        for row in here["players"]
    ]
    slid = here["sliding"]
    works = {
        "players": "predicates as players, AVG; Spark's AVG … FILTER of 15 coalitions",
        "members": "their members, AVG and VAR_POP; Spark's own, nothing explained",
    }
    cases = [
        [
            works[row["work"]],
            num(row["shapwin_s"]),
            num(row["spark_s"]),
            f"{num(row['spark_over_shapwin'])}×",
        ]
        for row in slid["cases"]
    ]
    apart = max(row[name]["difference"] for row in here["players"] for name in names)
    compared = [
        at_most("one window: largest difference from shapwin, relative", "–", apart, EXACT),
        *(
            at_most(f"sliding windows, {row['work']}: the same", "–", row["difference"], EXACT)
            for row in slid["cases"]
        ),
    ]
    text = (
        f"{WALL_CLOCK.format(here['cores'], here['cores'])}, planning included, rows cached. One "
        'window: `explain(…, semantics="players")` against AVG … FILTER of every coalition in one '
        "Spark query, and in DuckDB on one thread. These average each row into every coalition "
        "that holds it; `explain` sums rows by atom, and a Python worker solves many windows at "
        "once. Below 1× the peer is faster: of one window, what `explain` costs is its fixed cost."
    )
    if here["skipped"]:
        text += f" Skipped, not installed: {', '.join(here['skipped'])}."
    sliding = (
        f"Sliding windows of 1 hour every 5 minutes, {slid['windows']:,} of them over "
        f"{slid['rows']:,} rows, by three predicates:"
    )
    header = [
        "one window",
        "coalitions",
        *(f"{name}, ms" for name in names),
        *(f"{name} / shapwin" for name in names[1:]),
    ]
    more = [
        table(header, windows),
        sliding,
        table(["work", "shapwin, s", "spark, s", "spark / shapwin"], cases),
    ]
    return Section("Peers on Spark", compared, [text, *more])
