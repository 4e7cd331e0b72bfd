"""Capacity after a failure, against the link table with the same rows taken out, for every device, link and transceiver."""

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable, Panels
from estimator.findings.failures import failures_of
from tests.estimator.designs import spec_of
from tests.estimator.fabric.test_ratios import PODS, fabric, sized
from tests.estimator.fabric.test_sizing import SMALL, small_spec
from tests.estimator.findings.test_losses import LOOSE, Cabled
from tests.thorough import n_examples
from tests.yardstick import yardsticks

Rows = frozenset[int]
ORDER = ("endpoints_cut_off", "nodes_cut_off", "islands")
SHARES = (
    "node_ports_left",
    "leaf_uplinks_left",
    "spine_uplinks_left",
    "uplinks_left",
    "rail_uplinks_left",
    "plane_uplinks_left",
    "core_links_left",
)


def by_device(table: LinkTable, index: int) -> Rows:
    """Rows of one device."""
    return frozenset(np.flatnonzero((table.a_device == index) | (table.b_device == index)).tolist())


def grouped(table: LinkTable, tier: int, side: str, size: int, unit: str = "cage") -> list[Rows]:
    """Rows of a tier that share a cage, or neighbouring ports, of the device at one side."""
    rows = range(len(table))[table.rows(tier)]
    device, port = getattr(table, f"{side}_device"), getattr(table, f"{side}_{unit}")
    out: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in rows:
        out[int(device[row]), int(port[row]) // size].append(row)
    return [frozenset(some) for some in out.values()]


def losses_of(made: SizedFabric, table: LinkTable, nics: int) -> dict[str, list[tuple[Rows, frozenset[int]]]]:
    """All losses of each kind: the rows that go, and the devices that go with them."""
    devices, panels = table.devices, table.panels
    switches = {
        kind: [(by_device(table, i), frozenset({i})) for i in range(devices.of(kind).start, devices.of(kind).stop)]
        for kind in (LEAF, SPINE, CORE)
    }
    a_nic = -(-made.nic_ports_per_node // nics)
    rows = {
        "node-nic": grouped(table, NODE_LEAF, "a", a_nic, "port"),
        "node-link": grouped(table, NODE_LEAF, "a", 1, "port"),
        "node-module": grouped(table, NODE_LEAF, "a", 1),
        "leaf-module-to-nodes": grouped(table, NODE_LEAF, "b", 1),
        "leaf-spine-link": grouped(table, LEAF_SPINE, "a", 1, "port"),
        "leaf-module-to-spines": grouped(table, LEAF_SPINE, "a", 1),
        "spine-module-to-leaves": grouped(table, LEAF_SPINE, "b", 1),
        "spine-core-link": grouped(table, SPINE_CORE, "a", 1, "port"),
        "spine-module-to-cores": grouped(table, SPINE_CORE, "a", 1),
        "core-module": grouped(table, SPINE_CORE, "b", 1),
    }
    none: frozenset[int] = frozenset()
    out = {name: [(some, none) for some in found] for name, found in rows.items()} | switches
    for a, b in (*itertools.combinations_with_replacement((LEAF, SPINE, CORE), 2),):
        pairs = itertools.combinations(switches[a], 2) if a == b else itertools.product(switches[a], switches[b])
        out[f"{a}+{b}"] = [(one[0] | two[0], one[1] | two[1]) for one, two in pairs]
    assert panels.node >= 1
    return {name: found for name, found in out.items() if found}


class Measured:
    """The figures of one fabric after any rows are gone."""

    def __init__(self, made: SizedFabric, panels: Panels) -> None:
        self.cabled = Cabled(made, panels)
        self.made, self.table = made, self.cabled.table

    def figures(self, rows: Rows, gone: frozenset[int]) -> dict[str, Any]:
        """Under the names of the Estimate, without counts that are the design's."""
        table, made = self.table, self.made
        alive = np.ones(len(table), dtype=bool)
        alive[list(rows)] = False
        left = self.cabled.left_without(rows)
        up, top = table.tier == LEAF_SPINE, table.tier == SPINE_CORE
        rails = [
            (up & (table.rail == r) & (table.plane == p))
            for r in set(table.rail[up].tolist()) - {0}
            for p in set(table.plane.tolist())
        ]
        planes = [up & (table.plane == p) for p in set(table.plane.tolist())]
        return {
            "endpoints_cut_off": left.endpoints_cut_off,
            "nodes_cut_off": left.nodes_cut_off,
            "islands": left.islands,
            "node_ports_left": None if self.cabled.is_tie else Fraction(left.node_ports, made.nic_ports_per_node),
            "leaf_uplinks_left": self._of_switches(up, alive, gone),
            "spine_uplinks_left": self._of_switches(top, alive, gone),
            "uplinks_left": share(up, alive),
            "core_links_left": share(top, alive),
            "rail_uplinks_left": min((share(rail, alive) or Fraction(1) for rail in rails if rail.any()), default=None)
            if not any(share(rail, alive) == 0 for rail in rails)
            else Fraction(0),
            "plane_uplinks_left": min((s for plane in planes if (s := share(plane, alive)) is not None), default=None),
        }

    def _of_switches(self, tier: Any, alive: Any, gone: frozenset[int]) -> Fraction | None:
        if not tier.any():
            return None
        full = np.bincount(self.table.a_device[tier], minlength=len(self.table.devices))
        left = np.bincount(self.table.a_device[tier & alive], minlength=len(full))
        return min(
            (Fraction(int(left[i]), int(full[i])) for i in np.flatnonzero(full).tolist() if i not in gone),
            default=Fraction(1),
        )


def share(of: Any, alive: Any) -> Fraction | None:
    """Rows left of some."""
    return Fraction(int((of & alive).sum()), int(of.sum())) if of.any() else None


def fraction(text: str | None) -> Fraction | None:
    """``"15:16"`` as a number."""
    if text is None:
        return None
    over, under = text.split(":")
    return Fraction(int(over), int(under))


def check(made: SizedFabric, panels: Panels, nics: int, most: int = 10_000) -> None:
    """Every figure of ``failures`` is the worst that any loss of its kind has."""
    measured = Measured(made, panels)
    losses = losses_of(made, measured.table, nics)
    got = failures_of(made, panels, nics)
    for row in [loss.as_json() for loss in got.one + got.two]:
        every = losses[row["lost"]]
        if row["lost"] != "leaf-module-to-nodes":  # fabric managers have transceivers there too
            assert row["n"] == len(every), row["lost"]
        if len(every) > most:
            continue
        figures = [measured.figures(*loss) for loss in every]
        for name in ORDER:
            assert row[name] == max([f[name] for f in figures] + [int(name == "islands")]), (row["lost"], name)
        for name in SHARES:
            values = [f[name] for f in figures]
            if name == "node_ports_left" and None in values:
                continue
            want = min((v for v in values if v is not None), default=None)
            assert fraction(row[name]) == want, (row["lost"], name)
        assert row["all_reduce_goes_on"] == (row["nodes_cut_off"] == 0)
        assert row["worst_leaf"] is None or fraction(row["worst_leaf"]) == made.worst_leaf_ratio / (
            fraction(row["leaf_uplinks_left"]) or 1
        )
    singles = {name for name in losses if "module" not in name}
    assert singles <= {row.lost for row in got.one + got.two}


@settings(max_examples=n_examples(25), deadline=None)
@given(SMALL, st.sampled_from([Panels(), Panels(2, 1, 2, 2, 2), Panels(1, 1, 4, 2, 4)]))
def test_every_figure_is_the_worst_of_all_losses(a: dict[str, Any], panels: Panels) -> None:
    made = sized(small_spec(a))
    if made is not None and made.links_node_leaf + made.links_leaf_spine + made.links_spine_core <= 90:
        check(made, panels, a["ports"], most=120)


CASES: list[tuple[int, int, dict[str, Any]]] = [
    (20, 1, PODS),
    (12, 2, PODS),
    (20, 1, PODS | LOOSE),
    (26, 1, PODS | LOOSE | {"leaf_downlinks": 4, "leaf_uplinks": 3}),
    (10, 2, {"leaf_radix": 8, "spine_radix": 64, "tiers": 2, "leaf_downlinks": 7, "leaf_uplinks": 1}),
    (
        10,
        3,
        {
            "leaf_radix": 8,
            "tiers": 2,
            "layout": "top-of-rack",
            "leaf_downlinks": 4,
            "leaf_uplinks": 2,
            "spine_radix": 16,
        },
    ),
    (8, 2, {"leaf_radix": 8, "tiers": 2, "layout": "top-of-rack", "planes": 2, "leaf_downlinks": 4, "spine_radix": 16}),
    (14, 2, {"leaf_radix": 8, "tiers": 2, "layout": "rail-only", "spine_radix": 8}),
    (8, 2, {"leaf_radix": 8, "tiers": 2, "rails_per_leaf": 2}),
    (20, 1, {"leaf_radix": 64, "tiers": 1}),
    (21, 1, {"leaf_radix": 12, "spine_radix": 4, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
    (14, 1, {"leaf_radix": 12, "spine_radix": 2, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
]


@pytest.mark.parametrize(("nodes", "ports", "keys"), CASES)
@pytest.mark.parametrize("panels", [Panels(), Panels(2, 1, 2, 2, 2)], ids=["one", "twin"])
def test_every_loss_of_chosen_designs(nodes: int, ports: int, keys: dict[str, Any], panels: Panels) -> None:
    made = sized(spec_of(nodes, ports, **keys))
    assert made is not None
    check(made, panels, ports, most=120)


def test_one_pod_with_cores_has_no_leaves_beyond_its_own() -> None:
    """18 units of four rails fill one pod of three tiers: the rows tried end with its last one."""
    made = fabric(70, 4, leaf_downlinks=4, leaf_uplinks=2, tiers=3)
    assert (made.tiers, made.pods, made.wiring.rows) == (3, 1, 18)
    (leaf,) = [row for row in failures_of(made, Panels(), 4).one if row.lost == "leaf"]
    assert (leaf.n, leaf.endpoints_cut_off, leaf.node_ports_left) == (72, 4, "3:4")


def test_a_hundred_thousand_endpoints_are_no_brute_force() -> None:
    """131,072 endpoints in three tiers: a fifth of the yardstick, and ten times that is still no brute force."""
    made = fabric(16_384, 8, generation="xdr")
    assert (made.tiers, made.n_endpoints) == (3, 131_072)
    failures_of(made, Panels(1, 1, 2, 2, 2), 8)
    assert yardsticks(lambda: failures_of(made, Panels(1, 1, 2, 2, 2), 8)) < 2


def test_one_of_sixteen_spines_lost_leaves_fifteen_sixteenths() -> None:
    """DGX H100 SuperPOD: 32 leaves, 16 spines, two links a pair, twin-port cages, two ports of a node in each of its cages."""
    found = {row.lost: row for row in failures_of(fabric(128, 8), Panels(2, 1, 2, 2, 2), 8).one}
    spine, leaf, module = found["spine"], found["leaf"], found["leaf-module-to-nodes"]
    assert (spine.n, spine.uplinks_left, spine.worst_leaf, spine.endpoints_cut_off) == (
        16,
        "15:16",
        "16:15",
        0,
    )
    assert (leaf.endpoints_cut_off, leaf.nodes_cut_off, leaf.node_ports_left) == (32, 0, "7:8")
    assert (leaf.rail_uplinks_left, leaf.islands, leaf.all_reduce_goes_on) == ("3:4", 1, True)
    assert (module.endpoints_cut_off, module.node_ports_left) == (2, "7:8")
    assert found["node-module"].node_ports_left == "3:4"
    assert found["node-nic"].node_ports_left == "7:8"


def test_a_lost_leaf_of_nodes_with_all_ports_there_stops_a_job() -> None:
    """Top of rack: eight nodes of four ports on each leaf; with the leaf they are gone."""
    made = fabric(32, 4, layout="top-of-rack", tiers=2)
    (leaf,) = [row for row in failures_of(made, Panels(), 4).one if row.lost == "leaf"]
    assert (leaf.nodes_cut_off, leaf.all_reduce_goes_on) == (8, False)
