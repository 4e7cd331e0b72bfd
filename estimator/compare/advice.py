"""InfiniBand or RoCE for this design: a conclusion with its reasons, what speaks against it, and what would change it.

Criteria (criteria.py) are weighed by what the architect wants most; a budget that only one side keeps decides first. The
weights are printed with the answer: who weighs otherwise can see what follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from estimator.bom.verdict import NETWORK, price_verdict
from estimator.bom.verdict_words import verdict_words
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import RateStep
from estimator.compare.criteria import (
    FAMILIES,
    FAMILY_NAMES,
    FREEDOM,
    INFINIBAND,
    MONEY,
    NEITHER,
    ROCE,
    SPEED,
    Compared,
    Criterion,
    criteria_of,
    large_busbw,
    two_tier_reach,
)
from estimator.ranges import Range
from estimator.wording import amount

Priority = Literal["balanced", "cost", "speed", "freedom"]
PRIORITIES: Mapping[str, Mapping[str, int]] = {
    "balanced": {},
    "cost": {MONEY: 3},
    "speed": {SPEED: 3},
    "freedom": {FREEDOM: 4},
}
PRIORITY_NAMES = {"balanced": "everything", "cost": "cost", "speed": "speed", "freedom": "freedom of choice"}
CLOSE_SHARE = 0.12  # of all that could be scored: below it the two are about even
REASONS_SHOWN = 5
CLOSE_PRICE = 0.05  # a share of the price that is not worth another layout
WITHIN, LIKELY, DOUBTFUL, BEYOND = "within", "likely", "doubtful", "beyond"


class Spent(NamedTuple):
    """What one family costs to buy, and how that keeps a budget: within, likely, doubtful or beyond."""

    purchase_usd: Range[float]
    verdict: str


class Budget(NamedTuple):
    """A budget in dollars, and what the families make of it."""

    usd: float
    infiniband: Spent
    roce: Spent


class WouldChange(NamedTuple):
    """One thing that the conclusion hangs on; ``code`` is stable."""

    code: str
    words: str


class AdvisedPrices(NamedTuple):
    """What the prices of both networks can show: -1 where InfiniBand costs less, 1 where RoCE does, 0 where neither."""

    sign: int
    words: str


class Step(NamedTuple):
    """One rate of one family, with the switch that stands for it."""

    id: str
    family: str
    name: str
    generation: str | None
    port_rate_gbit_s: int
    lanes: int
    lane_gbit_s: int
    signalling: str | None
    since: int | None
    status: str
    switch: str | None
    latency_ns: int | None
    note: str
    source: str
    url: str | None
    basis: str


@dataclass(frozen=True)
class Advice:
    """Which family suits a design: "infiniband", "roce" or "neither"; reasons are criteria, the weightiest first."""

    verdict: str
    is_close: bool
    is_forced: bool
    priority: str
    words: str
    score: int
    most: int
    criteria: list[Criterion]
    reasons: list[Criterion]
    against: list[Criterion]
    prices: AdvisedPrices
    budget: Budget | None
    would_change: list[WouldChange]


def advise(
    pair: Compared, catalog: Catalog, priority: Priority = "balanced", budget_usd: float | None = None
) -> Advice:
    """Which family suits a design.

    Parameters
    ----------
    pair : Estimates of the design on both families, at the same port rate.
    priority : what matters most; it multiplies the weights of a group of criteria.
    budget_usd : for the purchase of everything, or None. [$]
    """
    criteria = weighed(criteria_of(pair, catalog), priority)
    budget = _budget(pair, budget_usd)
    forced = _forced(budget)
    verdict, is_close, score, most = _verdict(criteria)
    verdict = forced or verdict
    lead = verdict if verdict != NEITHER else (INFINIBAND if score > 0 else ROCE)
    ordered = sorted((one for one in criteria if one.score), key=lambda one: -abs(one.score))
    return Advice(
        verdict=verdict,
        is_close=is_close and forced is None,
        is_forced=forced is not None,
        priority=priority,
        words=_words(verdict, lead, forced, is_close),
        score=score,
        most=most,
        criteria=criteria,
        reasons=[one for one in ordered if one.favours == lead][:REASONS_SHOWN],
        against=[one for one in ordered if one.favours != lead][:REASONS_SHOWN],
        prices=AdvisedPrices(pair.prices.sign(NETWORK), pair.price_words),
        budget=budget,
        would_change=would_change(pair, catalog, priority, verdict),
    )


def weighed(criteria: Sequence[Criterion], priority: str) -> list[Criterion]:
    """The criteria with weights as a priority has them."""
    factors = PRIORITIES[priority]
    return [replace(one, weight=one.weight * factors.get(one.group, 1)) for one in criteria]


def _verdict(criteria: Sequence[Criterion]) -> tuple[str, bool, int, int]:
    """(family or neither, whether it is close, score, the largest score there could be)."""
    score, most = sum(one.score for one in criteria), sum(3 * one.weight for one in criteria)
    is_close = abs(score) < CLOSE_SHARE * most
    return (NEITHER if is_close else INFINIBAND if score > 0 else ROCE), is_close, score, most


def _words(verdict: str, lead: str, forced: str | None, is_close: bool) -> str:
    if forced:
        return f"{FAMILY_NAMES[verdict]}: the other side does not keep the budget."
    if verdict == NEITHER:
        return f"About even, with a little more for {FAMILY_NAMES[lead]}. Let quotes and what your people know decide."
    return f"{FAMILY_NAMES[verdict]} suits this design better."


# ---------------------------------------------------------------- budget


def _budget(pair: Compared, budget_usd: float | None) -> Budget | None:
    if budget_usd is None:
        return None
    infiniband, roce = (one.cost.capex_usd.total for one in pair.both)
    return Budget(budget_usd, Spent(infiniband, kept(infiniband, budget_usd)), Spent(roce, kept(roce, budget_usd)))


def kept(price: Range[float], budget_usd: float) -> str:
    """How a range of prices keeps a budget."""
    for end, word in ((price.high, WITHIN), (price.typical, LIKELY), (price.low, DOUBTFUL)):
        if end <= budget_usd:
            return word
    return BEYOND


def _forced(budget: Budget | None) -> str | None:
    """The family that keeps the budget where the other one cannot."""
    if budget is None:
        return None
    both = zip(FAMILIES, (budget.infiniband, budget.roce), strict=True)
    able = [family for family, spent in both if spent.verdict in (WITHIN, LIKELY)]
    return able[0] if len(able) == 1 else None


# ---------------------------------------------------------------- what would change it


def would_change(pair: Compared, catalog: Catalog, priority: str, verdict: str) -> list[WouldChange]:
    """What the conclusion hangs on: prices that tie, other priorities, sizes at which a tier is added, features."""
    return [
        *_ties(pair),
        *_other_priorities(pair, catalog, priority, verdict),
        *_sizes(pair, catalog),
        *_planes(pair),
        *_features(pair),
    ]


def _ties(pair: Compared) -> list[WouldChange]:
    """The discount at which the networks cost the same."""
    price = [one.cost.capex_usd.network.typical for one in pair.both]
    dear = 0 if price[0] > price[1] else 1
    if not price[dear] or price[0] == price[1]:
        return []
    discount = 1 - price[1 - dear] / price[dear]
    name = FAMILY_NAMES[FAMILIES[dear]]
    gap = amount(abs(price[0] - price[1]), "usd")
    words = f"A discount of {discount:.0%} on the price of the {name} network ({gap}) makes both cost the same to buy."
    out = [WouldChange("price_tie", words.replace("%", "\N{NO-BREAK SPACE}%"))]
    one = pair.prices.deciding
    if one and one.break_even_usd > 0:
        now = f"{amount(one.now_usd, 'usd')} now, {amount(one.low_usd, 'usd')} to {amount(one.high_usd, 'usd')}"
        unquoted = "" if one.is_quoted else "; nobody publishes its price: request a quotation"
        both = f"{amount(one.break_even_usd, 'usd')} for each {one.name} makes both networks cost the same ({now}{unquoted})."
        out.append(WouldChange("break_even", both))
    return out


def _other_priorities(pair: Compared, catalog: Catalog, priority: str, verdict: str) -> list[WouldChange]:
    out = []
    for other in PRIORITIES:
        if other == priority:
            continue
        found, *_ = _verdict(weighed(criteria_of(pair, catalog), other))
        if found != verdict:
            said = FAMILY_NAMES.get(found, "neither of them clearly")
            out.append(WouldChange(f"priority_{other}", f"If {PRIORITY_NAMES[other]} counts most: {said}."))
    return out


def _sizes(pair: Compared, catalog: Catalog) -> list[WouldChange]:
    """Sizes at which one of the families needs a third tier and the other does not."""
    endpoints = pair.infiniband.compute.counts.endpoints
    reach = {
        family: two_tier_reach(catalog, one.spec.fabric.generation)
        for family, one in zip(FAMILIES, pair.both, strict=True)
    }
    small, large = sorted(FAMILIES, key=lambda family: reach[family])
    if reach[small] == reach[large]:
        return []
    if endpoints <= reach[small]:
        words = (
            f"From {reach[small] + 1:,} endpoints on {FAMILY_NAMES[small]} at 1:1 needs a third tier, {FAMILY_NAMES[large]} only "
            f"from {reach[large] + 1:,}: growing favours {FAMILY_NAMES[large]}."
        )
    elif endpoints <= reach[large]:
        words = f"At {reach[small]:,} endpoints and fewer {FAMILY_NAMES[small]} at 1:1 would do with two tiers as well."
    else:
        return []
    return [WouldChange("size", words)]


def _planes(pair: Compared) -> list[WouldChange]:
    """Ethernet at half the rate in two planes: more ports of the same boxes, and no third tier for longer."""
    if pair.planes is None or pair.planes.spec.fabric == pair.roce.spec.fabric:
        return []
    before, after = (one.cost.capex_usd.network.typical for one in (pair.roce, pair.planes))
    against = price_verdict(pair.planes.bom.lines, pair.infiniband.bom.lines)
    words = verdict_words(against, "RoCE in two planes at half the rate", "InfiniBand")
    out = [WouldChange("infiniband_or_planes", words)]
    if abs(after / before - 1) < CLOSE_PRICE:
        return out
    counts = pair.planes.compute.counts.switches
    words = (
        f"In two planes at half the rate RoCE has {counts:,} switches and its network costs {amount(after, 'usd')} instead of "
        f"{amount(before, 'usd')}; each NIC then feeds both planes."
    )
    return [*out, WouldChange("two_planes", words)]


def _features(pair: Compared) -> list[WouldChange]:
    out = []
    plain, sharp = large_busbw(pair.infiniband), large_busbw(pair.sharp)
    uses = pair.infiniband.spec.workload.in_network_reduction
    if plain and sharp and sharp > plain * 1.02 and not uses:
        words = (
            f"If your jobs can use sums in the switches (SHARP), InfiniBand's all-reduce goes from {amount(plain, 'gb_s')} to "
            f"{amount(sharp, 'gb_s')}."
        )
        out.append(WouldChange("in_network_reduction", words))
    routed, hashed = large_busbw(pair.scattered[1], "alltoall"), large_busbw(pair.hashed, "alltoall")
    if routed and hashed and hashed < routed * 0.98:
        words = (
            f"If the Ethernet switches only hash flows (ECMP), all-to-all of scattered ranks falls from {amount(routed, 'gb_s')} "
            f"to {amount(hashed, 'gb_s')}: make adaptive routing or spray a condition of the offer."
        )
        out.append(WouldChange("hashing", words))
    return out


# ---------------------------------------------------------------- generations


def generation_steps(catalog: Catalog) -> list[Step]:
    """The steps of both families in the order of their rates."""
    found = sorted(catalog.rate_history.values(), key=lambda step: (step.family != INFINIBAND, step.port_rate_gbit_s))
    return [_step(step, catalog) for step in found]


def _step(step: RateStep, catalog: Catalog) -> Step:
    switch, source = catalog.switches[step.switch_id] if step.switch_id else None, catalog.sources[step.source]
    return Step(
        id=step.id,
        family=INFINIBAND if step.family == INFINIBAND else ROCE,
        name=step.name,
        generation=step.generation,
        port_rate_gbit_s=step.port_rate_gbit_s,
        lanes=step.lanes,
        lane_gbit_s=step.lane_gbit_s,
        signalling=step.signalling,
        since=step.since,
        status=step.status,
        switch=switch.model if switch else None,
        latency_ns=switch.latency_ns if switch else None,
        note=step.note,
        source=source.title,
        url=source.url,
        basis=step.basis,
    )
