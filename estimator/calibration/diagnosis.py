"""What is likely wrong with a run: its times against the prediction, and what its library said.

Each fault has a signature: how much bandwidth it leaves, at which sizes it shows, on which machines. A score from 0 to 1 says
how well a run matches; ratios alone never make it high, because several faults leave the same bandwidth. Two nodes
are judged by the ring, as trees exceed the wire there. Every threshold and score is a row of catalog/diagnosis.csv, with
its evidence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from estimator.calibration import result
from estimator.calibration.across_logs import faults_of_several
from estimator.calibration.faults import MEDIUM, NOT_JUDGED, NOTHING, OF_SOFTWARE, SHOWN, Fault
from estimator.calibration.logged_run import NETWORK_KEYS, LoggedRun
from estimator.calibration.logs.system_words import network_words
from estimator.calibration.measured import MIB
from estimator.calibration.signature import Signature, fault_of, limits_of, share_text, signatures_of
from estimator.catalog.catalog import Catalog
from estimator.errors import Sentence
from estimator.performance.system import FABRIC_NAMES
from estimator.sentences import gb_s, said

N_MESSAGES = 5_000
MIN_STEP_BYTES = 16 * MIB  # below it steps are of protocols


class Judged(NamedTuple):
    """Likely faults of runs of one site, the likeliest first, and the likeliest of each run that is short of rails."""

    faults: list[result.Fault]
    short: dict[str, result.Fault]
    """By file: runs whose plateau is that of half of the rails. Several causes leave as much, so that none may be likely."""


def diagnosis(runs: Sequence[LoggedRun], catalog: Catalog) -> list[result.Fault]:
    """Likely faults of runs of one site, the likeliest first; ``nothing_wrong`` with the headroom left where there is none.

    Each fault stands once, as the run shows it that shows it best; ``files`` are all that show it.
    """
    return judged(runs, catalog).faults


def judged(runs: Sequence[LoggedRun], catalog: Catalog) -> Judged:
    """``diagnosis`` with the runs that are short of rails."""
    signatures = signatures_of(runs, catalog)
    of_runs = [faults_of(one) for one in signatures]
    by_code: dict[str, list[Fault]] = {}
    for fault in (*(fault for of_run in of_runs for fault in of_run), *faults_of_several(signatures)):
        by_code.setdefault(fault.code, []).append(fault)
    found = sorted((_best(same) for same in by_code.values()), key=lambda fault: -fault.score)
    short = (_short_of_rails(one, of_run) for one, of_run in zip(signatures, of_runs, strict=True))
    return Judged(
        [fault.reported() for fault in (found or [_nothing(signatures, limits_of(catalog))])],
        {fault.file: fault.reported() for fault in short if fault},
    )


def _short_of_rails(signature: Signature, faults: Sequence[Fault]) -> Fault | None:
    """The likeliest fault of a run whose plateau is clearly too low, and about that of half of its rails."""
    if signature.deficit < 1.0 or all(fault.code != "degraded_node" for fault in faults):
        return None
    likeliest = next(fault for fault in faults if fault.code not in OF_SOFTWARE)
    return replace(likeliest, evidence=said(likeliest.evidence, "; several causes leave as much, and none is healthy"))


def _best(same: Sequence[Fault]) -> Fault:
    """The likeliest of faults of one code, with the files of all that are no mere guess beside it."""
    in_order = sorted(same, key=lambda fault: -fault.score)
    least = min(in_order[0].score, MEDIUM)
    return replace(in_order[0], files=tuple(dict.fromkeys(fault.file for fault in in_order if fault.score >= least)))


def faults_of(signature: Signature) -> list[Fault]:
    """Faults of one run that are worth telling, the likeliest first."""
    best: dict[str, Fault] = {}
    across = (_unsteady,) if signature.is_guessed else _BY_TIME_ACROSS
    for check in (*_BY_MESSAGE, *(_BY_TIME_INSIDE if signature.n_domains == 1 else across), *_BY_TIME):
        for fault in check(signature):
            if fault.score >= SHOWN and (fault.code not in best or fault.score > best[fault.code].score):
                best[fault.code] = fault
    return sorted(best.values(), key=lambda fault: -fault.score)


def _near(value: float, target: float, width: float) -> float:
    """1 where they are equal, 0.6 where ln differs by ``width``."""
    return float(np.exp(-0.5 * (np.log(value / target) / width) ** 2))


# ---------------------------------------------------------------- what the library said


def _said(signature: Signature, pattern: str) -> str | None:
    """The first line of the library that has the pattern."""
    found = re.compile(pattern, re.IGNORECASE)
    return next((line for line in signature.run.messages[:N_MESSAGES] if found.search(line)), None)


def _reported(signature: Signature, code: str, line: str) -> Fault:
    """A fault that the log names itself: likely where it also shows in the times."""
    if signature.is_guessed:
        return fault_of(signature, code, signature.at("named.score_alone"), f"the log has “{line[:160]}”")
    slow = signature.slow or signature.mid or signature.floor or 1.0
    score = signature.at("named.score") if slow > signature.at("named.slow") else signature.at("named.score_alone")
    return fault_of(
        signature,
        code,
        score,
        f"the log has “{line[:160]}”, and large messages take {slow:.2f} times the prediction",
        slow=slow,
    )


def _says_sockets(signature: Signature) -> Iterator[Fault]:
    settings = signature.run.settings
    line = _said(signature, r"via NET/Socket|Using network Socket|NET/Socket\s*: Using") or next(
        (
            f"{key}={settings[key]}"
            for key, values in (("NCCL_NET", ("socket",)), ("NCCL_IB_DISABLE", ("1",)))
            if settings.get(key, "").lower() in values
        ),
        None,
    )
    apart = settings.get("NCCL_P2P_DISABLE") == "1" and settings.get("NCCL_SHM_DISABLE") == "1"
    if line and (signature.n_domains > 1 or apart):
        yield _reported(signature, "tcp_fallback", line)


def _says_no_peers(signature: Signature) -> Iterator[Fault]:
    setting = signature.run.settings.get("NCCL_P2P_DISABLE") == "1"
    line = "NCCL_P2P_DISABLE=1" if setting else _said(signature, r"P2P is disabled|via SHM")
    if line and signature.has_links:
        yield _reported(signature, "p2p_disabled", line)


def _says_no_gpudirect(signature: Signature) -> Iterator[Fault]:
    by_network = _said(signature, r"via NET/(IB|OFI)/\d")
    if by_network and not _said(signature, r"GDRDMA"):
        yield _reported(signature, "gpudirect_off", by_network)
    elif line := _said(signature, r"GPU ?Direct RDMA (is )?disabled"):
        yield _reported(signature, "gpudirect_off", line)


def _says_few_nics(signature: Signature) -> Iterator[Fault]:
    line = _said(signature, r"NET/IB\s*: Using \[0\]")
    named = signature.run.settings.get("NCCL_IB_HCA", "")
    n_used = len(re.findall(r"\[\d+\][\w-]+:\d+/", line or "")) or (
        len([part for part in named.split(",") if part])
        if re.fullmatch(r"=?\w+\d(:\d+)?(,\w+\d(:\d+)?)*", named)
        else 0
    )
    if 0 < n_used < signature.n_nics and signature.n_domains > 1 and "nics_per_node" not in signature.run.assumed:
        reported = _reported(signature, "one_nic_of_many", line or f"NCCL_IB_HCA={named}")
        yield replace(reported, evidence=said(reported.evidence, f"; {n_used} of {signature.n_nics} NICs are used"))


def _says_no_reduction(signature: Signature) -> Iterator[Fault]:
    if line := _said(signature, r"(collnet|sharp).*(fail|error|unavail|not support|no resource|disab)"):
        yield _reported(signature, "sharp_unavailable", line)


def _says_tree(signature: Signature) -> Iterator[Fault]:
    is_forced = signature.run.algorithm == "tree" and signature.n_domains > 2
    most = signature.at("tree_on_wrong_topology.share")
    if is_forced and signature.ring_share is not None and signature.ring_share < most:
        reached = f"{share_text(signature.ring_share)} of what a ring would on {signature.n_domains} domains"
        evidence = f"a tree was forced, and reaches {reached}"
        score = signature.at("tree_on_wrong_topology.score")
        yield fault_of(signature, "tree_on_wrong_topology", score, evidence, share_of_ring=signature.ring_share)


def _says_wrong(signature: Signature) -> Iterator[Fault]:
    wrong = signature.run.wrong_bytes
    if wrong:
        n_sizes = len(signature.run.message_bytes)
        evidence = (
            f"the test's own check (#wrong) found wrong values at {len(wrong):,} of {n_sizes:,} sizes, the smallest of "
            f"{min(wrong):,} bytes"
        )
        yield fault_of(signature, "wrong_results", signature.at("named.score"), evidence, sizes=len(wrong))
    elif n_failed := signature.run.n_failed:
        counted = f"the line behind the table counts {n_failed:,} values out of bounds (FAILED)"
        evidence = f"{counted}, at none of the sizes that were read"
        yield fault_of(signature, "wrong_results", signature.at("named.score"), evidence, values=n_failed)


_BY_MESSAGE: tuple[Callable[[Signature], Iterable[Fault]], ...] = (
    _says_sockets,
    _says_no_peers,
    _says_no_gpudirect,
    _says_few_nics,
    _says_no_reduction,
    _says_tree,
    _says_wrong,
)

# ---------------------------------------------------------------- what the times say, inside one domain


def _through_host(signature: Signature) -> Iterator[Fault]:
    slow = signature.slow
    if slow is None or slow < signature.at("p2p_disabled.slow") or not signature.has_links:
        return
    took = f"inside one domain large messages take {slow:.1f} times the prediction, "
    evidence = said(took, gb_s(signature.busbw_gb_s[-1]))
    is_clear = slow > signature.at("p2p_disabled.slow_clear")
    score = signature.at("p2p_disabled.score_clear") if is_clear else signature.at("p2p_disabled.score")
    yield fault_of(signature, "p2p_disabled", score, evidence, slow=slow)


def _busy_host(signature: Signature) -> Iterator[Fault]:
    if signature.mid is None or signature.slow is None:
        return
    fades = signature.at("cpu_starved.slow") < signature.slow < signature.mid / signature.at("cpu_starved.fade")
    if signature.mid > signature.at("cpu_starved.mid") and fades:
        evidence = (
            f"1–64 MiB take {signature.mid:.2f} times the prediction, larger {signature.slow:.2f} times: it fades"
        )
        score = signature.at("cpu_starved.score")
        yield fault_of(signature, "cpu_starved", score, evidence, mid=signature.mid, large=signature.slow)


def _unstable(signature: Signature) -> Iterator[Fault]:
    if signature.n_drops >= signature.at("unstable_node.drops") and signature.is_slow:
        evidence = f"bandwidth falls at {signature.n_drops} sizes above 32 MiB; {signature.slow:.2f} times the time"
        score = signature.at("unstable_node.score")
        yield fault_of(signature, "unstable_node", score, evidence, drops=signature.n_drops, slow=signature.slow)


def _slow_node(signature: Signature) -> Iterator[Fault]:
    least, most = signature.at("degraded_node.slow"), signature.at("degraded_node.slow_most")
    if signature.share is not None and least < 1 / signature.share < most:
        evidence = f"inside one domain the plateau is {share_text(signature.share)} of what its links give"
        score = signature.at("degraded_node.score_inside")
        yield fault_of(signature, "degraded_node", score, evidence, share=signature.share)


_BY_TIME_INSIDE = (_through_host, _busy_host, _unstable, _slow_node)

# ---------------------------------------------------------------- what the times say, across domains


def _left(signature: Signature, cause: str) -> Sentence:
    share = share_text(signature.share or 0.0)
    reached = gb_s(signature.busbw_gb_s[-1])
    return said(f"the plateau has {share} of the expected bandwidth (", reached, f" of bus bandwidth): {cause}")


def _staged(signature: Signature) -> Iterator[Fault]:
    if signature.share is None:
        return
    usual = signature.at("gpudirect_off.share")
    target = signature.at("gpudirect_off.share_superchip") if signature.is_superchip else usual
    near = _near(signature.share, target, signature.at("gpudirect_off.width"))
    score = signature.at("gpudirect_off.score") * near * signature.deficit
    cause = f"staging through host memory leaves about {share_text(target)}"
    if signature.at("gpudirect_off.least_share") < signature.share < signature.at("gpudirect_off.share_old_host"):
        likely = "gpudirect_off.score" if signature.is_old_host else "gpudirect_off.score_old_host"
        score = max(score, signature.at(likely))
        kept = share_text(usual)
        cause = f"staging through host memory leaves so little on older hosts only; newer ones keep about {kept}"
    yield fault_of(signature, "gpudirect_off", score, _left(signature, cause), share=signature.share)


def _far_nics(signature: Signature) -> Iterator[Fault]:
    if signature.share is None or signature.n_nics < 2:
        return
    sinking = signature.at("nic_affinity.sinking")
    sinks = signature.mid is not None and signature.slow is not None and signature.slow > sinking * signature.mid
    most = signature.at("nic_affinity.score_sinking") if sinks else signature.at("nic_affinity.score")
    near = _near(signature.share, signature.at("nic_affinity.share"), signature.at("nic_affinity.width"))
    score = most * near * signature.deficit
    cause = "the link between sockets leaves 40 to 50 %" + (", and it sinks as messages grow" if sinks else "")
    yield fault_of(signature, "nic_affinity", score, _left(signature, cause), share=signature.share)


def _redirected(signature: Signature) -> Iterator[Fault]:
    if signature.share is None:
        return
    most = signature.at("acs_iommu.score_one_nic") if signature.n_nics == 1 else signature.at("acs_iommu.score")
    near = _near(signature.share, signature.at("acs_iommu.share"), signature.at("acs_iommu.width"))
    score = most * near * signature.deficit
    cause = "peer traffic through the root complex leaves 35 to 50 %"
    yield fault_of(signature, "acs_iommu", score, _left(signature, cause), share=signature.share)


def _few_nics(signature: Signature) -> Iterator[Fault]:
    n = signature.n_nics
    if signature.share is None or n < 2:
        return
    is_many = n >= signature.at("one_nic_of_many.many")
    most = signature.at("one_nic_of_many.score_of_many") if is_many else signature.at("one_nic_of_many.score")
    score = most * _near(signature.share, 1 / n, signature.at("one_nic_of_many.width")) * signature.deficit
    yield fault_of(
        signature,
        "one_nic_of_many",
        score,
        _left(signature, f"one of {n} NICs has {share_text(1 / n)}"),
        share=signature.share,
    )


def _lost_rails(signature: Signature) -> Iterator[Fault]:
    if signature.share is None or signature.n_nics < signature.at("degraded_node.least_nics"):
        return
    near = _near(signature.share, signature.at("degraded_node.share"), signature.at("degraded_node.width"))
    score = signature.at("degraded_node.score") * near * signature.deficit
    cause = f"as if half of the {signature.n_nics} rails were down or slow"
    yield fault_of(signature, "degraded_node", score, _left(signature, cause), share=signature.share)


def _sockets(signature: Signature) -> Iterator[Fault]:
    if signature.share is None:
        return
    needs_plugin = signature.fabric in ("slingshot", "efa")
    lacks = (signature.at("tcp_fallback.share_most") - signature.share) / signature.at("tcp_fallback.span")
    if needs_plugin:
        most = signature.at("tcp_fallback.score_plugin")
    elif signature.share < signature.at("tcp_fallback.share_low"):
        most = signature.at("tcp_fallback.score_low")
    else:
        most = signature.at("tcp_fallback.score")
    score = most * float(np.clip(lacks, 0.0, 1.0))
    cause = "what TCP through the host gives" + (
        f"; {FABRIC_NAMES[signature.fabric]} needs its libfabric plugin" if needs_plugin else ""
    )
    yield fault_of(signature, "tcp_fallback", score, _left(signature, cause), share=signature.share)


def _congested(signature: Signature) -> Iterator[Fault]:
    ethernet = signature.fabric == "roce"
    left_out = signature.run.n_disturbed  # a single one happens in any log
    n_spikes = signature.n_spikes + (left_out if left_out > 1 else 0)
    sinks, spikes = signature.collapse > signature.at("congestion.collapse") and signature.deficit > 0, n_spikes > 0
    is_slow = signature.slow is not None and signature.slow > signature.at("congestion.slow")
    score = signature.deficit * _congestion_at_most(signature, ethernet)
    if ethernet and is_slow:
        score = max(score, signature.at("congestion.score_slow"))
    if sinks:
        score += signature.at("congestion.add_sinking")
    if spikes and (is_slow or signature.slow is None):
        score += signature.at("congestion.add_spikes")
    score = min(score, signature.at("congestion.score_most"))
    sizes, owner = ("size takes", "its") if n_spikes == 1 else ("sizes take", "their")
    signs = [
        f"large messages take {signature.slow:.2f} times the prediction" if signature.slow else "",
        f"bandwidth falls to {share_text(1 / signature.collapse)} of its peak as messages grow" if sinks else "",
        f"{n_spikes} {sizes} much longer than {owner} neighbours" if spikes else "",
    ]
    code = "no_flow_control" if ethernet and (sinks or spikes) else "congestion"
    evidence = f"over {signature.fabric} with {signature.n_domains} domains " + " and ".join(
        sign for sign in signs if sign
    )
    yield fault_of(signature, code, score, evidence, slow=signature.slow, collapse=signature.collapse, spikes=n_spikes)


def _unsteady(signature: Signature) -> Iterator[Fault]:
    """Signs of congestion that need no NICs to compare with: several times that jump. Bandwidth that sinks is no such sign."""
    left_out = signature.run.n_disturbed
    n_spikes = signature.n_spikes + (left_out if left_out > 1 else 0)
    if n_spikes > 1:
        evidence = f"{n_spikes} sizes take much longer than their neighbours, whatever the NICs are"
        yield fault_of(signature, "congestion", signature.at("congestion.score_unsteady"), evidence, spikes=n_spikes)


def _congestion_at_most(signature: Signature, ethernet: bool) -> float:
    """Score of congestion where bandwidth is clearly missing and nothing else points to it."""
    if not ethernet:
        return signature.at("congestion.score")
    return (
        signature.at("congestion.score_ethernet")
        if signature.n_domains > 2
        else signature.at("congestion.score_ethernet_pair")
    )


def _few_channels(signature: Signature) -> Iterator[Fault]:
    if signature.share is None or signature.share > signature.at("under_tuned.share_most"):
        return
    starts_well = (signature.floor or 1.0) < signature.at("under_tuned.floor_most")
    is_smooth = not (signature.n_spikes or signature.n_drops) and starts_well
    near = _near(signature.share, signature.at("under_tuned.share"), signature.at("under_tuned.width"))
    score = signature.at("under_tuned.score") * near * (1.0 if is_smooth else signature.at("under_tuned.rough"))
    cause = "default channels and one queue pair leave 75 to 88 % of fast NICs"
    yield fault_of(signature, "under_tuned", score, _left(signature, cause), share=signature.share)


def _wrong_algorithm(signature: Signature) -> Iterator[Fault]:
    ring, slow = signature.ring_share, signature.slow
    if ring is None or slow is None or signature.run.algorithm:
        return
    if slow < signature.at("algorithm_not_best.slow") or ring < signature.at("algorithm_not_best.ring_share"):
        return
    if signature.run.system.get("in_network_reduction"):
        evidence = f"in-network reduction was expected, and the plateau is the ring's ({share_text(ring)} of it)"
        score = signature.at("sharp_unavailable.score_ring")
        yield fault_of(signature, "sharp_unavailable", score, evidence, share_of_ring=ring, slow=slow)
    else:
        evidence = f"the plateau is {share_text(ring)} of the ring's, and {share_text(1 / slow)} of what the best algorithm gives"
        score = signature.at("algorithm_not_best.score")
        yield fault_of(signature, "algorithm_not_best", score, evidence, share_of_ring=ring, slow=slow)


def _switched(signature: Signature) -> Iterator[Fault]:
    """One step down in bandwidth, from about the best algorithm to about the ring, and rising again after it."""
    ring, ratio, busbw = signature.ring_ratio, signature.ratio, signature.busbw_gb_s
    if ring is None or signature.run.algorithm or signature.n_spikes or len(ratio) < 4:
        return
    large = np.array(signature.run.message_bytes) >= MIN_STEP_BYTES
    fall, jump = signature.at("algorithm_not_best.step_share"), signature.at("algorithm_not_best.step_times")
    steps = [i for i in range(1, len(ratio)) if large[i] and busbw[i] < fall * busbw[i - 1]]
    if len(steps) != 1:
        return
    step, before = steps[0], ratio[steps[0] - 1]
    if ratio[step] < jump * before or before > signature.at("algorithm_not_best.before_step"):
        return
    share = float(1 / np.median(ring[step:][-2:]))
    if share > signature.at("algorithm_not_best.ring_share_after"):
        size = signature.run.message_bytes[step] / MIB
        evidence = said(
            "bandwidth steps down from ",
            gb_s(busbw[step - 1], ".0f"),
            " to ",
            gb_s(busbw[step], ".0f"),
            f" at {size:,.0f} MiB and rises again, to {share_text(share)} of the ring's: as if the library went over to a slower "
            "algorithm there",
        )
        score = signature.at("algorithm_not_best.score_step")
        yield fault_of(signature, "algorithm_not_best", score, evidence, share_of_ring=share, slow=signature.slow)


def _one_gpu(signature: Signature) -> Iterator[Fault]:
    per_node = signature.run.gpus_per_node
    if per_node < signature.n_nics and not signature.is_superchip:
        evidence = f"{per_node} GPUs a node and {signature.n_nics} NICs: the GPUs' own PCIe links are the limit"
        score = signature.at("nic_per_gpu_limit.score")
        yield fault_of(signature, "nic_per_gpu_limit", score, evidence, gpus=per_node, nics=signature.n_nics)


_BY_TIME_ACROSS = (
    _staged,
    _far_nics,
    _redirected,
    _few_nics,
    _lost_rails,
    _sockets,
    _congested,
    _few_channels,
    _wrong_algorithm,
    _switched,
    _one_gpu,
)


def _slow_start(signature: Signature) -> Iterator[Fault]:
    floor = signature.floor
    least = signature.at("launcher_floor.floor")
    if floor is None or floor < least:
        return
    evidence = f"messages up to 1 KiB take {floor:.1f} times the prediction"
    score = signature.at("launcher_floor.score") + signature.at("launcher_floor.score_per_doubling") * np.log2(
        floor / least
    )
    score = min(score, signature.at("launcher_floor.score_most"))
    yield fault_of(signature, "launcher_floor", score, evidence, floor=floor)
    sound = signature.share is not None and signature.share > signature.at("sharp_unavailable.share")
    is_slower = floor > signature.at("sharp_unavailable.floor")
    if (
        signature.fabric == "infiniband"
        and signature.n_domains > 2
        and sound
        and is_slower
        and not signature.is_guessed
    ):
        evidence = (
            f"small messages take {floor:.1f} times the prediction, large ones are sound: SHARP may not have started"
        )
        yield fault_of(
            signature, "sharp_unavailable", signature.at("sharp_unavailable.score_floor"), evidence, floor=floor
        )


def _too_few(signature: Signature) -> Iterator[Fault]:
    n_sizes = len(signature.run.message_bytes)
    if n_sizes < signature.at("too_few_sizes.sizes") and signature.deficit > 0 and not signature.is_guessed:
        evidence = f"{n_sizes} sizes tell that bandwidth is missing, and not why: several causes leave as much"
        is_many = signature.n_domains > signature.at("too_few_sizes.many_domains")
        score = signature.at("too_few_sizes.score_many_domains") if is_many else signature.at("too_few_sizes.score")
        yield fault_of(signature, "too_few_sizes", score, evidence, sizes=n_sizes)


def _jumped(signature: Signature) -> Iterator[Fault]:
    """A size that takes many times as long as the one before, in a log that ends before large messages."""
    ratio = signature.ratio
    if signature.slow is not None or len(ratio) < 3:
        return
    jumps = ratio[1:] / ratio[:-1]
    at = int(np.argmax(jumps))
    if jumps[at] > signature.at("sudden_jump.times"):
        mine, before = signature.run.message_bytes[at + 1], signature.run.message_bytes[at]
        evidence = (
            f"{mine / MIB:.3g} MiB takes {signature.run.time_us[at + 1] / signature.run.time_us[at]:.0f} times as long as "
            f"{before / MIB:.3g} MiB, and no size is large enough to judge bandwidth by: several causes do that"
        )
        yield fault_of(signature, "sudden_jump", signature.at("sudden_jump.score"), evidence, jump=float(jumps[at]))


def _slow_below(signature: Signature) -> Iterator[Fault]:
    """Sizes between the floor and 8 MiB, where large ones are sound or were not run."""
    if signature.is_slow or signature.is_guessed:
        return
    for where, ratio, most in (
        ("1 to 8 MiB", signature.near, signature.at("slow_below_8_mib.near")),
        ("64 KiB to 1 MiB", signature.far, signature.at("slow_below_8_mib.far")),
    ):
        if ratio is not None and ratio > most:
            rest = "larger ones were not run" if signature.slow is None else "larger ones are as predicted"
            evidence = f"messages of {where} take {ratio:.1f} times the prediction; {rest}"
            yield fault_of(signature, "slow_below_8_mib", signature.at("slow_below_8_mib.score"), evidence, slow=ratio)
            return


_BY_TIME = (_slow_start, _too_few, _jumped, _slow_below)


def _nothing(signatures: Sequence[Signature], limits: Mapping[str, float]) -> Fault:
    """No fault, and what the best run leaves of the model's bandwidth; what could not be judged is said."""
    guessed = [signature for signature in signatures if signature.is_guessed]
    known = [signature for signature in signatures if not signature.is_guessed]
    with_plateau = [signature for signature in known if signature.slow is not None]
    if guessed and not with_plateau:
        return _unjudged(guessed[0])
    if not with_plateau:
        names = ", ".join(signature.run.name for signature in signatures[:3])
        seen = [ratio for one in signatures for ratio in (one.near, one.far, one.floor) if ratio is not None]
        low, high = (min(seen), max(seen)) if seen else (1.0, 1.0)
        takes = f"{low:.2f} to {high:.2f} times the prediction" if seen else "as long as they do"
        evidence = f"{names}: no size is large enough to judge bandwidth by; messages below 8 MiB take {takes}"
        return Fault(NOTHING, limits["nothing_wrong.score_unjudged"], said(evidence), "", {})
    worst = max(with_plateau, key=lambda signature: signature.slow or 0.0)
    slow = worst.slow or 1.0
    headroom = max(slow - 1, 0.0)
    evidence = f"large messages take {slow:.2f} times the prediction: " + (
        f"{share_text(headroom)} of bandwidth could still be gained"
        if slow > limits["sound.fast"]
        else "faster than the system that was given allows, so look at its NICs, their rate and the GPU"
    )
    is_sound = limits["sound.fast"] < slow < limits["sound.slow"]
    name = "nothing_wrong.score" if is_sound else "nothing_wrong.score_slow"
    return fault_of(worst, NOTHING, limits[name], evidence, slow=slow, headroom=headroom)


def _unjudged(signature: Signature) -> Fault:
    """That nobody says which NICs join the nodes, and what the usual ones would have given."""
    run, slow = signature.run, signature.slow or signature.near or 1.0
    guessed = network_words(run.system, [key for key in NETWORK_KEYS if key in run.assumed])
    evidence = (
        f"the log does not say what joins its {signature.n_domains} domains, so its bandwidth is not judged: against a guess by "
        f"the GPU's type ({guessed}) it takes {slow:.2f} times the prediction"
    )
    return fault_of(signature, NOT_JUDGED, signature.at("nothing_wrong.score_unjudged"), evidence, slow=slow)
