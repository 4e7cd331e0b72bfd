"""A Kueue Topology whose levels are the node labels of kubernetes.py, coarsest first."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from estimator.cabling.links import LinkList
from estimator.handoff.kubernetes import HOSTNAME, labelled_levels
from estimator.handoff.placement import Level, Placement, placement
from estimator.handoff.stamp import comments, slug

API_VERSION = "kueue.x-k8s.io/v1beta2"  # Kueue 0.15 and later; before: v1beta1, the same fields


def write(links: LinkList) -> Iterator[str]:
    """One Topology; a ResourceFlavor names it by spec.topologyName."""
    levels, left_out = nested_levels(placement(links))
    older = ", ".join(older for _, older, _ in levels)
    notes = [f"With the labels of topograph 0.5 and before, the levels are {older}, {HOSTNAME}."]
    notes += [f"No level {key}: its groups cross those of another level." for key in left_out]
    yield comments(links, *notes)
    name = slug(links.spec.name) or "fabric"
    yield f'apiVersion: {API_VERSION}\nkind: Topology\nmetadata:\n  name: "{name}"\nspec:\n  levels:\n'
    for key in [*(key for key, _, _ in levels), HOSTNAME]:
        yield f'  - nodeLabel: "{key}"\n'


def nested_levels(placed: Placement) -> tuple[list[tuple[str, str, Level]], list[str]]:
    """Levels coarsest first, each group within one of the level before; and keys of domains that do not nest."""
    domain, *fabric = labelled_levels(placed) if placed.domain else (None, *labelled_levels(placed))
    fabric = [level for level in fabric if level is not None][::-1]
    if domain is None:
        return fabric, []
    for place in range(len(fabric), -1, -1):
        levels = [*fabric[:place], domain, *fabric[place:]]
        if all(_nests(inner[2], outer[2]) for outer, inner in pairwise(levels)):
            return levels, []
    return fabric, [domain[0]]


def _nests(inner: Level, outer: Level) -> bool:
    """Whether every group of ``inner`` lies in one of ``outer``."""
    pairs = inner.of_node.astype(np.int64) * len(outer.names) + outer.of_node
    return len(np.unique(pairs)) == len(np.unique(inner.of_node))
