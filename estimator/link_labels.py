"""Labels of the cages and ports of one fabric, by kind of device."""

from estimator.catalog.loader import Catalog
from estimator.catalog.records import Switch
from estimator.devices import LEAF, MANAGER, MANAGER_PORTS, NODE, SWITCH_KINDS
from estimator.fabric import SizedFabric
from estimator.port_names import Labels, node_labels, switch_labels
from estimator.spec import DesignSpec
from estimator.topology import LinkTable


def switches_of(fabric: SizedFabric, catalog: Catalog) -> dict[str, Switch | None]:
    """Catalog record by kind of switch (leaf, spine, core); None for a custom one."""
    parts = (fabric.leaf_switch, fabric.spine_switch, fabric.core_switch)
    return {kind: catalog.switches.get(part or "") for kind, part in zip(SWITCH_KINDS, parts, strict=True)}


def labels_of(spec: DesignSpec, table: LinkTable, role: str, catalog: Catalog) -> dict[str, Labels]:
    """Cage and port labels of one fabric by kind of device."""
    fabric, panels, generation = table.fabric, table.panels, spec.fabric.generation
    server, side_by_side = catalog.server(spec.compute.server), fabric.layout == "top-of-rack"
    out = {
        NODE: node_labels(
            server, fabric.nic_ports_per_node, panels.node, role, catalog, generation, side_by_side
        )
    }  # fmt: skip
    for kind, switch in switches_of(fabric, catalog).items():
        ports, lanes = getattr(fabric, f"{kind}_radix"), fabric.endpoints_per_port if kind == LEAF else 1
        per_cage, rate = getattr(panels, kind), fabric.port_rate_gbit_s
        out[kind] = switch_labels(switch, ports, per_cage, lanes, rate, catalog)
    out[MANAGER] = node_labels(None, MANAGER_PORTS, panels.manager, role, catalog, generation, False)
    return out
