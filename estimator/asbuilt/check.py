"""A design's links against those of a file: devices and ports are distinguished, then every link is compared by its ends."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from estimator.asbuilt.devices import NO_DEVICE, DeviceMatch, match_names, match_structure, side_of
from estimator.asbuilt.kinds import derive_kinds, kinds_said
from estimator.asbuilt.pairs import Listed, Pairing, distinct, pair_links
from estimator.asbuilt.ports import (
    ADAPTER_ORDER,
    DEVICE_BITS,
    MAC_ADDRESS,
    UNREAD,
    PortBook,
    adapter_order,
    local_code,
    read_ports,
    styles_of,
    tidy,
)
from estimator.asbuilt.readers.found import FoundLinks
from estimator.asbuilt.wiring import BY_WIRING, match_wiring
from estimator.cabling.links import LinkList
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import KINDS, LEAF, MANAGER, NODE, SWITCH_KINDS
from estimator.units import IntArray

LEAF_SHARE = 8  # of its links a leaf has at least one to a host
SAMPLED_ENDS = 20_000  # of a kind of device, to tell in which style its ports are named
HOST_KINDS = (NODE, MANAGER)


@dataclass(frozen=True)
class LinkCheck:
    """What the comparison found out. ``design`` and ``found`` are the links that ``pairing`` has indices into.

    A device index of ``found`` is the design's device, or n_devices plus the device's index in the file.
    """

    links: LinkList
    file: FoundLinks
    match: DeviceMatch
    styles: dict[str, str]
    planned: Listed
    found: Listed
    pairing: Pairing

    @property
    def n_devices(self) -> int:
        """Devices of the design."""
        return len(self.links.table.devices)


def check_links(links: LinkList, file: FoundLinks, mapping: Mapping[str, str] | None = None) -> LinkCheck:
    """Compare a file's links with a design's.

    Parameters
    ----------
    links : the design's links
    file : what a reader found
    mapping : name in the file → name in the design, for devices that were named otherwise

    Raises
    ------
    SpecError
        If the mapping names a device that the design does not have.
    """
    mapping = mapping or {}
    devices = links.table.devices
    strangers = sorted(name for name in mapping.values() if devices.index_of(name) is None)
    if strangers:
        shown = ", ".join(strangers[:3])
        message = f"The design has no device {shown}. Its names are such as {devices.names[0]} and {devices.names[-1]}."
        raise SpecError([Problem("names", "unknown_device", message)])
    planned = planned_links(links)
    match = match_names(devices.names, file.names, mapping)
    reader = _PortReader(links, file, planned)
    ends, styles = reader.ends(match)
    if (match.design < 0).any() and not _all_reported(match, len(devices)):
        hosts = np.repeat([kind in HOST_KINDS for kind in KINDS], [devices.n[kind] for kind in KINDS]).astype(np.int64)
        a, b = ((device << DEVICE_BITS) | code for device, code in ends)
        once = distinct(a, b, file.rate_gbit_s, file.both_sides)
        of_design = side_of(planned.low, planned.high, hosts)
        of_file = side_of(once.low, once.high, reader.is_host)
        match_structure(match, of_design, of_file, file.names)
        match_wiring(match, of_design, of_file, file.names)
        ends, styles = reader.ends(match)
    identity = np.where(match.design >= 0, match.design, len(devices) + np.arange(len(file.names)))
    a, b = ((identity[device] << DEVICE_BITS) | code for device, code in ends)
    found = distinct(a, b, file.rate_gbit_s, file.both_sides)
    is_renumbered = 2 * match.how.count(BY_WIRING) > len(match.how)
    pairing = pair_links(planned, found, is_renumbered)
    return LinkCheck(links, file, match, styles, planned, found, pairing)


def _all_reported(match: DeviceMatch, n_devices: int) -> bool:
    return int((match.design >= 0).sum()) == n_devices


def planned_links(links: LinkList) -> Listed:
    """The design's links as pairs of ends, in the order of its list."""
    table = links.table
    low = _codes(table.a_device, _by_name(links, table.a_device, table.a_port), np.zeros(len(table), dtype=np.int64))
    high = _codes(table.b_device, table.b_port, table.b_lane)
    number = np.arange(len(table), dtype=np.int64)
    return Listed(low, high, number, np.ones_like(number), table.rate_gbit_s.astype(np.int64))


def _by_name(links: LinkList, device: np.ndarray, port: np.ndarray) -> np.ndarray:
    """Ports of lower ends; of ports that print one name, as hosts of several sorts have them, the first stands for all."""
    labels = links.labels[NODE].ports
    if len(set(labels)) == len(labels):
        return port
    first = np.array([labels.index(label) for label in labels])
    is_node = device < links.table.devices.n[NODE]
    return np.where(is_node, first[np.where(is_node, port, 0)], port)


def _codes(device: np.ndarray, port: np.ndarray, lane: np.ndarray) -> IntArray:
    device, port, lane = (column.astype(np.int64) for column in (device, port, lane))
    codes: IntArray = (device << DEVICE_BITS) | local_code(port, lane)
    return codes


class _PortReader:
    """The ports of a file as local codes, by the style that fits the design best."""

    def __init__(self, links: LinkList, file: FoundLinks, planned: Listed) -> None:
        self._file = file
        self._devices = links.table.devices
        ends, far = np.concatenate([planned.low, planned.high]), np.concatenate([planned.high, planned.low])
        order = np.argsort(ends)
        self._planned_end, self._planned_far = ends[order], far[order] >> DEVICE_BITS
        self._planned_far_end = far[order]
        self._books = {kind: self._book(links, kind) for kind in KINDS if self._devices.n[kind]}
        self.is_host = self._kinds_of_file()
        self._likely_kind = self._kinds_by_tier()

    def _book(self, links: LinkList, kind: str) -> PortBook:
        labels, place = links.labels[kind], self._devices.of(kind)
        first, last = (np.searchsorted(self._planned_end, n << DEVICE_BITS) for n in (place.start, place.stop))
        used = np.unique(self._planned_end[first:last] & (UNREAD - 1))
        printed: dict[str, tuple[int, int]] = {}
        for lane, names in enumerate(labels.lanes):
            for port, label in enumerate(names):
                printed.setdefault(tidy(label), (port, lane))
        is_host = kind in HOST_KINDS
        panels = getattr(links.table.panels, kind)
        lanes = len(labels.lanes) - 1 if len(labels.lanes) > 1 else 1
        cages = {tidy(label): port for port, label in reversed(list(enumerate(labels.cage_ports)))}
        return PortBook(printed, frozenset(used.tolist()), len(labels.ports), panels, lanes, is_host, cages)

    def _kinds_of_file(self) -> IntArray:
        """1 for a host, 0 for a switch, -1 where neither the file nor ports, names and links say."""
        file = self._file
        kinds = kinds_said(file)
        node, leaf = self._books[NODE].printed, self._books[LEAF].printed
        looks = np.array([(tidy(text) in node) * 1 - (tidy(text) in leaf) * 1 for text in file.ports], dtype=np.int64)
        for device, port in ((file.a_device, file.a_port), (file.b_device, file.b_port)):
            unknown, look = kinds[device] < 0, looks[port]
            kinds[device[unknown & (look > 0)]] = 1
            kinds[device[unknown & (look < 0)]] = 0
        derive_kinds(kinds, file)
        return kinds

    def _kinds_by_tier(self) -> IntArray:
        """Index into KINDS by how far each device is from hosts, so that the ports of a tier are read alike; a stray host makes
        no leaf of a spine."""
        file = self._file
        device, far = np.r_[file.a_device, file.b_device], np.r_[file.b_device, file.a_device]
        is_host = self.is_host == 1
        n_links = np.bincount(device, minlength=len(is_host))
        n_hosts = np.bincount(device, weights=is_host[far], minlength=len(is_host))
        tiers = [NODE, *(kind for kind in SWITCH_KINDS if self._devices.n[kind])]
        tier = np.where(is_host, 0, np.where(n_hosts * LEAF_SHARE >= np.maximum(n_links, 1), 1, len(tiers) - 1))
        for level in range(1, len(tiers) - 1):
            near = np.zeros(len(is_host), dtype=bool)
            near[far[tier[device] == level]] = True
            tier[near & (tier > level)] = level + 1
        return np.array([KINDS.index(kind) for kind in tiers])[tier]

    def ends(self, match: DeviceMatch) -> tuple[list[tuple[IntArray, IntArray]], dict[str, str]]:
        """(device, local code) of both ends of every listing, and the style by kind of device."""
        file = self._file
        kind = self._kind_of_devices(match)
        device = np.concatenate([file.a_device, file.b_device])
        port = np.concatenate([file.a_port, file.b_port])
        far = np.concatenate([file.b_device, file.a_device])
        codes = np.zeros(len(device), dtype=np.int64)
        styles: dict[str, str] = {}
        for index, name in enumerate(KINDS):
            rows = np.flatnonzero(kind[device] == index)
            if name in self._books and len(rows):
                styles[name] = self._style(name, match, device[rows], port[rows], far[rows])
                codes[rows] = self._read(name, styles[name], device[rows], port[rows])
        half = len(file.a_device)
        rows = np.flatnonzero(np.isin(kind[device], [KINDS.index(name) for name in HOST_KINDS]))
        self._place_addresses(codes, rows, (match.design[device], match.design[far]), port)
        return [(device[:half], codes[:half]), (device[half:], codes[half:])], styles

    def _place_addresses(
        self, codes: IntArray, rows: IntArray, ends: tuple[IntArray, IntArray], port: IntArray
    ) -> None:
        """NICs that go by MAC addresses, which are in no order, take the planned ports towards their switches, in place.

        What is cabled otherwise has the ports that are left, so that a link to a wrong switch still shows.
        """
        is_address = np.array([bool(MAC_ADDRESS.fullmatch(text)) for text in self._file.ports] or [False])
        device, far = ends
        far_end = (far << DEVICE_BITS) | np.roll(codes, len(codes) // 2)  # the other ends stand half a list further
        of_host: dict[int, dict[int, int]] = defaultdict(dict)  # of a host: its ports, each with a row that lists it
        for row in rows[is_address[port[rows]] & (device[rows] >= 0)].tolist():
            of_host[int(device[row])][int(port[row])] = row
        place_of: dict[tuple[int, int], int] = {}
        for host, cabled in of_host.items():
            first, last = np.searchsorted(self._planned_end, (host << DEVICE_BITS, (host + 1) << DEVICE_BITS)).tolist()
            free = list(range(first, last))
            for is_right in (
                lambda i, row: self._planned_far_end[i] == far_end[row],
                lambda i, row: self._planned_far[i] == far[row],
                lambda i, row: True,
            ):
                for own, row in cabled.items():
                    place = next((i for i in free if is_right(i, row)), None) if (host, own) not in place_of else None
                    if place is not None:
                        free.remove(place)
                        place_of[host, own] = int(self._planned_end[place]) & (UNREAD - 1)
        for row in rows.tolist() if place_of else ():
            codes[row] = place_of.get((int(device[row]), int(port[row])), codes[row])

    def _kind_of_devices(self, match: DeviceMatch) -> IntArray:
        """Index into KINDS; of devices that are not known yet the likely one."""
        starts = np.array([self._devices.first[kind] for kind in KINDS])
        counts = np.array([self._devices.n[kind] for kind in KINDS])
        filled = np.flatnonzero(counts)
        known = filled[np.searchsorted(starts[filled], np.maximum(match.design, 0), side="right") - 1]
        return np.where(match.design == NO_DEVICE, self._likely_kind, known)

    def _style(self, kind: str, match: DeviceMatch, device: IntArray, port: IntArray, far: IntArray) -> str:
        """The style that puts most links between the devices that the design has there, else reads most of its ports."""
        book = self._books[kind]
        sample = np.unique(np.linspace(0, len(device) - 1, min(len(device), SAMPLED_ENDS)).astype(np.int64))
        reported = (match.design[device] >= 0) & (match.design[far] >= 0)
        used = np.fromiter(book.used, dtype=np.int64)
        best, style_of_best = (-1, -1), ""
        for style in styles_of(book):
            codes = self._read(kind, style, device, port)[sample]
            chosen = sample[reported[sample]]
            end = (match.design[device[chosen]] << DEVICE_BITS) | codes[reported[sample]]
            place = np.minimum(np.searchsorted(self._planned_end, end), len(self._planned_end) - 1)
            right = (self._planned_end[place] == end) & (self._planned_far[place] == match.design[far[chosen]])
            score = int(right.sum()), int(np.isin(codes, used).sum())
            if score > best:
                best, style_of_best = score, style
        return style_of_best

    def _read(self, kind: str, style: str, device: IntArray, port: IntArray) -> IntArray:
        texts = self._file.ports
        if style == ADAPTER_ORDER:
            return adapter_order(device, port, texts)
        seen = np.unique(port)
        codes = read_ports(self._books[kind], style, [texts[index] for index in seen.tolist()])
        codes = np.where(codes & UNREAD, UNREAD | seen, codes)
        return codes[np.searchsorted(seen, port)]
