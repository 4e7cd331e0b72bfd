"""Switches of storage and management networks: what is written has no finding, a fault in one is found where it stands."""

from functools import cache
from typing import Any

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.targets import files_of
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import plan_of_values

OTHERS: list[dict[str, Any]] = [
    {"role": "storage", "generation": "roce-200"},
    {"role": "in-band", "generation": "roce-100"},
    {"role": "out-of-band"},
]
COMPUTE = {"server": "dgx-h100", "nodes": 8}
BOXES = {
    "nvue": "nvidia-sn4600",
    "eos": "arista-7060x6-64pe",
    "nxos": "cisco-n9364e-sg2",
    "junos": "juniper-qfx5240-64od",
}


@cache
def planned(generation: str, storage: str = "nvue") -> Plan:
    first = (
        OTHERS[0] if storage == "nvue" else {"role": "storage", "generation": "roce-400", "leaf_switch": BOXES[storage]}
    )
    return plan_of_values(
        {"compute": COMPUTE, "fabric": {"generation": generation}, "other_fabrics": [first, *OTHERS[1:]]}
    )


def written(plan: Plan) -> dict[str, bytes]:
    return {
        f"{file.name.rpartition('/')[2].partition('.')[0]}:{file.name}": file.text.encode()
        for file in files_of(plan, "networks")
        if "/" in file.name and not file.name.endswith(".csv")
    }


def findings(plan: Plan, files: dict[str, bytes]) -> list[Any]:
    answer = checked_against(plan, list(files.items()), load_catalog())
    assert [one.why for one in answer.unread if "has no switch" in one.why] == []
    return answer.findings


@pytest.mark.parametrize(
    ("generation", "storage"),
    [("roce-400", "nvue"), ("ndr", "nvue"), *(("roce-400", box) for box in BOXES if box != "nvue")],
)
def test_configurations_of_other_networks_have_no_finding_as_they_are_written(generation: str, storage: str) -> None:
    plan = planned(generation, storage)
    files = written(plan)
    assert len(files) >= 5
    assert [(one.code, one.device, one.line, one.message) for one in findings(plan, files)] == []


@pytest.mark.parametrize("generation", ["roce-400", "ndr"])
@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize(
    ("device", "old", "new", "code", "cause"),
    [
        ("storage-leaf-001", "swp3 link mtu 9216", "swp3 link mtu 1500", "mtu_small", "9000"),
        ("inband-leaf-002", "swp2 link mtu 9216", "swp2 link mtu 1400", "mtu_small", "1500"),
        ("inband-leaf-002", "10.96.1.1/24", "10.96.0.1/24", "rail_subnet_doubled", "inband-leaf-001"),
    ],
)
def test_a_fault_in_a_switch_of_another_network_is_found_with_file_and_line(
    generation: str, is_named: bool, device: str, old: str, new: str, code: str, cause: str
) -> None:
    plan = planned(generation)
    files = written(plan) if is_named else {name.partition(":")[2]: text for name, text in written(plan).items()}
    name = next(name for name in files if device in name)
    text = files[name].decode().splitlines()
    at = next(number for number, line in enumerate(text) if old in line and not line.startswith("#"))
    text[at] = text[at].replace(old, new)
    (found,) = findings(plan, files | {name: "\n".join(text).encode()})
    assert (found.code, found.device, found.line) == (code, device, at + 1)
    assert found.file == name.rpartition("/")[2]
    assert cause in found.message + found.expected + found.found
    assert found.cost is None


def test_the_same_number_on_two_leaves_is_found() -> None:
    plan = planned("roce-400")
    files = written(plan)
    first, second = (next(name for name in files if f"inband-leaf-00{n}" in name) for n in (1, 2))
    number = next(line for line in files[first].decode().splitlines() if "autonomous-system" in line).split()[-1]
    lines = files[second].decode().splitlines()
    at = next(n for n, line in enumerate(lines) if "autonomous-system" in line and not line.startswith("#"))
    lines[at] = " ".join([*lines[at].split()[:-1], number])
    (found,) = findings(plan, files | {second: "\n".join(lines).encode()})
    assert (found.code, found.device, found.line) == ("asn_doubled", "inband-leaf-002", at + 1)
