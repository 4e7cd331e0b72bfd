"""Quotes as vendors send them, made for tests: workbooks, delimited texts, and files that mean harm."""

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import openpyxl

from estimator.bom.result import BomLine
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.quotes.check import read_quote, report_of
from estimator.spec.parse import parse_spec

SPEC = {"name": "One scalable unit", "compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr"}}
HEADER = ["Part number", "Description", "Qty", "Unit price", "Extended price"]


@lru_cache
def bom() -> tuple[dict[str, Any], ...]:
    """The bill of one scalable unit: 12 switches and a spare, 384 + 128 modules, 512 fibres of 30 m, 32 servers, racks."""
    catalog = load_catalog()
    (made,) = estimate([parse_spec(SPEC, catalog)], catalog, ("bom",))
    return tuple(made.as_json()["bom"]["lines"])


def needed(part: str) -> tuple[int, int]:
    """(quantity, spares) of a part over the whole bill."""
    lines = [line for line in bom() if line["part"] == part]
    return sum(line["quantity"] for line in lines), sum(line["spare_quantity"] for line in lines)


def whole_quote(price_of: Callable[[dict[str, Any]], float] | None = None) -> list[list[Any]]:
    """Rows that offer the whole bill with its spares, each part once, at the book's typical price."""
    pieces: dict[Any, list[Any]] = {}
    for line in bom():
        key = line["part"] or line["description"], line["length_m"]
        number = line["part_number"] or ""
        if line["length_m"]:
            number = f"MFP7E10-N{line['length_m']:03.0f}"
        unit = price_of(line) if price_of else line["unit_price_usd"]["typical"]
        row = pieces.setdefault(key, [number, line["description"], 0, unit, 0])
        row[2] += line["quantity"] + line["spare_quantity"]
        row[4] = round(row[2] * unit, 2)
    return list(pieces.values())


def workbook(rows: Iterable[Sequence[Any]], prepare: Callable[[Any], None] | None = None) -> bytes:
    """A workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    if prepare:
        prepare(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_parts(data: bytes, **parts: bytes) -> bytes:
    """A workbook with parts added, or put in place of its own; names with __ for / and _dot_ for ."""
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    named = {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for info in source.infolist():
            if info.filename not in named:
                archive.writestr(info.filename, source.read(info.filename))
        for name, content in named.items():
            archive.writestr(name, content)
    return out.getvalue()


def sheet_xml(rows: str) -> bytes:
    """A worksheet with these row elements."""
    return (
        '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{rows}</sheetData></worksheet>"
    ).encode()


def report(data: bytes, name: str = "quote.xlsx", columns: Any = None, **more: Any) -> dict[str, Any]:
    """The report of a file against the bill of one scalable unit."""
    lines = [BomLine.from_json(line) for line in bom()]
    return report_of(read_quote(data, name, columns), lines, load_catalog(), **more).as_json()


def codes(result: dict[str, Any]) -> set[str]:
    """Kinds of problems that a report has."""
    return {problem["code"] for problem in result["problems"]}


def rows_of(result: dict[str, Any]) -> list[tuple[str, int]]:
    """(sheet, row) of everything in a report's three lists, with repetitions."""
    return sorted((row["sheet"], row["row"]) for key in ("lines", "surplus", "left_out") for row in result[key])
