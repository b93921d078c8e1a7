-- The average fare went up from one day to the next: which trips brought it there?
--
-- Not a game of the change, but the difference of two exact explanations: over groups that split the
-- rows, the ΔΦ add up to the change of the average. Each is taken apart into what the trips of the
-- group did (composition, at the old day's weight) and the size of the days (which adds up to 0).
-- Run it with `shapwin spark-sql -f change.sql`. It brings its own data: 500 trips of two days.

CREATE OR REPLACE TEMPORARY VIEW trips AS
SELECT day, zone, IF(zone = 'airport', 45, 18) + IF(day = 2 AND zone = 'centre', 4, 0) + noise AS fare
FROM (
    SELECT IF(id < 200, 1, 2) AS day,
           CASE WHEN pmod(xxhash64(id, 'zone'), 100) < IF(id < 200, 10, 20) THEN 'airport'
                WHEN pmod(xxhash64(id, 'zone'), 100) < 60 THEN 'centre' ELSE 'suburb' END AS zone,
           pmod(xxhash64(id, 'noise'), 100) / 20D AS noise
    FROM range(500));

CREATE OR REPLACE TEMPORARY VIEW explained AS
SELECT day, zone, e.*
FROM (
    SELECT day, inline(array(
        struct('airport', shapley_explain(fare, zone = 'airport', 'avg')),
        struct('centre', shapley_explain(fare, zone = 'centre', 'avg')),
        struct('suburb', shapley_explain(fare, zone = 'suburb', 'avg')))) AS (zone, e)
    FROM trips GROUP BY day);

SELECT zone, round(old.phi, 2) AS phi_before, round(new.phi, 2) AS phi_after,
       round(new.phi - old.phi, 2) AS d_phi,
       round(new.share - old.share + old.weight * (new.lift - old.lift), 2) AS composition,
       round((new.weight - old.weight) * new.lift, 2) AS size,
       round(new.value - old.value, 2) AS d_avg,
       round(sum(new.phi - old.phi) OVER (), 2) AS sum_d_phi
FROM explained AS old JOIN explained AS new USING (zone)
WHERE old.day = 1 AND new.day = 2
ORDER BY zone;

-- zone     phi_before  phi_after  d_phi  composition  size   d_avg  sum_d_phi
-- airport  16.6        26.54      9.94   8.54         1.39   3.73   3.73
-- centre   3.15        4.79       1.64   2.01         -0.37  3.73   3.73
-- suburb   3.18        -4.68      -7.86  -6.83        -1.02  3.73   3.73
