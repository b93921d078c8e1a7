-- How much of the moving average is owed to the rush hour, with no Python at all?
--
-- Spark's own count, avg and var_pop over a window, of all rows and of the predicate's, are all that
-- the closed form needs. Run it with `shapwin spark-sql -f native_sums.sql`, or in any Spark with
-- `spark-sql -i functions.sql -f native_sums.sql`. It brings its own data: ten trips.

CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT * FROM VALUES
    (1, 12D, false), (2, 10D, false), (3, 14D, false), (4, 31D, true), (5, 28D, true),
    (6, 33D, true), (7, 12D, false), (8, NULL, false), (9, 11D, false), (10, 13D, false)
    AS t(id, fare, rush);

-- About the window's mean the sum over all rows is 0; that over the rush is m · (its mean − the mean).
CREATE OR REPLACE TEMPORARY VIEW windows AS
SELECT id, count(fare) OVER w AS n, avg(fare) OVER w AS mean,
       count(IF(rush, fare, NULL)) OVER w AS m, avg(IF(rush, fare, NULL)) OVER w AS mean_rush
FROM trips
WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW);

SELECT id, n, round(mean, 2) AS avg_fare, m,
       round(shapley_avg_from_sums(n, 0D, m, coalesce(m * (mean_rush - mean), 0D), mean), 2)
           AS avg_rush,
       round(shapley_avg_from_sums(n, 0D, n - m, coalesce(-m * (mean_rush - mean), 0D), mean), 2)
           AS avg_rest
FROM windows
ORDER BY id;

-- id  n  avg_fare  m  avg_rush  avg_rest
-- 1   1  12.0      0  0.0       12.0
-- 2   2  11.0      0  0.0       11.0
-- 3   3  12.0      0  0.0       12.0
-- 4   4  16.75     1  12.9      3.85
-- 5   4  20.75     2  21.07     -0.32
-- 6   4  26.5      3  27.51     -1.01
-- 7   4  26.0      3  28.06     -2.06
-- 8   3  24.33     2  25.47     -1.14
-- 9   3  18.67     1  16.97     1.69
-- 10  3  12.0      0  0.0       12.0
