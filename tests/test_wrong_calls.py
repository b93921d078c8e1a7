"""Wrong calls of the pipeline, each with the message that a user reads; no job starts."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import functions as F

import shapwin
from shapwin import errors

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
    (dict(predicates={"eu": "true", "EU": "false"}), errors.PredicateError, "predicates has 'eu' and 'EU', one name to Spark: rename one"),
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
    (dict(statistics="covar_pop"), errors.ArgumentError, "statistic 'covar_pop' needs a second column: give other='its name'"),
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
    with pytest.raises(errors.ArgumentError, match="df is a stream"):
        shapwin.explain(stream, **{**GOOD, "predicates": {"p": "true"}})
    with pytest.raises(errors.ArgumentTypeError, match="give a Spark DataFrame"):
        shapwin.explain(df.toPandas(), **GOOD)


def test_a_table_that_is_no_pane_table_is_refused(df):
    with pytest.raises(errors.ColumnError, match="panes has no column 'pane'"):
        shapwin.attribute(df, window="1 hour")
