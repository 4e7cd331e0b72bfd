"""The racks tab: the floor from above, and the fronts of a few racks at a time."""

from functools import lru_cache
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString

from designer.drawings.racks import floor_svg, rack_svg
from designer.services.link_lists import links_of, refuse_outdated
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from designer.wording.query import Page, page_number, rows_on
from estimator.catalog.ports import COMPUTE
from estimator.errors import EstimatorError
from estimator.floor.plan import FloorPlan
from estimator.jobs.models import EstimateJob
from estimator.record import Given

RACKS_A_PAGE = 4
PLANS_KEPT = 4  # a floor of 20,000 racks takes some megabytes


def floor_of(job: EstimateJob) -> FloorPlan | None:
    """The floor plan of a finished estimate; None if its design asks for none.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    """
    refuse_outdated(job)
    return _floor_of(job.pk) if job.spec.get("site", {}).get("plan") else None


@lru_cache(maxsize=PLANS_KEPT)
def _floor_of(job_id: UUID) -> FloorPlan | None:
    """Kept, as turning pages of racks would make the same plan again: a finished estimate never changes."""
    return links_of(EstimateJob.objects.defer("result").get(pk=job_id), COMPUTE).plan.floor


def racks_context(job: EstimateJob, shown: ShownPage, query: Given) -> Context:
    """The floor in figures and from above, and the racks of one page from the front."""
    try:
        plan = floor_of(job)
    except EstimatorError as error:
        return {"cannot": [problem.message for problem in error.problems]}
    if plan is None:
        return {"floor": None}
    sought = str(query.get("find", "")).strip()
    found = rack_number(plan, sought)
    page = rack_page(plan, query.get("page") if found is None else (found - 1) // RACKS_A_PAGE + 1)
    numbers = [rack.number for rack in page.rows]
    return {
        "floor": plan.answer(),
        "racks": page,
        "elevations": rack_svg(plan, numbers),
        "limits": plan.plan,
        "find": sought,
        "is_not_found": bool(sought) and found is None,
        "floor_drawing": floor_svg(plan, lambda number: rack_address(shown, number), numbers),
    }


def rack_number(plan: FloorPlan, sought: str) -> int | None:
    """Number (from 1) of the rack of this name, or of the one that holds the device of this name."""
    if sought.lower() in plan.devices.names:
        return int(plan.rack[plan.devices.names.index(sought.lower())]) + 1
    return plan.names.index(sought.upper()) + 1 if sought.upper() in plan.names else None


def rack_page(plan: FloorPlan, asked: Any, size: int = RACKS_A_PAGE) -> Page:
    """Some racks in the order of rows and positions, without their devices."""
    number, n_pages = page_number(asked, plan.n_racks, size)
    return Page(plan.racks(rows_on(number, plan.n_racks, size)), number, n_pages, plan.n_racks, size)


def rack_address(shown: ShownPage, number: int) -> str:
    """Where the page shows a rack, numbered from 1, from the front."""
    return shown.link({"tab": "racks", "page": (number - 1) // RACKS_A_PAGE + 1}, "racks")


def racks_picture(job: EstimateJob, asked: Any) -> SafeString | None:
    """The racks of one page as a picture to save; None if the design asks for no floor plan."""
    plan = floor_of(job)
    return None if plan is None else rack_svg(plan, [rack.number for rack in rack_page(plan, asked).rows])
