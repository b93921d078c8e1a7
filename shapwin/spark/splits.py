"""How each statistic splits into share and lift: calls of sql/functions over columns of sums.

The columns have the names that the parameters of sql/functions have: n, a, b … of the window and
m, a_p, b_p … of the group; s and s_p are the plain sums Σ y.
"""

from __future__ import annotations

from typing import NamedTuple


class Split(NamedTuple):
    """The calls of one statistic.

    Parameters
    ----------
    share, lift, weight : str
        The parts of Φ; there is no weight where there is a rest.
    value : str, optional
        ν(W), where it is not the share of the whole window.
    rest : str, optional
        Φ − share, where that is not weight · lift but a sum over powers (Theorem 1).
    """

    share: str
    lift: str
    weight: str = ""
    value: str = ""
    rest: str = ""


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

# Central moments, of which only Column functions have a native form. d is how far the group's mean
# is from the window's, own2 … are sums about the group's own; r, k … stand in `sql_functions`. Two
# values have no third moment, whatever rounding leaves of it.
MOMENT_SPLITS = {
    "central_moment(2)": Split(
        "_share_central2(b, m, d, own2)",
        "_lift_central(r, m, share, value)",
        value="b",
        rest="_rest_central2(n, k, lift)",
    ),
    "central_moment(3)": Split(
        "_share_central3(b, m, d, own2, own3)",
        "_lift_central(r, m, share, value)",
        value="IF(n > 2D, third, 0D * b)",
        rest="_rest_central3(n, x, lift, b * a_p)",
    ),
    "central_moment(4)": Split(
        "_share_central4(b, m, d, own2, own3, own4)",
        "_lift_central(r, m, share, value)",
        value="fourth",
        rest="_rest_central4(n, k, k2, k3, lift, q, t)",
    ),
}
