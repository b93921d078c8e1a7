-- H_N^(2) = Σ 1/k², within a few ulp for every N: a table below N = 16, then the asymptotic series.
CREATE OR REPLACE TEMPORARY FUNCTION shapley_harmonic2(n DOUBLE COMMENT 'a whole number >= 0')
RETURNS DOUBLE
COMMENT 'The second-order harmonic number 1 + 1/4 + … + 1/n².'
RETURN CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,
              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,
              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,
              1.5759958390005426D, 1.580440283444987D),
        CAST(n AS INT) + 1)
    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)
        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))
END;
