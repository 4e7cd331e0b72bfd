"""Power of a design: switches with what is plugged into them, transceivers in nodes, servers, and the facility around."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from estimator.bom.bill import MANAGER_SERVER
from estimator.bom.lines import Billed
from estimator.cabling.runs import CablePlan
from estimator.cabling.tiers import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SPINE_CORE
from estimator.catalog.catalog import Catalog
from estimator.cost import result as shown
from estimator.fabric.devices import n_managers
from estimator.fabric.sized import SizedFabric
from estimator.floor.whole_racks import whole_racks
from estimator.spec.design import DesignSpec
from estimator.units import FloatArray, ceil_div


@dataclass(frozen=True, slots=True)
class Watts:
    """Typical and maximum draw."""

    typical: float
    max: float

    def __add__(self, other: "Watts") -> "Watts":
        return Watts(self.typical + other.typical, self.max + other.max)

    def __mul__(self, factor: float) -> "Watts":
        return Watts(self.typical * factor, self.max * factor)

    def shown(self) -> shown.Watts:
        """To a tenth of a watt."""
        return shown.Watts(typical=round(self.typical, 1), max=round(self.max, 1))


class Power(NamedTuple):
    """Draw of the network and of all IT equipment; ``is_at_least`` if a part's draw is unknown (custom parts)."""

    switches: Watts
    node_plugs: Watts
    nics: Watts
    servers: Watts
    rack_parts: Watts
    managers: Watts
    is_at_least: bool

    @property
    def network(self) -> Watts:
        """Switches and their transceivers, transceivers and cable ends in nodes, NICs outside a server's figure, managers."""
        return self.switches + self.node_plugs + self.nics + self.managers

    @property
    def it(self) -> Watts:
        """Network, servers, and what racks that are bought whole draw beside their trays."""
        return self.network + self.servers + self.rack_parts


def pue_of(spec: DesignSpec, catalog: Catalog) -> float:
    """Facility power ÷ IT power: the request's, else the catalog's typical."""
    asked = spec.economics.pue
    return catalog.economics["pue"].typical if asked is None else asked


def power_of(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog, others: Sequence[Billed] = ()
) -> shown.Power:
    """``power`` of the Estimate: network, IT and facility watts, typical and maximum, over all fabrics."""
    power = design_power(spec, fabric, plan, catalog, others)
    pue = pue_of(spec, catalog)
    parts = {
        "switches_with_modules": power.switches,
        "node_modules": power.node_plugs,
        "nics": power.nics,
        "servers": power.servers,
        "rack_parts": power.rack_parts,
        "fabric_managers": power.managers,
    }
    return shown.Power(
        network_w=power.network.shown(),
        it_w=power.it.shown(),
        facility_w=(power.it * pue).shown(),
        parts_w={name: watts.shown() for name, watts in parts.items()},
        pue=pue,
        at_least=power.is_at_least,
    )


def design_power(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog, others: Sequence[Billed] = ()
) -> Power:
    """Draw of every part of a design; ``others`` are its storage and management networks.

    A switch draws its typical figure without transceivers plus what its cages hold, and never more than its maximum. Server
    figures hold NICs but no transceivers; NICs are added for custom servers alone, whose own draw is unknown.
    """
    switches = managers = Watts(0.0, 0.0)
    node_w, is_at_least = 0.0, False
    manager = catalog.servers[MANAGER_SERVER]
    for network, cabling in ((fabric, plan), *((other.fabric, other.plan) for other in others)):
        for role, part, count in network.switches:
            switches += _switch_watts(part, count, _plug_watts(role, count, cabling), catalog)
        far = [tier for name in (NODE_LEAF, FABRIC_MANAGER) if (tier := cabling.tier(name))]
        node_w += float(sum(int(plugs.counts.sum()) * plugs.unit_w for tier in far for plugs in tier.lower))
        managers += Watts(manager.typical_w, manager.max_w) * n_managers(network)
        is_at_least |= any(part is None for _, part, _ in network.switches) or any(t.missing for t in cabling.tiers)
    nics, servers = _node_watts(spec, fabric, catalog)
    racks = whole_racks(spec, fabric.n_nodes, catalog)
    in_racks = Watts(racks.own.typical_w, racks.own.max_w) * racks.n_racks if racks else Watts(0.0, 0.0)
    return Power(switches, Watts(node_w, node_w), nics, servers, in_racks, managers, is_at_least or servers.max == 0)


def _plug_watts(role: str, count: int, plan: CablePlan) -> FloatArray:
    """Watts of what is plugged into each switch of a role, shape (count,)."""
    watts = np.zeros(count)
    upper = {"leaf": (NODE_LEAF, FABRIC_MANAGER), "spine": (LEAF_SPINE,), "core": (SPINE_CORE,)}[role]
    lower = {"leaf": (LEAF_SPINE,), "spine": (SPINE_CORE,), "core": ()}[role]
    for tier in plan.tiers:
        sides = (tier.upper if tier.tier in upper else (), tier.lower if tier.tier in lower else ())
        watts += sum(plugs.counts * plugs.unit_w for side in sides for plugs in side)
    if role == "leaf" and (pairs := plan.tier(LEAF_LEAF)):
        for leaf, side in enumerate((pairs.lower, pairs.upper)):  # of a pair, the first is the lower end
            for plugs in side:
                counts = plugs.counts if len(plugs.counts) < count else plugs.counts[leaf::2]
                watts[leaf::2] += counts * plugs.unit_w
    return watts


def _switch_watts(part: str | None, count: int, plug_w: FloatArray, catalog: Catalog) -> Watts:
    if part is None:
        return Watts(float(plug_w.sum()), float(plug_w.sum()))
    switch = catalog.switches[part]
    units = switch.switch_units  # the catalog's figures are of the box
    base, limit = switch.typical_no_optics_w / units, switch.max_w / units
    boxes = ceil_div(count, units)
    return Watts(float(np.minimum(base + plug_w, limit).sum()), boxes * switch.max_w)


def _node_watts(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> tuple[Watts, Watts]:
    """NICs that no server figure holds, and servers."""
    server = catalog.server(spec.compute.server)
    if server is None:
        nic, n_nics = catalog.default_nic(spec.fabric.generation), fabric.n_nodes * (spec.compute.nics_per_node or 0)
        return Watts(nic.typical_no_optics_w, nic.max_w) * n_nics, Watts(0.0, 0.0)
    return Watts(0.0, 0.0), Watts(server.typical_w, server.max_w) * fabric.n_nodes
