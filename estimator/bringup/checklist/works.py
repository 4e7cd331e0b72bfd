"""What there is to do, phase by phase: racks, power, devices, cables, ends, links, counters, firmware, settings, gates."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from estimator.bringup.acceptance.result import Gate
from estimator.bringup.checklist.places import Places
from estimator.bringup.checklist.schedule import Work
from estimator.cabling.bundles import Bundle
from estimator.crews.effort import person_hours, tasks
from estimator.findings.node_words import said
from estimator.units import counted

PDUS_PER_RACK = 2  # of a cabinet, as the bill of materials buys it


class Kind(NamedTuple):
    """A phase: its heading, what its counts count, and how it is done."""

    title: str
    unit: str
    how: str


PHASES = {
    "rack": Kind("Racks", "rack", "Place, level, bolt, ground; label front and back."),
    "pdu": Kind("PDUs", "PDU", "Hang both, each on its own feed; label PDU and feed."),
    "power": Kind("Power", "rack", "Feed A off, then B off: the rack stays up; read draw and phases."),
    "mount": Kind(
        "Devices", "device", "Serial number against the list; air the right way; both cords, one to each feed."
    ),
    "transceiver": Kind(
        "Transceivers", "transceiver", "Part number against the list; caps stay on until the cable comes."
    ),
    "cable": Kind(
        "Cables", "cable", "In this order, so that no free port comes to lie behind a cable; label both ends."
    ),
    "end": Kind(
        "Ends",
        "end",
        "Fibre: inspect, clean, inspect, plug (IEC 61300-3-35). Copper: look at the contacts, plug.",
    ),
    "link": Kind(
        "Links", "link", "Up at the rate of the list, to the neighbour of the list: compare with the links as built."
    ),
    "counter": Kind(
        "Error counters", "link", "Clear, soak for a night under load, read: effective and symbol errors, flaps."
    ),
    "firmware": Kind(
        "Firmware", "device", "One version a part, the one of the release notes; read back after the restart."
    ),
    "settings": Kind("Settings", "device", "Written from the plan, read back, compared."),
    "gate": Kind("Acceptance", "run", "As the contract says; results judged gate by gate."),
}


def works_of(
    places: Places,
    bundles: Sequence[Bundle],
    transceivers: Mapping[str, int],
    gates: Sequence[Gate],
    n_panels: int,
    word: str,
) -> Iterator[Work]:
    """All works, each after those that it rests on, in the word for the design's servers (node_words.py)."""
    yield from _racks(places, n_panels)
    yield from _devices(places, transceivers, word)
    yield from _cables(places, bundles)
    yield from _links(bundles)
    yield from _software(places, bundles, word)
    yield from _gates(gates, places, word)


def _work(phase: str, place: str, task: str, count: int, **more: object) -> Work:
    """A work of one kind, its hours by ``task``."""
    kind = PHASES[phase]
    given: dict[str, Any] = {"where": place, "unit": kind.unit, "hours": person_hours(task, count), **more}
    return Work(f"{phase}/{place}", phase, tasks()[task].crew, count=count, **given)


def _racks(places: Places, n_panels: int) -> Iterator[Work]:
    filled = frozenset(list(places.in_rack(places.nodes))[: places.n_whole])
    for rack in places.racks:
        yield _work("rack", rack, "whole-rack" if rack in filled else "rack", 1, title=f"Place {rack}")
    if n_panels:
        yield _work("rack", "patch panels", "panel", n_panels, title="Patch panels", unit="patch panel")
    for rack in places.racks:
        if rack not in filled:
            title = f"PDUs of {rack}"
            yield _work("pdu", rack, "pdu", PDUS_PER_RACK, title=title, after=(f"rack/{rack}",))
    for rack in places.racks:
        before = f"rack/{rack}" if rack in filled else f"pdu/{rack}"
        yield _work("power", rack, "power", 1, title=f"Power of {rack}", after=(before,))


def _devices(places: Places, transceivers: Mapping[str, int], word: str) -> Iterator[Work]:
    filled = frozenset(list(places.in_rack(places.nodes))[: places.n_whole])
    nodes, switches = places.in_rack(places.nodes), places.in_rack(places.switches)
    for rack in places.racks:
        n_nodes, n_switches = len(nodes.get(rack, ())), len(switches.get(rack, ()))
        if not n_nodes + n_switches:
            continue
        hours = person_hours("tray" if rack in filled else "node", n_nodes) + person_hours("switch", n_switches)
        what = " and ".join(counted(n, one) for n, one in ((n_nodes, word), (n_switches, "switch")) if n).replace(
            "switchs", "switches"
        )
        title = f"{'Check' if rack in filled else 'Mount'} {what} in {rack}"
        yield _work("mount", rack, "node", n_nodes + n_switches, title=title, hours=hours, after=(f"power/{rack}",))
    of_rack: dict[str, int] = {}
    for device, n in transceivers.items():
        place = places.rack_of.get(device, device)
        of_rack[place] = of_rack.get(place, 0) + n
    order = {rack: i for i, rack in enumerate(places.racks)}
    for place in sorted(of_rack, key=lambda one: (order.get(one, len(order)), one)):
        has_devices = place in nodes or place in switches
        yield _work(
            "transceiver",
            place,
            "transceiver",
            of_rack[place],
            title=f"Transceivers in {place}",
            after=(f"mount/{place}",) if has_devices else (),
        )


def _place_of(bundle: Bundle) -> str:
    return f"{bundle.role}/{bundle.tier}/{bundle.device}"


def _cables(places: Places, bundles: Sequence[Bundle]) -> Iterator[Work]:
    mounted = frozenset((*places.in_rack(places.nodes), *places.in_rack(places.switches)))
    for bundle in bundles:
        racks = sorted({places.rack_of.get(name, "") for name in (bundle.device, *bundle.lower)} & mounted)
        others = f"{bundle.lower[0]} … {bundle.lower[-1]}" if len(bundle.lower) > 1 else bundle.lower[0]
        yield _work(
            "cable",
            _place_of(bundle),
            "cable",
            bundle.n_cables,
            title=f"Pull {counted(bundle.n_cables, 'cable')} between {bundle.device} and {others}",
            where=places.rack_of.get(bundle.device, ""),
            hours=person_hours("cable", bundle.n_cables) + person_hours("cable-metre", bundle.n_metres),
            labels=bundle.labels,
            after=tuple(f"mount/{rack}" for rack in racks),
        )
    for bundle in bundles:
        n_ends = bundle.n_fiber_ends + bundle.n_other_ends
        yield _work(
            "end",
            _place_of(bundle),
            "fiber-end",
            n_ends,
            title=f"{'Clean, inspect and plug' if bundle.n_fiber_ends else 'Plug'} the ends at {bundle.device}",
            where=places.rack_of.get(bundle.device, ""),
            hours=person_hours("fiber-end", bundle.n_fiber_ends) + person_hours("other-end", bundle.n_other_ends),
            labels=bundle.labels,
            after=(f"cable/{_place_of(bundle)}",),
        )


def _links(bundles: Sequence[Bundle]) -> Iterator[Work]:
    for phase, task, words, before in (
        ("link", "link", "Links up at", "end"),
        ("counter", "counter", "Error counters of", "link"),
    ):
        for bundle in bundles:
            yield _work(
                phase,
                _place_of(bundle),
                task,
                bundle.n_links,
                title=f"{words} {bundle.device}, {bundle.tier}",
                where=bundle.device,
                after=(f"{before}/{_place_of(bundle)}",),
            )


def _software(places: Places, bundles: Sequence[Bundle], word: str) -> Iterator[Work]:
    counted_links: dict[str, list[str]] = {}
    for bundle in bundles:
        for name in (bundle.device, *bundle.lower):
            if rack := places.rack_of.get(name):
                counted_links.setdefault(rack, []).append(f"counter/{_place_of(bundle)}")
    for phase, words in (("firmware", "Firmware of"), ("settings", "Settings of")):
        for kind, devices, what in (
            ("switch", places.in_rack(places.switches), "switches"),
            ("node", places.in_rack(places.nodes), "servers"),
        ):
            for rack, names in devices.items():
                place = f"{rack}/{what}"
                after = (
                    (f"firmware/{place}",) if phase == "settings" else tuple(dict.fromkeys(counted_links.get(rack, ())))
                )
                title = said(f"{words} {what} in {rack}", word)
                yield _work(phase, place, f"{kind}-{phase}", len(names), title=title, where=rack, after=after)


def _gates(gates: Sequence[Gate], places: Places, word: str) -> Iterator[Work]:
    ready = tuple(
        f"settings/{rack}/{what}"
        for devices, what in ((places.in_rack(places.switches), "switches"), (places.in_rack(places.nodes), "servers"))
        for rack in devices
    )
    for gate in gates:
        yield _work(
            "gate",
            gate.code,
            "run",
            gate.results * gate.repetitions,
            title=f"Gate {gate.code}: {said(gate.title, word)}",
            where="site",
            how=f"Passes from {gate.pass_at:g} {gate.unit}. {said(gate.on_failure, word)}.",
            after=ready,
            is_shared=True,
        )
        ready = (f"gate/{gate.code}",)
