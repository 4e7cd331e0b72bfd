"""Faults that only several logs show together: bandwidth that sinks with nodes, a faster log of the same system."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from estimator.calibration.faults import Fault
from estimator.calibration.logged_run import LoggedRun
from estimator.calibration.measured import MIB
from estimator.calibration.signature import Signature, fault_of, share_text
from estimator.performance.library import library_words, version_numbers

N_SETTINGS = 4  # that differ, named in the evidence


def faults_of_several(signatures: Sequence[Signature]) -> Iterator[Fault]:
    """What runs of one site show when they are compared with each other."""
    yield from _worse_with_nodes(signatures)
    yield from _slower_than_another(signatures)


def _worse_with_nodes(signatures: Sequence[Signature]) -> Iterator[Fault]:
    """The share of the expected bandwidth sinks as domains are added."""
    by_collective: dict[str, list[Signature]] = {}
    for signature in signatures:
        if signature.n_domains > 1 and signature.share is not None:
            by_collective.setdefault(signature.run.collective, []).append(signature)
    for found in by_collective.values():
        found.sort(key=lambda signature: signature.n_domains)
        first, last = found[0], found[-1]
        sinks = (last.share or 1) < last.at("congestion.sinking_share") * (first.share or 1)
        if last.n_domains > first.n_domains and sinks:
            evidence = (
                f"from {first.n_domains} to {last.n_domains} domains the plateau sinks from {share_text(first.share or 0.0)} to "
                f"{share_text(last.share or 0.0)} of the expected bandwidth"
            )
            yield fault_of(last, "congestion", last.at("congestion.score_nodes"), evidence, share=last.share)


def _slower_than_another(signatures: Sequence[Signature]) -> Iterator[Fault]:
    """Each run against the one of the same system that leaves it furthest behind, at the sizes that both have."""
    groups: dict[Any, list[Signature]] = {}
    for signature in signatures:
        groups.setdefault(_same_system(signature.run), []).append(signature)
    for found in groups.values():
        for slow in found:
            behind = [
                (times, where, fast) for fast in found if fast is not slow for times, where in _behind(slow, fast)
            ]
            times, where, fast = max(behind, key=lambda item: item[0], default=(1.0, "", slow))
            if times > slow.at("slower_than_other_log.times"):
                yield _slower(slow, fast, times, where)


def _same_system(run: LoggedRun) -> tuple[Any, ...]:
    system = tuple(sorted((key, str(value)) for key, value in run.system.items() if key != "library"))
    return run.collective, run.gpus, run.launch, run.algorithm, run.protocol, system


def _behind(slow: Signature, fast: Signature) -> Iterator[tuple[float, str]]:
    """(how many times as long, at which sizes): of the largest three sizes of 8 MiB and more, else of all."""
    mine, other = (dict(zip(one.run.message_bytes, one.run.time_us, strict=True)) for one in (slow, fast))
    common = sorted(mine.keys() & other.keys())
    large = [size for size in common if size >= 8 * MIB][-3:]
    sizes = large or common
    if sizes:
        where = "large messages" if large else f"messages up to {sizes[-1] / MIB:.3g} MiB"
        yield float(np.median([mine[size] / other[size] for size in sizes])), where


def _slower(slow: Signature, fast: Signature, times: float, where: str) -> Fault:
    mine, other = slow.run.version, fast.run.version
    if mine and other and version_numbers(mine) != version_numbers(other):
        order = "newer" if version_numbers(mine) > version_numbers(other) else "older"
        of_fast = library_words(other, fast.run.gpu).partition(" ")[2]
        software, which = f"its {library_words(mine, slow.run.gpu)} is {order} than {of_fast}", order
    elif mine and other:
        software, which = f"both have {library_words(mine, slow.run.gpu)}", "same"
    else:
        software, which = "not both logs say their library", "unknown"
    differing = _differing(slow.run, fast.run)
    settings = f"; set differently: {', '.join(differing)}" if differing else ""
    longer = (times - slow.at("slower_than_other_log.times")) / slow.at("slower_than_other_log.span")
    clear = float(np.clip(slow.at("slower_than_other_log.start") + longer, 0.0, 1.0))
    score = slow.at(f"slower_than_other_log.score_{which}") * clear
    evidence = f"{where} take {times:.3g} times as long as in {fast.run.name}, of the same system; {software}{settings}"
    return fault_of(slow, "slower_than_other_log", score, evidence, times=times)


def _differing(slow: LoggedRun, fast: LoggedRun) -> list[str]:
    """Settings that one log has and the other has not, or has otherwise."""
    names = sorted(slow.settings.keys() | fast.settings.keys())
    pairs = [(name, slow.settings.get(name, "unset"), fast.settings.get(name, "unset")) for name in names]
    return [f"{name}={mine} against {other}" for name, mine, other in pairs if mine != other][:N_SETTINGS]
