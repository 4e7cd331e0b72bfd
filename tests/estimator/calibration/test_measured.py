"""The model against every measured run that is carried: the figures it must keep, so that a worse model fails here."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from estimator.calibration.bands import sites_of
from estimator.calibration.global_fit import FAMILY_WEIGHTS
from estimator.calibration.held_out import Compared, coverage
from estimator.calibration.measured import CORE, MIB, measured_runs, read_table, size_class, sources
from estimator.calibration.report import DOCUMENT
from estimator.calibration.validation.compared import compared_runs
from estimator.calibration.validation.document import document
from estimator.calibration.validation.errors import coverage_rows
from estimator.calibration.validation.report import Report, report
from estimator.catalog.loader import load_catalog
from estimator.performance.bands import DOMAINS
from estimator.performance.prediction import predict

CATALOG = load_catalog()


@cache
def all_runs() -> tuple[Compared, ...]:
    return tuple(compared_runs(CATALOG))


@cache
def core_runs() -> tuple[Compared, ...]:
    return tuple(item for item in all_runs() if item.run.family == CORE)


@cache
def made_report() -> Report:
    return report(CATALOG)


def errors(items: Sequence[Compared], name: str) -> Any:
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
    assert len({(run.name, run.collective) for run in runs}) == len(runs) == 574
    assert sum(len(run.time_us) for run in runs) == len(read_table("points.csv")) == 6338
    for run in runs:
        assert str(sources()[run.source])
        assert run.system["gpu"] in CATALOG.gpus
        assert list(run.message_bytes) == sorted(run.message_bytes)
        assert min(run.time_us) > 0


@pytest.mark.parametrize(
    ("name", "median", "nine_in_ten"), [("large", 0.024, 0.10), ("mid", 0.09, 0.26), ("small", 0.075, 0.23)]
)
def test_core_runs_of_all_collectives_are_met(name: str, median: float, nine_in_ten: float) -> None:
    found = errors(core_runs(), name)
    assert len(found) > 150
    assert np.median(found) <= median
    assert np.quantile(found, 0.9) <= nine_in_ten


def test_three_domains_and_more_are_met_on_large_messages() -> None:
    found = errors([item for item in core_runs() if item.run.n_domains >= 3], "large")
    assert len(found) > 100
    assert np.median(found) <= 0.025


@pytest.mark.parametrize(
    "collective", ["all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"]
)
def test_every_collective_is_met_on_large_messages(collective: str) -> None:
    assert np.median(errors([item for item in core_runs() if item.run.collective == collective], "large")) <= 0.05


@pytest.mark.parametrize(("family", "most"), [("amd", 0.05), ("slingshot", 0.10)])
def test_other_families_are_met_on_large_messages(family: str, most: float) -> None:
    assert np.median(errors([item for item in all_runs() if item.run.family == family], "large")) <= most


@pytest.mark.parametrize("algorithm", ["ring", "tree"])
@pytest.mark.parametrize("protocol", ["ll", "ll128", "simple"])
def test_forced_algorithms_on_own_machine(algorithm: str, protocol: str) -> None:
    run = next(item for item in all_runs() if item.run.name == f"own_h100x4_algo_{algorithm}_{protocol}")
    assert errors([run], "large").max() <= 0.10


@pytest.mark.parametrize(
    ("name", "median", "nine_in_ten", "width"),
    [("large", 0.028, 0.10, 1.4), ("mid", 0.115, 0.36, 2.1), ("small", 0.125, 0.37, 2.2)],
)
def test_sites_that_the_fit_never_saw_are_met(name: str, median: float, nine_in_ten: float, width: float) -> None:
    """The figures that a stranger may count on: constants and bands without the run's operator."""
    cell = getattr(made_report().overall, name)
    assert cell.held_points > 300
    assert cell.sites > 10
    assert cell.held_median <= median
    assert cell.held_nine_in_ten <= nine_in_ten
    assert 0.85 <= cell.held_inside <= 0.95
    assert cell.width <= width


def test_bands_hold_sites_that_the_fit_never_saw_by_run_and_by_collective() -> None:
    for row in made_report().by_run:
        assert row.inside >= 0.88, row.size_class
    for of_collective in made_report().tables["by_collective"]:
        for cell in of_collective.cells:
            assert cell.held_points < 15 or cell.held_inside is None or cell.held_inside >= 0.85, of_collective.group


def test_held_out_errors_are_those_of_the_fold_and_larger_than_in_sample() -> None:
    core = np.concatenate([np.abs(item.error) for item in core_runs()])
    held = np.concatenate([np.abs(item.held_error) for item in core_runs()])
    assert np.median(held) > 1.1 * np.median(core)
    for family, same in (("core", False), ("other", True)):  # what no fit has seen is held out as it is
        runs = [item for item in all_runs() if item.run.family == family]
        assert all(np.array_equal(item.error, item.held_error) for item in runs) is same


def test_no_site_tells_on_itself() -> None:
    sites = sites_of([item.run for item in all_runs() if FAMILY_WEIGHTS.get(item.run.family)])
    item = next(item for item in core_runs() if not item.is_told.all())
    cells = [
        (DOMAINS[item.run.n_domains > 1], size_class(size), item.run.collective) for size in item.run.message_bytes
    ]
    assert item.is_told.tolist() == [bool(sites[cell] - {item.run.site}) for cell in cells]


def test_this_model_is_nearest_of_the_league() -> None:
    own, *others = made_report().league
    for other in others:
        for mine, theirs in zip(own.cells, other.cells, strict=True):
            assert mine.points == theirs.points
            assert mine.median < theirs.median


def test_what_fewer_than_two_sites_speak_of_is_never_marked_as_measured() -> None:
    refused = {(row.collective, row.domains, row.size_class) for row in made_report().refused}
    assert ("broadcast", "several", "large") in refused
    assert ("all_reduce", "several", "large") not in refused
    system = {"gpu": "h100-sxm", "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
    for collective, is_measured in (("broadcast", False), ("all_reduce", True)):
        request = {"system": system, "collective": collective, "gpus": [16], "message_bytes": [2**30]}
        assert predict(request, CATALOG)["rows"][0]["validated"] is is_measured


def test_a_batch_of_runs_is_its_requests_one_by_one() -> None:
    for item in core_runs()[::17]:
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
    made = made_report()
    assert made.runs == len(core_runs())
    assert made.points == sum(len(item.run.time_us) for item in core_runs())
    worst = [abs(row.error) for row in made.worst]
    assert worst == sorted(worst, reverse=True)
    assert worst[0] == max(float(np.max(np.abs(item.error))) for item in core_runs())
    assert all(row.message_bytes >= 1 and row.source for row in made.worst)
    assert size_class(64 * MIB) == "large"
    assert size_class(MIB) == "mid"


def test_the_document_is_what_the_command_writes() -> None:
    written = DOCUMENT.read_text(encoding="utf-8")
    assert written == document(CATALOG), "run python -m estimator.calibration.report"
    rows = [(*row[:-1], row.inside and round(row.inside, 4)) for row in coverage_rows(CATALOG)]
    assert [tuple(row) for row in coverage()] == rows, "run python -m estimator.calibration.report"
