"""The cabling tab: what is bought to join the devices, in aggregate; and pages of the link list where a reader asks for them."""

from collections.abc import Sequence
from operator import attrgetter

from designer.charts.lengths import length_chart
from designer.pages.result.cabling.link_pages import device_page, schedule_page
from designer.pages.result.racks import floor_of
from designer.services.link_lists import links_of
from designer.wording.context import Context
from designer.wording.numbers import words
from designer.wording.query import column_heads, one_of
from estimator.cabling.links import LinkList
from estimator.cabling.result import CableRun, CablingRow, SizedNetwork
from estimator.catalog.ports import COMPUTE
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.record import Given, keys_of
from estimator.result import PricedEstimate

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


def cabling_rows(network: SizedNetwork) -> list[CablingRow]:
    """One row a tier, medium, length and part of a network."""
    media = network.media or {}
    return [_row(tier, run) for tier in sorted(media, key=_place) for run in media[tier].runs]


def _place(tier: str) -> tuple[int, str]:
    """Where a tier stands: from the servers up."""
    known = list(TIERS)
    return (known.index(tier) if tier in TIERS else len(known)), tier


def _row(tier: str, run: CableRun) -> CablingRow:
    alike = {key.attribute for key in keys_of(CablingRow)} & {key.attribute for key in keys_of(CableRun)}
    return CablingRow(
        tier=tier,
        part=run.parts.cable,
        upper_module=run.parts.upper_module,
        lower_module=run.parts.lower_module,
        part_name=run.parts.cable_name,
        upper_module_name=run.parts.upper_module_name,
        lower_module_name=run.parts.lower_module_name,
        **{name: getattr(run, name) for name in alike},
    )


def cabling_context(job: EstimateJob, estimate: PricedEstimate, query: Given) -> Context:
    """The view that is requested: parts bought, cable schedule, or the ports of one device."""
    roles = list(estimate.fabrics)
    role, view = one_of(query.get("fabric"), roles), one_of(query.get("view"), VIEWS)
    context = {"role": role, "roles": roles, "view": view, "views": VIEWS}
    if view == "parts":
        return context | _parts(estimate, role, query.get("sort"))
    return context | _rows_of_links(job, role, view, query)


def _parts(estimate: PricedEstimate, role: str, order: str | None) -> Context:
    network = estimate.fabrics[role]
    rows, media = cabling_rows(network), network.media or {}
    described: dict[str | None, str] = {line.part: line.description for line in estimate.bom.lines if line.part}
    ordered, heads = sorted_cabling(rows, order)
    shown = [
        {
            "row": row,
            "tier_name": _tier_name(row.tier, role),
            "description": described.get(row.part, row.part),
            "module_names": [described.get(part, part) for part in _modules(row)],
        }
        for row in ordered
    ]
    return {
        "cabling": {
            "rows": shown,
            "heads": heads,
            "totals": {key: sum(getattr(row, key) for row in rows) for key in COUNTS},
        },
        "length_chart": length_chart(rows),
        "lengths": [(_tier_name(tier, role), media[tier]) for tier in sorted(media, key=_place)],
    }


def _tier_name(tier: str, role: str) -> str:
    """A tier in words; networks beside the compute one join more than servers."""
    if tier == "node_leaf" and role != COMPUTE:
        return "Device to leaf"
    return TIERS.get(tier) or words(tier).capitalize()


def _modules(row: CablingRow) -> list[str]:
    """The row's transceivers, each once."""
    return list(dict.fromkeys(part for part in (row.lower_module, row.upper_module) if part))


def sorted_cabling(rows: Sequence[CablingRow], order: str | None) -> tuple[Sequence[CablingRow], Context]:
    """Rows by ``order`` ("-links": most first), and the heads of the columns.

    They come as the tiers stand where no order is requested; unknown values come last.
    """
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER
    descending = str(order).startswith("-")
    heads = column_heads(list(ORDERS), key, descending)
    if key == "tier":
        return rows[::-1] if descending else rows, heads
    value = attrgetter(key)
    known = sorted((row for row in rows if value(row) is not None), key=value, reverse=descending)
    return known + [row for row in rows if value(row) is None], heads


def _rows_of_links(job: EstimateJob, role: str, view: str, query: Given) -> Context:
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


def _schedule(job: EstimateJob, links: LinkList, query: Given) -> Context:
    """By pair of racks where the devices of this fabric stand on a floor plan, unless pairs of devices are requested."""
    floor = floor_of(job) if links.role == COMPUTE else None
    choices = ("racks", "devices") if floor else ("devices",)
    by = one_of(query.get("by"), choices)
    return {
        "by": by,
        "by_choices": choices,
        "schedule": schedule_page(links, query.get("page"), floor if by == "racks" else None),
    }
