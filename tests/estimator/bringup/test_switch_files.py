"""Configurations of switches: every line is a command of the system, and says what the plan says."""

import json
from collections.abc import Iterator
from functools import lru_cache

import jsonschema
import pytest

from estimator.bringup.plan.plan import SwitchPlan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.renderings.targets import TARGETS, file_of, files_of, targets_of
from tests.estimator.bringup.grammar import FORMS, strangers
from tests.estimator.bringup.plans import ROCE, plan_named, plan_of_values
from tests.estimator.bringup.sonic_schema import SCHEMA

CASES = [(name, target) for name in ROCE for target in FORMS]
LONG = {
    "compute": {"server": "dgx-h100", "nodes": 40},
    "fabric": {"generation": "roce-400"},
    "site": {"node_leaf_m": 20, "leaf_spine_m": 130},
}


def texts(name: str, target: str) -> Iterator[tuple[SwitchPlan, str]]:
    """A switch's plan and its file."""
    plan = plan_named(name)
    switches = {one.name: one for one in plan.switches(SYSTEMS[target])}
    for file in files_of(plan, target):
        if not file.name.endswith(".csv"):
            yield switches[file.name.partition(".")[0]], file.text


@pytest.mark.parametrize(("name", "target"), CASES)
def test_every_line_is_a_command_of_the_system(name: str, target: str) -> None:
    n_files = 0
    for _, text in texts(name, target):
        assert strangers(target, text) == []
        n_files += 1
    assert n_files > 0


def test_a_line_that_is_no_command_is_found() -> None:
    assert strangers("nvue", "# a remark\nnv set qos rice state enabled\n") == ["nv set qos rice state enabled"]
    assert strangers("eos", "interface Ethernet1/1\n   mtu\n") == ["   mtu"]
    assert strangers("junos", "set interfaces xe-0/0/0 mtu 9216") != []


@pytest.mark.parametrize("name", ROCE)
def test_a_patch_of_sonic_meets_its_models(name: str) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for switch, text in texts(name, "sonic"):
        tree = json.loads(text)
        assert [error.message for error in validator.iter_errors(tree)] == []
        ports = set(tree["PORT"])
        assert ports == {one.name for one in switch.interfaces}
        assert set(tree["PORT_QOS_MAP"]) == ports
        assert {key.partition("|")[0] for key in tree["INTERFACE"]} == ports
        assert set(tree["CABLE_LENGTH"]["AZURE"]) == ports
        assert {entry["profile"] for entry in tree["BUFFER_PG"].values()} <= set(tree["BUFFER_PROFILE"])
        assert {entry["scheduler"] for entry in tree["QUEUE"].values()} == set(tree["SCHEDULER"])
        (dscp_map,) = tree["DSCP_TO_TC_MAP"].values()
        assert dscp_map["26"] == "3"
        assert {dscp for dscp, tc in dscp_map.items() if tc == "3"} == {"26"}


@pytest.mark.parametrize("target", ["nvue", "eos", "nxos", "junos", "sonic"])
@pytest.mark.parametrize("name", ["two tiers", "mixed"])
def test_each_port_has_its_address_its_peer_and_the_frame_of_the_plan(name: str, target: str) -> None:
    switch, text = next(texts(name, target))
    for one in switch.interfaces:
        assert f"{one.peer} {one.peer_port}" in text
        assert one.address is None or one.address in text
    assert text.count(str(switch.value("mtu.switch_bytes").value)) >= len(switch.interfaces)
    assert str(switch.asn) in text
    assert switch.loopback in text


@lru_cache(maxsize=1)
def long_cables() -> dict[str, str]:
    """Main files of a design with 130 m between switches."""
    plan = plan_of_values(LONG)
    return {target: file_of(plan, target).text for target in ("nvue", "sonic", "nxos", "junos")}


def test_the_longest_cable_of_each_group_reaches_the_configuration() -> None:
    files = long_cables()
    assert "nv set qos roce cable-length 130\n" in files["nvue"]
    assert "nv set qos pfc roce-node-400 cable-length 20\n" in files["nvue"]
    lengths = set(json.loads(files["sonic"])["CABLE_LENGTH"]["AZURE"].values())
    assert lengths == {"20m", "130m"}
    assert "congestion-notification-profile PFC-SPINE-400 input cable-length 130\n" in files["junos"]
    assert "congestion-notification-profile PFC-NODE-400 input cable-length 20\n" in files["junos"]


def test_nx_os_is_given_buffers_where_cables_are_longer_than_it_allows_for() -> None:
    plan = plan_of_values(LONG)
    (leaf,) = plan.switches(SYSTEMS["nxos"], [plan.wired.switches[0]])
    spine = next(group for group in leaf.groups if group.towards == "spine").headroom
    text = long_cables()["nxos"]
    assert strangers("nxos", text) == []
    assert f"pause buffer-size {spine.size_bytes} " in text
    assert text.count("service-policy type queuing input ROCE-BUFFER-SPINE-400") == sum(
        1 for one in leaf.interfaces if one.towards == "spine"
    )
    assert "pause buffer-size" not in file_of(plan_named("two tiers"), "nxos").text


def test_eos_is_given_the_most_headroom_that_a_port_needs_where_its_silicon_takes_it() -> None:
    plan = plan_named("Arista")
    leaf = next(plan.switches(SYSTEMS["eos"]))
    most = max(group.headroom.xoff_bytes or 0 for group in leaf.groups)
    text = file_of(plan, "eos").text
    assert f"platform trident mmu queue profile ROCE\n   ingress headroom {most}\n" in text
    assert "platform trident mmu queue profile ROCE apply\n" in text
    other = file_of(plan_named("two tiers"), "eos").text
    assert "\n   ingress headroom " not in other
    assert "eos.headroom = automatic [own]" in other


@pytest.mark.parametrize(
    ("name", "targets"),
    [
        ("two tiers", {"nvue", "sonic"}),
        ("Arista", {"eos", "sonic"}),
        ("mixed", {"junos", "nxos", "sonic"}),
        ("three tiers", {"nvue", "sonic"}),
        ("custom", {"nvue", "sonic", "eos", "nxos", "junos"}),
        ("InfiniBand", set()),
    ],
)
def test_an_archive_has_the_systems_that_the_switches_run(name: str, targets: set[str]) -> None:
    assert {one for one in targets_of(plan_named(name)) if one in TARGETS and TARGETS[one].system} == targets


def test_a_configuration_for_a_box_that_does_not_run_it_says_so() -> None:
    assert "is not known to run Arista EOS" in file_of(plan_named("two tiers"), "eos").text
    assert "is not known to run" not in file_of(plan_named("Arista"), "eos").text
