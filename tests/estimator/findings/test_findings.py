"""Findings: each where it belongs, and not one step before."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.estimator.designs import found, spec_of


def findings(
    server: str, generation: str, compute: dict[str, Any], workload: dict[str, Any], **fabric: Any
) -> list[Any]:
    values = {
        "compute": {"server": server, **compute},
        "fabric": {"generation": generation, **fabric},
        "workload": workload,
    }
    catalog = load_catalog()
    (made,) = estimate([parse_spec(values, catalog)], catalog, ("counts",))
    return made.findings


CASES: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    # code, server, generation, what brings it up, what just does not
    ("gpus_rounded_up", "dgx-h100", "ndr", {"compute": {"gpus": 1020}}, {"compute": {"gpus": 1024}}),
    ("nic_below_port_rate", "dgx-h100", "xdr", {}, {"generation": "ndr"}),
    ("nic_rate_unused", "dgx-b300", "ndr", {}, {"planes": 2}),
    ("nic_speaks_other_protocol", "smc-8125gs-mi300x", "ndr", {}, {"generation": "roce-400"}),
    ("no_in_network_reduction", "dgx-h100", "roce-400", {"workload": {"in_network_reduction": True}}, {}),
    (
        "last_unit_partial",
        "dgx-h100",
        "ndr",
        {"compute": {"nodes": 53}, "scalable_unit_nodes": 32},
        {"compute": {"nodes": 53}},
    ),
    (
        "no_subnet_manager",
        "dgx-h100",
        "ndr",
        {"leaf_switch": "nvidia-qm9790"},
        {"leaf_switch": "nvidia-qm9790", "spine_switch": "nvidia-qm9700"},
    ),
    ("no_subnet_manager", "dgx-a100-640", "hdr", {"leaf_switch": "nvidia-qm8790"}, {"leaf_switch": "nvidia-qm8700"}),
    ("no_port_for_fabric_manager", "dgx-h100", "ndr", {"scalable_unit_nodes": 32}, {"generation": "roce-400"}),
    ("no_port_for_fabric_manager", "dgx-h100", "ndr", {"scalable_unit_nodes": 32}, {"compute": {"nodes": 63}}),
    ("rails_never_meet", "dgx-h100", "ndr", {"layout": "rail-only"}, {}),
    (
        "spines_for_even_spread",
        "dgx-h100",
        "ndr",
        {"compute": {"nodes": 96}},
        {"compute": {"nodes": 96}, "grow_to_nodes": 128},
    ),
]


@pytest.mark.parametrize(("code", "server", "generation", "raised", "quiet"), CASES, ids=[case[0] for case in CASES])
def test_a_finding_stands_where_it_belongs(
    code: str, server: str, generation: str, raised: dict[str, Any], quiet: dict[str, Any]
) -> None:
    usual = {"server": server, "generation": generation, "compute": {"nodes": 64}, "workload": {}}
    assert code in {finding.code for finding in findings(**usual | raised)}
    assert code not in {finding.code for finding in findings(**usual | quiet)}


def test_one_unused_port_is_reported_and_none_is_not() -> None:
    assert found(spec_of(64, leaf_downlinks=32, leaf_uplinks=31, oversubscription="32:31"))[
        "leaf_radix_unused"
    ].startswith("1 of 64 ports of every leaf is unused: 32 are for nodes and 31 for spines.")
    assert "leaf_radix_unused" not in found(spec_of(64))


def test_two_switches_are_not_a_single_one() -> None:
    assert "single_switch" in found(spec_of(8))
    assert "single_switch" not in found(spec_of(64, 1, leaf_radix=64, tiers=2, layout="top-of-rack"))


def test_managers_beside_nodes_can_pass_the_ratio_asked_for() -> None:
    """32 nodes on 33 downlinks and 32 uplinks of 65-port leaves: 33:32 with a manager, 1:1 without."""
    ports = {"leaf_radix": 65, "leaf_downlinks": 33, "scalable_unit_nodes": 32, "tiers": 2, "spine_radix": 64}
    assert "oversubscription_above_asked" not in found(spec_of(64, **ports))
    said = found(spec_of(64, **ports, reserved={"fabric_manager_links": 1}))["oversubscription_above_asked"]
    assert "built at 33:32 (1.031), above the 1:1 requested" in said


def test_spines_with_more_uplinks_than_asked_are_reported() -> None:
    """Spines of the last, smaller pod need two uplinks and get four, one to each core that the full pods' spines meet."""
    pods = {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8, "tiers": 3}
    assert "spine_uplinks_padded" not in found(spec_of(32, 1, **pods))
    assert (
        "32 uplinks where the ratio needs 20"
        in found(spec_of(20, 1, grow_to_nodes=40, scalable_unit_nodes=4, pod_nodes=16, **pods))["spine_uplinks_padded"]
    )


def test_warnings_come_first() -> None:
    severities = [f.severity for f in findings("dgx-h100", "xdr", {"gpus": 396}, {})]
    assert severities[0] == "warning"
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert "info" in severities


@pytest.mark.parametrize(
    ("server", "generation", "fabric"),
    [
        ("dgx-h100", "xdr", {}),
        ("dgx-h100", "hdr", {}),
        ("smc-8125gs-mi300x", "ndr", {}),
        ("dgx-h100", "hdr", {"splitters": True}),
        ("gaudi3-8u", "roce-200", {}),
    ],
)
def test_findings_call_parts_by_their_names(server: str, generation: str, fabric: dict[str, Any]) -> None:
    catalog = load_catalog()
    values = {
        "compute": {"server": server, "nodes": 64},
        "fabric": {"generation": generation, **fabric},
        "other_fabrics": [{"role": "storage"}, {"role": "in-band"}],
    }
    (made,) = estimate([parse_spec(values, catalog)], catalog, ("counts", "cables"))
    ids = [key for key in (*catalog.switches, *catalog.servers, *catalog.nics) if "-" in key]
    reported = " ".join(finding.message for finding in made.findings)
    assert "Gb/s" in reported or "no part fits" in reported or "which support" in reported
    assert not [key for key in ids if key in reported]


def test_refusals_call_parts_by_their_names() -> None:
    catalog = load_catalog()
    for fabric in ({"leaf_switch": "nvidia-sn4700"}, {"leaf_switch": "nvidia-qm9700", "leaf_radix": 100}):
        values = {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr", **fabric}}
        with pytest.raises(SpecError) as caught:
            parse_spec(values, catalog)
        assert "nvidia-" not in " ".join(problem.message for problem in caught.value.problems)
