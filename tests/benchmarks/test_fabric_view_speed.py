"""What a picture of 131,072 endpoints costs, from the link table's counts to its SVG. Run by hand.

Asserted on the spot: the whole fabric in at most 150 ms, every step down in at most 100 ms of a core of 2026, in yardsticks
and as CPU time of this process, so that neither the machine nor its neighbours count. A first look, which sizes the design
and makes its link table, counts as well.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

from designer.drawings.blocks import draw_view
from designer.drawings.node import draw_node
from designer.drawings.panel import draw_list, draw_panel
from designer.drawings.scene import Scene
from designer.drawings.tables import bundle_rows, device_details
from estimator.catalog.loader import load_catalog
from estimator.designs.networks import sized_fabrics
from estimator.diagrams.data import fabric_view, listed
from estimator.diagrams.failure import NOTHING_DOWN, down_of, impact_of
from estimator.diagrams.load import ALL_TO_ALL, Traffic
from estimator.diagrams.node import inside_of
from estimator.diagrams.places import Places, places_of
from estimator.diagrams.ports import host_ports_of, panel_of
from estimator.diagrams.scope import Scope, address_of, walk
from estimator.fabric.devices import LEAF, NODE, SPINE
from estimator.fabric.topology import link_table, panels_of
from estimator.link_list import link_list
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.yardstick import in_yardsticks

CATALOG = load_catalog()
OVERVIEW, STEP = 1.5, 1.0  # yardsticks: 150 ms and 100 ms
DESIGNS: dict[str, Any] = {
    "rails": {"compute": {"server": "dgx-h100", "nodes": 16_384}, "fabric": {"generation": "roce-400", "tiers": 3}},
    "top-of-rack": {
        "compute": {"server": "dgx-h100", "nodes": 16_384},
        "fabric": {"generation": "roce-400", "tiers": 3, "layout": "top-of-rack"},
    },
    "planes": {
        "compute": {
            "server": "custom",
            "nodes": 4_096,
            "gpus_per_node": 8,
            "nics_per_node": 8,
            "nic_ports_per_node": 32,
        },
        "fabric": {"generation": "roce-200", "leaf_switch": "custom", "leaf_radix": 256, "planes": 4},
    },
}


def cpu_ms(run: Callable[[], object], times: int = 5) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken) * 1e3


def places_for(spec: DesignSpec) -> Places:
    _, (fabric,) = sized_fabrics([spec], CATALOG)
    return places_of(link_table(fabric, panels_of(spec, fabric, CATALOG)))


def scene(places: Places) -> Scene:
    return Scene(places, "compute", "role", NOTHING_DOWN, {}, lambda **changes: f"/?{changes}")


def drawn(places: Places, scope: Scope, traffic: Traffic | None = None) -> str:
    view = fabric_view(places, scope, traffic=traffic)
    bundle_rows(scene(places), view)
    return draw_view(scene(places), view)[0]


@pytest.mark.parametrize("key", list(DESIGNS))
def test_the_whole_fabric_and_each_step_down(key: str) -> None:
    spec = parse_spec(DESIGNS[key], CATALOG)
    places = places_for(spec)
    assert places.table.fabric.n_endpoints == 131_072
    first = cpu_ms(lambda: drawn(places_for(spec), Scope()))
    again = cpu_ms(lambda: drawn(places, Scope()))
    loaded = cpu_ms(lambda: drawn(places, Scope(), Traffic(ALL_TO_ALL)))
    print(
        f"{key}: first look {first:.0f} ms, again {again:.0f} ms, with load {loaded:.0f} ms, {len(places.table):,} links"
    )
    assert in_yardsticks(max(first, again, loaded) / 1000) <= OVERVIEW
    scope = Scope()
    for axis in walk(places):
        scope = scope.within(axis, places.n[axis])
        step = cpu_ms(lambda at=scope: drawn(places, at))  # type: ignore[misc]
        print(f"  {address_of(scope, places)}: {step:.0f} ms")
        assert in_yardsticks(step / 1000) <= STEP


@pytest.mark.parametrize("key", list(DESIGNS))
def test_switches_servers_lists_and_losses(key: str) -> None:
    spec = parse_spec(DESIGNS[key], CATALOG)
    links = link_list(spec, CATALOG)
    places = places_of(links.table)
    devices, one = links.table.devices, scene(places)
    leaf, spine = devices.first[LEAF], devices.first[SPINE]
    down, _ = down_of([devices.names[leaf], devices.names[spine]], devices)
    steps: dict[str, Callable[[], object]] = {
        "list made": lambda: link_list(spec, CATALOG).labels,
        "leaf": lambda: draw_panel(one, panel_of(links, leaf), leaf, "a switch"),
        "spine": lambda: draw_panel(one, panel_of(links, spine), spine, "a switch"),
        "server": lambda: draw_node(one, 0, inside_of(spec, host_ports_of(links, 0), CATALOG)),
        "list": lambda: listing(one, places),
        "losses": lambda: impact_of(links.table, down),
    }
    for name, run in steps.items():
        step = cpu_ms(run)
        print(f"{key}, {name}: {step:.0f} ms")
        assert in_yardsticks(step / 1000) <= STEP


def listing(one: Scene, places: Places) -> object:
    some, _, total = listed(places, Scope().listing(NODE))
    return draw_list(one, some.tolist(), total, "servers", device_details(one, some.tolist()))
