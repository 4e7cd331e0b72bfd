"""The cabling tab: what is bought to join the devices, in aggregate; and pages of the link list where a reader asks for them."""

from collections.abc import Iterator, Mapping
from typing import Any

from designer.charts.lengths import length_chart
from designer.pages.result.cabling.link_pages import device_page, schedule_page
from designer.pages.result.racks import floor_of
from designer.services.link_lists import links_of
from designer.wording.numbers import words
from designer.wording.query import column_heads, one_of
from estimator.cabling.links import LinkList
from estimator.catalog.ports import COMPUTE
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob

TIERS = {
    "node_leaf": "Server to leaf",
    "fabric_manager": "Fabric manager to leaf",
    "leaf_spine": "Leaf to spine",
    "spine_core": "Spine to core",
    "leaf_leaf": "Leaf to leaf",
}
COUNTS = ("links", "cables", "modules", "cages")
ORDERS = ("tier", "medium", "length_m", "part", *COUNTS)
DEFAULT_ORDER = "tier"
EXAMPLES = ("node-0001", "spine-001")  # every fabric of two tiers has them
VIEWS = {"parts": "Parts", "schedule": "Cable schedule", "device": "Device ports"}


def cabling_rows(fabric: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a tier, medium, length and part of a fabric: links, cables, transceivers and cages are four counts."""
    media = fabric.get("media", {})
    return [row for tier in sorted(media, key=_place) for row in _tier_rows(tier, media[tier])]


def _place(tier: str) -> tuple[int, str]:
    """Where a tier stands: from the servers up."""
    known = list(TIERS)
    return (known.index(tier) if tier in TIERS else len(known)), tier


def _tier_rows(tier: str, cabled: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for run in cabled["runs"]:
        parts = run.get("parts") or {}
        yield {
            "tier": tier,
            "medium": run.get("medium"),
            "length_m": run.get("length_m"),
            "part": parts.get("cable"),
            "upper_module": parts.get("upper_module"),
            "lower_module": parts.get("lower_module"),
            "links": run["links"],
            "cables": run["cables"],
            "modules": run.get("upper_modules", 0) + run.get("lower_modules", 0),
            "cages": run.get("upper_cages", 0) + run.get("lower_cages", 0),
            "set_by_hand": run.get("set_by_hand", 0),
            "missing": run.get("missing"),
        }


def cabling_context(job: EstimateJob, result: Mapping[str, Any], query: Mapping[str, Any]) -> dict[str, Any]:
    """The view that is requested: parts bought, cable schedule, or the ports of one device."""
    roles = list(result["fabrics"])
    role, view = one_of(query.get("fabric"), roles), one_of(query.get("view"), VIEWS)
    context = {"role": role, "roles": roles, "view": view, "views": VIEWS}
    if view == "parts":
        return context | _parts(result, role, query.get("sort"))
    return context | _rows_of_links(job, role, view, query)


def _parts(result: Mapping[str, Any], role: str, order: str | None) -> dict[str, Any]:
    rows = cabling_rows(result["fabrics"][role])
    described = {
        line["part"]: line["description"] for line in (result.get("bom") or {}).get("lines", []) if line["part"]
    }
    for row in rows:
        row["tier_name"] = _tier_name(row["tier"], role)
        row["description"] = described.get(row["part"], row["part"])
        row["module_names"] = [described.get(part, part) for part in _modules(row)]
    totals = {key: sum(row[key] for row in rows) for key in COUNTS}
    media = result["fabrics"][role].get("media", {})
    lengths = [
        {"tier": _tier_name(tier, role), "panels": media[tier]["panels_per_link"], **media[tier]["lengths_m"]}
        for tier in sorted(media, key=_place)
    ]
    return {
        "cabling": sorted_cabling(rows, order) | {"totals": totals},
        "length_chart": length_chart(rows),
        "lengths": lengths,
    }


def _tier_name(tier: str, role: str) -> str:
    """A tier in words; networks beside the compute one join more than servers."""
    if tier == "node_leaf" and role != COMPUTE:
        return "Device to leaf"
    return TIERS.get(tier) or words(tier).capitalize()


def _modules(row: Mapping[str, Any]) -> list[str]:
    """The row's transceivers, each once."""
    return list(dict.fromkeys(part for part in (row["lower_module"], row["upper_module"]) if part))


def sorted_cabling(rows: list[dict[str, Any]], order: str | None) -> dict[str, Any]:
    """Rows by ``order`` ("-links": most first); as the tiers stand where none is requested. Unknown values come last."""
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER
    descending = str(order).startswith("-")
    if key == "tier":
        return {"rows": rows[::-1] if descending else rows, "heads": column_heads(list(ORDERS), key, descending)}
    known = sorted((row for row in rows if row[key] is not None), key=lambda row: row[key], reverse=descending)
    rest = [row for row in rows if row[key] is None]
    return {"rows": known + rest, "heads": column_heads(list(ORDERS), key, descending)}


def _rows_of_links(job: EstimateJob, role: str, view: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """One page of the link list; what stands in its way is reported in its place."""
    device = str(query.get("device", "")).strip()
    if view == "device" and not device:
        return {"device": "", "examples": EXAMPLES}
    try:
        links = links_of(job, role)
    except EstimatorError as error:
        return {"device": device, "cannot": [problem.message for problem in error.problems]}
    if view == "schedule":
        return _schedule(job, links, query)
    return {"device": device, "ports": device_page(links, device, query.get("page"))}


def _schedule(job: EstimateJob, links: LinkList, query: Mapping[str, Any]) -> dict[str, Any]:
    """By pair of racks where the devices of this fabric stand on a floor plan, unless pairs of devices are requested."""
    floor = floor_of(job) if links.role == COMPUTE else None
    choices = ("racks", "devices") if floor else ("devices",)
    by = one_of(query.get("by"), choices)
    return {
        "by": by,
        "by_choices": choices,
        "schedule": schedule_page(links, query.get("page"), floor if by == "racks" else None),
    }
