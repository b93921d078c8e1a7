"""How each statistic splits into share and lift: calls of sql/functions over columns of sums.

The columns have the names that the parameters of sql/functions have: n, a, b … of the window and
m, a_p, b_p … of the group; s and s_p are the plain sums Σ y.
"""

from __future__ import annotations

from typing import NamedTuple


class Split(NamedTuple):
    """The calls of one statistic."""

    share: str
    lift: str
    weight: str


SPLITS = {
    "sum": Split("s_p", "_lift_sum(n, a, m, a_p)", "0D"),
    "count": Split("m", "0D", "0D"),
    "avg": Split("_share_avg(n, m, a_p, center)", "_lift_avg(n, a, m, a_p)", "_weight_avg(n)"),
    "var_pop": Split(
        "_share_var_pop(n, a, m, a_p, b_p)", "_lift(n, m, share, value)", "_weight_var_pop(n)"
    ),
    "var_samp": Split(
        "_share_var_samp(n, a, m, a_p, b_p)", "_lift(n, m, share, value)", "_weight_var_samp(n)"
    ),
    "covar_pop": Split(
        "_share_covar_pop(n, a, a2, m, a_p, a2_p, ab_p)",
        "_lift(n, m, share, value)",
        "_weight_var_pop(n)",
    ),
    "covar_samp": Split(
        "_share_covar_samp(n, a, a2, m, a_p, a2_p, ab_p)",
        "_lift(n, m, share, value)",
        "_weight_var_samp(n)",
    ),
}
# ν(W) is the share of the group that is the whole window.
WHOLE_WINDOW = {"m": "n", "s_p": "s", "a_p": "a", "b_p": "b", "a2_p": "a2", "ab_p": "ab"}
