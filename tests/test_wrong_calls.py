"""Wrong calls of every kind, each with the message that a user reads.

Those of the pipeline and of the Column functions are refused before a job starts, those of the SQL
aggregates at the first row: Spark offers them no earlier moment.
"""

from __future__ import annotations

import re

import pytest
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import functions as F

import shapwin
from shapwin import errors
from shapwin import functions as S

pytestmark = pytest.mark.oldest

GOOD = dict(
    value="fare", time="t", window="1 hour", every="5 minutes", predicates={"eu": "region = 'EU'"}
)

WRONG = [
    (dict(value="fair"), errors.ColumnError, "value='fair': there is no such column; did you mean 'fare'?"),
    (dict(value="region"), errors.ArgumentTypeError, "value='region' is STRING: give a column of numbers, or cast it first"),
    (dict(value=3), errors.ArgumentTypeError, "value=3: give a column's name, or a Column"),
    (dict(time="text"), errors.ArgumentTypeError, "time='text' is STRING: give a TIMESTAMP, TIMESTAMP_NTZ or DATE, as in df.withColumn('time', F.to_timestamp('text'))"),
    (dict(time="number"), errors.ArgumentTypeError, "time='number' is BIGINT: give a TIMESTAMP, TIMESTAMP_NTZ or DATE, as in df.withColumn('time', F.timestamp_seconds('number'))"),
    (dict(window="1 month"), errors.IntervalError, "window='1 month' has no fixed length: write it in weeks, days, hours, minutes or seconds (1 day is 24 hours)"),
    (dict(window="0 seconds"), errors.IntervalError, "window='0 seconds' is not positive: write '5 minutes'"),
    (dict(every="-5 minutes"), errors.IntervalError, "every='-5 minutes' is not positive: write '5 minutes'"),
    (dict(every="soon"), errors.IntervalError, "every='soon' is no interval: write '5 minutes' or '1 hour'"),
    (dict(every="5 fortnights"), errors.IntervalError, "every='5 fortnights' has the unknown unit 'fortnights': use microsecond, millisecond, second, minute, hour, day, week"),
    (dict(every=5), errors.IntervalError, "every=5 is no interval: write '5 minutes'"),
    (dict(predicates={"eu": "region = "}), errors.PredicateError, "predicate 'eu' does not parse: region =  (Syntax error at or near end of input)"),
    (dict(predicates={"eu": "regoin = 'EU'"}), errors.PredicateError, "predicate 'eu' cannot be used: regoin = 'EU' ("),
    (dict(predicates={"eu": "region"}), errors.PredicateError, "predicate 'eu' is STRING, not BOOLEAN: region; write a condition such as region = 'EU'"),
    (dict(predicates={"eu": "sum(fare) > 3"}), errors.PredicateError, "predicate 'eu' cannot be used: sum(fare) > 3 ("),
    (dict(predicates={"eu": "region = 'EU', true"}), errors.PredicateError, "predicate 'eu' does not parse: region = 'EU', true ("),
    (dict(predicates={"eu": "true); DROP TABLE trips; --"}), errors.PredicateError, "predicate 'eu' does not parse: true); DROP TABLE trips; -- ("),
    (dict(predicates={"eu": 3}), errors.PredicateError, "predicate 'eu' is 3: give a condition as SQL text or a Column"),
    (dict(predicates={"": "true"}), errors.PredicateError, "a predicate is named '': give it a name"),
    (dict(predicates={"eu": "true", "EU": "false"}), errors.PredicateError, "predicates has 'eu' and 'EU', one name to Spark: leave one out, or rename it"),
    (dict(predicates={"eu": "region = 'EU' AND"}), errors.PredicateError, "predicate 'eu' does not parse: region = 'EU' AND (its last word would name what stands before it: is an AND or OR missing?)"),
    (dict(predicates={"eu": "fare > 12 fare"}), errors.PredicateError, "predicate 'eu' does not parse: fare > 12 fare (its last word would name what stands before it: is an AND or OR missing?)"),
    (dict(predicates={"eu": "true AS x"}), errors.PredicateError, "predicate 'eu' does not parse: true AS x (its last word would name what stands before it: is an AND or OR missing?)"),
    (dict(predicates={"eu": "true) OR (false"}), errors.PredicateError, "predicate 'eu' does not parse: true) OR (false ("),
    (dict(queries={"x": "eu eu"}), errors.QueryError, "query 'x' does not parse: eu eu (its last word would name what stands before it: is an AND or OR missing?)"),
    (dict(statistics="mean"), errors.StatisticError, "statistic 'mean' is not known (did you mean 'avg'?): use one of sum, count, avg, var_pop, var_samp, covar_pop, covar_samp"),
    (dict(statistics="max"), errors.StatisticError, "statistic 'max' provably has no closed form over power sums of any fixed order (Khani & Assent, Proposition 5): use one of sum, count, avg, var_pop, var_samp, covar_pop, covar_samp"),
    (dict(statistics="central_moment(3)"), errors.StatisticError, "statistic 'central_moment(3)' is not available on DataFrames: use one of sum, count, avg, var_pop, var_samp, covar_pop, covar_samp; or shapwin.functions.shapley_central_moment in groupBy(F.window(…))"),
    (dict(statistics=["avg", "AVG"]), errors.ColumnError, "statistics has 'avg' and 'AVG', one name to Spark: leave one out, or rename it"),
    (dict(predicates=["true"]), errors.ArgumentTypeError, "predicates=['true']: give a dict of name to SQL condition, as in {'eu': \"region = 'EU'\"}"),
    (dict(predicates={}), errors.ArgumentError, "predicates is empty: give at least one, or queries='atoms'"),
    (dict(predicates={f"p{i}": "true" for i in range(65)}), errors.PredicateError, "65 predicates: at most 64 are possible"),
    (dict(queries={"x": "eu AND us"}), errors.QueryError, "query 'x' cannot be used: eu AND us ("),
    (dict(queries={"x": "fare > 3"}), errors.QueryError, "query 'x' cannot be used: fare > 3 ("),
    (dict(queries="atom"), errors.QueryError, "queries='atom': give 'atoms', or a dict of name to condition over predicate names, as in {'both': 'a AND b'}"),
    (dict(queries={}), errors.QueryError, "queries={}: give 'atoms', or a dict of name to condition over predicate names, as in {'both': 'a AND b'}"),
    (dict(by="vendr"), errors.ColumnError, "by='vendr': there is no such column; did you mean 'vendor'?"),
    (dict(by=["vendor", "vendor"]), errors.ColumnError, "by has 'vendor' twice: use each name once"),
    (dict(by="value"), errors.ColumnError, "by column 'value' has the name of a result column: rename it first, as in df.withColumnRenamed('value', 'value_key')"),
    (dict(statistics="covar_pop"), errors.ArgumentError, "statistic 'covar_pop' needs a second column: give explain or panes other='its name'"),
    (dict(statistics=[]), errors.StatisticError, "statistics is empty: use some of sum, count, avg, var_pop, var_samp, covar_pop, covar_samp"),
    (dict(predicates={"_m": "true"}), errors.PredicateError, "predicate '_m' has a name that is kept for the pipeline: drop the underscore"),
    (dict(predicates={"_by0": "true"}), errors.PredicateError, "predicate '_by0' has a name that is kept for the pipeline: drop the underscore"),
    (dict(window="1000000 days", every="1 day"), errors.IntervalError, "window='1000000 days' is longer than 100 years: give a shorter one"),
    (dict(window="99 weeks", every="1 second"), errors.IntervalError, "window='99 weeks' has 59,875,200 steps of every='1 second', more than 1,000,000: take longer steps or a shorter window"),
    (dict(center={"z": 1.0}, by="number"), errors.ArgumentTypeError, "center has the key 'z' but the by column is BIGINT: give its values as keys"),
    (dict(center={3: 1.0}, by="vendor"), errors.ArgumentTypeError, "center has the key 3 but the by column is STRING: give its values as keys"),
    (dict(closed="both"), errors.ArgumentError, "closed='both': use 'left' or 'right'"),
    (dict(empty="fill"), errors.ArgumentError, "empty='fill': use 'skip' or 'emit'"),
    (dict(center="mean"), errors.ArgumentTypeError, "center='mean': give a number, or a dict of key to number"),
    (dict(center={"a": 1.0}), errors.ArgumentError, "center is a dict but there is no by column: give one number"),
    (dict(multiplicity="fare"), errors.ArgumentTypeError, "multiplicity='fare' is DOUBLE: give a column of whole numbers"),
]  # fmt: skip


@pytest.fixture(scope="module")
def df(spark):
    return spark.createDataFrame(
        [], "t timestamp, fare double, region string, vendor string, value int, text string, number bigint"
    )  # fmt: skip


@pytest.mark.parametrize(("change", "kind", "message"), WRONG)
def test_wrong_calls_say_what_to_do(df, change, kind, message):
    with pytest.raises(kind, match=f"^{re.escape(message)}") as caught:
        shapwin.explain(df, **{**GOOD, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("statistic", ["max", "min", "median", "stddev", "skewness", "avrage"])
def test_statistics_without_a_closed_form_are_refused(df, statistic):
    with pytest.raises(errors.StatisticError, match=statistic):
        shapwin.explain(df, **GOOD, statistics=statistic)


def test_a_value_that_is_no_value_of_a_row_is_refused(df):
    for value in (F.sum("fare"), F.explode(F.array(F.lit(1.0)))):
        with pytest.raises(errors.ColumnError, match=r"^value=Column<.*> cannot be used: "):
            shapwin.explain(df, **{**GOOD, "value": value})


def test_a_stream_and_a_pandas_frame_are_refused(spark, df):
    stream = spark.readStream.format("rate").load().withColumnRenamed("timestamp", "t")
    with pytest.raises(errors.ArgumentError, match=r"time='t' of the stream has no watermark"):
        shapwin.explain(stream, **{**GOOD, "predicates": {"p": "true"}})
    with pytest.raises(errors.ArgumentTypeError, match="give a Spark DataFrame"):
        shapwin.explain(df.toPandas(), **GOOD)


def test_a_table_that_is_no_pane_table_is_refused(df):
    with pytest.raises(errors.ColumnError, match="panes has no column 'pane'"):
        shapwin.attribute(df, window="1 hour")


# ---- SQL aggregates --------------------------------------------------------------------------

SQL = [
    ("shapley_avg(y, 'EU')", "ArgumentTypeError: shapley_avg: predicate is STRING, not BOOLEAN: write a condition, such as region = 'EU'"),
    ("shapley_avg('abc', true)", "ArgumentTypeError: shapley_avg: value is STRING, not a number: write double(value) if it holds numbers"),
    ("shapley_var(current_timestamp(), true)", "ArgumentTypeError: shapley_var: value is TIMESTAMP, not a number: write unix_micros(value) / 1e6, its seconds"),
    ("shapley_var(current_date(), true)", "ArgumentTypeError: shapley_var: value is DATE, not a number: write unix_date(value), its days"),
    ("shapley_avg(y > 1, true)", "ArgumentTypeError: shapley_avg: value is BOOLEAN, not a number: write int(value)"),
    ("shapley_avg(array('a'), true)", "ArgumentTypeError: shapley_avg: value is array<string>: give a number, or a summary as shapley_summary makes it, struct<m:bigint,a:double,b:double,center:double>"),
    ("shapley_avg(struct(1 AS u), true)", "ArgumentTypeError: shapley_avg: value is struct<u:int>: give a number, or a summary as shapley_summary makes it, struct<m:bigint,a:double,b:double,center:double>"),
    ("shapley_covar_pop(y, 'x', true)", "ArgumentTypeError: shapley_covar_pop: other is STRING, not a number: write double(other) if it holds numbers"),
    ("shapley_avg(y)", "ArgumentError: shapley_avg takes (value, predicate): predicate is missing"),
    ("shapley_avg()", "ArgumentError: shapley_avg takes (value, predicate): value and predicate are missing"),
    ("shapley_avg(y, true, 1)", "ArgumentError: shapley_avg takes (value, predicate): 3 arguments are too many"),
    ("shapley_avg(y, condition => true)", "ArgumentError: shapley_avg takes (value, predicate): it has no argument 'condition'"),
    ("shapley_avg(y, value => 1)", "ArgumentError: shapley_avg takes (value, predicate): value was given twice"),
    ("shapley_explain(y, true, 'covar_pop')", "ArgumentError: shapley_explain: 'covar_pop' needs a second column: use shapley_covar_pop"),
    ("shapley_explain(y, true, CAST(y AS STRING))", "ArgumentError: shapley_explain: statistic is not one literal value: write it out, such as 'avg'"),
    ("shapley_explain(y, true, NULL)", "ArgumentError: shapley_explain: statistic is NULL: write it out, such as 'avg'"),
    ("shapley_central_moment(y, true, 7)", "ArgumentError: shapley_central_moment: order is 7: give a whole number from 2 to 6"),
    ("shapley_central_moment(y, true, 2.5)", "ArgumentError: shapley_central_moment: order is 2.5: give a whole number from 2 to 6"),
    ("shapley_central_moment(y, true, '3')", "ArgumentError: shapley_central_moment: order is '3': give a whole number from 2 to 6"),
    ("shapley_central_moment(y, true, 3.0D)", "ArgumentError: shapley_central_moment: order is 3.0: give a whole number from 2 to 6"),
    ("shapley_central_moment(struct(1L AS m, y AS a, y AS b, y AS center), true, 2)", "ArgumentError: shapley_central_moment: value is a summary, which has not the powers of central_moment(2): give the numbers themselves"),
]  # fmt: skip


def refusal(spark, query):
    """The last line of the error that a query ends with."""
    with pytest.raises(PythonException) as caught:
        spark.sql(query).collect()
    lines = [line for line in str(caught.value).splitlines() if line.startswith("shapwin.")]
    assert lines, caught.value
    return lines[-1].removeprefix("shapwin.errors.")


@pytest.fixture(scope="module")
def arrow(spark):
    shapwin.register(spark)


@pytest.mark.parametrize(("call", "message"), SQL)
def test_sql_aggregates_say_what_to_do(spark, arrow, call, message):
    assert refusal(spark, f"SELECT {call} FROM VALUES (1.0D), (2.0D) AS t(y)") == message


def test_explain_in_flavor_pandas_names_the_arrow_flavor(spark):
    shapwin.register(spark, flavor="pandas")
    assert refusal(spark, "SELECT shapley_explain(1, true, 'avg')") == (
        "ArgumentTypeError: shapley_explain returns a struct, which a pandas function cannot: "
        "call shapwin.register(spark, flavor='arrow')"
    )


def test_a_flavor_that_there_is_not(spark):
    with pytest.raises(errors.ArgumentError) as caught:
        shapwin.register(spark, flavor="polars")
    assert str(caught.value) == "flavor 'polars' is not available: use 'arrow' or 'pandas'"


# ---- Column functions ------------------------------------------------------------------------

COLUMNS = [
    (lambda: S.shapley_avg("fare", 3), errors.ArgumentTypeError, "shapley_avg: predicate is 3: give a Column or SQL text"),
    (lambda: S.shapley_avg(3, "true"), errors.ArgumentTypeError, "shapley_avg: value is 3: give a Column or the name of one"),
    (lambda: S.shapley_avg("fare", "true", center="high"), errors.ArgumentTypeError, "shapley_avg: center is 'high': give a number"),
    (lambda: S.shapley_avg("fare", "region = = 'EU'"), errors.PredicateError, "shapley_avg: predicate does not parse: region = = 'EU' (Syntax error at or near '=')"),
    (lambda: S.shapley_explain("fare", "true", "covar_pop"), errors.ArgumentError, "shapley_explain: 'covar_pop' needs a second column: give other='its name'"),
    (lambda: S.shapley_explain("fare", "true", "central_moment(5)"), errors.StatisticError, "shapley_explain: 'central_moment(5)' has no native form, as Spark has no powers above the fourth: call shapwin.register(spark) and F.call_function('shapley_central_moment', value, predicate, F.lit(5))"),
    (lambda: S.attributions("fare", {"p": "true"}, "central_moment(6)"), errors.StatisticError, "attributions: 'central_moment(6)' has no native form, as Spark has no powers above the fourth: call shapwin.register(spark) and F.call_function('shapley_central_moment', value, predicate, F.lit(6))"),
    (lambda: S.shapley_central_moment("fare", "true", 5), errors.StatisticError, "shapley_central_moment: 'central_moment(5)' has no native form, as Spark has no powers above the fourth: call shapwin.register(spark) and F.call_function('shapley_central_moment', value, predicate, F.lit(5))"),
    (lambda: S.shapley_central_moment("fare", "true", 1), errors.StatisticError, "shapley_central_moment: order is 1: give 2, 3 or 4"),
    (lambda: S.shapley_avg("fare", "region = 'EU' AND"), errors.PredicateError, "shapley_avg: predicate does not parse: region = 'EU' AND (its last word would name what stands before it: is an AND or OR missing?)"),
    (lambda: S.attributions("fare", {"good": "true", "bad": "fare >"}), errors.PredicateError, "attributions: predicate 'bad' does not parse: fare > (Syntax error at or near end of input)"),
    (lambda: S.shapley_avg("fare", "true", center=(1.0, 2.0)), errors.ArgumentTypeError, "shapley_avg: center is (1.0, 2.0): give a number"),
    (lambda: S.shapley_central_moment("fare", "true", 3.0), errors.ArgumentTypeError, "shapley_central_moment: order is 3.0: give a whole number, such as 3"),
    (lambda: S.shapley_central_moment("fare", "true", True), errors.ArgumentTypeError, "shapley_central_moment: order is True: give a whole number, such as 3"),
    (lambda: S.shapley_central_moment("fare", "true", '3'), errors.ArgumentTypeError, "shapley_central_moment: order is '3': give a whole number, such as 3"),
    (lambda: S.shapley_central_moment("fare", "true", None), errors.ArgumentTypeError, "shapley_central_moment: order is None: give a whole number, such as 3"),
    (lambda: S.attributions("fare", {}), errors.ArgumentError, "attributions: predicates is empty: give at least one, {'name': '…'}"),
    (lambda: S.attributions("fare", {" ": "true"}), errors.PredicateError, "attributions: a predicate is named '': give it a name"),
    (lambda: S.shapley_avg("fare", "true", "w"), errors.ArgumentTypeError, "shapley_avg: window is 'w': give a WindowSpec, such as Window.partitionBy('city').orderBy('t').rowsBetween(-9, 0)"),
    (lambda: S.attributions("fare", {"p": "true"}, window=3), errors.ArgumentTypeError, "attributions: window is 3: give a WindowSpec, such as Window.partitionBy('city').orderBy('t').rowsBetween(-9, 0)"),
    (lambda: S.shapley_explain("fare", "true", "avg", window="w"), errors.ArgumentTypeError, "shapley_explain: window is 'w': give a WindowSpec, such as Window.partitionBy('city').orderBy('t').rowsBetween(-9, 0)"),
    (lambda: S.attributions("fare", {"p": "true"}, []), errors.ArgumentError, "attributions: statistics is empty: give at least one, such as 'avg'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), COLUMNS)
def test_column_functions_say_what_to_do(spark, call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


# A Column learns its type from a DataFrame: then Spark's analysis fails with these words.
COLUMN_TYPES = [
    ("shapley_avg", ("region", "true"), "value is STRING, not a number: write double(value) if it holds numbers"),
    ("shapley_avg", ("t", "true"), "value is TIMESTAMP, not a number: write unix_micros(value) / 1e6, its seconds"),
    ("shapley_avg", (F.array, "true"), "value is ARRAY<VOID>, not a number: give a number"),
    ("shapley_covar_pop", ("fare", "region", "true"), "other is STRING, not a number: write double(other) if it holds numbers"),
    ("shapley_avg", ("fare", "region"), "predicate is STRING, not BOOLEAN: write a condition, such as region = 'EU'"),
    ("shapley_avg", ("fare", "1"), "predicate is INT, not BOOLEAN: write a condition, such as region = 'EU'"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments", "message"), COLUMN_TYPES)
def test_column_functions_refuse_types_before_any_job(df, function, arguments, message):
    arguments = [argument() if callable(argument) else argument for argument in arguments]
    with pytest.raises(AnalysisException) as caught:
        df.agg(getattr(S, function)(*arguments))
    assert f"`{function}: {message}`" in str(caught.value)
