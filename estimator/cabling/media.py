"""Which cable, or which transceivers and fibre, join two cages over a length: the rules of fit, reach and choice.

Whether parts fit says compatibility.py. Of those that fit and reach, one is dropped if another one, of as near a vendor, is
surely cheaper: its high price a link, plugs included, is below the low price of this one in the design's price book. Announced
parts are taken only where nothing else fits. Of the rest the first kind in ``LADDER`` is taken; within a kind, parts of
the switch's vendor, then vendor-neutral ones, then the rest; among those the first in cables.csv. docs/decisions/0007
says why. Cables of one's own come before all others that fit and reach (docs/own_parts.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from estimator.cabling.compatibility import (
    MOST_MULTIMODE_PANELS,
    MULTIMODE,
    Cage,
    Plug,
    cage_reasons,
    fiber_reasons,
    is_blocked,
    pair_reasons,
    part_reasons,
    plugs_of,
    reach_m,
)
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Cable
from estimator.spec.own.part import is_own
from estimator.units import CENTS_PER_USD, BoolArray, FloatArray, IntArray, ceil_div

AUTO = "auto"
BUILT_IN_CLASS = "MPO-12"  # a cage that takes a fibre: the optics are inside the switch
BUILT_IN_CLASSES = (BUILT_IN_CLASS, "MMC-12")
LADDER = ("copper_patch", "dac", "lacc", "acc", "aec", "aoc", "multimode", "single-mode")
MEDIA = {  # what may be requested → kinds of LADDER
    "copper": LADDER[:5],
    "dac": ("dac",),
    "acc": ("acc", "lacc"),
    "aec": ("aec",),
    "aoc": ("aoc",),
    "multimode": ("multimode",),
    "single-mode": ("single-mode",),
}
ABOVE_ALL = 1e12  # a price that is not known, in cents: never the cheaper one


@dataclass(frozen=True, slots=True)
class Question:
    """Two cages, ``upper`` nearer the core, to be joined at a rate.

    ``may_twin`` says that the links of a cage all end in one cage on the far side, so that a cable may carry several.
    ``medium`` is AUTO or a key of MEDIA; ``fiber_grade`` None or a grade of cables.csv; ``panels`` are passed on the way.
    """

    protocol: str
    rate_gbit_s: int
    upper: Cage
    lower: Cage
    may_twin: bool
    vendor: str
    book: str = "street"
    medium: str = AUTO
    fiber_grade: str | None = None
    panels: int = 0


class Choice(NamedTuple):
    """What joins two cages, at any length. ``cable`` is a copper or optical cable, or the fibre between two transceivers.

    ``links_per_cable`` links share one cable, or one link needs ``cables_per_link``. Plugs are transceiver records, or None
    where the cable brings its own end or the optics are built in; ``upper_plug_w`` and ``lower_plug_w`` count either.
    Lengths run to ``most_m``, and a cable is never shorter than ``least_m``; up to ``above_m`` another fibre of the same
    transceivers is taken. ``cents`` and ``metre_cents`` are (low, typical, high) of one link.
    """

    medium: str
    cable: Cable
    links_per_cable: int
    cables_per_link: int
    upper_module: Cable | None
    lower_module: Cable | None
    upper_plug_w: float
    lower_plug_w: float
    least_m: float
    most_m: float
    above_m: float
    cents: tuple[float, float, float]
    metre_cents: tuple[float, float, float]

    @property
    def is_twin(self) -> bool:
        """True if one cable carries several links between the same two cages."""
        return self.links_per_cable > 1 and (self.cable.b_count or 1) == 1

    @property
    def kind(self) -> str:
        """Its word of LADDER."""
        return self.medium if self.cable.kind == "fiber" else self.cable.kind

    @property
    def reported_medium(self) -> str:
        """The medium reported to the reader: ``aoc`` for cables whose fibre cannot be had apart, else the medium."""
        return "aoc" if self.cable.kind == "aoc" else self.medium

    @property
    def transceivers(self) -> tuple[str | None, str | None]:
        """Ids of the transceivers at the lower and the upper end; None where the cable or the switch brings its own."""
        lower, upper = self.lower_module, self.upper_module
        return lower.id if lower else None, upper.id if upper else None

    @property
    def names(self) -> tuple[str, str | None, str | None]:
        """Of the cable, and of the transceivers at the lower and the upper end."""
        lower, upper = self.lower_module, self.upper_module
        return self.cable.name, lower.name if lower else None, upper.name if upper else None

    def stocked_m(self, length_m: npt.ArrayLike) -> FloatArray:
        """Shortest length on offer that is long enough, else the next whole metre within reach; NaN beyond reach."""
        asked = np.maximum(np.asarray(length_m, dtype=np.float64), self.least_m)
        stock = np.array([*self.cable.lengths_m, np.nan])
        stocked = stock[np.searchsorted(stock[:-1], asked)]
        cut = np.minimum(np.ceil(asked), np.maximum(self.most_m, asked))
        found = np.where(np.isnan(stocked), cut, stocked)
        return np.where(np.asarray(length_m) <= self.most_m, found, np.nan)

    def link_usd(self, length_m: float) -> float | None:
        """Typical price of one link, plugs included; None if a part has no price."""
        cents = self.cents[1] + self.metre_cents[1] * float(self.stocked_m(length_m))
        return None if cents >= ABOVE_ALL else cents / CENTS_PER_USD

    def takes(self, length_m: float) -> bool:
        """True for a length that it reaches, and for which no other fibre of the same transceivers is taken."""
        return self.above_m < length_m <= self.most_m


@lru_cache(maxsize=4096)
def choose(catalog: Catalog, question: Question, length_m: float) -> Choice | None:
    """The part or parts that join the two cages over a length, or None where the catalog has none that fit and reach."""
    options = options_of(catalog, question)
    picked = int(choose_each(options, question.vendor, np.array([length_m]))[0])
    return options[picked] if picked >= 0 else None


@lru_cache(maxsize=4096)
def piece_m(choice: Choice, length_m: float) -> float:
    """The stock length of one choice for one length."""
    return float(choice.stocked_m(length_m))


@lru_cache(maxsize=4096)
def cheapest_other(catalog: Catalog, question: Question, length_m: float) -> tuple[Choice, float, float] | None:
    """The kind of as near a vendor with the lowest typical price a link, if that is below the price of what is chosen.

    Returns
    -------
    (that choice, its price of a link, the price of the one chosen), both in US dollars; None if there is none.
    """
    chosen = choose(catalog, question, length_m)
    price = chosen.link_usd(length_m) if chosen else None
    if chosen is None or price is None:
        return None
    best = None
    for option in options_of(catalog, question):
        if is_own(chosen.cable.id) or option.kind == chosen.kind or not option.takes(length_m) or _is_announced(option):
            continue
        other = option.link_usd(length_m)
        if (
            other is not None
            and other < price
            and _foreign(option, question.vendor) <= _foreign(chosen, question.vendor)
        ):
            best = (option, other, price) if best is None or other < best[1] else best
    return best


def choose_each(options: Sequence[Choice], vendor: str, lengths_m: FloatArray) -> IntArray:
    """Index of the option taken for each length, -1 where none reaches."""
    if not options:
        return np.full(len(lengths_m), -1)
    stocked = np.array([option.stocked_m(lengths_m) for option in options])  # (n_options, n_lengths)
    fits = ~np.isnan(stocked) & (lengths_m > np.array([option.above_m for option in options])[:, None])
    fits = _on_sale_first(options, fits)
    price = np.array([option.cents for option in options])
    metre = np.array([option.metre_cents for option in options])
    low = price[:, :1] + metre[:, :1] * stocked
    high = np.where(fits, price[:, 2:] + metre[:, 2:] * stocked, np.inf)
    own = np.array([is_own(option.cable.id) for option in options])
    foreign = np.array([_foreign(option, vendor) for option in options])
    stands = fits
    for distance in set(foreign.tolist()):  # a vendor is never displaced by one that is less near
        surely = high[foreign <= distance].min(axis=0)
        stands = stands & ~((foreign == distance)[:, None] & (surely < low))
    stands = stands | (fits & own[:, None])  # who brings a cable wants it, whatever others cost
    order = np.array([LADDER.index(option.kind) for option in options]) * 8 + foreign
    order = np.where(own, order - len(LADDER) * 8, order)
    rank = np.where(
        stands, order[:, None], len(LADDER) * 8
    )  # of equal ones the first stands in cables.csv before the rest
    return np.where(stands.any(axis=0), rank.argmin(axis=0), -1)


def _on_sale_first(options: Sequence[Choice], fits: BoolArray) -> BoolArray:
    """Options that fit, (n_options, n_lengths), without those of announced parts where others fit."""
    announced = np.array([_is_announced(option) for option in options])[:, None]
    on_sale = fits & ~announced
    return np.asarray(np.where(on_sale.any(axis=0), on_sale, fits))


def _is_announced(option: Choice) -> bool:
    parts = (option.cable, option.upper_module, option.lower_module)
    return any(part.status == "announced" for part in parts if part)


@lru_cache(maxsize=1024)
def options_of(catalog: Catalog, question: Question) -> tuple[Choice, ...]:
    """Everything that fits both cages at some length, in the order of cables.csv."""
    order = {part: i for i, part in enumerate(catalog.cables)}

    def place(option: Choice) -> list[int]:
        return [order[part.id] for part in (option.upper_module, option.lower_module, option.cable) if part]

    direct = [] if question.panels else _direct(catalog, question)
    return tuple(sorted([*direct, *_modules(catalog, question)], key=place))


def _foreign(option: Choice, vendor: str) -> int:
    """0 for parts of the switch's vendor, 1 for each vendor-neutral plug, 2 for each other; fibres count for nothing."""
    is_fiber = option.cable.kind == "fiber"
    parts = [option.upper_module, option.lower_module] if is_fiber else [option.cable, option.cable]
    return sum(0 if vendor.startswith(p.vendor) else 1 if p.vendor == "Generic" else 2 for p in parts if p)


def _fits(cable: Cable, plug: Plug, cage: Cage, protocol: str, catalog: Catalog) -> bool:
    codes = [*part_reasons(cable, protocol), *cage_reasons(plug, cage, catalog)]
    return not is_blocked(codes)


def _carries(plug_gbit_s: int | None, cage: Cage, rate_gbit_s: int) -> bool:
    """The plug runs at what the cage carries, or above it where the cage may idle lanes."""
    needed = cage.links * rate_gbit_s
    return plug_gbit_s == needed or (cage.can_idle and (plug_gbit_s or 0) > needed)


def _cents(
    catalog: Catalog, book: str, parts: Sequence[tuple[Cable | None, float]], per: str
) -> tuple[float, float, float]:
    """(low, typical, high) of some parts, each bought so many times a link; a part without a price is above all."""
    low = typical = high = 0.0
    for part, share in parts:
        price = catalog.price(part.id, book, per) if part else None
        if part and price is None and per == "piece":
            return 0.0, ABOVE_ALL, ABOVE_ALL
        if price:
            low, typical, high = (
                total + cents * share for total, cents in zip((low, typical, high), price.cents, strict=True)
            )
    return low, typical, high


# ---------------------------------------------------------------- cables with their own ends


def _direct(catalog: Catalog, question: Question) -> Iterator[Choice]:
    kinds = LADDER if question.medium == AUTO else MEDIA[question.medium]
    for cable in catalog.cables.values():
        if cable.kind in kinds and (option := _direct_option(catalog, question, cable)):
            yield option


def _direct_option(catalog: Catalog, question: Question, cable: Cable) -> Choice | None:
    """The cable with its a end up, or turned round if both ends are single."""
    upper, lower, rate = question.upper, question.lower, question.rate_gbit_s
    a, b = plugs_of(cable, catalog)
    branches = cable.b_count or 1
    is_twin = branches == 1 and upper.links > 1
    if b is None or upper.links != branches * lower.links:
        return None
    if is_twin and not (question.may_twin and cable.medium == "copper"):
        return None
    if cable.a_rate_gbit_s != upper.links * rate or cable.b_rate_gbit_s != lower.links * rate:
        return None
    for near, far in ((a, b), (b, a)) if branches == 1 else ((a, b),):
        if all(_fits(cable, plug, cage, question.protocol, catalog) for plug, cage in ((near, upper), (far, lower))):
            share = 1 / upper.links
            return Choice(
                medium=cable.medium,
                cable=cable,
                links_per_cable=upper.links,
                cables_per_link=1,
                upper_module=None,
                lower_module=None,
                upper_plug_w=near.power_w,
                lower_plug_w=far.power_w,
                least_m=0.0,
                most_m=_longest_m(cable),
                above_m=0.0,
                cents=_cents(catalog, question.book, [(cable, share)], "piece"),
                metre_cents=_cents(catalog, question.book, [(cable, share)], "metre"),
            )
    return None


# ---------------------------------------------------------------- transceivers and fibres


def _modules(catalog: Catalog, question: Question) -> Iterator[Choice]:
    media = LADDER if question.medium == AUTO else MEDIA[question.medium]
    lowers = [module for module in _plugs(catalog, question, question.lower) if module.medium in media]
    for upper in _plugs(catalog, question, question.upper):
        for lower in lowers:
            if not any(pair_reasons(_connected_as(upper, lower), lower)):
                yield from _with_fibers(catalog, question, upper, lower)


def _connected_as(upper: Cable, lower: Cable) -> Cable:
    """Built-in optics as if their connector were the other end's: a fibre may have two kinds of ends."""
    if BUILT_IN_CLASS not in (upper.id, lower.id):
        return upper
    return upper._replace(fiber_connector=lower.fiber_connector)


def _plugs(catalog: Catalog, question: Question, cage: Cage) -> Iterator[Cable]:
    """Transceivers that fit a cage and its rate; where the optics are built in, what they do stands in for one."""
    if cage.classes[0] in BUILT_IN_CLASSES:
        like = (c for c in catalog.cables.values() if c.optic == "DR4" and c.aggregate_gbit_s == question.rate_gbit_s)
        connector = cage.classes[0]
        yield from (module._replace(id=BUILT_IN_CLASS, a_power_w=0.0, fiber_connector=connector) for module in like)
        return
    for module in catalog.cables.values():
        if (
            module.kind == "transceiver"
            and _carries(module.aggregate_gbit_s, cage, question.rate_gbit_s)
            and not (module.medium == MULTIMODE and question.panels > MOST_MULTIMODE_PANELS)
            and _fits(module, plugs_of(module, catalog)[0], cage, question.protocol, catalog)
        ):
            yield module


def _with_fibers(catalog: Catalog, question: Question, upper: Cable, lower: Cable) -> Iterator[Choice]:
    """Two transceivers and each fibre between them: straight, or split where an upper connector serves several links.

    The fibres that both transceivers name come first; a further fibre is for lengths that those before do not reach.
    """
    connectors, links = upper.connectors_per_module or 1, question.upper.links
    far_connectors, far_links = lower.connectors_per_module or 1, question.lower.links
    branches = ceil_div(links, connectors)
    is_even = links == branches * connectors if branches > 1 else connectors % links == 0
    matches = far_connectors == far_links if branches > 1 else connectors * far_links == far_connectors * links
    if not (is_even and matches):
        return
    cables_per_link = max(connectors // links, 1)
    ends = [None if module.id == BUILT_IN_CLASS else module for module in (upper, lower)]
    reached_m = 0.0
    for fiber in _fibers(catalog, question, upper, lower, branches):
        reaches = [reach_m(module, fiber.fiber_grade) or 0.0 for module in (upper, lower)]
        most_m = min(*reaches, _longest_m(fiber))
        if most_m <= reached_m:
            continue
        parts = [(ends[0], 1 / links), (ends[1], 1 / far_links), (fiber, cables_per_link / branches)]
        yield Choice(
            medium=upper.medium,
            cable=fiber,
            links_per_cable=branches,
            cables_per_link=cables_per_link,
            upper_module=ends[0],
            lower_module=ends[1],
            upper_plug_w=upper.a_power_w,
            lower_plug_w=lower.a_power_w,
            least_m=max(upper.reach_min_m, lower.reach_min_m),  # a shorter run takes a longer fibre
            most_m=most_m,
            above_m=reached_m,
            cents=_cents(catalog, question.book, parts, "piece"),
            metre_cents=_cents(catalog, question.book, parts[2:], "metre"),
        )
        reached_m = most_m


def _fibers(catalog: Catalog, question: Question, upper: Cable, lower: Cable, branches: int) -> Iterator[Cable]:
    """Fibres of the grade requested, else of the transceivers' own grade: named by both transceivers first, then any that fit.

    A split fibre is named by the upper transceiver alone, the one whose connector is split.
    """
    grade, ends = question.fiber_grade or upper.fiber_grade, sorted(str(m.fiber_connector) for m in (upper, lower))
    named = [f for f in upper.matching_fiber_ids if branches > 1 or f in lower.matching_fiber_ids]
    fibers = [*(catalog.cables[f] for f in named), *(c for c in catalog.cables.values() if c.kind == "fiber")]
    for fiber in fibers:
        is_alike = fiber.fiber_grade == grade and fiber.b_count == branches and not any(fiber_reasons(upper, [fiber]))
        if is_alike and sorted((fiber.a_class, fiber.b_class or "")) == ends:
            yield fiber


def _longest_m(cable: Cable) -> float:
    """The longest piece on offer, or the longest that works."""
    return max(*cable.lengths_m, cable.reach_max_m) if cable.lengths_m else cable.reach_max_m
