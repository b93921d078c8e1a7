-- share = Σ_P (y−ȳ)²/(N−1).
CREATE OR REPLACE TEMPORARY FUNCTION _share_var_samp(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in VAR_SAMP.'
RETURN _squares(n, a, m, a_p, b_p) / greatest(n - 1D, 1D);
