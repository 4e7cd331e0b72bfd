"""A comparison in words and as JSON: every difference by name, and what the network of the file amounts to."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import IO, Any

import numpy as np

from estimator.asbuilt.check import LinkCheck, check_links
from estimator.asbuilt.devices import BY_ORDER, BY_STRUCTURE
from estimator.asbuilt.ports import DEVICE_BITS, LANE_BITS, UNREAD, tidy
from estimator.asbuilt.readers.files import AUTO, MAX_FILE_BYTES, read_links
from estimator.asbuilt.readers.found import HOST, SWITCH
from estimator.asbuilt.readers.name_map import read_name_map
from estimator.asbuilt.result import (
    BuiltNetwork,
    BuiltRatio,
    BuiltRatios,
    DeviceLinks,
    DeviceNames,
    DisplacedLink,
    DoubledLink,
    ExtraLink,
    FoundLink,
    LinkComparison,
    LinkEnd,
    LinkSpan,
    LinksRead,
    MissingLink,
    NamedDevice,
    PlannedLink,
    SlowLink,
    SpineDifference,
    SpineLinks,
    SwappedLinks,
)
from estimator.asbuilt.wiring import BY_WIRING
from estimator.cabling.links import LinkList
from estimator.digits import is_whole_number
from estimator.fabric.devices import KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.record import Json, Record
from estimator.units import IntArray, parse_ratio, ratio_text

LIST_BOUND = 200
"""Most entries of one list in the answer; ``totals`` has how many there are."""
IDENTIFIED = (BY_STRUCTURE, BY_ORDER, BY_WIRING)  # by cabling: the file has other names
ORDINARY_DROPS = ("aggregation_node", "not_connected", "management_port")  # of a sound dump: nothing to heed
DIFFERENCES = ("missing", "extra", "swapped", "doubled", "wrong_port", "moved", "speed_mismatch")


def compare_links(
    links: LinkList, file: IO[bytes], file_format: str = AUTO, names: bytes = b"", max_bytes: int = MAX_FILE_BYTES
) -> LinkComparison:
    """Read a file of links and compare it with a design's: what the command line, REST and the page answer.

    Parameters
    ----------
    links : the design's links
    file : binary file that can seek
    file_format : "auto" or one of readers.files.FORMATS
    names : a CSV of names in the file and in the design; empty for none
    max_bytes : the largest file that is read [B]

    Raises
    ------
    SpecError
        For a format or a device that does not exist; as UnreadableFile for what cannot be read.
    """
    found = read_links(file, file_format, max_bytes)
    return report(check_links(links, found, read_name_map(names) if names else None))


def report(check: LinkCheck) -> LinkComparison:
    """The comparison; lists end at LIST_BOUND entries."""
    names = _Names(check)
    lists = _differences(check, names)
    totals = {name: len(entries) for name, entries in lists.items()}
    shown: Json = {name: [make(entry) for entry in lists[name][:LIST_BOUND]] for name, make in _makers(names).items()}
    strangers, absent = _strangers(check), _absent(check)
    made = LinkComparison(
        format=check.file.format,
        fabric=check.links.role,
        spec_hash=check.links.spec_hash,
        file_spec_hash=check.file.spec_hash,
        read=_read(check),
        matched=len(check.pairing.matched[0]),
        as_designed=len(check.pairing.matched[0]) - totals["speed_mismatch"],
        without_rate=int((check.found.rate_gbit_s[check.pairing.matched[1]] == 0).sum()),
        planned=len(check.links),
        totals=totals | {"unknown_devices": len(strangers), "absent_devices": len(absent)},
        list_bound=LIST_BOUND,
        **shown,
        unknown_devices=strangers[:LIST_BOUND],
        absent_devices=absent[:LIST_BOUND],
        names=_naming(check),
        port_names=check.styles,
        built=_built(check, names),
        summary="",
    )
    return made.but(summary=" ".join(_sentences(made, check.file.cut)))


def _read(check: LinkCheck) -> LinksRead:
    file = check.file
    kinds = Counter(file.kinds)
    has_guids = file.adapters is not None
    return LinksRead(
        links=len(check.found.low),
        listings=len(file),
        devices=len(file.names),
        switches=kinds[SWITCH] if has_guids else None,
        hosts=kinds[HOST] if has_guids else None,
        adapters=file.adapters,
        dropped=file.drops,
        dropped_total=sum(file.drop_counts.values()),
        dropped_by_reason=file.drop_counts,
    )


# ---------------------------------------------------------------- one difference


class _Names:
    """Ends and links by the design's names, with the file's own where they differ."""

    def __init__(self, check: LinkCheck) -> None:
        self.check = check
        self._devices = check.links.table.devices
        self._in_file = {
            self._devices.names[check.match.design[index]]: check.file.names[index]
            for index in np.flatnonzero(check.match.design >= 0).tolist()
            if self._devices.names[check.match.design[index]] != check.file.names[index]
        }

    def planned(self, link: int) -> PlannedLink:
        """A link of the design."""
        (row,) = self.check.links.rows(link, link + 1)
        nic = self._nic_in_file(int(self.check.planned.low[link]), row.a_port)
        a, b = self._planned_end(row.a_device, row.a_port).but(**nic), self._planned_end(row.b_device, row.b_port)
        return PlannedLink(link=row.link, cable=row.cable, tier=row.tier, a=a, b=b)

    def _planned_end(self, device: str, port: str) -> LinkEnd:
        return LinkEnd(device=device, port=port, **self.in_file(device))

    def in_file(self, device: str) -> dict[str, str]:
        """What the file calls a device of the design, where that is another name."""
        return {"device_in_file": self._in_file[device]} if device in self._in_file else {}

    def found(self, link: int) -> FoundLink:
        """A link of the file, lower end first."""
        file, listing = self.check.file, int(self.check.found.listing[link])
        ends = [
            (int(file.a_device[listing]), int(file.a_port[listing])),
            (int(file.b_device[listing]), int(file.b_port[listing])),
        ]
        codes = int(self.check.found.low[link]), int(self.check.found.high[link])
        if self._identity(ends[0][0]) != codes[0] >> DEVICE_BITS:
            ends.reverse()
        a, b = (self._end(code, *end) for code, end in zip(codes, ends, strict=True))
        return FoundLink(line=int(file.line[listing]), a=a, b=b)

    @cached_property
    def _nics(self) -> dict[int, str]:
        """What the file calls each port of servers, by its local code: the name that most servers have for it."""
        found, file = self.check.found, self.check.file
        of_hosts = np.flatnonzero((found.low >> DEVICE_BITS) < self._devices.n[NODE])
        listing = found.listing[of_hosts]
        identity = np.where(self.check.match.design >= 0, self.check.match.design, self.check.n_devices)
        is_a = identity[file.a_device[listing]] == found.low[of_hosts] >> DEVICE_BITS
        text = np.where(is_a, file.a_port[listing], file.b_port[listing])
        pairs, times = np.unique(np.stack([found.low[of_hosts] & (2 * UNREAD - 1), text]), axis=1, return_counts=True)
        order = np.argsort(times, kind="stable")  # the most frequent last
        return {int(pairs[0, i]): file.ports[pairs[1, i]] for i in order.tolist()}

    def _nic_in_file(self, end: int, port: str) -> dict[str, str]:
        """The file's name of a server's port, where the design has another; a bare number is a name of no NIC."""
        if end >> DEVICE_BITS >= self._devices.n[NODE]:
            return {}
        text = self._nics.get(end & (2 * UNREAD - 1), port)
        return {"nic_in_file": text} if tidy(text) != tidy(port) and not is_whole_number(text, len(text)) else {}

    def _identity(self, device: int) -> int:
        design = int(self.check.match.design[device])
        return design if design >= 0 else self.check.n_devices + device

    def _end(self, code: int, device: int, port: int) -> LinkEnd:
        file, index = self.check.file, code >> DEVICE_BITS
        end = LinkEnd(device=file.names[device], port=file.ports[port])
        if index >= self.check.n_devices:
            return end
        name, label = self._devices.names[index], self._label(index, code & (2 * UNREAD - 1))
        if name != end.device:
            end = end.but(device=name, device_in_file=end.device)
        if label is not None and label != end.port:
            end = end.but(port=label, port_in_file=end.port, **self._nic_in_file(code, label))
        return end

    def _label(self, device: int, code: int) -> str | None:
        if code & UNREAD:
            return None
        labels = self.check.links.labels[self._devices.kind(device)]
        port, lane = code >> LANE_BITS, code & ((1 << LANE_BITS) - 1)
        return labels.port(port, lane) if port < len(labels.ports) and lane < len(labels.lanes) else None


def _makers(names: _Names) -> dict[str, Callable[[Any], Record]]:
    """What turns an entry of each list into a record."""
    return {
        "missing": lambda link: _missing(names.planned(link)),
        "extra": lambda link: _extra(names.found(link)),
        "swapped": lambda swap: _swapped(names, swap),
        "doubled": lambda link: _doubled(names, link),
        "wrong_port": lambda pair: _instead(names, pair, "on another port: it should be {}, and is {}."),
        "moved": lambda pair: _instead(names, pair, "at another device: it should be {}, and is {}."),
        "speed_mismatch": lambda pair: _slow(names, pair),
    }


def _missing(link: PlannedLink) -> MissingLink:
    return MissingLink(**vars(link), message=f"{link} is missing.")


def _extra(link: FoundLink) -> ExtraLink:
    return ExtraLink(**vars(link), message=f"{link} is not in the design.")


def _instead(names: _Names, pair: tuple[int, int], sentence: str) -> DisplacedLink:
    plan, real = names.planned(pair[0]), names.found(pair[1])
    return DisplacedLink(planned=plan, found=real, message=f"Link {plan.link} is {sentence.format(plan, real)}")


def _swapped(names: _Names, swap: tuple[Sequence[int], Sequence[int]]) -> SwappedLinks:
    planned, found = swap
    plans, reals = [names.planned(link) for link in planned[:8]], [names.found(link) for link in found[:8]]
    pairs = {(link.a.device, link.b.device) for link in plans}
    is_harmless = len(pairs) == 1 and len(planned) <= 8
    what = "are swapped" if len(planned) == 2 else f"are mixed up in a ring of {len(planned)}"
    message = f"{' and '.join(map(str, plans[:2]))} {what}"
    message += ", between the same two devices: nothing but the labels is wrong." if is_harmless else "."
    return SwappedLinks(links=len(planned), planned=plans, found=reals, same_devices=is_harmless, message=message)


def _doubled(names: _Names, link: int) -> DoubledLink:
    check, real = names.check, names.found(link)
    times = int(check.found.times[link])
    if times > 1:
        lines, message = _lines_of(check, link), f"{real} is listed {times} times."
        return DoubledLink(**vars(real), reason="listed_twice", times=times, lines=lines, message=message)
    others = "; ".join(str(names.found(other)) for other in _sharing(check, link))
    message = f"{real} uses a port that another cable has: {others}."
    return DoubledLink(**vars(real), reason="port_used_twice", times=1, lines=[real.line], message=message)


def _lines_of(check: LinkCheck, link: int) -> list[int]:
    """The file's lines with the same two devices and ports as a link, in either order."""
    file, listing = check.file, check.found.listing[link]
    columns = (file.a_device, file.a_port, file.b_device, file.b_port)
    a, a_port, b, b_port = (column[listing] for column in columns)
    forward = (columns[0] == a) & (columns[1] == a_port) & (columns[2] == b) & (columns[3] == b_port)
    backward = (columns[0] == b) & (columns[1] == b_port) & (columns[2] == a) & (columns[3] == a_port)
    lines: list[int] = file.line[forward | backward][:8].tolist()
    return lines


def _sharing(check: LinkCheck, link: int) -> list[int]:
    found = check.found
    ends = found.low[link], found.high[link]
    same = np.isin(found.low, ends) | np.isin(found.high, ends)
    return [other for other in np.flatnonzero(same)[:4].tolist() if other != link]


def _slow(names: _Names, pair: tuple[int, int]) -> SlowLink:
    planned, found = pair
    plan = names.planned(planned)
    asked, real = int(names.check.planned.rate_gbit_s[planned]), int(names.check.found.rate_gbit_s[found])
    return SlowLink(
        **vars(plan),
        line=int(names.check.file.line[names.check.found.listing[found]]),
        rate_gbit_s=asked,
        found_gbit_s=real,
        message=f"{plan} runs at {real} Gb/s instead of {asked} Gb/s.",
    )


def _differences(check: LinkCheck, names: _Names) -> dict[str, list[Any]]:
    """All entries of each list, as indices, in the order of the design or of the file."""
    pairing, found = check.pairing, check.found
    listing = found.listing
    doubled = sorted({*pairing.taken, *np.flatnonzero(found.times > 1).tolist()}, key=lambda link: listing[link])
    planned, real = pairing.matched
    rate = found.rate_gbit_s[real]
    slow = np.flatnonzero((rate > 0) & (rate != check.planned.rate_gbit_s[planned]))
    return {
        "missing": sorted(pairing.missing),
        "extra": sorted(pairing.extra, key=lambda link: listing[link]),
        "swapped": sorted(pairing.swaps),
        "doubled": doubled,
        "wrong_port": sorted(pairing.wrong_port),
        "moved": sorted(pairing.moved),
        "speed_mismatch": sorted(zip(planned[slow].tolist(), real[slow].tolist(), strict=True)),
    }


# ---------------------------------------------------------------- devices


def _ends_by_device(check: LinkCheck) -> IntArray:
    """Links of the file at every device of the design, and after them at those that it does not know."""
    ends = np.concatenate([check.found.low, check.found.high]) >> DEVICE_BITS
    return np.bincount(ends, minlength=check.n_devices + len(check.file.names))


def _strangers(check: LinkCheck) -> list[DeviceLinks]:
    links = _ends_by_device(check)
    return [
        DeviceLinks(device=check.file.names[index], links=int(links[check.n_devices + index]))
        for index in np.flatnonzero(check.match.design < 0).tolist()
    ]


def _absent(check: LinkCheck) -> list[DeviceLinks]:
    """Devices of the design that no link of the file is at."""
    links = _ends_by_device(check)
    ends = np.concatenate([check.planned.low, check.planned.high]) >> DEVICE_BITS
    planned = np.bincount(ends, minlength=check.n_devices)
    absent = np.flatnonzero((links[: check.n_devices] == 0) & (planned > 0))
    names = check.links.table.devices.names
    return [DeviceLinks(device=names[index], links=int(planned[index])) for index in absent.tolist()]


def _naming(check: LinkCheck) -> DeviceNames:
    """How devices were identified; for those identified by structure, the pairs and the share of their links that fit."""
    n = check.n_devices
    planned = np.bincount(np.concatenate([check.planned.low, check.planned.high]) >> DEVICE_BITS, minlength=n)
    matched = check.pairing.matched[0]
    if 2 * check.match.how.count(BY_WIRING) > len(
        check.match.how
    ):  # their ports are numbered otherwise: the right device at the far end is a fit
        matched = np.r_[matched, np.array([pair[0] for pair in check.pairing.wrong_port], dtype=np.int64)]
    both = np.concatenate([check.planned.low[matched], check.planned.high[matched]]) >> DEVICE_BITS
    fitting = np.bincount(both, minlength=n)
    share = fitting / np.maximum(planned, 1)
    names, design = check.links.table.devices.names, check.match.design
    automatic = [index for index, how in enumerate(check.match.how) if how in IDENTIFIED]
    fits = [float(share[design[index]]) for index in automatic]
    known = [design[index] for index in automatic]
    return DeviceNames(
        told_by=check.match.counts(),
        is_automatic=bool(automatic),
        confidence=round(float(fitting[known].sum() / max(planned[known].sum(), 1)), 4) if known else None,
        automatic=[
            NamedDevice(
                in_file=check.file.names[index],
                in_design=names[design[index]],
                confidence=round(fit, 4),
                interchangeable=index in check.match.alike,
            )
            for index, fit in list(zip(automatic, fits, strict=True))[:LIST_BOUND]
        ],
        automatic_total=len(automatic),
    )


# ---------------------------------------------------------------- what the network of the file amounts to


@dataclass(frozen=True)
class _Sums:
    """Rates below and above every leaf, and links from leaves to every spine, by device."""

    down_gbit_s: IntArray
    up_gbit_s: IntArray
    spine_links: IntArray


def _sums(check: LinkCheck, low: IntArray, high: IntArray, rate: IntArray) -> _Sums:
    devices = check.links.table.devices
    a, b = low >> DEVICE_BITS, high >> DEVICE_BITS
    kinds = np.repeat(np.arange(len(KINDS)), [devices.n[kind] for kind in KINDS])
    node, manager, leaf, spine = (KINDS.index(kind) for kind in (NODE, MANAGER, LEAF, SPINE))
    below = ((kinds[a] == node) | (kinds[a] == manager)) & (kinds[b] == leaf)
    above = (kinds[a] == leaf) & (kinds[b] == spine)
    n = len(devices)
    down = np.bincount(b[below], weights=rate[below], minlength=n).astype(np.int64)
    up = np.bincount(a[above], weights=rate[above], minlength=n).astype(np.int64)
    return _Sums(down, up, np.bincount(b[above], minlength=n))


def _built(check: LinkCheck, names: _Names) -> BuiltNetwork:
    """Oversubscription and links a spine, by the design's links and by the file's, both counted link by link."""
    planned, found, n = check.planned, check.found, check.n_devices
    keep = ((found.low >> DEVICE_BITS) < n) & ((found.high >> DEVICE_BITS) < n)
    keep[check.pairing.taken] = False
    rate = _rates(check)
    design = _sums(check, planned.low, planned.high, planned.rate_gbit_s)
    real = _sums(check, found.low[keep], found.high[keep], rate[keep])
    devices = check.links.table.devices
    spines = np.arange(n)[devices.of(SPINE)]
    differ = [i for i in spines.tolist() if design.spine_links[i] != real.spine_links[i]]
    leaves = devices.of(LEAF)
    return BuiltNetwork(
        oversubscription=BuiltRatios(design=_ratios(leaves, design), found=_ratios(leaves, real)),
        spine_links=SpineLinks(
            design=_span(design.spine_links[spines]),
            found=_span(real.spine_links[spines]),
            differ=[
                SpineDifference(
                    device=devices.names[i],
                    **names.in_file(devices.names[i]),
                    design=int(design.spine_links[i]),
                    found=int(real.spine_links[i]),
                )
                for i in differ[:LIST_BOUND]
            ],
            differ_total=len(differ),
        ),
        links_not_counted=int((~keep).sum()),
    )


def _rates(check: LinkCheck) -> IntArray:
    """Rate of every found link: the file's, else the design's of the same link, else that of the kind of device."""
    found, fabric = check.found, check.links.fabric
    managers = check.links.table.devices.first[MANAGER]
    leaves = check.links.table.devices.first[LEAF]
    lower = found.low >> DEVICE_BITS
    at_managers = np.where(lower < leaves, fabric.port_rate_gbit_s, fabric.uplink_rate_gbit_s)
    usual = np.where(lower < managers, fabric.endpoint_rate_gbit_s, at_managers)
    rate: IntArray = np.where(found.rate_gbit_s > 0, found.rate_gbit_s, usual)
    return rate


def _ratios(leaves: slice, sums: _Sums) -> BuiltRatio:
    down, up = sums.down_gbit_s[leaves], sums.up_gbit_s[leaves]
    if not up.any() or not down.any():
        return BuiltRatio(built=None, built_ratio=None, worst_leaf=None, worst_leaf_ratio=None)
    built = Fraction(int(down.sum()), int(up.sum()))
    fed = np.flatnonzero(up)
    worst_leaf = int(fed[np.argmax(down[fed] / up[fed])])
    worst = Fraction(int(down[worst_leaf]), int(up[worst_leaf]))
    return BuiltRatio(
        built=ratio_text(built),
        built_ratio=float(built),
        worst_leaf=ratio_text(worst),
        worst_leaf_ratio=float(worst),
        leaves_without_uplinks=int(((up == 0) & (down > 0)).sum()),
    )


def _span(counts: IntArray) -> LinkSpan | None:
    return LinkSpan(min=int(counts.min()), max=int(counts.max()), total=int(counts.sum())) if len(counts) else None


# ---------------------------------------------------------------- words


def _sentences(made: LinkComparison, cut: Sequence[str]) -> Iterator[str]:
    """The summary, from the finished report."""
    totals, names = made.totals, made.names
    words = {
        "swapped": "swapped pair" if totals["swapped"] == 1 else "swapped pairs or rings",
        "missing": "missing",
        "extra": "not in the design",
        "doubled": "doubled",
        "wrong_port": "on a wrong port",
        "moved": "at a wrong device",
        "speed_mismatch": "at a wrong speed",
    }
    counted = [f"{totals[name]:,} {text}" for name, text in words.items() if totals[name]]
    if counted:
        yield f"{made.as_designed:,} of {made.planned:,} links are as designed; {', '.join(counted)}."
    else:
        yield f"All {made.planned:,} links are as designed."
    if made.without_rate:
        yield _rates_unknown(made)
    if n := totals["absent_devices"]:
        yield f"{_many(n, 'device')} of the design {'has' if n == 1 else 'have'} no link in the file."
    if n := totals["unknown_devices"]:
        yield f"{_many(n, 'device')} of the file {'is' if n == 1 else 'are'} not in the design."
    if names.is_automatic:
        yield (
            f"{_many(names.automatic_total, 'device')} of other names in the file were identified by their cabling; "
            f"{_share_that_fits(names.confidence)} of their links fit."
        )
    yield from _built_sentences(made.built)
    read = made.read
    if n := read.dropped_total - sum(read.dropped_by_reason.get(code, 0) for code in ORDINARY_DROPS):
        yield f"{_many(n, 'line')} of the file gave no link."
    if cut:
        named = "is named by others alone" if len(cut) == 1 else "are named by others alone"
        yield f"{_many(len(cut), 'device')} of the file, such as {cut[0]}, {named}: is it cut off?"
    if made.file_spec_hash and not made.spec_hash.startswith(made.file_spec_hash):
        yield "The file was written from another design or an earlier state of this one."


def _rates_unknown(made: LinkComparison) -> str:
    if made.without_rate == made.matched:
        return "The file gives no rates, so that speeds are not compared."
    return f"The file gives no rate for {made.without_rate:,} of these links, whose speed is not compared."


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _share_that_fits(confidence: float | None) -> str:
    """All but all is never called 100 %."""
    share = confidence or 0
    return f"{share if share == 1 else min(round(share, 3), 0.999):.3%}".rstrip("0%").rstrip(".") + " %"


def _to_one(ratio: str | None) -> str:
    if ratio is None:
        return "unknown"
    share = parse_ratio(ratio)
    return ratio if share.denominator == 1 else f"{float(share):.3g}:1"


def _built_sentences(built: BuiltNetwork) -> Iterator[str]:
    design, found = built.oversubscription.design, built.oversubscription.found
    if found.built is None or design.built is None:
        return
    if (found.built, found.worst_leaf) == (design.built, design.worst_leaf):
        yield f"Oversubscription by the file's links is {_to_one(found.built)}, as designed."
    else:
        yield (
            f"Oversubscription by the file's links is {_to_one(found.built)} and {_to_one(found.worst_leaf)} at the worst leaf; "
            f"designed are {_to_one(design.built)} and {_to_one(design.worst_leaf)}."
        )
    if built.spine_links.differ_total:
        n = built.spine_links.differ_total
        yield f"{n:,} {'spine has' if n == 1 else 'spines have'} another number of links than designed."
