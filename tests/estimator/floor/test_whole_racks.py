"""Racks that are bought whole: their parts on the bill, their power, weight and price, and sizes given in racks."""

from typing import Any

import pytest

from estimator.bom.lines import RANGE, is_rack
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.ranges import Range, total_of
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.designs import design

CATALOG = load_catalog()
RACK, TRAY = "gb300-nvl72", "gb300-tray"
XDR = {"generation": "xdr"}


def made(fabric: dict[str, Any] | None = None, **compute: Any) -> dict[str, Any]:
    """The Estimate of GB300 trays on XDR."""
    asked = {"compute": {"server": TRAY, **compute}, "fabric": XDR | (fabric or {})}
    return estimate([parse_spec(asked, CATALOG)], CATALOG, ("counts", "cables", "bom", "cost", "changes"))[0].as_json()


def partial(estimated: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in estimated["findings"] if one["code"] == "rack_partial"]


# ---------------------------------------------------------------- bill, power, weight


def test_8208_gpus_bring_114_racks_with_all_that_they_hold() -> None:
    """The case from the field: $29.6 M (a rack less its trays) and 7 kW a rack were on no bill."""
    found = made({"scalable_unit_nodes": 72}, gpus=8208)
    bought = {line["part"]: line["quantity"] for line in found["bom"]["lines"]}
    assert bought[TRAY] == 2052
    assert {part: bought[f"{RACK}-{part}"] for part in ("switch-tray", "power-shelf", "frame")} == {
        "switch-tray": 114 * 9,
        "power-shelf": 114 * 8,
        "frame": 114,
    }
    price = CATALOG.price(RACK)
    assert price is not None
    servers = found["cost"]["capex_usd"]["servers"]
    assert [servers[end] for end in RANGE] == [114 * cents / 100 for cents in price.cents]
    parts_w = found["power"]["parts_w"]
    assert parts_w["rack_parts"] == {"typical": 114 * 7_000.0, "max": 114 * 7_000.0}
    assert parts_w["servers"]["max"] + parts_w["rack_parts"]["max"] == 114 * 142_000
    racks = found["racks"]
    assert (racks["racks"], racks["full"], racks["trays_in_last"], racks["gpus_per_rack"]) == (114, 114, 18, 72)
    assert racks["rack_kg"] == 1580


def test_only_network_racks_are_bought_as_empty_cabinets_and_all_are_installed() -> None:
    lines = made(racks=8)["bom"]["lines"]
    cabinets = sum(line["quantity"] for line in lines if line["category"] == "rack")
    assert 0 < cabinets < 8
    assert sum(line["quantity"] for line in lines if is_rack(line["category"], line["use"])) == 8 + cabinets
    (cooling,) = [line["quantity"] for line in lines if line["category"] == "cooling"]
    assert cooling == -(-8 * 142 * 9 // 10)  # nine tenths of a rack's heat


def test_the_lines_draw_what_the_racks_do() -> None:
    found = made(racks=3)
    of_racks = sum(line["power_w"] for line in found["bom"]["lines"] if line["category"] == "rack-system")
    assert of_racks == pytest.approx(found["power"]["parts_w"]["rack_parts"]["typical"])


@pytest.mark.parametrize("rack", CATALOG.racks)
def test_the_pieces_of_a_rack_add_up_to_its_price(rack: str) -> None:
    system, price = CATALOG.racks[rack], CATALOG.price(rack)
    if price is None:  # nobody quotes it: neither have its parts a price
        assert not [part.id for part in system.parts if CATALOG.price(part.id)]
        return
    pieces = [found.cents * part.quantity for part in system.parts if (found := CATALOG.price(part.id))]
    assert len(pieces) == len(system.parts)
    assert total_of(pieces) == price.cents


@pytest.mark.parametrize("rack", CATALOG.racks)
def test_every_rack_system_is_billed_powered_and_placed_whole(rack: str) -> None:
    system = CATALOG.racks[rack]
    rate = next(network.port_rate_gbit_s for network in CATALOG.servers[system.tray_id].networks)
    asked = {
        "compute": {"server": system.tray_id, "racks": 3},
        "fabric": {"generation": f"roce-{rate}"},
        "site": {"plan": {}},
    }
    found = estimate([parse_spec(asked, CATALOG)], CATALOG, ("counts", "cables", "bom", "cost"))[0].as_json()
    bought = {line["part"]: line["quantity"] for line in found["bom"]["lines"]}
    assert {part.id: bought[part.id] for part in system.parts} == {part.id: 3 * part.quantity for part in system.parts}
    parts_w = found["power"]["parts_w"]
    assert parts_w["servers"]["max"] + parts_w["rack_parts"]["max"] == pytest.approx(3 * system.needed("max_w"))
    floor = found["fabrics"]["compute"]["floor_plan"]
    assert (floor["racks_by_role"]["node"], floor["nodes_per_rack"]) == (3, system.n_trays)
    assert not [one for one in found["findings"] if one["field"].startswith("site.plan")]
    assert found["fabrics"]["compute"]["counts"]["gpus"] == 3 * found["racks"]["gpus_per_rack"]


OTHERS_IN_CATALOG = sum(
    price.typical_cents * part.quantity for part in CATALOG.racks[RACK].own_parts if (price := CATALOG.price(part.id))
)


@pytest.mark.parametrize(
    ("own", "a_rack"),
    [
        ({RACK: 380_000_003}, 380_000_003),  # the rack's price rules its parts, to the cent
        ({RACK: 380_000_000, TRAY: 19_000_000}, 380_000_000),  # the others share what is left
        ({RACK: 300_000_000, TRAY: 19_000_000}, 18 * 19_000_000),  # nothing is left
        ({TRAY: 19_000_000}, 18 * 19_000_000 + OTHERS_IN_CATALOG),  # the rest as in the catalog
    ],
)
def test_an_own_price_of_the_rack_rules_its_parts(own: dict[str, int], a_rack: int) -> None:
    prices = [
        {"part": part, "low": cents, "typical": cents, "high": cents, "basis": "quote", "as_of": "2026-11-02"}
        for part, cents in own.items()
    ]
    bill = design(CATALOG, TRAY, 36, "xdr", economics={"prices": {"name": "Offers", "prices": prices}}).bom
    lines = [line for line in bill.lines if line.category in ("server", "rack-system")]
    assert sum(line.extended_cents.typical for line in lines if line.extended_cents) == 2 * a_rack
    assert all(line.unit_cents == Range.at(own[line.part]) for line in lines if line.part in own)
    assert all("Your price book" in (line.price_rule or "") for line in lines if RACK in own)


def test_a_last_rack_with_free_places_is_bought_whole_but_for_its_trays() -> None:
    part, whole = made(nodes=130), made(racks=8)
    pieces, all_pieces = ({line["part"]: line["quantity"] for line in one["bom"]["lines"]} for one in (part, whole))
    assert pieces[TRAY] == 130
    for name in ("switch-tray", "power-shelf", "frame"):
        assert pieces[f"{RACK}-{name}"] == all_pieces[f"{RACK}-{name}"]
    assert part["racks"]["trays_in_last"] == 4


# ---------------------------------------------------------------- sizes


def spec_of(**compute: Any) -> Any:
    return parse_spec({"compute": compute, "fabric": XDR}, CATALOG)


def test_a_size_in_racks_is_printed_back_and_means_the_same_again() -> None:
    spec = spec_of(server=TRAY, racks=8)
    printed = spec.as_json()["compute"]
    assert (printed["racks"], printed["nodes"], printed["gpus"]) == (8, 144, None)
    assert parse_spec(spec.as_json(), CATALOG).as_json() == spec.as_json()
    assert spec_of(server=TRAY, racks=8, nodes=144).compute.nodes == 144
    assert spec_of(server="gb200-tray", racks=2, gpus=144).compute.nodes == 36


@pytest.mark.parametrize(
    ("compute", "code", "change", "nodes"),
    [
        ({"server": TRAY, "racks": 8, "nodes": 140}, "contradiction", {"compute.racks": 8}, 144),
        ({"server": TRAY, "racks": 8, "gpus": 500}, "contradiction", {"compute.racks": 8}, 144),
        ({"server": "dgx-h100", "racks": 8}, "no_rack_system", {"compute.nodes": 32}, 32),
        ({"racks": 8}, "no_rack_system", None, 0),
        ({"server": RACK, "nodes": 8}, "rack_not_node", {"compute.server": TRAY, "compute.racks": 8}, 144),
        ({"server": RACK, "racks": 8}, "rack_not_node", {"compute.server": TRAY}, 144),
        ({"server": RACK, "gpus": 576}, "rack_not_node", {"compute.server": TRAY}, 144),
        ({"server": TRAY, "racks": 0}, "out_of_range", {"compute.racks": 1}, 18),
    ],
)
def test_racks_that_contradict_are_refused_with_a_way_out(
    compute: dict[str, Any], code: str, change: dict[str, Any] | None, nodes: int
) -> None:
    with pytest.raises(SpecError) as caught:
        spec_of(**compute)
    (problem,) = caught.value.problems
    assert (problem.code, problem.change) == (code, change)
    if change:
        mended = apply_change({"compute": compute, "fabric": XDR}, change)
        assert parse_spec(mended, CATALOG).compute.nodes == nodes


@pytest.mark.parametrize("asked", [{"gpus": 520}, {"nodes": 130}, {"gpus": 517}])
def test_gpus_that_are_no_whole_racks_offer_the_numbers_above_and_below(asked: dict[str, Any]) -> None:
    (finding,) = partial(made(**asked))
    assert finding["message"].endswith("8 racks (576 GPUs) or 7 racks (504 GPUs)?")
    assert [choice["label"] for choice in finding["choices"]] == ["8 racks (576 GPUs)", "7 racks (504 GPUs)"]
    assert finding["change"] == finding["choices"][0]["change"]
    for choice, gpus in zip(finding["choices"], (576, 504), strict=True):
        mended = apply_change({"compute": {"server": TRAY, **asked}, "fabric": XDR}, choice["change"])
        after = estimate([parse_spec(mended, CATALOG)], CATALOG, ("counts",))[0].as_json()
        assert after["fabrics"]["compute"]["counts"]["gpus"] == gpus
        assert not partial(after)


def test_less_than_a_rack_offers_one_and_room_to_grow_does_not_stand_in_the_way() -> None:
    (finding,) = partial(made(gpus=36))
    assert (finding["change"], finding["choices"]) == ({"compute.racks": 1}, [])
    (grows,) = partial(made({"grow_to_nodes": 140}, nodes=130))
    changes = [choice["change"] for choice in grows["choices"]]
    assert changes == [{"compute.racks": 8, "fabric.grow_to_nodes": None}, {"compute.racks": 7}]
    assert not partial(made(racks=2))


# ---------------------------------------------------------------- floor plan


def floor_of(plan: dict[str, Any]) -> dict[str, Any]:
    asked = {"compute": {"server": TRAY, "racks": 2}, "fabric": XDR, "site": {"plan": plan}}
    return estimate([parse_spec(asked, CATALOG)], CATALOG, ("counts", "cables", "bom", "changes"))[0].as_json()


def test_a_floor_takes_whole_racks_by_default() -> None:
    found = floor_of({})
    floor = found["fabrics"]["compute"]["floor_plan"]
    assert (floor["nodes_per_rack"], floor["racks_by_role"]["node"], floor["rack_w"]["max"]) == (18, 2, 142_000)
    assert floor["rack_kg"]["max"] == pytest.approx(1580)
    assert not [one for one in found["findings"] if one["field"].startswith("site.plan")]
    cabinets = sum(line["quantity"] for line in found["bom"]["lines"] if line["category"] == "rack")
    assert cabinets == floor["racks"] - 2


@pytest.mark.parametrize(
    ("fabric", "nodes"),
    [
        ({"scalable_unit_nodes": 20}, 144),
        ({"scalable_unit_nodes": 7}, 130),
        ({"scalable_unit_nodes": 5}, 4),
        ({"tiers": 3, "scalable_unit_nodes": 20, "pod_nodes": 40}, 100),
        ({"layout": "top-of-rack"}, 100),
    ],
)
def test_the_floor_has_as_many_whole_racks_as_the_bill(fabric: dict[str, Any], nodes: int) -> None:
    """Units and pods that end within a rack share it: the bill had 8 racks where the floor had 16."""
    asked = {"compute": {"server": TRAY, "nodes": nodes}, "fabric": XDR | fabric, "site": {"plan": {}}}
    found = estimate([parse_spec(asked, CATALOG)], CATALOG, ("counts", "cables", "bom"))[0].as_json()
    floor = found["fabrics"]["compute"]["floor_plan"]
    bought = {line["part"]: line["quantity"] for line in found["bom"]["lines"]}
    assert floor["racks_by_role"]["node"] == found["racks"]["racks"] == bought[f"{RACK}-frame"] == -(-nodes // 18)
    assert sum(line["quantity"] for line in found["bom"]["lines"] if line["category"] == "rack") == (
        floor["racks"] - floor["racks_by_role"]["node"]
    )


@pytest.mark.parametrize(
    ("plan", "code", "severity", "change"),
    [
        ({"rack_power_kw": 100}, "rack_power_exceeded", "error", {"site.plan.rack_power_kw": 142.0}),
        ({"rack_weight_kg": 1200}, "rack_weight_exceeded", "error", {"site.plan.rack_weight_kg": 1580.0}),
        ({"nodes_per_rack": 9}, "rack_comes_whole", "warning", {"site.plan.nodes_per_rack": None}),
        ({"nodes_per_rack": 40}, "rack_comes_whole", "warning", {"site.plan.nodes_per_rack": None}),
    ],
)
def test_a_whole_rack_is_not_split_over_others(
    plan: dict[str, Any], code: str, severity: str, change: dict[str, Any]
) -> None:
    found = floor_of(plan)
    assert found["fabrics"]["compute"]["floor_plan"]["nodes_per_rack"] == 18
    (finding,) = [one for one in found["findings"] if one["code"] == code]
    assert (finding["severity"], finding["change"]) == (severity, change)
    mended = {key: change.get(f"site.plan.{key}", value) for key, value in plan.items()}
    assert code not in {one["code"] for one in floor_of(mended)["findings"]}


def test_out_of_band_racks_are_the_whole_ones() -> None:
    asked = {"compute": {"server": TRAY, "racks": 4}, "fabric": XDR, "other_fabrics": [{"role": "out-of-band"}]}
    assert parse_spec(asked, CATALOG).other_fabrics[0].racks == 4
