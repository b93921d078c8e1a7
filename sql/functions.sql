-- The SQL functions of shapwin for any Spark, no Python needed: spark-sql -i this file.
-- Made from sql/functions by `python -m shapwin.spark.sql_functions`.

CREATE OR REPLACE TEMPORARY FUNCTION shapley_avg_from_sums(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE, center DOUBLE DEFAULT 0D)
RETURNS DOUBLE
COMMENT 'Shapley attribution of AVG to a group of m of the n tuples; a and a_p are sums of (y - center) over all and over the group.'
RETURN (CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D WHEN (CASE WHEN n > 1D THEN n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 1D) / (n - 1D) ELSE 0D END) = 0D THEN ((m * center + a_p) / n) ELSE ((m * center + a_p) / n) + (CASE WHEN n > 1D THEN n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 1D) / (n - 1D) ELSE 0D END) * ((a_p - m * (a / n)) / n) END
END);

CREATE OR REPLACE TEMPORARY FUNCTION shapley_covar_pop_from_sums(n DOUBLE, a DOUBLE, a2 DOUBLE, ab DOUBLE, m DOUBLE, a_p DOUBLE, a2_p DOUBLE, ab_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of COVAR_POP to a group of m of the n tuples; a, a2, ab are sums of (y - c), (x - c2), (y - c)(x - c2) over all, a_p, a2_p, ab_p over the group.'
RETURN (CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D WHEN (CASE WHEN n > 2D
    THEN (n * (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - (CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,
              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,
              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,
              1.5759958390005426D, 1.580440283444987D),
        CAST(n AS INT) + 1)
    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)
        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))
END)) / (n - 1D)) - (n - 1D)) / (n - 2D)
    ELSE 0D END) = 0D THEN ((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / n) ELSE ((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / n) + (CASE WHEN n > 2D
    THEN (n * (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - (CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,
              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,
              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,
              1.5759958390005426D, 1.580440283444987D),
        CAST(n AS INT) + 1)
    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)
        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))
END)) / (n - 1D)) - (n - 1D)) / (n - 2D)
    ELSE 0D END) * (((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / n) - (m / n) * ((CASE WHEN n > 1D THEN ab - (a / n) * a2 - (a2 / n) * a + n * (a / n) * (a2 / n)
    ELSE ab - ab END) / n)) END
END);

CREATE OR REPLACE TEMPORARY FUNCTION shapley_covar_samp_from_sums(n DOUBLE, a DOUBLE, a2 DOUBLE, ab DOUBLE, m DOUBLE, a_p DOUBLE, a2_p DOUBLE, ab_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of COVAR_SAMP to a group of m of the n tuples; a, a2, ab are sums of (y - c), (x - c2), (y - c)(x - c2) over all, a_p, a2_p, ab_p over the group.'
RETURN (CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D WHEN (CASE WHEN n > 2D THEN (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 2D) + 1D) / (n - 2D) ELSE 0D END) = 0D THEN ((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / greatest(n - 1D, 1D)) ELSE ((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / greatest(n - 1D, 1D)) + (CASE WHEN n > 2D THEN (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 2D) + 1D) / (n - 2D) ELSE 0D END) * (((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END) / greatest(n - 1D, 1D)) - (m / n) * ((CASE WHEN n > 1D THEN ab - (a / n) * a2 - (a2 / n) * a + n * (a / n) * (a2 / n)
    ELSE ab - ab END) / greatest(n - 1D, 1D))) END
END);

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

CREATE OR REPLACE TEMPORARY FUNCTION shapley_var_pop_from_sums(n DOUBLE, a DOUBLE, b DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of VAR_POP to a group of m of the n tuples; a, b are sums of (y - c) and (y - c)² over all, a_p, b_p over the group.'
RETURN (CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D WHEN (CASE WHEN n > 2D
    THEN (n * (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - (CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,
              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,
              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,
              1.5759958390005426D, 1.580440283444987D),
        CAST(n AS INT) + 1)
    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)
        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))
END)) / (n - 1D)) - (n - 1D)) / (n - 2D)
    ELSE 0D END) = 0D THEN ((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / n) ELSE ((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / n) + (CASE WHEN n > 2D
    THEN (n * (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - (CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,
              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,
              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,
              1.5759958390005426D, 1.580440283444987D),
        CAST(n AS INT) + 1)
    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)
        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))
END)) / (n - 1D)) - (n - 1D)) / (n - 2D)
    ELSE 0D END) * (((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / n) - (m / n) * ((CASE WHEN n > 1D THEN greatest(b - 2D * (a / n) * a + n * (a / n) * (a / n), 0D)
    ELSE b - b END) / n)) END
END);

CREATE OR REPLACE TEMPORARY FUNCTION shapley_var_samp_from_sums(n DOUBLE, a DOUBLE, b DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'Shapley attribution of VAR_SAMP to a group of m of the n tuples; a, b are sums of (y - c) and (y - c)² over all, a_p, b_p over the group.'
RETURN (CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D WHEN (CASE WHEN n > 2D THEN (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 2D) + 1D) / (n - 2D) ELSE 0D END) = 0D THEN ((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / greatest(n - 1D, 1D)) ELSE ((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / greatest(n - 1D, 1D)) + (CASE WHEN n > 2D THEN (n * ((CASE
    WHEN n < 0D THEN NULL
    WHEN n < 16D THEN element_at(
        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,
              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,
              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,
              3.3182289932289932D),
        CAST(n AS INT) + 1)
    ELSE ln(n) + (0.5772156649015329D + (0.5D/n
        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))
END) - 2D) + 1D) / (n - 2D) ELSE 0D END) * (((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)
    ELSE b_p - b_p END) / greatest(n - 1D, 1D)) - (m / n) * ((CASE WHEN n > 1D THEN greatest(b - 2D * (a / n) * a + n * (a / n) * (a / n), 0D)
    ELSE b - b END) / greatest(n - 1D, 1D))) END
END);
