"""Does this plug go into this cage, and does this fibre go into this transceiver: one list of rules, by reason code.

A *plug* is a transceiver or one end of a cable. Every rule that is broken has a code with a verdict: ``blocked`` cannot work,
``review`` works only under a condition that the buyer must check, and nothing broken is a ``match``. media.py chooses
parts by these rules, and ``fit`` answers for one part and one switch, NIC or server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from estimator.cabling.result import Fit, Reason
from estimator.catalog.ports import FAST_LANE_GBIT_S
from estimator.catalog.records import Cable, Nic, Server, Switch
from estimator.errors import SpecError
from estimator.spec.checking import unknown_part

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog

MATCH, REVIEW, BLOCKED = "match", "review", "blocked"
STRAIGHT_LC = "LC"
MULTIMODE = "multimode"
MOST_MULTIMODE_PANELS = 2  # vendors' multimode reach allows for two patch panels in a link

_VERDICTS = {
    "connector_class": BLOCKED,
    "single_port_in_twin_cage": BLOCKED,
    "top_differs": BLOCKED,
    "protocol_differs": BLOCKED,
    "lane_rate_differs": BLOCKED,
    "rate_above_cage": BLOCKED,
    "speed_below_cage": REVIEW,
    "vendor_coding": REVIEW,
    "not_available": REVIEW,
    "optics_differ": BLOCKED,
    "fiber_differs": BLOCKED,
    "lc_cannot_split": BLOCKED,
    "mixed_fiber": BLOCKED,
    "grade_unknown": BLOCKED,
    "reach_exceeded": BLOCKED,
    "panels_exceeded": BLOCKED,
}


class Cage(NamedTuple):
    """One cage as a plug sees it: ``links`` of the tier's rate; a ``can_idle`` cage may hold a faster plug.

    ``rate_gbit_s`` and ``lanes`` are the cage's own. NICs, which set their lanes to the plug, have no ``lanes`` here.
    """

    classes: tuple[str, ...]
    top: str | None
    links: int
    can_idle: bool = False
    rate_gbit_s: int | None = None
    lanes: int | None = None


class Plug(NamedTuple):
    """What sits in a cage. ``lanes`` is None where the class does not say."""

    connector_class: str
    top: str | None
    rate_gbit_s: int | None
    lanes: int | None
    power_w: float


def is_blocked(codes: Iterable[str]) -> bool:
    """True if any of these codes cannot work."""
    return any(_VERDICTS[code] == BLOCKED for code in codes)


def plugs_of(cable: Cable, catalog: Catalog) -> tuple[Plug, Plug | None]:
    """The a end and the b end; a transceiver has no b end."""
    a = Plug(
        cable.a_class,
        cable.a_top,
        cable.a_rate_gbit_s or cable.aggregate_gbit_s,
        catalog.connector_lanes.get(cable.a_class),
        cable.a_power_w,
    )
    if cable.b_class is None:
        return a, None
    lanes = catalog.connector_lanes.get(cable.b_class)
    return a, Plug(cable.b_class, cable.b_top, cable.b_rate_gbit_s, lanes, cable.b_power_w or 0.0)


def cage_reasons(plug: Plug, cage: Cage, catalog: Catalog) -> Iterator[str]:
    """Codes of the rules that a plug in a cage breaks, of shape and of speed."""
    accepted = {kind for own in cage.classes for kind in catalog.connector_fit.get(own, ())}
    if plug.connector_class not in accepted:
        is_single = plug.connector_class == "OSFP4" and "OSFP8" in cage.classes
        yield "single_port_in_twin_cage" if is_single else "connector_class"
        return
    if cage.top is not None and plug.top is not None and cage.top != plug.top:
        yield "top_differs"
    if cage.rate_gbit_s is None or plug.rate_gbit_s is None:
        return
    if plug.lanes and cage.lanes:
        lane, cage_lane = plug.rate_gbit_s / plug.lanes, cage.rate_gbit_s / cage.lanes
        if lane > cage_lane or (cage_lane >= FAST_LANE_GBIT_S > lane):
            yield "lane_rate_differs"  # 200G lanes and 100G lanes never run in one another's cage
            return
    if plug.rate_gbit_s > cage.rate_gbit_s:
        yield "rate_above_cage"
    elif plug.rate_gbit_s < cage.rate_gbit_s:
        yield "speed_below_cage"


def part_reasons(cable: Cable, protocol: str) -> Iterator[str]:
    """Codes of what a part is, wherever it is plugged in."""
    if protocol not in cable.protocols:
        yield "protocol_differs"
    if cable.status != "available":
        yield "not_available"


def pair_reasons(upper: Cable, lower: Cable) -> Iterator[str]:
    """Codes of two transceivers that should see one another: same light, same connector, same rate a lane."""

    def light(module: Cable) -> tuple[str, str, str | None, str | None]:
        return module.medium, (module.optic or "").removeprefix("2x"), module.fiber_connector, module.polish

    if light(upper) != light(lower):
        yield "optics_differ"
    if _lane_gbit_s(upper) != _lane_gbit_s(lower):
        yield "lane_rate_differs"


def _lane_gbit_s(module: Cable) -> float:
    pairs = (module.connectors_per_module or 1) * (module.fibers_per_connector or 2) / 2
    return (module.aggregate_gbit_s or 0) / pairs


def fiber_reasons(module: Cable, fibers: Sequence[Cable], length_m: float = 0.0, panels: int = 0) -> Iterator[str]:
    """Codes of the fibres in the connectors of one transceiver, over a length [m] with patch panels included."""
    for fiber in fibers:
        branches = fiber.b_count or 1
        if branches > 1 and STRAIGHT_LC in (module.fiber_connector, fiber.fiber_connector):
            yield "lc_cannot_split"
        elif (fiber.medium, fiber.polish) != (module.medium, module.polish) or (
            module.fiber_connector not in (fiber.fiber_connector, fiber.a_class, fiber.b_class)
        ):
            yield "fiber_differs"
        if length_m > min(reach_m(module, fiber.fiber_grade) or 0.0, fiber.reach_max_m):
            yield "reach_exceeded" if reach_m(module, fiber.fiber_grade) else "grade_unknown"
        if module.medium == MULTIMODE and panels > MOST_MULTIMODE_PANELS:
            yield "panels_exceeded"
    if len({(fiber.medium, fiber.b_count) for fiber in fibers}) > 1:
        yield "mixed_fiber"


def reach_m(module: Cable, grade: str | None) -> float | None:
    """Reach of a transceiver over a grade of fibre, panels included; None where its vendor names none for that grade."""
    return module.reach_om3_m if grade == "OM3" else module.reach_max_m


# ---------------------------------------------------------------- one part and one place


def fit(cable: Cable, holder: Switch | Nic | Server, catalog: Catalog) -> Fit:
    """Whether a transceiver, or an end of a cable, goes into a cage of a switch, a NIC or a server's compute network.

    The best of its ends in the best of the holder's cages counts: that with the fewest rules broken, blocked ones first.
    """
    plugs = [plug for plug in plugs_of(cable, catalog) if plug]
    tries = [_try(cable, plug, cage, holder, catalog) for plug in plugs for cage in _cages(holder)]
    codes = min(tries, key=lambda codes: (is_blocked(codes), len(codes)))
    return verdict_on(codes, cable.description, f"{holder.vendor} {holder.model}")


def fit_by_id(part: str, place: str, catalog: Catalog) -> Fit:
    """``fit`` of a part and a place by their ids.

    Raises
    ------
    SpecError
        If the catalog does not know one of them.
    """
    found = fit_at(catalog, part, place)
    if found is None:
        places = [*catalog.switches, *catalog.nics, *catalog.servers]
        named = (
            ("PART", "transceiver or cable", part, catalog.cables),
            ("PLACE", "switch, NIC or server", place, places),
        )
        raise SpecError(
            [unknown_part(field, kind, name, known) for field, kind, name, known in named if name not in known]
        )
    return found


@lru_cache(maxsize=4096)
def fit_at(catalog: Catalog, part: str, place: str) -> Fit | None:
    """``fit`` of a part and a place by their ids; None where the catalog does not know one of them."""
    cable = catalog.cables.get(part)
    holder = catalog.switches.get(place) or catalog.nics.get(place) or catalog.servers.get(place)
    return fit(cable, holder, catalog) if cable and holder else None


def verdict_on(codes: Sequence[str], part: str, place: str) -> Fit:
    """The worst verdict of some codes, each with its message."""
    reasons = tuple(Reason(code, _VERDICTS[code], _message(code, part, place)) for code in codes)
    verdicts = {reason.verdict for reason in reasons}
    return Fit(BLOCKED if BLOCKED in verdicts else REVIEW if verdicts else MATCH, reasons)


def _try(cable: Cable, plug: Plug, cage: Cage, holder: Switch | Nic | Server, catalog: Catalog) -> list[str]:
    codes = list(cage_reasons(plug, cage, catalog))
    protocols = (
        (holder.protocol,) if isinstance(holder, Switch) else holder.protocols if isinstance(holder, Nic) else ()
    )
    if protocols and not set(protocols) & set(cable.protocols):
        codes.append("protocol_differs")
    if cable.status != "available":
        codes.append("not_available")
    if isinstance(holder, Switch) and not holder.vendor.startswith(cable.vendor):
        codes.append("vendor_coding")
    return codes


def _cages(holder: Switch | Nic | Server) -> list[Cage]:
    if isinstance(holder, Switch):
        return [Cage(c.cage_classes, c.top, c.links_per_cage, False, c.cage_rate_gbit_s, c.lanes) for c in holder.cages]
    if isinstance(holder, Nic):
        return [Cage(p.cage_classes, p.top, 1, True, p.cage_rate_gbit_s) for p in holder.ports]
    return [Cage(n.cage_classes, n.top, 1, True, n.port_rate_gbit_s * n.n_ports // n.n_cages) for n in holder.networks]


_MESSAGES = {
    "connector_class": "{part} has another connector than the cages of {place}.",
    "single_port_in_twin_cage": "{part} is a single-port plug, and the cages of {place} are twin-port: take a twin-port one.",
    "top_differs": "{part} has the wrong top: finned goes into air-cooled switches, flat into NICs and servers.",
    "protocol_differs": "{part} does not support the protocol of {place}.",
    "lane_rate_differs": "{part} and {place} run lanes at different rates: 100G lanes do not meet 200G ones.",
    "rate_above_cage": "{part} is faster than a cage of {place}.",
    "speed_below_cage": "{part} is slower than a cage of {place}: the port must be set to the lower speed.",
    "vendor_coding": "{part} is not of the vendor of {place}: check that it is coded for that switch.",
    "not_available": "{part} is announced and not yet sold.",
    "optics_differ": "{part} and {place} have different light or connectors.",
    "fiber_differs": "{part} has another medium, connector or polish than {place}.",
    "lc_cannot_split": "A duplex LC carries all lanes on one pair: {part} in {place} cannot be split.",
    "mixed_fiber": "{part} are of different kinds, and all fibres of {place} must be alike.",
    "grade_unknown": "The vendor of {place} names no reach over the grade of {part}.",
    "reach_exceeded": "The run is longer than {part} in {place} reaches, panels included.",
    "panels_exceeded": "The reach of {place} allows for two patch panels in a link.",
}


def _message(code: str, part: str, place: str) -> str:
    text = _MESSAGES[code].format(part=part, place=place)
    return text[:1].upper() + text[1:]
