-- w(N) = (N(H−2)+1)/(N−2), and 0 for N <= 2.
CREATE OR REPLACE TEMPORARY FUNCTION _weight_var_samp(n DOUBLE)
RETURNS DOUBLE
COMMENT 'w(N) of VAR_SAMP and COVAR_SAMP.'
RETURN CASE WHEN n > 2D THEN (n * (shapley_harmonic(n) - 2D) + 1D) / (n - 2D) ELSE 0D END;
