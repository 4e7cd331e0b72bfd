"""NetBox's cable import, classic: a row a link with one termination on each side, as NetBox before 4.7 takes it.

Links that share a cable share its number in ``label``. Devices must exist first, with the interfaces of their types:
netbox_types.py and netbox_devices.py write both.
"""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.catalog.records import Cable
from estimator.handoff.cells import Cell, csv_blocks
from estimator.handoff.csv_list import safe_rows
from estimator.handoff.stamp import origin

COLUMNS = (
    "side_a_device",
    "side_a_type",
    "side_a_name",
    "side_b_device",
    "side_b_type",
    "side_b_name",
    "type",
    "status",
    "label",
    "length",
    "length_unit",
    "description",
)
INTERFACE, PLANNED = "dcim.interface", "planned"
KINDS = {
    "dac": "dac-passive",
    "acc": "dac-active",
    "lacc": "dac-active",
    "aec": "dac-active",
    "aoc": "aoc",
    "copper_patch": "cat6",
}
FIBERS = {"multimode": "mmf", "single-mode": "smf"}
GRADES = ("OM3", "OM4", "OM5", "OS1", "OS2")
MAX_DESCRIPTION = 200


def write(links: LinkList) -> Iterator[str]:
    """Header and rows."""
    return csv_blocks(COLUMNS, _rows(links))


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    text = description(links)
    types: dict[Cell, str] = {
        run.choice.cable.id: cable_type(run.choice.cable) for run in links.plan.runs if run.choice
    }
    for row in safe_rows(links):
        a, b = (row.a_device, INTERFACE, row.a_port), (row.b_device, INTERFACE, row.b_port)
        yield *a, *b, types.get(row.part, ""), PLANNED, row.cable, row.length_m, "m", text


def cable_type(cable: Cable) -> str:
    """NetBox's word for the medium of a cable."""
    if cable.kind in KINDS:
        return KINDS[cable.kind]
    grade = f"-{cable.fiber_grade.lower()}" if cable.fiber_grade in GRADES else ""
    return FIBERS[cable.medium] + grade


def description(links: LinkList) -> str:
    """The origin of a row, short enough for the description of any object."""
    stamp = ", ".join(f"{name} {text}" for name, text in origin(links).items())
    return f"Clusterwright {links.role}: {stamp}"[:MAX_DESCRIPTION]
