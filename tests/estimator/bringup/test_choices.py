"""Choices of a plan: what is written for each system follows them, and the check wants what was chosen."""

import csv
import io
import json
from functools import cache
from ipaddress import ip_address, ip_interface

import jsonschema
import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.plan.choices import Choices, choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.renderings.targets import TARGETS, file_of, files_of, plan_answer, targets_of
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.spec.parse import parse_spec
from tests.estimator.bringup.grammar import FORMS, strangers
from tests.estimator.bringup.plans import DESIGNS
from tests.estimator.bringup.sonic_schema import SCHEMA
from tests.estimator.bringup.sourced import unsourced

NAMES = ("two tiers", "Arista", "mixed", "planes")
TRIMMING = Choices(data_class="trimming")
BY_RAIL = Choices(addressing="rail")


SONIC = jsonschema.Draft202012Validator(SCHEMA | {"required": []})


@cache
def chosen(name: str, wanted: Choices) -> Plan:
    catalog = load_catalog()
    return plan_of(parse_spec(dict(DESIGNS[name]), catalog), catalog, wanted)


def found(plan: Plan, files: list[tuple[str, str]]) -> set[str]:
    made = checked_against(plan, [(name, text.encode()) for name, text in files], load_catalog())
    return {one.code for one in made.findings}


def switch_files(plan: Plan, target: str) -> list[tuple[str, str]]:
    files = [file for file in files_of(plan, target) if not file.name.endswith(".csv")]
    return [(f"{file.name.partition('.')[0]}:{file.name}", file.text) for file in files]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [*((name, TRIMMING) for name in NAMES), *((name, BY_RAIL) for name in ("one tier", "Arista", "mixed"))],
)
def test_files_of_a_choice_are_sourced_in_the_systems_forms_and_without_findings(name: str, wanted: Choices) -> None:
    plan = chosen(name, wanted)
    every: list[tuple[str, str]] = []
    for target in targets_of(plan):
        files = [(f"{target}/{file.name}", file.text) for file in files_of(plan, target)]
        assert unsourced(files) == []
        for _, text in files if target in FORMS else ():
            assert strangers(target, text) == []
        for path, text in files if target == "sonic" else ():
            wrong = SONIC.iter_errors(json.loads(text)) if path.endswith(".json") else ()
            assert [error.message for error in wrong] == []
        every += switch_files(plan, target) if TARGETS[target].system else files
    assert found(plan, every) == set()


def test_nothing_is_paused_where_packets_are_trimmed() -> None:
    plan = chosen("two tiers", TRIMMING)
    answer = plan_answer(plan)
    classes = {one.name: one for one in answer.classes}
    assert (classes["data"].flow, classes["data"].trimming) == ("lossy", True)
    assert classes["trim"].queue not in (classes["data"].queue, classes["cnp"].queue, classes["default"].queue)
    assert {one.headroom_bytes for one in answer.ports} | {one.headroom_bytes for one in answer.nics} == {None}
    nvue = file_of(plan, "nvue").text
    assert "nv set qos roce mode lossy\n" in nvue
    assert "packet-trim state enabled" in nvue
    assert "qos pfc" not in nvue
    sonic = json.loads(file_of(plan, "sonic").text)
    assert sonic["BUFFER_PROFILE"]["q_lossy_trim_profile"]["packet_discard_action"] == "trim"
    assert "pfc_enable" not in next(iter(sonic["PORT_QOS_MAP"].values()))
    assert "--pfc 0,0,0,0,0,0,0,0" in file_of(plan, "nic").text
    mixed = chosen("mixed", TRIMMING)
    for target in ("junos", "nxos"):
        assert "trim.available = no [own]" in file_of(mixed, target).text
        assert "pause" not in file_of(mixed, target).text.replace("is paused", "")


def test_settings_without_loss_are_faults_of_a_plan_that_trims() -> None:
    plan, other = chosen("two tiers", TRIMMING), chosen("two tiers", Choices())
    assert found(plan, switch_files(other, "nvue")) == {"pfc_on", "trimming_off"}
    off = [
        (name, text.replace("packet-trim state enabled", "packet-trim state disabled"))
        for name, text in switch_files(plan, "nvue")
    ]
    assert found(plan, off) == {"trimming_off"}
    dropped = [(name, text.replace('"trim"', '"drop"')) for name, text in switch_files(plan, "sonic")]
    assert found(plan, dropped) == {"trimming_off"}
    assert found(other, switch_files(plan, "nvue")) == {"pfc_off"}


def test_node_ports_of_a_leaf_are_one_subnet_whose_gateway_is_the_leaf() -> None:
    plan = chosen("Arista", BY_RAIL)
    leaves = [one for one in plan.switches(SYSTEMS["eos"]) if one.kind == "leaf"]
    networks = {one.name: ip_interface(str(one.gateway)).network for one in leaves}
    assert len(set(networks.values())) == len(leaves)
    rows = list(csv.DictReader(io.StringIO(file_of(plan, "host", "addresses.csv").text)))
    at = {
        (plan.wired.name(node), port.link): plan.wired.name(port.peer)
        for node in plan.wired.nodes
        for port in plan.wired.ports(node)
    }
    assert len({row["address"] for row in rows}) == len(rows) == len(at)
    for row, leaf in zip(rows, at.values(), strict=True):
        assert ip_interface(row["address"]).network == networks[leaf]
        assert (
            ip_address(row["gateway"]) == ip_interface(str(next(one for one in leaves if one.name == leaf).gateway)).ip
        )
    text = file_of(plan, "eos").text
    assert f"interface Vlan100\n   mtu 9214\n   ip address {leaves[0].gateway}\n" in text
    assert text.count("   switchport access vlan 100\n") == sum(one.is_to_node for one in leaves[0].interfaces)
    assert plan_answer(plan).values != plan_answer(chosen("Arista", Choices())).values


def test_a_leaf_with_the_subnet_of_another_is_found_where_leaves_have_one_each() -> None:
    plan = chosen("Arista", BY_RAIL)
    first, second, *_ = [one for one in plan.switches(SYSTEMS["eos"]) if one.kind == "leaf"]
    files = switch_files(plan, "eos")[:2]
    assert found(plan, files) == set()
    (name, text) = files[1]
    assert found(plan, [files[0], (name, text.replace(str(second.gateway), str(first.gateway)))]) == {
        "rail_subnet_doubled"
    }


def test_hosts_with_all_ports_on_one_leaf_need_arp_of_their_own() -> None:
    wrong = "net.ipv4.conf.all.arp_ignore = 0\nnet.ipv4.conf.all.arp_announce = 1\n"
    files = [("node-0001:sysctl.txt", wrong)]
    assert found(chosen("one tier", BY_RAIL), files) == {"arp_flux"}
    assert found(chosen("one tier", Choices()), files) == set()


def test_words_that_are_no_choice_are_refused_with_those_that_are() -> None:
    with pytest.raises(SpecError, match="lossless, trimming"):
        choices(data_class="lossy")
    with pytest.raises(SpecError, match="port, rail"):
        choices(addressing="dhcp")
