"""Racks over a limit: height, power, load, with the numbers and a change of the request that ends it."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from estimator.changes import Change
from estimator.errors import Problem
from estimator.racks import Body, NodeRack
from estimator.site_plan import SitePlan
from estimator.units import W_PER_KW, FloatArray, ceil_div, counted

NODES_PER_RACK = "site.plan.nodes_per_rack"


def rack_problems(
    plan: SitePlan, filling: NodeRack, node: Body, names: Sequence[str], has_nodes: npt.NDArray[np.bool_],
    max_w: FloatArray, weight_kg: FloatArray,
) -> Iterator[Problem]:  # fmt: skip
    """Each limit that is broken, once. Arrays have one entry a rack."""
    asked = plan.nodes_per_rack or 0
    if asked > filling.fits_by_height:
        message = (
            f"{asked} nodes a rack were asked for, and a rack of {plan.rack_units} U with {plan.reserved_units} U kept free "
            f"holds {filling.fits_by_height} of {node.units} U: so many were placed. Ask for {filling.fits_by_height} or "
            "fewer, or for higher racks."
        )
        yield Problem(NODES_PER_RACK, "rack_height_exceeded", message, {NODES_PER_RACK: filling.fits_by_height})
    power_kw = plan.rack_power_kw or 0.0
    yield from _over(
        "rack_power", "draws", "kW", "rack_power_kw", power_kw, max_w / W_PER_KW, names, has_nodes, filling,
        node.max_w / W_PER_KW,
    )  # fmt: skip
    load_kg = plan.rack_weight_kg or 0.0
    yield from _over(
        "rack_weight", "weighs", "kg", "rack_weight_kg", load_kg, weight_kg, names, has_nodes, filling, node.weight_kg
    )


def _over(
    code: str, verb: str, unit: str, key: str, limit: float, has: FloatArray, names: Sequence[str],
    has_nodes: npt.NDArray[np.bool_], filling: NodeRack, a_node: float,
) -> Iterator[Problem]:  # fmt: skip
    over = np.flatnonzero(has > limit * (1 + 1e-9))
    if not len(over):
        return
    worst = int(over[np.argmax(has[over])])
    excess = float(has[worst]) - limit
    fewer = filling.n_nodes - int(ceil_div(excess, a_node)) if has_nodes[worst] and a_node else 0
    field = NODES_PER_RACK if fewer >= 1 else f"site.plan.{key}"
    need = float(np.ceil(has[worst]))
    change: Change = {NODES_PER_RACK: fewer} if fewer >= 1 else {f"site.plan.{key}": need}
    fewer_nodes = f"Put {counted(fewer, 'node')} in a rack, or allow" if fewer >= 1 else "Allow"
    message = (
        f"{counted(len(over), 'rack')} of {len(has):,} over the limit of {limit:,g} {unit}: {names[worst]} {verb} "
        f"{float(has[worst]):,.1f} {unit} at most. {fewer_nodes} {need:,g} {unit} a rack."
    )
    yield Problem(field, f"{code}_exceeded", message, change)
