"""The experiments in small: the numbers that must hold whatever the machine's speed."""

import json
import subprocess
import sys

import numpy as np
import pytest
from experiments import BENCH, EXACT, ROOT, results_of, run_quickly

# Those that need no Spark.
NAMES = ["rq1", "rq2", "rq3", "rq4a", "rq4b", "rq5", "peers"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run_quickly(tmp_path_factory.mktemp("bench"), NAMES)


@pytest.fixture(scope="module")
def found(page):
    return results_of(page)


@pytest.fixture
def modules(monkeypatch):
    """The scripts of bench/ as modules."""
    monkeypatch.syspath_prepend(str(BENCH))
    names = ("report", "tables", "trips", "results", "figures", "coalitions", "scale")
    yield lambda name: __import__(name)
    for name in names:
        sys.modules.pop(name, None)


def test_every_experiment_says_what_made_it(found):
    assert sorted(found) == sorted(NAMES)
    for name, result in found.items():
        assert result["command"].startswith(f"python bench/{name}.py")
        assert result["quick"] is True
        assert {"python", "numpy", "shapwin"} <= set(result["versions"])
        assert {"cpu", "cores", "memory_gb"} <= set(result["machine"])
        assert "/tmp" not in json.dumps(result)


def test_every_route_is_exact(found):
    figures = found["rq1"]["figures"]
    assert figures["windows"] == 5 * 5 * 2 * 7
    assert {row["statistic"] for row in figures["rows"]} >= {"avg", "covar_samp", "var_samp"}
    assert all(row["max_rel"] <= EXACT for row in figures["rows"] + figures["atoms"])
    assert all({"closed_form", "rolling"} <= set(row["routes"]) for row in figures["rows"])
    stable = figures["stability"]
    assert max(stable["rolling"], stable["SlidingWindow"]) <= EXACT
    assert stable["unshifted_running_sums"] > 1e-4


def test_the_oracle_is_the_definition(modules):
    from shapwin import enumerate_shapley

    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(2, 3, 5))
    for statistic in ("avg", "var_pop", "var_samp", "covar_samp", "central_moment(4)"):
        other = x if statistic.startswith("covar") else None
        nu, phi = modules("coalitions").exact(statistic, y, other)
        for i in range(3):
            pair = () if other is None else (x[i].tolist(),)
            want = enumerate_shapley(statistic, y[i].tolist(), *pair, fractions=True)
            assert phi[i].tolist() == want
            assert nu[i] == sum(want)


def test_all_routes_of_a_latency_agree(found):
    for rows in found["rq2"]["figures"]["rows"].values():
        assert [row["N"] for row in rows] == [100, 1000, 10_000]
        assert all(row["difference"] <= EXACT for row in rows)
    assert [row["N"] for row in found["rq2"]["figures"]["enumeration"]] == [10, 12]


def test_the_error_of_sampling_falls_with_the_root(found):
    for fit in found["rq3"]["figures"]["fit"].values():
        assert fit["exponent"] == pytest.approx(-0.5, abs=0.12)


def test_atoms_at_once(found):
    rows = {row["K"]: row for row in found["rq4a"]["figures"]["rows"]}
    assert (rows[1]["active_atoms"], rows[8]["active_atoms"]) == (2, 8)
    assert rows[64]["active_atoms"] > 990
    assert all(max(row["efficiency"], row["difference"]) <= EXACT for row in rows.values())


def test_a_month_of_trips(found):
    figures = found["rq4b"]["figures"]
    assert figures["ticks"] == 8928
    assert figures["atoms"]["max_active"] == 6
    assert all(figures["atoms"][f"efficiency_{s}"]["max_rel"] <= EXACT for s in ("avg", "var_pop"))
    assert figures["difference"] <= EXACT
    phi = figures["peak"]["phi"]
    whole = sum(phi[group] for group in ("airport", "manhattan", "NOT (airport OR manhattan)"))
    assert whole == pytest.approx(figures["peak"]["avg"], rel=1e-4)  # six digits are kept


def test_what_phi_means_counted_again(found, modules):
    """The rankings from cumulative sums and harmonic numbers, with nothing of shapwin's."""
    trips = modules("trips")
    month = trips.month(trips.ROWS // 10)
    held = month.predicates()
    other = ~(held["airport"] | held["manhattan"])
    begin, end = month.windows()

    def sums(column):
        total = np.concatenate([[0], np.cumsum(column)])
        return total[end] - total[begin]

    n, whole = end - begin, sums(month.fare)
    groups = [held["airport"], held["manhattan"], other]
    m, part = (np.array([sums(x * g) for g in groups]) for x in (np.ones(len(other)), month.fare))
    harmonic = np.cumsum(1 / np.arange(1, n.max() + 1))[n - 1]
    share, lift = part / n, part / n - m / n * whole / n
    phi = share + n * (harmonic - 1) / (n - 1) * lift
    top = phi.argmax(axis=0) == lift.argmax(axis=0)
    same = (phi.argsort(axis=0) == lift.argsort(axis=0)).all(axis=0)
    rankings, players = (found["rq5"]["figures"][x] for x in ("rankings", "players"))
    assert rankings["top1_agreement"] == pytest.approx(top.mean(), abs=2e-3)
    assert rankings["full_ranking_agreement"] == pytest.approx(same.mean(), abs=2e-3)
    assert rankings["pearson_phi_lift"] == pytest.approx(
        np.corrcoef(phi.ravel(), lift.ravel())[0, 1], abs=1e-4
    )
    assert 0 <= players["top1_agreement"] <= 1
    assert players["difference_from_permutations"] <= EXACT
    assert rankings["top1_differs"]["share_driven"] == 1


def test_peers_agree(found):
    figures = found["peers"]["figures"]
    assert "duckdb" not in figures["skipped"]  # the tests need it anyway
    for row in figures["players"] + figures["tuples"]:
        peers = [solver for solver in row.values() if isinstance(solver, dict)]
        assert all(solver["difference"] <= EXACT for solver in peers)
    assert all(row["efficiency"] <= EXACT for row in figures["shapwin_alone"])


def test_a_model_of_costs_that_are_known(modules):
    rng = np.random.default_rng(0)
    sizes = rng.uniform(1, 1e6, (20, 4))
    fitted = modules("scale").fitted
    exact = np.array([1e-3, 0, 2e-6, 5e-5])
    assert fitted(sizes, sizes @ exact) == pytest.approx(exact, abs=1e-12)
    # One that seems to be negative is left out.
    noisy = sizes @ exact - 1e-7 * sizes[:, 1]
    assert fitted(sizes, noisy)[1] == 0


def test_the_report_shows_every_figure_of_the_paper(page, modules, tmp_path):
    report = modules("report")
    folder = tmp_path / "results"
    folder.mkdir()
    for path in (page.parent / "results").glob("*.json"):
        (folder / path.name).write_text(path.read_text())
    paper = report.Paper()
    written = report.write(tmp_path, paper)
    assert written.read_text() == page.read_text()
    for experiment in ("rq1", "rq2", "rq3", "rq4a", "rq4b", "rq5", "stability"):
        assert paper.missing(experiment) == []
    assert "**no**" not in written.read_text()
    assert not any(f"bench/run.py {name}`" in written.read_text() for name in NAMES)


def test_the_page_is_made_of_its_results(modules, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for path in (BENCH / "results").glob("*.json"):
        assert json.loads(path.read_text())["quick"] is False
        (folder / path.name).write_text(path.read_text())
    written = modules("report").write(tmp_path)
    assert written.read_text() == (BENCH / "README.md").read_text()


def test_a_month_of_tlc_trips(modules, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    day = np.datetime64("2024-01-02T10:00:00", "us")
    table = pa.table(
        {
            "tpep_pickup_datetime": day + np.array([60, 0, 120, -(86400 * 3), 30], "m8[s]"),
            "fare_amount": [12.5, 70.0, 0.0, 9.0, 501.0],
            "trip_distance": [2.0, 17.5, 1.0, 1.0, 1.0],
            "PULocationID": pa.array([161, 132, 161, 161, 161], pa.int32()),
        }
    )
    pq.write_table(table, tmp_path / "tlc.parquet")
    read = modules("trips").read(tmp_path / "tlc.parquet")
    assert read.source == "TLC"
    assert read.fare.tolist() == [70.0, 12.5]  # in order of time; no fare, and too much, are out
    assert read.seconds.tolist() == [86400 + 36000, 86400 + 36060]
    assert {name: held.tolist() for name, held in read.predicates().items()} == {
        "airport": [True, False],
        "manhattan": [False, True],
        "longtrip": [True, False],
    }


def test_a_name_that_is_none():
    command = [sys.executable, str(BENCH / "run.py"), "rq9"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert "no experiment is named 'rq9'" in done.stderr
