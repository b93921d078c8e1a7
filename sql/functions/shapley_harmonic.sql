-- H_N = Σ 1/k, within a few ulp for every N: a table below N = 16, then the asymptotic series.
CREATE OR REPLACE TEMPORARY FUNCTION shapley_harmonic(n DOUBLE COMMENT 'a whole number >= 0')
RETURNS DOUBLE
COMMENT 'The harmonic number 1 + 1/2 + … + 1/n.'
RETURN CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END;
