"""Findings about what runs a network beside its links: a subnet manager, and the networks that an estimate leaves out."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.catalog.records import Switch
from estimator.errors import Change
from estimator.fabric.devices import MANAGER_PORTS
from estimator.fabric.sized import SizedFabric
from estimator.findings.finding import Finding
from estimator.spec.design import DesignSpec


def about_management(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    """Whether a compute-only estimate says so, and whether an InfiniBand fabric has what brings it up."""
    if not spec.other_fabrics:
        message = (
            "Only the compute network is in this estimate: storage, in-band and out-of-band networks, with their switches, "
            "cables, power and price, are not."
        )
        yield Finding("other_networks_left_out", "info", "other_fabrics", message)
    yield from about_subnet_manager(spec, fabric, catalog)


def about_subnet_manager(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    """An InfiniBand fabric without a subnet manager, or without a port for the server that would run one."""
    if catalog.generations[spec.fabric.generation].protocol != "infiniband" or fabric.links_fabric_manager:
        return
    switches = [catalog.switches.get(part or "") for part in parts_of(fabric)]
    known = [switch for switch in switches if switch]
    if not known or len(known) < len(switches):
        return  # a custom switch may well be managed
    if not any(switch.managed for switch in known):
        models = " and ".join(dict.fromkeys(switch.model for switch in known))
        message = (
            f"{models} switches run no subnet manager, and no fabric manager (UFM, or a server with OpenSM) has a port: an "
            "InfiniBand fabric does not come up without one. Connect a fabric manager, or use managed switches."
        )
        yield Finding("no_subnet_manager", "warning", "fabric.reserved.fabric_manager_links", message)
    elif not _has_room(fabric) and not any(has_own_port(switch) for switch in known):
        message = (
            f"All {int(fabric.leaf_down.sum()):,} leaf ports that face down are taken by nodes: UFM has no port to join by, "
            "and the subnet manager runs on a switch. Published designs connect one node fewer for it."
        )
        yield Finding("no_port_for_fabric_manager", "info", "fabric.reserved.fabric_manager_links", message)


def parts_of(fabric: SizedFabric) -> list[str | None]:
    """Switches of the tiers that are built, leaf first."""
    tiers = (
        (fabric.n_leaf, fabric.leaf_switch),
        (fabric.n_spine, fabric.spine_switch),
        (fabric.n_core, fabric.core_switch),
    )
    return [part for number, part in tiers if number]


def has_own_port(switch: Switch) -> bool:
    """Whether a fabric manager joins the switch by a port beside those of the fabric."""
    return any(port.purpose == "fabric manager" for port in switch.aux_ports)


def _has_room(fabric: SizedFabric) -> bool:
    """Whether some leaf has a port that serves neither a node nor a spine."""
    return bool((fabric.leaf_radix - fabric.leaf_down - fabric.leaf_up).max() > 0)


# ---------------------------------------------------------------- what would end them


def ways_to_manage(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Change]:
    """A fabric manager on free ports first; then managed switches of the same size; then one node fewer, units whole."""
    links = {"fabric.reserved.fabric_manager_links": MANAGER_PORTS}
    yield links
    if managed := managed_switches(spec, catalog):
        yield managed
    if fabric.n_nodes > 1:
        yield links | {"compute.nodes": fabric.n_nodes - 1, "fabric.provision": "full-unit"}


def managed_switches(spec: DesignSpec, catalog: Catalog) -> Change:
    """Managed switches in place of unmanaged ones, where the catalog has the same box managed; ports stay as they are."""
    change: dict[str, str] = {}
    for tier in ("leaf", "spine", "core"):
        switch = catalog.switches.get(getattr(spec.fabric, f"{tier}_switch") or "")
        twin = switch and managed_twin(switch, catalog)
        change |= {f"fabric.{tier}_switch": twin.id} if twin else {}
    return change


def managed_twin(switch: Switch, catalog: Catalog) -> Switch | None:
    """The managed switch of the same vendor, silicon and ports as an unmanaged one."""
    if switch.managed:
        return None
    same = (other for other in catalog.switches.values() if other.managed and _is_alike(other, switch))
    return next(same, None)


def _is_alike(one: Switch, other: Switch) -> bool:
    keys = ("vendor", "asic", "generation", "radix", "switch_units", "cooling")
    return all(getattr(one, key) == getattr(other, key) for key in keys)


def usual_networks(spec: DesignSpec, catalog: Catalog) -> list[dict[str, str]]:
    """Storage, in-band and out-of-band as ``other_fabrics``; one converged network where both would halve two ports."""
    storage, in_band = (catalog.network(spec.compute.server, role) for role in (STORAGE, IN_BAND))
    halved = storage is not None and storage == in_band and storage.n_ports // 2 % 2 == 1
    roles = (CONVERGED, OUT_OF_BAND) if halved else (STORAGE, IN_BAND, OUT_OF_BAND)
    return [{"role": role} for role in roles]
