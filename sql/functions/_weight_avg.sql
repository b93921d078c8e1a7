-- w(N) = N(H−1)/(N−1), and 0 for N <= 1.
CREATE OR REPLACE TEMPORARY FUNCTION _weight_avg(n DOUBLE)
RETURNS DOUBLE
COMMENT 'w(N) of AVG.'
RETURN CASE WHEN n > 1D THEN n * (shapley_harmonic(n) - 1D) / (n - 1D) ELSE 0D END;
