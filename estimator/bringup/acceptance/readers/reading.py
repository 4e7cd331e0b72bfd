"""What was read of one file: which tool printed it, what it measured, and where by the names of the design."""

import re
from dataclasses import dataclass, replace

from estimator.bringup.acceptance.site import Site
from estimator.calibration.logs.read import ParsedLog
from estimator.digits import is_whole_number

_RAIL = re.compile(r"(?:^|[^A-Za-z0-9])rail[-_ ]?(\d{1,4})(?![0-9])", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,200}")
_JOINED = "__"


@dataclass(frozen=True)
class Measured:
    """One figure of a file, in the unit of the tool's gate; ``tool`` is collective, link, pcie or nvlink."""

    tool: str
    value: float
    message_bytes: int = 0
    detail: str = ""  # which GPU or pair of a node
    log: ParsedLog | None = None
    is_wrong: bool = False  # the test found wrong data


@dataclass(frozen=True)
class Place:
    """Where a file was measured, as far as its name and its hosts say."""

    gate: str | None = None
    nodes: tuple[str, ...] = ()
    rail: int | None = None
    leaves: tuple[str, ...] = ()
    rack: str | None = None
    other: str = ""

    @property
    def words(self) -> str:
        """In one line."""
        named = [*self.leaves, *([self.rack] if self.rack else [])] or list(self.nodes[:4])
        more = f" and {len(self.nodes) - 4} more" if len(self.nodes) > 4 and not (self.leaves or self.rack) else ""
        where = ", ".join(named) + more
        rail = f"rail {self.rail}" if self.rail else ""
        return ", ".join(part for part in (where, rail) if part) or self.other or "all"


class Places:
    """Finds the names of a design's devices in names of files and hosts."""

    def __init__(self, site: Site, gates: frozenset[str]) -> None:
        self._site, self._gates = site, gates
        self._leaves, self._racks = frozenset(site.leaves), frozenset(site.racks)

    def of(self, file: str, hosts: tuple[str, ...] = ()) -> Place:
        """The place that a file's name says, and for nodes that it does not name its hosts."""
        stem = re.sub(r"\.(log|txt|out|json)$", "", file, flags=re.IGNORECASE)
        gate, _, rest = stem.partition(_JOINED)
        known = gate if gate in self._gates else None
        where = rest if known else stem
        parts = where.split(_JOINED)
        if known and len(parts) > 1 and is_whole_number(parts[-1], 5):
            where = _JOINED.join(parts[:-1])  # the repetition
        rail = _RAIL.search(where)
        number = int(rail[1]) if rail and 1 <= int(rail[1]) <= self._site.n_rails else None
        words = [word for part in re.split(r"\+|__", where) for word in _WORD.findall(part)]
        place = Place(
            gate=known,
            nodes=self._nodes(words) or self._nodes(hosts),
            rail=number,
            leaves=tuple(word for word in words if word in self._leaves),
            rack=next((word for word in words if word in self._racks), None),
            other="" if where in ("", "all") else where[:80],
        )
        if not place.nodes and hosts and not (place.leaves or place.rack or place.rail):
            return replace(place, other=_hosts_words(hosts))
        return place

    def _nodes(self, words: tuple[str, ...] | list[str]) -> tuple[str, ...]:
        index = self._site.node_index
        short = (word if word in index else word.partition(".")[0] for word in words)
        return tuple(dict.fromkeys(word for word in short if word in index))


def _hosts_words(hosts: tuple[str, ...]) -> str:
    more = f" and {len(hosts) - 4} more" if len(hosts) > 4 else ""
    return ", ".join(host[:80] for host in hosts[:4]) + more
