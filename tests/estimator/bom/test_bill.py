"""The bill of materials: published quantities, hand-worked money to the cent, spares, and what has no price."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.bom.bill import bill_of_fabrics, n_spares
from estimator.bom.lines import RANGE, Billed
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.cost.cost import cost_of
from tests.estimator.designs import HAND_PRICES, Design, design, superpod_h100
from tests.thorough import n_examples


def one_switch(catalog: Catalog, **economics: Any) -> Design:
    """Four HGX H100 nodes on one QM9700: 32 links of 30 m, worked by hand below."""
    return design(catalog, "hgx-h100-8u", 4, "ndr", economics=economics)


def test_the_published_superpod_bill(catalog: Catalog) -> None:
    made = superpod_h100(catalog)
    quantities = {(line["category"], line["part"], line["use"]): line["quantity"] for line in made.lines()}
    assert quantities == {
        ("server", "dgx-h100", "node"): 127,
        ("switch", "nvidia-qm9700", "leaf"): 32,
        ("switch", "nvidia-qm9700", "spine"): 16,
        ("management", "mgmt-node", "fabric manager"): 2,
        ("transceiver", "nv-mma4z00-ns", "leaf, to nodes"): 512,
        ("transceiver", "nv-mma4z00-ns", "leaf, to spines"): 512,
        ("transceiver", "nv-mma4z00-ns", "spine, to leaves"): 512,
        ("transceiver", "nv-mma4z00-ns-flt", "node"): 508,
        ("transceiver", "nv-mma4z00-ns400", "fabric manager"): 4,
        ("fiber", "fib-mfp7e10", "node-leaf"): 1016,
        ("fiber", "fib-mfp7e10", "leaf-spine"): 1024,
        ("fiber", "fib-mfp7e10", "fabric-manager"): 4,
        ("rack", None, "rack"): 32 + 4,  # four nodes a rack; 50 boxes, 16 a rack
    }
    assert not made.bill["at_least"]


def test_money_worked_by_hand_to_the_cent(catalog: Catalog) -> None:
    made = one_switch(catalog, prices=HAND_PRICES)
    extended = {line["part"]: tuple(line["extended_price_usd"][end] for end in RANGE) for line in made.lines()}
    # quantity + spares: 16 + 2 and 32 + 2 transceivers, 32 + 2 fibres of 45/90/198 + 30 m × 2.50
    assert extended == {
        "hgx-h100-8u": (4 * 230_000, 4 * 270_000, 4 * 317_000),
        "nvidia-qm9700": (32_000, 48_000, 64_000),
        "nv-mma4z00-ns": (18 * 700, 18 * 879, 18 * 1_600),
        "nv-mma4z00-ns400": (34 * 500, 34 * 769, 34 * 1_100),
        "fib-mfp7e10": (34 * 120, 34 * 165, 34 * 273),
        None: (2 * 4_000, 2 * 7_000, 2 * 15_000),  # a rack of four nodes, one of the switch
    }
    assert made.bill["totals_usd"] == {"low": 993_680.0, "typical": 1_189_578.0, "high": 1_437_482.0}
    assert made.bill["totals_by_category"]["fiber"] == {"low": 4_080.0, "typical": 5_610.0, "high": 9_282.0}


def test_the_catalogs_books_differ(catalog: Catalog) -> None:
    (switch,) = one_switch(catalog).lines(category="switch")
    # 32,870, 34,648 (CNY), 35,000, 32,000 and 45,000; a branded quotation of 2024 marks the high end
    assert switch["unit_price_usd"] == {"low": 31_183.0, "typical": 34_648.0, "high": 50_000.0}
    assert switch["price_basis"] == "listing"
    assert not switch["assumption"]
    (planned,) = one_switch(catalog, price_book="anchors").lines(category="switch")
    assert planned["unit_price_usd"] == {"low": 32_000.0, "typical": 48_000.0, "high": 64_000.0}
    (dealer,) = one_switch(catalog, price_book="dealer").lines(category="switch")
    (branded,) = one_switch(catalog, price_book="branded").lines(category="switch")
    assert (dealer["unit_price_usd"]["typical"], branded["unit_price_usd"]["typical"]) == (32_870.0, 45_000.0)
    assert (planned["price_basis"], planned["assumption"]) == ("seed", True)


def test_a_cable_is_priced_at_its_stocked_length(catalog: Catalog) -> None:
    made = design(catalog, "hgx-h100-8u", 4, "ndr", {"node_leaf_m": 31.0})
    (fiber,) = made.lines(category="fiber")
    assert fiber["length_m"] == 35.0
    assert fiber["unit_price_usd"]["typical"] == 90 + 35 * 2.5


def test_what_has_no_price_says_so_and_makes_totals_at_least(catalog: Catalog) -> None:
    made = design(catalog, "custom", 16, "ndr", leaf_switch="custom", leaf_radix=48, spine_switch="nvidia-qm9700")
    bill = made.bill
    unpriced = [line for line in bill["lines"] if line["unit_price_usd"] is None]
    assert [(line["category"], line["use"]) for line in unpriced] == [("server", "node"), ("switch", "leaf")]
    assert bill["at_least"]
    assert bill["unpriced_lines"] == [line["line"] for line in unpriced]
    assert all(line["extended_price_usd"] is None and line["price_basis"] is None for line in unpriced)
    assert all(line["price_source"] == "no price in the catalog" for line in unpriced)
    assert bill["totals_by_category"]["server"] is None
    priced = [line["extended_price_usd"]["typical"] for line in bill["lines"] if line["extended_price_usd"]]
    assert bill["totals_usd"]["typical"] == sum(priced) > 0


def test_a_cable_that_is_in_no_catalog_has_a_line_of_its_own(catalog: Catalog) -> None:
    made = design(catalog, "gaudi3-8u", 16, "roce-200")
    (line,) = [line for line in made.lines() if line["unit_price_usd"] is None]
    assert line["description"].startswith("No part in the catalog for node-leaf links of 30 m")
    assert line["quantity"] == 384
    assert made.bill["at_least"]


def test_adapters_are_bought_only_where_the_server_has_none(catalog: Catalog) -> None:
    assert not superpod_h100(catalog).lines(category="nic")
    (nic,) = design(catalog, "custom", 4, "ndr", compute={"nics_per_node": 2}).lines(category="nic")
    assert (nic["part"], nic["quantity"], nic["assumption"]) == ("nvidia-cx7-ndr-osfp", 8, True)


def test_a_box_that_holds_two_switches_is_bought_once_for_two(catalog: Catalog) -> None:
    made = design(catalog, "dgx-b300", 9, "xdr", leaf_switch="nvidia-q3200-ra")
    (leaf,) = made.lines(category="switch", use="leaf")
    assert made.fabric.n_leaf == 8
    assert leaf["quantity"] == 4


@pytest.mark.parametrize(
    ("row", "quantity", "expected"),
    [
        ("spare-switches", 8, 0),
        ("spare-switches", 9, 1),
        ("spare-switches", 48, 2),
        ("spare-switches", 0, 0),
        ("spare-optics", 1, 2),
        ("spare-optics", 1536, 47),
        ("spare-optics", 100, 3),
        ("spare-cables", 2044, 62),
        ("spare-nics", 1, 1),
        ("spare-nics", 101, 3),
        ("spare-optics", 0, 0),
    ],
)
def test_spares_round_up_and_have_a_least(catalog: Catalog, row: str, quantity: int, expected: int) -> None:
    assert n_spares(row, quantity, catalog) == expected


def test_spares_are_those_of_a_part_over_all_its_uses(catalog: Catalog) -> None:
    made = superpod_h100(catalog)
    spares = {
        part: sum(line["spare_quantity"] for line in made.lines(part=part))
        for part in ("nv-mma4z00-ns", "fib-mfp7e10", "nvidia-qm9700", "dgx-h100", "nv-mma4z00-ns400")
    }
    assert spares == {"nv-mma4z00-ns": 47, "fib-mfp7e10": 62, "nvidia-qm9700": 2, "dgx-h100": 0, "nv-mma4z00-ns400": 2}


def test_spares_stand_on_the_line_with_the_largest_quantity(catalog: Catalog) -> None:
    spares = {line["use"]: line["spare_quantity"] for line in superpod_h100(catalog).lines(part="fib-mfp7e10")}
    assert spares == {"node-leaf": 0, "leaf-spine": 62, "fabric-manager": 0}  # 1,016, 1,024 and 4 of them


def test_a_guessed_cage_marks_the_line_whatever_its_price_rests_on(catalog: Catalog) -> None:
    """A custom server's cages are assumed, and so are the transceivers for them; those between switches are not."""
    made = design(catalog, "custom", 16, "ndr")
    marked = {line["use"]: line["assumption"] for line in made.lines(category="transceiver", price_basis="list")}
    assert marked == {"leaf, to nodes": True, "node": True, "spine, to leaves": False, "leaf, to spines": False}


def test_optical_cables_have_the_spares_of_modules(catalog: Catalog) -> None:
    lines = design(catalog, "dgx-a100-640", 32, "hdr").lines(part="nv-mfs1s00-h")
    assert {line["category"] for line in lines} == {"cable"}
    quantity = sum(line["quantity"] for line in lines)
    assert sum(line["spare_quantity"] for line in lines) == n_spares("spare-optics", quantity, catalog)


@settings(max_examples=n_examples(40))
@given(
    server=st.sampled_from(["dgx-h100", "hgx-h100-8u", "dgx-b300", "gaudi3-8u", "custom", "smc-8125gs-mi300x"]),
    nodes=st.integers(1, 200),
    generation=st.sampled_from(["edr", "hdr", "ndr", "xdr", "roce-100", "roce-400", "roce-800"]),
    length_m=st.sampled_from([1.0, 3.0, 30.0, 120.0]),
    book=st.sampled_from(["street", "anchors", "dealer", "branded"]),
)
def test_totals_are_the_sum_of_the_lines(server: str, nodes: int, generation: str, length_m: float, book: str) -> None:
    made = design(load_catalog(), server, nodes, generation, {"node_leaf_m": length_m}, {"price_book": book})
    bill = made.bill
    priced = [line for line in bill["lines"] if line["unit_price_usd"]]
    for end in RANGE:
        by_hand = sum(
            Fraction(str(line["unit_price_usd"][end])) * (line["quantity"] + line["spare_quantity"]) for line in priced
        )
        assert Fraction(str(bill["totals_usd"][end])) == by_hand
        groups = [total[end] for total in bill["totals_by_category"].values() if total]
        assert sum(Fraction(str(total)) for total in groups) == by_hand
    for line in priced:
        low, typical, high = (line["extended_price_usd"][end] for end in RANGE)
        assert 0 <= low <= typical <= high
        assert line["price_basis"]
        assert line["price_source"]
    assert bill["at_least"] == (len(priced) < len(bill["lines"])) == bool(bill["unpriced_lines"])
    assert [line["line"] for line in bill["lines"]] == list(range(1, len(bill["lines"]) + 1))
    assert all(line["quantity"] > 0 and line["fabric"] == "compute" for line in bill["lines"])


# ---------------------------------------------------------------- several lengths, panels, spares by request


def test_each_length_of_a_part_has_a_line_of_its_own(catalog: Catalog) -> None:
    """Two links of 256 measured: 23.4 m takes a fibre of 25 m, at 90 + 25 × 2.50 dollars."""
    site: Any = {"set_lengths": [{"a": "leaf-r1-001", "b": "spine-001", "length_m": 23.4}]}
    made = design(catalog, "dgx-h100", 32, "ndr", site)
    lines = made.lines(category="fiber", use="leaf-spine")
    pair = made.fabric.leaf_uplinks // made.fabric.n_spine
    assert [(line["length_m"], line["quantity"]) for line in lines] == [(25.0, pair), (30.0, 256 - pair)]
    assert [line["unit_price_usd"]["typical"] for line in lines] == [90 + 25 * 2.5, 90 + 30 * 2.5]
    assert lines[0]["spare_quantity"] == 2  # at least two of a part number and length
    spares = sum(line["spare_quantity"] for line in made.lines(part="fib-mfp7e10", length_m=30.0))
    assert spares == n_spares("spare-cables", 256 + 256 - pair, catalog)  # over both tiers


def test_a_floor_plan_is_billed_as_it_is_cabled(catalog: Catalog) -> None:
    made = design(catalog, "dgx-h100", 127, "ndr", {"plan": {}}, scalable_unit_nodes=32, provision="full-unit")
    bought = {
        (run.choice.cable.id, run.length_m, run.tier.replace("_", "-")): 0 for run in made.plan.runs if run.choice
    }
    for run in made.plan.runs:
        assert run.choice
        bought[run.choice.cable.id, run.length_m, run.tier.replace("_", "-")] += run.n_cables
    billed = {(line["part"], line["length_m"], line["use"]): line["quantity"] for line in made.lines(category="fiber")}
    assert billed == bought
    assert len(billed) > 4
    modules = sum(line["quantity"] for line in made.lines(category="transceiver"))
    assert modules == sum(made.plan.transceivers.as_json().values()) == 508 + 1536


def test_panels_are_counted_by_fibre_and_port(catalog: Catalog) -> None:
    """256 fibres through two panels of 72 ports each: 2 × 4 panels at 450 dollars, an assumption."""
    plan: Any = {"plan": {"leaf_spine_panels": 2}, "node_leaf_m": 3.0}
    made = design(catalog, "dgx-h100", 32, "ndr", plan)
    (line,) = made.lines(category="panel")
    assert (line["quantity"], line["use"], line["unit_price_usd"]["typical"]) == (8, "leaf-spine", 450.0)
    assert (line["assumption"], line["price_basis"], line["spare_quantity"]) == (True, "assumption", 0)
    assert not made.bill["at_least"]
    assert not design(catalog, "dgx-h100", 32, "ndr", {"plan": {}}).lines(category="panel")


def test_a_cable_with_its_own_ends_is_billed_once(catalog: Catalog) -> None:
    """128 twin cables between 8 leaves and 4 spines: no transceiver, and no second line for the far ends."""
    made = design(catalog, "dgx-h100", 32, "ndr", {"leaf_spine_m": 2.0})
    lines = [line for line in made.lines() if line["tier"] == "leaf_spine"]
    assert [(line["category"], line["part"], line["quantity"]) for line in lines] == [("cable", "nv-mcp4y10-n", 128)]
    tier = made.plan.tier("leaf_spine")
    assert tier is not None
    assert int(tier.upper_plugs.sum()) == int(tier.lower_plugs.sum()) == 128  # both ends are still seen in the cages


@pytest.mark.parametrize(
    ("spares", "expected"),
    [
        ({}, {}),
        ({"optics": 0.1}, {"transceiver": 39 + 13}),  # ⌈0.1 × 384⌉ finned and ⌈0.1 × 128⌉ flat
        ({"optics": 0.0, "cables": 0.0}, {"transceiver": 0, "fiber": 0}),
        ({"cables": 0.01}, {"fiber": 6}),  # ⌈0.01 × 512⌉
        ({"switches": 0.25}, {"switch": 3}),  # ⌈0.25 × 12⌉, although a model of up to 8 boxes has none by default
    ],
)
def test_the_request_sets_the_share_of_spares(
    catalog: Catalog, spares: dict[str, float], expected: dict[str, int]
) -> None:
    made = design(catalog, "dgx-h100", 32, "ndr", economics={"spares": spares})
    assert (
        made.spec.as_json()["economics"]["spares"]
        == {"switches": None, "optics": None, "cables": None, "nics": None} | spares
    )
    found = {
        category: sum(line["spare_quantity"] for line in made.lines(category=category))
        for category in ("switch", "transceiver", "fiber")
    }
    if spares:
        assert {category: found[category] for category in expected} == expected
    else:
        by_part = [
            sum(line["quantity"] for line in made.lines(part=part)) for part in ("nv-mma4z00-ns", "nv-mma4z00-ns-flt")
        ]
        assert found["transceiver"] == sum(n_spares("spare-optics", n, catalog) for n in by_part) == 12 + 4
    shares = {a["name"]: a for a in cost_of(made.spec, made.fabric, made.bom, catalog).as_json()["assumptions"]}
    for name, share in spares.items():
        assert (shares[f"spare-{name}"]["value"], shares[f"spare-{name}"]["basis"]) == (share, "request")


def test_another_fabric_brings_no_servers_and_shares_the_spares(catalog: Catalog) -> None:
    one, other = design(catalog, "dgx-h100", 32, "ndr"), design(catalog, "dgx-h100", 16, "ndr")
    bill = bill_of_fabrics(
        [Billed("compute", one.spec, one.fabric, one.plan), Billed("storage", other.spec, other.fabric, other.plan)],
        catalog,
    )
    lines = bill.shown().as_json()["lines"]
    assert {line["fabric"] for line in lines} == {"compute", "storage"}
    assert [line["fabric"] for line in lines if line["category"] == "server"] == ["compute"]
    fibers = [line for line in lines if line["part"] == "fib-mfp7e10"]
    quantity = sum(line["quantity"] for line in fibers)
    assert quantity == 512 + 256
    assert sum(line["spare_quantity"] for line in fibers) == n_spares("spare-cables", quantity, catalog)
