-- Why was the average fare of this hour what it was? The order of the work, in plain SQL:
--
--   rows → one summary per pane and atom → native SUM(…) OVER merges panes → the closed form.
--
-- Run it with `shapwin spark-sql -f panes.sql`. It brings its own data: a day of taxi trips.

-- 4,000 trips of two cities, at levels far apart: 20 of one currency, 30,000 of the other.
CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT city,
       TIMESTAMP '2025-03-01 00:00:00' + make_dt_interval(0, 0, 0, second) AS pickup,
       IF(airport, 2.5, 1) * IF(second BETWEEN 61200 AND 68400, 1.4, 1) * level * (1 + noise) AS fare,
       airport, card
FROM (
    SELECT IF(id % 2 = 0, 'Oslo', 'Seoul') AS city,
           IF(id % 2 = 0, 20, 30000) AS level,
           CAST(pmod(xxhash64(id, 'second'), 86400) AS INT) AS second,
           pmod(xxhash64(id, 'noise'), 1000) / 2000D AS noise,
           pmod(xxhash64(id, 'airport'), 100) < 15 AS airport,
           pmod(xxhash64(id, 'card'), 100) < 60 AS card
    FROM range(4000));

-- Panes of 5 minutes. An atom is one combination of the predicates: airport × card. Each summary is
-- taken about its own mean, the safest centre; keep this table, and append to it as rows arrive.
CREATE OR REPLACE TEMPORARY VIEW panes AS
SELECT city, window(pickup, '5 minutes').start AS pane, airport, card,
       shapley_summary(fare) AS s
FROM trips
GROUP BY city, window(pickup, '5 minutes'), airport, card;

-- SUM can only merge sums about one common centre, so every summary moves to its city's mean:
-- A' = A + m(c − c'), B' = B + 2(c − c')A + m(c − c')². One centre a key is good while its level
-- does not drift by many times its spread; if it does, shapley_avg(s, airport) OVER … on the view
-- `panes` merges summaries of any centres.
CREATE OR REPLACE TEMPORARY VIEW centred AS
SELECT city, pane, airport, card, center, s.m AS m, s.a + s.m * d AS a,
       s.b + 2 * d * s.a + s.m * d * d AS b
FROM (
    SELECT *, s.center - center AS d
    FROM panes JOIN (
        SELECT city, sum(s.m * s.center + s.a) / sum(s.m) AS center FROM panes GROUP BY city
    ) USING (city));

-- A pane's sums: over all its atoms, and over those of each query. A query is any condition on the
-- atoms, such as `airport AND NOT card`, whenever it is thought of.
CREATE OR REPLACE TEMPORARY VIEW sums AS
SELECT city, pane, first(center) AS center,
       sum(m) AS n, sum(a) AS a, sum(b) AS b,
       sum(IF(airport, m, 0)) AS m_airport, sum(IF(airport, a, 0)) AS a_airport,
       sum(IF(airport, b, 0)) AS b_airport,
       sum(IF(airport AND NOT card, m, 0)) AS m_cash, sum(IF(airport AND NOT card, a, 0)) AS a_cash
FROM centred
GROUP BY city, pane;

-- One hour every five minutes: 12 panes, merged by Spark's own SUM.
CREATE OR REPLACE TEMPORARY VIEW hours AS
SELECT city, pane + INTERVAL 5 MINUTES AS window_end, center,
       sum(n) OVER hour AS n, sum(a) OVER hour AS a, sum(b) OVER hour AS b,
       sum(m_airport) OVER hour AS m_airport, sum(a_airport) OVER hour AS a_airport,
       sum(b_airport) OVER hour AS b_airport,
       sum(m_cash) OVER hour AS m_cash, sum(a_cash) OVER hour AS a_cash
FROM sums
WINDOW hour AS (PARTITION BY city ORDER BY pane
                RANGE BETWEEN INTERVAL 55 MINUTES PRECEDING AND CURRENT ROW);

CREATE OR REPLACE TEMPORARY VIEW explained AS
SELECT city, window_end, n, center + a / n AS avg_fare, m_airport,
       shapley_avg_from_sums(n, a, m_airport, a_airport, center) AS avg_airport,
       shapley_avg_from_sums(n, a, m_cash, a_cash, center) AS avg_airport_cash,
       shapley_var_pop_from_sums(n, a, b, m_airport, a_airport, b_airport) AS var_airport
FROM hours;

-- The hour that the airport trips lift most, in each city.
SELECT city, window_end, n, m_airport, round(avg_fare, 2) AS avg_fare,
       round(avg_airport, 2) AS avg_airport, round(avg_airport_cash, 2) AS avg_airport_cash,
       round(var_airport, 2) AS var_airport
FROM (SELECT *, row_number() OVER (PARTITION BY city ORDER BY avg_airport / avg_fare DESC, window_end) AS k
      FROM explained WHERE n >= 20)
WHERE k <= 3
ORDER BY city, k;

-- city   window_end           n   m_airport  avg_fare  avg_airport  avg_airport_cash  var_airport
-- Oslo   2025-03-01 10:55:00  86  24         34.81     46.42        21.41             506.55
-- Oslo   2025-03-01 11:00:00  90  24         34.07     44.33        17.56             493.85
-- Oslo   2025-03-01 03:15:00  90  22         34.24     44.38        15.15             587.74
-- Seoul  2025-03-01 18:40:00  77  17         70492.36  86231.03     47252.12          2626859957.62
-- Seoul  2025-03-01 22:35:00  72  17         50479.69  61462.05     33734.85          1211828947.67
-- Seoul  2025-03-01 11:05:00  80  17         49749.09  60570.31     25436.52          1384880191.5
