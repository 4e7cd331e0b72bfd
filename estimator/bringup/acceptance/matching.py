"""Which gate a reading belongs to, and what it must have given on the GPUs and at the size that were run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from estimator.bringup.acceptance.constants import constant
from estimator.bringup.acceptance.expected import Band, Part
from estimator.bringup.acceptance.gates import Contract, Path
from estimator.bringup.acceptance.lines import Lines, lines_of, spread_of_band
from estimator.bringup.acceptance.readers.files import Reading
from estimator.bringup.acceptance.result import Verdict
from estimator.calibration.logs.read import ParsedLog
from estimator.errors import Problem, SpecError
from estimator.units import ceil_div

RING = "ring"


@dataclass(frozen=True)
class Matched:
    """A reading of a gate; ``lines`` are those of its own ``band``, ``tree`` what it may show if no ring was forced."""

    reading: Reading
    path: Path
    band: Band
    lines: Lines
    tree: Band | None = None

    @property
    def share(self) -> float:
        """Measured ÷ expected."""
        return self.reading.measured.value / self.judged_band.expected

    @property
    def shows_tree(self) -> bool:
        """Whether it is above what a ring can show, and nothing says that a ring was forced."""
        return self.tree is not None and self.reading.measured.value > self.band.high

    @property
    def judged_band(self) -> Band:
        """What it is judged against."""
        return self.tree if self.shows_tree and self.tree is not None else self.band


@dataclass(frozen=True)
class Judged:
    """Readings of one path of a gate with their verdict."""

    readings: tuple[Matched, ...]
    share: float  # of the expected value, the middle of the readings
    of_peers: float | None
    verdict: Verdict
    why: str

    @property
    def first(self) -> Matched:
        """What is common to all."""
        return self.readings[0]


def matched(reading: Reading, contract: Contract) -> Matched:
    """The gate of a reading.

    Raises
    ------
    SpecError
        If the contract has no gate for it.
    """
    measured, log = reading.measured, reading.measured.log
    code = reading.place.gate if log else measured.tool
    path = contract.path(code) if code else None
    if log is None:
        if path is None or path.part is not None:
            message = f"{reading.file}: the contract has no gate that {measured.tool} measures."
            raise SpecError([Problem("results", "no_such_gate", message)])
        return Matched(reading, path, path.band, _lines(path, path.band, contract))
    if path is None or path.part is None:
        path = _by_content(reading, log, contract)
    part = _part_run(path, log, contract)
    band = contract.expectations.band(part, measured.message_bytes)
    tree = None
    if part.algorithm == RING and log.collective == "all_reduce" and not _says_ring(log) and not reading.place.gate:
        tree = contract.expectations.band(replace(part, algorithm=None), measured.message_bytes)
    lines = _lines(path, tree if tree and measured.value > band.high else band, contract)
    return Matched(reading, path, band, lines, tree)


def _lines(path: Path, band: Band, contract: Contract) -> Lines:
    spread = spread_of_band(band.expected, band.low)
    return lines_of(spread, constant("run_spread").value, path.n_results, path.loss, contract.chances[path.code])


def _says_ring(log: ParsedLog) -> bool:
    return log.settings.get("NCCL_ALGO", "").lower().startswith(RING)


def _part_run(path: Path, log: ParsedLog, contract: Contract) -> Part:
    """The gate's part on the GPUs that ran."""
    part = path.part
    if part is None or log.gpus is None or log.collective is None:
        raise ValueError("a log of a collective belongs to a gate that runs one")
    if path.scope == "cluster" and log.collective == "all_reduce":
        ring = RING if ceil_div(log.gpus, contract.site.domain_gpus) == 2 else None
        part = replace(part, algorithm=ring)
    elif _says_ring(log):
        part = replace(part, algorithm=RING)
    return replace(part, n_gpus=log.gpus, collective=log.collective)


def _by_content(reading: Reading, log: ParsedLog, contract: Contract) -> Path:
    """The gate that runs this collective on so many GPUs and nodes."""
    for code in _codes(reading, log, contract):
        if path := contract.path(code):
            return path
    nodes = f" on {log.nodes:,} nodes" if log.nodes else ""
    message = (
        f"{reading.file}: no gate runs {log.collective} with {log.gpus:,} GPUs{nodes}. Name the file GATE__WHERE.log."
    )
    raise SpecError([Problem("results", "no_such_gate", message)])


def _codes(reading: Reading, log: ParsedLog, contract: Contract) -> Iterator[str]:
    """Gates that it might be of, the likeliest first."""
    site, gpus, place = contract.site, log.gpus or 0, reading.place
    nodes = log.nodes or ceil_div(gpus, site.gpus_per_node)
    if gpus > site.n_gpus:
        return
    if gpus == nodes and site.gpus_per_node > 1 and gpus > 2:  # one GPU in every node
        yield "leaf_pair" if len(place.leaves) == 2 and log.collective == "all_gather" else "rail"
        return
    if gpus <= site.gpus_per_node:
        yield "node"
        return
    if gpus <= site.domain_gpus:
        yield "domain"
        return
    if gpus == 2 * site.domain_gpus:
        yield f"pair_{log.collective}"
    if place.rack and log.collective == "all_gather":
        yield "rack"
    yield f"cluster_{log.collective}"
    yield "cluster_all_reduce"  # of a collective without a gate of its own: judged by what that one must give
