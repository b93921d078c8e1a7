{# Over groups that split each window, Φ adds up to the value: for tables of queries='atoms', or of
queries or predicates of which every row satisfies exactly one. Windows that hold NaN or ±Inf pass. #}
{% test efficiency_holds(model, by=[], tolerance=1e-9) %}
{%- set window = (shapwin._names('by', by) + ['window_start', 'window_end', 'statistic']) | join(', ') -%}
SELECT {{ window }}, value, sum(phi) AS phi, max(abs(phi)) AS largest
FROM {{ model }}
WHERE abs(value) < double('Infinity')
GROUP BY {{ window }}, value
HAVING NOT abs(sum(phi) - value) <= {{ tolerance }} * greatest(max(abs(phi)), abs(value))
{% endtest %}

{# Every statistic is one that has a closed form, or one of those given. #}
{% test accepted_statistic(model, column_name='statistic', statistics=none) %}
{%- set known = shapwin._statistics() -%}
{%- set accepted = [] -%}
{%- for name in known if statistics is none or name in statistics -%}
    {%- do accepted.append(shapwin._literal(name)) -%}
{%- endfor -%}
{%- for name in statistics or [] if name not in known -%}
    {%- do shapwin._refuse('statistics has ' ~ name ~ ': use some of ' ~ known | join(', ')) -%}
{%- endfor -%}
SELECT {{ column_name }}, count(*) AS found
FROM {{ model }}
WHERE {{ column_name }} IS NULL OR {{ column_name }} NOT IN ({{ accepted | join(', ') }})
GROUP BY {{ column_name }}
{% endtest %}
