"""What the configurations of all systems share: which switches they are for, and values that follow from the design."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from estimator.bringup.plan import answer
from estimator.bringup.plan.answer import marking
from estimator.bringup.plan.buffers import lanes_of
from estimator.bringup.plan.facts import chosen, is_known
from estimator.bringup.plan.plan import Group, Interface, Plan, SwitchPlan
from estimator.bringup.plan.records import Marking
from estimator.bringup.plan.systems import System, has_known_names
from estimator.bringup.plan.value import Value, own, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File

ROCE = "ROCE"  # name of every profile that a configuration makes
LINKS = "Link list of the design"
KEPT = 4  # switches, one of which is written at a time
PRIORITIES = range(8)
DSCPS = range(64)


def switch_files(plan: Plan, system: System, write: Callable[[Plan, SwitchPlan], Iterator[File]]) -> Iterator[File]:
    """The files of all switches that run the system; of all switches, where none of the design's boxes does."""
    wired = plan.wired
    able = [device for device in wired.switches if system.runs_on(plan.links.switches[wired.kind(device)])]
    for switch in plan.switches(system, able or wired.switches):
        yield from write(plan, switch)


def page_of(plan: Plan, switch: SwitchPlan, how: str, mark: str = "# ") -> Page:
    """A page with a head that says which box it is for, and where its port names are from."""
    system = switch.system
    known = has_known_names(plan.links, switch.kind, system)
    names = (
        "as the vendor's documents have them" if known else "by the system's usual convention: check them on the box"
    )
    notes = [f"{switch.name} ({switch.model}), {system.label}. {how}", f"Port names: {names}."]
    if not system.runs_on(switch.part):
        notes.append(f"{switch.model} is not known to run {system.label}: this is for a box with the same ports.")
    return Page(plan, *notes, mark=mark)


def design_value(key: str, value: str | int | float, why: str, unit: str | None = None) -> Value:
    """A value that stands in the design's links."""
    return worked_out(key, value, LINKS, why, unit)


def name_value(switch: SwitchPlan) -> Value:
    """The switch's name."""
    return design_value("switch.name", switch.name, "Names of the link list, so that LLDP can be compared with it")


@lru_cache(maxsize=KEPT)
def links_value(switch: SwitchPlan) -> Value:
    """What the ports lead to."""
    return design_value("switch.links", len(switch.interfaces), "Ports with their peers, as cabled", "links")


@lru_cache(maxsize=KEPT)
def asn_value(switch: SwitchPlan) -> Value:
    """BGP number of the switch."""
    first = chosen("bgp.first_asn")
    return worked_out("bgp.asn", switch.asn, first.source, first.why)


@lru_cache(maxsize=KEPT)
def peers_value(switch: SwitchPlan) -> Value:
    """BGP numbers of the switches at the other ends."""
    first = chosen("bgp.first_asn")
    numbers = dict.fromkeys(str(one.peer_asn) for one in switch.interfaces if one.peer_asn)
    return worked_out("bgp.peer_asns", " ".join(numbers), first.source, first.why)


@lru_cache(maxsize=KEPT)
def loopback_value(switch: SwitchPlan) -> Value:
    """Address of the switch itself."""
    pool = chosen("addressing.loopbacks")
    return worked_out("switch.loopback", switch.loopback, f"{pool.value}: {pool.source}", pool.why)


@lru_cache(maxsize=KEPT)
def addresses_value(switch: SwitchPlan) -> Value:
    """Addresses of the links to nodes."""
    how, pool = switch.value("addressing"), switch.value("addressing.hosts")
    whose = f"the leaf is {switch.gateway}" if switch.gateway else "the even address is the switch's"
    return how.but(key="addressing", why=f"{how.why}; out of {pool.value}, {whose}")


def vlan_of(switch: SwitchPlan) -> Value:
    """The VLAN of a leaf's node ports, where they are one subnet."""
    return switch.value("addressing.rail_vlan")


def in_subnet(switch: SwitchPlan, one: Interface) -> bool:
    """Whether a port is in the subnet of the leaf's node ports."""
    return switch.gateway is not None and one.is_to_node


@cache
def fabric_value() -> Value:
    """Addresses of the links between switches."""
    return chosen("addressing.fabric")


@lru_cache(maxsize=KEPT)
def split_value(switch: SwitchPlan) -> Value:
    """How cages are split."""
    parts = dict.fromkeys(f"{one.parts} x {one.speed_gbit_s}G" for one in switch.interfaces if one.parts > 1)
    return design_value("switch.split_cages", ", ".join(parts) or "none", "Links that one cage carries")


@lru_cache(maxsize=KEPT)
def speed_value(switch: SwitchPlan) -> Value:
    """Rates of the ports."""
    rates = dict.fromkeys(str(one.speed_gbit_s) for one in switch.interfaces)
    return design_value("switch.port_rates", " ".join(rates), "Rates of the links", "Gb/s")


def lanes(switch: SwitchPlan, interface: Interface) -> int:
    """Electrical lanes of a port."""
    return lanes_of(switch.part, interface.speed_gbit_s)


class Length(NamedTuple):
    """The longest cable of a group as the systems take it, with the headroom that follows."""

    value: Value
    headroom: Value
    xon: Value
    size: Value


def length_of(group: Group) -> Length:
    """Length and headroom of a group of ports."""
    room, to = group.headroom, group.towards
    why = f"The longest of {len(group.interfaces)} cables to {to}s, {round(group.cable_m, 2)} m, rounded up"
    return Length(
        worked_out(f"cable_m.{to}", room.cable_m, "Cable lengths of the design", why, "m"),
        room.value(f"headroom.{to}.xoff", room.xoff_bytes),
        room.value(f"headroom.{to}.xon", room.xon_bytes),
        room.value(f"headroom.{to}.size", room.size_bytes),
    )


def longest_of(switch: SwitchPlan) -> Group:
    """The group of ports with the longest cable."""
    return max(switch.groups, key=lambda group: group.headroom.cable_m)


def marks_of(switch: SwitchPlan) -> Marking:
    """ECN thresholds of the switch: those of its fastest ports, as a profile is one for all."""
    return marking(switch, _fastest(switch))


def mark_values(switch: SwitchPlan) -> tuple[Value, Value, Value]:
    """The values behind ``marks_of``."""
    return answer.mark_values(switch, _fastest(switch))


def _fastest(switch: SwitchPlan) -> int:
    return max(group.speed_gbit_s for group in switch.groups)


def uplinks(switch: SwitchPlan) -> list[Interface]:
    """Interfaces to other switches."""
    return [one for one in switch.interfaces if not one.is_to_node]


def trims(switch: SwitchPlan) -> bool:
    """Whether full queues of the data cut packets, which the choice of the plan and the silicon decide."""
    return is_known("trim.available", **switch.circumstances) and switch.value("trim.available").value == "yes"


def flow_value(switch: SwitchPlan) -> Value:
    """How a switch treats its packets: the data class, or that it has no classes."""
    return switch.value("data.flow" if switch.has_classes else "other.flow")


def put_no_classes(switch: SwitchPlan, page: Page) -> None:
    """Say why a switch gets no traffic classes, ECN and flow control."""
    page.say("No traffic classes, ECN or flow control: no RDMA on this network")
    page.put(flow_value(switch))


def put_no_trimming(switch: SwitchPlan, page: Page) -> None:
    """Say so where the plan is lossy with trimming and nothing is known that turns trimming on here."""
    if is_known("trim.available", **switch.circumstances) and not trims(switch):
        page.say("Packet trimming")
        page.put((switch.value("trim.available"), switch.value("data.flow")))


def cages(switch: SwitchPlan) -> dict[str, Interface]:
    """Split cages by name, each with one of its ports."""
    return {one.cage: one for one in switch.interfaces if one.parts > 1}


def described(interface: Interface) -> str:
    """The other end, as LLDP shows it."""
    return f"{interface.peer} {interface.peer_port}"


@cache
def syntax(source: str) -> Value:
    """Lines that open a part or turn a feature on, and hold no figure: the documents that have them so."""
    why = "Lines that open a part of the configuration or turn a feature on"
    return Value(key="syntax", value="as documented", source=source, trust="A", why=why, alternatives=[])


@cache
def unread_syntax(what: str, why: str) -> Value:
    """Lines whose form no document of the vendor was read for: ``what`` they do, and ``why`` they are written so."""
    return own(
        f"syntax.{what}", "not read in the vendor's documents", f"{why}. Check it on the box before it is applied"
    )
