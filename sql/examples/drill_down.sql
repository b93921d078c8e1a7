-- A region lifts the average: all of its trips, or some of them?
--
-- Φ of a union of disjoint groups is the sum of their Φ, so an explanation can be taken apart and put
-- together again: keep a summary for each combination of boolean columns, and ask for any condition
-- on them. Run it with `shapwin spark-sql -f drill_down.sql`. It brings its own data: 600 trips.

CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT day, eu, airport, card, 20 + IF(eu AND airport, 15, 0) + IF(card, 2, 0) + noise AS fare
FROM (
    SELECT DATE '2025-03-01' + CAST(id % 2 AS INT) AS day,
           pmod(xxhash64(id, 'eu'), 10) < 6 AS eu, pmod(xxhash64(id, 'airport'), 10) < 2 AS airport,
           pmod(xxhash64(id, 'card'), 10) < 5 AS card, pmod(xxhash64(id, 'noise'), 100) / 20D AS noise
    FROM range(600));

CREATE OR REPLACE TEMPORARY VIEW atoms AS
SELECT day, eu, airport, card, shapley_summary(fare) AS s
FROM trips
GROUP BY day, eu, airport, card;

-- From the whole (the first rows) to the parts: each level adds up to the one before it.
SELECT day, level, part, round(phi, 2) AS phi,
       round(sum(phi) OVER (PARTITION BY day, level), 2) AS level_sum
FROM (
    SELECT day, inline(array(
        struct(1, 'all trips', shapley_avg(s, true)),
        struct(2, 'EU', shapley_avg(s, eu)),
        struct(2, 'not EU', shapley_avg(s, NOT eu)),
        struct(3, 'EU, airport', shapley_avg(s, eu AND airport)),
        struct(3, 'EU, city', shapley_avg(s, eu AND NOT airport)),
        struct(3, 'not EU', shapley_avg(s, NOT eu)))) AS (level, part, phi)
    FROM atoms GROUP BY day)
ORDER BY day, level, part;

-- day         level  part         phi    level_sum
-- 2025-03-01  1      all trips    25.08  25.08
-- 2025-03-01  2      EU           19.34  25.08
-- 2025-03-01  2      not EU       5.73   25.08
-- 2025-03-01  3      EU, airport  12.33  25.08
-- 2025-03-01  3      EU, city     7.02   25.08
-- 2025-03-01  3      not EU       5.73   25.08
-- 2025-03-02  1      all trips    25.12  25.12
-- 2025-03-02  2      EU           18.24  25.12
-- 2025-03-02  2      not EU       6.88   25.12
-- 2025-03-02  3      EU, airport  12.76  25.12
-- 2025-03-02  3      EU, city     5.47   25.12
-- 2025-03-02  3      not EU       6.88   25.12
