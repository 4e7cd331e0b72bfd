"""InfiniBand or RoCE for this design: a conclusion with its reasons, what speaks against it, and what would change it.

Criteria (criteria.py) are weighed by what the architect wants most; a budget that only one side keeps decides first. The
weights are printed with the answer: who weighs otherwise can see what follows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from estimator.bom.verdict import price_verdict
from estimator.bom.verdict_words import verdict_words
from estimator.catalog.catalog import Catalog
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


def advise(
    pair: Compared, catalog: Catalog, priority: Priority = "balanced", budget_usd: float | None = None
) -> dict[str, Any]:
    """Which family suits a design.

    Parameters
    ----------
    pair : Estimates of the design on both families, at the same port rate.
    priority : what matters most; it multiplies the weights of a group of criteria.
    budget_usd : for the purchase of everything, or None. [$]

    Returns
    -------
    ``{"verdict", "is_close", "words", "score", "most", "criteria", "reasons", "against", "budget", "would_change",
    "generations"}``: the verdict is "infiniband", "roce" or "neither"; ``reasons`` and ``against`` are criteria, weightiest
    first.
    """
    criteria = weighed(criteria_of(pair, catalog), priority)
    budget = _budget(pair, budget_usd)
    forced = _forced(budget)
    verdict, is_close, score, most = _verdict(criteria)
    verdict = forced or verdict
    lead = verdict if verdict != NEITHER else (INFINIBAND if score > 0 else ROCE)
    ordered = sorted((one for one in criteria if one.score), key=lambda one: -abs(one.score))
    return {
        "verdict": verdict,
        "is_close": is_close and forced is None,
        "is_forced": forced is not None,
        "priority": priority,
        "words": _words(verdict, lead, forced, is_close),
        "score": score,
        "most": most,
        "criteria": [one.as_json() | {"score": one.score} for one in criteria],
        "reasons": [one.as_json() for one in ordered if one.favours == lead][:REASONS_SHOWN],
        "against": [one.as_json() for one in ordered if one.favours != lead][:REASONS_SHOWN],
        "prices": pair.prices.as_json() | {"words": verdict_words(pair.prices, *FAMILY_NAMES.values())},
        "budget": budget,
        "would_change": would_change(pair, catalog, criteria, priority, verdict),
        "generations": generations_json(catalog),
    }


def weighed(criteria: Sequence[Criterion], priority: str) -> list[Criterion]:
    """The criteria with weights as a priority has them."""
    factors = PRIORITIES[priority]
    return [Criterion(**vars(one) | {"weight": one.weight * factors.get(one.group, 1)}) for one in criteria]


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


def _budget(pair: Compared, budget_usd: float | None) -> dict[str, Any] | None:
    if budget_usd is None:
        return None
    price = [one["cost"]["capex_usd"]["total"] for one in pair.both]
    return {"usd": budget_usd} | {
        family: {"purchase_usd": dict(price[at]), "verdict": kept(price[at], budget_usd)}
        for at, family in enumerate(FAMILIES)
    }


def kept(price: Mapping[str, float], budget_usd: float) -> str:
    """How a range of prices keeps a budget."""
    for end, word in (("high", WITHIN), ("typical", LIKELY), ("low", DOUBTFUL)):
        if price[end] <= budget_usd:
            return word
    return BEYOND


def _forced(budget: Mapping[str, Any] | None) -> str | None:
    """The family that keeps the budget where the other one cannot."""
    if budget is None:
        return None
    able = [family for family in FAMILIES if budget[family]["verdict"] in (WITHIN, LIKELY)]
    return able[0] if len(able) == 1 else None


# ---------------------------------------------------------------- what would change it


def would_change(
    pair: Compared, catalog: Catalog, criteria: Sequence[Criterion], priority: str, verdict: str
) -> list[dict[str, str]]:
    """What the conclusion hangs on: prices that tie, other priorities, sizes at which a tier is added, features."""
    out = [
        *_ties(pair),
        *_other_priorities(pair, catalog, priority, verdict),
        *_sizes(pair, catalog),
        *_planes(pair),
        *_features(pair),
    ]
    return [{"code": code, "words": words} for code, words in out]


def _ties(pair: Compared) -> list[tuple[str, str]]:
    """The discount at which the networks cost the same."""
    price = [one["cost"]["capex_usd"]["network"]["typical"] for one in pair.both]
    dear = 0 if price[0] > price[1] else 1
    if not price[dear] or price[0] == price[1]:
        return []
    discount = 1 - price[1 - dear] / price[dear]
    name = FAMILY_NAMES[FAMILIES[dear]]
    gap = amount(abs(price[0] - price[1]), "usd")
    words = f"A discount of {discount:.0%} on the {name} network ({gap}) makes both cost the same to buy."
    out = [("price_tie", words.replace("%", "\N{NO-BREAK SPACE}%"))]
    one = pair.prices.deciding
    if one and one.break_even_usd > 0:
        now = f"{amount(one.now_usd, 'usd')} now, {amount(one.low_usd, 'usd')} to {amount(one.high_usd, 'usd')}"
        unquoted = "" if one.is_quoted else "; nobody publishes its price: request a quotation"
        both = f"{amount(one.break_even_usd, 'usd')} for each {one.name} makes both networks cost the same ({now}{unquoted})."
        out.append(("break_even", both))
    return out


def _other_priorities(pair: Compared, catalog: Catalog, priority: str, verdict: str) -> list[tuple[str, str]]:
    out = []
    for other in PRIORITIES:
        if other == priority:
            continue
        found, *_ = _verdict(weighed(criteria_of(pair, catalog), other))
        if found != verdict:
            said = FAMILY_NAMES.get(found, "neither of them clearly")
            out.append((f"priority_{other}", f"If {PRIORITY_NAMES[other]} counts most: {said}."))
    return out


def _sizes(pair: Compared, catalog: Catalog) -> list[tuple[str, str]]:
    """Sizes at which one of the families needs a third tier and the other does not."""
    endpoints = pair.infiniband["fabrics"]["compute"]["counts"]["endpoints"]
    reach = {
        family: two_tier_reach(catalog, one["spec"]["fabric"]["generation"])
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
    return [("size", words)]


def _planes(pair: Compared) -> list[tuple[str, str]]:
    """Ethernet at half the rate in two planes: more ports of the same boxes, and no third tier for longer."""
    if pair.planes is None or pair.planes["spec"]["fabric"] == pair.roce["spec"]["fabric"]:
        return []
    before, after = (one["cost"]["capex_usd"]["network"]["typical"] for one in (pair.roce, pair.planes))
    against = price_verdict(pair.infiniband["bom"]["lines"], pair.planes["bom"]["lines"])
    out = [("infiniband_or_planes", verdict_words(against, "InfiniBand", "RoCE in two planes at half the rate"))]
    if abs(after / before - 1) < CLOSE_PRICE:
        return out
    counts = pair.planes["fabrics"]["compute"]["counts"]["switches"]
    words = (
        f"In two planes at half the rate RoCE has {counts:,} switches and its network costs {amount(after, 'usd')} instead of "
        f"{amount(before, 'usd')}; each NIC then feeds both planes."
    )
    return [*out, ("two_planes", words)]


def _features(pair: Compared) -> list[tuple[str, str]]:
    out = []
    plain, sharp = large_busbw(pair.infiniband), large_busbw(pair.sharp)
    uses = pair.infiniband["spec"]["workload"]["in_network_reduction"]
    if plain and sharp and sharp > plain * 1.02 and not uses:
        words = (
            f"If your jobs can use sums in the switches (SHARP), InfiniBand's all-reduce goes from {amount(plain, 'gb_s')} to "
            f"{amount(sharp, 'gb_s')}."
        )
        out.append(("in_network_reduction", words))
    routed, hashed = large_busbw(pair.scattered[1], "alltoall"), large_busbw(pair.hashed, "alltoall")
    if routed and hashed and hashed < routed * 0.98:
        words = (
            f"If the Ethernet switches only hash flows (ECMP), all-to-all of scattered ranks falls from {amount(routed, 'gb_s')} "
            f"to {amount(hashed, 'gb_s')}: make adaptive routing or spray a condition of the offer."
        )
        out.append(("hashing", words))
    return out


# ---------------------------------------------------------------- generations


def generations_json(catalog: Catalog) -> list[dict[str, Any]]:
    """The steps of both families in the order of their rates, with the latency of the switch that stands for each."""
    steps = sorted(catalog.rate_history.values(), key=lambda step: (step.family != INFINIBAND, step.port_rate_gbit_s))
    return [
        {
            "id": step.id,
            "family": INFINIBAND if step.family == INFINIBAND else ROCE,
            "name": step.name,
            "generation": step.generation,
            "port_rate_gbit_s": step.port_rate_gbit_s,
            "lanes": step.lanes,
            "lane_gbit_s": step.lane_gbit_s,
            "signalling": step.signalling,
            "since": step.since,
            "status": step.status,
            "switch": catalog.switches[step.switch_id].model if step.switch_id else None,
            "latency_ns": catalog.switches[step.switch_id].latency_ns if step.switch_id else None,
            "note": step.note,
            "source": catalog.sources[step.source].title,
            "url": catalog.sources[step.source].url,
            "basis": step.basis,
        }
        for step in steps
    ]
