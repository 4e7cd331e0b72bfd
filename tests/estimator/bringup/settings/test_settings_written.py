"""What bring-up writes is what the check wants: the files of all targets of many designs have no finding."""

import re
from functools import cache
from typing import Any

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.result import SettingsCheck
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.targets import TARGETS, files_of, targets_of
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import DESIGNS, SMALL, plan_of_values

MORE: dict[str, dict[str, Any]] = {
    "InfiniBand by rail, SHARP": {
        "compute": {"server": "dgx-h100", "nodes": 40},
        "fabric": {"generation": "ndr", "layout": "rail-optimized"},
        "workload": {"in_network_reduction": True},
    },
    "InfiniBand, rails apart": {
        "compute": {"server": "dgx-h100", "nodes": 16},
        "fabric": {"generation": "ndr", "layout": "rail-only"},
    },
    "InfiniBand, top of rack": {
        "compute": {"server": "dgx-h100", "nodes": 12},
        "fabric": {"generation": "ndr", "tiers": 2, "layout": "top-of-rack"},
    },
    "InfiniBand, uneven": {
        "compute": {"server": "dgx-h100", "nodes": 11},
        "fabric": {"generation": "ndr", "tiers": 3, **SMALL},
    },
    "Gaudi": {"compute": {"server": "gaudi3-8u", "nodes": 2}, "fabric": {"generation": "roce-200"}},
}
ALL = DESIGNS | MORE


@cache
def plan_of_design(name: str) -> Plan:
    return plan_of_values(ALL[name])


def written(plan: Plan, only: str | None = None) -> list[tuple[str, bytes]]:
    """Files of all targets that the design has, switches' by their names."""
    out = []
    for target in [only] if only else targets_of(plan):
        for file in files_of(plan, target):
            stem = file.name.rpartition("/")[2].partition(".")[0]
            owner = f"{stem}:" if TARGETS[target].system else ""
            out.append((f"{owner}{file.name}", file.text.encode()))
    return out


def checked(plan: Plan, files: list[tuple[str, bytes]]) -> SettingsCheck:
    return checked_against(plan, files, load_catalog())


@pytest.mark.parametrize("name", ALL)
def test_what_bring_up_writes_has_no_finding(name: str) -> None:
    plan = plan_of_design(name)
    answer = checked(plan, written(plan))
    assert [(one.code, one.device, one.file, one.line, one.message) for one in answer.findings] == []
    if plan.is_ethernet:
        assert answer.paths
        assert not any(hop.lossless is False for hop in answer.paths)


@pytest.mark.parametrize("target", ["nvue", "sonic", "eos", "nxos", "junos"])
def test_a_line_of_a_written_file_that_is_wrong_is_found(target: str) -> None:
    plan = plan_of_design("custom")
    wrong = [
        (name, data.replace(b"9216", b"1500").replace(b"9214", b"1500"))
        for name, data in written(plan, target)
        if not name.endswith(".csv")
    ]
    assert {one.code for one in checked(plan, wrong).findings} == {"mtu_small"}


def test_a_headroom_that_is_too_small_for_the_cable_is_found_in_eos_and_nx_os() -> None:
    plan = plan_of_design("Arista")
    small = [
        (name, re.sub(rb"ingress headroom \d+", b"ingress headroom 64000", data)) for name, data in written(plan, "eos")
    ]
    assert {one.code for one in checked(plan, small[:1]).findings} == {"headroom_small"}
    far = plan_of_values({**DESIGNS["mixed"], "site": {"node_leaf_m": 20, "leaf_spine_m": 130}})
    spine = [(name, data) for name, data in written(far, "nxos") if name.startswith("spine-001")]
    assert checked(far, spine).findings == []
    for pattern, new in (
        (rb"pause buffer-size \d+", b"pause buffer-size 30000"),
        (rb"  service-policy type queuing input \S+\n", b""),
    ):
        changed = [(name, re.sub(pattern, new, data)) for name, data in spine]
        assert {one.code for one in checked(far, changed).findings} == {"headroom_small"}
