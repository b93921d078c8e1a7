{# Φ of an aggregate as native SQL: with `over`, a window function; without, for GROUP BY. #}

{% macro shapley_sum(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'sum', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_count(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'count', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_avg(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'avg', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_var(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'var_pop', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_var_pop(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'var_pop', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_var_samp(value, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'var_samp', value, none, predicate, over) }}
{%- endmacro %}

{% macro shapley_covar_pop(value, other, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'covar_pop', value, other, predicate, over) }}
{%- endmacro %}

{% macro shapley_covar_samp(value, other, predicate, over=none) -%}
    {{ shapwin._attribution('phi', 'covar_samp', value, other, predicate, over) }}
{%- endmacro %}

{# Φ with all its parts: STRUCT<statistic, n, value, m, phi, share, lift, weight>. #}
{% macro shapley_explain(value, predicate, statistic, over=none, other=none) -%}
    {%- set statistic = shapwin._statistic('statistic', statistic) -%}
    {{ shapwin._attribution('explanation', statistic, value, other, predicate, over) }}
{%- endmacro %}

{# A closed form over a struct of Spark's own aggregates. The lambda names the struct, so that each
of them is computed once, however often the closed form uses it. #}
{% macro _attribution(form, statistic, value, other, predicate, over) -%}
    {%- set closed_form = shapwin._closed_forms()[statistic] -%}
    {%- set member = shapwin._expression('predicate', predicate) -%}
    {%- set y, x = shapwin._number('value', value), none -%}
    {%- if 'ab' in closed_form['needs'] -%}
        {%- if other is none -%}
            {%- do shapwin._refuse(statistic ~ " needs a second column: give other='its name'") -%}
        {%- endif -%}
        {%- set x = 'if(' ~ y ~ ' IS NOT NULL, ' ~ shapwin._number('other', other) ~ ', NULL)' -%}
        {%- set y = 'if(' ~ shapwin._number('other', other) ~ ' IS NOT NULL, ' ~ y ~ ', NULL)' -%}
    {%- endif -%}
    {%- set y_p = 'if(' ~ member ~ ', ' ~ y ~ ', NULL)' -%}
    {%- set x_p = 'if(' ~ member ~ ', ' ~ x ~ ', NULL)' -%}
    {%- set group = shapwin._aggregates(closed_form['needs'], 'm', y_p, x_p, over) -%}
    {%- set aggregates = shapwin._aggregates(closed_form['needs'], 'n', y, x, over)
        + ["'groups', array(named_struct(" ~ group | join(', ') ~ '))'] -%}
    transform(array(named_struct({{ aggregates | join(', ') }})), s -> {{ closed_form[form] }})[0]
{%- endmacro %}

{# Times 1D and not CAST AS DOUBLE, which would take a TIMESTAMP or a BOOLEAN for a number. A STRING
would become NULL, unless Spark is in ANSI mode. #}
{% macro _number(argument, text) %}
{%- set number = shapwin._expression(argument, text) -%}
{%- set message = shapwin._literal(
    'shapwin: ' ~ argument ~ ' is STRING, not a number: cast it to DOUBLE first'
) -%}
{% do return(
    '1D * if(typeof(' ~ number ~ ") = 'string', CAST(raise_error(" ~ message ~ ') AS DOUBLE), '
    ~ number ~ ')'
) %}
{% endmacro %}

{# The aggregates of the window or of a group in it, by the names that closed forms give them: 0
where there are no values. #}
{% macro _aggregates(needs, count, y, x, over) %}
{%- set over = shapwin._over(over) -%}
{%- set aggregates = ["'" ~ count ~ "', CAST(count(" ~ y ~ ')' ~ over ~ ' AS DOUBLE)'] -%}
{%- if 'a' in needs -%}
    {%- do aggregates.append("'total', coalesce(sum(" ~ y ~ ')' ~ over ~ ', 0D)') -%}
{%- endif -%}
{%- if 's' in needs -%}
    {%- do aggregates.append("'sum', coalesce(sum(" ~ y ~ ')' ~ over ~ ', 0D)') -%}
{%- endif -%}
{%- if 'b' in needs -%}
    {%- do aggregates.append("'var', coalesce(var_pop(" ~ y ~ ')' ~ over ~ ', 0D)') -%}
{%- endif -%}
{%- if 'ab' in needs -%}
    {%- do aggregates.append("'total2', coalesce(sum(" ~ x ~ ')' ~ over ~ ', 0D)') -%}
    {%- do aggregates.append("'cov', coalesce(covar_pop(" ~ y ~ ', ' ~ x ~ ')' ~ over ~ ', 0D)') -%}
{%- endif -%}
{% do return(aggregates) %}
{% endmacro %}

{# The name of a window, or what stands between its parentheses, with or without them. #}
{% macro _over(over) %}
{%- if over is none -%}
    {% do return('') %}
{%- elif over is not string -%}
    {%- do shapwin._refuse(
        'over is ' ~ over ~ ", no text: write what stands in OVER (…), such as 'PARTITION BY city'"
    ) -%}
{%- elif modules.re.fullmatch('\\s*([(].*[)]|\\w+|`.*`)\\s*', over, modules.re.DOTALL) -%}
    {% do return(' OVER ' ~ over | trim) %}
{%- endif -%}
{% do return(' OVER (' ~ over ~ ')') %}
{% endmacro %}
