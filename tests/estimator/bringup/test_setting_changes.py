"""What differs in settings between two states of a design: headroom by its cable, values by their boxes, and why."""

import json
from ipaddress import IPv4Network, ip_interface
from pathlib import Path
from typing import Any

import pytest

from estimator.bringup.changes.changes import changed_settings
from estimator.bringup.changes.result import SettingsChanges
from estimator.bringup.changes.table import changes_csv
from estimator.bringup.parts.addresses import node_ports
from estimator.bringup.plan.addressing import hosts_prefix
from estimator.bringup.plan.answer import answered
from estimator.bringup.plan.choices import Choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.plan import Plan
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.estimator.bringup.plans import DESIGNS, plan_of_values
from tests.estimator.verbs import run

LENGTH = {"a": "leaf-r1-001", "b": "spine-001"}
BASE: dict[str, Any] = {
    "compute": {"server": "dgx-h100", "nodes": 12},
    "fabric": {"generation": "roce-400", "tiers": 2},
    "site": {"plan": {}, "set_lengths": [LENGTH | {"length_m": 20}]},
}
LONGER = BASE | {"site": {"plan": {}, "set_lengths": [LENGTH | {"length_m": 50}]}}
BOXES = {"leaf_switch": "arista-7060x6-64pe", "spine_switch": "nvidia-sn5600"}
ARISTA = BASE | {"fabric": BASE["fabric"] | BOXES}
GROWN = BASE | {"compute": {"server": "dgx-h100", "nodes": 80}}
NDR = BASE | {"fabric": {"generation": "ndr", "tiers": 2}}


def between(before: dict[str, Any], after: dict[str, Any]) -> SettingsChanges:
    return changed_settings(plan_of_values(before), plan_of_values(after))


def test_headroom_follows_the_cable_and_says_so() -> None:
    found = between(BASE, LONGER)
    assert (found.added, found.removed) == ([], [])
    by_switch = {name: one for one in found.changes if one.kind == "headroom" for name in one.devices}
    assert by_switch.keys() == {"leaf-r1-001", "spine-001"}  # both ends of the cable, and no other switch
    assert {one.kind for one in found.changes} == {"headroom"}
    rooms = [
        {(one.switch, one.towards): one for one in answered(plan_of_values(spec), []).ports} for spec in (BASE, LONGER)
    ]
    for name, towards in (("leaf-r1-001", "spine"), ("spine-001", "leaf")):
        was, now = (room[name, towards] for room in rooms)
        one = by_switch[name]
        assert (one.before, one.after, one.unit) == (was.headroom_bytes, now.headroom_bytes, "B")
        assert one.ports == now.ports
        assert one.why == "because the longest cable of the group grew from 20 to 50 m"
    leaf = by_switch["leaf-r1-001"]
    said = f"headroom of leaf-r1-001, ports {leaf.ports[0]} to {leaf.ports[-1]} ({len(leaf.ports)}) towards spines: "
    assert leaf.message == f"{said}{leaf.before:,} → {leaf.after:,} B, {leaf.why}"
    back = between(LONGER, BASE)
    assert {one.why for one in back.changes} == {"because the longest cable of the group shrank from 50 to 20 m"}


def test_equal_states_differ_in_nothing() -> None:
    found = between(BASE, BASE | {"name": "Another name", "economics": {"years": 7}})
    assert found.changes == []
    assert changes_csv(found).splitlines() == ["kind,key,devices,ports,before,after,unit,why"]


def test_another_box_changes_its_values_alone_and_is_the_reason() -> None:
    found = between(BASE, ARISTA)
    values = [one for one in found.changes if one.kind == "value"]
    assert values
    assert all(one.devices in (["leaf"], []) for one in values)
    (queue,) = [one for one in values if one.key == "cnp.queue"]
    assert (queue.before, queue.after, queue.devices) == (6, 7, ["leaf"])
    assert "because leaf switches run Arista EOS (Cumulus Linux before)" in queue.why
    (ecn,) = [one for one in found.changes if one.kind == "ecn"]
    assert ecn.before != ecn.after
    assert "silicon" in ecn.why or "Arista" in ecn.why
    rooms = [one for one in found.changes if one.key.startswith("headroom")]
    assert all("leaf switch is now Arista" in one.why for one in rooms if one.devices[0].startswith("leaf"))


def test_growth_says_which_switches_are_new() -> None:
    found = between(BASE, GROWN)
    assert (found.nodes_before, found.nodes_after) == (12, 80)
    assert found.added
    assert not set(found.added) & {name for one in found.changes for name in one.devices}
    assert set(found.added) == set(between(GROWN, BASE).removed)


def test_another_kind_of_network_is_named_as_the_reason() -> None:
    found = between(BASE, NDR)
    (flow,) = [one for one in found.changes if one.key == "ib.flow"]
    assert (flow.before, flow.after) == (None, "credits")
    assert "infiniband (ethernet before)" in flow.why or "fabric.generation" in flow.why


@pytest.mark.parametrize("pair", [(BASE, ARISTA), (BASE, GROWN), (BASE, NDR), (BASE, LONGER)])
def test_every_change_has_a_reason_and_differs(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for one in between(*pair).changes:
        assert one.before != one.after
        assert one.why
        assert one.message.endswith(one.why)


RAIL = Choices(addressing="rail")
FEWER = BASE | {"fabric": BASE["fabric"] | {"leaf_downlinks": 8}}


def planned(values: dict[str, Any], wanted: Choices) -> Plan:
    catalog = load_catalog()
    return plan_of(parse_spec(values, catalog), catalog, wanted)


@pytest.mark.parametrize("wanted", [Choices(), RAIL])
@pytest.mark.parametrize("name", ["one tier", "two tiers", "three tiers", "planes"])
def test_addresses_as_columns_are_those_of_the_plan(name: str, wanted: Choices) -> None:
    plan = planned(DESIGNS[name], wanted)
    columns = node_ports(plan)
    start = int(IPv4Network(hosts_prefix()).network_address)
    assert len(columns.row) == sum(1 for node in plan.wired.nodes for _ in plan.wired.ports(node))
    for row, number in zip(columns.row.tolist(), columns.address.tolist(), strict=True):
        host = int(ip_interface(plan.host_link(row).host).ip) - start
        slot, index = divmod(number, 2**16)
        assert host == (number + 1 if wanted == Choices() else slot * 1024 + 2 + index)


def test_addresses_of_rails_are_compared_by_leaf_and_place_on_it() -> None:
    grown = changed_settings(planned(BASE, RAIL), planned(GROWN, RAIL))
    assert not [one for one in grown.changes if one.kind == "addresses"]  # nodes keep theirs
    before, after = planned(BASE, RAIL), planned(FEWER | {"compute": BASE["compute"] | {"nodes": 40}}, RAIL)
    found = [one for one in changed_settings(before, after).changes if one.kind == "addresses"]
    was, now = (
        {
            (plan.wired.name(node), port.port): plan.host_link(port.link).host
            for node in plan.wired.nodes
            for port in plan.wired.ports(node)
        }
        for plan in (before, after)
    )
    moved = [place for place in was if was[place] != now[place]]
    assert [one.after for one in found if one.key == "addressing.hosts"] == ([len(moved)] if moved else [])
    assert moved
    (one,) = [one for one in found if one.key == "addressing.hosts"]
    assert f"{was[moved[0]]} → {now[moved[0]]}" in one.message
    assert one.why == "because they are at another port of their leaf, or on another leaf"


def test_a_choice_that_differs_is_the_reason() -> None:
    found = changed_settings(planned(BASE, Choices()), planned(BASE, RAIL)).changes
    assert {one.why for one in found} == {"because node ports have a subnet a leaf (a /31 each before)"}
    (one,) = [one for one in found if one.kind == "addresses"]
    assert (one.before, one.after) == (0, 96)
    assert "node-0001 mlx5_0: 10.128.0.1/31 → 10.128.0.2/22" in one.message
    trimmed = changed_settings(planned(BASE, Choices()), planned(BASE, Choices(data_class="trimming"))).changes
    assert {one.why for one in trimmed} == {"because the data class is lossy with trimming (lossless before)"}
    assert {one.after for one in trimmed if one.kind == "headroom"} == {None}


def test_the_verb_compares_two_states_under_a_choice(tmp_path: Path) -> None:
    files = [tmp_path / "now.json", tmp_path / "before.json"]
    for file, values in zip(files, (LONGER, BASE), strict=True):
        file.write_text(json.dumps(values))
    arguments = ("bringup", str(files[0]), "--since", str(files[1]), "--addressing", "rail")
    said = json.loads(run(*arguments).stdout)
    assert said == changed_settings(planned(BASE, RAIL), planned(LONGER, RAIL)).as_json()
    assert {one["kind"] for one in said["changes"]} == {"headroom"}
