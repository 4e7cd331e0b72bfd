"""Parts of one's own: what follows from their figures, what is assumed of them, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.result import Estimate
from estimator.search.search import search
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.own.likeness import cable_end_w
from estimator.spec.own.nics import nics_for
from estimator.spec.own.part import OwnCable
from estimator.spec.parse import parse_spec
from tests.estimator.verbs import run

SWITCH = {
    "id": "own-acme-128",
    "vendor": "Acme",
    "model": "S128",
    "protocol": "ethernet",
    "ports": 128,
    "port_rate_gbit_s": 400,
    "links_per_cage": 2,
    "cage": "OSFP8",
    "price_usd": 40_000,
    "price_basis": "quote",
    "as_of": "2026-11-02",
    "rack_units": 2,
    "weight_kg": 30,
    "typical_w": 900,
    "max_w": 2_000,
    "port_names": "sonic",
}
NIC = {
    "id": "own-nic",
    "vendor": "Acme",
    "model": "N400",
    "protocols": ["ethernet"],
    "port_rate_gbit_s": 400,
    "cage": "QSFP112",
    "typical_w": 20,
    "max_w": 25,
    "price_usd": 1_000,
}
NETWORK: dict[str, Any] = {
    "role": "compute",
    "nic": "own-nic",
    "nics": 4,
    "port_rate_gbit_s": 400,
    "cage": "QSFP112",
    "nics_in_price": False,
}
SERVER = {
    "id": "own-box",
    "vendor": "Acme",
    "model": "G4",
    "gpu": "h100-sxm",
    "gpus": 4,
    "price_usd": 100_000,
    "rack_units": 5,
    "typical_w": 4_000,
    "max_w": 6_000,
    "networks": [NETWORK],
}
CABLE = {
    "id": "own-dac",
    "vendor": "Acme",
    "model": "D8",
    "kind": "dac",
    "protocols": ["ethernet"],
    "rate_gbit_s": 800,
    "end_w": 0.5,
    "a_cage": "OSFP8",
    "b_cage": "OSFP8",
    "lengths_m": [1, 2, 3],
    "price_usd": 100,
    "price_per_m_usd": 10,
}
TWO_PORTS = {"ports_per_nic": 2, "cage": "OSFP8"}
SPLIT = {"links_per_cage": 8, "port_rate_gbit_s": 200}
OWN = {"switches": [SWITCH], "nics": [NIC], "servers": [SERVER], "cables": [CABLE]}
DESIGN = {
    "compute": {"server": "own-box", "nodes": 128},
    "fabric": {"generation": "roce-400", "leaf_switch": "own-acme-128", "spine_switch": "own-acme-128"},
    "site": {"leaf_spine_m": 2},
    "own_parts": OWN,
}


def spec_of(**keys: Any) -> DesignSpec:
    return parse_spec(DESIGN | keys, load_catalog())


def estimate_of(spec: DesignSpec) -> Estimate:
    (made,) = estimate([spec], load_catalog())
    return made


def lines_of(made: Estimate) -> dict[str, tuple[int, float | None]]:
    """(pieces with spares, typical price of one) by part."""
    assert made.bom
    out: dict[str, tuple[int, float | None]] = {}
    for line in made.bom.lines:
        if line.part:
            before = out.get(line.part, (0, None))[0]
            unit = line.unit_price_usd
            out[line.part] = before + line.quantity + line.spare_quantity, unit.typical if unit else None
    return out


def test_counts_cables_bill_and_power_follow_from_own_figures() -> None:
    """128 servers of four 400G ports on 128-port switches: 512 endpoints, 8 leaves of 64 + 64, 4 spines."""
    made = estimate_of(spec_of())
    counts, lines = made.fabrics["compute"].counts, lines_of(made)
    assert (counts.gpus, counts.endpoints, counts.leaf, counts.spine) == (512, 512, 8, 4)
    assert made.fabrics["compute"].cables.leaf_spine == 256  # 512 links, two in each twin cable
    assert {key: lines[key] for key in ("own-box", "own-nic", "own-acme-128", "own-dac")} == {
        "own-box": (128, 100_000),
        "own-nic": (512 + 11, 1_000),  # 2 % spares, rounded up
        "own-acme-128": (12 + 1, 40_000),
        "own-dac": (256 + 8, 120),  # 100 and 2 m at 10 a metre; 3 % spares
    }
    power = made.power
    assert power is not None
    assert power.parts_w["servers"].typical == 128 * 4_000
    assert power.parts_w["switches_with_modules"].max <= 12 * 2_000


def test_names_of_ports_are_those_of_the_system_that_the_switch_runs() -> None:
    links = link_list(spec_of(), load_catalog())
    assert links.catalog.port_naming["own-acme-128"].system == "SONiC"
    assert "own-acme-128" not in load_catalog().switches


def test_an_own_cable_is_taken_before_a_cheaper_one_of_the_catalog() -> None:
    without = {**OWN, "cables": []}
    assert "own-dac" not in lines_of(estimate_of(spec_of(own_parts=without)))
    dear = {**OWN, "cables": [CABLE | {"price_usd": 99_000}]}
    assert "own-dac" in lines_of(estimate_of(spec_of(own_parts=dear)))
    too_far = spec_of(own_parts=dear, site={"leaf_spine_m": 4})
    assert "own-dac" not in lines_of(estimate_of(too_far))


def test_a_price_of_an_own_part_has_no_discount_and_says_what_it_is() -> None:
    made = estimate_of(spec_of(economics={"volume_discount": 0.5}))
    assert made.bom
    line = next(line for line in made.bom.lines if line.part == "own-acme-128")
    assert line.unit_price_usd
    assert line.unit_price_usd.typical == 40_000
    assert line.price_rule == "Price of your own part, quotation of 2026-11-02"
    assert line.price_source
    assert "Your own part S128, revision 1" in line.price_source


def test_figures_that_are_left_out_are_assumed_and_named() -> None:
    bare = {key: value for key, value in SWITCH.items() if key not in ("typical_w", "max_w", "rack_units", "price_usd")}
    made = estimate_of(spec_of(own_parts={**OWN, "switches": [bare]}))
    found = next(one for one in made.findings if one.code == "own_part_assumed")
    assert "typical power" in found.message
    assert "height" in found.message
    assert "as for" in found.message
    assert made.bom
    assert made.bom.at_least
    # SN5600, the catalog's nearest, has the same 51.2 Tb/s: its 940 W and 2 U stand
    line = next(line for line in made.bom.lines if line.part == "own-acme-128")
    like = load_catalog().switches
    assert line.power_w / line.quantity in {
        one.typical_no_optics_w for one in like.values() if one.bandwidth_gbit_s == 51_200
    }
    assert "own_part_assumed" not in {one.code for one in estimate_of(spec_of()).findings}


def test_what_nothing_is_like_is_not_known_and_no_zero_is_assumed() -> None:
    bare = {
        key: value for key, value in OWN["servers"][0].items() if key not in ("typical_w", "max_w", "gpu", "weight_kg")
    }
    made = estimate_of(spec_of(own_parts={**OWN, "servers": [bare]}))
    words = {one.code: one for one in made.findings if one.code.startswith("own_part")}
    assert " 0 W" not in "".join(one.message for one in words.values())
    assert words["own_part_unknown"].severity == "warning"
    assert "typical power, largest power, weight" in words["own_part_unknown"].message
    assert made.power
    assert made.power.at_least
    catalog, copper = load_catalog(), OwnCable.model_validate(CABLE | {"end_w": None})
    assert cable_end_w(copper, catalog) == (0.0, ())  # passive copper draws nothing: nothing is assumed
    end_w, (assumed,) = cable_end_w(copper.model_copy(update={"kind": "aoc"}), catalog)
    assert end_w == assumed.value
    assert end_w > 0


def test_two_revisions_of_a_part_are_two_designs_of_one_batch() -> None:
    newer = {**OWN, "switches": [SWITCH | {"revision": 2, "price_usd": 50_000}]}
    plain = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}
    specs = [spec_of(), spec_of(own_parts=newer), parse_spec(plain, load_catalog())]
    first, second, third = estimate(specs, load_catalog())
    assert lines_of(first)["own-acme-128"][1] == 40_000
    assert lines_of(second)["own-acme-128"][1] == 50_000
    assert third.fabrics["compute"].counts.nodes == 4
    assert len({spec_hash(spec) for spec in specs}) == 3


def test_a_design_without_own_parts_keeps_its_hash() -> None:
    """The hash of today's request is that of the same one before own parts, NIC choice and owned parts were there."""
    import hashlib

    spec = parse_spec({"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}, load_catalog())
    before = spec.as_json()
    assert before.pop("own_parts") is None
    assert before["compute"].pop("nic") is None
    assert before["economics"].pop("owned") == []
    assert not before.pop("phases")
    text = json.dumps(before, sort_keys=True, separators=(",", ":"))
    assert spec_hash(spec) == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_stored_spec_is_read_back_with_its_parts() -> None:
    spec = spec_of()
    again = DesignSpec.from_json(json.loads(json.dumps(spec.as_json())))
    assert spec_hash(again) == spec_hash(spec)
    assert estimate_of(again).bom == estimate_of(spec).bom


def test_a_search_tries_own_switches_and_agrees_with_the_pipeline() -> None:
    base = {key: value for key, value in DESIGN.items() if key != "fabric"} | {"fabric": {"generation": "roce-400"}}
    found = search(
        {"base": base, "free": ["leaf_switch"], "objective": "network_usd", "top": 60}, load_catalog(), estimate
    )
    mine = next(one for one in found.designs if one.spec["fabric"]["leaf_switch"] == "own-acme-128")
    again = estimate_of(parse_spec(mine.spec, load_catalog()))
    assert again.cost
    assert mine.figures["network_usd"] == pytest.approx(again.cost.capex_usd.network.typical)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("kind", "change", "field", "code"),
    [
        ("switches", {"id": "nvidia-qm9700"}, "id", "id_taken"),
        ("switches", {"id": "own-ACME"}, "id", "not_an_id"),
        ("switches", {"id": "acme-own"}, "id", "not_an_id"),
        ("switches", {"model": "<b>S</b>"}, "model", "not_plain_text"),
        ("switches", {"vendor": "   "}, "vendor", "missing"),
        ("switches", {"ports": 10**9}, "ports", "out_of_range"),
        ("switches", {"ports": 127}, "ports", "ports_not_whole_cages"),
        ("switches", {"ports": True}, "ports", "wrong_type"),
        ("switches", {"price_usd": -1}, "price_usd", "out_of_range"),
        ("switches", {"links_per_cage": 8}, "port_rate_gbit_s", "rate_above_cage"),
        ("switches", {"links_per_cage": True}, "links_per_cage", "not_a_choice"),
        ("switches", {"typical_w": 3_000}, "max_w", "power_not_ascending"),
        ("switches", {"as_of": "2026-02-30"}, "as_of", "not_a_date"),
        ("switches", {"splits": [SPLIT]}, "splits[0].port_rate_gbit_s", "rate_above_cage"),
        ("switches", {"colour": "red"}, "colour", "unknown_key"),
        ("servers", {"gpu": "h900"}, "gpu", "unknown_part"),
        ("servers", {"scale_up_domain_gpus": 6}, "scale_up_domain_gpus", "domain_not_whole"),
        ("servers", {"networks": [NETWORK | {"role": "storage"}]}, "networks", "no_compute_network"),
        ("servers", {"networks": [NETWORK] * 2}, "networks[1].role", "role_twice"),
        ("servers", {"networks": [NETWORK | {"nic": "own-none"}]}, "networks[0].nic", "unknown_part"),
        ("servers", {"networks": [NETWORK | {"cages": 3}]}, "networks[0].cages", "ports_not_whole_cages"),
        ("servers", {"networks": [NETWORK | TWO_PORTS]}, "networks[0].port_rate_gbit_s", "rate_above_nic"),
        ("nics", {"port_rate_gbit_s": 800}, "port_rate_gbit_s", "rate_above_cage"),
        ("cables", {"lengths_m": [30]}, "lengths_m[0]", "out_of_range"),
        ("cables", {"branches": 2, "b_cage": "QSFP56"}, "rate_gbit_s", "rate_above_cage"),
    ],
)
def test_what_a_part_cannot_be_is_refused_at_its_place(
    kind: str, change: dict[str, Any], field: str, code: str
) -> None:
    wrong = {**OWN, kind: [OWN[kind][0] | change]}
    with pytest.raises(SpecError) as caught:
        spec_of(own_parts=wrong)
    assert (f"own_parts.{kind}[0].{field}", code) in {(one.field, one.code) for one in caught.value.problems}


def test_an_id_stands_once_and_a_kind_has_a_bound() -> None:
    with pytest.raises(SpecError) as caught:
        spec_of(own_parts={**OWN, "switches": [SWITCH, SWITCH]})
    assert [one.code for one in caught.value.problems] == ["id_taken"]
    many = [SWITCH | {"id": f"own-s{n}"} for n in range(41)]
    with pytest.raises(SpecError, match="at most 40 entries"):
        spec_of(own_parts={**OWN, "switches": many})


# ---------------------------------------------------------------- NIC choice


def test_a_chosen_nic_brings_its_cages_price_and_power() -> None:
    catalog = load_catalog()
    base = {"compute": {"server": "hgx-h100-8u", "nodes": 64}, "fabric": {"generation": "roce-400"}}
    before = estimate_of(parse_spec(base, catalog))
    made = estimate_of(parse_spec(base | {"compute": base["compute"] | {"nic": "nvidia-bf3-b3140h"}}, catalog))
    old, new = catalog.nics["nvidia-cx7-ndr-osfp"], catalog.nics["nvidia-bf3-b3140h"]
    lines, prices = lines_of(made), lines_of(before)
    assert lines["nvidia-bf3-b3140h"][0] == 512 + 11
    card = catalog.price(old.id)
    assert card
    assert prices["hgx-h100-8u"][1] == pytest.approx((lines["hgx-h100-8u"][1] or 0) + 8 * card.typical_cents / 100)
    assert made.power
    assert before.power
    moved = made.power.parts_w["servers"].typical - before.power.parts_w["servers"].typical
    assert moved == pytest.approx(512 * (new.typical_no_optics_w - old.typical_no_optics_w))
    assert "nv-mma4z00-ns400" in prices
    assert "nv-mma4z00-ns400" not in lines
    assert "nic_choice_assumed" in {one.code for one in made.findings}


@pytest.mark.parametrize(
    ("server", "nic"),
    [("dgx-h100", "nvidia-bf3-b3140h"), ("hgx-h100-8u", "nvidia-cx7-cedar"), ("custom", "nvidia-bf3-b3140h")],
)
def test_a_nic_that_the_server_does_not_take_is_refused(server: str, nic: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(
            {"compute": {"server": server, "nodes": 4, "nic": nic}, "fabric": {"generation": "ndr"}}, load_catalog()
        )
    assert [one.code for one in caught.value.problems] == ["nic_not_offered"]


def test_servers_with_cards_offer_a_choice_and_their_own_comes_first() -> None:
    catalog = load_catalog()
    offered = {key: [nic.id for nic in nics_for(server, catalog)] for key, server in catalog.servers.items()}
    assert offered["hgx-h100-8u"][0] == "nvidia-cx7-ndr-osfp"
    assert len(offered["hgx-h100-8u"]) > 3
    assert offered["dgx-h100"] == offered["gb300-tray"] == offered["gb200-tray"] == []
    assert not any(nic.startswith("nvidia-cx8") for nic in offered["hgx-h100-8u"])  # a PCIe 6 card
    for key in ("hgx-h100-8u", "dell-xe9680-h100"):
        for nic in offered[key]:
            generation = "roce-400" if catalog.nics[nic].total_rate_gbit_s >= 400 else "roce-200"
            spec = parse_spec(
                {"compute": {"server": key, "nodes": 2, "nic": nic}, "fabric": {"generation": generation}}, catalog
            )
            assert estimate([spec], catalog, ("counts",))


# ---------------------------------------------------------------- owned already


def test_owned_pieces_are_counted_and_not_bought() -> None:
    plain = estimate_of(spec_of())
    made = estimate_of(spec_of(economics={"owned": [{"part": "own-acme-128", "quantity": 5}, {"part": "own-box"}]}))
    assert made.bom
    assert plain.bom
    assert made.cost
    assert plain.cost
    assert lines_of(made) == lines_of(plain)
    saved = plain.bom.totals_usd.typical - made.bom.totals_usd.typical
    assert saved == 128 * 100_000 + 5 * 40_000
    assert plain.cost.capex_usd.total.typical - made.cost.capex_usd.total.typical == pytest.approx(saved)
    assert made.power == plain.power
    assert sum(line.owned_quantity for line in made.bom.lines if line.part == "own-acme-128") == 5
    assert sum(line.owned_quantity for line in made.bom.lines if line.part == "own-box") == 128
    assert made.cost.opex_usd_per_year == plain.cost.opex_usd_per_year  # they run, and are supported, all the same
    found = next(one for one in made.findings if one.code == "parts_owned")
    assert "128 × Acme G4" in found.message
    assert "5 × Acme S128" in found.message


def test_a_part_that_is_all_owned_needs_no_price() -> None:
    bare = {key: value for key, value in SERVER.items() if key != "price_usd"}
    parts = {**OWN, "servers": [bare]}
    unpriced = estimate_of(spec_of(own_parts=parts))
    assert unpriced.bom
    assert unpriced.bom.at_least
    made = estimate_of(spec_of(own_parts=parts, economics={"owned": [{"part": "own-box"}]}))
    assert made.bom
    assert not made.bom.at_least
    assert made.bom.unpriced_lines == []


def test_more_than_is_needed_is_no_negative_price_and_spares_come_last() -> None:
    made = estimate_of(spec_of(economics={"owned": [{"part": "own-acme-128", "quantity": 12}]}))
    assert made.bom
    lines = [line for line in made.bom.lines if line.part == "own-acme-128"]
    prices = [line.extended_price_usd.typical for line in lines if line.extended_price_usd]
    assert sum(prices) == 40_000
    assert min(prices) == 0
    more = estimate_of(spec_of(economics={"owned": [{"part": "own-acme-128", "quantity": 10**9}]}))
    assert more.bom
    assert all(line.bought >= 0 for line in more.bom.lines)


def test_a_search_takes_owned_pieces_off_as_the_pipeline_does() -> None:
    owned = [
        {"part": "own-acme-128", "quantity": 5},
        {"part": "own-dac", "length_m": 2, "quantity": 100},
        {"part": "own-box"},
    ]
    base = DESIGN | {"economics": {"owned": owned}, "compute": {"server": "own-box", "nodes": [96, 128]}}
    found = search({"base": base, "free": [], "objective": "capex_usd", "top": 5}, load_catalog(), estimate)
    assert len(found.designs) == 2
    for one in found.designs:
        again = estimate_of(parse_spec(one.spec, load_catalog()))
        assert again.cost
        assert one.figures["capex_usd"] == pytest.approx(again.cost.capex_usd.total.typical)
        assert one.figures["tco_usd"] == pytest.approx(again.cost.tco_usd.typical) if "tco_usd" in one.figures else True


@pytest.mark.parametrize(
    ("owned", "field", "code"),
    [
        ([{"part": "own-none"}], "[0].part", "unknown_part"),
        ([{"part": "own-box"}, {"part": "own-box", "quantity": 3}], "[1].part", "owned_twice"),
        ([{"part": "own-box", "length_m": 3}], "[0].length_m", "length_of_no_cable"),
        ([{"part": "own-box", "quantity": -3}], "[0].quantity", "out_of_range"),
    ],
)
def test_what_cannot_be_owned_is_refused(owned: list[dict[str, Any]], field: str, code: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec_of(economics={"owned": owned})
    assert [(one.field, one.code) for one in caught.value.problems] == [(f"economics.owned{field}", code)]


@pytest.mark.parametrize("number", ["MMA4Z00-NS", "mma4z00-ns"])
def test_a_vendor_s_part_number_leads_to_the_catalog_s_name(number: str) -> None:
    """The bill of materials prints it beside the description, so that it is what one has at hand."""
    with pytest.raises(SpecError) as caught:
        spec_of(economics={"owned": [{"part": number}]})
    (problem,) = caught.value.problems
    assert "The catalog's name of that part is nv-mma4z00-ns; or leave it out." in problem.message
    assert problem.message.startswith(f"'{number}' is a vendor's part number.")


# ---------------------------------------------------------------- command line


def test_a_quote_names_own_parts_by_their_numbers(tmp_path: Any) -> None:
    own = OWN | {"switches": [SWITCH | {"part_number": "ACME-7"}]}
    (tmp_path / "design.json").write_text(json.dumps(DESIGN | {"own_parts": own}))
    (tmp_path / "quote.csv").write_text("Part number,Description,Qty,Unit price USD\nACME-7,as offered,12,40000\n")
    answer = json.loads(run("quote", tmp_path / "design.json", tmp_path / "quote.csv").stdout)
    assert answer["lines"][0]["items"] == ["own-acme-128"]


def test_a_file_of_parts_goes_with_any_design(tmp_path: Any) -> None:
    design = {key: value for key, value in DESIGN.items() if key != "own_parts"}
    (tmp_path / "spec.json").write_text(json.dumps(design))
    (tmp_path / "parts.json").write_text(json.dumps(OWN))
    made = run("estimate", tmp_path / "spec.json", "--parts", tmp_path / "parts.json", "--only", "counts,bom")
    assert made.returncode == 0, made.stderr
    answer = json.loads(made.stdout)
    assert answer["spec_hash"] == spec_hash(spec_of())
    links = run("links", tmp_path / "spec.json", "--parts", tmp_path / "parts.json")
    assert links.stdout.count("\n") == 1 + 512 + 512
    without = run("estimate", tmp_path / "spec.json")
    assert without.returncode == 2
    assert "own-box" in without.stderr
    (tmp_path / "parts.json").write_text("[1]")
    refused = run("estimate", tmp_path / "spec.json", "--parts", tmp_path / "parts.json")
    assert json.loads(refused.stderr)["problems"][0]["field"] == "--parts"
