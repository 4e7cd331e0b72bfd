"""A dump of a built network leads back to the design it was built from, and says what it cannot tell."""

import io
from typing import Any

import pytest

from estimator.asbuilt.counts import counts_of
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.readers.found import FoundLinks
from estimator.asbuilt.to_spec import DumpDesign, design_of_dump
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.published.designs import published
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt.fabric_dumps import Cable, cables_of, ibnetdiscover, ports_report

CATALOG = load_catalog()
ROUND_TRIPS = (
    "dgx-h100-ndr-su1-ufm",
    "dgx-h100-ndr-su4-ufm",
    "dgx-b300-xdr-su4",
    "dgx-gb200-ndr-su2",
    "dgx-a100-hdr-su5",
    "form-2tier-k36",
    "frontera-rack",
    "dgx-h100-ndr-large-su32",
)


def cables(case: str) -> list[Cable]:
    return cables_of(link_list(parse_spec(published().designs[case].inputs, CATALOG), CATALOG))


def read(of: list[Cable], report: bool = False) -> FoundLinks:
    text = "".join(ports_report(of) if report else ibnetdiscover(of))
    return read_links(io.BytesIO(text.encode()))


def designed(of: list[Cable]) -> DumpDesign:
    return design_of_dump(read(of), CATALOG)


@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_a_dump_of_a_design_leads_back_to_its_counts(case: str) -> None:
    spec = parse_spec(published().designs[case].inputs, CATALOG)
    found = designed(cables(case))
    assert found.differences == ()
    assert found.spec.fabric.generation == spec.fabric.generation
    assert found.spec.fabric.layout == spec.fabric.layout
    assert found.counts.tiers == spec.fabric.tiers or spec.fabric.tiers == "auto"
    assert any("model of the servers" in line for line in found.unreported)


@pytest.mark.parametrize(
    ("generation", "rate", "leaf"),
    [("xdr", 400, "nvidia-q3400-ra"), ("ndr", 200, "nvidia-qm9700"), ("hdr", 100, "nvidia-qm8700")],
)
def test_uplinks_slower_than_nodes_keep_their_rate(generation: str, rate: int, leaf: str) -> None:
    """Read as the generation of the uplinks before, with servers that no port of it was as fast as."""
    values = {
        "compute": {"server": "custom", "nodes": 64},
        "fabric": {
            "generation": generation,
            "leaf_switch": leaf,
            "uplink_rate_gbit_s": rate,
            "scalable_unit_nodes": 16,
        },
    }
    found = designed(cables_of(link_list(parse_spec(values, CATALOG), CATALOG)))
    assert found.differences == ()
    assert found.spec.fabric.generation == generation
    assert found.spec.fabric.uplink_rate_gbit_s == rate
    assert any(f"between switches run at {rate} Gb/s" in line for line in found.reported)


def test_uplinks_twice_as_fast_as_nodes_are_split_ports() -> None:
    values = {
        "compute": {"server": "custom", "nodes": 64},
        "fabric": {
            "generation": "ndr",
            "leaf_switch": "nvidia-q3400-ra",
            "uplink_rate_gbit_s": 800,
            "scalable_unit_nodes": 32,
        },
    }
    found = designed(cables_of(link_list(parse_spec(values, CATALOG), CATALOG)))
    assert found.differences == ()
    assert (found.spec.fabric.generation, found.spec.fabric.splitters) == ("xdr", True)


def test_the_report_of_ports_says_the_same_as_the_topology_file() -> None:
    of = cables("dgx-h100-ndr-su1-ufm")
    assert design_of_dump(read(of, report=True), CATALOG).spec == designed(of).spec


def test_managers_are_no_servers() -> None:
    counts = counts_of(read(cables("dgx-h100-ndr-su4-ufm")))
    assert (counts.n_nodes, counts.n_manager_links) == (127, 4)
    assert counts.n_managers >= 1
    assert counts.links_node_leaf == 1016


def test_a_cable_that_is_down_and_a_server_that_misses_a_link_are_reported() -> None:
    of = cables("dgx-h100-ndr-su1-ufm")
    no_uplink = next(i for i, cable in enumerate(of) if not cable.a.is_host)
    no_server_link = next(i for i, cable in enumerate(of) if cable.a.is_host and "node" in cable.a.device)
    found = designed([cable for i, cable in enumerate(of) if i not in (no_uplink, no_server_link)])
    words = " ".join(found.unreported)
    assert f"1 server with fewer than 8 links ({of[no_server_link].a.device}), counted as whole." in words
    assert "different numbers of uplinks, from 31; most have 32" in words
    assert f"Is a cable down ({of[no_uplink].a.device})?" in words
    assert ("links.leaf_spine", 255, 256) in found.differences
    assert found.counts.n_nodes == 31


def test_a_switch_with_a_stray_host_stays_a_spine() -> None:
    of = cables("dgx-h100-ndr-su1-ufm")
    spine = next(cable.b for cable in of if not cable.a.is_host)
    host = next(cable.a for cable in of if cable.a.is_host)
    stray = Cable(type(host)("visitor", "mlx5_0", 1, True), type(spine)(spine.device, "", 64, False))
    kept = [cable for cable in of if (cable.b.device, cable.b.number) != (spine.device, 64)]
    assert len(kept) == len(of) - 1
    counts = counts_of(read([*kept, stray]))
    assert (counts.n_leaf, counts.n_spine) == (8, 4)
    assert counts.n_odd_links == 1


def test_an_unknown_rate_is_taken_from_the_ports_and_said_so() -> None:
    of = cables("dgx-h100-ndr-su1-ufm")
    text = "".join(ibnetdiscover(of)).replace("4xNDR", "")
    found = design_of_dump(read_links(io.BytesIO(text.encode())), CATALOG)
    assert found.spec.fabric.generation == "ndr"
    assert found.unreported[0].startswith("The generation: most links show no rate. NDR is taken")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[1] "S-1"[2]\n', "no_links"),
        ('Switch 4 "S-0000000000000001" # "a"\n[1] "S-0000000000000002"[1] # "b" lid 1 4xNDR\n', "no_servers"),
        ("a_device,a_port,b_device,b_port\nn1,1,l1,1\n", "no_kinds"),
    ],
)
def test_files_without_a_network_are_refused(text: str, code: str) -> None:
    with pytest.raises(EstimatorError) as refused:
        design_of_dump(read_links(io.BytesIO(text.encode())), CATALOG)
    assert [problem.code for problem in refused.value.problems] == [code]


def test_the_name_is_the_callers() -> None:
    values: dict[str, Any] = design_of_dump(read(cables("frontera-rack")), CATALOG, "Frontera, rack 7").spec.as_given()
    assert values["name"] == "Frontera, rack 7"


@pytest.mark.parametrize("growth", ["nodes", "grow_to_nodes"])
def test_an_imported_design_that_outgrows_its_tiers_is_refused_with_a_way_out(growth: str) -> None:
    given = designed(cables("dgx-h100-ndr-su4-ufm")).spec.as_given()
    assert given["fabric"]["tiers"] == 2
    larger = {f"{'compute' if growth == 'nodes' else 'fabric'}.{growth}": 640}
    with pytest.raises(EstimatorError) as refused:
        estimate([parse_spec(apply_change(given, larger), CATALOG)], CATALOG, ("counts",))
    (problem,) = refused.value.problems
    assert problem.change == {"fabric.tiers": "auto"}
    (made,) = estimate([parse_spec(apply_change(given, larger | problem.change), CATALOG)], CATALOG, ("counts",))
    assert made.fabrics["compute"].tiers == 3
    (back,) = estimate([parse_spec(apply_change(given, problem.change), CATALOG)], CATALOG, ("counts",))
    assert back.fabrics["compute"].tiers == 2
