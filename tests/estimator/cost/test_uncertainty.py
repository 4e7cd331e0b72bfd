"""Draws by chance: their shape against known distributions, how prices move together, repeatability, and the tornado."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.cost.cost import cost_of
from estimator.cost.inputs import Priced, priced
from estimator.cost.power import design_power
from estimator.cost.uncertainty import (
    DRAWS,
    PERCENTILES,
    SEED,
    _draws_of_parameter,
    _levels,
    _normal_scores,
    _steps_of_part,
    draw,
    draw_purchase,
    normal_share,
    price_groups,
    simulated,
    tornado,
    triangle_quantile,
    uncertainty,
)
from estimator.ranges import Range
from tests.estimator.designs import Design, design, superpod_h100
from tests.thorough import n_examples

RELIABLE = 20_000


def ready(made: Design, catalog: Catalog) -> Priced:
    power = design_power(made.spec, made.fabric, made.plan, catalog)
    return priced(made.spec, made.fabric, made.bom, power, catalog)


@pytest.fixture(scope="module")
def stats() -> Any:
    """scipy's distributions: as long to load as a hundred tests take, so only where they are run."""
    return import_module("scipy.stats")


@pytest.fixture(scope="module")
def superpod() -> Priced:
    catalog = load_catalog()
    return ready(superpod_h100(catalog), catalog)


def only(inputs: Priced, moving: set[str], *, prices: bool) -> Priced:
    """The same design with all but some parameters, and all prices unless asked for, held at typical."""
    given_ = {
        name: one if name in moving else replace(one, ends=Range.at(one.ends.typical))
        for name, one in inputs.given.items()
    }
    cents = inputs.unit_cents if prices else np.repeat(inputs.unit_cents[:, 1:2], 3, axis=1)
    return replace(inputs, given=given_, unit_cents=cents)


def test_what_is_drawn_of_a_purchase_alone_is_that_of_the_whole_cost(superpod: Priced) -> None:
    catalog = load_catalog()
    whole = draw(superpod, catalog, 3_000, SEED)
    purchase, network = draw_purchase(superpod, catalog, 3_000, SEED)
    assert purchase.tolist() == whole.purchase.tolist()
    assert network.tolist() == whole.network.tolist()
    assert (purchase > network).all()


@settings(max_examples=n_examples(50))
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_quantiles_are_a_triangles(stats: Any, low: float, rise: float, fall: float) -> None:
    """Against scipy's triangle, and at its ends."""
    peak, high = low + rise, low + rise + fall
    shares = np.linspace(0, 1, 21)
    found = triangle_quantile(shares, *np.array([[low], [peak], [high]]))
    assert (found[0], found[-1]) == pytest.approx((low, high), rel=1e-9, abs=1e-6)
    if rise + fall > 1e-3:
        expected = stats.triang.ppf(shares, rise / (rise + fall), low, rise + fall)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-4 * (rise + fall))


def test_normal_scores_are_those_of_the_normal_distribution(stats: Any) -> None:
    scores = np.linspace(-4, 4, 33)
    np.testing.assert_allclose(normal_share(scores), stats.norm.cdf(scores), atol=1e-12)
    levels = (np.arange(65_536) + 0.5) / 65_536
    np.testing.assert_allclose(_normal_scores(), stats.norm.ppf(levels), atol=2e-3)


def test_one_price_that_moves_is_drawn_from_its_triangle(stats: Any, catalog: Catalog, superpod: Priced) -> None:
    server = [line.category for line in superpod.facts.lines].index("server")
    cents = np.repeat(superpod.unit_cents[:, 1:2], 3, axis=1)
    cents[server] = superpod.unit_cents[server]
    drawn = draw(replace(only(superpod, set(), prices=False), unit_cents=cents), catalog, RELIABLE, 1)
    bought = superpod.facts.capital.sum(axis=0)
    rest = bought @ cents[:, 1] - bought[server] * cents[server, 1]
    low, peak, high = cents[server] * bought[server] + rest
    shape = stats.triang((peak - low) / (high - low), low, high - low)
    assert stats.kstest(drawn.purchase, shape.cdf).pvalue > 0.001
    assert low <= drawn.purchase.min() <= drawn.purchase.max() <= high


def test_one_parameter_that_moves_is_drawn_from_its_triangle(stats: Any, catalog: Catalog, superpod: Priced) -> None:
    """Freight: the outlay moves by its share of the purchase, and nothing else does."""
    drawn = draw(only(superpod, {"freight-pct"}, prices=False), catalog, RELIABLE, 1)
    assert np.ptp(drawn.purchase) == 0
    low, peak, high = superpod.given["freight-pct"].ends
    share = (drawn.total - drawn.total.min()) / drawn.purchase[0] + low
    shape = stats.triang((peak - low) / (high - low), low, high - low)
    assert stats.kstest(share, shape.cdf).statistic < 0.02


def test_tax_is_no_matter_of_chance(catalog: Catalog, superpod: Priced) -> None:
    assert max(superpod.given["sales-tax"].ends) == 0  # law, not chance
    assert np.ptp(draw(only(superpod, {"sales-tax"}, prices=False), catalog, 100, 1).total) == 0


def test_the_same_seed_gives_the_same_draws_however_many(catalog: Catalog, superpod: Priced) -> None:
    few, many = draw(superpod, catalog, 4_096, 7), draw(superpod, catalog, 20_000, 7)
    assert (few.total == many.total[:4_096]).all()
    assert (draw(superpod, catalog, 4_096, 8).total != few.total).any()
    assert len(draw(superpod, catalog, 5_001, 1).total) == 5_001


def test_what_is_kept_of_earlier_draws_changes_no_figure(catalog: Catalog, superpod: Priced) -> None:
    kept = (_steps_of_part, _levels, _draws_of_parameter)
    for columns in kept:
        columns.cache_clear()
    first = draw(superpod, catalog, 5_000, 7)
    doubled = replace(superpod, unit_cents=superpod.unit_cents * 2)
    assert (draw(doubled, catalog, 5_000, 7).purchase > first.purchase).all()
    again = draw(superpod, catalog, 5_000, 7)
    assert all(columns.cache_info().hits for columns in kept[::2])
    assert all((getattr(again, name) == getattr(first, name)).all() for name in ("purchase", "network", "total"))


def test_prices_of_one_vendor_move_together(catalog: Catalog, superpod: Priced) -> None:
    """Purchases of two designs that share a vendor's parts spread wider than the same parts of strangers."""
    groups = price_groups(superpod.facts.lines, catalog)
    parts, vendors = groups.part_of_line, groups.vendor_of_part
    names = [line.part for line in superpod.facts.lines]
    servers, switches = names.index("dgx-h100"), names.index("nvidia-qm9700")
    assert vendors[parts[servers]] == vendors[parts[switches]]
    leaf, spine = (i for i, name in enumerate(names) if name == "nvidia-qm9700")
    assert parts[leaf] == parts[spine]
    moving = only(superpod, set(), prices=True)
    spread = draw(moving, catalog, RELIABLE, 1).purchase.std()
    strangers = replace(
        moving,
        facts=replace(
            moving.facts,
            lines=tuple(replace(line, part=None, description=f"{line.part} {line.use}") for line in moving.facts.lines),
        ),
    )
    assert spread > 1.05 * draw(strangers, catalog, RELIABLE, 1).purchase.std()


def test_figures_lie_between_the_ends_and_in_order(catalog: Catalog) -> None:
    made = superpod_h100(catalog)
    cost = cost_of(made.spec, made.fabric, made.bom, catalog, with_uncertainty=True).as_json()
    chance = cost["uncertainty"]
    for figures in chance["figures"].values():
        ranks = [figures[f"p{rank}"] for rank in PERCENTILES]
        assert ranks == sorted(ranks)
    for name in ("tco_usd", "usd_per_gpu_hour"):
        assert cost[name]["low"] < chance["figures"][name]["p5"] < chance["figures"][name]["p95"] < cost[name]["high"]
    for name in ("capex_usd", "tco_usd"):
        histogram = chance["histogram"][name]
        assert sum(histogram["counts"]) == chance["draws"]
        assert len(histogram["edges_usd"]) == len(histogram["counts"]) + 1
    assert "uncertainty" not in cost_of(made.spec, made.fabric, made.bom, catalog).as_json()


def test_a_bar_is_the_total_with_one_assumption_at_its_ends(catalog: Catalog) -> None:
    base: dict[str, Any] = {"facility": "existing"}
    made = superpod_h100(catalog, economics=base)
    bars = {bar.name: bar for bar in tornado(ready(made, catalog), catalog)}
    typical = cost_of(made.spec, made.fabric, made.bom, catalog).tco_usd.typical
    for name, key in (("support-server-pct", "support_server"), ("residual-value", "residual_value")):
        for end in ("low", "high"):
            asked = superpod_h100(catalog, economics=base | {key: getattr(bars[name], end)})
            found = cost_of(asked.spec, asked.fabric, asked.bom, catalog).tco_usd.typical
            assert found == pytest.approx(getattr(bars[name], f"tco_{end}_usd"), abs=0.02)
    servers = bars["price.server.NVIDIA"]
    assert servers.low == 127 * 300_000
    assert servers.tco_low_usd < typical < servers.tco_high_usd


def test_the_widest_bars_come_first_and_are_ten(catalog: Catalog, superpod: Priced) -> None:
    bars = tornado(superpod, catalog)
    widths = [abs(bar.tco_high_usd - bar.tco_low_usd) for bar in bars]
    assert len(bars) == 10
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0


def test_a_design_without_ranges_or_prices_has_no_bars(catalog: Catalog, superpod: Priced) -> None:
    assert tornado(only(superpod, set(), prices=False), catalog) == []
    made = design(catalog, "custom", 4, "ndr", compute={"gpus_per_node": 8})
    assert uncertainty(ready(made, catalog), catalog, 100).figures["tco_usd"].p50 > 0


def test_headline_figures_are_the_middle_of_the_draws(catalog: Catalog, superpod: Priced) -> None:
    drawn = draw(superpod, catalog, DRAWS, SEED)
    said, whole = simulated(drawn, 1016), uncertainty(superpod, catalog)
    for name in ("capex_usd", "tco_usd", "usd_per_gpu_hour"):
        assert vars(getattr(said, name)).items() <= vars(whole.figures[name]).items()
    assert said.capex_usd.p50 == pytest.approx(np.median(drawn.purchase) / 100, abs=0.01)
    assert said.network_usd.p5 < said.network_usd.p50 < said.network_usd.p95 < said.capex_usd.p5
    typical = superpod.facts.capital.sum(axis=0) @ superpod.unit_cents[:, 1]
    assert 0.05 < (drawn.purchase < typical).mean() < 0.5  # the sum at typical prices lies below the middle


def test_one_line_more_moves_no_other_price(catalog: Catalog, superpod: Priced) -> None:
    """What an edit changed is the edit: the other parts keep their draws."""
    facts = superpod.facts
    fewer = replace(
        superpod,
        facts=replace(
            facts,
            lines=facts.lines[1:],
            capital=facts.capital[:, 1:],
            supported=facts.supported[:, 1:],
            replaced=facts.replaced[:, 1:],
        ),
        unit_cents=superpod.unit_cents[1:],
    )
    assert facts.lines[0].category == "server"
    whole, rest = draw(superpod, catalog, 500, SEED), draw(fewer, catalog, 500, SEED)
    assert whole.network == pytest.approx(rest.network)
