"""The keys of a network: ``fabric`` of a request, and with some more the entries of ``other_fabrics``."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from estimator.spec.checking import Ratio, Section, left_out, not_true_or_false, quantity

MAX_ENDPOINTS = 1_048_576
MAX_NODES = 1_048_576
MAX_RADIX = 2_048

Generation = Literal["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800"]
OtherGeneration = Literal["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800", "ethernet-1"]
UplinkRate = Literal[100, 200, 400, 800, 1600]
UPLINK_RATES: tuple[int, ...] = get_args(UplinkRate)
Layout = Literal["rail-optimized", "rail-only", "top-of-rack"]
Role = Literal["storage", "in-band", "out-of-band", "converged"]


class Reserved(Section):
    """Ports that are kept for something else."""

    fabric_manager_links: int = quantity(
        "Fabric-manager links",
        "Links of fabric managers (UFM) that take leaf ports beside the nodes.",
        "links",
        0,
        ge=0,
        le=1024,
    )
    leaf_ports: int = quantity(
        "Leaf ports kept free",
        "Ports on every leaf that the design must leave unused.",
        "ports per leaf",
        0,
        ge=0,
        le=MAX_RADIX,
    )
    spine_ports: int = quantity(
        "Spine ports kept free",
        "Ports on every spine that the design must leave unused.",
        "ports per spine",
        0,
        ge=0,
        le=MAX_RADIX,
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
    leaf_radix: int | None = quantity(
        "Leaf radix", "Ports of a leaf at the port rate. Default: what the switch has.", "ports", ge=2, le=MAX_RADIX
    )
    spine_radix: int | None = quantity(
        "Spine radix",
        "Ports of a spine at the rate of the uplinks. Default: what the switch has.",
        "ports",
        ge=1,
        le=MAX_RADIX,
    )
    core_radix: int | None = quantity(
        "Core radix",
        "Ports of a core switch at the rate of the uplinks. Default: what the switch has.",
        "ports",
        ge=1,
        le=MAX_RADIX,
    )
    leaf_downlinks: int | None = quantity(
        "Downlinks per leaf",
        "Leaf ports towards servers. Default: those with which the design has the fewest switches.",
        "ports",
        ge=1,
        le=MAX_RADIX,
    )
    leaf_uplinks: int | None = quantity(
        "Uplinks per leaf",
        "Leaf ports towards spines. Default: those with which the design has the fewest switches.",
        "ports",
        ge=1,
        le=MAX_RADIX,
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
    least_spines: int = quantity(
        "Spines at least",
        "Spines that a leaf must reach at least: two or more outlive the loss of one.",
        "spines",
        1,
        ge=1,
        le=64,
    )
    tiers: Annotated[Literal[1, 2, 3, "auto"], not_true_or_false("1, 2, 3 or 'auto'")] = Field(
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
    scalable_unit_nodes: int | None = quantity(
        "Scalable unit",
        (
            "Nodes served by one set of leaves. Default: as many as give the fewest switches, then the least cost; "
            "with full units, as many as a leaf's downlinks hold."
        ),
        "nodes",
        ge=1,
        le=MAX_NODES,
    )
    pod_nodes: int | None = quantity(
        "Pod",
        "With a core tier: how many nodes share a group of spines. Default: as many as give the fewest switches.",
        "nodes",
        ge=1,
        le=MAX_NODES,
    )
    core_groups: int | None = quantity(
        "Core groups",
        "With a core tier: sets of cores, each met by its own spines of every pod. Default: fewest switches.",
        "groups",
        ge=1,
        le=64,
    )
    provision: Literal["as-bought", "full-unit"] = Field(
        "as-bought",
        title="Provision",
        description=(
            "As bought: sized for the nodes requested. Full unit: every scalable unit is built whole, and ports wait for "
            "the nodes that are missing."
        ),
    )
    grow_to_nodes: int | None = quantity(
        "Grow to",
        "Nodes to come: spines and cores hold ports for them, and no cable has to move.",
        "nodes",
        ge=1,
        le=MAX_NODES,
    )
    uplink_spread: Literal["even", "uneven"] = Field(
        "even",
        title="Uplink spread",
        description=(
            "Even: a leaf deals its links equally to its spines, as OpenSM's fat-tree routing needs. "
            "Uneven saves spines."
        ),
    )
    uplink_rate_gbit_s: UplinkRate | None = quantity(
        "Uplink rate",
        (
            "Rate of the links between switches, where it is another than that of the ports to servers: 800 for nodes of "
            "400G below 800G uplinks. Spine and core radix count ports at this rate. Default: the port rate."
        ),
        "Gb/s",
    )
    splitters: bool = Field(
        False,
        title="Split leaf ports",
        description=(
            "Two endpoints at half the port rate share one leaf port through a splitter cable (HDR100, NDR200)."
        ),
    )
    reserved: Reserved = Field(default_factory=left_out(Reserved), title="Reserved ports")

    @property
    def endpoints_a_port(self) -> int:
        """Endpoints that share one leaf port."""
        return 2 if self.splitters else 1


class OtherFabric(Fabric):
    """A network beside the compute fabric, of the same servers and of what else it joins."""

    role: Role = Field(
        title="Role",
        description=(
            "Storage, in-band management, out-of-band management (1G, for controllers, switches and PDUs), or converged: "
            "storage and in-band on one network."
        ),
    )
    generation: OtherGeneration | None = Field(  # type: ignore[assignment]  # a role implies one
        None,
        title="Network generation",
        description=(
            "Default: storage as the compute network, in-band and converged RoCE at the rate of the server's ports, "
            "out-of-band 1G."
        ),
    )
    layout: Layout = Field(
        "top-of-rack",
        title="Layout",
        description="Top-of-rack: leaves are filled in node order, what else is joined comes after the nodes.",
    )
    ports_per_node: int | None = quantity(
        "Ports per node",
        "Ports of one server on this network. Default: what the server has for the role.",
        "ports",
        ge=1,
        le=64,
    )
    extra_endpoints: int | None = quantity(
        "Other endpoints",
        "Ports of storage nodes, management nodes and the like, beside those of the servers.",
        "ports",
        ge=0,
        le=MAX_ENDPOINTS,
    )
    count_devices: bool | None = Field(
        None,
        title="Count devices",
        description=(
            "In-band counts the fabric managers, out-of-band also every switch of the other networks and every PDU. "
            "Default: yes, unless other endpoints are given."
        ),
    )
    dual_homed: bool | None = Field(
        None,
        title="Dual-homed",
        description=(
            "Leaves come in pairs, and each device has its ports on both leaves of a pair. Default: yes for storage, in-band "
            "and converged networks with an even number of ports a node, on leaves filled in node order."
        ),
    )
    peer_links: int | None = quantity(
        "Links within a pair",
        (
            "Links between the two leaves of a pair (MLAG, ISL). Default: two for in-band pairs, and for a pair that holds "
            "all endpoints; none where leaf ports were given to nodes and spines by hand."
        ),
        "links",
        ge=0,
        le=64,
    )
    endpoints_per_port: Annotated[Literal[1, 2, 4, 8] | None, not_true_or_false("1, 2, 4 or 8")] = quantity(
        "Endpoints per leaf port",
        "Endpoints that share one leaf port through a splitter, each at its share of the rate.",
        "endpoints",
    )
    least_leaves: int = quantity(
        "Leaves at least", "Endpoints are shared out over at least so many leaves.", "leaves", 1, ge=1, le=MAX_NODES
    )
    nodes_per_leaf: int | None = quantity(
        "Nodes per leaf",
        "At least one leaf for so many nodes, such as one for each four racks.",
        "nodes",
        ge=1,
        le=MAX_NODES,
    )
    uplinks_into: Literal["in-band", "spines", "outside"] | None = Field(
        None,
        title="Uplinks into",
        description=(
            "Out-of-band: where leaves have their uplinks. Default: the in-band network of the request, else spines of "
            "its own."
        ),
    )
    racks: int | None = quantity(
        "Racks of nodes",
        "Out-of-band: racks whose PDUs are joined. Default: nodes over the server's count in a rack.",
        "racks",
        ge=0,
        le=MAX_NODES,
    )
    network_racks: int | None = quantity(
        "Network racks",
        "Out-of-band: racks of switches. Default: from the rack units of the other networks' switches.",
        "racks",
        ge=0,
        le=MAX_NODES,
    )
    pdus_per_rack: int | None = quantity(
        "PDUs per rack",
        "Out-of-band: power distribution units in a rack of nodes, each with a port.",
        "PDUs",
        ge=0,
        le=48,
    )
    pdus_per_network_rack: int | None = quantity(
        "PDUs per network rack", "Out-of-band: power distribution units in a rack of switches.", "PDUs", ge=0, le=48
    )

    @property
    def endpoints_a_port(self) -> int:
        """Endpoints that share one leaf port."""
        return self.endpoints_per_port or super().endpoints_a_port
