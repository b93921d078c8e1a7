-- Φ of COVAR_POP (Khani & Assent, Remark 1) from window-merged sums about common centres.
CREATE OR REPLACE TEMPORARY FUNCTION shapley_covar_pop_from_sums(n DOUBLE, a DOUBLE, a2 DOUBLE, ab DOUBLE, m DOUBLE, a_p DOUBLE, a2_p DOUBLE, ab_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of COVAR_POP to a group of m of the n tuples; a, a2, ab are sums of (y - c), (x - c2), (y - c)(x - c2) over all, a_p, a2_p, ab_p over the group.'
RETURN _phi(n, m, _share_covar_pop(n, a, a2, m, a_p, a2_p, ab_p),
    _lift(n, m, _share_covar_pop(n, a, a2, m, a_p, a2_p, ab_p),
        _share_covar_pop(n, a, a2, n, a, a2, ab)),
    _weight_var_pop(n));
