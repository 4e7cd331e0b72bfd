"""Results against the contract: a verdict for every path that was run, and for the gates that were not.

A result fails below the line of its own expectation, and below the line of its peers, the other results of the gate. Above
what the wire carries it is suspect: it did not use the path. Where nothing like it has been measured, so is one that is low.
"""

from collections.abc import Iterable, Sequence
from math import log, sqrt
from statistics import median

from estimator.bringup.acceptance.calibrated import calibration_of
from estimator.bringup.acceptance.constants import constant
from estimator.bringup.acceptance.digest import gates_sha256
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.lines import LEAST_PEERS, peer_line
from estimator.bringup.acceptance.matching import Judged, Matched, matched
from estimator.bringup.acceptance.readers.files import readings_of, why_unread
from estimator.bringup.acceptance.readers.reading import Places
from estimator.bringup.acceptance.readers.upload import unpacked
from estimator.bringup.acceptance.result import Acceptance, Gate, GateResult, UnreadResult, Verdict
from estimator.bringup.acceptance.stragglers import stragglers_of
from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.units import counted
from estimator.version import MODEL_VERSION

ABOVE = 1.02  # of the ceiling: what rounding of rates and clocks leaves
LEAST_FOR_SPREAD = 8  # results from which the spread of a gate is estimated
_TO_DEVIATION = 1.4826  # a median absolute deviation to a standard deviation


def judged(contract: Contract, files: Iterable[tuple[str, bytes]], catalog: Catalog) -> Acceptance:
    """The answer: gates, and a result for every path of the files; a gate without any stands as not run.

    Raises
    ------
    SpecError
        If files were given and none holds a result of a gate.
    """
    places = Places(contract.site, frozenset(gate.code for gate in contract.gates))
    found, unread = [], []
    for name, data in unpacked(files):
        try:
            found += [matched(reading, contract) for reading in readings_of(name, data, places)]
        except SpecError as error:
            unread.append(UnreadResult(file=name, why=why_unread(error)))
    if unread and not found:
        shown = " ".join(one.why for one in unread[:3])
        message = f"No result of a gate in {counted(len(unread), 'file')}. {shown}"
        raise SpecError([Problem("results", "no_results", message)])
    paths = verdicts(found, contract)
    results = [
        result
        for gate in contract.gates
        for result in ([_result(path) for path in paths if path.first.path.code == gate.code] or [_not_run(gate)])
    ]
    calibration, diagnosis = calibration_of(found, contract, catalog)
    return Acceptance(
        gates=list(contract.gates),
        results=results,
        verdict=_whole([result.verdict for result in results]),
        stragglers=stragglers_of(paths, contract),
        unread=unread,
        calibration=calibration,
        diagnosis=diagnosis,
        system=contract.site.system,
        left_out=list(contract.left_out),
        gates_sha256=gates_sha256(contract.gates),
        spec_hash=contract.site.spec_hash,
        versions={"model": MODEL_VERSION, "catalog": catalog.version},
    )


def _whole(verdicts_: Sequence[Verdict]) -> Verdict:
    """The worst of all; passed only where every gate was run."""
    order: tuple[Verdict, ...] = ("fail", "suspect", "not_run")
    return next((verdict for verdict in order if verdict in verdicts_), "pass")


def verdicts(found: Sequence[Matched], contract: Contract) -> list[Judged]:
    """Every path with its verdict, gate by gate in the order in which they came; only like collectives are peers."""
    by_gate: dict[tuple[str, str | None], dict[str, list[Matched]]] = {}
    for one in found:
        log_ = one.reading.measured.log
        kind = one.path.code, log_.collective if log_ else None
        by_gate.setdefault(kind, {}).setdefault(one.reading.place.words, []).append(one)
    return [path for by_place in by_gate.values() for path in _of_gate(list(by_place.values()), contract)]


def _of_gate(paths: Sequence[Sequence[Matched]], contract: Contract) -> list[Judged]:
    shares = [median(one.share for one in path) for path in paths]
    middle, line = median(shares), None
    if len(paths) >= LEAST_PEERS:
        line = peer_line(_spread(shares, paths), len(paths), contract.chances[paths[0][0].path.code].of_runs / 2)
    return [
        _judged(tuple(path), share, share / middle if line is not None else None, line)
        for path, share in zip(paths, shares, strict=True)
    ]


def _spread(shares: Sequence[float], paths: Sequence[Sequence[Matched]]) -> float:
    """Spread of ln of a path's result: that of runs over its repetitions, or what most of the results show if that is more."""
    usual = constant("run_spread").value / sqrt(min(len(path) for path in paths))
    if len(shares) < LEAST_FOR_SPREAD:
        return usual
    middle = median(map(log, shares))
    return max(usual, _TO_DEVIATION * median(abs(log(share) - middle) for share in shares))


def _judged(readings: tuple[Matched, ...], share: float, of_peers: float | None, line: float | None) -> Judged:
    one = readings[0]
    band, gate_unit = one.judged_band, one.path.unit
    value = share * band.expected
    words = f"{value:.4g} {gate_unit}, {100 * share:.0f} % of the {band.expected:.4g} expected"
    verdict: Verdict = "pass"
    if any(reading.reading.measured.is_wrong for reading in readings):
        verdict, words = "fail", f"the test found wrong data; {words}"
    elif value > ABOVE * band.ceiling:
        verdict = "suspect"
        words += f"; the path carries {band.ceiling:.4g} at most, so this run did not use it"
    elif share < one.lines.absolute:
        is_unsure = band.is_assumed or one.shows_tree
        verdict = "suspect" if is_unsure else "fail"
        words += f"; passes from {one.lines.absolute * band.expected:.4g} on"
        words += "; no run of such a part is known, so the expectation is an assumption" if band.is_assumed else ""
    elif of_peers is not None and line is not None and of_peers < line:
        verdict = "fail"
        words += f"; {100 * of_peers:.1f} % of the middle of the gate's results, and {100 * line:.1f} % is the least"
    if one.shows_tree:
        words += "; above what a ring shows, so it says little of the network: run with NCCL_ALGO=RING, or all_gather"
    return Judged(readings, share, of_peers, verdict, words)


def _result(path: Judged) -> GateResult:
    one = path.first
    details = [reading.reading.measured.detail for reading in path.readings if reading.reading.measured.detail]
    where = one.reading.place.words + (f", {details[0]}" if details else "")
    return GateResult(
        gate=one.path.code,
        measured=float(f"{path.share * one.judged_band.expected:.5g}"),
        verdict=path.verdict,
        where=where,
        expected=float(f"{one.judged_band.expected:.5g}"),
        why=path.why,
        unit=one.path.unit,
        files=[reading.reading.file for reading in path.readings],
        share_of_peers=None if path.of_peers is None else round(path.of_peers, 4),
    )


def _not_run(gate: Gate) -> GateResult:
    return GateResult(
        gate=gate.code,
        measured=None,
        verdict="not_run",
        where="all",
        expected=gate.expected,
        why="no result was given",
        unit=gate.unit,
        files=[],
    )
