"""What each storage and management network joins beside the nodes: ports given, and devices of the other networks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, OUT_OF_BAND
from estimator.fabric.devices import n_managers
from estimator.fabric.hosts import ENDPOINT, MANAGER, PDU, SWITCH, UPLINK, Attached, Hosts
from estimator.fabric.labels import leaf_labels
from estimator.fabric.ports import host_ports, management_port
from estimator.fabric.sized import SizedFabric
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import OtherFabric
from estimator.spec.network_rules import MANAGEMENT, ports_together
from estimator.spec.rates import lane_rate
from estimator.units import ceil_div


class Joined(NamedTuple):
    """Another network of the same design, as sized so far."""

    key: str
    entry: OtherFabric
    fabric: SizedFabric


def hosts_of(
    key: str,
    entry: OtherFabric,
    spec: DesignSpec,
    compute: SizedFabric,
    mates: Sequence[Joined],
    before: Hosts | None,
    catalog: Catalog,
) -> Hosts:
    """What a network joins, given the sizes of the others; never fewer devices of a kind than ``before``."""
    others = [mate for mate in mates if mate.key != key]
    found = [*_counted(entry, compute, others, catalog), *_uplinks(key, entry, spec, others, catalog)]
    together = ports_together(entry)
    if entry.extra_endpoints:
        names = tuple(host_ports(entry.role, together))
        found.append(Attached(ENDPOINT, "", entry.extra_endpoints // together, together, names))
    least = {(group.kind, group.source): group.n_devices for group in (before.attached if before else ())}
    attached = tuple(replace(g, n_devices=max(g.n_devices, least.get((g.kind, g.source), 0))) for g in found)
    return Hosts(
        entry.role,
        spec.compute.nodes or 0,
        entry.ports_per_node or 1,
        together,
        tuple(g for g in attached if g.n_devices),
    )


def _uplinks(
    key: str, entry: OtherFabric, spec: DesignSpec, others: Sequence[Joined], catalog: Catalog
) -> Iterator[Attached]:
    """Leaves of out-of-band networks, whose uplinks end in the first in-band network, else the first converged one."""
    by_role = [other.role for role in MANAGEMENT for other in spec.other_fabrics if other.role == role]
    if not by_role or key != by_role[0]:
        return
    for mate in others:
        if mate.entry.uplinks_into == "in-band":
            uplinks = mate.entry.leaf_uplinks or 0
            names = _uplink_names(mate.fabric, uplinks, catalog)
            # a port runs at what the switch at its other end has: a leaf of 1G with cages of 100G below ports of 400G
            rate = min(lane_rate(entry, catalog), mate.fabric.uplink_rate_gbit_s)
            yield Attached(UPLINK, mate.key, mate.fabric.n_leaf, uplinks, names, rate)


def _counted(
    entry: OtherFabric, compute: SizedFabric, others: Sequence[Joined], catalog: Catalog
) -> Iterator[Attached]:
    if not entry.count_devices:
        return
    fabrics = [(COMPUTE, compute), *((mate.key, mate.fabric) for mate in others)]
    is_out_of_band = entry.role == OUT_OF_BAND
    for source, fabric in fabrics if is_out_of_band else ():
        leaf = catalog.switches.get(fabric.leaf_switch or "")
        yield Attached(SWITCH, source, n_boxes(fabric, catalog), 1, (management_port(leaf, catalog) or "mgmt0",))
    ports = 1 if is_out_of_band else catalog.fabric_defaults["manager_inband_ports"].value
    for source, fabric in fabrics:
        yield Attached(MANAGER, source, n_managers(fabric), ports, tuple(host_ports(entry.role, ports)))
    if is_out_of_band:
        pdus = (entry.racks or 0) * (entry.pdus_per_rack or 0)
        pdus += _network_racks(entry, compute, others, catalog) * (entry.pdus_per_network_rack or 0)
        yield Attached(PDU, "", pdus, 1, ("mgmt",))


def _uplink_names(fabric: SizedFabric, uplinks: int, catalog: Catalog) -> tuple[str, ...]:
    """What the platform calls the ports that out-of-band leaves have towards the in-band network."""
    switch = catalog.switches.get(fabric.leaf_switch or "")
    labels = leaf_labels(fabric, switch, 1, 1, catalog)
    return tuple(labels.ports[fabric.wiring.leaf_ports - uplinks : fabric.wiring.leaf_ports])


def n_boxes(fabric: SizedFabric, catalog: Catalog) -> int:
    """Switch boxes of a network; a box may hold several switches."""
    return sum(
        ceil_div(count, catalog.switches[part].switch_units if part else 1) for _, part, count in fabric.switches
    )


def _network_racks(entry: OtherFabric, compute: SizedFabric, others: Sequence[Joined], catalog: Catalog) -> int:
    """Racks of switches: as asked, else from the rack units of all switches but out-of-band ones."""
    if entry.network_racks is not None:
        return entry.network_racks
    units = 0
    for fabric in (compute, *(mate.fabric for mate in others if mate.entry.role != OUT_OF_BAND)):
        for _, part, count in fabric.switches:
            box = catalog.switches[part] if part else None
            units += ceil_div(count, box.switch_units) * box.rack_units if box else count
    return int(ceil_div(units, catalog.fabric_defaults["network_rack_switch_units"].value))
