"""The model against every measured run that is carried: the figures it must keep, so that a worse model fails here."""

from typing import Any

import numpy as np
import pytest

from estimator.calibration.measured import CORE, MIB, measured_runs, read_table, size_class
from estimator.calibration.report import DOCUMENT, Compared, compared_runs, document, report, source_text
from estimator.catalog.loader import load_catalog
from estimator.performance.prediction import predict

CATALOG = load_catalog()
ALL = compared_runs(CATALOG)
CORE_RUNS = [item for item in ALL if item.run.family == CORE]


def errors(items: list[Compared], name: str) -> Any:
    return np.array(
        [
            abs(error)
            for item in items
            for size, error in zip(item.run.message_bytes, item.error, strict=True)
            if size_class(size) == name
        ]
    )


def test_runs_points_and_sources_belong_together() -> None:
    runs = measured_runs()
    assert len({(run.name, run.collective) for run in runs}) == len(runs) == 303
    assert sum(len(run.time_us) for run in runs) == len(read_table("points.csv")) == 3508
    for run in runs:
        assert source_text(run.source)
        assert run.system["gpu"] in CATALOG.gpus
        assert list(run.message_bytes) == sorted(run.message_bytes)
        assert min(run.time_us) > 0


@pytest.mark.parametrize(
    ("name", "median", "nine_in_ten"), [("large", 0.022, 0.10), ("mid", 0.095, 0.33), ("small", 0.085, 0.28)]
)
def test_core_runs_of_all_collectives_are_met(name: str, median: float, nine_in_ten: float) -> None:
    found = errors(CORE_RUNS, name)
    assert len(found) > 150
    assert np.median(found) <= median
    assert np.quantile(found, 0.9) <= nine_in_ten


def test_three_domains_and_more_are_met_on_large_messages() -> None:
    found = errors([item for item in CORE_RUNS if item.run.n_domains >= 3], "large")
    assert len(found) > 100
    assert np.median(found) <= 0.02


@pytest.mark.parametrize(
    "collective", ["all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"]
)
def test_every_collective_is_met_on_large_messages(collective: str) -> None:
    assert np.median(errors([item for item in CORE_RUNS if item.run.collective == collective], "large")) <= 0.05


@pytest.mark.parametrize(("family", "most"), [("amd", 0.05), ("slingshot", 0.09)])
def test_other_families_are_met_on_large_messages(family: str, most: float) -> None:
    assert np.median(errors([item for item in ALL if item.run.family == family], "large")) <= most


@pytest.mark.parametrize("algorithm", ["ring", "tree"])
@pytest.mark.parametrize("protocol", ["ll", "ll128", "simple"])
def test_forced_algorithms_on_own_machine(algorithm: str, protocol: str) -> None:
    run = next(item for item in ALL if item.run.name == f"own_h100x4_algo_{algorithm}_{protocol}")
    assert errors([run], "large").max() <= 0.10


def test_nine_points_in_ten_lie_inside_bands_that_are_narrow() -> None:
    inside = np.concatenate([item.is_inside for item in CORE_RUNS])
    assert 0.86 <= inside.mean() <= 0.94
    assert max(float(np.max(item.high_us / item.low_us)) for item in CORE_RUNS) <= 2.5


def test_a_batch_of_runs_is_its_requests_one_by_one() -> None:
    for item in CORE_RUNS[::17]:
        rows = predict(item.run.request, CATALOG)["rows"]
        assert [row["time_us"] for row in rows] == pytest.approx(item.predicted_us.tolist(), rel=1e-12)


@pytest.mark.parametrize("row", read_table("comparisons.csv"), ids=lambda row: row["name"])
def test_one_thing_changed_moves_the_prediction_the_same_way(row: dict[str, str]) -> None:
    """The same machines with one thing changed: measured and predicted bandwidth, variant over base."""
    runs = {(run.name, run.collective): run for run in measured_runs()}
    times = []
    for name in (row["base_run"], row["variant_run"]):
        request = runs[name, row["collective"]].request | {"message_bytes": [int(row["message_bytes"])]}
        times.append(predict(request, CATALOG)["rows"][0]["time_us"])
    predicted = bandwidth_ratio(row, times, runs)
    assert predicted == pytest.approx(float(row["measured_ratio"]), rel=0.15)


def bandwidth_ratio(row: dict[str, str], times_us: list[float], runs: dict[Any, Any]) -> float:
    gpus = [runs[name, row["collective"]].gpus for name in (row["base_run"], row["variant_run"])]
    factors = [2 * (n - 1) / n if row["collective"] == "all_reduce" else (n - 1) / n for n in gpus]
    return factors[1] / times_us[1] / (factors[0] / times_us[0])


def test_the_report_names_its_worst() -> None:
    made = report(CATALOG)
    assert made.runs == len(CORE_RUNS)
    assert made.points == sum(len(item.run.time_us) for item in CORE_RUNS)
    worst = [abs(row.error) for row in made.worst]
    assert worst == sorted(worst, reverse=True)
    assert worst[0] == max(float(np.max(np.abs(item.error))) for item in CORE_RUNS)
    assert all(row.message_bytes >= 1 and row.source for row in made.worst)
    assert size_class(64 * MIB) == "large"
    assert size_class(MIB) == "mid"


def test_the_document_is_what_the_command_writes() -> None:
    written = DOCUMENT.read_text(encoding="utf-8")
    assert written == document(CATALOG), "run python -m estimator.calibration.report"
