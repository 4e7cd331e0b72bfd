"""What failures leave, how often they come, and what growing costs: the Estimate's figures as rows to read."""

from collections.abc import Sequence

from designer.wording.context import Context
from designer.wording.numbers import NO_BREAK_SPACE, words
from estimator.bom.result import BomWithLines
from estimator.catalog.loader import load_catalog
from estimator.cost.result import ExpectedFailures
from estimator.findings.result import Loss
from estimator.growth.result import Growth, GrowthStage
from estimator.result import PricedEstimate

LOST = {
    "node-nic": "A server’s NIC",
    "node-link": "A server’s link",
    "node-module": "A transceiver in a server",
    "leaf-module-to-nodes": "A leaf’s transceiver towards servers",
    "leaf-spine-link": "A link from leaf to spine",
    "leaf-module-to-spines": "A leaf’s transceiver towards spines",
    "spine-module-to-leaves": "A spine’s transceiver towards leaves",
    "spine-core-link": "A link from spine to core",
    "spine-module-to-cores": "A spine’s transceiver towards cores",
    "core-module": "A core’s transceiver",
    "leaf": "A leaf",
    "spine": "A spine",
    "core": "A core",
    "leaf+leaf": "Two leaves",
    "spine+spine": "Two spines",
    "leaf+spine": "A leaf and a spine",
    "core+core": "Two cores",
    "leaf+core": "A leaf and a core",
    "spine+core": "A spine and a core",
}
LEFT = {
    "node_ports_left": "Worst server keeps",
    "leaf_uplinks_left": "Worst leaf keeps",
    "rail_uplinks_left": "Worst rail keeps",
    "plane_uplinks_left": "Worst plane keeps",
    "uplinks_left": "All leaves keep",
    "core_links_left": "Spines keep to cores",
}
CLASSES = {
    "gpu": "GPUs",
    "host": "Servers, GPUs and NICs aside",
    "nic": "NICs",
    "switch": "Switches",
    "optic": "Transceivers",
    "dac": "Passive copper cables",
    "acc": "Active copper cables",
    "lacc": "Linear active copper cables",
    "aec": "Retimed copper cables",
    "aoc": "Active optical cables",
}
SIDES = {"right_sized": "No room to grow", "bought_now": "Bought now", "sized_for": "Grown"}


def failures_context(estimate: PricedEstimate) -> Context:
    """``losses`` and ``pairs``: a row for each kind of loss; ``expected``: failures a year; ``growth``: three designs."""
    found = estimate.failures
    one, two = (found.one, found.two) if found else ([], [])
    kinds = [key for key in LEFT if _is_reported(key, [*one, *two], estimate.compute.planes)]
    return {
        "left_heads": [LEFT[key] for key in kinds],
        "losses": [_loss(loss, kinds) for loss in one],
        "pairs": [_loss(loss, kinds) for loss in two],
        "expected": found.expected if found else None,
        "failing": _failing(found.expected, estimate.bom) if found and found.expected else [],
        "growth": estimate.growth,
        "growth_table": growth_table(estimate.growth) if estimate.growth else None,
    }


def _is_reported(key: str, losses: Sequence[Loss], planes: int) -> bool:
    """A column that some loss has a figure for; with one plane, that plane is all leaves."""
    has_figures = any(getattr(loss, key) is not None for loss in losses)
    return has_figures and not (key == "plane_uplinks_left" and planes == 1)


def _loss(loss: Loss, kinds: list[str]) -> Context:
    left = [(LEFT[key], getattr(loss, key)) for key in kinds]
    return {
        "name": LOST.get(loss.lost) or words(loss.lost).capitalize(),
        "loss": loss,
        "stops": loss.endpoints_cut_off > 0,
        "left": [{"head": head, "text": part_of(share), "is_whole": share == "1:1"} for head, share in left],
    }


def part_of(ratio: str | None) -> str:
    """A fraction as two integers, "15:16" → "15 of 16"; "all" and "none" at the ends; a dash where there is none."""
    if ratio is None:
        return "\N{EN DASH}"
    part, whole = ratio.split(":")
    if part == whole:
        return "all"
    return "none" if part == "0" else f"{int(part):,} of{NO_BREAK_SPACE}{int(whole):,}"


def _failing(expected: ExpectedFailures, bill: BomWithLines) -> list[Context]:
    described = {key: gpu.model for key, gpu in load_catalog().gpus.items()}
    described |= {line.part: line.description for line in bill.lines if line.part}
    return [
        {
            "part": part,
            "name": CLASSES[part.class_],
            "description": described.get(part.part, part.part) if part.part else None,
        }
        for part in expected.parts
    ]


def growth_table(growth: Growth) -> Context:
    """The three designs side by side."""
    sides: list[GrowthStage] = [getattr(growth, key) for key in SIDES]
    counts = {"Servers": "nodes", "Leaf switches": "leaf", "Spine switches": "spine", "Core switches": "core"}
    totals = {"Links": "links", "Cables": "cables", "Transceivers": "transceivers"}
    rows = {name: [getattr(side.counts, key) for side in sides] for name, key in counts.items()}
    rows |= {name: [getattr(side, part).total for side in sides] for name, part in totals.items()}
    return {
        "heads": list(SIDES.values()),
        "rows": [{"name": name, "values": values} for name, values in rows.items() if any(values)],
        "prices": [
            {"name": "Network", "values": [side.network_usd for side in sides]},
            {"name": "Purchase price", "values": [side.totals_usd for side in sides]},
        ],
    }
