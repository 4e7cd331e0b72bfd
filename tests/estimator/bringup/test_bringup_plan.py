"""The plan of a design: longest cables, addresses, numbers of BGP, values with all that their sources say."""

import math
from collections import defaultdict
from fractions import Fraction

import pytest

from estimator.bringup.plan.answer import classes_of, marking
from estimator.bringup.plan.facts import chosen, facts
from estimator.bringup.plan.headroom import Silicon, sonic_headroom
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.systems import SYSTEMS, usual_system
from estimator.bringup.plan.value import TRUSTS
from estimator.bringup.renderings.targets import plan_answer
from tests.estimator.bringup.plans import DESIGNS, ROCE, plan_named


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "custom"])  # whose lists have numbers alone
def test_ports_are_those_of_the_link_list_and_the_longest_cable_decides(name: str) -> None:
    plan = plan_named(name)
    wired: dict[str, dict[str, float]] = defaultdict(dict)
    for row in plan.links.rows():
        wired[row.b_device][row.b_port] = row.length_m
        wired[row.a_device][row.a_port] = row.length_m
    answer = plan_answer(plan)
    seen: dict[str, set[str]] = defaultdict(set)
    for group in answer.ports:
        lengths = [wired[group.switch][port] for port in group.ports]
        assert group.cable_m == max(lengths)
        seen[group.switch] |= set(group.ports)
    switches = {name for name in wired if not name.startswith(("node", "manager"))}
    assert seen == {name: set(wired[name]) for name in switches}


def test_a_cable_that_grows_takes_more_headroom() -> None:
    groups = plan_answer(plan_named("two tiers")).ports
    leaf = {group.switch: group for group in groups if group.towards == "spine"}
    longest, other = leaf["leaf-r1-001"], leaf["leaf-r2-001"]
    assert longest.cable_m == 47.4
    assert other.cable_m < 47.4
    assert longest.headroom_bytes > other.headroom_bytes
    at = Silicon(192, Fraction(19), Fraction(4, 5))
    assert longest.headroom_bytes == sonic_headroom(at, math.ceil(47.4), 400, 9216, 4096).xoff_bytes
    spine = next(group for group in groups if group.switch == "spine-001")
    assert spine.headroom_bytes == longest.headroom_bytes


@pytest.mark.parametrize("name", ROCE)
def test_addresses_and_bgp_numbers_are_unique(name: str) -> None:
    plan = plan_named(name)
    switches = list(plan.switches(SYSTEMS["sonic"]))
    addresses = [port.address for switch in switches for port in switch.interfaces if port.address]
    assert len(addresses) == len(set(addresses)) == plan.links.fabric.links_node_leaf
    loopbacks = [switch.loopback for switch in switches]
    assert len(set(loopbacks)) == len(loopbacks)
    assert not set(loopbacks) & {address.partition("/")[0] for address in addresses}
    leaves = [switch.asn for switch in switches if switch.kind == "leaf"]
    assert len(set(leaves)) == len(leaves)
    for switch in switches:
        assert 4_200_000_000 <= switch.asn <= 4_294_967_294
    asn_of = {switch.name: switch.asn for switch in switches}
    for switch in switches:  # no two neighbours share a number
        for port in switch.interfaces:
            assert asn_of.get(port.peer) != switch.asn


def test_spines_of_a_pod_share_a_number_and_those_of_others_do_not() -> None:
    plan = plan_named("three tiers")
    by_leaves: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for switch in plan.switches(SYSTEMS["sonic"]):
        if switch.kind == "spine":
            by_leaves[tuple(sorted({p.peer for p in switch.interfaces if p.towards == "leaf"}))].add(switch.asn)
    assert len(by_leaves) > 1
    assert all(len(numbers) == 1 for numbers in by_leaves.values())
    assert len({n for numbers in by_leaves.values() for n in numbers}) == len(by_leaves)


def test_every_fact_has_source_trust_and_a_key_that_says_one_thing() -> None:
    for key, rows in facts().items():
        for row in rows:
            assert row.source, key
            assert row.trust in TRUSTS, key
            assert len({row.unit for row in rows}) == 1, key
        assert len({(row.scope, row.value, row.source) for row in rows}) == len(rows), key


@pytest.mark.parametrize(
    ("key", "value", "other", "at"),
    [
        ("cnp.dscp", 48, 4, {}),
        ("pcie.max_acc_out_read", 0, 44, {}),
        ("dcqcn.enabled", "on", "off", {}),
        ("cnp.queue", 6, 7, {"os": "nvue"}),
        ("cnp.queue", 7, 6, {"os": "eos"}),
        ("cnp.queue", 3, 7, {"os": "junos"}),
        ("cnp.flow", "lossy", "pfc", {}),
        ("ecn.min_bytes", 150_000, 166_912, {"os": "nvue", "asic": "Spectrum-4"}),
        ("ecn.min_bytes", 166_912, 150_000, {"os": "sonic", "asic": "Spectrum-4", "tier": "leaf"}),
        ("data.flow", "pfc", "lossy", {"os": "sonic", "asic": "Spectrum-4"}),
        ("pcie.ats_enabled", 0, 1, {"platform": "bare-metal"}),
        ("pcie.ats_enabled", 1, 0, {"platform": "virtual-machine"}),
    ],
)
def test_sources_that_disagree_are_all_shown_and_one_is_chosen(
    key: str, value: object, other: object, at: dict[str, str]
) -> None:
    found = chosen(key, **at)
    assert found.value == value
    assert other in [one.value for one in found.alternatives]
    assert all(one.source for one in found.alternatives)
    assert found.why


def test_digits_that_are_no_number_stay_as_they_are() -> None:
    assert chosen("host.acs", platform="bare-metal").value == "0000"
    assert chosen("host.acs", platform="virtual-machine").value == "005d"
    assert chosen("asic.mac_phy_delay_kib", asic="Spectrum").value == 0.8


def test_the_traffic_class_that_nccl_sets_is_the_lossless_one() -> None:
    for vendor in ("NVIDIA", "Intel"):
        tc, dscp = chosen("data.nccl_tc", gpu_vendor=vendor).value, chosen("data.dscp", gpu_vendor=vendor).value
        assert tc >> 2 == dscp
        assert chosen("data.tos", gpu_vendor=vendor).value == tc
        pfc = chosen("nic.pfc", gpu_vendor=vendor).value.split(",")
        assert [i for i, on in enumerate(pfc) if on == "1"] == [chosen("data.priority", gpu_vendor=vendor).value]


@pytest.mark.parametrize("name", ROCE)
def test_classes_keep_apart_what_must_not_share_a_queue(name: str) -> None:
    plan = plan_named(name)
    (switch,) = plan.switches(usual_system(plan.links.switches["leaf"]), [plan.wired.switches[0]])
    classes = {one.name: one for one in classes_of(plan, switch)}
    assert classes["data"].flow == "pfc"
    assert classes["cnp"].flow == "lossy"
    assert len({classes[one].queue for one in ("data", "cnp", "default")}) == 3
    assert sum(classes[one].weight_percent or 0 for one in ("data", "default")) == 100


def test_infiniband_has_credits_and_neither_pause_nor_marking() -> None:
    answer = plan_answer(plan_named("InfiniBand"))
    assert {group.headroom_bytes for group in answer.ports} == {None}
    assert answer.ecn == []
    assert [one.flow for one in answer.classes] == ["credits"]
    assert not [one for one in answer.values if one.key.startswith(("data.", "ecn.", "bgp."))]


def test_ports_have_the_names_of_the_system() -> None:
    plan: Plan = plan_named("mixed")
    first = {switch.kind: switch for switch in plan.switches(SYSTEMS["junos"])}
    assert first["leaf"].interfaces[0].name.startswith("et-0/0/0")
    first = {switch.kind: switch for switch in plan.switches(SYSTEMS["nxos"])}
    assert first["spine"].interfaces[0].name.startswith("Ethernet1/1")
    known = next(plan_named("three tiers").switches(SYSTEMS["sonic"]))
    assert [port.name for port in known.interfaces][:3] == ["Ethernet0", "Ethernet4", "Ethernet8"]


@pytest.mark.parametrize(
    ("system", "names"),
    [
        ("nvue", ["swp1", "swp2"]),
        ("sonic", ["Ethernet0", "Ethernet8"]),
        ("eos", ["Ethernet1/1", "Ethernet2/1"]),
        ("nxos", ["Ethernet1/1", "Ethernet1/2"]),
        ("junos", ["et-0/0/0", "et-0/0/1"]),
    ],
)
def test_ports_of_a_custom_box_have_the_usual_names_of_the_system(system: str, names: list[str]) -> None:
    switch = next(plan_named("custom").switches(SYSTEMS[system]))
    assert [port.name for port in switch.interfaces][:2] == names
    assert {group.headroom.trust for group in switch.groups} == {"own"}


def test_thresholds_about_a_ports_own_speed_go_before_those_about_others() -> None:
    switch = next(plan_named("Arista").switches(SYSTEMS["eos"]))
    assert marking(switch, 400).min_bytes == 508_000
    assert (marking(switch, 100).min_bytes, marking(switch, 100).trust) == (150_000, "C")


@pytest.mark.parametrize("name", ["mixed", "Arista"])
def test_ports_have_the_names_of_their_own_box_at_both_ends(name: str) -> None:
    plan = plan_named(name)
    own = {
        switch.name: {one.name: (one.peer, one.peer_port) for one in switch.interfaces}
        for device in plan.wired.switches
        for switch in plan.switches(usual_system(plan.links.switches[plan.wired.kind(device)]), [device])
    }
    between = [(switch, port, *peer) for switch, ports in own.items() for port, peer in ports.items() if peer[0] in own]
    assert between
    for switch, port, peer, peer_port in between:
        assert own[peer][peer_port] == (switch, port)
