"""Figures of single paths → constants of the model, each with its range.

A constant is the catalog's times the share of the healthy figure that the path shows (healthy.csv); latency of the network is the
catalog's plus what the path takes beyond the healthy time, one way. Of several figures of a kind the middle one counts, and the
range holds them all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from estimator.calibration.logged_run import LogSystem, gpu_named
from estimator.calibration.logs.system_words import FIT_FAULTY, labelled
from estimator.calibration.logs.transport import NIC_RATES_GBIT_S
from estimator.calibration.paths.healthy import Constant, healthy
from estimator.calibration.paths.read import BOTH_WAYS, LATENCY, LINK, PEER_COPY, PathFigure
from estimator.calibration.result import Bounds, OfPaths, Parameter, PathResult
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import Sentence, plain, special
from estimator.performance.bandwidth import GpuFacts, gpu_facts
from estimator.sentences import Words, by_reader, gb_s, said
from estimator.spec.calibration import parameter_name
from estimator.units import BITS_PER_BYTE, byte_s_to_gb_s

ROUND_TRIPS = ("read",)  # timed there and back
FAULTY_SHARE = 0.9  # of the least that a healthy path gives: below it a path looks faulty
FAULTY_TIMES = {"mpi": 1.3}  # of the longest healthy latency; 1 where that is a limit of acceptance
Key = tuple[str, str]


@dataclass(frozen=True)
class _Said:
    """What one figure says of some constants: a share of the healthy figure, or µs more than it, each with its range."""

    keys: tuple[Key, ...]
    value: float
    low: float
    high: float
    worst: float  # of a healthy path: the least share, the most µs
    measured: tuple[float, float]  # the least and the most measured one, as a share or µs more
    n_measured: int
    is_added: bool = False


_Found = tuple[float | None, _Said | None, Sentence]  # the healthy figure, what this one says, a note


def path_constants(
    figures: Sequence[PathFigure], asked: LogSystem, catalog: Catalog
) -> tuple[dict[str, Parameter], list[PathResult]]:
    """(constants by name, what was read of each line and what became of it)."""
    sites = _Site(asked, catalog)
    by_key: dict[Key, list[_Said]] = {}
    results = []
    for figure in figures:
        expected, found, note = sites.of(figure)
        if found:
            for key in found.keys:
                by_key.setdefault(key, []).append(found)
        results.append(
            PathResult(
                file=figure.file,
                line=figure.line,
                what=figure.what,
                value=figure.value,
                unit=figure.unit,
                low=figure.low,
                high=figure.high,
                expected=expected,
                constants=[parameter_name(key) for key in found.keys] if found else [],
                note=plain(note),
                note_parts=special(note),
            )
        )
    return {parameter_name(key): sites.parameter(key, of_key) for key, of_key in by_key.items()}, results


class _Site:
    """The system that the paths are of, as far as the caller and the files say it."""

    def __init__(self, asked: LogSystem, catalog: Catalog) -> None:
        self.asked, self.catalog = asked, catalog
        self.constants = ModelConstants(catalog)

    def of(self, figure: PathFigure) -> _Found:
        """(the healthy figure, what this one says, a note of what was assumed or why it is not used)."""
        if figure.why_unused:
            return None, None, said(f"Not used: {figure.why_unused}.")
        if figure.kind == LATENCY:
            found = self._latency(figure)
        elif figure.kind in (LINK, BOTH_WAYS):
            found = self._link(figure)
        else:
            found = self._copy(figure)
        expected, says, _ = found
        if says is None or self.asked.fit_faulty or not _looks_faulty(figure, says):
            return found
        way = "slower" if figure.kind == LATENCY else "less"
        how = by_reader("Set fit_faulty (--fit-faulty of the command line)", f"Tick “{FIT_FAULTY}”")
        note = said(f"Left out: {way} than a healthy path, so it looks faulty. ", how, " to use it all the same.")
        return expected, None, note

    def _gpu(self, figure: PathFigure) -> str | None:
        named = (gpu_named(name, self.catalog) for name in figure.gpu_names)
        gpu = self.asked.gpu or next((gpu for gpu in named if gpu), None)
        return gpu if gpu in self.catalog.gpus else None

    def _facts(self, figure: PathFigure) -> GpuFacts | None:
        gpu = self._gpu(figure)
        return gpu_facts(self.catalog.gpus[gpu], self.constants) if gpu else None

    def _fabric(self, figure: PathFigure) -> tuple[str, Sentence]:
        """(the network, a note where nobody says it); the file's own line wins."""
        fabric = figure.fabric or (self.asked.fabric if self.asked.fabric != "none" else None)
        return (fabric, ()) if fabric else ("infiniband", said("InfiniBand was taken: give ", labelled("fabric"), "."))

    def _network_keys(self, figure: PathFigure, fabric: str, names: Iterable[str]) -> tuple[Key, ...]:
        facts = self._facts(figure)
        index = f"{fabric}.{facts.generation}" if facts else fabric
        found = (self.constants.key(name, index) for name in names)
        return tuple(key for key in found if key is not None)

    def _link(self, figure: PathFigure) -> _Found:
        fabric, note = self._fabric(figure)
        rate = self.asked.nic_gbit_s
        gbit_s = figure.value if figure.kind == LINK else figure.value * BITS_PER_BYTE
        if rate is None and figure.kind == BOTH_WAYS:
            return None, None, said("Not used: the rate of a NIC is in no file. Give ", labelled("nic_gbit_s"), ".")
        if rate is None:
            rate = next((float(rate) for rate in NIC_RATES_GBIT_S if rate >= gbit_s), float(NIC_RATES_GBIT_S[-1]))
            note = _more(note, f"A NIC of {rate:g} Gb/s was taken: give ", labelled("nic_gbit_s"), ".")
        if figure.kind == LINK:
            row, ports = healthy("link_share", fabric if fabric == "roce" else "infiniband"), 1
        else:
            row = healthy("both_ways_share")
            ports = max(round(gbit_s / (rate * row.value)), 1)
            if ports % 2:
                why = "is no even number of NICs both ways: was the test run with --unidirectional?"
                return None, None, said("Not used: ", gb_s(figure.value, ".4g"), f" {why}")
            nics = "1 NIC" if ports == 2 else f"{ports // 2} NICs"
            note = _more(note, f"Both directions of {nics} of {rate:g} Gb/s.")
        whole = rate * ports
        share = gbit_s / whole
        if share > 1.0:
            return None, None, said(f"Not used: {gbit_s:.4g} Gb/s is more than the NIC's {whole:g} Gb/s.")
        keys = self._network_keys(figure, fabric, ("network_efficiency",))
        pairs = self.constants.key("pair_efficiency", "network")
        keys = (*keys, pairs) if pairs else keys
        scale = share / figure.value
        expected = row.value / scale
        return expected, _share(keys, figure, expected, row), note

    def _latency(self, figure: PathFigure) -> _Found:
        fabric, note = self._fabric(figure)
        keys = self._network_keys(figure, fabric, ("fabric_latency",))
        row = healthy("latency", figure.index)
        ways = 2.0 if figure.index in ROUND_TRIPS else 1.0
        more = _Said(
            keys,
            (figure.value - row.value) / ways,
            (figure.low - row.high) / ways,
            (figure.high - row.low) / ways,
            (row.high * FAULTY_TIMES.get(figure.index, 1.0) - row.value) / ways,
            ((figure.low - row.value) / ways, (figure.high - row.value) / ways),
            figure.n_measured,
            is_added=True,
        )
        return row.value, more, note

    def _copy(self, figure: PathFigure) -> _Found:
        facts = self._facts(figure)
        if facts is None:
            return None, None, said("Not used: the file names no GPU of the catalog. Give ", labelled("gpu"), ".")
        if figure.kind == PEER_COPY:
            return self._peer(figure, facts)
        if facts.is_superchip:
            row = healthy("chip_copy", "hopper" if "hopper" in facts.generation else "")
            return (
                row.value,
                None,
                said("Not used: NICs of a superchip hang on its CPU, so that no collective takes this link."),
            )
        row = healthy("host_copy", facts.pcie_index)
        return row.value, _share((("pcie_x16", facts.pcie_index),), figure, row.value, row), ()

    def _peer(self, figure: PathFigure, facts: GpuFacts) -> _Found:
        if not facts.link_byte_s:
            return (
                None,
                None,
                said("Not used: these GPUs have no links of their own, and a copy takes what PCIe and host leave."),
            )
        row = healthy("peer_copy")
        link = byte_s_to_gb_s(facts.link_byte_s)
        if figure.value > link:
            rates = gb_s(figure.value, ".4g"), " is more than the links' ", gb_s(link, ".4g")
            return None, None, said("Not used: ", *rates, ".")
        names = [("ring_efficiency", facts.generation), ("nvls_efficiency", facts.generation)]
        names += [("pair_efficiency", f"domain.{facts.generation}"), ("send_efficiency", "domain")]
        keys = [key for name, index in names if (key := self.constants.key(name, index)) is not None]
        if not facts.has_switch_reduction:
            keys = [key for key in keys if key[0] != "nvls_efficiency"]
        return row.value * link, _share(tuple(keys), figure, row.value * link, row), ()

    def parameter(self, key: Key, found: Sequence[_Said]) -> Parameter:
        """A constant as its figures say it."""
        row = self.constants.row(*key)
        start, low, high = float(row.value), float(row.low), float(row.high)
        middle = median(one.value for one in found)
        least, most = min(one.low for one in found), max(one.high for one in found)
        if found[0].is_added:
            value, low, high = (max(end, 0.0) for end in (start + middle, low + least, high + most))
        else:
            value, low, high = start * middle, low * least, high * most
        if row.unit == "1":
            value, high = min(value, 1.0), min(high, 1.0)
        low, high = min(low, value), max(high, value)
        return Parameter(
            value=value,
            low=low,
            high=high,
            at_bound=False,
            unit=row.unit,
            before=start,
            bounds=Bounds(from_=min(low, float(row.low)), to=max(high, float(row.high))),
            paths=OfPaths(
                figures=len(found),
                measurements=sum(one.n_measured for one in found),
                low=min(one.measured[0] for one in found),
                high=max(one.measured[1] for one in found),
                unit="us" if found[0].is_added else "1",
            ),
        )


def _share(keys: tuple[Key, ...], figure: PathFigure, expected: float, row: Constant) -> _Said:
    """The share of the healthy figure; its range has the spread in the file and how far healthy paths differ."""
    share, low, high = (value / expected for value in (figure.value, figure.low, figure.high))
    worst = FAULTY_SHARE * row.low / row.value
    least, most = min(share * row.value / row.high, low), max(share * row.value / row.low, high)
    return _Said(keys, share, least, most, worst, (low, high), figure.n_measured)


def _more(note: Sentence, *pieces: Words) -> Sentence:
    """A note with another sentence behind it."""
    return said(note, " ", *pieces) if note else said(*pieces)


def _looks_faulty(figure: PathFigure, says: _Said) -> bool:
    return says.value > says.worst if figure.kind == LATENCY else says.value < says.worst
