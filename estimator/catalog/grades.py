"""How well each figure of a part is founded: its grade, source and date (grades.csv), field by field."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from estimator.errors import CatalogError

if TYPE_CHECKING:
    from estimator.catalog.loader import Catalog
    from estimator.catalog.tables import Row, Tables

GRADES = ("datasheet", "vendor-doc", "device-library", "secondary", "assumption")  # best first
GRADED_KINDS = ("switches", "nics", "gpus", "servers", "cables")
OF_BASIS = {
    "library": "device-library",
    "measured": "secondary",
    "recalled": "assumption",
}  # others are their own grade
POWER_FIELDS = ("typical_no_optics_w", "typical_w", "max_w", "a_power_w", "b_power_w")
_CHILDREN = {"switches": ("cages", "breakouts", "aux_ports"), "nics": ("ports", "modes"), "servers": ("networks",)}
_NAMES = {"breakouts": "name", "networks": "role"}  # children that have a grade each, and what names them


@dataclass(frozen=True, slots=True)
class Grade:
    """How a figure is founded; ``source`` is an id of sources.csv, None where a column of the part itself says the basis."""

    grade: str
    source: str | None
    as_of: str | None


class Grades:
    """Grades of all parts: of a record as such, and of the fields that have another."""

    def __init__(self, rows: Iterable["Row"]) -> None:
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

    def __contains__(self, part_id: str) -> bool:
        return "" in self._of.get(part_id, {})


def check_grades(tables: "Tables", catalog: "Catalog", columns: Mapping[str, Iterable[str]]) -> None:
    """Every part has a grade; a row names fields of its part, each once, and claims no more than its source gives."""
    for kind in GRADED_KINDS:
        for row, values in tables[kind]:
            if values[0] not in catalog.grades:
                raise CatalogError(f"{kind}.csv", row, "id", f"{values[0]} has no row of its own in grades.csv")
    seen: set[tuple[str, str]] = set()
    for row, (record, fields, grade, source, _) in tables["grades"]:
        found = catalog.part(record)
        if found is None or found[0] not in GRADED_KINDS:
            raise CatalogError("grades.csv", row, "record_id", f"no part has the id {record}")
        known = set(_known_fields(found[0], found[1], columns))
        for field in fields or ("",):
            if field not in known:
                raise CatalogError("grades.csv", row, "fields", f"{field} is no field of {record}")
            if (record, field) in seen:
                raise CatalogError(
                    "grades.csv", row, "fields", f"{field or 'the record'} of {record} has a grade already"
                )
            seen.add((record, field))
        if (catalog.sources[source].access in ("none", "planning")) != (grade == "assumption"):
            message = f"{source} gives {'an assumption' if grade != 'assumption' else 'more than an assumption'}"
            if grade != "assumption" or catalog.sources[source].access != "recalled":
                raise CatalogError("grades.csv", row, "grade", message)


def _known_fields(kind: str, record: Any, columns: Mapping[str, Iterable[str]]) -> Iterator[str]:
    yield ""
    yield from columns[kind]
    for child in _CHILDREN.get(kind, ()):
        yield child
        if child in _NAMES:
            yield from (f"{child}.{getattr(one, _NAMES[child])}" for one in getattr(record, child))
