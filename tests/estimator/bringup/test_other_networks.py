"""Storage and management networks: addresses by leaf, and configurations of their switches in each system's forms."""

import csv
import io
import json
import re
from functools import cache
from ipaddress import IPv4Interface, IPv4Network, ip_address, ip_interface, ip_network

import jsonschema
import pytest

from estimator.bringup.networks.design import next_subnet, other_plans
from estimator.bringup.networks.other import OtherPlan
from estimator.bringup.plan.choices import USUAL, Choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.facts import chosen
from estimator.bringup.plan.plan import Interface, Plan, SwitchPlan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.renderings.targets import archive, file_of, files_of, names_of, plan_answer, size_of, targets_of
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.fabric.devices import LEAF
from estimator.link_list import link_list
from estimator.networks.links import prefix_of
from estimator.spec.network_rules import other_keys
from estimator.spec.parse import parse_spec
from tests.estimator.bringup.grammar import FORMS, strangers
from tests.estimator.bringup.plans import plan_named, plan_of_values
from tests.estimator.bringup.sonic_schema import SCHEMA
from tests.estimator.bringup.sourced import unsourced

DESIGN = {
    "compute": {"server": "dgx-h100", "nodes": 8},
    "fabric": {"generation": "ndr"},
    "other_fabrics": [
        {"role": "storage", "generation": "roce-200"},
        {"role": "in-band", "generation": "roce-100"},
        {"role": "out-of-band", "generation": "ethernet-1"},
    ],
}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@cache
def planned(choices: Choices = USUAL) -> Plan:
    catalog = load_catalog()
    return plan_of(parse_spec(dict(DESIGN), catalog), catalog, choices)


@cache
def written(choices: Choices = USUAL) -> dict[str, str]:
    return {file.name: file.text for file in files_of(planned(choices), "networks")}


def switches(one: OtherPlan) -> list[SwitchPlan]:
    return [switch for key, devices in one.by_system().items() for switch in one.switches(SYSTEMS[key], devices)]


def test_every_host_port_of_every_network_has_an_address_of_the_leaf_that_it_leads_to() -> None:
    plan = planned()
    assert unsourced([(f"networks/{name}", text) for name, text in written().items()]) == []
    taken: set[str] = set()
    for one in other_plans(plan):
        made = rows(written()[f"{one.key}-addresses.csv"])
        table = link_list(plan.links.spec, plan.links.catalog, one.key).table
        n_uplinks = sum(len(devices) * 2 for kind, devices in one.groups if kind == "uplink")
        assert len(made) == int((table.a_device < table.devices.first[LEAF]).sum()) - n_uplinks
        addresses = {row["address"] for row in made}
        assert len(addresses) == len(made)
        assert not addresses & taken
        taken |= addresses
        gateways = {one.name: str(one.gateway) for one in switches(one) if one.gateway}
        for row in made:
            inside = IPv4Interface(gateways[row["switch"]])
            assert ip_interface(row["address"]).network == inside.network
            assert ip_interface(row["address"]).ip != inside.ip == ip_address(row["gateway"])
            assert inside.network.subnet_of(one.subnet)
        assert all(row["switch"].startswith(prefix_of(one.key)) and row["switch_port"] for row in made)


def test_subnets_do_not_meet_those_of_the_compute_fabric_nor_each_other() -> None:
    found = [one.subnet for one in other_plans(planned())]
    own = [ip_network(str(chosen(f"addressing.{what}").value)) for what in ("hosts", "loopbacks")]
    every = [*found, *own]
    assert len(found) == len(other_keys(planned().links.spec)) == 3
    assert not any(a.overlaps(b) for at, a in enumerate(every) for b in every[at + 1 :])


def test_loopbacks_and_numbers_are_those_of_no_other_switch() -> None:
    plan = plan_of_values(DESIGN | {"fabric": {"generation": "roce-400", "tiers": 2}})
    own = list(plan.switches(SYSTEMS["nvue"]))
    others = [switch for one in other_plans(plan) for switch in switches(one)]
    loopbacks = [switch.loopback for switch in (*own, *others)]
    assert len(set(loopbacks)) == len(loopbacks) > len(own)
    assert all(ip_address(one) in ip_network(str(chosen("addressing.loopbacks").value)) for one in loopbacks)
    assert not any(one.endswith(".0.0.0") for one in loopbacks)
    assert not {switch.asn for switch in own} & {switch.asn for switch in others}
    leaves = [switch.asn for switch in others if switch.kind == "leaf"]
    assert len(set(leaves)) == len(leaves)
    assert all(4_200_000_000 <= switch.asn <= 4_294_967_294 for switch in others)


def test_both_ends_of_every_link_between_switches_know_each_other() -> None:
    found: dict[tuple[str, str], tuple[SwitchPlan, Interface]] = {}
    for one in other_plans(planned()):
        for switch in switches(one):
            found |= {(switch.name, port.name): (switch, port) for port in switch.interfaces if not port.is_to_node}
    assert len(found) == 12
    for (name, port), (switch, interface) in found.items():
        other, back = found[interface.peer, interface.peer_port]
        assert (back.peer, back.peer_port) == (name, port)
        assert (interface.peer_asn, back.peer_asn) == (other.asn, switch.asn)
        assert interface.address is None
        assert interface.speed_gbit_s == back.speed_gbit_s
    assert any(name.startswith("oob") for name, _ in found)


@pytest.mark.parametrize(
    ("network", "mtu", "flow"),
    [("storage", "9000", "lossless"), ("in-band", "1500", "lossy"), ("out-of-band", "1500", "lossy")],
)
def test_frames_and_classes_follow_the_role(network: str, mtu: str, flow: str) -> None:
    said = {row["setting"]: row["value"] for row in rows(written()["networks.csv"]) if row["network"] == network}
    assert (said["host MTU"], said["class"]) == (mtu, flow)
    assert int(said["switch MTU"]) >= int(mtu)
    texts = [text for name, text in written().items() if name.startswith(f"{network}/")]
    assert texts
    for text in texts:
        assert ("qos roce" in text) == ("qos pfc-watchdog" in text) == (flow == "lossless")
        assert f" link mtu {said['switch MTU']}\n" in text


def test_storage_follows_the_data_class_of_the_plan() -> None:
    trimming = Choices(data_class="trimming")
    text = next(text for name, text in written(trimming).items() if name.startswith("storage/"))
    assert "nv set qos roce mode lossy\n" in text
    assert "pfc" not in "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    said = {row["setting"]: row["value"] for row in rows(written(trimming)["networks.csv"])[:5]}
    assert said["class"] == "lossy, trimmed"


BOXES = {
    "eos": ("roce-400", "arista-7060x6-64pe"),
    "nxos": ("roce-400", "cisco-n9364e-sg2"),
    "junos": ("roce-400", "juniper-qfx5240-64od"),
    "sonic": ("roce-400", "dell-z9864f-on"),
    "nvue": ("roce-400", "nvidia-sn5600"),
}


@pytest.mark.parametrize("system", BOXES)
@pytest.mark.parametrize("role", ["storage", "in-band"])
def test_configurations_have_the_forms_of_each_system(system: str, role: str) -> None:
    generation, box = BOXES[system]
    entry = {"role": role, "generation": generation, "leaf_switch": box, "spine_switch": box, "tiers": 2}
    plan = plan_of_values(DESIGN | {"other_fabrics": [entry]})
    files = [file for file in files_of(plan, "networks") if "/" in file.name]
    assert unsourced([(f"networks/{file.name}", file.text) for file in files]) == []
    assert len(files) >= 3
    configurations = [file.text for file in files if not file.name.endswith(".sources.csv")]
    for text in configurations:
        if system == "sonic":
            wrong = jsonschema.Draft202012Validator(SCHEMA | {"required": []}).iter_errors(json.loads(text))
            assert [error.message for error in wrong] == []
        else:
            assert system in FORMS
            assert strangers(system, text) == []
        said = "\n".join(line for line in text.splitlines() if not line.startswith(("#", "!")))
        assert bool(re.search(r"pfc|priority-flow-control|pause", said.replace("pfc_asym", ""))) == (role == "storage")
        marks = r"WRED_PROFILE|congestion-control|random-detect|drop-profiles"
        assert bool(re.search(marks, said)) == (role == "storage")


def test_one_file_is_made_without_the_others_and_is_the_same() -> None:
    plan = planned()
    assert names_of(plan, "networks") == list(written())
    for name in list(written())[:: max(len(written()) // 9, 1)]:
        assert file_of(plan, "networks", name).text == written()[name]
    for wrong in ("storage/nowhere.nvue", "nowhere/leaf.nvue", "storage/../networks.csv", "compute/leaf-r1-001.nvue"):
        with pytest.raises(SpecError, match="Files of networks are"):
            file_of(plan, "networks", wrong)


def test_an_archive_of_them_is_as_large_as_its_configurations() -> None:
    size = size_of(planned(), "networks")
    whole = b"".join(archive(planned(), "networks"))
    assert size.n_files == sum("/" in name for name in written())
    assert 0.3 < size.n_bytes / len(whole) < 3


def test_the_plan_answers_its_networks() -> None:
    answer = {one.key: one for one in plan_answer(planned()).networks}
    assert list(answer) == ["storage", "in-band", "out-of-band"]
    storage = answer["storage"]
    assert (storage.flow, storage.host_mtu, storage.switch_mtu, storage.leaf_prefix) == ("lossless", 9000, 9216, 24)
    assert storage.switches == sum(storage.systems.values())
    assert storage.host_ports == len(rows(written()["storage-addresses.csv"]))


def test_infiniband_storage_has_one_subnet_and_no_configurations() -> None:
    plan = plan_of_values(DESIGN | {"other_fabrics": [{"role": "storage", "generation": "ndr"}]})
    names = names_of(plan, "networks")
    assert names == ["networks.csv", "storage-addresses.csv"]
    made = rows(file_of(plan, "networks", "storage-addresses.csv").text)
    assert {row["gateway"] for row in made} == {""}
    assert len({row["address"] for row in made}) == len(made)
    assert len({ip_interface(row["address"]).network for row in made}) == 1


def test_a_design_of_the_compute_fabric_alone_has_no_such_target() -> None:
    assert "networks" not in targets_of(plan_named("one tier"))
    assert "networks" in targets_of(planned())


def test_subnets_grow_with_leaves_and_their_ports_and_never_leave_their_range() -> None:
    pool = IPv4Network("10.64.0.0/12")
    assert str(next_subnet(pool, 0, 8, 256, "storage")) == "10.64.0.0/16"
    assert str(next_subnet(pool, 0, 8, 257, "storage")) == "10.64.0.0/15"
    assert str(next_subnet(pool, 2**16, 9, 200, "storage")) == "10.66.0.0/15"
    with pytest.raises(SpecError) as error:
        next_subnet(pool, 15 * 2**16, 8, 257, "storage")
    assert error.value.problems[0].code == "too_many_subnets"
