"""Everything in the catalog can be designed with, or is refused with a reason and a way out."""

from collections.abc import Mapping
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import compute_network, switch_ports
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.result import Estimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
BOXES_OF_800G = (
    "cisco-n9364e-sg2",
    "cisco-8122-64eh",
    "juniper-qfx5240-64od",
    "dell-z9864f-on",
    "edgecore-as9817-64o",
    "fs-n9600-64od",
    "arista-7808r4",
)


def _of_its_name(generation: str) -> int | None:
    """Rate in the name of an Ethernet generation, such as 800 of 800GE."""
    return int(generation.removesuffix("GE")) if generation.endswith("GE") else None


@pytest.mark.parametrize("switch_id", [s.id for s in CATALOG.switches.values() if _of_its_name(s.generation)])
def test_a_switch_has_ports_at_the_rate_it_is_sold_by(switch_id: str) -> None:
    switch = CATALOG.switches[switch_id]
    rate = _of_its_name(switch.generation)
    assert rate is not None
    ports = switch_ports(switch, rate)
    assert ports is not None, f"{switch.model} is a box of {switch.generation}"
    cages = max(switch.cages, key=lambda cage: cage.n_cages)
    assert ports.radix * rate * switch.switch_units == cages.n_cages * cages.cage_rate_gbit_s


@pytest.mark.parametrize("switch_id", BOXES_OF_800G)
def test_a_box_of_800g_ports_is_the_leaf_of_a_roce_800_fabric(switch_id: str) -> None:
    spec = parse_spec(
        {"compute": {"server": "custom", "nodes": 16}, "fabric": {"generation": "roce-800", "leaf_switch": switch_id}},
        CATALOG,
    )
    (result,) = estimate([spec], CATALOG, ("counts", "cables", "bom"))
    assert result.bom is not None
    assert any(line["part"] == switch_id for line in result.bom.as_json()["lines"])


GENERATIONS = {key: known for key, known in CATALOG.generations.items() if key != "ethernet-1"}
AT_RATES = [
    (switch.id, key)
    for switch in CATALOG.switches.values()
    for key, known in GENERATIONS.items()
    if switch.protocol == known.protocol and switch_ports(switch, known.port_rate_gbit_s)
]
NODES = [server.id for server in CATALOG.servers.values() if server.role in ("gpu", "gpu_tray")]


PARTS = ("counts", "cables", "bom", "cost")


def _made(values: Mapping[str, Any], *more: str) -> Estimate:
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, (*PARTS, *more))
    return made


def _built(values: Mapping[str, Any]) -> None:
    """The design has all its parts on the bill; or it is refused, or has links without cables, with a limit that is named.

    A change that is offered for that is tried: it must not be refused.
    """
    try:
        made = _made(values)
    except EstimatorError as error:
        for problem in error.problems:
            if problem.change:
                _made(apply_change(dict(values), problem.change))
        return
    assert made.bom is not None
    assert made.power is not None
    assert made.power.it_w.typical > 0
    if any(finding.code == "no_part_fits" for finding in made.findings):
        for finding in _made(values, "changes").findings:
            if finding.code != "no_part_fits":
                continue
            assert "no part fits" in finding.message or "reach" in finding.message
            if finding.change:
                _made(apply_change(dict(values), finding.change))
    parts = {line["part"] for line in made.bom.as_json()["lines"]}
    for part in parts - {None}:
        found = CATALOG.part(part)
        assert found is not None, part
        announced = getattr(found[1], "status", "available") == "announced"
        name = getattr(found[1], "model", None) or found[1].description
        said = [f for f in made.findings if f.code == "announced_part" and f.message.startswith(f"{name} is announced")]
        assert announced == bool(said), part


@pytest.mark.parametrize("tier", ["leaf_switch", "spine_switch"])
@pytest.mark.parametrize(("switch", "generation"), AT_RATES)
def test_every_switch_is_a_leaf_and_a_spine_at_each_of_its_rates(switch: str, generation: str, tier: str) -> None:
    _built({"compute": {"server": "custom", "nodes": 64}, "fabric": {"generation": generation, tier: switch}})


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("server", NODES)
def test_every_server_is_a_node_of_each_generation(server: str, generation: str) -> None:
    _built({"compute": {"server": server, "nodes": 36}, "fabric": {"generation": generation}})


@pytest.mark.parametrize("server", NODES)
def test_adapters_of_a_server_are_as_fast_as_its_ports(server: str) -> None:
    network = compute_network(CATALOG.servers[server])
    if network is None or network.nic_id is None:
        pytest.skip("the accelerators bring their own ports")
    nic = CATALOG.nics[network.nic_id]
    assert network.port_rate_gbit_s <= max(port.cage_rate_gbit_s for port in nic.ports)


def _named(change: Mapping[str, Any] | None) -> set[str]:
    return {value for value in (change or {}).values() if isinstance(value, str) and CATALOG.part(value)}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_nothing_proposes_a_part_that_cannot_be_ordered(generation: str) -> None:
    proposed: set[str] = set()
    for switch in list(CATALOG.switches)[::3]:
        values = {
            "compute": {"server": "dgx-h100", "nodes": 100},
            "fabric": {"generation": generation, "leaf_switch": switch},
        }
        try:
            proposed |= {part for finding in _made(values, "changes").findings for part in _named(finding.change)}
        except EstimatorError as error:
            proposed |= {part for problem in error.problems for part in _named(problem.change)}
    records = [found[1] for part in proposed if (found := CATALOG.part(part))]
    assert records or generation not in ("ndr", "roce-400")
    assert [record.id for record in records if record.status == "announced"] == []


def test_announced_modules_stand_in_only_where_nothing_on_sale_fits() -> None:
    bills = {
        switch: _made(
            {"compute": {"server": "custom", "nodes": 64}, "fabric": {"generation": "roce-800", "leaf_switch": switch}}
        ).bom
        for switch in ("nvidia-sn5600", "nvidia-sn6600-ld")
    }
    announced = {
        switch: {line["part"] for line in bill.as_json()["lines"]}
        & {c.id for c in CATALOG.cables.values() if c.status == "announced"}
        for switch, bill in bills.items()
        if bill
    }
    assert announced == {"nvidia-sn5600": set(), "nvidia-sn6600-ld": {"nv-mms4c10-xm800"}}


def test_an_open_question_about_what_to_buy_is_a_finding() -> None:
    made = _made(
        {
            "compute": {"server": "dgx-b300", "nodes": 32},
            "fabric": {"generation": "xdr", "leaf_switch": "nvidia-q3450-ld"},
        }
    )
    (found,) = (f for f in made.findings if f.code == "part_question")
    assert (found.severity, found.field) == ("warning", "fabric.leaf_switch")
    assert "MMC-12" in found.message


def test_a_switch_with_optics_inside_takes_fibres_with_its_own_connector() -> None:
    made = _made(
        {
            "compute": {"server": "custom", "nodes": 64},
            "fabric": {"generation": "roce-800", "leaf_switch": "nvidia-sn6810-ld"},
        }
    )
    assert made.bom is not None
    fibres = {line["part"] for line in made.bom.as_json()["lines"] if line["category"] == "fiber"}
    assert fibres == {"fib-mmc12-mpo12-os2", "fib-mmc12-os2"}


def test_ports_of_1_6t_serve_as_uplinks_of_nodes_at_800g() -> None:
    """64 nodes of eight ports on eight leaves: 512 × 800G down are 256 × 1.6T up, two fibres and two transceivers each."""
    fabric = {"generation": "roce-800", "leaf_switch": "dell-z9964f-on", "uplink_rate_gbit_s": 1600}
    made = _made({"compute": {"server": "custom", "nodes": 64}, "fabric": fabric})
    counts = made.fabrics["compute"].counts
    assert (counts.leaf, counts.spine) == (8, 4)
    assert made.bom is not None
    bought = {
        line["use"]: line["quantity"]
        for line in made.bom.as_json()["lines"]
        if line["part"] in ("gen-1600g-2dr4", "fib-mfp7e30")
    }
    assert (bought["leaf, to spines"], bought["spine, to leaves"], bought["leaf-spine"]) == (256, 256, 512)
