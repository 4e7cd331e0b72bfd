"""Cost: each formula worked by hand to the cent, ranges, what the request sets, and what every figure rests on."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.bom.lines import RANGE
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import BOOKS
from estimator.cost.cost import _per, cost_of
from estimator.cost.model import _cents
from estimator.ranges import Range
from tests.estimator.designs import HAND_PRICES, Design, design, superpod_h100
from tests.thorough import n_examples

HAND = {
    "years": 2,
    "discount_rate": 0.0,
    "utilization": 0.5,
    "facility": "existing",
    "network_licences": False,
    "electricity_usd_per_kwh": 0.085,
    "residual_value": 0.1,
    "prices": HAND_PRICES,
}


def costs(made: Design, catalog: Catalog, busbw_gb_s: float | None = None) -> dict[str, Any]:
    return cost_of(made.spec, made.fabric, made.bom, catalog, busbw_gb_s=busbw_gb_s).as_json()


def hand(catalog: Catalog, **economics: Any) -> dict[str, Any]:
    """Four HGX H100 on one switch."""
    return costs(design(catalog, "hgx-h100-8u", 4, "ndr", economics=HAND | economics), catalog)


def typical(amounts: dict[str, Any]) -> dict[str, float]:
    return {name: amount["typical"] for name, amount in amounts.items()}


def test_one_switch_by_hand(catalog: Catalog) -> None:
    cost = hand(catalog)
    assert typical(cost["capex_usd"]) == {
        "network": 95_578.0,
        "servers": 1_080_000.0,
        "facility": 2 * 7_000.0,
        "total": 1_189_578.0,
    }
    assert cost["usd_per_gpu"]["typical"] == 37_174.31  # ÷ 32, 37,174.3125
    assert cost["network_share"] == 95_578 / 1_175_578  # of network and servers
    # 42.776 kW at most × 0.8 × 1.3 × 8,760 h, at 8.5 cents
    assert cost["energy_kwh_per_year"]["typical"] == pytest.approx(389_706.5, abs=0.05)
    assert typical(cost["opex_usd_per_year"]) == {
        "electricity": 33_125.05,
        "space": 0.0,
        "licences": 0.0,
        "staff": 0.0,
        "repairs": 0.0,
        # 5% of 1,080,000, 8% of 48,000, 2% of 16 × 879 + 32 × 769 + 32 × 165: spares are not supported
        "support": 54_000 + 3_840 + 879.04,
        "total": 91_844.09,
    }
    assert typical(cost["one_off_usd"]) == {
        "freight": 11_895.78,
        "contingency": 59_478.90,
        "tax": 0.0,
        "install": 4 * 800 + 32 * 25 + 2 * 500.0,
        "total": 76_374.68,
    }
    assert cost["outlay_usd"]["typical"] == 1_189_578 + 76_374.68
    # after two of five years 64% of the purchase is left: 1 − 0.9 × 2/5
    assert cost["tco_usd"]["typical"] == pytest.approx(1_265_952.68 + 2 * 91_844.09 - 0.64 * 1_189_578, abs=0.005)
    assert cost["usd_per_gpu_hour"]["typical"] == pytest.approx(
        cost["tco_usd"]["typical"] / (32 * 8_760 * 2 * 0.5), abs=5e-5
    )
    assert cost["tco_usd"] == cost["tco_undiscounted_usd"]  # at a rate of 0


def test_what_every_part_of_the_plan_takes_is_installed(catalog: Catalog) -> None:
    """127 nodes at $800, 1,016 + 1,024 + 4 fibres at $25, 36 racks at $500."""
    made = superpod_h100(catalog)
    assert costs(made, catalog)["one_off_usd"]["install"]["typical"] == 127 * 800 + 2044 * 25 + 36 * 500


def test_discounting_by_hand(catalog: Catalog) -> None:
    cost = hand(catalog, discount_rate=0.25)
    # two years of 91,844.09 at 25%: ÷ 1.25 + ÷ 1.5625; 64% left ÷ 1.5625
    by_hand = 1_265_952.68 + 91_844.09 * (0.8 + 0.64) - 0.64 * 1_189_578 * 0.64
    assert cost["tco_usd"]["typical"] == pytest.approx(by_hand, abs=0.01)
    assert cost["cash_flow"][-1]["cumulative_discounted_usd"]["typical"] == pytest.approx(by_hand, abs=0.01)
    assert cost["cash_flow"][1]["discounted_usd"]["typical"] == pytest.approx(91_844.09 * 0.8, abs=0.01)


def test_the_low_end_takes_every_cheap_end(catalog: Catalog) -> None:
    cost = costs(
        design(catalog, "hgx-h100-8u", 4, "ndr", economics={"facility": "existing", "prices": HAND_PRICES}), catalog
    )
    low, high = 993_680.0, 1_437_482.0
    assert cost["one_off_usd"]["freight"] == {"low": 4_968.40, "typical": 11_895.78, "high": 43_124.46}
    assert set(cost["one_off_usd"]["tax"].values()) == {0.0}  # none unless it is set
    taxed = hand(catalog, sales_tax=0.19)["one_off_usd"]["tax"]
    assert (taxed["low"], taxed["high"]) == (round(low * 0.19, 2), round(high * 0.19, 2))
    running, rate = cost["opex_usd_per_year"]["total"]["low"], 1.13  # the high rate makes later money small
    left = low * (1 - (1 - 0.4) * 4 / 6)  # the long life and the high value left
    outlay = low + cost["one_off_usd"]["total"]["low"]
    assert cost["tco_usd"]["low"] == pytest.approx(
        outlay + sum(running / rate**y for y in (1, 2, 3, 4)) - left / rate**4, abs=0.03
    )
    assert cost["usd_per_gpu_hour"]["low"] == pytest.approx(cost["tco_usd"]["low"] / (32 * 8760 * 4 * 0.9), abs=1e-4)


def test_space_by_kind(catalog: Catalog) -> None:
    rented = hand(catalog, facility="colocation", colocation_usd_per_kw_month=200)
    assert rented["opex_usd_per_year"]["space"]["typical"] == 102_662.40  # 42.776 kW × $200 × 12
    built = hand(catalog, facility="own-building")
    assert built["one_off_usd"]["building"]["typical"] == 487_646.4  # 42.776 kW at $11.4 M a MW
    assert built["opex_usd_per_year"]["space"]["typical"] == 0
    assert "building" not in rented["one_off_usd"]
    # of the building 18 of 20 years are left
    more = built["tco_usd"]["typical"] - hand(catalog)["tco_usd"]["typical"]
    assert more == pytest.approx(487_646.4 * 2 / 20, abs=0.01)


def test_licences_by_network(catalog: Catalog) -> None:
    """UFM by node on InfiniBand, an operating system by switch on Ethernet, a subscription by GPU."""
    paid: dict[str, Any] = {"network_licences": True}
    assert hand(catalog, **paid)["opex_usd_per_year"]["licences"]["typical"] == 4 * 200
    ethernet = costs(design(catalog, "hgx-h100-8u", 64, "roce-400", economics=HAND | paid), catalog)
    switches = sum(line["quantity"] for line in design(catalog, "hgx-h100-8u", 64, "roce-400").lines(category="switch"))
    assert ethernet["opex_usd_per_year"]["licences"]["typical"] == switches * 1_000
    assert hand(catalog, gpu_licences=True)["opex_usd_per_year"]["licences"]["typical"] == 32 * 4_500


def test_staff_and_design_are_paid_where_asked_for(catalog: Catalog) -> None:
    cost = hand(catalog, staff=True, design_labour=True)
    assert cost["opex_usd_per_year"]["staff"]["typical"] == 32 / 1_000 * 2 * 180_000
    assert cost["one_off_usd"]["design"]["typical"] == 200_000


def test_repairs_begin_after_the_warranty_and_the_spares(catalog: Catalog) -> None:
    """1,536 + 508 + 4 transceivers fail at 1% a year; of spares there are ⌈3%⌉ of each part number."""
    made = superpod_h100(catalog)
    lines = [line for line in made.lines() if line["category"] == "transceiver"]
    spares = sum(line["spare_quantity"] for line in lines)
    pieces = sum(line["quantity"] for line in lines)
    assert (pieces, spares) == (2048, 47 + 16 + 2)
    price = sum(line["extended_price_usd"]["typical"] for line in lines) / (pieces + spares)
    economics = {"years": 7, "warranty_years": 3, "facility": "existing"}
    flow = costs(superpod_h100(catalog, economics=economics), catalog)["cash_flow"]
    switch_price = made.lines(category="switch")[0]["unit_price_usd"]["typical"]
    # 20.48 transceivers a year are 61.4 by year 6; 0.72 switches a year are 2.16 by then, and two are spare
    assert [year["usd"]["repairs"] for year in flow[1:7]] == [0, 0, 0, 0, 0, pytest.approx(0.16 * switch_price)]
    modules = 2048 * 0.01 * 4 - spares
    assert flow[7]["usd"]["repairs"] == pytest.approx(modules * price + 0.72 * switch_price, rel=1e-9, abs=0.01)


def test_a_discount_is_off_every_price_of_the_book(catalog: Catalog) -> None:
    full, less = hand(catalog, prices=None), hand(catalog, prices=None, volume_discount=0.1)
    assert less["capex_usd"]["servers"]["typical"] == full["capex_usd"]["servers"]["typical"] * 0.9


def test_a_typical_year_is_the_sum_of_its_typical_parts(catalog: Catalog) -> None:
    """In the last year what is left may make both ends cost less than the typical case."""
    economics = {
        "facility": "colocation",
        "freight": 0.1,
        "support_switch": 0.1,
        "electricity_usd_per_kwh": 0.085,
        "pue": 1.0,
        "utilization": 1,
        "load_factor": 1,
        "residual_value": 0.05,
        "contingency": 0.0,
        "discount_rate": 0.0,
        "colocation_usd_per_kw_month": 129.5,
        "support_server": 0.02,
        "support_other": 0.0,
        "depreciation_years": 3.5,
    }
    cost = costs(design(catalog, "dgx-h100", 1, "ndr", provision="full-unit", economics=economics), catalog)
    ends = np.array([cost["cash_flow"][-1]["total_usd"][end] for end in RANGE])
    assert ends[1] in (ends[0], ends[2]), "otherwise no end has crossed the typical case, and nothing is tested"
    flow = cost["cash_flow"]
    for year in flow:
        assert year["total_usd"]["typical"] == pytest.approx(sum(year["usd"].values()), abs=0.05)
        assert year["total_usd"]["low"] <= year["total_usd"]["typical"] <= year["total_usd"]["high"]
    assert sum(year["total_usd"]["typical"] for year in flow) == pytest.approx(
        cost["tco_undiscounted_usd"]["typical"], abs=0.1
    )


def test_cash_flow_sums_to_the_total(catalog: Catalog) -> None:
    made = superpod_h100(catalog, economics={"years": 6, "staff": True, "facility": "own-building"})
    cost = costs(made, catalog)
    flow = cost["cash_flow"]
    assert [year["year"] for year in flow] == list(range(7))
    assert sum(flow[0]["usd"].values()) == pytest.approx(cost["outlay_usd"]["typical"], abs=0.01)
    for year in flow:
        assert sum(year["usd"].values()) == pytest.approx(year["total_usd"]["typical"], abs=0.02)
    for running, total in (("total_usd", "tco_undiscounted_usd"), ("discounted_usd", "tco_usd")):
        assert sum(year[running]["typical"] for year in flow) == pytest.approx(cost[total]["typical"], abs=0.05)
    assert flow[-1]["cumulative_usd"]["typical"] == pytest.approx(cost["tco_undiscounted_usd"]["typical"], abs=0.02)
    mean = sum(year["total_usd"]["typical"] for year in flow[1:]) - flow[-1]["usd"]["residual"]
    assert mean / 6 == pytest.approx(cost["opex_usd_per_year"]["total"]["typical"], abs=0.02)


def test_every_horizon_is_what_a_request_for_it_costs(catalog: Catalog) -> None:
    by_years = costs(superpod_h100(catalog), catalog)["by_years"]
    assert [entry["years"] for entry in by_years] == [1, 2, 3, 4, 5, 6, 7]
    for entry in by_years:
        asked = costs(superpod_h100(catalog, economics={"years": entry["years"]}), catalog)
        assert asked["tco_usd"] == entry["tco_usd"]
        assert asked["usd_per_gpu_hour"] == entry["usd_per_gpu_hour"]


def test_book_value_falls_in_a_straight_line(catalog: Catalog) -> None:
    book = hand(catalog, depreciation_years=4, residual_value=0.2)["depreciation"]
    whole = 1_189_578.0
    assert book["book_value_usd"] == pytest.approx([whole * share for share in (1, 0.8, 0.6, 0.4, 0.2, 0.2, 0.2, 0.2)])
    assert book["usd_per_year"]["typical"] == pytest.approx(whole * 0.8 / 4, abs=0.01)


def test_an_own_building_is_in_the_book_value_from_the_first_day(catalog: Catalog) -> None:
    built = costs(superpod_h100(catalog, economics={"facility": "own-building"}), catalog)
    values = built["depreciation"]["book_value_usd"]
    assert values[0] == pytest.approx(
        built["capex_usd"]["total"]["typical"] + built["one_off_usd"]["building"]["typical"]
    )
    assert values == sorted(values, reverse=True)


def test_rent_or_buy_by_hand(catalog: Catalog) -> None:
    cost = hand(catalog, cloud_usd_per_gpu_hour=5.0)
    rent = cost["rent"]
    hours = 32 * 8_760 * 0.5
    assert rent["rented_usd"]["typical"] == 5 * hours * 2
    assert rent["saved_usd"]["typical"] == pytest.approx(5 * hours * 2 - cost["tco_usd"]["typical"], abs=0.01)
    assert rent["break_even_months"]["typical"] == pytest.approx(
        1_265_952.68 / ((5 * hours - 91_844.09) / 12), abs=0.05
    )
    break_even = rent["break_even_usd_per_gpu_hour"]["typical"]
    assert break_even == pytest.approx(cost["usd_per_gpu_hour"]["typical"])  # at a rate of 0
    at_that = hand(catalog, cloud_usd_per_gpu_hour=break_even)["rent"]["saved_usd"]["typical"]
    assert at_that == pytest.approx(0, abs=hours * 2 * 5e-5)
    assert hand(catalog, cloud_usd_per_gpu_hour=0.1)["rent"]["break_even_months"] is None  # never
    assert hand(catalog)["rent"]["rented_usd"] is None


def test_dollars_by_unit(catalog: Catalog) -> None:
    made = superpod_h100(catalog, economics={"tokens_per_s_per_gpu": 1_000})
    cost = costs(made, catalog, busbw_gb_s=400.0)
    network, total = (cost["capex_usd"][key]["typical"] for key in ("network", "total"))
    assert cost["usd_per_gbit_s_bisection"]["typical"] == pytest.approx(network / 204_800, abs=0.005)
    assert cost["usd_per_gb_s_busbw"]["typical"] == pytest.approx(total / 400, abs=0.005)
    assert cost["usd_per_million_tokens"]["typical"] == pytest.approx(
        cost["usd_per_gpu_hour"]["typical"] / 3.6, abs=1e-4
    )
    bare = costs(superpod_h100(catalog), catalog)
    assert (bare["usd_per_gb_s_busbw"], bare["usd_per_million_tokens"]) == (None, None)


def test_what_the_request_gives_has_no_range_and_is_marked(catalog: Catalog) -> None:
    given_values = {
        "electricity_usd_per_kwh": 0.2,
        "pue": 1.1,
        "load_factor": 1.0,
        "utilization": 0.7,
        "discount_rate": 0.0,
        "support_server": 0.04,
    }
    made = design(catalog, "hgx-h100-8u", 4, "ndr", {"leaf_spine_m": 20.0, "node_leaf_m": 20.0}, given_values)
    cost = costs(made, catalog)
    assert len({cost["opex_usd_per_year"]["electricity"][end] for end in RANGE}) == 1
    assert cost["opex_usd_per_year"]["electricity"]["typical"] == pytest.approx(42.776 * 1.1 * 8760 * 0.2, abs=0.01)
    assumptions = {a["name"]: a for a in cost["assumptions"]}
    for name, value in {
        "electricity-kwh": 0.2,
        "pue": 1.1,
        "load-factor": 1.0,
        "gpu-utilization": 0.7,
        "support-server-pct": 0.04,
        "node_leaf_m": 20.0,
    }.items():
        assert (assumptions[name]["value"], assumptions[name]["basis"]) == (value, "request")


def test_every_figure_used_is_listed_with_basis_source_and_date(catalog: Catalog) -> None:
    assumptions = {a["name"]: a for a in costs(design(catalog, "dgx-h100", 64, "ndr"), catalog)["assumptions"]}
    used = {
        "freight-pct",
        "contingency-pct",
        "sales-tax",
        "install-node",
        "install-cable",
        "install-rack",
        "load-factor",
        "pue",
        "electricity-kwh",
        "colo-kw-month",
        "support-server-pct",
        "support-switch-pct",
        "support-nic-optic-pct",
        "ufm-node-year",
        "afr-switch",
        "afr-optic",
        "warranty-years",
        "discount-rate",
        "depreciation-it",
        "residual-value",
        "gpu-utilization",
        "spare-optics",
        "spare-cables",
        "spare-switches",
        "years",
        "node_leaf_m",
        "leaf_spine_m",
    }
    assert set(assumptions) == used
    for name, entry in assumptions.items():
        assert entry["low"] <= entry["value"] <= entry["high"], name
        assert entry["unit"], name
        assert entry["source"], name
        assert entry["basis"] in ("request", "assumption", "analyst"), name
        assert entry["as_of"] or entry["basis"] == "request", name
    assert assumptions["node_leaf_m"] == {
        "name": "node_leaf_m",
        "label": "Cable length, node-leaf",
        "value": 30.0,
        "low": 30.0,
        "high": 30.0,
        "unit": "m",
        "basis": "assumption",
        "source": "Clusterwright engineering assumption",
        "as_of": "2026-11-27",
    }


def test_a_custom_server_has_no_share_and_no_price(catalog: Catalog) -> None:
    cost = costs(design(catalog, "custom", 8, "ndr"), catalog)
    assert cost["capex_usd"]["servers"] is None
    assert cost["network_share"] is None
    assert cost["at_least"]
    parts = [cost["capex_usd"][key]["typical"] for key in ("network", "facility")]
    assert cost["capex_usd"]["total"]["typical"] == sum(parts)
    assert not costs(design(catalog, "dgx-h100", 8, "ndr"), catalog)["at_least"]


def test_more_years_cost_more_in_all_and_less_an_hour(catalog: Catalog) -> None:
    short, long = (costs(design(catalog, "dgx-h100", 8, "ndr", economics={"years": y}), catalog) for y in (3, 6))
    assert short["tco_usd"]["typical"] < long["tco_usd"]["typical"]
    assert short["usd_per_gpu_hour"]["typical"] > long["usd_per_gpu_hour"]["typical"]


def test_coolant_distribution_is_bought_by_the_kilowatt(catalog: Catalog) -> None:
    made = design(catalog, "hgx-b200-4u-lc", 10, "ndr")
    (line,) = made.lines(category="cooling")
    assert line["quantity"] == 107  # ⌈10 × 13.3 kW × 0.8⌉
    assert line["unit_price_usd"]["typical"] == 300
    assert not design(catalog, "dgx-h100", 10, "ndr").lines(category="cooling")


@settings(max_examples=n_examples(30))
@given(
    server=st.sampled_from(["dgx-h100", "dgx-b300", "custom", "gaudi3-8u"]),
    nodes=st.integers(1, 150),
    generation=st.sampled_from(["hdr", "ndr", "xdr", "roce-400"]),
    years=st.integers(1, 15),
    book=st.sampled_from(BOOKS),
    facility=st.sampled_from(["colocation", "own-building", "existing"]),
    flags=st.booleans(),
)
def test_ranges_are_ranges(
    server: str, nodes: int, generation: str, years: int, book: str, facility: str, flags: bool
) -> None:
    catalog = load_catalog()
    economics = {
        "years": years,
        "price_book": book,
        "facility": facility,
        "staff": flags,
        "gpu_licences": flags,
        "design_labour": flags,
        "cloud_usd_per_gpu_hour": 3.0 if flags else None,
    }
    cost = costs(design(catalog, server, nodes, generation, economics=economics), catalog)
    ranges = [
        cost["tco_usd"],
        cost["outlay_usd"],
        cost["usd_per_gpu"],
        cost["usd_per_gpu_hour"],
        cost["depreciation"]["usd_per_year"],
        cost["rent"]["break_even_usd_per_gpu_hour"],
        *cost["opex_usd_per_year"].values(),
        *cost["one_off_usd"].values(),
        *(r for r in cost["capex_usd"].values() if r),
        *(entry[key] for entry in cost["by_years"] for key in ("tco_usd", "usd_per_gpu_hour", "residual_usd")),
    ]
    for amount in ranges:
        assert 0 <= amount["low"] <= amount["typical"] <= amount["high"]
    parts = [cost["capex_usd"][key]["typical"] for key in ("network", "servers", "facility") if cost["capex_usd"][key]]
    assert cost["capex_usd"]["total"]["typical"] == pytest.approx(sum(parts))
    bought = [entry["usd"]["typical"] for entry in cost["capex_by"]]
    assert sum(bought) == pytest.approx(cost["capex_usd"]["total"]["typical"])


def test_half_cents_are_rounded_up_as_a_spreadsheet_does() -> None:
    """$1,893,072.00 for 128 GPUs are $14,789.625 each; 1.15 × 50 cents are a hair below 57.5 in binary."""
    assert _per(Range(100_128_000, 140_611_000, 189_307_200), 128) == Range(7822.5, 10985.23, 14789.63)
    assert _cents(np.array([57.5, 1.15 * 50, 1.005 * 100, 57.4999, 0.0])).tolist() == [58, 58, 101, 57, 0]
