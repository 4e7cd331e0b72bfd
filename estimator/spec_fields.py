"""The keys of a request: types, bounds, and the words of each (title, description, unit).

JSON Schema, form and refusals read the words from here. Rules that need the catalog, or several keys, are in
spec_rules.py.
"""

import json
from typing import Any, Literal

from pydantic import Field, PrivateAttr

from estimator.site_plan import SitePlan
from estimator.validation import Ratio, Section

MAX_ENDPOINTS = 1_048_576
MAX_NODES = 1_048_576
MAX_GPUS = 4_194_304
MAX_RADIX = 2_048

Generation = Literal["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800"]
Layout = Literal["rail-optimized", "rail-only", "top-of-rack"]


def _unit(unit: str) -> dict[str, Any]:
    return {"unit": unit}


class Compute(Section):
    """The servers that the network joins."""

    server: str | None = Field(
        None,
        max_length=80,
        examples=["dgx-h100", "custom"],
        title="Server",
        description=("The server model. Custom takes the counts given below and needs no part in the catalog."),
    )
    nodes: int | None = Field(
        None,
        ge=1,
        le=MAX_NODES,
        title="Nodes",
        json_schema_extra=_unit("servers"),
        description=("How many servers to connect. Give this or GPUs, not both."),
    )
    gpus: int | None = Field(
        None,
        ge=1,
        le=MAX_GPUS,
        title="GPUs",
        json_schema_extra=_unit("GPUs"),
        description=("How many GPUs are wanted; rounded up to whole servers."),
    )
    gpu: str | None = Field(
        None,
        max_length=80,
        examples=["h100-sxm"],
        title="GPU",
        description=("The accelerator: it sets the predicted performance. Default: the server's own."),
    )
    gpus_per_node: int | None = Field(
        None,
        ge=1,
        le=256,
        title="GPUs per node",
        json_schema_extra=_unit("GPUs"),
        description="Accelerators in one server. Default: the server's own, or 8.",
    )
    nics_per_node: int | None = Field(
        None,
        ge=1,
        le=256,
        title="NICs per node",
        json_schema_extra=_unit("NICs"),
        description=("Network adapters in one server for this fabric. Default: the server's own, or one for each GPU."),
    )
    nic_ports_per_node: int | None = Field(
        None,
        ge=1,
        le=1024,
        title="NIC ports per node",
        json_schema_extra=_unit("ports"),
        description=(
            "Fabric ports of one server at the port rate. Default: one for each NIC, in each plane the NIC can feed."
        ),
    )
    scale_up_domain_gpus: int | None = Field(
        None,
        ge=1,
        le=4096,
        title="Scale-up domain",
        json_schema_extra=_unit("GPUs"),
        description=(
            "GPUs joined by NVLink or its like, without the network. Default: the server's own, or the GPUs of a node."
        ),
    )


class Reserved(Section):
    """Ports that are kept for something else."""

    fabric_manager_links: int = Field(
        0,
        ge=0,
        le=1024,
        title="Fabric-manager links",
        json_schema_extra=_unit("links"),
        description="Links of fabric managers (UFM) that take leaf ports beside the nodes.",
    )
    leaf_ports: int = Field(
        0,
        ge=0,
        le=MAX_RADIX,
        title="Leaf ports kept free",
        json_schema_extra=_unit("ports per leaf"),
        description="Ports on every leaf that the design must leave unused.",
    )
    spine_ports: int = Field(
        0,
        ge=0,
        le=MAX_RADIX,
        title="Spine ports kept free",
        json_schema_extra=_unit("ports per spine"),
        description="Ports on every spine that the design must leave unused.",
    )


class Fabric(Section):
    """The network between the servers."""

    generation: Generation = Field(
        title="Network generation",
        description=(
            "InfiniBand EDR (100 Gb/s a port), HDR (200), NDR (400), XDR (800), or RoCE (Ethernet) at 100 to 800 "
            "Gb/s a port."
        ),
    )
    leaf_switch: str | None = Field(
        None,
        max_length=80,
        examples=["nvidia-qm9700", "custom"],
        title="Leaf switch",
        description=(
            "The switch that servers plug into. Default: the usual one of the generation. Custom takes the radix given "
            "below."
        ),
    )
    spine_switch: str | None = Field(
        None,
        max_length=80,
        title="Spine switch",
        description=("The switch that joins the leaves. Default: the leaf switch."),
    )
    core_switch: str | None = Field(
        None,
        max_length=80,
        title="Core switch",
        description=("The switch that joins the spines in a three-tier network. Default: the spine switch."),
    )
    leaf_radix: int | None = Field(
        None,
        ge=2,
        le=MAX_RADIX,
        title="Leaf radix",
        json_schema_extra=_unit("ports"),
        description=("Ports of a leaf at the port rate. Default: what the switch has."),
    )
    spine_radix: int | None = Field(
        None,
        ge=1,
        le=MAX_RADIX,
        title="Spine radix",
        json_schema_extra=_unit("ports"),
        description="Ports of a spine at the port rate. Default: what the switch has.",
    )
    core_radix: int | None = Field(
        None,
        ge=1,
        le=MAX_RADIX,
        title="Core radix",
        json_schema_extra=_unit("ports"),
        description="Ports of a core switch at the port rate. Default: what the switch has.",
    )
    leaf_downlinks: int | None = Field(
        None,
        ge=1,
        le=MAX_RADIX,
        title="Downlinks per leaf",
        json_schema_extra=_unit("ports"),
        description="Leaf ports towards servers. Default: from the oversubscription.",
    )
    leaf_uplinks: int | None = Field(
        None,
        ge=1,
        le=MAX_RADIX,
        title="Uplinks per leaf",
        json_schema_extra=_unit("ports"),
        description="Leaf ports towards spines. Default: from the oversubscription.",
    )
    oversubscription: Ratio = Field(
        "1:1",
        title="Leaf oversubscription",
        description=(
            "Bandwidth of a leaf towards servers over its bandwidth towards spines. 1:1 never blocks; 3:1 saves "
            "switches."
        ),
    )
    spine_oversubscription: Ratio = Field(
        "1:1", title="Spine oversubscription", description=("The same ratio at the spines of a three-tier network.")
    )
    tiers: Literal[1, 2, 3, "auto"] = Field(
        "auto",
        title="Tiers",
        description=(
            "Levels of switches: 1 (leaf only), 2 (leaf and spine), 3 (with cores); auto takes the fewest that fit."
        ),
    )
    layout: Layout = Field(
        "rail-optimized",
        title="Layout",
        description=(
            "Rail-optimized: NIC number i of every node of a unit goes to leaf i. Rail-only: the rails never meet. "
            "Top-of-rack: leaves are filled in node order."
        ),
    )
    planes: int = Field(
        1,
        ge=1,
        le=16,
        title="Planes",
        description=("Independent parallel networks; each NIC has a port in every plane."),
    )
    rails_per_leaf: int = Field(
        1,
        ge=1,
        le=64,
        title="Rails per leaf",
        description=("Rails that share one leaf in the rail-optimized layout. 1 gives every rail a leaf of its own."),
    )
    scalable_unit_nodes: int | None = Field(
        None,
        ge=1,
        le=MAX_NODES,
        title="Scalable unit",
        json_schema_extra=_unit("nodes"),
        description=("Nodes served by one set of leaves. Default: as many as a leaf's downlinks hold."),
    )
    pod_nodes: int | None = Field(
        None,
        ge=1,
        le=MAX_NODES,
        title="Pod",
        json_schema_extra=_unit("nodes"),
        description=(
            "With a core tier: how many nodes share a group of spines. Default: as many as the spines can take."
        ),
    )
    provision: Literal["as-bought", "full-unit"] = Field(
        "as-bought",
        title="Provision",
        description=(
            "As bought: sized for the nodes asked for. Full unit: every scalable unit is built whole, and ports wait for "
            "the nodes that are missing."
        ),
    )
    grow_to_nodes: int | None = Field(
        None,
        ge=1,
        le=MAX_NODES,
        title="Grow to",
        json_schema_extra=_unit("nodes"),
        description=("Nodes to come: spines and cores hold ports for them, and no cable has to move."),
    )
    uplink_spread: Literal["even", "uneven"] = Field(
        "even",
        title="Uplink spread",
        description=(
            "Even: a leaf deals its links equally to its spines, as OpenSM's fat-tree routing needs. "
            "Uneven saves spines."
        ),
    )
    splitters: bool = Field(
        False,
        title="Split leaf ports",
        description=(
            "Two endpoints at half the port rate share one leaf port through a splitter cable (HDR100, NDR200)."
        ),
    )
    reserved: Reserved = Field(default_factory=lambda: Reserved(), title="Reserved ports")


class Site(Section):
    """Cable lengths: one for each tier, or those of a floor plan."""

    node_leaf_m: float | None = Field(
        None,
        gt=0,
        le=10_000,
        title="Node to leaf",
        json_schema_extra=_unit("m"),
        description=("Length of a cable from a server to its leaf. Short ones are copper."),
    )
    leaf_spine_m: float | None = Field(
        None,
        gt=0,
        le=10_000,
        title="Leaf to spine",
        json_schema_extra=_unit("m"),
        description="Length of a cable from a leaf to a spine.",
    )
    spine_core_m: float | None = Field(
        None,
        gt=0,
        le=10_000,
        title="Spine to core",
        json_schema_extra=_unit("m"),
        description="Length of a cable from a spine to a core switch.",
    )
    plan: SitePlan | None = Field(
        None,
        title="Floor plan",
        description=(
            "Racks, rows and trays: lengths come from the place of every device. An empty object takes every default; null "
            "keeps one length a tier."
        ),
    )


class Economics(Section):
    """Prices and running cost. What is left out is the catalog's own figure, marked as its row marks it."""

    price_book: Literal["anchors", "street"] = Field(
        "anchors",
        title="Price book",
        description=("Anchors: default prices per port and adapter. Street: listings, where the catalog has one."),
    )
    years: int = Field(
        4, ge=1, le=15, title="Years", json_schema_extra=_unit("years"), description="How long the cluster is used."
    )
    electricity_usd_per_kwh: float | None = Field(
        None, ge=0, le=10, title="Electricity", json_schema_extra=_unit("USD/kWh"), description="Price of electricity."
    )
    pue: float | None = Field(
        None, ge=1, le=5, title="PUE", description=("Power of the whole facility over power of its IT equipment.")
    )
    load_factor: float | None = Field(
        None, gt=0, le=1, title="Load factor", description=("Average draw over the maximum draw.")
    )
    utilization: float | None = Field(
        None,
        ge=0.001,
        le=1,
        title="Utilization",
        description=("Share of the hours in which the GPUs work; it sets the dollars a GPU-hour."),
    )
    discount_rate: float | None = Field(
        None, ge=0, le=1, title="Discount rate", description="Yearly rate at which later money counts less."
    )


class Workload(Section):
    """What the predicted collectives assume about jobs."""

    placement: Literal["ordered", "random"] = Field(
        "ordered",
        title="Placement",
        description=(
            "Ordered: ranks follow the cabling. Random: the scheduler scatters them, so more traffic crosses the "
            "spines."
        ),
    )
    load_balancing: Literal["adaptive", "ecmp", "spray"] = Field(
        "adaptive", title="Load balancing", description=("Adaptive routing, plain ECMP hashing, or packet spray.")
    )
    in_network_reduction: bool = Field(
        False, title="In-network reduction", description=("Switches add up all-reduce data (SHARP); InfiniBand only.")
    )
    gpudirect: bool = Field(
        True, title="GPUDirect", description="NICs read and write GPU memory without the host in between."
    )


class DesignSpec(Section):
    """One request, checked and complete: a result depends on nothing that is not in here."""

    spec_version: Literal[1] = Field(1, title="Version of this form of request")
    name: str = Field(
        "Untitled design", min_length=1, max_length=200, title="Name", description="What you call the design."
    )
    compute: Compute = Field(title="Cluster")
    fabric: Fabric = Field(title="Network")
    other_fabrics: list[dict[str, Any]] = Field(
        default_factory=list,
        title="Other fabrics",
        description=(
            "Storage and management networks. This version sizes the compute network only: leave the list empty."
        ),
    )
    site: Site = Field(default_factory=lambda: Site(), title="Site")
    economics: Economics = Field(default_factory=lambda: Economics(), title="Money")
    workload: Workload = Field(default_factory=lambda: Workload(), title="Workload")

    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The normalized spec: every key with its value. null in the result means 'computed; see the estimate'."""
        return self.model_dump(mode="json")

    def as_given(self) -> dict[str, Any]:
        """The values as the caller gave them, so that an edited design takes new defaults where nothing was said."""
        given: dict[str, Any] = json.loads(json.dumps(self._given))
        return given


SECTIONS: dict[str, type[Section]] = {
    "compute": Compute,
    "fabric": Fabric,
    "site": Site,
    "economics": Economics,
    "workload": Workload,
}
