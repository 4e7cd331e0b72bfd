"""The files that a link list can be handed off as: name → what it is and the module that writes it.

Modules are imported when a format is requested; each has ``write(links)``, which yields the file piece by piece.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from estimator.cabling.links import LinkList
from estimator.catalog.ports import COMPUTE
from estimator.errors import Problem, SpecError, one_of_formats


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file. ``purpose`` says what reads it; ``group`` who hands it on.

    ``compute_only``: it is about GPUs or the nodes that have them, and storage and management networks have none.
    """

    label: str
    group: str
    purpose: str
    extension: str
    content_type: str
    module: str
    compute_only: bool = False

    def write(self, links: LinkList) -> Iterator[bytes]:
        """The file's bytes, piece by piece; what the format cannot hold is refused by the call itself.

        Raises
        ------
        SpecError
            For a network that the format is not about, or one too large for it.
        """
        if self.compute_only and links.role != COMPUTE:
            message = (
                f"{self.label}: a file about the network of the GPUs, and the {links.role} network was requested. Take the "
                "compute fabric, or another format."
            )
            raise SpecError([Problem("fabric", "compute_fabric_only", message)])
        pieces = import_module(f"estimator.handoff.{self.module}").write(links)
        return (piece.encode() if isinstance(piece, str) else piece for piece in pieces)


CREW, FABRIC_MANAGER, INVENTORY, SCHEDULER, SIMULATION, DRAWING = (
    "Cabling crew",
    "Fabric manager",
    "Inventory",
    "Scheduler",
    "Simulation",
    "Drawing",
)
FORMATS = {
    "csv": Format("CSV", CREW, "One row a link: spreadsheets, scripts, label printers", "csv", "text/csv", "csv_list"),
    "xlsx-p2p": Format(
        "Point-to-point sheet", FABRIC_MANAGER, "UFM's Cable Validation Tool, and the crew", "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx_p2p"),
    "topo": Format("ibdiagnet topology", FABRIC_MANAGER, "ibdiagnet and ibtopodiff", "topo", "text/plain", "topo"),
    "dot": Format("Graphviz DOT", DRAWING, "NVIDIA Air, PTM, Graphviz", "dot", "text/vnd.graphviz", "dot"),
    "netbox-csv": Format(
        "NetBox cables", INVENTORY, "NetBox's cable import, any version: a row a link", "csv", "text/csv", "netbox"),
    "netbox-csv-profiles": Format(
        "NetBox cables with profiles", INVENTORY,
        "NetBox 4.5 and later: a row a cable; cables of several ends from 4.7", "csv", "text/csv", "netbox_profiles"),
    "netbox-devices-csv": Format(
        "NetBox devices", INVENTORY, "NetBox's device import, before the cables", "csv", "text/csv", "netbox_devices"),
    "netbox-racks-csv": Format(
        "NetBox racks", INVENTORY, "NetBox's rack import, of a design with a floor plan", "csv", "text/csv", "netbox_racks"),
    "netbox-device-types": Format(
        "NetBox device types", INVENTORY, "NetBox's device-type import, before the devices", "yaml", "application/yaml",
        "netbox_types"),
    "slurm-topology-conf": Format(
        "Slurm topology.conf", SCHEDULER, "Slurm's tree plugin", "conf", "text/plain", "slurm_conf", True),
    "slurm-topology-yaml": Format(
        "Slurm topology.yaml", SCHEDULER, "Slurm 25.05 and later", "yaml", "application/yaml", "slurm_yaml", True),
    "k8s-labels": Format(
        "Kubernetes node labels", SCHEDULER, "kubectl; labels as topograph sets them", "yaml", "application/yaml",
        "kubernetes", True),
    "kueue": Format(
        "Kueue topology", SCHEDULER, "Kueue's topology-aware scheduling", "yaml", "application/yaml", "kueue", True),
    "containerlab": Format(
        "containerlab", SIMULATION, "containerlab: the fabric as containers", "yaml", "application/yaml", "containerlab"),
    "drawio": Format("draw.io", DRAWING, "diagrams.net", "drawio", "application/xml", "drawio"),
    "graphml": Format("GraphML", DRAWING, "networkx, Gephi, yEd", "graphml", "application/xml", "graphml"),
    "node-link": Format("Node-link JSON", DRAWING, "networkx, D3", "json", "application/json", "node_link"),
    "astra-sim": Format("ASTRA-sim topology", SIMULATION, "ASTRA-sim", "txt", "text/plain", "astra_sim", True),
    "simai": Format("SimAI topology", SIMULATION, "SimAI", "txt", "text/plain", "simai", True),
}  # fmt: skip


def format_named(name: str) -> Format:
    """One of FORMATS.

    Raises
    ------
    SpecError
        For a name that is none of them.
    """
    return one_of_formats(name, FORMATS)
