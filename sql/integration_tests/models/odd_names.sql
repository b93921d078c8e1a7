{% set odd = '`odd "na\'me```' %}
WITH odd AS (
    SELECT pickup, concat('EU\'s "', region, '"') AS `the region`, fare AS {{ odd }}
    FROM {{ ref('trips') }}
), panes AS (
    {{ shapwin.shapley_panes(
        'odd', value=odd, time='pickup', every='30 minutes', by=['`the region`'],
        predicates={'it\'s "EU`s"': "`the region` = 'EU\\'s \"EU\"' -- a comment"}
    ) }}
)
SELECT * FROM ({{ shapwin.shapley_windows(
    'panes', window='1 hour', every='30 minutes', by='`the region`', predicates=['it\'s "EU`s"']
) }})
