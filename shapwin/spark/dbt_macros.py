"""The closed forms as a macro of the dbt package: ``sql/macros/closed_forms.sql`` is made here.

dbt models may be persistent views, which refuse temporary functions, so the macros need the
expressions themselves: those that Column functions and the long table evaluate.
"""

from __future__ import annotations

import json
from typing import Any

from ..moment_games import CENTRAL_MOMENTS
from .long_table import lift_of, split_of
from .sql_functions import NEEDS, explanation_of_aggregates, expression, phi_of_aggregates

_HEAD = """\
{# Made from sql/functions by `python -m shapwin.spark.dbt_macros`. Of each statistic: the sums that
it needs; Φ, and Φ with all its parts, over a struct s of aggregates; and, over columns of sums, the
value, share and weight of a row of the long table, and its lift. #}
"""


def macros() -> str:
    """Return the file: one macro, which returns every closed form by statistic."""
    forms = {statistic: _forms(statistic) for statistic in NEEDS}
    return f"{_HEAD}{_macro('_closed_forms', forms)}{_macro('_phi', expression('_phi'))}" + _macro(
        "_statistics", [*NEEDS, *CENTRAL_MOMENTS]
    )


def _forms(statistic: str) -> dict[str, Any]:
    return {
        "needs": NEEDS[statistic],
        "phi": phi_of_aggregates(statistic, "0", None),
        "explanation": explanation_of_aggregates(statistic, "0", None),
        "split": split_of(statistic),
        "lift": lift_of(statistic),
    }


def _macro(name: str, value: Any) -> str:
    """A macro without arguments that returns a value; JSON is also an expression of Jinja."""
    text = json.dumps(value, indent=1)
    return f"\n{{% macro {name}() %}}\n{{% do return({text}) %}}\n{{% endmacro %}}\n"


if __name__ == "__main__":
    print(macros(), end="")
