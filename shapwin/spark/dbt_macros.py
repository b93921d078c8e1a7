"""What the dbt package takes from elsewhere, as text: ``sql/macros/generated.sql`` is made here.

dbt models may be persistent views, which refuse temporary functions, so the macros need expressions
themselves: the closed forms that Column functions evaluate, and the sums that `shapwin.panes`
makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..exact_sums import PARTS, SIZES, pairs
from ..moment_games import CENTRAL_MOMENTS
from .exact_sums import aggregates, cuts
from .splits import SPLITS, WHOLE_WINDOW
from .sql_functions import (
    NEEDS,
    explanation_of_aggregates,
    expression,
    inlined,
    phi_of_aggregates,
)

_HEAD = """\
{# Made by `python -m shapwin.spark.dbt_macros`, mostly from sql/functions. #}
"""
_FORMS = """\
Of each statistic: the sums that it needs; Φ, and Φ with all its parts, over a struct s of
aggregates; and, over columns of sums, the value, share and weight of a row of the long table, and
its lift."""
_PANES = """\
Of one column, _y, and of two, _y and _x: three steps that cut values into parts, the sums of parts,
their means, _c and _d, the same three steps for those, and what the sums are about the means. See
shapwin/exact_sums.py."""

# What the mean of each column is called.
_MEANS = {"y": "c", "x": "d"}


def macros() -> str:
    """Return the file: macros without arguments that return texts."""
    forms = {statistic: _forms(statistic) for statistic in SPLITS}
    panes = {letters: _pane_sums(letters) for letters in ("y", "yx")}
    statistics = [*SPLITS, *CENTRAL_MOMENTS]
    return "\n".join(
        (
            _HEAD,
            _macro("_closed_forms", forms, _FORMS),
            _macro("_phi", expression("_phi"), "Φ of a row of the long table."),
            _macro("_statistics", statistics, "The statistics that a long table may have."),
            _macro("_pane_sums", panes, _PANES),
        )
    )


def _macro(name: str, value: Any, comment: str) -> str:
    """A macro that returns a value; JSON is also an expression of Jinja."""
    text = json.dumps(value, indent=1)
    return (
        f"{{# {comment} #}}\n{{% macro {name}() %}}\n{{% do return({text}) %}}\n{{% endmacro %}}\n"
    )


def _forms(statistic: str) -> dict[str, Any]:
    return {
        "needs": NEEDS[statistic],
        "phi": phi_of_aggregates(statistic, None),
        "explanation": explanation_of_aggregates(statistic, None),
        "split": _split(statistic),
        "lift": inlined(SPLITS[statistic].lift),
    }


def _split(statistic: str) -> str:
    split = SPLITS[statistic]
    parts = {
        "value": f"CAST({inlined(split.share, **WHOLE_WINDOW)} AS DOUBLE)",
        "share": f"CAST({inlined(split.share)} AS DOUBLE)",
        "weight": inlined(split.weight),
    }
    columns = ", ".join(f"'{name}', {sql}" for name, sql in parts.items())
    return f"named_struct('statistic', '{statistic}', {columns})"


def _pane_sums(letters: str) -> dict[str, Any]:
    summary = {"m": "_m", "a": _first("y"), "b": _squares(), "center": _center("y")}
    if letters == "yx":
        ab = f"if(_y_odd IS NULL AND _x_odd IS NULL, {_products('x')}, double('NaN'))"
        summary |= {"a2": _first("x"), "ab": ab, "center2": _center("x")}
    return {
        "cuts": cuts(letters),
        "aggregates": aggregates(letters),
        "means": [_mean(v) for v in letters],
        "cuts_of_means": cuts("".join(_MEANS[v] for v in letters)),
        "summary": summary,
    }


# ---- `shapwin.exact_sums.summary`, in SQL ------------------------------------------------------


def _mean(v: str) -> str:
    mean = " + ".join(f"_{v}{part} / _m" for part in PARTS)
    return f"if(abs({mean}) < double('Infinity'), {mean}, 0D) _{_MEANS[v]}"


def _center(v: str) -> str:
    """The mean again, of whose parts each sum is exact."""
    return " + ".join(f"_{_MEANS[v]}{part}" for part in PARTS)


def _first(v: str) -> str:
    rests = (f"_{v}{part} - _m * _{_MEANS[v]}{part}" for part in PARTS)
    return f"{_accurate_sum(rests)} + coalesce(_{v}_odd, 0D)"


def _squares() -> str:
    return (
        "CASE WHEN _y_odd IS NOT NULL THEN abs(_y_odd) + double('Infinity') "
        f"WHEN abs(_yy2) < double('Infinity') THEN greatest({_products('y')}, 0D) ELSE _yy2 END"
    )


def _products(v: str) -> str:
    d = _MEANS[v]
    terms = (
        f"_y{v}{size}"
        + "".join(
            f" - _c{i} * _{v}{j} - _{d}{j} * _y{i} + _m * _c{i} * _{d}{j}" for i, j in pairs(size)
        )
        for size in SIZES
    )
    return _accurate_sum(terms)


def _accurate_sum(terms: Iterable[str]) -> str:
    return (
        f"aggregate(array({', '.join(terms)}), named_struct('total', 0D, 'lost', 0D), (z, term) -> "
        "named_struct('total', z.total + term, 'lost', z.lost"
        " + ((z.total - ((z.total + term) - ((z.total + term) - z.total)))"
        " + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost)"
    )


if __name__ == "__main__":
    print(macros(), end="")
