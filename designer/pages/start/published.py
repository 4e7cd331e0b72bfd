"""Published designs as pages show them: each with its figures beside the computed ones. They change with the catalog alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from designer.wording.context import Context
from designer.wording.figures import figure_words
from designer.wording.names import TIERS
from designer.wording.numbers import NO_BREAK_SPACE, count, generation_name, in_usual_units
from designer.wording.query import has_all
from estimator.cabling.result import SizedNetwork
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.published.designs import (
    ComparedRow,
    PublishedDesign,
    PublishedSource,
    Slip,
    compared,
    figure_of,
    published,
)
from estimator.published.parts import PORTS, PartRow, carried, part_rows
from estimator.result import Estimate
from estimator.spec.parse import parse_spec


class ShownRow(NamedTuple):
    """A printed figure beside the computed one, in words."""

    compared: ComparedRow
    words: str
    printed_text: str
    computed_text: str


class ShownDesign(NamedTuple):
    """A published design with its rows."""

    id: str
    name: str
    note: str
    source: PublishedSource
    rows: list[ShownRow]
    n_same: int
    shape: str


class ShownGroup(NamedTuple):
    """Published designs of one kind."""

    title: str
    key: str
    designs: list[ShownDesign]
    n_rows: int


class ShownPart(NamedTuple):
    """A printed figure of a part beside the catalog's."""

    row: PartRow
    words: str
    printed: str
    carried: str
    is_same: bool


class ShownSlip(NamedTuple):
    """A figure that its own source contradicts, beside what comes out."""

    slip: Slip
    name: str
    words: str
    printed: str
    computed: str
    is_as_meant: bool


def published_page(words: Sequence[str] = ()) -> Context:
    """Everything of the page of published designs; with words the designs alone that have all of them."""
    groups, page = _page(load_catalog().version)
    if not words:
        return page
    found = (
        group._replace(designs=[one for one in group.designs if has_all(words, group.title, *_said(one))])
        for group in groups
    )
    return page | {"groups": [group for group in found if group.designs]}


def _said(one: ShownDesign) -> tuple[str, ...]:
    return one.name, one.note, one.shape, one.source.title


@lru_cache(maxsize=2)
@in_usual_units()  # kept for everybody
def _page(catalog_version: str) -> tuple[list[ShownGroup], Context]:
    """The groups, and the page with them and all else."""
    catalog = load_catalog()
    results = _results(catalog)
    by_kind: dict[str, list[ShownDesign]] = {}
    for design in published().designs.values():
        by_kind.setdefault(design.group, []).append(_design(design, results[design.id], catalog))
    designs = [design for group in by_kind.values() for design in group]
    groups = [
        ShownGroup(title, f"group-{at}", found, sum(len(design.rows) for design in found))
        for at, (title, found) in enumerate(by_kind.items(), start=1)
    ]
    return groups, {
        "groups": groups,
        "n_designs": len(designs),
        "n_rows": sum(len(design.rows) for design in designs),
        "n_same": sum(design.n_same for design in designs),
        "slips": [_slip(slip, results) for slip in published().slips],
        "apart": published().apart,
        "parts": _parts(catalog),
        "sources": list({design.source.id: design.source for design in published().designs.values()}.values()),
        "catalog_version": catalog_version,
    }


def _results(catalog: Catalog) -> dict[str, Estimate]:
    """The Estimate of every design, those of the same parts in one pass."""
    by_parts: dict[tuple[str, ...], list[PublishedDesign]] = {}
    for design in published().designs.values():
        by_parts.setdefault(design.parts, []).append(design)
    out: dict[str, Estimate] = {}
    for parts, designs in by_parts.items():
        specs = [parse_spec(design.inputs, catalog) for design in designs]
        made = estimate(specs, catalog, parts)
        out |= {design.id: one for design, one in zip(designs, made, strict=True)}
    return out


def _design(design: PublishedDesign, estimate: Estimate, catalog: Catalog) -> ShownDesign:
    models = {key: part.model for key, part in catalog.switches.items()} | {
        key: part.part_numbers[0] for key, part in catalog.cables.items() if part.part_numbers
    }
    rows = [
        ShownRow(one, figure_words(one.row.figure, models), shown(one.row.printed), shown(one.computed))
        for one in compared(design, estimate)
    ]
    return ShownDesign(
        id=design.id,
        name=design.name,
        note=design.note,
        source=design.source,
        rows=rows,
        n_same=sum(row.compared.is_same for row in rows),
        shape=_shape(estimate.spec.fabric.generation, estimate.compute),
    )


def _shape(generation: str | None, compute: SizedNetwork) -> str:
    """Size, network and tiers in a line."""
    planes = [f"{compute.planes} planes"] if compute.planes > 1 else []
    gpus = f"{count(compute.counts.gpus)} GPUs"
    return " · ".join([gpus, generation_name(generation), TIERS[compute.tiers], *planes])


def shown(value: Any) -> str:
    """A figure as it is printed: counts with commas, ratios as they are."""
    return count(value) if isinstance(value, int) else str(value)


FIGURE_WORDS = {
    "rack_units": "Rack units",
    "typical_no_optics_w": "Power without transceivers",
    "max_w": "Power at most",
    "reach_max_m": "Reach",
    "reach_min_m": "Least length",
    "reach_om3_m": "Reach on OM3",
    "a_power_w": "Power",
}
FIGURE_UNITS = {
    "typical_no_optics_w": "W",
    "max_w": "W",
    "a_power_w": "W",
    "reach_max_m": "m",
    "reach_min_m": "m",
    "reach_om3_m": "m",
    "rack_units": "U",
}


def _parts(catalog: Catalog) -> Context:
    """Printed figures of parts beside the catalog's, a row each, and how many are the same."""
    rows = [
        ShownPart(row, _part_words(row), _in_unit(row.printed, row), _in_unit(found, row), found == row.printed)
        for row in part_rows()
        for found in [carried(row, catalog)]
    ]
    return {"rows": rows, "n_same": sum(row.is_same for row in rows)}


def _part_words(row: PartRow) -> str:
    if row.figure.startswith(PORTS):
        return f"Ports of {row.figure.removeprefix(PORTS)} Gb/s"
    return FIGURE_WORDS[row.figure]


def _in_unit(value: float | None, row: PartRow) -> str:
    if value is None:
        return "–"
    unit = FIGURE_UNITS.get(row.figure, "")
    return f"{value:,g}{NO_BREAK_SPACE}{unit}".strip()


def _slip(slip: Slip, results: dict[str, Estimate]) -> ShownSlip:
    computed = figure_of(results[slip.case], slip.figure)
    return ShownSlip(
        slip=slip,
        name=published().designs[slip.case].name,
        words=figure_words(slip.figure),
        printed=shown(slip.printed),
        computed=shown(computed),
        is_as_meant=bool(computed == slip.meant),
    )
