"""The links of a design → its site: names of nodes, leaves and racks, and who hangs on what."""

import numpy as np

from estimator.bringup.acceptance.site import Site
from estimator.cabling.links import LinkList
from estimator.fabric.devices import LEAF, NODE
from estimator.fabric.topology import NODE_LEAF
from estimator.record import Json
from estimator.units import IntArray

USUAL_NODES_PER_RACK = 4  # of servers whose rack nobody states


def site_of(links: LinkList, system: Json) -> Site:
    """The site that a design's compute fabric and the ``system`` of its predictions describe."""
    fabric, gpu = links.fabric, links.catalog.gpus[system["gpu"]]
    names, devices = links.table.devices.names, links.table.devices
    leaf_of = _leaves_by_rail(links)
    racks, rack_of = _racks(links)
    return Site(
        name=links.spec.name or "Unnamed design",
        spec_hash=links.spec_hash,
        system=system,
        n_gpus=fabric.n_gpus,
        is_amd=gpu.vendor.lower() == "amd",
        is_superchip="superchip" in gpu.form_factor.lower(),
        pcie_gen=gpu.pcie_gen,
        link_gb_s=gpu.scale_up_both_ways_gb_s / 2,
        has_rails=fabric.layout != "top-of-rack",
        joins_leaves=fabric.layout != "rail-only" or fabric.n_spine > 0,
        port_gbit_s=float(fabric.endpoint_rate_gbit_s),
        nics=tuple(links.labels[NODE].ports[: fabric.nic_ports_per_node : fabric.planes]),
        nodes=tuple(names[: fabric.n_nodes]),
        leaves=tuple(names[devices.first[LEAF] : devices.first[LEAF] + devices.n[LEAF]]),
        leaf_of=leaf_of,
        unit_of=np.unique(leaf_of[:, 0], return_inverse=True)[1].reshape(-1),
        racks=racks,
        rack_of=rack_of,
        has_floor_plan=links.plan.floor is not None,
    )


def _leaves_by_rail(links: LinkList) -> IntArray:
    """Leaf of each node and rail, of the first plane; without rails the leaf of its first port."""
    table, fabric = links.table, links.fabric
    rows = table.rows(NODE_LEAF)
    node, rail = table.a_device[rows].astype(np.int64), table.rail[rows].astype(np.int64)
    leaf = table.b_device[rows].astype(np.int64) - table.devices.first[LEAF]
    n_rails = max(int(rail.max(initial=0)), 1)
    out = np.zeros((fabric.n_nodes, n_rails), dtype=np.int64)
    backwards = slice(None, None, -1)  # of several links the first is written last
    out[node[backwards], np.maximum(rail[backwards] - 1, 0)] = leaf[backwards]
    return out


def _racks(links: LinkList) -> tuple[tuple[str, ...], IntArray]:
    """Racks by name with the rack of every node: those of the floor plan, else as many nodes a rack as is usual."""
    n_nodes, floor = links.table.devices.n[NODE], links.plan.floor
    if floor is not None:
        own = floor.devices.indexes_of(links.table)
        return tuple(floor.names), np.asarray(
            (floor.rack if own is None else floor.rack[own])[:n_nodes], dtype=np.int64
        )
    server = links.server
    per_rack = (server.per_rack if server else None) or USUAL_NODES_PER_RACK
    rack_of = np.arange(n_nodes) // per_rack
    width = max(3, len(str(int(rack_of[-1]) + 1)))
    return tuple(f"rack-{rack + 1:0{width}d}" for rack in range(int(rack_of[-1]) + 1)), rack_of
