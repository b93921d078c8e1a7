"""The experiments on Spark in small: the numbers that must hold whatever the machine's speed."""

import pytest
from experiments import EXACT, results_of, run_quickly

pytestmark = pytest.mark.slow

NAMES = ["rq1_spark", "rq2_spark", "rq4b", "rq4b_spark", "flights", "peers_spark", "scale"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run_quickly(tmp_path_factory.mktemp("bench_on_spark"), NAMES)


@pytest.fixture(scope="module")
def on_spark(page):
    return results_of(page)


def test_every_experiment_on_spark_says_what_made_it(on_spark, page):
    assert sorted(on_spark) == sorted(NAMES)
    for name, result in on_spark.items():
        assert result["command"].startswith(f"python bench/{name.partition('_')[0]}.py")
        assert {"pyspark", "shapwin"} <= set(result["versions"]) or name == "rq4b"
    assert "**no**" not in page.read_text()


def test_every_route_on_spark_is_exact(on_spark):
    figures = on_spark["rq1_spark"]["figures"]
    assert figures["windows"] == 2 * 5 * 2 * 7
    assert all(row["max_rel"] <= EXACT for row in figures["rows"])
    assert {row["statistic"]: len(row["routes"]) for row in figures["rows"]} == {
        **dict.fromkeys(("avg", "var_pop", "var_samp", "covar_pop", "covar_samp"), 5),
        **dict.fromkeys(("central_moment(3)", "central_moment(4)"), 1),
    }


def test_all_routes_of_a_frame_on_spark_agree(on_spark):
    figures = on_spark["rq2_spark"]["figures"]
    assert [row["N"] for row in figures["rows"]] == [100, 1000]
    assert all(len(row["us_a_row"]) == 5 for row in figures["rows"])
    assert figures["difference"] <= EXACT


def test_native_spark_agrees(on_spark):
    figures = on_spark["peers_spark"]["figures"]
    assert figures["skipped"] == []
    for row in figures["players"]:
        assert all(row[name]["difference"] <= EXACT for name in ("spark", "duckdb"))
    assert [row["work"] for row in figures["sliding"]["cases"]] == ["players", "members"]
    assert all(row["difference"] <= EXACT for row in figures["sliding"]["cases"])
    assert figures["sliding"]["windows"] > 250  # a day of them


def test_data_sets_on_spark(on_spark):
    for name in ("rq4b_spark", "flights"):
        figures = on_spark[name]["figures"]
        assert figures["difference"] <= EXACT
        assert all(
            figures["atoms"][f"efficiency_{s}"]["max_rel"] <= EXACT for s in ("avg", "var_pop")
        )
        assert len(figures["timeline"]["value"]) == 24 * 12 + 1


def test_a_month_of_trips_on_spark(on_spark):
    figures, in_process = (on_spark[x]["figures"] for x in ("rq4b_spark", "rq4b"))
    assert figures["ticks"] == 8928
    assert figures["atoms"]["max_active"] == 6
    assert figures["peak"]["window_end"] == in_process["peak"]["window_end"]
    for what in ("phi", "var_pop", "m"):
        assert figures["peak"][what] == pytest.approx(in_process["peak"][what], rel=1e-4)


def test_the_worst_hour_of_flights(on_spark):
    """Φ is of the tuples, so what divides a group adds up to it."""
    figures = on_spark["flights"]["figures"]
    assert figures["peak"]["window_end"] == "2013-02-11 22:00"
    for statistic, whole in figures["peak"]["predicates"].items():
        parts = figures["peak"]["combined"][statistic]
        for other in ("kennedy", "regional"):
            phi = [parts[f"florida AND {no}{other}"]["phi"] for no in ("", "NOT ")]
            assert sum(phi) == pytest.approx(whole["florida"]["phi"], rel=1e-4)


def test_the_sizes_that_the_model_takes(on_spark):
    figures = on_spark["scale"]["figures"]
    (model,) = figures["masters"].values()
    assert all(cost >= 0 for cost in model["coefficients"].values())
    assert model["runs"][-1]["rows"] == figures["largest"]
    counted = [run for run in model["runs"] if run["result_rows_counted"] is not None]
    assert len(counted) > 5
    for run in counted:
        assert run["result_rows"] == pytest.approx(run["result_rows_counted"], rel=0.01)
