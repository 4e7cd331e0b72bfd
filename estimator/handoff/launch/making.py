"""A design and a layout → the job that files are written from. A module of its own keeps chains of imports short."""

from typing import Any

import numpy as np

from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.designs.system import system_of
from estimator.fabric.devices import NODE
from estimator.handoff.launch.job import Job
from estimator.handoff.placement import Placement, placement
from estimator.link_list import link_list
from estimator.spec.calibration import constants_of
from estimator.spec.design import DesignSpec
from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.placement.choice import best_placed
from estimator.workloads.placement.machine import Machine
from estimator.workloads.placement.request import parse_placement


def placed_job(spec: DesignSpec, layout: Any, catalog: Catalog) -> Job:
    """A layout, as JSON, on a design.

    Raises
    ------
    SpecError
        If the layout is wrong or larger than the design.
    InfeasibleDesign
        If the design cannot be built.
    """
    request = parse_placement(layout)
    links = link_list(spec, catalog)
    catalog = links.catalog
    tree = placement(links)

    def times() -> GroupTimes:
        system = system_of(spec, links.fabric, catalog).as_request()
        return GroupTimes(system, catalog, constants_of(catalog, spec.workload.calibration))

    return Job(links, tree, best_placed(machine_of(links, tree), request, times))


def machine_of(links: LinkList, tree: Placement) -> Machine:
    """A compute fabric's nodes, with the groups of the schedulers' tree. Port p of P is next to GPU ⌊p·G/P⌋ of G."""
    compute, fabric = links.spec.compute, links.fabric
    n_gpus, n_ports = compute.gpus_per_node or 1, fabric.nic_ports_per_node
    labels = links.labels[NODE].ports
    ports = np.arange(n_ports)
    first = np.arange(n_gpus) * n_ports // n_gpus
    nics = tuple(
        tuple(labels[port] for port in ports[ports * n_gpus // n_ports == gpu].tolist()) or (labels[int(first[gpu])],)
        for gpu in range(n_gpus)
    )
    has_rails = fabric.layout != "top-of-rack"
    is_three = len(tree.levels) == 3
    leaf = tree.levels[0]
    return Machine(
        node_names=tuple(links.table.devices.names[: fabric.n_nodes]),
        gpus_per_node=n_gpus,
        domain_gpus=compute.scale_up_domain_gpus or 1,
        leaf=leaf.of_node,
        leaf_names=leaf.names,
        pod=tree.levels[1].of_node if is_three else np.zeros(fabric.n_nodes, dtype=np.int64),
        n_tiers=fabric.tiers,
        nics=nics,
        rail=first // fabric.planes + 1 if has_rails else np.zeros(n_gpus, dtype=np.int64),
    )
