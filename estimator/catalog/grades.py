"""How well each figure of a part is founded: its grade, source and date (grades.csv), field by field."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

GRADES = ("datasheet", "vendor-doc", "device-library", "secondary", "assumption")  # best first
GRADED_KINDS = ("switches", "nics", "gpus", "servers", "cables")
OF_BASIS = {
    "library": "device-library",
    "measured": "secondary",
    "recalled": "assumption",
}  # others are their own grade
POWER_FIELDS = ("typical_no_optics_w", "typical_w", "max_w", "a_power_w", "b_power_w")


class Grade(NamedTuple):
    """How a figure is founded; ``source`` is an id of sources.csv, None where a column of the part itself says the basis."""

    grade: str
    source: str | None
    as_of: str | None


class Grades:
    """Grades of all parts: of a record as such, and of the fields that have another."""

    def __init__(self, rows: Iterable[tuple[int, Sequence[Any]]]) -> None:
        self._of: dict[str, dict[str, Grade]] = {}
        for _, (record, fields, *grade) in rows:
            self._of.setdefault(record, {}).update({field: Grade(*grade) for field in fields or ("",)})

    def of_record(self, part_id: str) -> Grade:
        """The grade of every figure of a part that has none of its own."""
        return self._of[part_id][""]

    def of_fields(self, part_id: str, record: Any) -> dict[str, Grade]:
        """Grades of the fields that have one of their own: a row of grades.csv, else the basis of power or weight."""
        found = {field: grade for field, grade in self._of.get(part_id, {}).items() if field}
        for field in (*POWER_FIELDS, "weight_kg"):
            basis = getattr(record, "weight_basis" if field == "weight_kg" else "power_basis", None)
            if field not in found and basis and getattr(record, field, None) is not None:
                found[field] = Grade(OF_BASIS.get(basis, basis), None, None)
        return found

    def with_rows(self, rows: Mapping[str, Grade]) -> "Grades":
        """These grades, and those of the figures of more parts."""
        other = Grades(())
        other._of = self._of | {part_id: {"": grade} for part_id, grade in rows.items()}
        return other

    def __contains__(self, part_id: str) -> bool:
        return "" in self._of.get(part_id, {})
