{# Rows to the pane table: one summary for each key, time slice and combination of predicates.

m = count, a = Σ(y − center), b = Σ(y − center)², about the mean of the row's own values. #}
{% macro shapley_panes(
    relation, value, time, every, predicates, by=[], other=none, closed='left', offset='0 seconds'
) -%}
{%- set length = shapwin._microseconds('every', every) -%}
{%- set offset = shapwin._microseconds('offset', offset, signed=true) -%}
{%- if closed not in ['left', 'right'] -%}
    {%- do shapwin._refuse('closed is ' ~ closed ~ ": use 'left' or 'right'") -%}
{%- endif -%}
{#- (start, end] is [start, end) a microsecond later. -#}
{%- set later = 1 if closed == 'right' else 0 -%}
{%- set pane = shapwin._slice('_time', length, offset + later) ~ '.start' -%}
{%- set by = shapwin._names('by', by) -%}
{%- set conditions = shapwin._conditions('predicates', predicates) -%}
{%- set names = shapwin._predicate_names(predicates, by) -%}
{#- Names of our own, so that the user's may be any. -#}
{%- set keys, flags, bits = [], [], [] -%}
{%- for key in by -%}{%- do keys.append('_by' ~ loop.index0) -%}{%- endfor -%}
{%- for name in names -%}
    {%- do flags.append('_p' ~ loop.index0) -%}
    {%- do bits.append('shiftleft(CAST(_p' ~ loop.index0 ~ ' AS BIGINT), ' ~ loop.index0 ~ ')') -%}
{%- endfor -%}
{%- set grouped = keys + ['_pane'] + flags -%}
{%- set sums = shapwin._pane_sums()['y' if other is none else 'yx'] -%}
{%- set summed = grouped + ['_m'] -%}
{%- for aggregate in sums['aggregates'][1:] -%}{%- do summed.append(aggregate.split(' ')[-1]) -%}{%- endfor -%}
WITH players AS (
    SELECT
        {% for key in by %}{{ key }} AS {{ keys[loop.index0] }}, {% endfor -%}
        {%- for name in names %}
        if({{ conditions[name] }}, TRUE, FALSE) AS {{ flags[loop.index0] }},
        {%- endfor %}
        {{ shapwin._expression('time', time) }} AS _time,
        {{ shapwin._number('value', value) }} AS _y
        {%- if other is not none %},
        {{ shapwin._number('other', other) }} AS _x
        {%- endif %}
    FROM {{ relation }}
), sliced AS (
    SELECT *, {{ shapwin._later(pane, -later) if later else pane }} AS _pane
    FROM players
    WHERE _time IS NOT NULL AND _y IS NOT NULL{{ '' if other is none else ' AND _x IS NOT NULL' }}
), sums AS (
    SELECT {{ (grouped + sums['aggregates']) | join(', ') }}
    FROM {{ shapwin._steps('sliced', grouped, sums['cuts']) }}
    GROUP BY {{ grouped | join(', ') }}
), means AS (
    SELECT *, {{ sums['means'] | join(', ') }} FROM sums
)
SELECT
    {% for key in by %}{{ keys[loop.index0] }} AS {{ key }}, {% endfor -%}
    _pane AS pane, {{ shapwin._later('_pane', length) }} AS pane_end,
    {{ bits | join(' | ') }} AS signature,
    {% for name in names %}{{ flags[loop.index0] }} AS {{ shapwin._identifier(name) }}, {% endfor -%}
    {% for name in sums['summary'] %}{{ sums['summary'][name] }} AS {{ name }}{{ '' if loop.last else ', ' }}
    {%- endfor %}
FROM {{ shapwin._steps('means', summed, sums['cuts_of_means']) }}
{%- endmacro %}

{# Projections one after another, each of which keeps some columns. #}
{% macro _steps(relation, kept, steps) %}
{%- set nested = [relation] -%}
{%- for step in steps -%}
    {%- do nested.append('(SELECT ' ~ (kept + step) | join(', ') ~ ' FROM ' ~ nested[-1] ~ ')') -%}
{%- endfor -%}
{% do return(nested[-1]) %}
{% endmacro %}
