{{ config(materialized='view') }}
SELECT pickup, region, fare, avg(fare) OVER hour AS average,
    {{ shapwin.shapley_avg('fare', "region = 'EU'", over='hour') }} AS eu,
    {{ shapwin.shapley_avg('fare', "region = 'US'", over='hour') }} AS us
FROM {{ ref('trips') }}
WINDOW hour AS (ORDER BY pickup RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW)
