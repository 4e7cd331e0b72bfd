"""Split ports: what a leaf switch offers, and how many ports its pipelines drive when cages are split."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import breakout_at
from estimator.catalog.records import Breakout, Switch
from estimator.errors import Problem
from estimator.fabric.sized import SizedFabric


def breakout_problems(fabric: SizedFabric, catalog: Catalog) -> Iterator[Problem]:
    """A split that the leaf switch does not offer, or more ports on a leaf than it drives in that mode."""
    share, rate = fabric.endpoints_per_port, fabric.lane_rate_gbit_s
    if share == 1 or fabric.leaf_switch is None:
        return
    switch = catalog.switches[fabric.leaf_switch]
    mode = breakout_at(switch, rate)
    field = "fabric.splitters"
    if mode is None:
        message = (
            f"{switch.model} has no {rate} Gb/s mode: {_known(switch)}. Take another leaf switch, or leave ports whole."
        )
        yield Problem(field, "split_not_offered", message, {field: False})
        return
    most = mode.max_ports // switch.switch_units
    split = fabric.leaf_endpoints
    used = split + (fabric.leaf_down - -(-split // share)) + fabric.leaf_up
    worst = int(used.argmax())
    if used[worst] > most:
        n_split, n_whole = int(split[worst]), int(used[worst] - split[worst])
        why = f" ({mode.note})" if mode.note else ""
        message = (
            f"{switch.model} drives {most:,} ports when cages are split as {mode.name}{why}, and a leaf uses {n_split:,} "
            f"split and {n_whole:,} whole ports, {n_split + n_whole:,}. Give a leaf fewer downlinks, or take another switch."
        )
        yield Problem("fabric.leaf_downlinks", "breakout_ports_exceeded", message)


def _known(switch: Switch) -> str:
    def said(mode: Breakout) -> str:
        return f"{mode.links_per_cage} × {mode.link_rate_gbit_s}G a cage"

    modes = ", ".join(said(mode) for mode in switch.breakouts)
    return f"its cages also run as {modes}" if modes else "its ports are never split"
