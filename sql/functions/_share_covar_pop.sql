-- share = Σ_P (y−ȳ)(x−x̄)/N.
CREATE OR REPLACE TEMPORARY FUNCTION _share_covar_pop(n DOUBLE, a DOUBLE, a2 DOUBLE, m DOUBLE, a_p DOUBLE, a2_p DOUBLE, ab_p DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in COVAR_POP.'
RETURN _products(n, a, a2, m, a_p, a2_p, ab_p) / n;
