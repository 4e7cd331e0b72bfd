"""What the overview's picture says of its tiers and of the cables between them: parts with numbers, lengths and prices, each
price with its basis, and the fields of the form that set them."""

from collections.abc import Sequence
from typing import NamedTuple

from designer.drawings.words import HEADS
from designer.wording.numbers import NO_BREAK_SPACE, count, metres, usd
from estimator.bom.result import BomLine
from estimator.catalog.ports import COMPUTE
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.result import Estimate

SIZE_OF_ALL = "size"  # servers, GPUs or racks: one field
FIELDS = {
    NODE: ("compute__server", SIZE_OF_ALL),
    LEAF: ("fabric__leaf_switch", "fabric__oversubscription"),
    SPINE: ("fabric__spine_switch", "fabric__tiers"),
    CORE: ("fabric__core_switch", "fabric__tiers"),
    "node_leaf": ("fabric__generation", "site__node_leaf_m", "site__node_leaf_medium"),
    "leaf_spine": ("fabric__oversubscription", "site__leaf_spine_m", "site__leaf_spine_medium"),
    "spine_core": ("fabric__spine_oversubscription", "site__spine_core_m", "site__spine_core_medium"),
}
BLOCKS = {  # what sets a block, by the first word of its title
    "Unit": ("fabric__scalable_unit_nodes",),
    "Pod": ("fabric__pod_nodes",),
    "Rail": ("fabric__layout", "fabric__rails_per_leaf"),
    "Plane": ("fabric__planes",),
}
LANES = {"node_leaf": "Servers to leaves", "leaf_spine": "Leaves to spines", "spine_core": "Spines to cores"}
BELOW = {NODE: "node_leaf", LEAF: "leaf_spine", SPINE: "spine_core"}  # the cables above a tier


class Tier(NamedTuple):
    """A tier, or the cables between two, with what is bought for it."""

    key: str
    name: str
    fields: tuple[str, ...]
    lines: Sequence[BomLine]
    words: str  # in one line, for a hint


def tiers_of(estimate: Estimate, tiers: Sequence[str]) -> dict[str, Tier]:
    """Every tier from the top down, each followed by the cables below it; parts and prices where the Estimate has a bill."""
    out = {}
    for tier in tiers:
        lines = _lines(estimate, tier)
        total = estimate.compute.counts.nodes if tier == NODE else getattr(estimate.compute.counts, tier)
        out[tier] = Tier(tier, HEADS[tier], FIELDS[tier], lines, f"{HEADS[tier]}: {count(total)}{_price(lines)}")
    for tier, key in BELOW.items():
        if tier in tiers and tier != tiers[0]:
            lines = _lines(estimate, key)
            links = f"{count(getattr(estimate.compute.links, key))} links{_lengths(lines)}"
            out[key] = Tier(key, LANES[key], FIELDS[key], lines, f"{LANES[key]}: {links}{_price(lines)}")
    order = [key for tier in tiers for key in ((BELOW.get(tier, ""), tier))]
    return {key: out[key] for key in order if key in out}


def block_fields(tier: str, title: str) -> tuple[str, ...]:
    """The fields that set one block of a tier: its part, and what makes blocks of the tier."""
    main = (SIZE_OF_ALL, "compute__server") if tier == NODE else FIELDS[tier]
    return (*BLOCKS[title], *main) if title in ("Rail", "Plane") else (*main, *BLOCKS.get(title, ()))


def _lines(estimate: Estimate, key: str) -> list[BomLine]:
    """Lines of the bill for a tier, or for the cables between two: cables before transceivers."""
    lines = estimate.bom.lines if estimate.bom else ()
    own = [line for line in lines if line.fabric == COMPUTE and _place(line) == key]
    return sorted(own, key=lambda line: line.category == "transceiver")


def _place(line: BomLine) -> str | None:
    if line.category == "server":
        return NODE
    return line.use if line.category == "switch" else line.tier


def _lengths(lines: Sequence[BomLine]) -> str:
    lengths = sorted({line.length_m for line in lines if line.length_m})
    if not lengths:
        return ""
    return f", {' to '.join(dict.fromkeys((metres(lengths[0]), metres(lengths[-1]))))}"


def _price(lines: Sequence[BomLine]) -> str:
    """What the lines cost together; nothing where none has a price."""
    known = [line.extended_price_usd.typical for line in lines if line.extended_price_usd]
    if not known:
        return ""
    least = "≥ " if len(known) < len(lines) else ""
    return f", {least}{usd(sum(known))}".replace(NO_BREAK_SPACE, " ")
