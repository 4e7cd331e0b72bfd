"""Network operating systems of switches: which box runs which, and how it names its ports."""

import copy
from typing import NamedTuple

from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import PortNaming, Switch
from estimator.digits import is_whole_number
from estimator.fabric.labels import labels_of
from estimator.fabric.ports import Labels, is_plainly_numbered

LANES_OF_A_CAGE = 8  # of a box that nobody knows


class System(NamedTuple):
    """An operating system. ``style`` is that of port_naming.csv; ``vendors`` whose boxes run it, empty for all."""

    key: str
    label: str
    style: str
    vendors: tuple[str, ...]
    asics: str = ""
    """Start of the name of the silicon that it runs on; empty for all of the vendors'."""

    def runs_on(self, switch: Switch | None) -> bool:
        """Whether a box can run it; a custom box may be of any."""
        if switch is None:
            return True
        is_vendors = not self.vendors or any(switch.vendor.startswith(vendor) for vendor in self.vendors)
        return is_vendors and switch.asic.startswith(self.asics)


NVUE = System("nvue", "Cumulus Linux", "cumulus", ("NVIDIA",), "Spectrum")
SONIC = System("sonic", "SONiC", "sonic", ())
EOS = System("eos", "Arista EOS", "eos", ("Arista",))
NXOS = System("nxos", "Cisco NX-OS", "nx-os", ("Cisco",))
JUNOS = System("junos", "Junos OS Evolved", "junos", ("Juniper",))
SYSTEMS = {system.key: system for system in (NVUE, SONIC, EOS, NXOS, JUNOS)}


NATIVE = System("native", "its own system", "", ())  # of InfiniBand switches, whose names the catalog has


def usual_system(switch: Switch | None) -> System:
    """What a box runs that states nothing: its vendor's own, else SONiC; a custom one Cumulus Linux' conventions."""
    if switch is None:
        return NVUE
    if switch.protocol != "ethernet":
        return NATIVE
    return next((one for key, one in SYSTEMS.items() if key != SONIC.key and one.runs_on(switch)), SONIC)


def labels_under(links: LinkList, system: System) -> dict[str, Labels]:
    """Port names of all devices as a system prints them; of a custom box by the system's convention, port 1 first."""
    if system == NATIVE:
        return links.labels
    catalog = _renamed(links.catalog, system)
    labels = labels_of(links.spec, links.table, links.role, catalog)
    for kind, switch in links.switches.items():
        if is_plainly_numbered(switch, catalog):
            labels[kind] = _by_convention(labels[kind], system.style)
    return labels


def has_known_names(links: LinkList, kind: str, system: System) -> bool:
    """Whether the catalog states a box's port names under this system: else they follow the system's own convention."""
    switch = links.switches[kind]
    return switch is not None and links.catalog.port_naming[switch.id].style == system.style


def _renamed(catalog: Catalog, system: System) -> Catalog:
    """The catalog, whose switches all run one system."""

    def under(naming: PortNaming) -> PortNaming:
        return naming._replace(style=system.style, system=system.label)

    other = copy.copy(catalog)
    other.port_naming = {key: under(naming) for key, naming in catalog.port_naming.items()}
    return other


def _by_convention(labels: Labels, style: str) -> Labels:
    lanes = [[_conventional(name, style) for name in column] for column in labels.lanes]
    return Labels(labels.cages, lanes[0], lanes, [_conventional(name, style) for name in labels.cage_ports])


def _conventional(name: str, style: str) -> str:
    """Port ``7`` or its lane ``7/1`` of a box that nobody knows."""
    port, _, lane = name.removeprefix("cage ").partition("/")
    if not is_whole_number(port, 5):
        return name
    number, part = int(port), int(lane) - 1 if lane else None
    match style:
        case "cumulus":
            return f"swp{number}" + ("" if part is None else f"s{part}")
        case "sonic":
            return f"Ethernet{(number - 1) * LANES_OF_A_CAGE + (part or 0)}"
        case "eos":
            return f"Ethernet{number}/{(part or 0) + 1}"
        case "nx-os":
            return f"Ethernet1/{number}" + ("" if part is None else f"/{part + 1}")
        case "junos":
            return f"et-0/0/{number - 1}" + ("" if part is None else f":{part}")
    return name
