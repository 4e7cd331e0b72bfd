"""What the links of a file say of the network they are from: its servers, tiers, rates, ports and how rails are wired.

A switch with servers on it is a leaf, its further neighbours are spines, theirs cores. A host with less than half of the
usual number of ports is a manager. Everything is counted from links alone; names play no part.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from estimator.asbuilt.readers.found import HOST, SWITCH, FoundLinks
from estimator.errors import UnreadableFile
from estimator.units import BoolArray, IntArray, is_whole_number

LEAF, SPINE, CORE = 1, 2, 3
LEAF_SHARE = 4  # a leaf has at least this part of the usual number of servers' links
MANAGER_SHARE = 2  # a manager has fewer ports than this part of a server's


@dataclass(frozen=True)
class DumpCounts:
    """Counts of a file's network. ``*_mode`` is the most frequent value; ``n_short`` servers have fewer ports than most."""

    n_nodes: int
    n_short: int
    ports_mode: int
    n_managers: int
    n_manager_links: int
    n_leaf: int
    n_spine: int
    n_core: int
    n_deeper: int
    links_node_leaf: int
    links_leaf_spine: int
    links_spine_core: int
    n_odd_links: int
    leaf_down_most: int
    leaf_up_mode: int
    leaf_up_least: int
    leaves_of_a_node: int
    leaf_top_port: int
    spine_top_port: int
    core_top_port: int
    rate_gbit_s: int
    node_rate_gbit_s: int
    components: int
    pods: int
    n_unlinked_switches: int

    @property
    def tiers(self) -> int:
        """Tiers of switches, three at most."""
        return 3 if self.n_core else 2 if self.n_spine else 1


@dataclass(frozen=True)
class _Graph:
    """Links once each, as device indices; ``level`` is 0 for hosts, 1 for leaves and so on, -1 where nothing leads to."""

    a: IntArray
    b: IntArray
    a_port: IntArray
    b_port: IntArray
    rate: IntArray
    is_host: BoolArray
    n: int


def counts_of(file: FoundLinks) -> DumpCounts:
    """The counts of a file's network.

    Raises
    ------
    UnreadableFile
        If the file does not tell servers from switches, or has no server on a switch.
    """
    graph = _graph(file)
    host_links = _host_links(graph)
    if not host_links.any():
        message = "No server of the file is on a switch. Take the dump from a network with its servers powered on."
        raise UnreadableFile("no_servers", message)
    level = _levels(graph, host_links)
    degree = np.bincount(np.r_[graph.a, graph.b], minlength=graph.n)
    hosts = np.flatnonzero(graph.is_host & (degree > 0))
    ports_mode = _mode(degree[hosts])
    is_manager = np.zeros(graph.n, bool)
    is_manager[hosts] = degree[hosts] * MANAGER_SHARE < ports_mode
    nodes = hosts[~is_manager[hosts]]
    ends = _Ends(graph, level, is_manager)
    leaves, spines = np.flatnonzero(level == LEAF), np.flatnonzero(level == SPINE)
    down, up = ends.per_device(LEAF, 0), ends.per_device(LEAF, SPINE)
    rate_up = graph.rate[ends.between(LEAF, SPINE) | ends.between(SPINE, CORE)]
    rate_down = graph.rate[ends.between(0, LEAF)]
    return DumpCounts(
        n_nodes=len(nodes),
        n_short=int((degree[nodes] < ports_mode).sum()),
        ports_mode=ports_mode,
        n_managers=int(is_manager.sum()),
        n_manager_links=int(degree[is_manager].sum()),
        n_leaf=len(leaves),
        n_spine=len(spines),
        n_core=int((level == CORE).sum()),
        n_deeper=int((level > CORE).sum()),
        links_node_leaf=int(ends.between(0, LEAF).sum() - degree[is_manager].sum()),
        links_leaf_spine=int(ends.between(LEAF, SPINE).sum()),
        links_spine_core=int(ends.between(SPINE, CORE).sum()),
        n_odd_links=int(ends.odd().sum()),
        leaf_down_most=int(down[leaves].max()),
        leaf_up_mode=_mode(up[leaves]),
        leaf_up_least=int(up[leaves].min()),
        leaves_of_a_node=ends.leaves_of_a_node(nodes),
        leaf_top_port=_top_port(graph, file, level == LEAF),
        spine_top_port=_top_port(graph, file, level == SPINE),
        core_top_port=_top_port(graph, file, level == CORE),
        rate_gbit_s=_mode(rate_up if len(rate_up) else rate_down),
        node_rate_gbit_s=_mode(rate_down),
        components=_components(graph, ~graph.is_host),
        pods=_components(graph, (level >= 0) & (level < CORE) & ~is_manager),
        n_unlinked_switches=int(((level < 0) & ~graph.is_host).sum()),
    )


def _graph(file: FoundLinks) -> _Graph:
    kinds = np.array([{HOST: 1, SWITCH: 0}.get(kind, -1) for kind in file.kinds], dtype=np.int64)
    if (kinds < 0).any():
        message = (
            f"The file does not say which of its {int((kinds < 0).sum())} devices are servers and which are switches. "
            "Give an ibnetdiscover dump or an ibdiagnet topology, which do."
        )
        raise UnreadableFile("no_kinds", message)
    n_ports = len(file.ports) + 1
    here, far = file.a_device * n_ports + file.a_port, file.b_device * n_ports + file.b_port
    low, high = np.minimum(here, far), np.maximum(here, far)
    _, first = np.unique(np.stack([low, high]), axis=1, return_index=True)
    a, b = low[first], high[first]
    return _Graph(a // n_ports, b // n_ports, a % n_ports, b % n_ports, file.rate_gbit_s[first], kinds == 1, len(kinds))


def _host_links(graph: _Graph) -> IntArray:
    """Links to hosts, by switch."""
    counts = np.zeros(graph.n, np.int64)
    for here, far in ((graph.a, graph.b), (graph.b, graph.a)):
        counts += np.bincount(here[graph.is_host[far] & ~graph.is_host[here]], minlength=graph.n)
    return counts


def _levels(graph: _Graph, host_links: IntArray) -> IntArray:
    """Tier of every device, by steps from the leaves; a spine that a stray host is plugged into stays a spine."""
    usual = np.median(host_links[host_links > 0])
    level = np.where(graph.is_host, 0, -1)
    reached = ~graph.is_host & (host_links * LEAF_SHARE >= usual)
    tier = LEAF
    while reached.any():
        level[reached] = tier
        near = np.zeros(graph.n, bool)
        near[graph.b[reached[graph.a]]] = True
        near[graph.a[reached[graph.b]]] = True
        reached = near & (level < 0)
        tier += 1
    return level


class _Ends:
    """Which links join which tiers."""

    def __init__(self, graph: _Graph, level: IntArray, is_manager: BoolArray) -> None:
        self.graph, self.is_manager = graph, is_manager
        self.low = np.minimum(level[graph.a], level[graph.b])
        self.high = np.maximum(level[graph.a], level[graph.b])
        self.level = level

    def between(self, low: int, high: int) -> BoolArray:
        """Links between two tiers."""
        return (self.low == low) & (self.high == high)

    def odd(self) -> BoolArray:
        """Links that no folded Clos has: within a tier, or past one."""
        return (self.high - self.low != 1) | (self.low < 0)

    def per_device(self, tier: int, other: int) -> IntArray:
        """Links of each device of a tier to another tier."""
        graph = self.graph
        links = self.between(min(tier, other), max(tier, other))
        here = np.where(self.level[graph.a] == tier, graph.a, graph.b)[links]
        return np.bincount(here, minlength=graph.n)

    def leaves_of_a_node(self, nodes: IntArray) -> int:
        """How many leaves most servers are on."""
        graph = self.graph
        links = self.between(0, LEAF)
        host = np.where(self.level[graph.a] == 0, graph.a, graph.b)[links]
        leaf = np.where(self.level[graph.a] == 0, graph.b, graph.a)[links]
        pairs = np.unique(np.stack([host, leaf]), axis=1)
        return _mode(np.bincount(pairs[0], minlength=graph.n)[nodes])


def _top_port(graph: _Graph, file: FoundLinks, chosen: BoolArray) -> int:
    """The highest port number that any of the chosen devices uses; 0 where ports are no numbers."""
    ports = np.array([int(text) if is_whole_number(text, 6) else 0 for text in file.ports] or [0], dtype=np.int64)
    used = np.r_[ports[graph.a_port[chosen[graph.a]]], ports[graph.b_port[chosen[graph.b]]]]
    return int(used.max(initial=0))


def _components(graph: _Graph, kept: BoolArray) -> int:
    """Networks that the kept devices with their links fall into, counted where servers are plugged in."""
    from scipy.sparse import coo_array  # for a fast start: scipy takes long to load
    from scipy.sparse.csgraph import connected_components

    links = kept[graph.a] & kept[graph.b]
    joined = coo_array((np.ones(int(links.sum())), (graph.a[links], graph.b[links])), shape=(graph.n, graph.n))
    _, label = connected_components(joined, directed=False)
    return len(np.unique(label[kept & (_host_links(graph) > 0)]))


def _mode(values: IntArray) -> int:
    """The most frequent value, the larger one of two as frequent; 0 of none."""
    counts = Counter(values.tolist())
    return max(counts, key=lambda value: (counts[value], value), default=0)
