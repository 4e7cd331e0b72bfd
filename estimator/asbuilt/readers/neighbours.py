"""Tables of LLDP neighbours as links: both ends of a link may have printed one, and each has its own names for the other.

A neighbour goes by the name of its own table where only the domain differs. A port that its owner calls otherwise, such as an
alias of SONiC (etp17 for Ethernet64) or the MAC address of a NIC, is found by its description, by what the owner's table has of
this end, and at last by its place among the links of the two. A server that printed no table has the names of its descriptions
(ens1f0np0), where they distinguish its NICs: MAC addresses are in no order. Links of management ports are left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from estimator.asbuilt.ports import ADAPTER_PORT, MAC_ADDRESS, natural_key
from estimator.asbuilt.readers.found import HOST, MAX_LINKS, LinkSink
from estimator.digits import is_whole_number
from estimator.errors import UnreadableFile

MANAGEMENT = re.compile(r"(?:eth0|mgmt-?\d*|management-?\d+(?:/\d+)?|ma\d+|fxp\d|em0|me0|oob\d*)$", re.I)
_PANEL = re.compile(r"(?:swp|etp|ethernet|eth?\d{1,3}/|et-|xe-|ge-|\w*gig\w*\d|\d{1,3}/\d)", re.I)
_CODES = frozenset("RBTCWPSO")  # of capabilities
_BRIDGES = frozenset("BR")
_STATIONS = frozenset("SO")
MANY_PORTS = 4  # of another name beside a port that may be the management port


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A row of a device's table: its port, the neighbour and its port, what the neighbour says of the port and of itself.

    ``line`` and ``here``, the device, follow from where the row stands.
    """

    port: str
    far: str
    far_port: str
    description: str = ""
    is_station: bool = False
    rate_gbit_s: int = 0
    line: int = 0
    here: str = ""


def is_station(codes: str) -> bool:
    """Whether the codes of a table's capabilities are those of a host: neither bridge nor router, but station or other."""
    letters = frozenset(codes.replace(",", ""))
    return bool(letters & _STATIONS) and letters <= _CODES and not letters & _BRIDGES


class Neighbours:
    """Rows of all tables, until it is known who printed one."""

    def __init__(self) -> None:
        self._rows: list[Neighbour] = []
        self._seen: set[tuple[str, str, str, str]] = set()  # a table and lldpcli may both list a neighbour

    def add(self, row: Neighbour) -> None:
        """A row, unless the device has listed it."""
        key = (row.here, row.port, row.far, row.far_port)
        if key in self._seen:
            return
        self._seen.add(key)
        self._rows.append(row)
        if len(self._rows) > MAX_LINKS:
            message = f"The file lists more than {MAX_LINKS:,} neighbours. Split it by pod or by tier."
            raise UnreadableFile("too_many_links", message)

    def into(self, sink: LinkSink) -> None:
        """Every row as a listing of a link."""
        rows = _by_reverse(_by_description(_with_names_of_nics(_under_one_name(self._rows))))
        ports: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            for name, port in _ends(row):
                ports[name].add(port)
        switches = {name for name, own in ports.items() if any(map(_PANEL.match, own))}
        aside = {(name, port) for name, own in ports.items() for port in own if _is_aside(port, own, name in switches)}
        for row in rows:
            if not aside.isdisjoint(_ends(row)):
                sink.drop(row.line, "management_port", f"{row.here} {row.port} – {row.far} {row.far_port}")
            else:
                far_kind = HOST if row.is_station and row.far not in switches else ""
                sink.add(row.line, (row.here, "", row.port), (row.far, far_kind, row.far_port), row.rate_gbit_s)


def _ends(row: Neighbour) -> tuple[tuple[str, str], tuple[str, str]]:
    return (row.here, row.port), (row.far, row.far_port)


def _is_aside(port: str, ports: set[str], is_switch: bool) -> bool:
    """Whether a port is that of a device's management, beside its others."""
    if not MANAGEMENT.match(port):
        return False
    others = [other for other in ports if not MANAGEMENT.match(other) and other[:3].lower() != port[:3].lower()]
    return is_switch or len(others) >= MANY_PORTS


def _short(name: str) -> str:
    """A name without its domain and case; an address stays whole."""
    first = name.split(".", 1)[0].lower()
    return name if is_whole_number(first, len(first) or 1) else first


def _under_one_name(rows: list[Neighbour]) -> list[Neighbour]:
    """The rows with every device under one name, that of its own table before others; two domains are two devices."""
    names = dict.fromkeys((*(row.here for row in rows), *(row.far for row in rows)))
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[_short(name)].append(name)
    name_of = {name: name for name in names}
    for group in alike.values():
        if len({name.lower() for name in group if "." in name}) <= 1:
            name_of |= dict.fromkeys(group, group[0])
    return [replace(row, here=name_of[row.here], far=name_of[row.far]) for row in rows]


def _own_ports(rows: list[Neighbour]) -> dict[str, set[str]]:
    own: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        own[row.here].add(row.port)
    return own


def _with_names_of_nics(rows: list[Neighbour]) -> list[Neighbour]:
    """MAC addresses of a server without a table of its own as the names that stand beside them, if each NIC has another one."""
    own = _own_ports(rows)
    described: dict[str, dict[str, str]] = defaultdict(dict)  # of a server: MAC address → name
    for row in rows:
        if row.far not in own and MAC_ADDRESS.fullmatch(row.far_port):
            described[row.far][row.far_port] = row.description
    named = {
        far: names
        for far, names in described.items()
        if len(set(names.values())) == len(names) and all(map(ADAPTER_PORT.match, names.values()))
    }
    return [replace(row, far_port=named.get(row.far, {}).get(row.far_port, row.far_port)) for row in rows]


def _by_description(rows: list[Neighbour]) -> list[Neighbour]:
    own = _own_ports(rows)
    return [
        replace(row, far_port=row.description)
        if row.far in own and row.far_port not in own[row.far] and row.description in own[row.far]
        else row
        for row in rows
    ]


def _by_reverse(rows: list[Neighbour]) -> list[Neighbour]:
    """Ports that their owners call otherwise, by the owner's row of the same link."""
    own = _own_ports(rows)
    back = {(row.here, row.far, row.far_port): row.port for row in rows}
    out = [
        replace(row, far_port=back[row.far, row.here, row.port])
        if row.far in own and row.far_port not in own[row.far] and (row.far, row.here, row.port) in back
        else row
        for row in rows
    ]
    for here, there in _open_pairs(out, own):
        for one, other in zip(here, there, strict=True):
            out[one] = replace(out[one], far_port=out[other].port)
            out[other] = replace(out[other], far_port=out[one].port)
    return out


def _open_pairs(rows: list[Neighbour], own: dict[str, set[str]]) -> Iterator[tuple[list[int], list[int]]]:
    """Rows of two devices about each other in which neither knows the other's ports by name, in the order of the ports of one."""
    between: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row.far in own and row.far_port not in own[row.far]:
            between[row.here, row.far].append(at)
    for (here, far), mine in between.items():
        theirs = between.get((far, here), [])
        if here < far and len(mine) == len(theirs):
            yield (
                sorted(mine, key=lambda at: natural_key(rows[at].far_port)),
                sorted(theirs, key=lambda at: natural_key(rows[at].port)),
            )
