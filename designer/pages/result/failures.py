"""What failures leave, how often they come, and what growing costs: the Estimate's figures as rows to read."""

from collections.abc import Mapping
from typing import Any

from designer.wording.numbers import NO_BREAK_SPACE, words
from estimator.catalog.loader import load_catalog

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
    "cable": "Cables",
    "fiber": "Fibres",
}
SIDES = {"right_sized": "No room to grow", "bought_now": "Bought now", "sized_for": "Grown"}


def failures_context(result: Mapping[str, Any]) -> dict[str, Any]:
    """``losses`` and ``pairs``: a row for each kind of loss; ``expected``: failures a year; ``growth``: three designs."""
    failures = result.get("failures") or {}
    fabric = result["fabrics"]["compute"]
    kinds = [key for key in LEFT if _is_reported(key, failures, fabric)]
    return {
        "left_heads": [LEFT[key] for key in kinds],
        "losses": [_loss(one, kinds) for one in failures.get("one", [])],
        "pairs": [_loss(one, kinds) for one in failures.get("two", [])],
        "expected": _expected(failures.get("expected"), result),
        "growth": growth_rows(result.get("growth")),
    }


def _is_reported(key: str, failures: Mapping[str, Any], fabric: Mapping[str, Any]) -> bool:
    """A column that some loss has a figure for; with one plane, that plane is all leaves."""
    has_figures = any(one[key] is not None for one in (*failures.get("one", []), *failures.get("two", [])))
    return has_figures and not (key == "plane_uplinks_left" and fabric["planes"] == 1)


def _loss(one: Mapping[str, Any], kinds: list[str]) -> dict[str, Any]:
    return {
        "name": LOST.get(one["lost"]) or words(one["lost"]).capitalize(),
        "n": one["n"],
        "endpoints": one["endpoints_cut_off"],
        "nodes": one["nodes_cut_off"],
        "worst_leaf": one["worst_leaf"],
        "stops": one["endpoints_cut_off"] > 0,
        "starts_again": one["all_reduce_goes_on"],
        "islands": one["islands"],
        "left": [{"head": LEFT[key], "text": part_of(one[key]), "is_whole": one[key] == "1:1"} for key in kinds],
    }


def part_of(ratio: str | None) -> str:
    """A fraction as two integers, "15:16" → "15 of 16"; "all" and "none" at the ends; a dash where there is none."""
    if ratio is None:
        return "\N{EN DASH}"
    part, whole = ratio.split(":")
    if part == whole:
        return "all"
    return "none" if part == "0" else f"{int(part):,} of{NO_BREAK_SPACE}{int(whole):,}"


def _expected(expected: Mapping[str, Any] | None, result: Mapping[str, Any]) -> dict[str, Any] | None:
    if not expected:
        return None
    described = {key: gpu.model for key, gpu in load_catalog().gpus.items()}
    described |= {
        line["part"]: line["description"] for line in (result.get("bom") or {}).get("lines", []) if line["part"]
    }
    parts = [
        {
            **part,
            "name": CLASSES.get(part["class"]) or words(part["class"]).capitalize(),
            "description": described.get(part["part"], part["part"]),
        }
        for part in expected["parts"]
    ]
    return {**expected, "parts": parts}


def growth_rows(growth: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The three designs side by side, what being ready costs, and the later BOM; None where there is no room to grow."""
    if growth is None:
        return None
    sides = [growth[key] for key in SIDES]
    counts = (
        ("Servers", "counts", "nodes"),
        ("Leaf switches", "counts", "leaf"),
        ("Spine switches", "counts", "spine"),
        ("Core switches", "counts", "core"),
    )
    rows = [{"name": name, "values": [side[part][key] for side in sides]} for name, part, key in counts]
    rows += [
        {"name": name, "values": [sum(side[part].values()) for side in sides]}
        for name, part in (("Links", "links"), ("Cables", "cables"), ("Transceivers", "transceivers"))
    ]
    return {
        **growth,
        "heads": list(SIDES.values()),
        "rows": [row for row in rows if any(row["values"])],
        "prices": [
            {"name": name, "values": [side[key] for side in sides]}
            for name, key in (("Network", "network_usd"), ("Purchase price", "totals_usd"))
        ],
    }
