"""Which devices of a file are servers and which are switches, where the file does not say: by ports, names and cabling.

Ports are the surest: servers have NICs (mlx5_0, ens1f0np0, or a MAC address by LLDP), switches have front panels (swp1,
Ethernet1/1, 1/1/1). Then names (leaf-01, gpu042). What is left follows from the links: beside a server stands a switch; those
that printed tables of neighbours are of one kind; and where nothing else tells, servers have fewer links than the spines that
stand beside the same leaves. What stays open is refused, and servers can be named.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from estimator.asbuilt.ports import ADAPTER_PORT, MAC_ADDRESS
from estimator.asbuilt.readers.found import HOST, SWITCH, FoundLinks
from estimator.errors import Problem, SpecError, UnreadableFile
from estimator.units import BoolArray, IntArray

IS_HOST, IS_SWITCH, UNKNOWN = 1, 0, -1
MOST_PATTERNS = 200  # characters of the patterns of servers' names
MOST_NICS = 32  # links of a server; a device with more is none
FEW = 2  # links: of a host that is no usual server, hardly of a spine
GAP = 2  # a spine has at least so many times the links of a server
SIDES = 1.5  # servers and spines are at least so many times as many as leaves and cores
NAMED_KINDS = 4  # names of a kind that are shown
_GIGABIT = r"(?:ten|twentyfive|forty|fifty|hundred|twohundred|fourhundred)\w*gig"
_PANEL_PORT = re.compile(
    rf"(?:swp|etp|ethernet|eth?\d{{1,3}}/|et-|xe-|ge-|sw\d{{1,3}}p|{_GIGABIT}|(?:te|fo|hu|tf|fh)\d{{1,3}}/|\d{{1,3}}/\d)",
    re.I,
)
_ETHERNET_PORT = re.compile(rf"(?:swp|etp|ethernet|eth?\d|et-|xe-|ge-|{_GIGABIT})", re.I)
_WORD = r"(?:^|[^a-z])(?:{})(?=$|[^a-z])"
_SWITCH_NAME = re.compile(_WORD.format("spines?|leaf|leaves|core|tor|agg|sw|switch|superspine|border"), re.I)
_HOST_NAME = re.compile(_WORD.format("nodes?|gpu|dgx|hgx|host|srv|server|compute|worker|login|storage"), re.I)
INFINIBAND_FORMATS = ("ibnetdiscover", "iblinkinfo", "topo")


@dataclass(frozen=True)
class Kinds:
    """``is_host`` by device; ``n_hosts`` and ``n_switches`` count those that the file does not call so, with some names."""

    is_host: BoolArray
    n_hosts: int = 0
    n_switches: int = 0
    hosts: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()


def kinds_of(file: FoundLinks, servers: Sequence[str] = ()) -> Kinds:
    """Servers and switches of a file.

    Parameters
    ----------
    file : links of any reader
    servers : patterns of the names of servers, such as gpu*; with them, every other device of an unknown kind is a switch

    Raises
    ------
    UnreadableFile
        If some devices may be either.
    SpecError
        If no name fits the patterns.
    """
    kinds = kinds_said(file)
    is_open = kinds == UNKNOWN
    if servers:
        _by_patterns(kinds, file, servers)
    else:
        derive_kinds(kinds, file)
    if (kinds == UNKNOWN).any():
        raise UnreadableFile("no_kinds", _unknown(kinds, file))
    hosts, switches = (np.flatnonzero(is_open & (kinds == kind)) for kind in (IS_HOST, IS_SWITCH))
    return Kinds(kinds == IS_HOST, len(hosts), len(switches), _shown(hosts, file), _shown(switches, file))


def kinds_said(file: FoundLinks) -> IntArray:
    """The kinds of devices that the file itself says, UNKNOWN of others."""
    return np.array([{HOST: IS_HOST, SWITCH: IS_SWITCH}.get(kind, UNKNOWN) for kind in file.kinds], dtype=np.int64)


def derive_kinds(kinds: IntArray, file: FoundLinks) -> None:
    """Fill in unknown kinds, in place, by ports, names and links; UNKNOWN stays where nothing tells."""
    for by in (_by_ports, _by_names, _by_links):
        if (kinds == UNKNOWN).any():
            by(kinds, file)


def _shown(devices: IntArray, file: FoundLinks) -> tuple[str, ...]:
    return tuple(file.names[i] for i in devices[:NAMED_KINDS].tolist())


def _unknown(kinds: IntArray, file: FoundLinks) -> str:
    unknown = np.flatnonzero(kinds == UNKNOWN)
    names = ", ".join(_shown(unknown, file)) + (" and more" if len(unknown) > NAMED_KINDS else "")
    return (
        f"The file does not say which of {len(unknown):,} devices are servers and which are switches, and neither do ports, "
        f"names and links: {names}. Name the servers, with a pattern such as gpu*, or give an ibnetdiscover dump or an "
        "ibdiagnet topology, which say it."
    )


def is_ethernet(file: FoundLinks, is_host: BoolArray) -> bool:
    """Whether the links are Ethernet: by the format, else by how ports of switches are named."""
    if file.format == "lldp" or file.format in INFINIBAND_FORMATS:
        return file.format == "lldp"
    named = np.array([bool(_ETHERNET_PORT.match(text)) for text in file.ports] or [False])
    device, port = np.r_[file.a_device, file.b_device], np.r_[file.a_port, file.b_port]
    of_switches = named[port[~is_host[device]]]
    return bool(len(of_switches)) and 2 * int(of_switches.sum()) > len(of_switches)


def patterns_of(text: str) -> tuple[str, ...]:
    """Patterns of names, separated by commas or spaces."""
    return tuple(text.lower().replace(",", " ").split())


def _by_patterns(kinds: IntArray, file: FoundLinks, servers: Sequence[str]) -> None:
    for device in np.flatnonzero(kinds == UNKNOWN).tolist():
        name = file.names[device].lower()
        kinds[device] = IS_HOST if any(fnmatchcase(name, pattern) for pattern in servers) else IS_SWITCH
    if not (kinds == IS_HOST).any():
        message = (
            f"No device of the file has a name such as {', '.join(servers)}. Its names are such as "
            f"{', '.join(file.names[:NAMED_KINDS])}."
        )
        raise SpecError([Problem("servers", "no_such_device", message)])


def _by_ports(kinds: IntArray, file: FoundLinks) -> None:
    """Devices whose every port is named as a NIC's are servers; those with a front panel's ports and no NIC's are switches."""
    device, port = np.r_[file.a_device, file.b_device], np.r_[file.a_port, file.b_port]
    is_adapter = np.array(
        [bool(ADAPTER_PORT.match(text) or MAC_ADDRESS.fullmatch(text)) for text in file.ports] or [False]
    )
    is_panel = np.array([bool(_PANEL_PORT.match(text)) for text in file.ports] or [False])
    ends = np.bincount(device, minlength=len(kinds))
    adapters = np.bincount(device, weights=is_adapter[port], minlength=len(kinds))
    panels = np.bincount(device, weights=is_panel[port], minlength=len(kinds))
    kinds[(kinds == UNKNOWN) & (ends > 0) & (adapters == ends)] = IS_HOST
    kinds[(kinds == UNKNOWN) & (panels > 0) & (adapters == 0)] = IS_SWITCH


def _by_names(kinds: IntArray, file: FoundLinks) -> None:
    """What a name says; the last word counts, so that gpu-leaf-01 is a switch. Where that joins servers, names tell nothing."""
    said = kinds.copy()
    for device in np.flatnonzero(kinds == UNKNOWN).tolist():
        name = file.names[device].split(".")[0]
        at = [
            max((found.start() for found in words.finditer(name)), default=-1) for words in (_SWITCH_NAME, _HOST_NAME)
        ]
        if at[0] != at[1]:
            said[device] = IS_SWITCH if at[0] > at[1] else IS_HOST
    if not ((said[file.a_device] == IS_HOST) & (said[file.b_device] == IS_HOST)).any():
        kinds[:] = said


def _by_links(kinds: IntArray, file: FoundLinks) -> None:
    """What the cabling says of devices that neither ports nor names tell of."""
    graph = _Cabling(file, len(kinds))
    _beside_hosts(kinds, graph)
    for part in graph.parts(kinds == UNKNOWN):
        hosts = _hosts_of(part, kinds, graph)
        if hosts is not None:
            kinds[part & (kinds == UNKNOWN)] = IS_SWITCH
            kinds[hosts] = IS_HOST


class _Cabling:
    """Every link once, and the links of each device; ``reports`` are the devices that printed a table of neighbours."""

    def __init__(self, file: FoundLinks, n: int) -> None:
        n_ports = len(file.ports) + 1
        here, far = file.a_device * n_ports + file.a_port, file.b_device * n_ports + file.b_port
        low, high = np.unique(np.stack([np.minimum(here, far), np.maximum(here, far)]), axis=1)
        self.n = n
        self.a, self.b = low // n_ports, high // n_ports
        self.degree = np.bincount(np.r_[self.a, self.b], minlength=n)
        self.reports = np.zeros(n, bool)
        if file.format == "lldp":
            self.reports[file.a_device] = True

    def neighbours(self, of: BoolArray) -> BoolArray:
        """Devices beside those of ``of``."""
        near = np.zeros(self.n, bool)
        near[self.b[of[self.a]]] = True
        near[self.a[of[self.b]]] = True
        return near

    def parts(self, with_any_of: BoolArray) -> list[BoolArray]:
        """Connected parts that have one of some devices."""
        out: list[BoolArray] = []
        left = with_any_of & (self.degree > 0)
        while left.any():
            part, grown = np.zeros(self.n, bool), np.zeros(self.n, bool)
            grown[np.flatnonzero(left)[0]] = True
            while grown.sum() > part.sum():
                part = grown
                grown = part | self.neighbours(part)
            out.append(part)
            left &= ~part
        return out

    def sides(self, part: BoolArray) -> tuple[BoolArray, BoolArray] | None:
        """The two sides of a part, if every link joins one with the other."""
        sides = (np.zeros(self.n, bool), np.zeros(self.n, bool))
        sides[0][np.flatnonzero(part)[0]] = True
        turn = 0
        while (new := self.neighbours(sides[turn]) & ~sides[1 - turn]).any():
            sides[1 - turn][new] = True
            turn = 1 - turn
        return None if (sides[0] & sides[1]).any() else sides


def _beside_hosts(kinds: IntArray, graph: _Cabling) -> None:
    kinds[(kinds == UNKNOWN) & graph.neighbours(kinds == IS_HOST)] = IS_SWITCH


def _hosts_of(part: BoolArray, kinds: IntArray, graph: _Cabling) -> BoolArray | None:
    """The servers among the unknown devices of a connected part; None where nothing tells."""
    unknown = part & (kinds == UNKNOWN)
    known = part & (kinds == IS_HOST)
    if known.any():  # beside known servers: hosts with few links, such as managers, and spines
        few = (graph.degree <= FEW) | (2 * graph.degree <= graph.degree[known].max())
        return unknown & few & ~graph.neighbours(unknown)
    silent, reports = unknown & ~graph.reports, unknown & graph.reports
    if silent.any() and graph.neighbours(part & graph.reports)[part & graph.reports].any():
        return silent & (graph.degree <= MOST_NICS)  # leaves and spines printed their tables, servers none
    sides = graph.sides(part)
    if sides is None:
        return None
    below, above = sorted(sides, key=lambda side: -int(side.sum()))
    if reports.any() and silent.any():  # all tables are of one side
        below, above = sorted(
            (part & graph.reports, part & ~graph.reports), key=lambda side: float(graph.degree[side].mean())
        )
    elif below.sum() < SIDES * above.sum():
        return None
    return _lowest(below & unknown, graph.degree, float(graph.degree[above].mean()))


def _lowest(side: BoolArray, degree: IntArray, beyond: float) -> BoolArray | None:
    """Of servers and spines the servers: those below a gap in the number of links with more devices below it than above."""
    steps = np.unique(degree[side])
    for low, high in zip(steps[:-1].tolist()[::-1], steps[1:].tolist()[::-1], strict=True):
        below, above = side & (degree <= low), side & (degree >= high)
        if high >= GAP * low and below.sum() > above.sum():
            return below
    return side if steps[-1] <= MOST_NICS and float(degree[side].mean()) < beyond else None
