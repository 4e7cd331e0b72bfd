"""Labels of the cages and ports of one fabric, by kind of device."""

from dataclasses import replace

from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Switch
from estimator.fabric.devices import LEAF, MANAGER, MANAGER_PORTS, NODE, SWITCH_KINDS
from estimator.fabric.hosts import Hosts
from estimator.fabric.ports import Labels, is_plainly_numbered, node_labels, switch_labels
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import LinkTable
from estimator.spec.design import DesignSpec
from estimator.units import ceil_div


def switches_of(fabric: SizedFabric, catalog: Catalog) -> dict[str, Switch | None]:
    """Catalog record by kind of switch (leaf, spine, core); None for a custom one."""
    parts = (fabric.leaf_switch, fabric.spine_switch, fabric.core_switch)
    return {kind: catalog.switches.get(part or "") for kind, part in zip(SWITCH_KINDS, parts, strict=True)}


def leaf_labels(fabric: SizedFabric, switch: Switch | None, per_cage: int, lanes: int, catalog: Catalog) -> Labels:
    """Labels of a leaf whose last ports, the uplinks, are of another rate than those to nodes."""
    down, up_per_cage = fabric.leaf_radix - fabric.leaf_uplinks, fabric.wiring.up_a_cage
    ports = switch_labels(switch, down, per_cage, lanes, fabric.port_rate_gbit_s, catalog)
    if is_plainly_numbered(switch, catalog):  # ports and cages are numbered through
        cages = [ceil_div(down, per_cage) + uplink // up_per_cage + 1 for uplink in range(fabric.leaf_uplinks)]
        names = [str(down + uplink + 1) for uplink in range(fabric.leaf_uplinks)]
        before = names if up_per_cage == 1 else [f"cage {cage}" for cage in cages]
        return _joined(ports, Labels([str(cage) for cage in cages], names, [names] * len(ports.lanes), before))
    uplinks = switch_labels(
        switch,
        fabric.leaf_uplinks,
        up_per_cage,
        1,
        fabric.uplink_rate_gbit_s,
        catalog,
        after=(fabric.port_rate_gbit_s, ceil_div(down, per_cage)),
    )
    return _joined(ports, replace(uplinks, lanes=[uplinks.ports] * len(ports.lanes)))


def _with_others(nodes: Labels, hosts: Hosts) -> Labels:
    """Labels of the nodes' ports, and after them those of every other kind of device."""
    for group in hosts.attached:
        names = list(group.port_names)
        nodes = _joined(nodes, Labels(names, names, [names] * len(nodes.lanes), names))
    return nodes


def _joined(one: Labels, other: Labels) -> Labels:
    lanes = [a + b for a, b in zip(one.lanes, other.lanes, strict=True)]
    return Labels(one.cages + other.cages, lanes[0], lanes, one.cage_ports + other.cage_ports)


def labels_of(spec: DesignSpec, table: LinkTable, role: str, catalog: Catalog) -> dict[str, Labels]:
    """Cage and port labels of one fabric by kind of device."""
    fabric, panels, generation = table.fabric, table.panels, spec.fabric.generation
    server, side_by_side = catalog.server(spec.compute.server), fabric.layout == "top-of-rack"
    hosts = fabric.hosts
    ports_a_node = hosts.ports_per_node if hosts else fabric.nic_ports_per_node
    nodes = node_labels(server, ports_a_node, panels.node, role, catalog, generation, side_by_side)
    out = {NODE: _with_others(nodes, hosts) if hosts else nodes}
    for kind, switch in switches_of(fabric, catalog).items():
        ports, lanes = getattr(fabric, f"{kind}_radix"), fabric.endpoints_per_port if kind == LEAF else 1
        per_cage, rate = getattr(panels, kind), fabric.port_rate_gbit_s if kind == LEAF else fabric.uplink_rate_gbit_s
        if kind == LEAF and fabric.uplink_rate_gbit_s != rate:
            out[kind] = leaf_labels(fabric, switch, per_cage, lanes, catalog)
            continue
        out[kind] = switch_labels(switch, ports, per_cage, lanes, rate, catalog)
    out[MANAGER] = node_labels(None, MANAGER_PORTS, panels.manager, role, catalog, generation, False)
    return out
