"""Lengths and media that the request sets by hand, found among the links of a design."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from estimator.cabling.media import AUTO, MEDIA
from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.labels import labels_of
from estimator.fabric.ports import Labels
from estimator.fabric.topology import LinkTable
from estimator.spec.design import DesignSpec
from estimator.spec.site import SetLength
from estimator.units import IntArray

_MOST_TOLD = 20
_ENDS = (
    ("node", "leaf"),
    ("manager", "leaf"),
    ("leaf", "spine"),
    ("spine", "core"),
    ("leaf", "leaf"),
)  # of topology.TIERS
_FIELD = "site.set_lengths"


@dataclass(frozen=True, slots=True)
class HandSet:
    """What was set, link by link: whether, which length [m], and which medium (an index into MEDIA, 0 for none)."""

    MEDIA: ClassVar[tuple[str, ...]] = (AUTO, *MEDIA)

    is_set: npt.NDArray[np.bool_]
    length_m: npt.NDArray[np.float32]
    medium: IntArray


def hand_set(spec: DesignSpec, catalog: Catalog, role: str, table: LinkTable) -> HandSet | None:
    """The lengths of ``site.set_lengths`` that are of this fabric, or None if there are none; later entries win.

    Raises
    ------
    InfeasibleDesign
        With every entry whose devices do not exist, or are not joined by such a link.
    """
    entries = [(number, entry) for number, entry in enumerate(spec.site.set_lengths) if entry.fabric == role]
    if not entries:
        return None
    n_links = len(table)
    out = HandSet(np.zeros(n_links, bool), np.zeros(n_links, np.float32), np.zeros(n_links, np.int16))
    finder = _Finder(spec, catalog, role, table)
    problems = []
    for number, entry in entries:
        found = finder.links(number, entry)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        out.is_set[found] = True
        out.length_m[found] = entry.length_m
        out.medium[found] = HandSet.MEDIA.index(entry.medium) if entry.medium else 0
    if problems:
        raise InfeasibleDesign(problems[:_MOST_TOLD])
    return out


class _Finder:
    """Finds the links between two devices: rows stand in order of tier and lower device."""

    def __init__(self, spec: DesignSpec, catalog: Catalog, role: str, table: LinkTable) -> None:
        self._spec, self._catalog, self._role, self._table = spec, catalog, role, table
        self._labels: dict[str, Labels] | None = None

    def links(self, number: int, entry: SetLength) -> IntArray | Problem:
        """Row numbers of the links that an entry is about."""
        field, devices = f"{_FIELD}[{number}]", self._table.devices
        ends = [devices.index_of(name) for name in (entry.a, entry.b)]
        for name, index in zip((entry.a, entry.b), ends, strict=True):
            if index is None:
                example = f"{devices.names[0]} and {devices.names[devices.first['leaf']]}"
                message = f"No device of this design is called '{name}'. Names are those of the link list: {example}."
                return Problem(field, "unknown_device", message)
        if (entry.a_port is None) != (entry.b_port is None):
            return Problem(field, "port_without_port", "Give the ports of both devices, or of neither.")
        rows = self._between(ends[0] or 0, ends[1] or 0)
        if entry.a_port is not None and len(rows):
            rows = rows[[self._ports(row) == {(entry.a, entry.a_port), (entry.b, entry.b_port)} for row in rows]]
        if not len(rows):
            ports = f" at ports {entry.a_port} and {entry.b_port}" if entry.a_port else ""
            message = f"No link joins {entry.a} and {entry.b}{ports}. Take both ends from one row of the link list."
            return Problem(field, "no_such_link", message)
        return rows

    def _between(self, one: int, other: int) -> IntArray:
        devices = self._table.devices
        kinds = {devices.kind(one): one, devices.kind(other): other}
        if len(kinds) == 1:  # two leaves of a pair
            rows = self._table.rows(_ENDS.index(("leaf", "leaf")))
            ends = np.sort((self._table.a_device[rows], self._table.b_device[rows]), axis=0)
            return np.flatnonzero(np.all(np.sort([one, other]) == ends.T, axis=1)) + rows.start
        for tier, (lower, upper) in enumerate(_ENDS):
            if lower in kinds and upper in kinds and lower != upper:
                rows = self._table.rows(tier)
                a = self._table.a_device[rows]
                start, stop = (int(np.searchsorted(a, kinds[lower], side)) for side in ("left", "right"))
                inside = np.flatnonzero(self._table.b_device[rows][start:stop] == kinds[upper])
                return inside + rows.start + start
        return np.zeros(0, np.int64)

    def _ports(self, row: int) -> set[tuple[str, str]]:
        table, names = self._table, self._table.devices.names
        lower, upper = _ENDS[int(table.tier[row])]
        labels = self._all_labels()
        a, b = int(table.a_device[row]), int(table.b_device[row])
        return {
            (names[a], labels[lower].port(int(table.a_port[row]))),
            (names[b], labels[upper].port(int(table.b_port[row]), int(table.b_lane[row]))),
        }

    def _all_labels(self) -> dict[str, Labels]:
        if self._labels is None:
            self._labels = labels_of(self._spec, self._table, self._role, self._catalog)
        return self._labels
