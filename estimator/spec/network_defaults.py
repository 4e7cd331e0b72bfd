"""What a storage or management network is where the request says nothing: rate, pairs of leaves, ratio.

The rules are those that the published designs follow (docs/other_fabrics.md): ports of a node end on both leaves of a pair,
in-band leaves carry many endpoints on few uplinks, and a network runs at what the server's own NICs speak.
"""

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import CONVERGED, FAST_LANE_GBIT_S, IN_BAND, OUT_OF_BAND, STORAGE, switch_ports
from estimator.catalog.records import Nic, ServerNetwork, Switch
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import OtherFabric

MANAGEMENT = (IN_BAND, CONVERGED)
PAIRED = (STORAGE, *MANAGEMENT)
SHARES = (2, 4, 8)  # endpoints that a splitter can put on one port
_USUAL_PEER_LINKS = "pair_peer_links"


def ports_together(entry: OtherFabric) -> int:
    """Ports that belong together as one attachment: a pair (dual-homed), one in each plane, or a node's rails."""
    if entry.layout != "top-of-rack":
        return entry.ports_per_node or 1
    return 2 if entry.dual_homed else entry.planes


def usual_rate(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> Json:
    """Generation of a network, and how many endpoints share a leaf port, from the server's own NICs.

    Storage is as the compute network where the NICs speak it, on split ports where they are slower; else Ethernet at
    their rate. Management is Ethernet at the rate of its ports, out-of-band 1G.
    """
    network = catalog.network(spec.compute.server, entry.role)
    nic = catalog.nics.get((network.nic_id if network else None) or "")
    if entry.role == OUT_OF_BAND:
        return {"generation": "ethernet-1"}
    if entry.role == STORAGE:
        if network is None or nic is None:
            return {"generation": spec.fabric.generation}
        if as_compute := _as_compute(entry, spec, network, nic, catalog):
            return as_compute
    asked = f"roce-{network.port_rate_gbit_s if network else 0}"
    return {"generation": asked if asked in catalog.generations else "roce-100"}


def _as_compute(
    entry: OtherFabric, spec: DesignSpec, network: ServerNetwork, nic: Nic, catalog: Catalog
) -> Json | None:
    """The compute network's generation, if the NICs speak it at its rate, or at a share that splitters give."""
    generation = catalog.generations[spec.fabric.generation]
    if generation.protocol not in nic.protocols:
        return None
    rate, port = network.port_rate_gbit_s, generation.port_rate_gbit_s
    if rate >= port or entry.endpoints_per_port or entry.splitters:
        return {"generation": generation.id}
    leaf = catalog.switches.get(entry.leaf_switch or generation.default_switch)
    shares = port // rate if port % rate == 0 else 0
    if leaf and shares in SHARES and switch_ports(leaf, rate) and not _has_fast_lanes(leaf):
        return {"generation": generation.id, "endpoints_per_port": shares}
    slower = (
        key
        for key, g in catalog.generations.items()
        if g.protocol == generation.protocol and g.port_rate_gbit_s == rate
    )
    found = next(slower, None)
    return {"generation": found} if found else None


def _has_fast_lanes(leaf: Switch) -> bool:
    """Whether the ports run lanes that no slower NIC has: a split of them is no slower NIC's rate."""
    fastest = max(leaf.cages, key=lambda cages: cages.cage_rate_gbit_s)
    return fastest.cage_rate_gbit_s >= FAST_LANE_GBIT_S * fastest.lanes


def usual_pairs(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> Json:
    """Pairs of leaves, links within them, spines at least and the ratio; ports and other endpoints are filled in."""
    paired = is_paired(entry, spec) if entry.dual_homed is None else entry.dual_homed
    update: Json = {"dual_homed": paired}
    if paired:
        update["least_spines"] = max(entry.least_spines, 2)
    if entry.peer_links is None:
        update["peer_links"] = _peer_links(entry, spec, catalog) if paired else 0
    by_hand = entry.leaf_downlinks or entry.leaf_uplinks or "oversubscription" in entry.model_fields_set
    if paired and entry.role == IN_BAND and not by_hand:
        down, up = (catalog.fabric_defaults[f"inband_ratio_{side}"].value for side in ("down", "up"))
        update["oversubscription"] = f"{down}:{up}"
    return update


def is_paired(entry: OtherFabric, spec: DesignSpec) -> bool:
    """Whether each device can have its ports on both leaves of a pair, and the role is one whose loss stops a node."""
    if entry.role not in PAIRED or entry.layout != "top-of-rack" or entry.planes > 1:
        return False
    if entry.least_leaves > 1 or entry.nodes_per_leaf:
        return False
    if entry.role in MANAGEMENT and any(
        other.role == OUT_OF_BAND and (other.leaf_uplinks or 0) % 2 for other in spec.other_fabrics
    ):
        return False
    return (entry.ports_per_node or 1) % 2 == 0 and (entry.extra_endpoints or 0) % 2 == 0


def _peer_links(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> int:
    """Two within an in-band pair, and within a pair that stands alone; none where the split of ports leaves no room."""
    usual = catalog.fabric_defaults[_USUAL_PEER_LINKS].value
    ports = (entry.leaf_radix or 0) - entry.reserved.leaf_ports
    if (entry.leaf_downlinks or 0) + (entry.leaf_uplinks or 0) + usual > ports:
        return 0
    seats = (ports - usual) * entry.endpoints_a_port
    attached = (spec.compute.nodes or 0) * (entry.ports_per_node or 1) // 2 + (entry.extra_endpoints or 0) // 2
    stands_alone = attached <= seats and entry.tiers in ("auto", 1)
    return usual if entry.role == IN_BAND or stands_alone else 0
