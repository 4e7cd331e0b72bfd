"""Findings read off the built structure: symmetry, ways between leaves, single points of failure, idle switches, slots."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.fabric.ratios import groups_of, is_uneven, paths_across_groups
from estimator.fabric.sized import SizedFabric
from estimator.findings.finding import Finding
from estimator.findings.port_groups import asymmetries
from estimator.spec.design import DesignSpec
from estimator.units import counted, parse_ratio, ratio_text


def about_built(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    """All of them; without the changes that would end them (proposals/proposals.py)."""
    yield from _about_symmetry(spec, fabric, catalog)
    yield from _about_weak_points(spec, fabric)
    yield from _about_ports(spec, fabric)
    yield from _about_ratio(spec.fabric.oversubscription, fabric)
    yield from _about_slots(spec, fabric, catalog)


# ---------------------------------------------------------------- symmetry


def _about_symmetry(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    if fabric.tiers < 2:
        return
    is_infiniband = catalog.generations[spec.fabric.generation].protocol == "infiniband"
    if is_infiniband and not _is_plainly_symmetric(fabric) and (reasons := asymmetries(fabric)):
        message = (
            f"{'; '.join(reasons)}. OpenSM's fat-tree routing wants the same number of port groups up and down, and of "
            "ports in each, on all switches of a rank; it falls back to min-hop unless it is given a file of root switches."
        )
        field = "fabric.uplink_spread" if spec.fabric.uplink_spread == "uneven" else "fabric.pod_nodes"
        yield Finding("opensm_fat_tree_asymmetric", "warning", field, message[0].upper() + message[1:])
    across = paths_across_groups(fabric)
    if across is not None and across.shortest == 0:
        message = (
            "Some leaves have no spine, of those that they reach, in a set that leaves of the smaller last pod reach too: no "
            "path leads up and down between them, and routing would have to go down and up again. Use an even spread, or "
            "pods of equal size."
        )
        yield Finding("no_path_up_and_down", "warning", "fabric.uplink_spread", message)


def _is_plainly_symmetric(fabric: SizedFabric) -> bool:
    """Whether all groups are alike and every spread is even, which needs no look at single links."""
    groups = groups_of(fabric)
    alike = len({(group.leaves, group.spines, group.spine_up) for group in groups}) == 1
    return alike and all(group.is_even for group in groups) and not (fabric.tiers == 3 and is_uneven(fabric))


# ---------------------------------------------------------------- what one failure takes along


def _about_weak_points(spec: DesignSpec, fabric: SizedFabric) -> Iterator[Finding]:
    if fabric.tiers < 2:
        return
    groups = groups_of(fabric)
    if any(group.spines == 1 and group.leaves > 1 for group in groups):
        message = "One spine joins the leaves of a group: if it fails, every leaf there is isolated."
        yield Finding("single_point_of_failure", "warning", "fabric.spine_radix", message)
    elif fabric.tiers == 3 and sum(fabric.wiring.cores) == 1:
        message = "One core joins all groups of spines: if it fails, every pod and rail is isolated."
        yield Finding("single_point_of_failure", "warning", "fabric.core_radix", message)
    ports, here = fabric.nic_ports_per_node, fabric.wiring.rails_a_leaf or fabric.wiring.endpoints_a_node
    if here == ports and fabric.n_leaf > 1:
        message = (
            f"All {counted(ports, 'port')} of a node plug into one leaf: a leaf that fails takes up to "
            f"{counted(fabric.nodes_per_leaf, 'node')} with it."
        )
        yield Finding("nodes_on_one_leaf", "info", "fabric.layout", message)


# ---------------------------------------------------------------- ports and switches that are unused


def _about_ports(spec: DesignSpec, fabric: SizedFabric) -> Iterator[Finding]:
    idle = int((fabric.leaf_down == 0).sum())
    if idle:
        message = (
            f"{counted(idle, 'leaf')} of {fabric.n_leaf:,} have no nodes yet: whole units are built. Buy them later, or "
            "connect the nodes that they wait for."
        )
        yield Finding("idle_switches", "info", "fabric.provision", message)
    reserved = spec.fabric.reserved
    if reserved.leaf_ports and fabric.links_fabric_manager < reserved.fabric_manager_links:
        message = (
            f"{counted(reserved.leaf_ports, 'port')} of every leaf are kept free while "
            f"{reserved.fabric_manager_links - fabric.links_fabric_manager} of {reserved.fabric_manager_links} "
            "fabric-manager links find none. Keep fewer free."
        )
        yield Finding("reserve_conflict", "warning", "fabric.reserved.leaf_ports", message)
    ports = fabric.n_spine * fabric.spine_radix
    held = fabric.n_spine * reserved.spine_ports
    used = int((fabric.spine_down + fabric.spine_up).sum())
    grows = spec.fabric.grow_to_nodes not in (None, spec.compute.nodes)
    if fabric.tiers > 1 and not grows and 2 * (used + held) < ports:
        most = int((fabric.spine_down + fabric.spine_up).max())
        message = (
            f"Spines use {most} of {fabric.spine_radix} ports each: {ports - used:,} of {ports:,} are unused. Spines with "
            "fewer ports, or room to grow, would not leave them idle."
        )
        yield Finding("spine_radix_unused", "info", "fabric.spine_radix", message)
    if fabric.endpoints_per_port > 1:
        message = (
            f"Endpoints run at {fabric.endpoint_rate_gbit_s} Gb/s on split ports and switches are joined at "
            f"{fabric.uplink_rate_gbit_s} Gb/s: one endpoint cannot fill an uplink."
        )
        yield Finding("mixed_rates", "info", "fabric.splitters", message)


def _about_ratio(asked: str, fabric: SizedFabric) -> Iterator[Finding]:
    # the fullest leaf's: with leaves that are less full the average is no whole number, and none is asked of it
    ratio = fabric.worst_leaf_ratio
    if fabric.tiers > 1 and ratio > 1 and ratio.denominator > 1 and ratio != parse_ratio(asked):
        whole = ratio.numerator // ratio.denominator
        message = (
            f"The fullest leaf is built at {ratio_text(ratio)}, {float(ratio):.3f} to 1: "
            f"neither {whole}:1 nor {whole + 1}:1."
        )
        yield Finding("ratio_not_whole", "info", "fabric.oversubscription", message)


# ---------------------------------------------------------------- NICs and their slots


def _about_slots(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    limit = slot_gbit_s(spec, catalog)
    network = catalog.compute_network(spec.compute.server)
    if limit is None or network is None:
        return
    asked = network.ports_per_nic * fabric.endpoint_rate_gbit_s
    if asked > limit:
        nic = catalog.nics[network.nic_id or ""]
        message = (
            f"{nic.model} has {counted(network.ports_per_nic, 'port')} of {asked // network.ports_per_nic} Gb/s, and its slot "
            f"carries {limit:,} Gb/s: {asked - limit:,} Gb/s of {asked:,} can never be used. A slower network, or a server "
            "with faster slots, wastes no port."
        )
        yield Finding("pcie_below_nic_rate", "warning", "fabric.generation", message)


def slot_gbit_s(spec: DesignSpec, catalog: Catalog) -> int | None:
    """What the slot of a compute NIC carries one way; None where NIC or slot is unknown. [Gb/s]

    The slot has the NIC's lanes and the older of two generations: the NIC's and the accelerator's.
    """
    network = catalog.compute_network(spec.compute.server)
    nic = catalog.nics.get((network.nic_id if network else None) or "")
    gpu = catalog.gpus.get(spec.compute.gpu or "")
    if nic is None:
        return None
    generation = min(nic.pcie_gen, gpu.pcie_gen) if gpu else nic.pcie_gen
    row = catalog.pcie_limits.get((generation, nic.pcie_lanes))
    return row.usable_gbit_s if row else None
