"""Cost: each formula worked by hand to the cent, ranges, what the request sets, and what every figure rests on."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.bom_lines import RANGE
from estimator.catalog.loader import Catalog, load_catalog
from estimator.cost import cost_of
from tests.estimator.designs import Design, design, superpod_h100

HAND = {"years": 2, "discount_rate": 0.0, "utilization": 0.5}


def costs(made: Design, catalog: Catalog) -> dict[str, Any]:
    return cost_of(made.spec, made.fabric, made.bom, catalog)


def test_one_switch_by_hand(catalog: Catalog) -> None:
    cost = costs(design(catalog, "hgx-h100-8u", 4, "ndr", economics=HAND), catalog)
    assert cost["capex_usd"]["total"]["typical"] == 1_175_578.0
    assert cost["capex_usd"]["servers"]["typical"] == 1_080_000.0
    assert cost["capex_usd"]["network"]["typical"] == 95_578.0
    assert cost["usd_per_gpu"]["typical"] == 36_736.81  # ÷ 32, 36,736.8125
    assert cost["network_share"] == 95_578 / 1_175_578
    # 42.776 kW at most × 0.8 × 1.3 × 8,760 h, at 8.5 cents
    assert cost["energy_kwh_per_year"]["typical"] == pytest.approx(389_706.5, abs=0.05)
    assert cost["opex_usd_per_year"]["electricity"]["typical"] == 33_125.05
    # 5% of 1,080,000, 8% of 48,000, 2% of 16 × 879 + 32 × 769 + 32 × 165: spares are not supported
    assert cost["opex_usd_per_year"]["support"]["typical"] == 54_000 + 3_840 + 879.04
    assert cost["one_off_usd"]["freight"]["typical"] == 11_755.78
    assert cost["one_off_usd"]["contingency"]["typical"] == 58_778.90
    assert cost["one_off_usd"]["tax"]["typical"] == 0
    assert cost["one_off_usd"]["install"]["typical"] == 4 * 800 + 32 * 25
    # 1,175,578 + 74,534.68 + 2 × 91,844.09 − 10% of 1,175,578
    assert cost["tco_usd"]["typical"] == 1_316_243.06
    assert cost["usd_per_gpu_hour"]["typical"] == 4.6955  # ÷ (32 × 8,760 × 2 × 0.5 h)


def test_cables_of_every_tier_are_installed(catalog: Catalog) -> None:
    """127 nodes at $800, and 1,016 + 1,024 + 4 fibres at $25."""
    made = superpod_h100(catalog)
    assert costs(made, catalog)["one_off_usd"]["install"]["typical"] == 127 * 800 + 2044 * 25


def test_discounting_by_hand(catalog: Catalog) -> None:
    cost = costs(design(catalog, "hgx-h100-8u", 4, "ndr", economics={"years": 2, "discount_rate": 0.25}), catalog)
    # two years of 91,844.09 at 25%: ÷ 1.25 + ÷ 1.5625; residual 117,557.80 ÷ 1.5625
    by_hand = 1_175_578 + 74_534.68 + 91_844.09 * (0.8 + 0.64) - 117_557.80 * 0.64
    assert cost["tco_usd"]["typical"] == pytest.approx(by_hand, abs=0.01)


def test_the_low_end_takes_every_cheap_end(catalog: Catalog) -> None:
    cost = costs(design(catalog, "hgx-h100-8u", 4, "ndr"), catalog)
    low, high = 985_680.0, 1_407_482.0
    assert cost["one_off_usd"]["freight"] == {"low": 4_928.40, "typical": 11_755.78, "high": 42_224.46}
    assert cost["one_off_usd"]["tax"]["high"] == high * 0.25
    running, rate = cost["opex_usd_per_year"]["total"]["low"], 1.13  # the high rate makes later money small
    by_hand = (
        low + cost["one_off_usd"]["total"]["low"] + sum(running / rate**y for y in (1, 2, 3, 4)) - 0.2 * low / rate**4
    )
    assert cost["tco_usd"]["low"] == pytest.approx(by_hand, abs=0.02)
    assert cost["usd_per_gpu_hour"]["low"] == pytest.approx(by_hand / (32 * 8760 * 4 * 0.9), abs=1e-4)


def test_what_the_request_gives_has_no_range_and_is_marked(catalog: Catalog) -> None:
    given_values = {
        "electricity_usd_per_kwh": 0.2,
        "pue": 1.1,
        "load_factor": 1.0,
        "utilization": 0.7,
        "discount_rate": 0.0,
    }
    made = design(catalog, "hgx-h100-8u", 4, "ndr", {"leaf_spine_m": 20.0, "node_leaf_m": 20.0}, given_values)
    cost = costs(made, catalog)
    assert len({cost["opex_usd_per_year"]["electricity"][end] for end in RANGE}) == 1
    assert cost["opex_usd_per_year"]["electricity"]["typical"] == pytest.approx(42.776 * 1.1 * 8760 * 0.2, abs=0.01)
    assumptions = {a["name"]: a for a in cost["assumptions"]}
    for name, value in {"electricity-kwh": 0.2, "pue": 1.1, "load-factor": 1.0, "gpu-utilization": 0.7,
                        "node_leaf_m": 20.0}.items():  # fmt: skip
        assert (assumptions[name]["value"], assumptions[name]["basis"]) == (value, "request")


def test_every_figure_used_is_listed_with_basis_source_and_date(catalog: Catalog) -> None:
    assumptions = {a["name"]: a for a in costs(design(catalog, "dgx-h100", 64, "ndr"), catalog)["assumptions"]}
    used = {"freight-pct", "contingency-pct", "sales-tax", "install-node", "install-cable", "load-factor", "pue",
            "electricity-kwh", "support-server-pct", "support-switch-pct", "support-nic-optic-pct", "discount-rate",
            "residual-value", "gpu-utilization", "spare-optics", "spare-cables", "spare-switches", "years",
            "node_leaf_m", "leaf_spine_m"}  # fmt: skip
    assert set(assumptions) == used
    for name, entry in assumptions.items():
        assert entry["low"] <= entry["value"] <= entry["high"], name
        assert entry["unit"], name
        assert entry["source"], name
        assert entry["basis"] in ("request", "assumption", "analyst"), name
        assert entry["as_of"] or entry["basis"] == "request", name
    assert assumptions["node_leaf_m"] == {"name": "node_leaf_m", "label": "Cable length, node-leaf", "value": 30.0,
                                          "low": 30.0, "high": 30.0, "unit": "m", "basis": "assumption",
                                          "source": "Clusterwright engineering assumption", "as_of": "2026-11-27"}  # fmt: skip


def test_a_custom_server_has_no_share_and_no_price(catalog: Catalog) -> None:
    cost = costs(design(catalog, "custom", 8, "ndr"), catalog)
    assert cost["capex_usd"]["servers"] is None
    assert cost["network_share"] is None
    assert cost["at_least"]
    assert cost["capex_usd"]["total"] == cost["capex_usd"]["network"]
    assert not costs(design(catalog, "dgx-h100", 8, "ndr"), catalog)["at_least"]


def test_more_years_cost_more_in_all_and_less_an_hour(catalog: Catalog) -> None:
    short, long = (costs(design(catalog, "dgx-h100", 8, "ndr", economics={"years": y}), catalog) for y in (3, 6))
    assert short["tco_usd"]["typical"] < long["tco_usd"]["typical"]
    assert short["usd_per_gpu_hour"]["typical"] > long["usd_per_gpu_hour"]["typical"]


@settings(max_examples=30)
@given(
    server=st.sampled_from(["dgx-h100", "dgx-b300", "custom", "gaudi3-8u"]), nodes=st.integers(1, 150),
    generation=st.sampled_from(["hdr", "ndr", "xdr", "roce-400"]), years=st.integers(1, 15),
    book=st.sampled_from(["anchors", "street"]),
)  # fmt: skip
def test_ranges_are_ranges(server: str, nodes: int, generation: str, years: int, book: str) -> None:
    catalog = load_catalog()
    cost = costs(design(catalog, server, nodes, generation, economics={"years": years, "price_book": book}), catalog)
    ranges = [cost["tco_usd"], cost["usd_per_gpu"], cost["usd_per_gpu_hour"], *cost["opex_usd_per_year"].values(),
              *cost["one_off_usd"].values(), *(r for r in cost["capex_usd"].values() if r)]  # fmt: skip
    for amount in ranges:
        assert 0 <= amount["low"] <= amount["typical"] <= amount["high"]
    parts = [cost["capex_usd"][key]["typical"] for key in ("network", "servers") if cost["capex_usd"][key]]
    assert cost["capex_usd"]["total"]["typical"] == pytest.approx(sum(parts))
