{{ config(materialized='incremental', incremental_strategy='append') }}
{% set arrived %}
    (SELECT * FROM {{ ref('trips') }}
    {% if is_incremental() %} WHERE loaded > (SELECT max(loaded) FROM {{ this }}) {% endif %})
{% endset %}
{{ shapwin.shapley_panes(
    arrived, value='fare', time='pickup', every='30 minutes', by='loaded', other='km',
    predicates={'eu': "region = 'EU'", 'us': "region = 'US'", 'unknown': 'region IS NULL'}
) }}
