"""One network of a cluster, as an Estimate answers it: what it counts, its ratios and its paths."""

from estimator.record import IfAny, Newer, Record


class Counts(Record):
    nodes: int
    gpus: int
    endpoints: int
    """NIC ports on this network."""
    leaf: int
    spine: int
    core: int
    switches: int
    other_endpoints: IfAny[int] = None
    """Of a storage or management network: ports of what is no node."""


class Links(Record):
    """Connections at one port rate."""

    node_leaf: int
    fabric_manager: int
    leaf_spine: int
    spine_core: int
    leaf_leaf: IfAny[int] = None
    """Of a storage or management network: within pairs of leaves."""

    @property
    def total(self) -> int:
        """Links of all tiers."""
        return sum(self.as_json().values())


class Ports(Record):
    """Used and open ports, over all switches of a kind."""

    leaf_down_used: int
    leaf_down_open: int
    leaf_up: int
    spine_down: int
    spine_up: int
    spine_open: int
    core_down: int
    core_open: int


class SwitchModel(Record):
    part: str | None
    """Id in the catalog; null for a custom switch."""
    radix: int
    """Ports at the rate of this network."""


class Split(Record):
    """How ports, nodes and leaves are divided."""

    leaf_downlinks: int
    leaf_uplinks: int
    scalable_unit_nodes: int
    nodes_per_leaf: int
    nodes_per_pod: int
    pods: int
    components: int
    """Networks of their own: planes, and in the rail-only layout rails."""


class Uplinks(Record):
    """Links of leaves into another network, or the site's."""

    per_leaf: int
    links: int
    rate_gbit_s: int
    into: str | None


class Attachments(Record):
    """Devices beside the nodes that a network joins."""

    kind: str
    of: str | None
    """The network that they belong to."""
    devices: int
    ports: int


class RailRatio(Record):
    rail: int
    leaves: int
    built: str
    built_ratio: float


class PlaneRatio(Record):
    plane: int
    leaves: int
    built: str
    built_ratio: float


class Oversubscription(Record):
    asked: str
    """As two integers, such as 33:7."""
    built: str
    built_ratio: float
    worst_leaf: str
    worst_leaf_ratio: float
    spine_built: str
    rails: list[RailRatio]
    planes: list[PlaneRatio]


class LeafPaths(Record):
    """Ways between two leaves, fewest over all pairs."""

    switches: int
    """Switches on a shortest path."""
    shortest_paths: int
    """Through different switches: parallel links are one path."""
    disjoint_paths: int
    """Shortest paths that share no link."""


class Paths(Record):
    diameter_switches: int
    """Switches on the longest of the shortest paths between two endpoints."""
    same_group: LeafPaths | None
    """Of leaves that share spines."""
    other_group: LeafPaths | None
    """Over cores."""


class CountedNetwork(Record):
    """One network of the cluster."""

    tiers: int
    planes: int
    layout: str
    counts: Counts
    links: Links
    ports: Ports
    switches: dict[str, SwitchModel]
    """By tier."""
    split: Split
    port_rate_gbit_s: int
    """Rate of a leaf's ports to nodes."""
    uplink_rate_gbit_s: Newer[int]
    """Rate of the links between switches."""
    lane_rate_gbit_s: int
    """What a leaf offers an endpoint: the port rate, or its share on split ports."""
    endpoint_rate_gbit_s: int
    """Rate of an endpoint's link: the slower of NIC and leaf."""
    injection_gbit_s: int
    """Endpoints × the rate of their links: that of the slower end."""
    bisection_gbit_s: int
    """One direction."""
    uplinks: IfAny[Uplinks] = None
    """Where another network, or the site's, stands above the leaves."""
    role: IfAny[str] = None
    """Of a storage or management network, as the four keys below."""
    generation: IfAny[str] = None
    dual_homed: IfAny[bool] = None
    ports_per_node: IfAny[int] = None
    attached: IfAny[list[Attachments]] = None


class RatedNetwork(CountedNetwork):
    """One network of the cluster, with its ratios and paths."""

    oversubscription: Oversubscription
    paths: Paths
