"""Expected failures against published counts, and spares against both."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.cost.result import ExpectedFailures
from estimator.pipeline import estimate
from estimator.result import Estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


def expected(nodes: int, **more: Any) -> tuple[ExpectedFailures, Estimate]:
    values = {"compute": {"server": "dgx-h100", "nodes": nodes}, "fabric": {"generation": "ndr"}} | more
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts", "failures"))
    assert made.failures
    assert made.failures.expected
    return made.failures.expected, made


def test_the_llama_job_is_met() -> None:
    """16,384 H100 over 54 days were stopped 419 times for any cause, 268 times by GPUs and 7 times by NICs."""
    found, _ = expected(2048)
    days = 54 / 365
    assert found.any_cause.stops_per_year.typical * days == pytest.approx(419, rel=0.01)
    assert found.any_cause.hours_between_stops.typical == pytest.approx(54 * 24 / 419, rel=0.01)
    parts = {part.class_: part for part in found.parts}
    assert parts["gpu"].failures_per_year.typical * days == pytest.approx(268, rel=0.01)
    assert parts["nic"].failures_per_year.typical * days == pytest.approx(7, rel=0.02)


def test_counts_are_those_of_the_bill() -> None:
    """127 DGX H100: 1,536 switch transceivers in leaves and spines, 508 in nodes; a third of those in switches face nodes."""
    found, made = expected(
        127,
        fabric={
            "generation": "ndr",
            "scalable_unit_nodes": 32,
            "provision": "full-unit",
            "reserved": {"fabric_manager_links": 4},
        },
    )
    optics = [part for part in found.parts if part.class_ == "optic"]
    assert sum(part.n for part in optics) >= 1536 + 508
    switches = next(part for part in found.parts if part.class_ == "switch")
    assert (switches.n, switches.failures_per_year.typical) == (48, pytest.approx(48 * 0.015))
    assert switches.stopping_per_year.typical == pytest.approx(32 * 0.015)
    assert all(part.basis and part.sources and part.as_of for part in found.parts)
    total = sum(part.failures_per_year.typical for part in found.parts)
    assert found.failures_per_year.typical == pytest.approx(total, rel=1e-4)
    assert found.hours_between_stops.typical == pytest.approx(8760 / found.stops_per_year.typical, rel=1e-4)
    assert found.hours_between_stops.low < found.hours_between_stops.high
    assert made.failures.one
    assert made.failures.two


def test_what_a_loss_does_to_a_job_and_how_often_jobs_stop_are_one_account() -> None:
    """Kinds of loss that stop a job are those whose parts count as stopping; GPUs and hosts come on top."""
    found, made = expected(127)
    stopping = {row.lost for row in made.failures.one if row.stops_job}
    assert stopping == {"node-nic", "node-link", "node-module", "leaf-module-to-nodes", "leaf"}
    assert all(row.stops_job == (row.endpoints_cut_off > 0) for row in made.failures.one)
    of_class: dict[str, float] = {}
    for part in found.parts:
        of_class[part.class_] = of_class.get(part.class_, 0) + part.stopping_per_year.typical
    network = sum(value for key, value in of_class.items() if key not in ("gpu", "host"))
    assert found.network_stops_per_year.typical == pytest.approx(network, rel=1e-4)
    assert found.stops_per_year.typical == pytest.approx(network + of_class["gpu"] + of_class["host"], rel=1e-4)


def test_a_spine_that_stands_alone_stops_a_job() -> None:
    values = {
        "leaf_downlinks": 32,
        "leaf_uplinks": 8,
        "spine_switch": "nvidia-qm9700",
        "least_spines": 1,
        "tiers": 2,
        "layout": "top-of-rack",
    }
    found, made = expected(8, fabric={"generation": "ndr", **values})
    spine = next(row for row in made.failures.one if row.lost == "spine")
    assert (spine.n, spine.stops_job) == (1, True)
    switches = next(part for part in found.parts if part.class_ == "switch")
    assert switches.stopping_per_year == switches.failures_per_year


def test_spares_below_what_fails_are_reported_and_the_share_proposed_is_enough() -> None:
    found, made = expected(127, economics={"spares": {"optics": 0.0005}})
    (finding,) = [f for f in made.findings if f.code == "spares_below_failures"]
    assert finding.change is not None
    assert finding.field == "economics.spares.optics"
    _, again = expected(127, economics={"spares": {"optics": finding.change["economics.spares.optics"]}})
    assert not [f for f in again.findings if f.code == "spares_below_failures"]
    less = finding.change["economics.spares.optics"] * 0.8
    _, short = expected(127, economics={"spares": {"optics": less}})
    assert [f for f in short.findings if f.code == "spares_below_failures"]
    assert not [f for f in expected(127)[1].findings if f.code == "spares_below_failures"]
    optic = next(part for part in found.parts if part.class_ == "optic")
    assert optic.spares_last_years == pytest.approx(optic.spares / optic.failures_per_year.typical, abs=0.01)
