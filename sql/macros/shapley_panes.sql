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
{%- set grouped = (keys + ['_pane'] + flags) | join(', ') -%}
{%- set letters = ['y'] if other is none else ['y', 'x'] -%}
WITH players AS (
    SELECT
        {% for key in by %}{{ key }} AS {{ keys[loop.index0] }}, {% endfor -%}
        {%- for name in names %}
        if({{ conditions[name] }}, TRUE, FALSE) AS {{ flags[loop.index0] }},
        {%- endfor %}
        {{ shapwin._expression('time', time) }} AS _time,
        {{ shapwin._number('value', value) }} AS y
        {%- if other is not none %},
        {{ shapwin._number('other', other) }} AS x
        {%- endif %}
    FROM {{ relation }}
), sliced AS (
    SELECT *,
        {{ shapwin._later(shapwin._slice('_time', length, offset + later) ~ '.start', -later) }} AS _pane
        {%- for v in letters %},
        {{ shapwin._high(v) }} AS {{ v }}_high
        {%- endfor %}
    FROM players
    WHERE _time IS NOT NULL AND y IS NOT NULL{{ '' if other is none else ' AND x IS NOT NULL' }}
), sums AS (
    SELECT {{ grouped }}, count(*) AS m, var_pop(y) AS var
        {%- if other is not none %}, covar_pop(y, x) AS cov{% endif %}
        {%- for v in letters %},
        sum({{ v }}_high) AS {{ v }}_high, sum(if({{ v }} = {{ v }}_high, 0D, {{ v }} - {{ v }}_high)) AS {{ v }}_low
        {%- endfor %}
    FROM sliced
    GROUP BY {{ grouped }}
), centered AS (
    SELECT *
        {%- for v in letters %},
        if(abs({{ v }}_high) < double('Infinity'), {{ v }}_high / m + {{ v }}_low / m, 0D) AS {{ v }}_mean
        {%- endfor %}
    FROM sums
)
SELECT
    {% for key in by %}{{ keys[loop.index0] }} AS {{ key }}, {% endfor -%}
    _pane AS pane, {{ shapwin._later('_pane', length) }} AS pane_end,
    {{ bits | join(' | ') }} AS signature,
    {% for name in names %}{{ flags[loop.index0] }} AS {{ shapwin._identifier(name) }}, {% endfor -%}
    m, {{ shapwin._rest('y') }} AS a, m * var AS b, y_mean AS center
    {%- if other is not none %},
    {{ shapwin._rest('x') }} AS a2, m * cov AS ab, x_mean AS center2
    {%- endif %}
FROM centered
{%- endmacro %}

{# The first 24 bits of a number. Sums of them are exact for millions of values of like size, and so
is m times such a number: a sum in two parts, of which the first is exact, keeps its digits. #}
{% macro _high(number) %}
{% do return(
    'if(abs(' ~ number ~ ') < 3e38D, CAST(CAST(' ~ number ~ ' AS FLOAT) AS DOUBLE), ' ~ number ~ ')'
) %}
{% endmacro %}

{# Σ(y − mean), what the rounded mean has left: 0 for a constant. #}
{% macro _rest(v) %}
{%- set high = shapwin._high(v ~ '_mean') -%}
{% do return(
    v ~ '_high - m * ' ~ high ~ ' + (' ~ v ~ '_low - m * (' ~ v ~ '_mean - ' ~ high ~ '))'
) %}
{% endmacro %}
