"""The same cluster as InfiniBand and as RoCE: what stays, what is dropped, which NICs are swapped at which price."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.compare.other_family import ALTERNATIVES, Alternative, alternative_spec, other_family
from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


def alternative(server: str, generation: str, **more: Any) -> Alternative:
    fabric = {"generation": generation, **more.pop("fabric", {})}
    return alternative_spec(
        {"name": "Hall", "compute": {"server": server, "gpus": 1024}, "fabric": fabric, **more}, CATALOG
    )


def codes(found: Alternative) -> list[str]:
    return [note.code for note in found.notes]


@pytest.mark.parametrize(("one", "other"), ALTERNATIVES.items())
def test_the_other_family_has_the_same_port_rate(one: str, other: str) -> None:
    here, there = CATALOG.generations[one], CATALOG.generations[other]
    assert here.port_rate_gbit_s == there.port_rate_gbit_s
    assert here.protocol != there.protocol
    assert ALTERNATIVES[other] == one
    assert other_family(one, CATALOG) == ("RoCE" if there.protocol == "ethernet" else "InfiniBand")
    found = alternative("custom", one)
    assert found.values["fabric"]["generation"] == other
    assert parse_spec(found.values, CATALOG).fabric.leaf_switch == there.default_switch


@pytest.mark.parametrize("server", ["dgx-h100", "hgx-h100-8u", "dgx-b300", "gb200-tray", "smc-8125gs-mi300x", "custom"])
@pytest.mark.parametrize("generation", ["ndr", "roce-400"])
def test_servers_ports_and_adapters_stay_and_both_can_be_compared(server: str, generation: str) -> None:
    values = {
        "name": "Hall",
        "compute": {"server": server, "gpus": 512, "gpu": "h100-sxm"},
        "fabric": {"generation": generation},
    }
    found = alternative_spec(values, CATALOG)
    before, after = parse_spec(values, CATALOG), parse_spec(found.values, CATALOG)
    assert before.compute == after.compute
    items = [{"spec": values}, {"spec": found.values, "notes": [note.words for note in found.notes]}]
    answer = compare_request({"items": items}, CATALOG).as_json()
    assert [item["gpus"] for item in answer["items"]] == [512, 512]
    assert answer["items"][1]["notes"]


@pytest.mark.parametrize("server", ["dgx-b300", "gb300-tray"])
def test_adapters_without_the_port_take_all_that_they_have(server: str) -> None:
    """A ConnectX-8 is one XDR port of 800G, and two of 400GbE: the RoCE side has two planes of 400G, with cables."""
    found = alternative(server, "xdr")
    assert found.values["fabric"]["generation"] == "roce-400"
    assert found.values["fabric"]["planes"] == 2
    assert "ports_split" in codes(found)
    made = estimate([parse_spec(found.values, CATALOG)], CATALOG)[0].as_json()
    assert not {"no_part_fits", "nic_lacks_port_rate"} & {one["code"] for one in made["findings"]}
    xdr = estimate(
        [parse_spec({"compute": {"server": server, "gpus": 1024}, "fabric": {"generation": "xdr"}}, CATALOG)],
        CATALOG,
        ("counts",),
    )[0]
    assert made["fabrics"]["compute"]["injection_gbit_s"] == xdr.fabrics["compute"].injection_gbit_s


def test_an_alternative_of_an_alternative_is_the_design_again() -> None:
    there = alternative("dgx-h100", "ndr")
    back = alternative_spec(there.values, CATALOG)
    assert there.values["name"] == "Hall (RoCE 400G)"
    assert back.values["name"] == "Hall (InfiniBand NDR)"
    again = parse_spec(back.values, CATALOG).as_json() | {"name": "Hall"}
    first = {"name": "Hall", "compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr"}}
    assert again == parse_spec(first, CATALOG).as_json()


def test_an_alternative_of_a_design_without_a_name_is_called_what_it_is() -> None:
    """Not "1,024 × H100, NDR (RoCE 400G)", which names both networks."""
    request = {"compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr"}}
    there = alternative_spec(request, CATALOG)
    assert there.name == "1,024 × H100, RoCE 400G"
    assert alternative_spec(there.values, CATALOG).name == "1,024 × H100, NDR"
    assert alternative_spec(parse_spec(request, CATALOG).as_json(), CATALOG).name == there.name


def test_what_ethernet_lacks_is_dropped_with_a_note() -> None:
    found = alternative(
        "dgx-h100", "ndr", workload={"in_network_reduction": True}, fabric={"reserved": {"fabric_manager_links": 4}}
    )
    spec = parse_spec(found.values, CATALOG)
    assert not spec.workload.in_network_reduction
    assert spec.fabric.reserved.fabric_manager_links == 0
    assert {"no_sharp", "no_fabric_manager", "adapters_kept"} <= set(codes(found))
    assert "4 links of fabric managers" in " ".join(note.words for note in found.notes)


def test_switches_and_sizes_that_were_set_become_automatic() -> None:
    shape = {
        "leaf_switch": "nvidia-qm9700",
        "leaf_downlinks": 40,
        "leaf_uplinks": 20,
        "scalable_unit_nodes": 16,
        "tiers": 2,
    }
    found = alternative("dgx-h100", "ndr", fabric=shape)
    spec = parse_spec(found.values, CATALOG)
    assert (spec.fabric.leaf_switch, spec.fabric.leaf_downlinks) == ("nvidia-sn5600", None)
    assert spec.fabric.oversubscription == "2:1"
    assert (spec.fabric.tiers, spec.fabric.scalable_unit_nodes) == ("auto", None)
    assert {"split_as_ratio", "sizes_automatic"} <= set(codes(found))
    assert "switches_automatic" not in codes(found)  # it was the usual one
    assert "switches_automatic" in codes(
        alternative("dgx-h100", "ndr", fabric={"leaf_switch": "custom", "leaf_radix": 48})
    )


def test_normalized_specs_have_alternatives_too() -> None:
    values = {
        "name": "Hall",
        "compute": {"server": "dgx-h100", "gpus": 1024},
        "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage"}],
    }
    spec = parse_spec(values, CATALOG)
    found = alternative_spec(spec.as_json(), CATALOG)
    after = parse_spec(found.values, CATALOG)
    assert after.fabric.leaf_switch == "nvidia-sn5600"
    assert [entry.generation for entry in after.other_fabrics] == ["ndr"]
    assert "other_networks_kept" in codes(found)


def test_lengths_by_device_go_and_those_of_other_networks_stay() -> None:
    lengths = [
        {"a": "leaf-r1-001", "b": "spine-001", "length_m": 9.0},
        {"a": "leaf-001", "b": "node-0001", "length_m": 4.0, "fabric": "storage"},
    ]
    found = alternative("dgx-h100", "ndr", site={"set_lengths": lengths}, other_fabrics=[{"role": "storage"}])
    assert [one["length_m"] for one in found.values["site"]["set_lengths"]] == [4.0]
    assert "lengths_dropped" in codes(found)


def test_ethernet_adapters_are_swapped_at_a_price_that_totals_do_not_hold() -> None:
    found = alternative("smc-8125gs-mi300x", "roce-400")
    assert found.swap is not None
    swap = found.swap
    assert (swap.old, swap.new, swap.n_adapters) == ("broadcom-thor2-p1400gd", "nvidia-cx7-ndr-osfp", 1024)
    assert swap.is_needed
    assert not swap.is_billed
    old, new = CATALOG.price("broadcom-thor2-p1400gd"), CATALOG.price("nvidia-cx7-ndr-osfp")
    assert old is not None
    assert new is not None
    assert (swap.old_cents, swap.new_cents) == (old.cents, new.cents)
    assert codes(found)[0] == "adapters_swapped"
    assert "$1,731 to $2,354" in found.notes[0].words


def test_adapters_of_custom_servers_are_swapped_within_the_totals() -> None:
    found = alternative("custom", "ndr")
    assert found.swap is not None
    assert found.swap.is_billed
    answer = compare_request(
        {
            "items": [
                {"spec": {"compute": {"server": "custom", "gpus": 1024}, "fabric": {"generation": "ndr"}}},
                {"spec": found.values},
            ]
        },
        CATALOG,
    ).as_json()
    adapters = next(row for row in answer["rows"] if row["function"] == "nic")
    assert [side["parts"][0]["part"] for side in adapters["sides"]] == [found.swap.old, found.swap.new]


def test_cards_that_speak_both_stay_and_the_ethernet_card_is_named_with_its_price() -> None:
    found = alternative("hgx-h100-8u", "ndr")
    assert found.swap is not None
    assert not found.swap.is_needed
    assert codes(found)[0] == "adapters_kept"
    assert "ConnectX-7 400GbE 1-port QSFP112 at $1,599 to $2,464" in found.notes[0].words
    assert alternative("dgx-h100", "ndr").swap is None  # a module on the board, not a card


def test_ports_of_accelerators_have_no_infiniband_version() -> None:
    with pytest.raises(SpecError) as caught:
        alternative("gaudi3-8u", "roce-200")
    assert [problem.code for problem in caught.value.problems] == ["no_sibling"]
