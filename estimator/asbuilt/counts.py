"""What the links of a file say of the network they are from: its servers, tiers, rates, ports and how rails are wired.

A switch with servers on it is a leaf, its further neighbours are spines, theirs cores. A switch with few servers is a leaf too,
unless leaves are its neighbours: then a stray host is on a spine. A host with less than half of the usual number of ports is
no server of the usual kind. Everything is counted from links; names play no part.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from estimator.asbuilt.kinds import Kinds, is_ethernet, kinds_of
from estimator.asbuilt.readers.found import FoundLinks
from estimator.errors import UnreadableFile
from estimator.units import BoolArray, IntArray

LEAF, SPINE, CORE = 1, 2, 3
_PORT = re.compile(r"(\d{1,6})|[A-Za-z]{1,12}[ -]?(\d{1,6})(?:/\d{1,2})*")
_SLOT = re.compile(r"(?:[A-Za-z]{1,12}[ -]?)?(\d{1,3})/(\d{1,4})")
MOST_LANES = 8  # of a port that is split: Ethernet1/9 is port 9 of slot 1
LEAF_SHARE = 4  # a leaf has at least this part of the usual number of servers' links
MOST_NETWORKS = 8  # of a file
ODD_HOSTS, ODD_SHARE = 1, 0.1  # so many servers, and this share, may be on one plane or rail of a network alone
NAMES_SHOWN = 4  # of servers and leaves that lack links
_GATEWAY = re.compile(r"skyway|gateway|router|(?:^|[^a-z])i?gw\d*(?:[^a-z]|$)", re.I)
MORE_PORTS, MORE_SHARE = 2, 0.1  # so many times a server's ports has a gateway, and so few hosts are gateways
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
    n_nameless: int = 0  # adapters that nobody named; servers are counted from them by the usual number of ports
    pod_nodes: int = 0  # the most servers of one pod
    few_ports: tuple[str, ...] = ()  # names of the hosts that are no usual servers, most often for their few ports
    n_not_few: int = 0  # of them those with as many ports as a server, or more: gateways, routers
    n_routers: int = 0  # of them those that the file or their name calls a router or gateway
    nameless_fills: bool = False  # servers lack as many ports as the nameless adapters have
    is_nameless: bool = False  # no adapter has a name of its own
    n_shared: int = 0  # of n_nameless those that have a name, which others have, too
    cut: tuple[str, ...] = ()  # devices that only others name, in a file that ends early
    short: tuple[str, ...] = ()  # names of servers with fewer ports than most, the first of them
    n_low_leaves: int = 0
    low_leaves: tuple[str, ...] = ()  # names of leaves with fewer uplinks than most, the first of them
    node_rates: tuple[tuple[int, int], ...] = ()  # (rate, links), most first
    switch_rates: tuple[tuple[int, int], ...] = ()
    number: int = 1  # of the network in the file, by links
    networks: tuple[tuple[int, int, int], ...] = ()  # (servers, leaves, spines) of all networks of the file
    kinds: Kinds | None = None  # what the file does not say of its devices
    is_ethernet: bool = False

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
    """The counts of a file's network, of several the one with most links; raises as ``counts_of_networks``."""
    return counts_of_networks(file)[0]


def counts_of_networks(file: FoundLinks, servers: Sequence[str] = ()) -> tuple[DumpCounts, ...]:
    """The counts of every network of a file, that with most links first; ``servers`` as for ``kinds_of``.

    Raises
    ------
    UnreadableFile
        If nothing tells which devices are servers and which switches, or no server is on a switch.
    """
    kinds = kinds_of(file, servers)
    graph = _graph(file, kinds)
    if not _host_links(graph).any():
        message = "No server of the file is on a switch. Take the dump from a network with its servers powered on."
        raise UnreadableFile("no_servers", message)
    counted = sorted(
        (_counts(part, file) for part in _networks(graph, file)),
        key=lambda counts: -(counts.links_node_leaf + counts.links_leaf_spine),
    )
    sizes = [(one.n_nodes, one.n_leaf, one.n_spine) for one in counted]
    return tuple(
        replace(one, number=number, networks=tuple(sizes), kinds=kinds, is_ethernet=is_ethernet(file, kinds.is_host))
        for number, one in enumerate(counted[:MOST_NETWORKS], start=1)
    )


def _counts(graph: _Graph, file: FoundLinks) -> DumpCounts:
    """The counts of one network."""
    host_links = _host_links(graph)
    level = _levels(graph, host_links)
    degree = np.bincount(np.r_[graph.a, graph.b], minlength=graph.n)
    hosts = np.flatnonzero(graph.is_host & (degree > 0))
    is_nameless = np.zeros(graph.n, bool)
    is_nameless[[*file.nameless]] = True
    named = hosts[~is_nameless[hosts]]
    is_router = np.zeros(graph.n, bool)
    is_router[[*file.routers]] = True
    is_router[[i for i in hosts.tolist() if _GATEWAY.search(file.names[i])]] = True
    usual = named[~is_router[named]] if not is_router[named].all() else named
    ports_mode = _mode(degree[usual if len(usual) else hosts])
    has_many = degree >= MORE_PORTS * ports_mode
    has_many &= int(has_many[usual].sum()) <= MORE_SHARE * len(usual)  # else they are servers of another kind
    is_manager = np.zeros(graph.n, bool)
    is_manager[named] = (degree[named] * MANAGER_SHARE < ports_mode) | has_many[named] | is_router[named]
    if is_manager[named].all():
        is_manager[:] = False
    nodes = named[~is_manager[named]] if len(named) else hosts
    nameless = hosts[is_nameless[hosts]] if len(named) else hosts[:0]
    ports_nameless = int(degree[nameless].sum())
    fills = ports_nameless <= int(np.maximum(ports_mode - degree[nodes], 0).sum())
    ends = _Ends(graph, level, is_manager)
    leaves, spines = np.flatnonzero(level == LEAF), np.flatnonzero(level == SPINE)
    down, up = ends.per_device(LEAF, 0), ends.per_device(LEAF, SPINE)
    rate_up = graph.rate[ends.between(LEAF, SPINE) | ends.between(SPINE, CORE)]
    rate_down = graph.rate[ends.between(0, LEAF)]
    below_core = (level >= 0) & (level < CORE)
    return DumpCounts(
        n_nodes=len(nodes) + (0 if fills else -(-ports_nameless // ports_mode)),
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
        pods=_components(graph, below_core & ~is_manager),
        n_unlinked_switches=int(((level < 0) & ~graph.is_host & (degree > 0)).sum()),
        n_nameless=len(nameless),
        pod_nodes=_most_nodes(graph, below_core & ~graph.is_host, nodes),
        n_not_few=int((is_manager & (degree * MANAGER_SHARE >= ports_mode)).sum()),
        n_routers=int((is_manager & is_router).sum()),
        nameless_fills=fills,
        is_nameless=not len(named),
        n_shared=sum(not file.names[i].startswith("unnamed") for i in nameless.tolist()),
        cut=file.cut,
        few_ports=tuple(file.names[i] for i in np.flatnonzero(is_manager).tolist()),
        short=_names(file, nodes[degree[nodes] < ports_mode]),
        n_low_leaves=int((up[leaves] < _mode(up[leaves])).sum()),
        low_leaves=_names(file, leaves[up[leaves] < _mode(up[leaves])]),
        node_rates=_often(rate_down),
        switch_rates=_often(rate_up),
    )


def _names(file: FoundLinks, devices: IntArray) -> tuple[str, ...]:
    return tuple(file.names[i] for i in devices[:NAMES_SHOWN].tolist())


def _graph(file: FoundLinks, kinds: Kinds) -> _Graph:
    n_ports = len(file.ports) + 1
    here, far = file.a_device * n_ports + file.a_port, file.b_device * n_ports + file.b_port
    low, high = np.minimum(here, far), np.maximum(here, far)
    (a, b), which = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    rate, is_host = np.zeros(len(a), np.int64), kinds.is_host
    np.maximum.at(rate, which.ravel(), file.rate_gbit_s)  # either end may give it
    return _Graph(a // n_ports, b // n_ports, a % n_ports, b % n_ports, rate, is_host, len(is_host))


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
    sure = ~graph.is_host & (host_links * LEAF_SHARE >= usual)
    few = ~graph.is_host & (host_links > 0) & ~sure
    reached = sure | (few & ~_neighbours(graph, sure))
    tier = LEAF
    while reached.any():
        level[reached] = tier
        reached = _neighbours(graph, reached) & (level < 0)
        tier += 1
    return level


def _neighbours(graph: _Graph, of: BoolArray) -> BoolArray:
    near = np.zeros(graph.n, bool)
    near[graph.b[of[graph.a]]] = True
    near[graph.a[of[graph.b]]] = True
    return near


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
    """The highest port that any of the chosen devices uses: 5 and P5 are 5, P5/2 a part of it; else the most ports of one."""
    of_chosen = np.unique(np.r_[graph.a_port[chosen[graph.a]], graph.b_port[chosen[graph.b]]])
    most = int(np.bincount(np.r_[graph.a, graph.b], minlength=graph.n)[chosen].max(initial=0))
    top = _top_number([file.ports[i] for i in of_chosen.tolist()])
    return most if top is None else top


def _top_number(texts: Sequence[str]) -> int | None:
    """The highest port of some names in one style, from 1; None where they are not numbers. Ports of SONiC are counted by their
    lanes (Ethernet0, Ethernet8), those of NX-OS and Onyx behind the slot (Ethernet1/5)."""
    found = [_PORT.fullmatch(text.strip()) for text in texts]
    numbers = [int(one[1] or one[2]) for one in found if one]
    if len(numbers) < len(texts) or not numbers:
        return None
    if 0 in numbers:
        return max(numbers) // max(gcd(*numbers), 1) + 1
    behind = [_SLOT.match(text.strip()) for text in texts]
    slots = [int(one[2]) for one in behind if one]
    if len(slots) == len(texts) and set(numbers) == {1} and max(slots) > MOST_LANES:
        return max(slots)
    return max(numbers)


def _labels(graph: _Graph, kept: BoolArray) -> IntArray:
    """The connected part that each device is in, when only links between the kept ones count."""
    from scipy.sparse import coo_array  # for a fast start: scipy takes long to load
    from scipy.sparse.csgraph import connected_components

    links = kept[graph.a] & kept[graph.b]
    joined = coo_array((np.ones(int(links.sum())), (graph.a[links], graph.b[links])), shape=(graph.n, graph.n))
    return np.asarray(connected_components(joined, directed=False)[1], dtype=np.int64)


def _components(graph: _Graph, kept: BoolArray) -> int:
    """Networks that the kept devices with their links fall into, counted where servers are plugged in."""
    return len(np.unique(_labels(graph, kept)[kept & (_host_links(graph) > 0)]))


def _most_nodes(graph: _Graph, switches: BoolArray, nodes: IntArray) -> int:
    """The most servers that one connected part of the switches has."""
    label = _labels(graph, switches)
    is_node = np.zeros(graph.n, bool)
    is_node[nodes] = True
    pairs = [
        np.stack([label[switch[chosen]], node[chosen]])
        for node, switch in ((graph.a, graph.b), (graph.b, graph.a))
        if (chosen := is_node[node] & switches[switch]).any()
    ]
    if not pairs:
        return 0
    return int(np.bincount(np.unique(np.concatenate(pairs, axis=1), axis=1)[0]).max())


def _networks(graph: _Graph, file: FoundLinks) -> list[_Graph]:
    """The networks of a file. Parts of the switches that nothing joins are one network where they are built alike and have the
    same servers, as rails and planes do; a part of another rate, number of tiers or ports a server, or with servers of its own,
    is another network."""
    label = _labels(graph, ~graph.is_host)
    host_links = _host_links(graph)
    groups: list[_Part] = []
    for part in np.unique(label[~graph.is_host & (host_links > 0)]).tolist():
        mine = _part(graph, label == part, file)
        like = next((group for group in groups if group.is_with(mine)), None)
        if like is None:
            groups.append(mine)
        else:
            like.switches |= mine.switches
            like.hosts |= mine.hosts
    if len(groups) < 2:
        return [graph]
    return [_within(graph, group.switches) for group in groups]


@dataclass
class _Part:
    """Switches that are joined to each other, and the servers on them; a network of several such parts grows in place."""

    likeness: tuple[int, int, int]  # rate of most links to servers, whether switches are joined, ports a server
    switches: BoolArray
    hosts: BoolArray
    named: BoolArray  # which devices of the file have names

    def is_with(self, other: "_Part") -> bool:
        """Whether both are of one network."""
        mine, theirs = self.hosts & self.named, other.hosts & self.named
        n_odd, n_all = int((mine ^ theirs).sum()), int((mine | theirs).sum())
        return self.likeness == other.likeness and n_odd <= ODD_HOSTS + ODD_SHARE * n_all


def _part(graph: _Graph, part: BoolArray, file: FoundLinks) -> _Part:
    inside = part & ~graph.is_host
    hosts = np.r_[graph.a[graph.is_host[graph.a] & inside[graph.b]], graph.b[graph.is_host[graph.b] & inside[graph.a]]]
    to_hosts = (inside[graph.a] & graph.is_host[graph.b]) | (inside[graph.b] & graph.is_host[graph.a])
    links = np.bincount(hosts, minlength=graph.n)
    is_joined = int((inside[graph.a] & inside[graph.b]).any())
    named = np.ones(graph.n, bool)
    named[[*file.nameless]] = False
    of_named = links[(links > 0) & named]
    ports = _mode(of_named if len(of_named) else links[links > 0])
    return _Part((_mode(graph.rate[to_hosts]), is_joined, ports), inside, links > 0, named)


def _within(graph: _Graph, switches: BoolArray) -> _Graph:
    """The links of some switches."""
    links = switches[graph.a] | switches[graph.b]
    return replace(
        graph,
        a=graph.a[links],
        b=graph.b[links],
        a_port=graph.a_port[links],
        b_port=graph.b_port[links],
        rate=graph.rate[links],
    )


def _often(values: IntArray) -> tuple[tuple[int, int], ...]:
    """(value, how often), the most frequent first; unknown ones left out."""
    return tuple((value, times) for value, times in Counter(values.tolist()).most_common() if value)


def _mode(values: IntArray) -> int:
    """The most frequent value, the larger one of two as frequent; 0 of none."""
    counts = Counter(values.tolist())
    return max(counts, key=lambda value: (counts[value], value), default=0)
