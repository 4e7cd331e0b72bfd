"""The checklist as files; each has ``write(…)``, which yields the file piece by piece."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from estimator.bringup.checklist.result import Checklist, Item
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.record import Given

COLUMNS = (
    "day",
    "last_day",
    "crew",
    "phase",
    "code",
    "title",
    "where",
    "count",
    "unit",
    "person_hours",
    "labels",
    "how",
)
TICKED = ("done", "by", "at")
Ticked = Callable[[str], tuple[str, str, str]]  # an item's code → whether it is done, who ticked it and when, as text


@dataclass(frozen=True, slots=True)
class ChecklistFormat:
    """One kind of file; ``purpose`` says what reads it."""

    label: str
    purpose: str
    file: str
    content_type: str
    write: Callable[[Checklist, Ticked | None], Iterator[bytes]]


def _json(checklist: Checklist, ticked: Ticked | None) -> Iterator[bytes]:
    whole = checklist.as_json()
    if ticked:
        whole["items"] = [{**item, **_ticks(item, ticked)} for item in whole["items"]]
    yield (json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _ticks(item: Given, ticked: Ticked) -> dict[str, str | bool | None]:
    done, by, at = ticked(str(item.get("code")))
    return {"done": done == "yes", "by": by or None, "at": at or None}


def cells(item: Item) -> tuple[Cell, ...]:
    """An item as a line of COLUMNS; texts that a spreadsheet would run as formulas are kept from it."""
    when = (item.day, item.last_day, item.crew, item.phase)
    what = (item.code, item.title, item.where, item.count, item.unit, item.hours, item.labels, item.how)
    return tuple(map(guarded, (*when, *what)))


def _csv(checklist: Checklist, ticked: Ticked | None) -> Iterator[bytes]:
    """A line an item, in the order of work."""
    rows = ((*cells(item), *(map(guarded, ticked(item.code)) if ticked else ())) for item in checklist.items)
    header = (*COLUMNS, *(TICKED if ticked else ()))
    return (piece.encode() for piece in csv_blocks(header, rows))


CHECKLIST_FORMATS = {
    "json": ChecklistFormat("JSON", "programs", "checklist.json", "application/json", _json),
    "csv": ChecklistFormat("CSV", "spreadsheets", "checklist.csv", "text/csv; charset=utf-8", _csv),
}
