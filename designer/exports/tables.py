"""The tables of a download, defined once: columns, and rows out of an Estimate. Writers turn them into bytes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from designer.wording.numbers import basis_name
from designer.wording.trays import word_of
from estimator.bom.result import BomLine
from estimator.findings.node_words import SERVER_WORD, said
from estimator.performance.result import ModelConstant
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec


@dataclass(frozen=True)
class Formula:
    """A cell that a spreadsheet computes: "=SUM(A2:A9)" without the sign, and the value that it has as delivered.

    Its text is made of cell references and our own words: what a user wrote stands in cells, never in here.
    """

    text: str
    value: int | float | str


@dataclass(frozen=True)
class Shown:
    """A cell that looks otherwise than its column's: a format of its own, an input to be changed, or a figure to be seen."""

    cell: "str | int | float | Formula | None"
    number_format: str = ""
    is_input: bool = False
    is_strong: bool = False


SOURCES = ("source", "evidence", "price_source")  # speak of the servers of others, whatever those of the design are
CODE = re.compile(r"[a-z0-9._-]+").fullmatch  # what formulas and machines read
Cell = str | int | float | bool | Formula | Shown | None

COUNT, WATT, MONEY, METRE, SHARE = "#,##0", "#,##0", "#,##0.00", "0.0", "0.0 %"
ANY = "General"
RANGE = ("low", "typical", "high")
NO_PRICE = "no price"


@dataclass(frozen=True)
class Column:
    """One column: its key in files for machines, its header and unit for people, and how a sheet shows it."""

    key: str
    header: str
    unit: str = ""
    width: int = 12
    number_format: str = ""
    path: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The header with its unit."""
        return f"{self.header} ({self.unit})" if self.unit else self.header

    def value(self, row: object) -> Cell:
        """This column's cell of a record, or of a mapping in one; None where there is no such figure."""
        value: Any = row
        for key in self.path or (self.key,):
            value = value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
        return value


@dataclass(frozen=True)
class Table:
    """Rows under columns; ``totals`` is a last row that sums the others up, where that makes sense; ``note`` stands below."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: tuple[Cell, ...] | None = None
    note: str = ""
    frozen_columns: int = 0


def in_words_of(table: Table, spec: DesignSpec) -> Table:
    """The table in the word for a design's servers: headers, labels and notes. Bare codes and sources stay."""
    word, name = word_of(spec.compute.server), spec.name
    if word == SERVER_WORD:
        return table

    def spoken(cell: Cell) -> Cell:
        if isinstance(cell, Shown):
            inside = spoken(cell.cell)
            return replace(cell, cell=inside if isinstance(inside, str) else cell.cell)
        is_text = isinstance(cell, str) and cell != name and not CODE(cell)
        return said(cell, word) if is_text and isinstance(cell, str) else cell

    is_kept = [column.key in SOURCES for column in table.columns]
    rows = tuple(
        tuple(cell if kept else spoken(cell) for cell, kept in zip(row, is_kept, strict=True)) for row in table.rows
    )
    columns = tuple(replace(column, header=said(column.header, word)) for column in table.columns)
    return replace(table, columns=columns, rows=rows, note=said(table.note, word))


def plain(cell: Cell) -> str | int | float | bool | None:
    """What a cell holds, for files that compute nothing."""
    if isinstance(cell, Shown):
        return plain(cell.cell)
    return cell.value if isinstance(cell, Formula) else cell


def _money_range(key: str, header: str) -> tuple[Column, ...]:
    return tuple(Column(f"{key}_{bound}", f"{header}, {bound}", "USD", 16, MONEY, path=(key, bound)) for bound in RANGE)


BOM_COLUMNS = (
    Column("line", "Line", width=6, number_format=COUNT),
    Column("fabric", "Network", width=10),
    Column("category", "Category", width=13),
    Column("use", "Use", width=18),
    Column("part", "Part", width=24),
    Column("part_number", "Part number", width=22),
    Column("description", "Description", width=52),
    Column("length_m", "Length", "m", 8, METRE),
    Column("quantity", "Quantity", width=10, number_format=COUNT),
    Column("spare_quantity", "Spares", width=8, number_format=COUNT),
    Column("owned_quantity", "Already owned", width=9, number_format=COUNT),
    *_money_range("unit_price_usd", "Unit price"),
    *_money_range("extended_price_usd", "Price"),
    Column("price_basis", "Basis of price", width=14),
    Column("assumption", "Assumed", width=9),
    Column("price_rule", "What set the price", width=44),
    Column("price_source", "Source of price", width=44),
    Column("price_note", "Note on price", width=44),
    Column("power_w", "Power", "W", 12, WATT),
)

# In the CSV every row says what it belongs to, so that rows of many files can be put into one table.
PROVENANCE_COLUMNS = (
    Column("design", "Design"),
    Column("spec_hash", "Hash of the spec"),
    Column("model_version", "Version of the model"),
    Column("catalog_version", "Version of the catalog"),
)


def bom_table(estimate: PricedEstimate) -> Table:
    """The bill of materials. What has no price has empty cells, and makes the total "at least"."""
    bom = estimate.bom
    rows = tuple(tuple(column.value(line) for column in BOM_COLUMNS) for line in bom.lines)
    totals = {
        "description": "Total, at least: lines without a price are not in it" if bom.at_least else "Total",
        "extended_price_usd": bom.totals_usd,
        "power_w": sum(line.power_w or 0 for line in bom.lines),
    }
    return Table("Bill of materials", BOM_COLUMNS, rows, tuple(column.value(totals) for column in BOM_COLUMNS))


def provenance(estimate: PricedEstimate) -> tuple[Cell, ...]:
    """The cells of PROVENANCE_COLUMNS: which design, spec, model and catalog the rows come from."""
    return estimate.spec.name, estimate.spec_hash, estimate.versions.model, estimate.versions.catalog


def design_table(estimate: PricedEstimate) -> Table:
    """What was requested and what it takes: names, versions, counts, findings and the normalized spec, a row each."""
    columns = (
        Column("section", "Section", width=14),
        Column("key", "Key", width=34),
        Column("value", "Value", width=70),
    )
    rows: list[tuple[Cell, ...]] = [
        ("Estimate", column.header, value)
        for column, value in zip(PROVENANCE_COLUMNS, provenance(estimate), strict=True)
    ]
    for name, network in estimate.fabrics.items():
        rows += [(f"Network {name}", key, value) for key, value in flattened(network.as_json())]
    cost = {key: value for key, value in estimate.cost.as_json().items() if key != "assumptions"}
    rows += [("Cost", key, value) for key, value in flattened(cost)]
    rows += [("Power", key, value) for key, value in flattened(estimate.power.as_json())]
    rows += [("Finding", item.code, f"{item.severity}: {item.message}") for item in estimate.findings]
    rows += [("Spec", key, value) for key, value in flattened(estimate.spec.as_json())]
    return Table("Design", columns, tuple(rows))


def flattened(values: Any, path: str = "") -> Iterator[tuple[str, Cell]]:
    """Nested JSON as dotted keys and plain values; an empty list or object is an empty value."""
    if isinstance(values, Mapping) and values:
        for key, value in values.items():
            yield from flattened(value, f"{path}.{key}" if path else str(key))
    elif isinstance(values, list) and values:
        for index, value in enumerate(values, 1):
            yield from flattened(value, f"{path}.{index}")
    else:
        yield path, None if isinstance(values, (Mapping, list)) else values


SOURCE_COLUMNS = (
    Column("kind", "Kind", width=12),
    Column("item", "Part or assumption", width=36),
    Column("low", "Low", width=14, number_format=ANY),
    Column("value", "Value", width=14, number_format=ANY),
    Column("high", "High", width=14, number_format=ANY),
    Column("unit", "Unit", width=20),
    Column("basis", "Basis", width=14),
    Column("as_of", "As of", width=12),
    Column("source", "Source", width=60),
    Column("note", "Note", width=60),
)


def sources_table(estimate: PricedEstimate) -> Table:
    """Where every price, assumption and constant comes from, a row each, with its range."""
    reduction = estimate.performance.all_reduce
    rows: list[tuple[Cell, ...]] = [
        *(_price(line) for line in estimate.bom.lines),
        *(
            ("assumption", one.label, one.low, one.value, one.high, one.unit, one.basis, one.as_of, one.source, None)
            for one in estimate.cost.assumptions
        ),
        *(_constant(one) for one in (reduction.constants if reduction else None) or []),
    ]
    return Table("Sources and assumptions", SOURCE_COLUMNS, tuple(dict.fromkeys(rows)))


def _price(line: BomLine) -> tuple[Cell, ...]:
    """The cells of SOURCE_COLUMNS of a line of the bill of materials."""
    price = line.unit_price_usd
    ends = tuple(price) if price else (None, None, None)
    basis = basis_name(line.price_basis) if price else NO_PRICE
    item = line.description or line.part
    return "price", item, *ends, "USD each", basis, None, line.price_source, line.price_note


def _constant(one: ModelConstant) -> tuple[Cell, ...]:
    """The cells of SOURCE_COLUMNS of a constant of the performance model."""
    name = f"{one.name} [{one.index}]" if one.index else one.name
    return "constant", name, one.low, one.value, one.high, one.unit, one.basis, None, one.source, one.evidence
