{# Pane table to the long table: Φ with its parts for each window, query and statistic.

Pane rows go to each window that they lie in, and there to the window's own mean: nothing is squared
before, and large sums are never subtracted. #}
{% macro shapley_windows(
    panes, window, every, predicates, statistics=['avg'], queries=none, by=[], offset='0 seconds'
) -%}
{%- set width = shapwin._microseconds('window', window) -%}
{%- set step = shapwin._microseconds('every', every) -%}
{%- set offset_given = offset -%}
{%- set offset = shapwin._microseconds('offset', offset, signed=true) -%}
{#- How many windows a pane may lie in. -#}
{%- set overlap = -(-width // step) -%}
{%- if overlap > 1000000 -%}
    {%- do shapwin._refuse(
        'window is ' ~ window ~ ', more than 1000000 steps of ' ~ every ~ ': take longer steps'
    ) -%}
{%- endif -%}
{%- set by = shapwin._names('by', by) -%}
{%- set names = shapwin._predicate_names(predicates, by) -%}
{%- set asked = shapwin._asked(queries, names) -%}
{%- set games = [] -%}
{%- for given in shapwin._names('statistics', statistics) -%}
    {%- set game = shapwin._statistic('statistics', given) -%}
    {%- if game not in games -%}{%- do games.append(game) -%}{%- endif -%}
{%- else -%}
    {%- do shapwin._refuse("statistics is empty: give at least one, such as 'avg'") -%}
{%- endfor -%}
{%- set two_columns = 'covar_pop' in games or 'covar_samp' in games -%}
{%- set forms, splits, lifts = shapwin._closed_forms(), [], [] -%}
{%- for game in games -%}
    {%- do splits.append(forms[game]['split']) -%}
    {%- do lifts.append("WHEN '" ~ game ~ "' THEN " ~ forms[game]['lift']) -%}
{%- endfor -%}
{%- set keys, labels, conditions = [], [], [] -%}
{%- for key in by -%}{%- do keys.append('_by' ~ loop.index0) -%}{%- endfor -%}
{%- if asked is none -%}
    {%- set labels, conditions = ['predicate'], [shapwin._atom(names)] -%}
{%- else -%}
    {%- set conditions = asked.values() | list -%}
    {%- for name in asked -%}{%- do labels.append('_q' ~ loop.index0) -%}{%- endfor -%}
{%- endif -%}
{%- set each_window = (keys + ['_start']) | join(', ') -%}
{%- set numbers = ['m', 'a', 'b', 'center'] + (['a2', 'ab', 'center2'] if two_columns else []) -%}
{%- set columns = ['', '2'] if two_columns else [''] -%}
WITH pane_rows AS (
    SELECT
        {% for key in by %}{{ key }} AS {{ keys[loop.index0] }}, {% endfor -%}
        {% for name in names %}
        coalesce({{ shapwin._identifier(name) }}, CAST(raise_error({{ shapwin._literal(
            "shapwin: predicate '" ~ name ~ "' is NULL in a row of the pane table that is older than it"
        ) }}) AS BOOLEAN)) AS {{ shapwin._identifier(name) }},
        {%- endfor %}
        {% for number in numbers %}{{ number }} AS _{{ number }}, {% endfor -%}
        {#- The longest slices that windows are whole numbers of. -#}
        {{ shapwin._slice('pane', shapwin._gcd(width, step), offset) }} AS _slice, pane_end AS _end
    FROM {{ panes }}
), labelled AS (
    SELECT {% for key in keys + ['_end'] %}{{ key }}, {% endfor -%}
        {% for number in numbers %}_{{ number }}, {% endfor -%}
        if(_end <= _slice.end, _slice.start, raise_error({{ shapwin._literal(
            'shapwin: window is ' ~ window ~ ', every is ' ~ every ~ ' and offset is ' ~ offset_given
            ~ ': a row of the pane table has a pane of which they are no whole number'
        ) }})) AS _pane,
        {% for label in labels %}{{ conditions[loop.index0] }} AS {{ label }}{{ '' if loop.last else ', ' }}{% endfor %}
    FROM pane_rows
), stepped AS (
    SELECT *, {{ shapwin._slice('_pane', step, offset) }}.start AS _last FROM labelled
), started AS (
    SELECT *, timestampadd(MICROSECOND, -{{ step }}L * _k, _last) AS _start
    FROM (SELECT *, explode(sequence(0L, {{ overlap - 1 }}L)) AS _k FROM stepped)
), near AS (
    {#- Distances from one of the centers are exact where all are the same. #}
    SELECT *
        {%- for v in columns %}, min(_center{{ v }}) OVER each_window AS _near{{ v }}{% endfor %}
    FROM started
    WHERE _end <= {{ shapwin._later('_start', width) }}
    WINDOW each_window AS (PARTITION BY {{ each_window }})
), means AS (
    SELECT *
        {%- for v in columns %},
        try_divide(sum(_m * (_center{{ v }} - _near{{ v }}) + _a{{ v }}) OVER each_window,
            sum(_m) OVER each_window) AS _mean{{ v }}
        {%- endfor %}
    FROM near
    WINDOW each_window AS (PARTITION BY {{ each_window }})
), distances AS (
    {#- A mean that is NaN or infinite is no centre. #}
    SELECT *
        {%- for v in columns %},
        if(abs(_mean{{ v }}) < double('Infinity'), _mean{{ v }}, 0D) AS _r{{ v }},
        _center{{ v }} - _near{{ v }} - if(abs(_mean{{ v }}) < double('Infinity'), _mean{{ v }}, 0D) AS _d{{ v }}
        {%- endfor %}
    FROM means
), moved AS (
    SELECT {{ each_window }}, {{ labels | join(', ') }}, _near + _r AS center,
        _m AS m, _m * _center + _a AS s, _a + _m * _d AS a, _b + 2D * _d * _a + _m * _d * _d AS b
        {%- if two_columns %},
        _a2 + _m * _d2 AS a2, _ab + _d * _a2 + _d2 * _a + _m * _d * _d2 AS ab
        {%- endif %}
    FROM distances
), sums AS (
    {{ shapwin._sums_of_atoms(each_window, two_columns) if asked is none
       else shapwin._sums_of_queries(each_window, two_columns, asked, labels) }}
), splits AS (
    SELECT *, inline(array({{ splits | join(', ') }}))
    FROM sums
    WHERE if(least(n, m) < 0D, CAST(raise_error(
        'shapwin: more tuples of a window or of a group in it were taken back than were there'
    ) AS BOOLEAN), n > 0D)
), lifts AS (
    SELECT *, CASE statistic {{ lifts | join(' ') }} END AS lift FROM splits
)
SELECT
    {% for key in by %}{{ keys[loop.index0] }} AS {{ key }}, {% endfor -%}
    _start AS window_start, {{ shapwin._later('_start', width) }} AS window_end,
    statistic, predicate, CAST(n AS BIGINT) AS n, value, CAST(m AS BIGINT) AS m,
    if(m <> 0D, s_p / m, NULL) AS group_mean,
    {{ shapwin._phi() }} AS phi,
    if(m <> 0D, share, 0D) AS share, if(m <> 0D, lift, 0D) AS lift, weight
FROM lifts
{%- endmacro %}

{# The sums of each window, and of each query's members in it. Beside an infinite value second
moments are NaN: 0 times a sum of first ones. #}
{% macro _sums_of_queries(each_window, two_columns, asked, labels) -%}
{%- set odd = ' + 0D * sum(a)' -%}
SELECT {{ each_window }}, max(center) AS center, CAST(sum(m) AS DOUBLE) AS n, sum(s) AS s,
        sum(a) AS a, sum(b){{ odd }} AS b,
        {% if two_columns %}sum(a2) AS a2, sum(ab){{ odd }} + 0D * sum(a2) AS ab,{% endif %}
        inline(array(
            {%- for name in asked %}
            {%- set q = labels[loop.index0] %}
            named_struct('predicate', {{ shapwin._literal(name) }},
                'm', CAST(sum(if({{ q }}, m, 0L)) AS DOUBLE), 's_p', sum(if({{ q }}, s, 0D)),
                'a_p', sum(if({{ q }}, a, 0D)), 'b_p', sum(if({{ q }}, b, 0D)){{ odd }}
                {%- if two_columns %},
                'a2_p', sum(if({{ q }}, a2, 0D)),
                'ab_p', sum(if({{ q }}, ab, 0D)){{ odd }} + 0D * sum(a2)
                {%- endif %}){{ '' if loop.last else ',' }}
            {%- endfor %}))
    FROM moved
    GROUP BY {{ each_window }}
{%- endmacro %}

{# The same, of each combination of predicates that occurs. #}
{% macro _sums_of_atoms(each_window, two_columns) -%}
{%- set odd = ' + 0D * sum(a_p) OVER each_window' -%}
SELECT {{ each_window }}, center, predicate, m, s_p, a_p, b_p{{ odd }} AS b_p,
        sum(m) OVER each_window AS n, sum(s_p) OVER each_window AS s,
        sum(a_p) OVER each_window AS a, sum(b_p) OVER each_window{{ odd }} AS b
        {%- if two_columns %},
        {%- set odd = odd ~ ' + 0D * sum(a2_p) OVER each_window' %}
        a2_p, ab_p{{ odd }} AS ab_p,
        sum(a2_p) OVER each_window AS a2, sum(ab_p) OVER each_window{{ odd }} AS ab
        {%- endif %}
    FROM (
        SELECT {{ each_window }}, predicate, max(center) AS center, CAST(sum(m) AS DOUBLE) AS m,
            sum(s) AS s_p, sum(a) AS a_p, sum(b) AS b_p
            {%- if two_columns %}, sum(a2) AS a2_p, sum(ab) AS ab_p{% endif %}
        FROM moved
        GROUP BY {{ each_window }}, predicate
        HAVING sum(m) <> 0
    )
    WINDOW each_window AS (PARTITION BY {{ each_window }})
{%- endmacro %}

{# What is asked of each window: conditions over the predicates by name; none for atoms. #}
{% macro _asked(queries, names) %}
{%- if queries == 'atoms' -%}
    {% do return(none) %}
{%- elif queries is none -%}
    {%- set asked = {} -%}
    {%- for name in names -%}{%- do asked.update({name: shapwin._identifier(name)}) -%}{%- endfor -%}
    {% do return(asked) %}
{%- elif queries is not mapping -%}
    {%- do shapwin._refuse(
        'queries is ' ~ queries ~ ": give 'atoms', or a dict of name to condition over predicates"
    ) -%}
{%- endif -%}
{% do return(shapwin._conditions('queries', queries)) %}
{% endmacro %}

{# The name of an atom: the predicates that its rows satisfy. #}
{% macro _atom(names) %}
{%- set satisfied = [] -%}
{%- for name in names -%}
    {#- What could be taken for another atom's name stands in backticks. -#}
    {%- set clear = ' AND ' not in name and '`' not in name and name != '(none)' -%}
    {%- set label = name if clear else shapwin._identifier(name) -%}
    {%- do satisfied.append('if(' ~ shapwin._identifier(name) ~ ', ' ~ shapwin._literal(label) ~ ', NULL)') -%}
{%- endfor -%}
{% do return("coalesce(nullif(concat_ws(' AND ', " ~ satisfied | join(', ') ~ "), ''), '(none)')") %}
{% endmacro %}

{% macro _gcd(a, b) %}
{% do return(shapwin._gcd(b, a % b) if b else a) %}
{% endmacro %}
