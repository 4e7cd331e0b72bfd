"""Changes of a request under which the servers' NICs and the leaves have ports for each other, the likeliest first.

They are candidates: proposals/proposals.py and proposals/cables.py try each before it is offered.
"""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import switch_ports
from estimator.errors import Change
from estimator.spec.design import DesignSpec
from estimator.spec.rates import adapter_rate, lane_rate, port_rate

OWN_PARTS: dict[str, None] = {
    f"fabric.{tier}_{what}": None for tier in ("leaf", "spine", "core") for what in ("switch", "radix")
}


def generation_changes(
    spec: DesignSpec, catalog: Catalog, rate_gbit_s: int, other_protocol: bool = False
) -> Iterator[dict[str, object]]:
    """Generations of a rate, of the design's protocol or of the other one, with their usual switches."""
    protocol = catalog.generations[spec.fabric.generation].protocol
    for key, generation in catalog.generations.items():
        if generation.port_rate_gbit_s == rate_gbit_s and (generation.protocol != protocol) == other_protocol:
            yield {"fabric.generation": key, **usual_parts(spec)}


def usual_parts(spec: DesignSpec) -> dict[str, None]:
    """The change that gives a network its generation's usual switches, all ports at one rate."""
    return OWN_PARTS | ({"fabric.uplink_rate_gbit_s": None} if spec.fabric.uplink_rate_gbit_s else {})


def ports_of_adapters(spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """Every port that the NICs have as the protocol of the fabric: in planes, on split leaf ports, or side by side."""
    network = catalog.compute_network(spec.compute.server)
    if network is None:
        return
    rate = adapter_rate(spec.fabric, network, catalog)
    each = network.port_rate_gbit_s // rate
    ports = {"compute.nic_ports_per_node": network.n_ports * each}
    whole = {"fabric.splitters": False} if spec.fabric.splitters else {}
    planes = spec.fabric.planes if spec.fabric.planes % each == 0 else spec.fabric.planes * each
    for change in generation_changes(spec, catalog, rate):
        yield change | ports | whole | {"fabric.planes": planes}
    if port_rate(spec.fabric, catalog) == 2 * rate:
        yield {"fabric.splitters": True, **ports}
    for change in generation_changes(spec, catalog, rate):
        yield change | ports | whole


def rate_of_adapters(spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """A generation at the NICs' rate, or two NICs on each split leaf port."""
    network = catalog.compute_network(spec.compute.server)
    if network is None:
        return
    rate = adapter_rate(spec.fabric, network, catalog)
    whole = {"fabric.splitters": False} if spec.fabric.splitters else {}
    for change in generation_changes(spec, catalog, rate):
        yield change | whole
    if not spec.fabric.splitters and port_rate(spec.fabric, catalog) == 2 * rate:
        yield {"fabric.splitters": True}


def protocol_of_adapters(spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """Generations that the NICs speak, where they do not speak the fabric's: at the port rate, then at their own."""
    network = catalog.compute_network(spec.compute.server)
    nic = catalog.nics.get((network.nic_id if network else None) or "")
    if network is None or nic is None or catalog.generations[spec.fabric.generation].protocol in nic.protocols:
        return
    whole = {"fabric.splitters": False} if spec.fabric.splitters else {}
    lane = lane_rate(spec.fabric, catalog)
    for rate, split in ((port_rate(spec.fabric, catalog), {}), (network.port_rate_gbit_s, whole)):
        if lane <= network.port_rate_gbit_s or split is whole:
            for change in generation_changes(spec, catalog, rate, other_protocol=True):
                yield change | split


def node_link_changes(spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """All ways to join these servers to leaves: whole ports, their own rate, other leaves, other generations, other NICs."""
    whole = {"fabric.splitters": False} if spec.fabric.splitters else {}
    if whole:
        yield whole
    network = catalog.compute_network(spec.compute.server)
    if network is not None:
        rate, lane = adapter_rate(spec.fabric, network, catalog), lane_rate(spec.fabric, catalog)
        yield from protocol_of_adapters(spec, catalog)
        if rate < min(lane, network.port_rate_gbit_s):
            yield from ports_of_adapters(spec, catalog)
        if rate != lane:
            yield from rate_of_adapters(spec, catalog)
    for leaves in (*_other_leaves(spec, catalog), dict[str, object](usual_parts(spec))):
        yield leaves
        yield leaves | whole
    if network is not None:
        nic = catalog.nics.get(network.nic_id or "")
        speaks = nic.protocols if nic else ("ethernet",)  # accelerators' own ports are Ethernet
        rates = sorted({g.port_rate_gbit_s for g in catalog.generations.values()}, reverse=True)
        for is_other in (False, True):
            for rate in (network.port_rate_gbit_s, *rates):
                for change in generation_changes(spec, catalog, rate, is_other):
                    if catalog.generations[str(change["fabric.generation"])].protocol in speaks:
                        yield change | whole
    for custom in _custom_server(spec):
        yield custom
        yield custom | whole
        yield custom | whole | usual_parts(spec)


def _other_leaves(spec: DesignSpec, catalog: Catalog) -> Iterator[dict[str, object]]:
    """A leaf of each other kind of cage that the generation's switches have."""
    generation, seen = catalog.generations[spec.fabric.generation], set()
    asked = catalog.switches.get(spec.fabric.leaf_switch or "")
    if asked:
        seen.add(tuple(cage.cage_classes for cage in asked.cages))
    for key, switch in catalog.switches.items():
        kind = tuple(cage.cage_classes for cage in switch.cages)
        if switch.protocol != generation.protocol or switch.status != "available" or kind in seen:
            continue
        if switch_ports(switch, generation.port_rate_gbit_s):
            seen.add(kind)
            yield {**OWN_PARTS, "fabric.leaf_switch": key}


def _custom_server(spec: DesignSpec) -> Iterator[dict[str, object]]:
    """The same server with the generation's usual NICs: its counts stay, its price and power are to be given."""
    compute = spec.compute
    if compute.server != "custom":
        counts = ("gpu", "gpus_per_node", "nics_per_node", "nic_ports_per_node", "scale_up_domain_gpus")
        yield {"compute.server": "custom"} | {f"compute.{key}": getattr(compute, key) for key in counts}
