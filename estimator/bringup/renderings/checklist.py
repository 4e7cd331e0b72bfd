"""The order of work at the site as CSV files: the items, and the minutes and crews that their hours rest on."""

from collections.abc import Iterator

from estimator.bringup.checklist.design import checklist_of
from estimator.bringup.checklist.files import COLUMNS, cells
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.target import File
from estimator.handoff.cells import csv_blocks

HOURS = "effort.csv"
SOURCE = f"[design] counts, places and labels of the design; [own] minutes a unit and crews, {HOURS}"


def files(plan: Plan) -> Iterator[File]:
    """The items in the order of work, and what their hours rest on."""
    checklist = checklist_of(plan.links.spec, plan.links.catalog, plan.choices.weeks)
    items = ((*cells(item), SOURCE) for item in checklist.items)
    yield File("checklist.csv", "".join(csv_blocks((*COLUMNS, "source"), items)))
    effort = (
        (one.name, one.value, one.low, one.high, one.unit, f"[own] {one.source}") for one in checklist.assumptions
    )
    yield File(HOURS, "".join(csv_blocks(("name", "value", "low", "high", "unit", "source"), effort)))
