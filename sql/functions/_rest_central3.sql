-- Φ − share = (x·(3(N−1)t − N(N+1)·lift) + (N−1)²(6·lift − 3t))/((N−1)(N−2)(N−3)), t = M_2·M_1,P,
-- x = 3H_{N−1} − 2H_{N−1}^(2); −lift for N <= 3.
CREATE OR REPLACE TEMPORARY FUNCTION _rest_central3(n DOUBLE, x DOUBLE, lift DOUBLE, t DOUBLE)
RETURNS DOUBLE
COMMENT 'What Φ of the sum of (y - mean)³ has beyond the share.'
RETURN CASE WHEN n > 3D
    THEN (x * (3D * (n - 1D) * t - n * (n + 1D) * lift)
            + (n - 1D) * (n - 1D) * (6D * lift - 3D * t))
        * pow((n - 1D) * (n - 2D) * (n - 3D), -1D)
    ELSE -lift END;
