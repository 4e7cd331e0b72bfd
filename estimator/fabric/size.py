"""Specs → counts of their compute networks: what a spec leaves open is chosen, and the whole is sized.

A design that grows into three tiers gets pods as large as today's nodes need, so that growth adds whole pods: spines come with
their pods, and no cable moves when more pods are added. A pod that the request names stays as it is.
"""

from collections.abc import Sequence

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.fabric.automatic import settled
from estimator.fabric.columns import Asked, Sizing
from estimator.fabric.sizing import asked_columns, sized_columns
from estimator.spec.design import DesignSpec
from estimator.units import ceil_div

_SHAPE = ("tiers", "uplinks", "group_spines", "core_groups", "cores_a_group", "n_core", "spine_up_most")
_MOST_MORE = 1.1  # switches of the grown design, against those with the pods that it would have by itself
_FEW, _MOST_KEPT = 16, 1024  # designs of a batch whose choices are kept, and choices that are
_kept: dict[tuple[int, ...], Asked] = {}


def size(specs: Sequence[DesignSpec], catalog: Catalog) -> Sizing:
    """Size the compute network of every spec; what a spec leaves open is chosen (automatic.py, ``with_first_pods``). [counts]"""
    return sized_columns(with_first_pods(asked_columns(specs, catalog)))


def with_first_pods(asked: Asked) -> Asked:
    """The request settled; where its nodes fill less than one pod of the grown design, with smaller pods if they pay.

    Choices follow from the columns alone, and those of few designs are kept: a page, its proposals and its files settle the
    same designs over and over.
    """
    rows = asked.rows()
    if not 0 < len(rows) <= _FEW:
        return _with_first_pods(asked)
    known = {row: found for row in rows if (found := _kept.get(row))}
    if new := [i for i, row in enumerate(rows) if row not in known]:
        made = _with_first_pods(asked.take(np.array(new)))
        known |= {rows[i]: made.take(slice(at, at + 1)) for at, i in enumerate(new)}
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept.update(known)
    return known[rows[0]] if len(rows) == 1 else Asked.joined([known[row] for row in rows])


def _with_first_pods(asked: Asked) -> Asked:
    chosen = settled(asked)
    open_rows = np.flatnonzero((asked.grow_nodes > asked.nodes) & (asked.pod_nodes == 0))
    if not len(open_rows):
        return chosen
    chosen = chosen.copy()
    for row in open_rows.tolist():
        one = slice(row, row + 1)
        if better := _smaller_pods(asked.take(one), chosen.take(one)):
            chosen.write(one, better)
    return chosen


def _smaller_pods(asked: Asked, chosen: Asked) -> Asked | None:
    """The same request with the pods that take the fewest switches today; None where the pods it has do."""
    now = sized_columns(chosen)
    if now.tiers[0] != 3 or now.pods[0] > 1:
        return None
    nodes, most = int(asked.nodes[0]), _MOST_MORE * _switches(sized_columns(_grown(chosen)))
    unit = int(now.leaves.unit_nodes[0]) or max(int(now.leaves.capacity[0] // asked.endpoints_a_node[0]), 1)
    best, fewest = None, _switches(now)
    pod = ceil_div(nodes, unit) * unit
    while pod < asked.grow_nodes[0]:
        named = asked.but(pod_nodes=np.array([pod]), tiers=np.array([3]))
        tried = settled(named)
        sizing, grown = sized_columns(tried), sized_columns(settled(_grown(named)))
        if sizing.tiers[0] == 3 and _switches(sizing) < fewest and _switches(grown) <= most and _alike(sizing, grown):
            best, fewest = tried.but(pods_of_today=np.array([True])), _switches(sizing)
        pod *= 2
    return best


def _grown(asked: Asked) -> Asked:
    return asked.but(nodes=asked.grow_nodes)


def _alike(now: Sizing, grown: Sizing) -> bool:
    """Whether leaves, pods and cores are split and joined alike in both, so that no cable moves."""
    pairs = [(getattr(now, name), getattr(grown, name)) for name in _SHAPE]
    pairs += [
        (getattr(now.leaves, name), getattr(grown.leaves, name)) for name in ("downlinks", "unit_nodes", "columns")
    ]
    return all(int(one[0]) == int(other[0]) for one, other in pairs)


def _switches(sizing: Sizing) -> int:
    return int(sizing.n_leaf[0] + sizing.n_spine[0] + sizing.n_core[0])
