"""The catalog as pages show it: parts of a kind in a table, and one part with the grade of each of its figures."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.urls import reverse

from designer.models import OwnPart
from designer.services.parts.catalog import part_at, parts_of
from designer.wording.context import Context
from designer.wording.names import part_name
from designer.wording.numbers import count, in_usual_units
from estimator.catalog.catalog import Catalog
from estimator.catalog.grades import GRADED_KINDS, Grade
from estimator.catalog.loader import HERE, load_catalog
from estimator.spec.own.part import OWN_KINDS, OwnParts
from estimator.spec.own.records import records_of

KINDS = {
    "switches": "Switches",
    "nics": "NICs",
    "gpus": "GPUs",
    "servers": "Servers",
    "cables": "Transceivers, cables and fibres",
}
GRADE_WORDS = {
    "datasheet": "datasheet",
    "vendor-doc": "vendor document",
    "device-library": "device library",
    "secondary": "secondary",
    "assumption": "assumption",
}
FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = {  # columns of the table of a kind and their headings
    "switches": (("generation", "Made for"), ("radix", "Ports"), ("rack_units", "Height"), ("typical_no_optics_w", "Typical"),
                 ("max_w", "Most")),
    "nics": (("generation", "Made for"), ("total_rate_gbit_s", "Rate"), ("typical_no_optics_w", "Typical"), ("max_w", "Most")),
    "gpus": (("architecture", "Architecture"), ("memory_gb", "Memory"), ("tdp_w", "Power")),
    "servers": (("gpu_id", "GPU"), ("gpu_count", "GPUs"), ("rack_units", "Height"), ("typical_w", "Typical"), ("max_w", "Most")),
    "cables": (("kind", "Kind"), ("aggregate_gbit_s", "Rate"), ("reach_max_m", "Reach"), ("a_power_w", "Power")),
}  # fmt: skip
_NOT_FIGURES = (
    "id",
    "vendor",
    "model",
    "description",
    "note",
    "weight_basis",
    "power_basis",
)  # names, and what stands elsewhere
_LABELS = {  # where the meaning of a column is a list of its values
    "status": "Status",
    "protocol": "Protocol",
    "protocols": "Protocols",
    "form": "Form",
    "managed": "Runs its own management",
    "role": "Role",
    "is_dpu": "Has processors of its own",
    "kind": "Kind",
    "medium": "Medium",
    "a_top": "Top of the a end",
    "b_top": "Top of the b end",
    "reach_max_m": "Most length",
    "part_numbers": "Order numbers",
    "gpu_id": "GPU",
}
_CHOICE = re.compile(r"[a-z]+(_[a-z]+)+")  # "gpu_tray", "copper_patch"
_COUNTED = ("ports", "GPUs")  # units that the heading says already


class Figure(NamedTuple):
    """A figure of a part under its heading."""

    label: str
    value: str


class PartRow(NamedTuple):
    """A part in the table of its kind; ``text`` is what a search looks at."""

    id: str
    name: str
    figures: list[Figure]
    status: str
    grade: str
    is_assumed: bool
    text: str
    address: str
    is_own: bool = False


def catalog_table(kind: str, search: str, user: User) -> Context:
    """The parts of a kind that have all words of a search, those of the user's team first."""
    rows = [*own_rows(kind, user), *part_rows(kind)]
    words = search.casefold().split()
    return {
        "headings": [(heading, _unit_of(kind, field)) for field, heading in FIGURES[kind]],
        "rows": [row for row in rows if all(word in row.text for word in words)],
        "n_all": len(rows),
    }


def part_rows(kind: str) -> list[PartRow]:
    """Every part of a kind."""
    return _rows(kind, load_catalog().version)


def part_page(part: str, catalog: Catalog) -> Context | None:
    """One part, by its id or a former one; None where the catalog has none that has grades."""
    found = catalog.part(part)
    if found is None or found[0] not in GRADED_KINDS:
        return None
    kind, record = found
    of_record, of_fields = catalog.grades.of_record(record.id), catalog.grades.of_fields(record.id, record)
    rows = [
        {"label": label, "value": value, **_graded(of_fields.get(field, of_record), catalog)}
        for field, label, value in [*_figures(kind, record), *_children(kind, record)]
    ]
    return {
        "kind": kind,
        "kind_title": KINDS[kind],
        "name": part_name(record),
        "part": record,
        "rows": rows,
        "former": [old for old, now in catalog.aliases.items() if now == record.id],
        "questions": catalog.questions_of(record.id),
        "sources": catalog.sources_of(record.id),
        "price": catalog.price(record.id),
    }


@cache
@in_usual_units()  # kept for everybody
def _rows(kind: str, version: str) -> list[PartRow]:
    """Every part of a kind. ``version`` of the catalog is the key under which they are kept."""
    catalog = load_catalog()
    out = []
    for part, record in getattr(catalog, kind).items():
        figures = [Figure(heading, _shown(getattr(record, field))) for field, heading in FIGURES[kind]]
        grade = catalog.grades.of_record(part).grade
        name, numbers = part_name(record), " ".join(getattr(record, "part_numbers", ()))
        words = [part, name, numbers, record.status, GRADE_WORDS[grade], *(figure.value for figure in figures)]
        out.append(
            PartRow(
                part,
                name,
                figures,
                record.status,
                GRADE_WORDS[grade],
                grade == "assumption",
                " ".join(words).casefold(),
                reverse("catalog-part", args=[part]),
            )
        )
    return out


OWN_STATUS, OWN_GRADE = "your own part", "given by your team"


@in_usual_units()
def own_rows(kind: str, user: User) -> list[PartRow]:
    """The parts of a kind that the user's team keeps, each at its newest revision."""
    if kind not in OWN_KINDS:
        return []
    rows = {row.key: row for row in OwnPart.with_latest(parts_of(user).filter(kind=kind))}
    parts = OwnParts().model_copy(update={kind: [part_at(row) for row in rows.values()]})
    made = records_of(parts, load_catalog())
    out = []
    for part, record in getattr(made, kind).items():
        figures = [Figure(heading, _shown(getattr(record, field))) for field, heading in FIGURES[kind]]
        name, numbers = part_name(record), " ".join(record.part_numbers)
        status = f"{OWN_STATUS}, revision {rows[part].latest.number}"
        words = [part, name, numbers, status, OWN_GRADE, *(figure.value for figure in figures)]
        is_assumed = bool(made.assumed[part])
        grade = f"{OWN_GRADE}, some assumed" if is_assumed else OWN_GRADE
        text, address = " ".join(words).casefold(), reverse("own-part", args=[rows[part].pk])
        out.append(PartRow(part, name, figures, status, grade, is_assumed, text, address, True))
    return out


_COLUMNS_OF_TEXT = ("file", "column", "unit", "meaning")


@cache
def _columns() -> dict[tuple[str, str], tuple[str, str]]:
    """(unit, meaning) of each column of each table."""
    with (HERE / "columns.csv").open(newline="", encoding="utf-8") as file:
        return {
            (table.removesuffix(".csv"), column): (unit, meaning)
            for table, column, unit, meaning in map(itemgetter(*_COLUMNS_OF_TEXT), csv.DictReader(file))
        }


def _unit_of(kind: str, field: str) -> str:
    unit = _columns()[kind, field][0]
    return "" if unit in _COUNTED else unit


def _figures(kind: str, record: Any) -> Iterator[tuple[str, str, str]]:
    """(field, what it means, value with unit) of a part's own columns that say something."""
    for (table, field), (unit, meaning) in _columns().items():
        value = getattr(record, field, None) if table == kind and field not in _NOT_FIGURES else None
        if value is not None and value != ():
            label = _LABELS.get(field) or meaning.split(";")[0].split(", | between")[0]
            yield field, label, f"{_shown(value)} {unit}".strip()


def _children(kind: str, record: Any) -> Iterator[tuple[str, str, str]]:
    """(field, label, value) of what a part consists of: cages, modes and networks."""
    if kind == "switches":
        for cage in record.cages:
            ends = f", {cage.top} transceivers" if cage.top else ""
            yield (
                "cages",
                "Cages",
                f"{cage.n_cages} × {cage.cage}: {cage.links_per_cage} × {cage.link_rate_gbit_s} Gb/s each{ends}",
            )
        for mode in record.breakouts:
            yield (
                f"breakouts.{mode.name}",
                f"Cages as {mode.name}",
                f"{count(mode.max_ports)} ports of {mode.link_rate_gbit_s} Gb/s",
            )
    if kind == "nics":
        for port in record.ports:
            yield "ports", "Cages", f"{port.n_cages} × {port.cage}, {port.cage_rate_gbit_s} Gb/s each"
        for mode in record.modes:
            yield "modes", f"As {mode.protocol}", f"{mode.n_ports} × {mode.port_rate_gbit_s} Gb/s"
    if kind == "servers":
        for network in record.networks:
            ports = f"{network.n_ports} × {network.port_rate_gbit_s} Gb/s in {network.n_cages} × {network.cage}"
            yield f"networks.{network.role}", f"Network for {network.role.replace('+', ' and ')}", ports


def _graded(grade: Grade, catalog: Catalog) -> Context:
    source = catalog.sources[grade.source] if grade.source else None
    return {
        "grade": GRADE_WORDS[grade.grade],
        "is_assumed": grade.grade == "assumption",
        "as_of": grade.as_of,
        "source": source if source and source.access != "none" else None,
    }


_WORDS: Mapping[type, Callable[[Any], str]] = {
    bool: lambda value: "yes" if value else "no",
    int: count,
    float: lambda value: f"{value:,g}" if value < 1_000 else f"{value:,.0f}",
    tuple: lambda value: ", ".join(map(_shown, value)),
}


def _shown(value: Any) -> str:
    """A value of the catalog as a page prints it: a part by its name, a choice of a list in words."""
    if isinstance(value, str) and (found := load_catalog().part(value)) is not None:
        return part_name(found[1])
    if isinstance(value, str) and _CHOICE.fullmatch(value):
        return value.replace("_", " ")
    return "" if value is None else _WORDS.get(type(value), str)(value)
