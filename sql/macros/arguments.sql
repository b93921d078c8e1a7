{# What macros are asked for, checked while dbt compiles. #}

{% macro _refuse(message) %}
{% do exceptions.raise_compiler_error('shapwin: ' ~ message) %}
{% endmacro %}

{% macro _identifier(name) %}
{% do return('`' ~ (name | replace('`', '``')) ~ '`') %}
{% endmacro %}

{% macro _literal(text) %}
{% do return("'" ~ (text | replace('\\', '\\\\') | replace("'", "\\'")) ~ "'") %}
{% endmacro %}

{# SQL text; in parentheses, on lines of its own if it may end with a comment. #}
{% macro _expression(argument, text) %}
{%- if text is none or not (text | string | trim) -%}
    {%- do shapwin._refuse(argument ~ ' is empty: write a column or an expression in quotes') -%}
{%- endif -%}
{%- if text is not string -%}
    {%- do shapwin._refuse(
        argument ~ ' is ' ~ text ~ ', no text: write a column or an expression in quotes'
    ) -%}
{%- endif -%}
{%- set comment = '\n' if '--' in (text | string) else '' -%}
{% do return('(' ~ text ~ comment ~ ')') %}
{% endmacro %}

{# One name or several, each used once. Spark does not tell upper case from lower. #}
{% macro _names(argument, given) %}
{%- if given is string -%}{%- set given = [given] -%}{%- endif -%}
{%- if given is none or given is undefined or given is not iterable -%}
    {%- do shapwin._refuse(argument ~ ' is ' ~ given ~ ': give a name, or a list of names') -%}
{%- endif -%}
{%- set seen = [] -%}
{%- for name in given -%}
    {%- if name is not string or not (name | trim) -%}
        {%- do shapwin._refuse(argument ~ ' has the name ' ~ name ~ ': give it as text') -%}
    {%- elif name | lower in seen -%}
        {%- do shapwin._refuse(argument ~ ' has ' ~ name ~ ' twice: use each name once') -%}
    {%- endif -%}
    {%- do seen.append(name | lower) -%}
{%- endfor -%}
{% do return(given | list) %}
{% endmacro %}

{# Predicates or queries: a dict of name to condition. #}
{% macro _conditions(argument, given) %}
{%- if given is not mapping -%}
    {%- do shapwin._refuse(
        argument ~ ' is ' ~ given ~ ": give a dict of name to condition, {'eu': \"region = 'EU'\"}"
    ) -%}
{%- elif not given -%}
    {%- do shapwin._refuse(argument ~ " is empty: give at least one, {'eu': \"region = 'EU'\"}") -%}
{%- endif -%}
{%- set conditions = {} -%}
{%- for name in shapwin._names(argument, given) -%}
    {%- do conditions.update({name: shapwin._expression(argument ~ '.' ~ name, given[name])}) -%}
{%- endfor -%}
{% do return(conditions) %}
{% endmacro %}

{# Predicates become columns of the pane table, whose other names are taken. #}
{% macro _predicate_names(given, by) %}
{%- set names = shapwin._names('predicates', given) -%}
{%- set columns = ['pane', 'pane_end', 'signature', 'm', 'a', 'b', 'center', 'a2', 'ab', 'center2'] -%}
{%- if names | length > 64 -%}
    {%- do shapwin._refuse(
        'predicates has ' ~ (names | length) ~ ' conditions: at most 64 are possible'
    ) -%}
{%- elif not names -%}
    {%- do shapwin._refuse('predicates is empty: give at least one') -%}
{%- endif -%}
{%- for name in names + by -%}
    {%- if name | lower in columns -%}
        {%- do shapwin._refuse(name ~ ' is the name of a column of the pane table: rename it') -%}
    {%- endif -%}
{%- endfor -%}
{%- for name in names -%}
    {%- if name[:1] == '_' -%}
        {%- do shapwin._refuse('predicate ' ~ name ~ ' begins with an underscore: rename it') -%}
    {%- elif name | lower in by | map('lower') | map('replace', '`', '') -%}
        {%- do shapwin._refuse('predicate ' ~ name ~ ' is also a column of by: rename it') -%}
    {%- endif -%}
{%- endfor -%}
{% do return(names) %}
{% endmacro %}

{% macro _statistic(argument, given) %}
{%- set name = given | string | lower | replace(' ', '') -%}
{%- set name = 'var_pop' if name == 'var' else name -%}
{%- set known = shapwin._closed_forms() | list -%}
{%- if name.startswith('central_moment') -%}
    {%- do shapwin._refuse(
        argument ~ ' is ' ~ given ~ ', which is no macro: use the SQL aggregate or the Column '
        ~ 'function shapley_central_moment, or of macros ' ~ known | join(', ')
    ) -%}
{%- elif name not in known -%}
    {%- do shapwin._refuse(
        argument ~ ' is ' ~ given ~ ', of which no native closed form is known (of max, min and '
        ~ 'quantiles there provably is none): use ' ~ known | join(', ')
    ) -%}
{%- endif -%}
{% do return(name) %}
{% endmacro %}

{# An interval of fixed length, such as 1 hour 30 minutes, in microseconds. #}
{% macro _microseconds(argument, interval, signed=false) %}
{%- set units = {
    'microsecond': 1, 'millisecond': 1000, 'second': 1000000, 'minute': 60000000,
    'hour': 3600000000, 'day': 86400000000, 'week': 604800000000,
} -%}
{%- set part = '([+-]?[0-9]+)(?:[.]([0-9]+))?\\s*([a-z]+)\\s*' -%}
{%- if interval is undefined or interval is none or interval == '' -%}
    {%- do shapwin._refuse(argument ~ " is missing: write its length, '5 minutes'") -%}
{%- endif -%}
{%- set text = modules.re.sub('^interval\\s+', '', interval | string | lower | trim) -%}
{%- if not modules.re.fullmatch('(?:' ~ part ~ ')+', text) -%}
    {%- do shapwin._refuse(argument ~ ' is ' ~ interval ~ ", no interval: write '5 minutes'") -%}
{%- endif -%}
{%- set lengths = [] -%}
{%- for whole, fraction, unit in modules.re.findall(part, text) -%}
    {%- set unit = modules.re.sub('s$', '', unit) -%}
    {%- if unit in ['month', 'quarter', 'year'] -%}
        {%- do shapwin._refuse(
            argument ~ ' is ' ~ interval ~ ', which has no fixed length: write it in weeks, days, '
            ~ 'hours, minutes or seconds (1 day is 24 hours)'
        ) -%}
    {%- elif unit not in units -%}
        {%- do shapwin._refuse(
            argument ~ ' is ' ~ interval ~ ', with the unknown unit ' ~ unit ~ ': use '
            ~ units | join(', ')
        ) -%}
    {%- endif -%}
    {%- set length, scale = (whole ~ fraction) | int * units[unit], 10 ** (fraction | length) -%}
    {%- if length % scale -%}
        {%- do shapwin._refuse(argument ~ ' is ' ~ interval ~ ', finer than a microsecond') -%}
    {%- endif -%}
    {%- do lengths.append(length // scale) -%}
{%- endfor -%}
{%- set length = lengths | sum -%}
{%- if length <= 0 and not signed -%}
    {%- do shapwin._refuse(
        argument ~ ' is ' ~ interval ~ ", which is not positive: write '5 minutes'"
    ) -%}
{%- elif length | abs > 36525 * units['day'] -%}
    {%- do shapwin._refuse(argument ~ ' is ' ~ interval ~ ', longer than 100 years') -%}
{%- endif -%}
{% do return(length) %}
{% endmacro %}

{# Spark's window() of a time: in microseconds, so that a day is 24 hours in every time zone. #}
{% macro _slice(time, length, offset) %}
{% do return(
    'window(' ~ time ~ ", '" ~ length ~ " microseconds', '" ~ length ~ " microseconds', '"
    ~ offset % length ~ " microseconds')"
) %}
{% endmacro %}

{% macro _later(time, length) %}
{% do return('timestampadd(MICROSECOND, ' ~ length ~ 'L, ' ~ time ~ ')') %}
{% endmacro %}
