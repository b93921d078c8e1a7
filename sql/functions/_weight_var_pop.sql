-- w(N) = (N·g − (N−1))/(N−2) with g = N(H−H2)/(N−1), and 0 for N <= 2.
CREATE OR REPLACE TEMPORARY FUNCTION _weight_var_pop(n DOUBLE)
RETURNS DOUBLE
COMMENT 'w(N) of VAR_POP and COVAR_POP.'
RETURN CASE WHEN n > 2D
    THEN (n * (n * (shapley_harmonic(n) - shapley_harmonic2(n)) / (n - 1D)) - (n - 1D)) / (n - 2D)
    ELSE 0D END;
