-- Why is the spread of the last hour what it is, trip by trip?
--
-- The aggregates run over any frame. Here RANGE: the hour up to each trip, its peers included, so
-- that trips of one instant get one Φ. Run it with `shapwin spark-sql -f over.sql`. It brings its own
-- data: ten trips of two days.

CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT * FROM VALUES
    (TIMESTAMP '2025-03-01 08:00:00', 10D, 'EU'), (TIMESTAMP '2025-03-01 08:20:00', 12D, 'EU'),
    (TIMESTAMP '2025-03-01 08:40:00', 40D, 'US'), (TIMESTAMP '2025-03-01 08:40:00', 11D, 'EU'),
    (TIMESTAMP '2025-03-01 09:10:00', 42D, 'US'), (TIMESTAMP '2025-03-01 09:30:00', 9D, 'EU'),
    (TIMESTAMP '2025-03-02 08:00:00', 10D, 'EU'), (TIMESTAMP '2025-03-02 08:10:00', 13D, 'US'),
    (TIMESTAMP '2025-03-02 08:30:00', 11D, 'EU'), (TIMESTAMP '2025-03-02 08:50:00', 12D, 'US')
    AS t(pickup, fare, region);

-- A negative Φ of a variance: those trips hold the hour together.
SELECT pickup, fare, region, round(var_pop(fare) OVER hour, 2) AS variance,
       round(shapley_var(fare, region = 'EU') OVER hour, 2) AS var_eu,
       round(shapley_var(fare, region = 'US') OVER hour, 2) AS var_us,
       round(shapley_avg(fare, region = 'US') OVER hour, 2) AS avg_us
FROM trips
WINDOW hour AS (PARTITION BY date(pickup) ORDER BY pickup
                RANGE BETWEEN INTERVAL 59 MINUTES PRECEDING AND CURRENT ROW)
ORDER BY pickup, fare;

-- pickup               fare  region  variance  var_eu  var_us  avg_us
-- 2025-03-01 08:00:00  10.0  EU      0.0       0.0     0.0     0.0
-- 2025-03-01 08:20:00  12.0  EU      1.0       1.0     0.0     0.0
-- 2025-03-01 08:40:00  11.0  EU      158.19    19.51   138.67  17.85
-- 2025-03-01 08:40:00  40.0  US      158.19    19.51   138.67  17.85
-- 2025-03-01 09:10:00  42.0  US      218.19    108.86  109.33  31.15
-- 2025-03-01 09:30:00  9.0   EU      241.25    120.63  120.63  31.69
-- 2025-03-02 08:00:00  10.0  EU      0.0       0.0     0.0     0.0
-- 2025-03-02 08:10:00  13.0  US      2.25      1.13    1.13    7.25
-- 2025-03-02 08:30:00  11.0  EU      1.56      0.58    0.98    5.03
-- 2025-03-02 08:50:00  12.0  US      1.25      0.63    0.63    6.97
