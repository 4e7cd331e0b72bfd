"""Racks over a limit: height, power, load, with the numbers and a change of the request that ends it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from estimator.errors import Change, Problem
from estimator.floor.racks import Body, NodeRack
from estimator.spec.floor import SitePlan
from estimator.units import W_PER_KW, FloatArray, counted

NODES_PER_RACK = "site.plan.nodes_per_rack"
_ROUNDING = 1e-9  # of sums in float64


def exceeds(has: Any, limit: float) -> Any:
    """Whether a value, or each of an array, is over a limit by more than rounding."""
    return has > limit * (1 + _ROUNDING)


def rack_problems(
    plan: SitePlan,
    filling: NodeRack,
    node: Body,
    names: Sequence[str],
    has_nodes: npt.NDArray[np.bool_],
    max_w: FloatArray,
    weight_kg: FloatArray,
) -> Iterator[Problem]:
    """Each limit that is broken, once. Arrays have one entry a rack."""
    asked = plan.nodes_per_rack or 0
    if filling.is_whole and asked not in (0, filling.n_nodes):
        message = (
            f"{counted(asked, 'tray')} a rack {'was' if asked == 1 else 'were'} requested, and these racks are bought whole: "
            f"each holds {filling.n_nodes} compute trays. Leave the number out."
        )
        yield Problem(NODES_PER_RACK, "rack_comes_whole", message, {NODES_PER_RACK: None})
    elif asked > filling.fits_by_height:
        message = (
            f"{asked} nodes a rack were requested, and a rack of {plan.rack_units} U with {plan.reserved_units} U kept free "
            f"holds {filling.fits_by_height} of {node.units} U: so many were placed. Use {filling.fits_by_height} or "
            "fewer, or for higher racks."
        )
        yield Problem(NODES_PER_RACK, "rack_height_exceeded", message, {NODES_PER_RACK: filling.fits_by_height})
    racks = _Racks(names, has_nodes, filling.n_nodes, filling.is_whole)
    power = _Limit("draws", "kW", "site.plan.rack_power_kw", plan.rack_power_kw or 0.0, node.max_w / W_PER_KW)
    if over := _over(racks, power, max_w / W_PER_KW):
        yield Problem(over[0], "rack_power_exceeded", over[1], over[2])
    load = _Limit("weighs", "kg", "site.plan.rack_weight_kg", plan.rack_weight_kg or 0.0, node.weight_kg)
    if over := _over(racks, load, weight_kg):
        yield Problem(over[0], "rack_weight_exceeded", over[1], over[2])


@dataclass(frozen=True, slots=True)
class _Racks:
    names: Sequence[str]
    has_nodes: npt.NDArray[np.bool_]
    n_nodes: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Limit:
    """``a_node`` is what one node adds."""

    verb: str
    unit: str
    key: str
    limit: float
    a_node: float


def _over(racks: _Racks, of: _Limit, has: FloatArray) -> tuple[str, str, Change] | None:
    """Field, message and change for the racks that are over a limit; None if all keep it."""
    over = np.flatnonzero(exceeds(has, of.limit))
    if not len(over):
        return None
    worst = int(over[np.argmax(has[over])])
    excess = float(has[worst]) - of.limit
    is_whole = racks.is_whole and bool(racks.has_nodes[worst])
    fewer = (
        racks.n_nodes - math.ceil(excess / of.a_node) if racks.has_nodes[worst] and of.a_node and not is_whole else 0
    )
    need = float(math.ceil(has[worst]))
    field, change = (NODES_PER_RACK, {NODES_PER_RACK: fewer}) if fewer >= 1 else (of.key, {of.key: need})
    fewer_nodes = (
        f"Put {counted(fewer, 'node')} in a rack, or allow"
        if fewer >= 1
        else ("It is bought whole, so that its trays cannot be spread over more racks: allow" if is_whole else "Allow")
    )
    message = (
        f"{counted(len(over), 'rack')} of {len(has):,} over the limit of {of.limit:,g} {of.unit}: {racks.names[worst]} "
        f"{of.verb} {float(has[worst]):,.1f} {of.unit} at most. {fewer_nodes} {need:,g} {of.unit} a rack."
    )
    return field, message, change
