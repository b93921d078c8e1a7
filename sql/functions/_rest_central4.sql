-- Φ − share = (  k·(8(2N²−5N+6)t + 12(N²+2N−6)q − 4N(N²+2N+3)·lift)
--              + k2·6(N(N²+4N+1)·lift − (5N²−2N−6)q − 2(2N²−3N+2)t)
--              + k3·3N((N−1)(6q+4t) − N(N+5)·lift)
--              + (N−1)(4(2N²−5N+6)·lift − 18(N−2)q − 4(N²−4N+6)t))/((N−1)(N−2)(N−3)(N−4)),
-- q = M_2·(M_2,P − (m/N)M_2), t = M_3·M_1,P; k, k2, k3: harmonic numbers of N − 1.
-- For N <= 4, y⁴ is a sum of lower powers: of all factors that do, those of which q's is 0.
CREATE OR REPLACE TEMPORARY FUNCTION _rest_central4(n DOUBLE, k DOUBLE, k2 DOUBLE, k3 DOUBLE, lift DOUBLE, q DOUBLE, t DOUBLE)
RETURNS DOUBLE
COMMENT 'What Φ of the sum of (y - mean)⁴ has beyond the share.'
RETURN CASE WHEN n > 4D
    THEN (k * (8D * ((2D * n - 5D) * n + 6D) * t + 12D * ((n + 2D) * n - 6D) * q
                - 4D * n * ((n + 2D) * n + 3D) * lift)
            + k2 * 6D * (n * ((n + 4D) * n + 1D) * lift - ((5D * n - 2D) * n - 6D) * q
                - 2D * ((2D * n - 3D) * n + 2D) * t)
            + k3 * 3D * n * ((n - 1D) * (6D * q + 4D * t) - n * (n + 5D) * lift)
            + (n - 1D) * (4D * ((2D * n - 5D) * n + 6D) * lift - 18D * (n - 2D) * q
                - 4D * ((n - 4D) * n + 6D) * t))
        * pow((n - 1D) * (n - 2D) * (n - 3D) * (n - 4D), -1D)
    ELSE IF(n = 4D, -2D / 27 * lift - 25D / 54 * t, -0.0625D * lift - 0.5D * t) END;
