-- Φ − share = (2(N−1) − N·k)/((N−1)(N−2))·lift, and 0 for N <= 2; k = H_{N−1}.
CREATE OR REPLACE TEMPORARY FUNCTION _rest_central2(n DOUBLE, k DOUBLE, lift DOUBLE)
RETURNS DOUBLE
COMMENT 'What Φ of the sum of (y - mean)² has beyond the share.'
RETURN CASE WHEN n > 2D
    THEN (2D * (n - 1D) - n * k) * lift * pow((n - 1D) * (n - 2D), -1D) ELSE 0D END;
