SELECT CAST(pickup AS DATE) AS day, avg(fare) AS average, max(fare) AS highest,
    {{ shapwin.shapley_explain('fare', "region = 'EU'", 'avg') }} AS eu
FROM {{ ref('trips') }}
GROUP BY CAST(pickup AS DATE)
