-- Which three zones make up most of each hour's fares, and which pull its average up or down?
--
-- One predicate a zone, as rows: every zone of every hour is explained from the summaries of the hour.
-- Run it with `shapwin spark-sql -f top.sql`. It brings its own data: 900 trips of 8 zones.

CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT date_trunc('HOUR', TIMESTAMP '2025-03-01 08:00:00' + make_dt_interval(0, 0, 0, id * 12)) AS hour,
       concat('zone ', zone) AS zone, 10 + 3 * zone + pmod(xxhash64(id, 'noise'), 200) / 20D AS fare
FROM (SELECT id, pmod(xxhash64(id, 'zone'), 8) AS zone FROM range(900));

-- Summaries of each hour and zone, then every pair of an hour's zones: the one explained, and one of
-- the hour's players.
CREATE OR REPLACE TEMPORARY VIEW summaries AS
SELECT hour, zone, shapley_summary(fare) AS s FROM trips GROUP BY hour, zone;

CREATE OR REPLACE TEMPORARY VIEW explained AS
SELECT hour, asked.zone, shapley_explain(all.s, all.zone = asked.zone, 'avg') AS e
FROM summaries AS asked JOIN summaries AS all USING (hour)
GROUP BY hour, asked.zone;

SELECT hour, k, zone, e.m, round(e.value, 2) AS avg_fare, round(e.phi, 2) AS phi,
       round(e.lift, 2) AS lift
FROM (SELECT *, row_number() OVER (PARTITION BY hour ORDER BY abs(e.phi) DESC, zone) AS k FROM explained)
WHERE k <= 3
ORDER BY hour, k;

-- hour                 k  zone    m   avg_fare  phi    lift
-- 2025-03-01 08:00:00  1  zone 7  33  25.12     9.55   1.08
-- 2025-03-01 08:00:00  2  zone 6  40  25.12     9.42   0.96
-- 2025-03-01 08:00:00  3  zone 5  37  25.12     6.16   0.49
-- 2025-03-01 09:00:00  1  zone 7  45  26.16     13.11  1.46
-- 2025-03-01 09:00:00  2  zone 6  34  26.16     8.04   0.8
-- 2025-03-01 09:00:00  3  zone 5  44  26.16     6.93   0.49
-- 2025-03-01 10:00:00  1  zone 7  38  25.31     11.34  1.29
-- 2025-03-01 10:00:00  2  zone 6  35  25.31     8.4    0.86
-- 2025-03-01 10:00:00  3  zone 4  46  25.31     5.95   0.33
