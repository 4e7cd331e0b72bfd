"""Everything in the catalog can be designed with, or is refused with a reason and a way out."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import switch_ports
from estimator.pipeline import estimate
from estimator.spec import parse_spec

CATALOG = load_catalog()
BOXES_OF_800G = (
    "cisco-n9364e-sg2", "cisco-8122-64eh", "juniper-qfx5240-64od", "dell-z9864f-on", "edgecore-as9817-64o",
    "fs-n9600-64od", "arista-7808r4",
)  # fmt: skip


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
    assert any(line["part"] == switch_id for line in result.bom["lines"])
