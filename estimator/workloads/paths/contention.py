"""Kinds of traffic that share a link: how much slower each is while others run, by their shares of the time.

A link is shared equally by what runs on it at a moment. Of two kinds that know nothing of one another, the second runs during
a share of the first's time that is its own share of the step: each call of the first takes that much longer on average. At
the very most they always start together, and the first waits for as much of the second as there is, or lasts itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.workloads.paths.hierarchy import CORE, ETHERNET, LEAF, SPINE

IN_TURN = frozenset({"tp", "cp", "ep"})  # of one rank: each waits for the one before, so that they never run at once


@dataclass(frozen=True)
class Flow:
    """One kind of traffic on its furthest level (an index into LEVELS), and the share of the time that its calls take alone."""

    kind: str
    level: int
    share: float


@dataclass(frozen=True)
class Slowdown:
    """Factors of a kind's time that sharing its link costs: on average, and where all of it always meets the others."""

    usual: float
    most: float
    others: tuple[str, ...]  # kinds that share the link


def shares_link(one: Flow, other: Flow) -> bool:
    """Whether two kinds can be on one link at once: whatever enters the network shares the GPU's NIC."""
    if one.kind == other.kind or {one.kind, other.kind} <= IN_TURN:
        return False
    network = (LEAF, SPINE, CORE, ETHERNET)
    return one.level == other.level or (one.level in network and other.level in network)


def slowdowns(flows: Sequence[Flow]) -> list[Slowdown]:
    """What sharing costs each kind, in their order; 1 for one that has its link to itself."""
    out = []
    for one in flows:
        others = [other for other in flows if shares_link(one, other)]
        usual = 1.0 + sum(min(other.share, 1.0) for other in others)
        most = 1.0 + sum(min(1.0, other.share / one.share) if one.share > 0 else 0.0 for other in others)
        out.append(Slowdown(min(usual, most), most, tuple(other.kind for other in others)))
    return out
