{# dbt-spark loads an empty field of a seed as the text None. #}
SELECT pickup, nullif(region, 'None') AS region, fare, km, loaded
FROM {{ ref('arrivals') }}
WHERE loaded <= {{ var('loads') }}
