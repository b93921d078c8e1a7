-- share = Σ_P (y−ȳ)²/N.
CREATE OR REPLACE TEMPORARY FUNCTION _share_var_pop(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in VAR_POP.'
RETURN _squares(n, a, m, a_p, b_p) / n;
