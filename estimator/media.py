"""Which cable, or which modules and fibre, join two cages over a length: the rules of fit, reach and choice.

A *plug* is whatever sits in a cage: a module, or the end of a cable. A cage carries ``links`` links of one rate, and
its plug must carry as many. Passive copper is taken where it reaches, then active copper, then optical cables, then
multimode modules, then single-mode ones; within a kind, parts of the switch's vendor, then vendor-neutral ones, then
the rest; among those, the first in cables.csv. Prices do not choose: many are assumptions, and a design would change
its parts with the price book.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from estimator.catalog.loader import Catalog
from estimator.catalog.records import Cable
from estimator.units import ceil_div

BUILT_IN_CLASS = "MPO-12"  # a cage that takes a fibre: the optics are inside the switch
_ORDER = ("dac", "lacc", "acc", "aec", "aoc", "multimode", "single-mode")


@dataclass(frozen=True, slots=True)
class Cage:
    """One cage as a cable sees it: ``links`` of the tier's rate; a ``can_idle`` cage may hold a faster plug."""

    classes: tuple[str, ...]
    top: str | None
    links: int
    can_idle: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What joins two cages. ``cable`` is a copper or optical cable, or the fibre between two modules.

    ``links_per_cable`` links share one cable, or one link needs ``cables_per_link``. Plugs are module records, or None
    where the cable brings its own end or the optics are built in; ``upper_plug_w`` and ``lower_plug_w`` count either.
    """

    medium: str
    cable: Cable
    length_m: float
    links_per_cable: int
    cables_per_link: int
    upper_module: Cable | None
    lower_module: Cable | None
    upper_plug_w: float
    lower_plug_w: float

    @property
    def is_twin(self) -> bool:
        """True if one cable carries several links between the same two cages."""
        return self.links_per_cable > 1 and (self.cable.b_count or 1) == 1


@dataclass(frozen=True, slots=True)
class Question:
    """Two cages, ``upper`` nearer the core, to be joined at a rate over a length.

    ``may_twin`` says that the links of a cage all end in one cage on the far side, so that a cable may carry several.
    """

    protocol: str
    rate_gbit_s: int
    length_m: float
    upper: Cage
    lower: Cage
    may_twin: bool
    vendor: str


@lru_cache(maxsize=1024)
def choose(catalog: Catalog, question: Question) -> Choice | None:
    """The part or parts that join the two cages, or None where the catalog has none that fit and reach."""
    options = [*_direct(catalog, question), *_modules(catalog, question)]
    if not options:
        return None
    return min(options, key=lambda option: _rank(catalog, option, question.vendor))


def _rank(catalog: Catalog, option: Choice, vendor: str) -> tuple[int, int, list[int]]:
    order = list(catalog.cables)
    parts = (option.upper_module, option.lower_module, option.cable)
    return _ORDER.index(_kind(option)), _foreign(option, vendor), [order.index(part.id) for part in parts if part]


def _kind(option: Choice) -> str:
    return option.medium if option.cable.kind == "fiber" else option.cable.kind


def _foreign(option: Choice, vendor: str) -> int:
    """0 for parts of the switch's vendor, 1 for each vendor-neutral one, 2 for each other; fibres count for nothing."""
    parts = [option.upper_module, option.lower_module] if option.cable.kind == "fiber" else [option.cable]
    return sum(0 if vendor.startswith(p.vendor) else 1 if p.vendor == "Generic" else 2 for p in parts if p)


def _plugs_in(cable_class: str | None, cable_top: str | None, cage: Cage, catalog: Catalog) -> bool:
    accepted = {kind for own in cage.classes for kind in catalog.connector_fit.get(own, ())}
    return cable_class in accepted and (cage.top is None or cable_top is None or cage.top == cable_top)


def _carries(plug_gbit_s: int | None, cage: Cage, rate_gbit_s: int) -> bool:
    """The plug runs at what the cage carries, or above it where the cage may idle lanes."""
    needed = cage.links * rate_gbit_s
    return plug_gbit_s == needed or (cage.can_idle and (plug_gbit_s or 0) > needed)


def stocked_length_m(cable: Cable, length_m: float) -> float | None:
    """Shortest length on offer that is long enough, else the length itself if it is within reach, else None."""
    longer = [length for length in cable.lengths_m if length >= length_m]
    return min(longer) if longer else length_m if length_m <= cable.reach_max_m else None


# ---------------------------------------------------------------- cables with their own ends


def _direct(catalog: Catalog, question: Question) -> Iterator[Choice]:
    for cable in catalog.cables.values():
        if cable.kind not in _ORDER or question.protocol not in cable.protocols or cable.status != "available":
            continue
        length = stocked_length_m(cable, question.length_m)
        if length is not None and (option := _direct_option(catalog, question, cable, length)):
            yield option


def _direct_option(catalog: Catalog, question: Question, cable: Cable, length_m: float) -> Choice | None:
    """The cable with its a end up, or turned round if both ends are single."""
    upper, lower, rate = question.upper, question.lower, question.rate_gbit_s
    ends = ((cable.a_class, cable.a_top, cable.a_power_w), (cable.b_class, cable.b_top, cable.b_power_w or 0.0))
    for near, far in (ends, ends[::-1]) if cable.b_count == 1 else (ends,):
        if not (_plugs_in(*near[:2], upper, catalog) and _plugs_in(*far[:2], lower, catalog)):
            continue
        branches = cable.b_count or 1
        is_twin = branches == 1 and upper.links > 1
        if upper.links != branches * lower.links or (is_twin and not (question.may_twin and cable.medium == "copper")):
            continue
        if cable.a_rate_gbit_s != upper.links * rate or cable.b_rate_gbit_s != lower.links * rate:
            continue
        return Choice(cable.medium, cable, length_m, upper.links, 1, None, None, near[2], far[2])
    return None


# ---------------------------------------------------------------- modules and fibres


def _modules(catalog: Catalog, question: Question) -> Iterator[Choice]:
    lowers = list(_plugs(catalog, question, question.lower))
    for upper in _plugs(catalog, question, question.upper):
        for lower in lowers:
            if _is_pair(upper, lower) and (option := _with_fiber(catalog, question, upper, lower)):
                yield option


def _plugs(catalog: Catalog, question: Question, cage: Cage) -> Iterator[Cable]:
    """Modules that fit a cage and its rate; where the optics are built in, what they do stands in for one."""
    if cage.classes == (BUILT_IN_CLASS,):
        like = (c for c in catalog.cables.values() if c.optic == "DR4" and c.aggregate_gbit_s == question.rate_gbit_s)
        yield from (replace(module, id=BUILT_IN_CLASS, a_power_w=0.0) for module in like)
        return
    for module in catalog.cables.values():
        if (
            module.kind == "transceiver"
            and question.protocol in module.protocols
            and module.status == "available"
            and question.length_m <= module.reach_max_m
            and _plugs_in(module.a_class, module.a_top, cage, catalog)
            and _carries(module.aggregate_gbit_s, cage, question.rate_gbit_s)
        ):
            yield module


def _is_pair(upper: Cable, lower: Cable) -> bool:
    """Same light, same fibre connector, same rate a lane: 100G lanes never meet 200G ones."""

    def light(module: Cable) -> tuple[str, str, str | None, str | None, float]:
        lanes = (module.connectors_per_module or 1) * (module.fibers_per_connector or 2) / 2
        family = (module.optic or "").removeprefix("2x")
        return module.medium, family, module.fiber_connector, module.polish, (module.aggregate_gbit_s or 0) / lanes

    return light(upper) == light(lower)


def _with_fiber(catalog: Catalog, question: Question, upper: Cable, lower: Cable) -> Choice | None:
    """Two modules and the fibre between them: straight, or split where an upper connector serves several links."""
    connectors, links = upper.connectors_per_module or 1, question.upper.links
    far_connectors, far_links = lower.connectors_per_module or 1, question.lower.links
    branches = ceil_div(links, connectors)
    is_even = links == branches * connectors if branches > 1 else connectors % links == 0
    matches = far_connectors == far_links if branches > 1 else connectors * far_links == far_connectors * links
    least = max(question.length_m, upper.reach_min_m, lower.reach_min_m)  # a shorter run takes a longer fibre
    found = _fiber(catalog, least, upper, lower, branches) if is_even and matches else None
    if found is None:
        return None
    fiber, length_m = found
    return Choice(
        medium=upper.medium, cable=fiber, length_m=length_m, links_per_cable=branches,
        cables_per_link=max(connectors // links, 1),
        upper_module=None if upper.id == BUILT_IN_CLASS else upper,
        lower_module=None if lower.id == BUILT_IN_CLASS else lower,
        upper_plug_w=upper.a_power_w, lower_plug_w=lower.a_power_w)  # fmt: skip


def _fiber(catalog: Catalog, length_m: float, upper: Cable, lower: Cable, branches: int) -> tuple[Cable, float] | None:
    """A fibre that both modules name, else the first of the same medium, connector and polish; and its stocked length.

    A split fibre is named by the upper module alone, the one whose connector is split.
    """
    named = [f for f in upper.matching_fiber_ids if branches > 1 or f in lower.matching_fiber_ids]
    light = (upper.medium, upper.fiber_connector, upper.polish)
    fibers = [cable for cable in catalog.cables.values() if cable.kind == "fiber"]
    alike = [fiber for fiber in fibers if (fiber.medium, fiber.fiber_connector, fiber.polish) == light]
    for fiber in (*(catalog.cables[f] for f in named), *alike):
        stocked = stocked_length_m(fiber, length_m)
        if fiber.b_count == branches and stocked is not None:
            return fiber, stocked
    return None
