-- Φ of VAR_SAMP (Khani & Assent, Proposition 2) from window-merged sums about one common centre.
CREATE OR REPLACE TEMPORARY FUNCTION shapley_var_samp_from_sums(n DOUBLE, a DOUBLE, b DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of VAR_SAMP to a group of m of the n tuples; a, b are sums of (y - c) and (y - c)² over all, a_p, b_p over the group.'
RETURN _phi(n, m, _share_var_samp(n, a, m, a_p, b_p),
    _lift(n, m, _share_var_samp(n, a, m, a_p, b_p), _share_var_samp(n, a, n, a, b)),
    _weight_var_samp(n));
