"""InfiniBand or RoCE: criteria read the Estimates, weights and budget decide, and what would change it is computed."""

import math
from dataclasses import replace
from typing import Any

import pytest

from estimator.bom.verdict_words import share_words
from estimator.catalog.loader import load_catalog
from estimator.compare.advice import CLOSE_SHARE, PRIORITIES, advise, generation_steps, kept, weighed
from estimator.compare.criteria import (
    FAMILY_NAMES,
    FREEDOM,
    INFINIBAND,
    MONEY,
    MOST,
    NEITHER,
    ROCE,
    RUNNING,
    SPEED,
    Compared,
    adapter_makers,
    criteria_of,
    kinds,
    large_busbw,
    strength_of,
    switch_makers,
    two_tier_reach,
)
from estimator.compare.other_family import alternative_spec
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.result import PricedEstimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
H100: dict[str, Any] = {"compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "ndr"}}
FULL = ("counts", "cables", "bom", "cost", "performance", "failures")


def pair_of(values: dict[str, Any]) -> Compared:
    alternative = alternative_spec(values, CATALOG).values
    random = {"workload.placement": "random"}
    specs = [
        values,
        alternative,
        apply_change(values, {"workload.in_network_reduction": True}),
        apply_change(values, random),
        apply_change(alternative, random),
        apply_change(alternative, random | {"workload.load_balancing": "ecmp"}),
    ]
    made = [PricedEstimate.of(one) for one in estimate([parse_spec(spec, CATALOG) for spec in specs], CATALOG, FULL)]
    return Compared(made[0], made[1], made[2], (made[3], made[4]), made[5])


@pytest.fixture(scope="module")
def pair() -> Compared:
    return pair_of(H100)


def test_shares_are_of_the_design_that_has_an_alternative(pair: Compared) -> None:
    """So that the advice beside a design and its comparison with the alternative print one percentage."""
    for own, other in ((INFINIBAND, ROCE), (ROCE, INFINIBAND)):
        turned = replace(pair, own=own)
        ours, theirs = ((one.cost.capex_usd.network.typical) for one in (pair.both if own == ROCE else pair.both[::-1]))
        share = share_words(ours, theirs, FAMILY_NAMES[own])
        (price,) = [one for one in criteria_of(turned, CATALOG) if one.key == "network_price"]
        assert share in advise(turned, CATALOG).prices.words
        assert share in price.words
        assert turned.against_own(1.0, 2.0).startswith(FAMILY_NAMES[other])


def by_key(pair: Compared) -> dict[str, Any]:
    return {one.key: one for one in criteria_of(pair, CATALOG)}


# ---------------------------------------------------------------- criteria


def test_each_criterion_is_a_row_that_says_why_it_weighs_as_much(pair: Compared) -> None:
    """Weights of the table are those of the criteria, and no row is left over."""
    rows, found = kinds(), criteria_of(pair, CATALOG)
    assert {one.key: one.weight for one in found} == {key: rows[key].weight for key in (one.key for one in found)}
    assert set(rows) - {one.key for one in found} <= {"licences"}  # only where the design pays any
    for row in rows.values():
        assert row.group in (MONEY, SPEED, RUNNING, FREEDOM)
        assert 0 <= row.weight <= MOST >= row.most_within_ranges >= 1
        assert row.basis == "judged"
        assert len(row.why) > 20, row.key


@pytest.mark.parametrize(
    ("low", "high", "strength"),
    [
        (100, 100, 0),
        (100, 101, 0),
        (100, 103, 1),
        (100, 111, 2),
        (100, 130, 3),
        (0, 5, 3),
        (0, 0, 0),
    ],
)
def test_strength_follows_from_the_ratio(low: float, high: float, strength: int) -> None:
    assert strength_of(low, high) == strength


def test_criteria_carry_the_figures_of_both_estimates(pair: Compared) -> None:
    found = by_key(pair)
    network = [one.cost.capex_usd.network.typical for one in pair.both]
    assert (found["network_price"].infiniband, found["network_price"].roce) == tuple(network)
    assert found["switches"].infiniband == pair.infiniband.compute.counts.switches
    assert found["large_messages"].roce == pytest.approx(pair.roce.performance.all_reduce.busbw_gb_s[-1][-1])
    assert found["in_network"].infiniband > found["large_messages"].infiniband


def test_stops_by_the_network_leave_gpus_and_servers_out(pair: Compared) -> None:
    found = by_key(pair)["stops"]
    for value, one in zip((found.infiniband, found.roce), pair.both, strict=True):
        expected = one.failures.expected
        gpus = next(part for part in expected.parts if part.class_ == "gpu").stopping_per_year.typical
        assert value == expected.network_stops_per_year.typical
        assert value < expected.stops_per_year.typical - gpus


def with_switches_at(pair: Compared, usd: float, low: float | None = None) -> Compared:
    """InfiniBand's switches at a price of one's own, so that its network costs ever so much more; ``low`` is its low end."""
    bom, cost = pair.infiniband.bom, pair.infiniband.cost
    lines = [
        line.but(unit_price_usd=Range.at(usd), price_book="own") if line.category == "switch" else line
        for line in bom.lines
    ]
    network_lines = [line for line in lines if line.category not in ("server", "rack")]
    prices = [line.unit_price_usd.typical * (line.quantity + line.spare_quantity) for line in network_lines]
    typical = sum(prices)
    network = Range(typical if low is None else low, typical, typical)
    dear = pair.infiniband.but(bom=bom.but(lines=lines), cost=cost.but(capex_usd=cost.capex_usd.but(network=network)))
    return replace(pair, infiniband=dear)


def test_the_network_that_costs_less_is_named_where_prices_can_show_it(pair: Compared) -> None:
    open_price = by_key(pair)["network_price"]
    assert (open_price.favours, open_price.strength) == (NEITHER, 0)
    assert "no difference that these prices can show" in open_price.words
    assert "$30,554 for each NVIDIA QM9700" in open_price.words
    one = by_key(with_switches_at(pair, 100_000))["network_price"]
    assert one.favours == "roce"
    assert one.words.startswith("The network of RoCE costs ")
    assert "dealers’ and branded resellers’ prices alike" in one.words


def test_the_better_side_is_the_cheaper_and_the_faster(pair: Compared) -> None:
    lower_is_better = {"network_price", "total_cost", "licences", "switches", "power", "stops", "small_messages"}
    for key, one in by_key(pair).items():
        if one.favours == NEITHER:
            assert one.strength == 0
            most = 0.10 if one.group == "money" else 0.02
            assert abs(math.log(max(one.infiniband, one.roce) / min(one.infiniband, one.roce))) < most
            continue
        better, worse = (one.infiniband, one.roce) if one.favours == INFINIBAND else (one.roce, one.infiniband)
        assert (better < worse) == (key in lower_is_better), key
        assert one.words
        assert one.source
        assert 1 <= one.strength <= 3


def test_prices_whose_ranges_overlap_never_count_as_strong(pair: Compared) -> None:
    dear = with_switches_at(pair, 150_000, low=3.5e6)
    assert by_key(dear)["network_price"].strength == 2
    assert "overlap" in by_key(dear)["network_price"].words
    assert by_key(with_switches_at(pair, 150_000, low=8e6))["network_price"].strength == 3


def test_makers_are_those_of_the_catalog() -> None:
    assert switch_makers(CATALOG, "infiniband", 400) == ["NVIDIA"]
    ethernet = switch_makers(CATALOG, "ethernet", 400)
    assert {"Arista", "Cisco", "Juniper", "NVIDIA"} <= set(ethernet)
    assert "Generic" not in ethernet
    assert "AMD" in adapter_makers(CATALOG, "ethernet", 400)
    assert adapter_makers(CATALOG, "infiniband", 800) == ["NVIDIA"]


@pytest.mark.parametrize(
    ("generation", "endpoints"), [("edr", 648), ("hdr", 800), ("ndr", 2048), ("xdr", 10_368), ("roce-400", 8192)]
)
def test_reach_of_two_tiers_is_half_the_square_of_the_ports(generation: str, endpoints: int) -> None:
    assert two_tier_reach(CATALOG, generation) == endpoints


def test_without_a_gpu_model_speed_is_not_compared() -> None:
    values: dict[str, Any] = {"compute": {"server": "custom", "nodes": 64}, "fabric": {"generation": "ndr"}}
    found = by_key(pair_of(values))
    assert not {"large_messages", "small_messages", "in_network"} & set(found)
    assert {"network_price", "switches", "switch_makers"} <= set(found)


# ---------------------------------------------------------------- the conclusion


def test_the_score_is_the_sum_of_weight_times_strength(pair: Compared) -> None:
    answer = advise(pair, CATALOG)
    signs = {INFINIBAND: 1, ROCE: -1, NEITHER: 0}
    assert answer.score == sum(signs[one.favours] * one.weight * one.strength for one in answer.criteria)
    assert answer.most == sum(3 * one.weight for one in answer.criteria)
    close = abs(answer.score) < CLOSE_SHARE * answer.most
    assert answer.verdict == (NEITHER if close else INFINIBAND if answer.score > 0 else ROCE)


def test_reasons_favour_the_verdict_and_what_is_against_it_does_not(pair: Compared) -> None:
    answer = advise(pair, CATALOG, "freedom")
    assert answer.verdict == ROCE, "many vendors against one"
    assert {one.favours for one in answer.reasons} == {ROCE}
    assert {one.favours for one in answer.against} == {INFINIBAND}
    assert answer.reasons[0].key == "switch_makers"


@pytest.mark.parametrize("priority", list(PRIORITIES))
def test_a_priority_multiplies_its_group_alone(pair: Compared, priority: Any) -> None:
    plain = criteria_of(pair, CATALOG)
    for before, after in zip(plain, weighed(plain, priority), strict=True):
        assert after.weight == before.weight * PRIORITIES[priority].get(before.group, 1)
        assert replace(after, weight=before.weight) == before


@pytest.mark.parametrize(("budget", "verdict"), [(7.3, "within"), (4.8, "likely"), (3.5, "doubtful"), (3.0, "beyond")])
def test_how_a_range_keeps_a_budget(budget: float, verdict: str) -> None:
    assert kept(Range(3.4, 4.8, 7.3), budget) == verdict


def test_a_budget_that_only_one_side_keeps_decides(pair: Compared) -> None:
    price = [one.cost.capex_usd.total.typical for one in pair.both]
    between = sum(price) / 2
    answer = advise(pair, CATALOG, "speed", between)
    cheaper = INFINIBAND if price[0] < price[1] else ROCE
    assert answer.verdict == cheaper
    assert answer.is_forced
    assert "does not keep the budget" in answer.words
    assert not advise(pair, CATALOG, "speed", max(price) * 2).is_forced
    assert not advise(pair, CATALOG, "speed", min(price) / 2).is_forced, "neither keeps it, so it decides nothing"


# ---------------------------------------------------------------- what would change it


def test_the_discount_that_ties_prices_does(pair: Compared) -> None:
    words = {one.code: one.words for one in advise(pair, CATALOG).would_change}["price_tie"]
    price = [one.cost.capex_usd.network.typical for one in pair.both]
    discount = int(words.split("discount of ")[1].split("\N{NO-BREAK SPACE}")[0]) / 100
    assert max(price) * (1 - discount) == pytest.approx(min(price), rel=0.01)


def test_other_priorities_are_named_where_they_lead_elsewhere(pair: Compared) -> None:
    answer = advise(pair, CATALOG)
    named = {one.code.removeprefix("priority_") for one in answer.would_change if one.code.startswith("priority_")}
    priorities: tuple[Any, ...] = tuple(PRIORITIES)
    leads = {key: advise(pair, CATALOG, key).verdict for key in priorities}
    others = {key for key in priorities if leads[key] != leads["balanced"]}
    assert named == others


@pytest.mark.parametrize(
    ("nodes", "words"), [(128, "From 2,049 endpoints on InfiniBand"), (512, "At 2,048 endpoints and fewer InfiniBand")]
)
def test_sizes_at_which_a_tier_is_added_are_named(nodes: int, words: str) -> None:
    values = {**H100, "compute": {"server": "dgx-h100", "nodes": nodes}}
    assert any(one.words.startswith(words) for one in advise(pair_of(values), CATALOG).would_change)


def test_sums_in_the_switches_are_named_only_where_the_design_has_them_not(pair: Compared) -> None:
    codes = {one.code for one in advise(pair, CATALOG).would_change}
    assert "in_network_reduction" in codes
    assert large_busbw(pair.sharp) > large_busbw(pair.infiniband)
    uses = pair_of(apply_change(H100, {"workload.in_network_reduction": True}))
    assert "in_network_reduction" not in {one.code for one in advise(uses, CATALOG).would_change}


# ---------------------------------------------------------------- generations


def test_generations_run_from_edr_to_gdr_and_what_is_announced_is_only_that() -> None:
    rows = generation_steps(CATALOG)
    infiniband = [row for row in rows if row.family == INFINIBAND]
    assert [row.name for row in infiniband] == ["EDR", "HDR", "NDR", "XDR", "GDR"]
    assert [row.port_rate_gbit_s for row in infiniband] == [100, 200, 400, 800, 1600]
    for row in rows:
        assert row.lanes * row.lane_gbit_s == row.port_rate_gbit_s
        assert (row.status == "announced") == (row.generation is None) == (row.since is None)
        assert row.source
        if row.generation:
            assert CATALOG.generations[row.generation].port_rate_gbit_s == row.port_rate_gbit_s
    assert {row.name for row in rows if row.status == "announced"} == {"GDR", "1.6T Ethernet"}
    assert next(row for row in rows if row.name == "NDR").latency_ns == 130
