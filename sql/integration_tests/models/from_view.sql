{# A view that a later session reads, with no function registered. #}
SELECT * FROM {{ ref('moving_average') }}
