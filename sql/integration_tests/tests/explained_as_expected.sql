{# Once both loads are in, all windows are those that shapwin.explain finds. #}
{{ config(enabled=var('loads') == 2) }}
SELECT window_start, statistic, predicate
FROM {{ ref('explained') }} AS found
FULL JOIN {{ ref('expected') }} AS expected USING (window_start, statistic, predicate)
WHERE NOT coalesce(
    found.n = expected.n AND found.m = expected.m
    {% for name in ['value', 'phi', 'share', 'lift', 'weight'] -%}
    AND abs(found.{{ name }} - expected.{{ name }}) < 0.001
    {% endfor -%}
    , FALSE)
