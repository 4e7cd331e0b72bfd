"""Two states of a design → what differs in the settings of their devices: the one way in for command line, pages and API."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import NamedTuple

import numpy as np

from estimator.bringup.changes.reasons import OF_CHOICES, Reasons, circumstances_of
from estimator.bringup.changes.result import SettingChange, SettingsChanges
from estimator.bringup.parts.addresses import leaf_slots, node_ports
from estimator.bringup.parts.groups import PortGroups, port_groups
from estimator.bringup.parts.overview import Overview, overview
from estimator.bringup.plan.addressing import rail_link
from estimator.bringup.plan.facts import chosen, is_known
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.records import Marking
from estimator.bringup.plan.value import Value
from estimator.bringup.renderings.infiniband.subnets import routing_engine
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.units import IntArray

TOWARDS = {NODE: "nodes", MANAGER: "fabric managers", LEAF: "leaves", SPINE: "spines", CORE: "cores"}
RAIL = "rail"
OF_ECN = "ecn."  # thresholds differ by rate as well: they are changes of their own
ALL = ""  # a value that all kinds of switches have


def changed_settings(before: Plan, after: Plan) -> SettingsChanges:
    """What the later of two plans sets otherwise than the earlier one.

    Switches are the same if their names are, as names stay when a design grows.
    """
    reasons = Reasons(before, after)
    groups = port_groups(before), port_groups(after)
    views = overview(before, [], groups[0]), overview(after, [], groups[1])
    names = [_switch_names(plan) for plan in (before, after)]
    return SettingsChanges(
        changes=[
            *_headroom(*groups, reasons),
            *_nics(*views, reasons),
            *_ecn(*views, reasons),
            *_routing(before, after),
            *_values((before, views[0]), (after, views[1]), reasons),
            *_addresses(before, after),
        ],
        added=[name for name in names[1] if name not in names[0]],
        removed=[name for name in names[0] if name not in names[1]],
        nodes_before=len(before.wired.nodes),
        nodes_after=len(after.wired.nodes),
        before_hash=before.links.spec_hash,
        after_hash=after.links.spec_hash,
        versions=after.links.versions,
    )


def _switch_names(plan: Plan) -> dict[str, None]:
    return dict.fromkeys(plan.wired.name(device) for device in plan.wired.switches)


# --- Headroom ----------------------------------------------------------------------------------------------------
class _Room(NamedTuple):
    """What a group of ports keeps free; ``index`` is its place among the groups."""

    kind: str
    towards: str
    rate_gbit_s: int
    cable_m: int
    xoff_bytes: int | None
    formula: str


class _Moved(NamedTuple):
    """One difference of headroom, which many switches may have."""

    before: _Room
    after: _Room


def _headroom(before: PortGroups, after: PortGroups, reasons: Reasons) -> Iterator[SettingChange]:
    """Groups of switches of both states that keep other bytes, or have another length, each with all its switches."""
    was, now = _rooms(before), _rooms(after)
    found: dict[_Moved, list[tuple[str, int]]] = {}
    for (switch, towards), rooms in now.items():
        old = {room.rate_gbit_s: room for room, _ in was.get((switch, towards), [])}
        for room, index in rooms:
            one = old.get(room.rate_gbit_s) or (next(iter(old.values())) if len(old) == len(rooms) == 1 else None)
            if one is not None and one != room and (one.xoff_bytes, room.xoff_bytes) != (None, None):
                found.setdefault(_Moved(one, room), []).append((switch, index))
    for moved, places in found.items():
        yield _headroom_change(moved, [switch for switch, _ in places], after.port_names(places[0][1]), reasons)


def _rooms(groups: PortGroups) -> Mapping[tuple[str, str], list[tuple[_Room, int]]]:
    """Rooms by switch and what they lead to."""
    wired, out = groups.plan.wired, dict[tuple[str, str], list[tuple[_Room, int]]]()
    for index in range(len(groups)):
        device, towards = int(groups.device[index]), groups.towards_of(index)
        room = groups.planned[int(groups.like[index])].headroom
        one = _Room(
            wired.kind(device), towards, int(groups.rate_gbit_s[index]), room.cable_m, room.xoff_bytes, room.formula
        )
        out.setdefault((wired.name(device), towards), []).append((one, index))
    return out


def _headroom_change(moved: _Moved, switches: list[str], ports: list[str], reasons: Reasons) -> SettingChange:
    before, after = moved
    why = _why(before, after, reasons)
    where = f"{_several(switches, 'switch', 'es')}, {ranged(ports)} towards {TOWARDS[after.towards]}"
    is_length = before.xoff_bytes == after.xoff_bytes
    key = f"cable_m.{after.towards}" if is_length else f"headroom.{after.towards}.xoff"
    what, unit = ("cable length", "m") if is_length else ("headroom", "B")
    values = [one.cable_m if is_length else one.xoff_bytes for one in moved]
    said = " → ".join("none" if value is None else f"{value:,}" for value in values)
    return SettingChange(
        kind="headroom",
        key=key,
        devices=switches,
        ports=ports,
        before=values[0],
        after=values[1],
        unit=unit,
        why=why,
        message=f"{what} of {where}: {said} {unit}, {why}",
    )


def _why(before: _Room, after: _Room, reasons: Reasons) -> str:
    """The box, the rate or the cable; of several all."""
    found = []
    if before.rate_gbit_s != after.rate_gbit_s:
        found.append(f"the ports run at {after.rate_gbit_s} Gb/s ({before.rate_gbit_s} before)")
    if None in (before.xoff_bytes, after.xoff_bytes) and (choice := reasons.of_choice("trimming")):
        found.append(choice)
    if before.cable_m != after.cable_m:
        way = "grew" if after.cable_m > before.cable_m else "shrank"
        found.append(f"the longest cable of the group {way} from {before.cable_m} to {after.cable_m} m")
    if part := reasons.of_part(after.kind):
        found.append(part.removeprefix("because "))
    return "because " + " and ".join(found) if found else reasons.of_request()


def ranged(names: list[str]) -> str:
    """Ports in words: the first and the last of many, as ``ports swp17s0 to swp32s1 (32)``."""
    if len(names) <= 2:
        return f"port{'s' if len(names) > 1 else ''} {' and '.join(names)}"
    return f"ports {names[0]} to {names[-1]} ({len(names)})"


def _several(names: list[str], one: str, plural: str) -> str:
    """A name, or the first of many."""
    return names[0] if len(names) == 1 else f"{len(names):,} {one}{plural} ({names[0]} first)"


# --- NICs, ECN, routing ------------------------------------------------------------------------------------------
def _nics(before: Overview, after: Overview, reasons: Reasons) -> Iterator[SettingChange]:
    """Receive buffers of NICs by rate."""
    old = {group.speed_gbit_s: group for group in before.plan.nics}
    for group in after.plan.nics:
        was = old.get(group.speed_gbit_s) or (before.plan.nics[0] if len(old) == len(after.plan.nics) == 1 else None)
        if was is None or was.headroom_bytes == group.headroom_bytes:
            continue
        rooms = [
            _Room(NODE, "leaf", one.speed_gbit_s, ceil(one.cable_m), one.headroom_bytes, one.formula)
            for one in (was, group)
        ]
        why = _why(rooms[0], rooms[1], reasons)
        values = " → ".join("none" if one is None else f"{one:,}" for one in (was.headroom_bytes, group.headroom_bytes))
        yield SettingChange(
            kind="nic_headroom",
            key="nic.headroom",
            devices=["all nodes"],
            ports=group.ports,
            before=was.headroom_bytes,
            after=group.headroom_bytes,
            unit="B",
            why=why,
            message=f"headroom of NICs of all nodes: {values} B, {why}",
        )


def _ecn(before: Overview, after: Overview, reasons: Reasons) -> Iterator[SettingChange]:
    """ECN thresholds by kind of switch and rate."""
    old = {(one.switches, one.speed_gbit_s): one for one in before.plan.ecn}
    for one in after.plan.ecn:
        same_kind = [each for (kind, _), each in old.items() if kind == one.switches]
        was = old.get((one.switches, one.speed_gbit_s)) or (same_kind[0] if len(same_kind) == 1 else None)
        if was is None or _marks(was) == _marks(one):
            continue
        why = reasons.of_value("ecn.min_bytes", one.switches)
        if was.speed_gbit_s != one.speed_gbit_s:
            why = f"because the ports run at {one.speed_gbit_s} Gb/s ({was.speed_gbit_s} before)"
        yield SettingChange(
            kind="ecn",
            key="ecn",
            devices=[one.switches],
            ports=[],
            before=_marks(was),
            after=_marks(one),
            why=why,
            message=f"ECN thresholds of {one.switches} switches at {one.speed_gbit_s} Gb/s: {_marks(was)} → {_marks(one)}, {why}",
        )


def _marks(one: Marking) -> str:
    if one.min_bytes is None or one.max_bytes is None:
        return f"{one.min_fill_percent} to {one.max_fill_percent} % full, marking {one.mark_percent} %"
    return f"{one.min_bytes:,} to {one.max_bytes:,} B, marking {one.mark_percent} %"


def _routing(before: Plan, after: Plan) -> Iterator[SettingChange]:
    """The routing engine of InfiniBand."""
    if before.is_ethernet or after.is_ethernet:
        return
    was, now = routing_engine(before), routing_engine(after)
    if was.value != now.value:
        yield SettingChange(
            kind="routing",
            key=now.key,
            devices=["subnet manager"],
            ports=[],
            before=was.value,
            after=now.value,
            why=f"because of the links: {now.why}",
            message=f"routing engine: {was.value} → {now.value}, because of the links: {now.why}",
        )


# --- Values ------------------------------------------------------------------------------------------------------
def _values(before: tuple[Plan, Overview], after: tuple[Plan, Overview], reasons: Reasons) -> Iterator[SettingChange]:
    """Values of the plan by key and kind of switch; one that all kinds change alike stands once."""
    was, now = (_by_kind(plan, view, reasons.kinds) for plan, view in (before, after))
    for key in dict.fromkeys([*was, *now]):
        old, new = was.get(key, {}), now.get(key, {})
        moved = {
            kind: pair
            for kind in reasons.kinds
            if (pair := (_scalar(old.get(kind)), _scalar(new.get(kind))))[0] != pair[1]
        }
        alike = len(set(moved.values())) == 1 and len(moved) == len(reasons.kinds) > 1
        for kind, (first, second) in [(ALL, next(iter(moved.values())))] if alike else list(moved.items()):
            value = next(iter((new or old).values()))
            yield _value_change(key, kind, first, second, value.unit, reasons)


def _value_change(
    key: str,
    kind: str,
    before: str | int | float | None,
    after: str | int | float | None,
    unit: str | None,
    reasons: Reasons,
) -> SettingChange:
    why = reasons.of_value(key, kind)
    said = " → ".join("not set" if one is None else str(one) for one in (before, after))
    of = f" of {kind} switches" if kind else ""
    return SettingChange(
        kind="value",
        key=key,
        devices=[kind] if kind else [],
        ports=[],
        before=before,
        after=after,
        unit=unit,
        why=why,
        message=f"{key}{of}: {said}{f' {unit}' if unit else ''}, {why}",
    )


def _by_kind(plan: Plan, view: Overview, kinds: list[str]) -> dict[str, dict[str, Value]]:
    """Values of the plan's keys, as each kind of switch has them."""
    at = {kind: circumstances_of(plan, kind) for kind in kinds}
    return {
        key: {kind: chosen(key, **holds) for kind, holds in at.items() if is_known(key, **holds)}
        for key in dict.fromkeys(one.key for one in view.plan.values if not one.key.startswith(OF_ECN))
    }


def _scalar(value: Value | None) -> str | int | float | None:
    return value.value if value else None


# --- Addresses and ports of nodes --------------------------------------------------------------------------------
def _addresses(before: Plan, after: Plan) -> Iterator[SettingChange]:
    """Ports of nodes of both states that have another address, or lead to another port of a switch; subnets of leaves."""
    old, new = node_ports(before), node_ports(after)
    _, at_old, at_new = np.intersect1d(old.key, new.key, return_indices=True)
    ways = (before.choices.addressing, after.choices.addressing)
    if before.is_ethernet and after.is_ethernet:
        differs = np.flatnonzero((old.address[at_old] != new.address[at_new]) | (ways[0] != ways[1]))
        if len(differs):
            one = int(differs[0])
            links = (int(old.row[at_old[one]]), int(new.row[at_new[one]]))
            yield _address_change((before, after), links, len(differs), len(at_new))
        if ways == (RAIL, RAIL):
            yield from _subnets(before, after)
    ends = (_ends(before, old.row[at_old]), _ends(after, new.row[at_new]))
    if n_moved := sum(a != b for a, b in zip(*ends, strict=True)):
        why = "because the switches, or what each serves, are others"
        yield _count_change("ports", "switch.links", n_moved, len(at_new), "lead to another port of a switch", why)


def _address_change(plans: tuple[Plan, Plan], links: tuple[int, int], n: int, n_all: int) -> SettingChange:
    """Ports with another address; ``links`` are those of the first of them."""
    after = plans[1]
    ways = [OF_CHOICES["addressing"][plan.choices.addressing == RAIL] for plan in plans]
    why = "because nodes have another number of ports, or other nodes stand before them"
    if after.choices.addressing == RAIL:
        why = "because they are at another port of their leaf, or on another leaf"
    if ways[0] != ways[1]:
        why = f"because node ports have {ways[1]} ({ways[0]} before)"
    was, now = (plan.host_link(link).host for plan, link in zip(plans, links, strict=True))
    table = after.links.table
    node, port = int(table.a_device[links[1]]), int(table.a_port[links[1]])
    first = f"{after.wired.name(node)} {after.links.labels[NODE].port(port)}: {was} → {now}"
    return _count_change("addresses", "addressing.hosts", n, n_all, f"have another address ({first})", why)


def _subnets(before: Plan, after: Plan) -> Iterator[SettingChange]:
    """Leaves of both states whose subnet is another one."""
    slots = [
        dict(zip((plan.wired.name(one) for one in _leaves(plan)), leaf_slots(plan).tolist(), strict=True))
        for plan in (before, after)
    ]
    moved = [name for name, slot in slots[1].items() if slots[0].get(name, slot) != slot]
    if moved:
        gateways = [rail_link(slot[moved[0]], 0).switch for slot in slots]
        why = "because the leaves that stand before them are others"
        where = _several(moved, "leaf switch", "es")
        yield SettingChange(
            kind="addresses",
            key="addressing.gateway",
            devices=moved,
            ports=[],
            before=gateways[0],
            after=gateways[1],
            why=why,
            message=f"subnet of {where}: {gateways[0]} → {gateways[1]}, {why}",
        )


def _leaves(plan: Plan) -> range:
    devices = plan.links.table.devices
    return range(*devices.of(LEAF).indices(len(devices)))


def _count_change(kind: str, key: str, n: int, n_all: int, what: str, why: str) -> SettingChange:
    return SettingChange(
        kind="addresses" if kind == "addresses" else "ports",
        key=key,
        devices=["nodes"],
        ports=[],
        before=0,
        after=n,
        unit="ports",
        why=why,
        message=f"{n:,} of {n_all:,} ports of nodes that were there {what}, {why}",
    )


def _ends(plan: Plan, rows: IntArray) -> list[tuple[str, int, int]]:
    """Switch, port and lane at the upper end of each link."""
    table, names = plan.links.table, plan.links.table.devices.names
    columns = (table.b_device[rows].tolist(), table.b_port[rows].tolist(), table.b_lane[rows].tolist())
    return [(names[device], port, lane) for device, port, lane in zip(*columns, strict=True)]
