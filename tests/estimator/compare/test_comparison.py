"""Designs and offers side by side: lines in one row each, sums that add up, differences, scope and words."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.bom.lines import CATEGORIES
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare, estimates_of, prepare
from estimator.compare.comparison import compare_request as compare_records
from estimator.compare.figures import FIGURES, Value, is_about_same
from estimator.compare.kept import Kept, kept_of
from estimator.compare.request import MOST, Offer
from estimator.compare.verdicts import MONEY_UNITS
from estimator.errors import EstimatorError, InfeasibleDesign, SpecError
from estimator.ranges import Range
from estimator.result import PricedEstimate, Versions
from estimator.spec.parse import parse_spec
from tests.estimator.test_cli import refused as refusal
from tests.estimator.verbs import run
from tests.thorough import n_examples

CATALOG = load_catalog()
H100: dict[str, Any] = {"server": "dgx-h100", "gpus": 1024}
INFINIBAND: dict[str, Any] = {"name": "InfiniBand", "compute": H100, "fabric": {"generation": "ndr"}}
ROCE: dict[str, Any] = {"name": "RoCE", "compute": H100, "fabric": {"generation": "roce-400"}}
SMALL: dict[str, Any] = {
    "name": "Half",
    "compute": {"server": "dgx-h100", "gpus": 512},
    "fabric": {"generation": "ndr"},
}
CUSTOM: dict[str, Any] = {
    "name": "Custom",
    "compute": {"gpus": 1024, "gpu": "h100-sxm"},
    "fabric": {"generation": "ndr"},
}
NEAR: dict[str, Any] = INFINIBAND | {"name": "Near", "site": {"leaf_spine_m": 1.0}}
PLANNED: dict[str, Any] = INFINIBAND | {"name": "Planned", "site": {"plan": {}}}
STORAGE: dict[str, Any] = INFINIBAND | {"name": "With storage", "other_fabrics": [{"role": "storage"}]}
DEAR: dict[str, Any] = INFINIBAND | {"name": "Planned prices", "economics": {"price_book": "anchors"}}
ALL = (INFINIBAND, ROCE, SMALL, CUSTOM, NEAR, PLANNED, STORAGE, DEAR)


@cache
def made_of(at: int) -> PricedEstimate:
    """The estimate of one of ALL."""
    return estimates_of([parse_spec(ALL[at], CATALOG)], CATALOG)[0]


def compare_request(values: Any, catalog: Catalog) -> dict[str, Any]:
    """A comparison as its JSON has it."""
    return compare_records(values, catalog).as_json()


def compared(*specs: dict[str, Any], baseline: int = 0, **more: Any) -> dict[str, Any]:
    """A comparison of designs, which is JSON without NaN."""
    answer = compare_request({"items": [{"spec": spec} for spec in specs], "baseline": baseline, **more}, CATALOG)
    json.dumps(answer, allow_nan=False)
    return answer


def offer_of(spec: dict[str, Any], *without: str, **change: Any) -> dict[str, Any]:
    """A vendor's offer of a design's bill, without some categories, each line changed."""
    (made,) = estimates_of([parse_spec(spec, CATALOG)], CATALOG)
    keys = (
        "category",
        "part",
        "part_number",
        "description",
        "use",
        "tier",
        "length_m",
        "quantity",
        "spare_quantity",
        "unit_price_usd",
        "fabric",
    )
    lines = [
        {key: line[key] for key in keys} | change
        for line in made.as_json()["bom"]["lines"]
        if line["category"] not in without
    ]
    return {"label": "Offer", "offer": {"lines": lines}}


def figure(answer: dict[str, Any], key: str) -> dict[str, Any]:
    return next(row for row in answer["figures"] if row["key"] == key)


def row(answer: dict[str, Any], label: str) -> dict[str, Any]:
    return next(row for row in answer["rows"] if row["label"] == label)


def codes(answer: dict[str, Any], side: int = 0) -> list[str]:
    return [said["code"] for said in answer["summary"][side]["sentences"]]


def refused(items: Any, baseline: Any = 0, **more: Any) -> dict[str, str]:
    with pytest.raises(EstimatorError) as caught:
        compare_request({"items": items, "baseline": baseline, **more}, CATALOG)
    return {problem.field: problem.code for problem in caught.value.problems}


# ---------------------------------------------------------------- alignment


@pytest.mark.parametrize("specs", [ALL, (ROCE, NEAR, PLANNED), (STORAGE, CUSTOM)])
def test_every_line_stands_in_one_row_and_rows_add_up_to_the_totals(specs: tuple[dict[str, Any], ...]) -> None:
    answer = compared(*specs)
    made = estimates_of([parse_spec(spec, CATALOG) for spec in specs], CATALOG)
    for i, one in enumerate(made):
        bom = one.as_json()["bom"]
        numbers = Counter(n for row in answer["rows"] if row["sides"][i] for n in row["sides"][i]["lines"])
        assert numbers == Counter(line["line"] for line in bom["lines"])
        for end in ("low", "typical", "high"):
            priced = [row["sides"][i]["extended_price_usd"] for row in answer["rows"] if row["sides"][i]]
            assert sum(round(price[end] * 100) for price in priced if price) == round(bom["totals_usd"][end] * 100)
            assert answer["totals"]["all_usd"][i][end] == bom["totals_usd"][end]
        quantity = sum(row["sides"][i]["quantity"] for row in answer["rows"] if row["sides"][i])
        assert quantity == sum(line["quantity"] for line in bom["lines"])


def test_parts_of_a_grouped_row_add_up_to_it() -> None:
    answer = compared(PLANNED, PLANNED | {"name": "Other rows", "site": {"plan": {"racks_per_row": 4}}}, ROCE)
    grouped = [row for row in answer["rows"] if row["is_grouped"]]
    assert grouped  # a floor plan gives cables of several lengths
    for one in grouped:
        for i, side in enumerate(one["sides"]):
            parts = [part["sides"][i] for part in one["parts"] if part["sides"][i]]
            for key in ("quantity", "spare_quantity"):
                assert sum(part[key] for part in parts) == (side[key] if side else 0)
            assert sorted(n for part in parts for n in part["lines"]) == sorted(side["lines"] if side else [])
            assert sum(round(part["extended_price_usd"]["typical"] * 100) for part in parts) == round(
                side["extended_price_usd"]["typical"] * 100 if side else 0
            )


def test_one_role_with_another_part_is_one_row() -> None:
    leaves = row(compared(INFINIBAND, ROCE), "Leaf switches")
    assert [side["parts"][0]["part"] for side in leaves["sides"]] == ["nvidia-qm9700", "nvidia-sn5600"]
    assert [side["quantity"] for side in leaves["sides"]] == [32, 16]
    assert leaves["differences"][1]["quantity"] == {"absolute": -16, "relative": -0.5}
    assert not leaves["is_same"]
    assert not leaves["is_grouped"]


def test_copper_and_fibre_are_one_row_and_the_modules_are_missing() -> None:
    answer = compared(INFINIBAND, NEAR)
    cables = row(answer, "Cables: leaf-spine")
    assert all(side["quantity"] for side in cables["sides"])
    modules = row(answer, "Transceivers: leaf, to spines")
    assert modules["missing_on"] == [1]
    assert modules["sides"][1] is None
    assert modules["differences"][1]["quantity"]["absolute"] == -modules["sides"][0]["quantity"]
    assert not answer["totals"]["left_out"]  # a design lacks what it does not need


# ---------------------------------------------------------------- differences


@pytest.mark.parametrize("spec", ALL)
def test_a_design_has_no_difference_from_itself(spec: dict[str, Any]) -> None:
    answer = compared(spec, spec)
    assert [item["label"] for item in answer["items"]] == [spec["name"], f"{spec['name']} (2)"]
    assert all(row["is_same"] for row in answer["rows"])
    for one in (*answer["rows"], *(part for row in answer["rows"] for part in row["parts"])):
        for difference in one["differences"]:
            assert not any(
                found["absolute"] for key, found in difference.items() if found and key != "extended_range_usd"
            )
            assert not difference["extended_range_usd"] or set(difference["extended_range_usd"].values()) == {0}
    for one in answer["figures"]:
        assert all(found is None or (found["absolute"] == 0 and found["is_about_same"]) for found in one["differences"])
        assert one["best"] == []
    assert all(said["tone"] == "same" for said in answer["summary"][0]["sentences"])
    assert (
        "same predicted all-reduce" in answer["summary"][0]["headline"]
        or "about the same" in answer["summary"][0]["headline"]
    )


@settings(max_examples=n_examples(25), deadline=None)
@given(st.lists(st.integers(0, len(ALL) - 1), min_size=2, max_size=4), st.data())
def test_differences_turn_their_sign_with_the_baseline(chosen: list[int], data: Any) -> None:
    one, other = data.draw(st.permutations(range(len(chosen))))[:2]
    made, labels = [made_of(at) for at in chosen], [ALL[at]["name"] for at in chosen]
    there, back = (compare(made, labels, baseline).as_json() for baseline in (one, other))
    for a, b in zip(there["figures"], back["figures"], strict=True):
        forth, home = a["differences"][other], b["differences"][one]
        assert (forth is None) == (home is None)
        if forth:
            assert forth["absolute"] == pytest.approx(-home["absolute"])
            assert forth["is_about_same"] == home["is_about_same"]
            assert forth["is_better"] is None or forth["is_better"] is not home["is_better"]
    for a, b in zip(there["rows"], back["rows"], strict=True):
        assert a["key"] == b["key"]
        for key in ("quantity", "extended_price_usd", "power_w", "unit_price_usd"):
            forth, home = a["differences"][other][key], b["differences"][one][key]
            assert (forth is None) == (home is None)
            assert forth is None or forth["absolute"] == pytest.approx(-home["absolute"], abs=0.02)
    pair = [answer["totals"]["differences"][i]["absolute"] for answer, i in ((there, other), (back, one))]
    assert pair[0] == pytest.approx(-pair[1])


def test_the_same_part_at_one_price_cancels_in_a_price_difference() -> None:
    """32 switches against 31 at one price: costs more for certain, although the prices' ranges overlap."""
    lines = [
        {
            "category": "switch",
            "part": "nvidia-qm9700",
            "use": "leaf",
            "quantity": n,
            "description": "Switch",
            "unit_price_usd": {"low": 20_000, "typical": 25_000, "high": 40_000},
        }
        for n in (32, 31)
    ]
    offers = [Offer.model_validate({"lines": [line]}) for line in lines]
    answer = compare(offers, ["a", "b"]).as_json()
    difference = answer["rows"][0]["differences"][1]
    assert difference["extended_range_usd"] == {"low": -40_000, "typical": -25_000, "high": -20_000}
    assert not figure(answer, "switches_usd")["differences"][1]["ranges_overlap"]
    price = {"low": 19_000, "typical": 24_000, "high": 30_000}
    other = Offer.model_validate({"lines": [lines[0] | {"part": "other", "unit_price_usd": price}]})
    answer = compare([offers[0], other], ["a", "b"]).as_json()
    assert figure(answer, "switches_usd")["differences"][1]["ranges_overlap"]


@pytest.mark.parametrize(("share", "is_same"), [(0.015, True), (0.03, False)])
def test_all_money_is_about_the_same_within_one_share(share: float, is_same: bool) -> None:
    wide, sure = Value(Range(80.0, 100.0, 130.0)), Value(Range.at(100.0), lines=())
    more = [replace(one, ends=one.ends.each(lambda end: end * (1 + share))) for one in (wide, sure)]
    money = [one for one in FIGURES if one.unit in MONEY_UNITS]
    assert {"capex_usd", "capex_p50_usd", "tco_usd", "tco_p50_usd"} <= {one.key for one in money}
    judged = {is_about_same(one, up, base) for one in money for up, base in zip(more, (wide, sure), strict=True)}
    assert judged == {is_same}


def test_bands_decide_what_is_the_same_bandwidth() -> None:
    answer = compared(INFINIBAND, ROCE, INFINIBAND | {"name": "SHARP", "workload": {"in_network_reduction": True}})
    speed = figure(answer, "busbw_gb_s")
    assert speed["differences"][1]["is_about_same"]
    assert speed["differences"][1]["is_better"] is None
    # in-network reduction can fail to start without a word, and its band reaches down to the ring
    assert speed["differences"][2]["is_about_same"]
    low, typical, high = (speed["values"][0][end] for end in ("low", "typical", "high"))
    assert low < typical < high


# ---------------------------------------------------------------- scope


def test_a_side_without_a_price_is_compared_without_that_part() -> None:
    answer = compared(INFINIBAND, CUSTOM)
    left_out = {entry["label"]: entry["reason"] for entry in answer["totals"]["left_out"]}
    assert left_out == {
        "Servers": "Servers of “Custom” have no price.",
        "NICs": "NICs are within the servers of “InfiniBand”.",
    }
    assert answer["totals"]["at_least"] == [False, True]
    for i in (0, 1):
        in_scope = [row["sides"][i] for row in answer["rows"] if row["is_in_scope"] and row["sides"][i]]
        assert answer["totals"]["same_scope_usd"][i]["typical"] == pytest.approx(
            sum(side["extended_price_usd"]["typical"] for side in in_scope)
        )
    assert figure(answer, "capex_usd")["differences"][1] is None
    assert figure(answer, "network_usd")["label"] == "Network without NICs"
    assert any("Custom" in said["words"] for said in answer["not_comparable"])


def test_a_network_that_one_side_lacks_is_left_out() -> None:
    answer = compared(STORAGE, INFINIBAND)
    assert {entry["reason"] for entry in answer["totals"]["left_out"]} == {
        "The storage network is not in “InfiniBand”."
    }
    assert answer["totals"]["differences"][1]["relative"] == pytest.approx(0, abs=0.002)
    assert answer["totals"]["all_usd"][0]["typical"] > answer["totals"]["all_usd"][1]["typical"]


def test_prices_on_the_same_scope_are_for_a_gpu_where_clusters_differ_in_size() -> None:
    """Four times the servers do not cost four times as much a server: what costs more is a core tier."""
    large = STORAGE | {"compute": H100 | {"gpus": 4 * H100["gpus"]}}
    answer = compared(INFINIBAND, large)
    totals = [total["typical"] for total in answer["totals"]["same_scope_usd"]]
    a_gpu = [total / item["gpus"] for total, item in zip(totals, answer["items"], strict=True)]
    said = next(one for one in answer["summary"][0]["sentences"] if one["code"] == "same_scope_usd")
    assert " a GPU on the same scope" in said["phrase"]
    assert f"{a_gpu[1] / a_gpu[0] - 1:.1%}".replace("%", "\N{NO-BREAK SPACE}%") in said["phrase"]
    assert a_gpu[1] / a_gpu[0] - 1 < 0.1 < totals[1] / totals[0] - 1


def test_an_offer_is_held_against_a_design_line_by_line() -> None:
    offer = offer_of(INFINIBAND, "server", "rack")
    answer = compare_request({"items": [{"spec": INFINIBAND}, offer]}, CATALOG)
    assert {entry["label"] for entry in answer["totals"]["left_out"]} == {"Servers", "Racks"}
    assert answer["totals"]["differences"][1] == {"absolute": 0, "relative": 0}
    assert all(
        row["is_same"] or row["missing_on"] == [1] or row["sides"][1]["power_w"] is None for row in answer["rows"]
    )
    assert figure(answer, "busbw_gb_s")["values"][1] is None
    assert answer["items"][1]["kind"] == "offer"


def test_lines_of_an_offer_without_a_use_find_their_row_by_part_or_category() -> None:
    offer = offer_of(INFINIBAND, "server", "rack", use=None, tier=None)
    answer = compare_request({"items": [{"spec": INFINIBAND}, offer]}, CATALOG)
    assert answer["totals"]["same_scope_usd"][0] == answer["totals"]["same_scope_usd"][1]
    numbers = [n for one in answer["rows"] if one["sides"][1] for n in one["sides"][1]["lines"]]
    assert sorted(numbers) == list(range(1, len(offer["offer"]["lines"]) + 1))
    price = {"low": 9.0, "typical": 9.0, "high": 9.0}
    stranger = {"category": "cooling", "description": "Chiller", "quantity": 1, "unit_price_usd": price}
    offer["offer"]["lines"].append(stranger)
    answer = compare_request({"items": [{"spec": INFINIBAND}, offer]}, CATALOG)
    assert answer["rows"][-1]["missing_on"] == [0]
    assert row(answer, "Leaf and spine switches")["is_same"]
    assert row(answer, "Leaf and spine switches")["sides"][1]["quantity"] == 48


def test_another_vendors_switches_without_a_use_stand_against_all_switches() -> None:
    price = {"low": 1.0, "typical": 2.0, "high": 3.0}
    other = {"category": "switch", "description": "Other switch", "quantity": 50, "unit_price_usd": price}
    strange = {"category": "cooling", "description": "Chiller", "quantity": 1, "unit_price_usd": price}
    answer = compare_request({"items": [{"spec": INFINIBAND}, {"offer": {"lines": [other, strange]}}]}, CATALOG)
    switches = row(answer, "Leaf and spine switches")
    assert [side["quantity"] for side in switches["sides"]] == [48, 50]
    assert row(answer, "Cooling")["missing_on"] == [0]


def test_other_books_change_prices_alone() -> None:
    answer = compared(INFINIBAND, DEAR)
    for one in answer["rows"]:
        assert one["differences"][1]["quantity"]["absolute"] == 0
    assert any(one["differences"][1]["unit_price_usd"]["absolute"] for one in answer["rows"])
    assert [item["price_book"] for item in answer["items"]] == ["street", "anchors"]


# ---------------------------------------------------------------- sizes and words


def test_clusters_of_other_sizes_are_compared_for_each_gpu() -> None:
    answer = compared(INFINIBAND, SMALL)
    assert answer["is_per_gpu"]
    servers = figure(answer, "servers_usd")
    assert servers["is_per_gpu"]
    assert servers["differences"][1] == servers["differences"][1] | {"absolute": 0, "relative": 0}
    assert servers["values"][0]["typical"] == 2 * servers["values"][1]["typical"]
    assert figure(answer, "usd_per_gb_s_busbw")["is_per_gpu"]  # bandwidth of a GPU over the price of the cluster
    assert figure(answer, "busbw_512_gpus_gb_s")["values"][1] == figure(answer, "busbw_gb_s")["values"][1]
    assert "a GPU" in answer["summary"][0]["headline"]
    assert row(answer, "Servers")["differences"][1]["per_gpu"] == {"extended_price_usd": 0, "quantity": 0}
    assert not compared(INFINIBAND, ROCE)["is_per_gpu"]


def test_the_headline_says_what_matters_and_always_the_all_reduce() -> None:
    said = compared(INFINIBAND, ROCE)["summary"][0]
    assert said["headline"].startswith("RoCE against InfiniBand: 50\N{NO-BREAK SPACE}% fewer switches")
    assert said["headline"].endswith("about the same predicted all-reduce at 1,024 GPUs.")
    weights = [one["weight"] for one in said["sentences"]]
    assert weights == sorted(weights, reverse=True)
    (switches,) = [one for one in said["sentences"] if one["code"] == "switches"]
    assert switches["words"].endswith("fewer switches: 24 against 48.")
    assert switches["tone"] == "better"


def test_overlapping_prices_are_said_to_overlap() -> None:
    answer = compared(INFINIBAND, ROCE)
    (switches,) = [one for one in answer["summary"][0]["sentences"] if one["code"] == "switches_usd"]
    assert "The ranges overlap" in switches["words"]
    (network,) = [one for one in answer["summary"][0]["sentences"] if one["code"] == "network_usd"]
    assert network["phrase"] == "no difference that these prices can show in price of the network"
    assert "oversubscription" in answer["summary"][0]["about_the_same"]


def test_less_bisection_and_a_higher_ratio_are_worse() -> None:
    answer = compared(
        INFINIBAND, INFINIBAND | {"name": "Thin", "fabric": {"generation": "ndr", "oversubscription": "3:1"}}
    )
    tones = {one["code"]: one["tone"] for one in answer["summary"][0]["sentences"]}
    assert tones["oversubscription"] == tones["bisection_gbit_s"] == "worse"
    assert tones["switches"] == "better"
    ratio = figure(answer, "oversubscription")
    assert ratio["texts"] == ["1:1", "11:4"]
    assert ratio["best"] == [0]


def test_where_money_goes_adds_up_to_the_purchase() -> None:
    for spend, total in zip((answer := compared(*ALL))["spend"], answer["totals"]["all_usd"], strict=True):
        parts = [spend["parts_usd"][key] for key in ("servers", "switches", "cabling", "rest")]
        assert sum(part["typical"] for part in parts) == pytest.approx(total["typical"])


# ---------------------------------------------------------------- refusals


def test_wrong_requests_are_refused_by_field() -> None:
    assert refused([{"spec": INFINIBAND}]) == {"items": "out_of_range"}
    assert refused([{"spec": INFINIBAND}] * (MOST + 1)) == {"items": "out_of_range"}
    assert refused([{"spec": INFINIBAND}, {"spec": ROCE}], 2) == {"baseline": "out_of_range"}
    assert refused([{"spec": INFINIBAND}, {}]) == {"items[1]": "spec_or_offer"}
    assert refused([{"spec": INFINIBAND}, offer_of(INFINIBAND) | {"spec": ROCE}]) == {"items[1]": "spec_or_offer"}
    assert refused([{"spec": INFINIBAND}, {"design": "x"}]) == {"items[1].design": "unknown_key"}
    assert refused([{"spec": INFINIBAND}, {"spec": {**ROCE, "compute": {"nodes": 0}}}]) == {
        "items[1].spec.compute.nodes": "out_of_range"
    }
    assert refused([{"spec": INFINIBAND}, {"offer": {"lines": []}}]) == {"items[1].offer.lines": "out_of_range"}
    line = {"category": "gold", "quantity": 1}
    assert refused([{"spec": INFINIBAND}, {"offer": {"lines": [line]}}]) == {
        "items[1].offer.lines[0].category": "not_a_choice"
    }
    assert "gold" not in CATEGORIES
    assert refused("junk") == {"items": "wrong_type"}


def test_a_design_that_cannot_be_built_is_named() -> None:
    tall = {"compute": {"server": "dgx-h100", "nodes": 100_000}, "fabric": {"generation": "edr", "tiers": 1}}
    with pytest.raises(InfeasibleDesign) as caught:
        compare_request({"items": [{"spec": INFINIBAND}, {"spec": tall}]}, CATALOG)
    assert {problem.field.partition(".")[0] for problem in caught.value.problems} == {"items[1]"}


def test_callers_that_break_the_bounds_are_bugs() -> None:
    made = estimates_of([parse_spec(INFINIBAND, CATALOG)], CATALOG)
    with pytest.raises(ValueError, match="2 to 8"):
        compare(made, ["one"])
    with pytest.raises(SpecError):
        compare_request([], CATALOG)


def test_the_command_line_compares_files(tmp_path: Path) -> None:
    names = []
    for at, values in enumerate((INFINIBAND, offer_of(ROCE) | {"label": "Vendor A"}, ROCE)):
        names.append(str(tmp_path / f"{at}.json"))
        Path(names[-1]).write_text(json.dumps(values))
    answer = json.loads(run("compare", *names, "--baseline", "2").stdout)
    assert [item["label"] for item in answer["items"]] == ["InfiniBand", "Vendor A", "RoCE"]
    assert answer["baseline"] == 2
    assert answer["totals"]["differences"][1]["absolute"] == 0
    assert refusal(run("compare", names[0]))["problems"][0]["field"] == "items"
    assert refusal(run("compare", *names, "--baseline", "-1"))["problems"][0]["code"] == "out_of_range"


def test_what_is_kept_gives_the_same_comparison_again() -> None:
    """Another baseline, or a side less, needs no new estimate."""
    asked = prepare({"items": [{"spec": spec} for spec in ALL[:4]], "baseline": 1}, CATALOG)
    stored = json.loads(json.dumps([side.as_json() for side in asked.sides if isinstance(side, Kept)]))
    kept = [Kept.from_json(one) for one in stored]
    assert compare(kept, asked.labels, 1, asked.notes) == asked.compared()
    assert compare([made_of(at) for at in range(4)], asked.labels, 1, asked.notes) == asked.compared()
    assert len(json.dumps(stored)) < 400_000
    known = prepare(
        {"items": [{"spec": INFINIBAND}, {"spec": {"name": "not read"}}]}, CATALOG, {1: kept_of(made_of(1))}
    )
    assert known.sides[1] == kept[1]
    old = kept[1].but(versions=Versions(model="0.1", catalog="x"))
    answer = compare([kept[0], old], ["a", "b"]).as_json()
    assert answer["versions"] == {"model": None, "catalog": None}
    assert answer["not_comparable"][0]["code"] == "versions"


def test_large_changes_are_reported_as_multiples_and_other_books_are_named() -> None:
    wide = {
        "name": "B300",
        "compute": {"server": "dgx-b300", "gpus": 1024},
        "fabric": {"generation": "xdr"},
        "economics": {"price_book": "anchors"},
    }
    answer = compared(INFINIBAND, wide)
    phrases = [said["phrase"] for said in answer["summary"][0]["sentences"]]
    assert any(phrase.startswith("twice the bisection bandwidth") for phrase in phrases)
    assert any("as fast a predicted all-reduce" in phrase for phrase in phrases)
    assert answer["not_comparable"][0]["code"] == "books"
    assert "“B300” by anchors" in answer["not_comparable"][0]["words"]
    assert "books" not in [
        one["code"] for one in compared(INFINIBAND, DEAR)["not_comparable"]
    ]  # it is books that are compared


def test_an_offer_that_forgets_the_spines_is_not_the_cheaper_network() -> None:
    offer = offer_of(INFINIBAND, "server", "rack")
    lines = offer["offer"]["lines"]
    offer["offer"]["lines"] = [line for line in lines if line["use"] != "spine" and line["tier"] != "leaf_spine"]
    answer = compare_request({"items": [{"spec": INFINIBAND}, offer]}, CATALOG)
    reasons = [one["reason"] for one in answer["totals"]["left_out"]]
    assert "Spine switches are not in “Offer”." in reasons
    assert "Transceivers and cables, leaf-spine, are not in “Offer”." in reasons
    assert answer["totals"]["differences"][1] == {"absolute": 0, "relative": 0}
    for key in ("switches", "modules", "cables", "network_usd", "capex_usd", "switches_usd", "optics_usd"):
        assert figure(answer, key)["at_least"] == [False, True], key
        assert figure(answer, key)["differences"][1] is None
    assert figure(answer, "leaf_switches")["differences"][1] is None  # an offer counts spares, a design does not
    assert row(answer, "Leaf switches")["differences"][1]["quantity"]["absolute"] == 0
    assert figure(answer, "spine_switches")["values"][1] is None
    assert all(said["tone"] == "same" for said in answer["summary"][0]["sentences"])


def test_a_custom_server_without_a_prediction_is_compared_by_its_gpus() -> None:
    """Other numbers of GPUs are told with each side's own, whether or not all-reduce could be predicted."""
    custom = {
        "compute": {"server": "custom", "nodes": 16, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 8},
        "fabric": {"generation": "ndr"},
    }
    known = {"compute": {"server": "dgx-h100", "gpus": 1_024}, "fabric": {"generation": "ndr"}}
    summary = compared(custom, known)["summary"][0]
    assert any(
        "for 1,024 GPUs against" in said["words"] and "for 128." in said["words"] for said in summary["sentences"]
    )
