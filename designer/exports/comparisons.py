"""The files of one comparison: name, type and bytes of each form, by its word in the address."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from designer.exports.csv import csv_bytes
from designer.exports.downloads import CSV_TYPE, PDF_TYPE, XLSX_TYPE, Download
from designer.exports.file_names import comparison_file_stem
from designer.exports.sheets.comparison import comparison_tables
from designer.exports.tables import COUNT, MONEY, RANGE, Cell, Column, Json, Table
from designer.exports.xlsx import xlsx_bytes

Writer = Callable[[str, Json, datetime], Download]

FIGURE, ROW, PART, TOTAL = "figure", "row", "part", "total"
COMPARISON_COLUMNS = (
    Column("section", "Section", width=10),
    Column("key", "Key", width=30),
    Column("label", "What", width=34),
    Column("unit", "Unit", width=10),
    Column("network", "Network", width=12),
    Column("side", "Design or offer", width=30),
    Column("is_baseline", "Baseline", width=9),
    Column("part", "Part", width=40),
    Column("length_m", "Length", "m", 8),
    Column("quantity", "Quantity", width=10, number_format=COUNT),
    Column("spare_quantity", "Spares", width=8, number_format=COUNT),
    *(Column(f"unit_price_usd_{end}", f"Unit price, {end}", "USD", 14, MONEY) for end in RANGE),
    *(Column(end, end.capitalize(), width=16, number_format=MONEY) for end in RANGE),
    Column("power_w", "Power", "W", 12),
    Column("is_at_least", "At least", width=9),
    Column("difference", "Difference from the baseline", width=16, number_format=MONEY),
    Column("relative", "Relative difference", width=12),
    Column("quantity_difference", "Difference in quantity", width=12, number_format=COUNT),
    Column("is_better", "Better", width=8),
    Column("is_about_same", "About the same", width=9),
    Column("is_in_scope", "On the same scope", width=9),
)


def comparison_table(result: Json) -> Table:
    """Figures, aligned rows with their parts, and totals: a row for each of them and side, so that programs can pivot."""
    rows = [*_figure_rows(result), *_line_rows(result), *_total_rows(result)]
    cells = tuple(tuple(row.get(column.key) for column in COMPARISON_COLUMNS) for row in rows)
    return Table("Comparison", COMPARISON_COLUMNS, cells)


def _sides(result: Json) -> Iterator[tuple[int, dict[str, Cell]]]:
    for i, item in enumerate(result["items"]):
        yield i, {"side": item["label"], "is_baseline": i == result["baseline"]}


def _figure_rows(result: Json) -> Iterator[dict[str, Cell]]:
    for figure in result["figures"]:
        for i, side in _sides(result):
            value, difference = figure["values"][i], figure["differences"][i] or {}
            yield (
                side
                | dict(value or {})
                | {
                    "section": FIGURE,
                    "key": figure["key"],
                    "label": figure["label"],
                    "unit": figure["unit"],
                    "is_at_least": figure["at_least"][i],
                    "difference": difference.get("absolute"),
                    "relative": difference.get("relative"),
                    "is_better": difference.get("is_better"),
                    "is_about_same": difference.get("is_about_same"),
                }
            )


def _line_rows(result: Json) -> Iterator[dict[str, Cell]]:
    """Sums over ``row`` are the totals; ``part`` opens a row of several parts, and is in it already."""
    for row in result["rows"]:
        head = {"key": row["key"], "network": row["fabric"], "is_in_scope": row["is_in_scope"], "unit": "usd"}
        yield from _side_rows(result, row, head | {"section": ROW, "label": row["label"]})
        for part in row["parts"]:
            more = {"section": PART, "label": f"{row['label']}, {part['label']}", "length_m": part["length_m"]}
            yield from _side_rows(result, part, head | more)


def _side_rows(result: Json, row: Json, head: dict[str, Cell]) -> Iterator[dict[str, Cell]]:
    for i, side in _sides(result):
        cell, difference = row["sides"][i], row["differences"][i]
        price = difference["extended_price_usd"] or {}
        found = (
            head
            | side
            | {
                "difference": price.get("absolute"),
                "relative": price.get("relative"),
                "quantity_difference": difference["quantity"]["absolute"],
            }
        )
        if cell:
            unit = cell["unit_price_usd"] or {}
            found |= dict(cell["extended_price_usd"] or {}) | {
                "part": "; ".join(part["part"] or part["description"] for part in cell["parts"]),
                "quantity": cell["quantity"],
                "spare_quantity": cell["spare_quantity"],
                "power_w": cell["power_w"],
                **{f"unit_price_usd_{end}": unit.get(end) for end in RANGE},
            }
        yield found


def _total_rows(result: Json) -> Iterator[dict[str, Cell]]:
    totals = result["totals"]
    for key, label in (("all_usd", "All lines with a price"), ("same_scope_usd", "On the same scope")):
        for i, side in _sides(result):
            difference = totals["differences"][i] if key == "same_scope_usd" else {}
            at_least = totals["at_least"][i] if key == "all_usd" else False
            yield (
                side
                | dict(totals[key][i])
                | {
                    "section": TOTAL,
                    "key": key,
                    "label": label,
                    "unit": "usd",
                    "is_at_least": at_least,
                    "difference": difference.get("absolute"),
                    "relative": difference.get("relative"),
                }
            )


def provenance_of(name: str, result: Json) -> tuple[Cell, ...]:
    """The cells of PROVENANCE_COLUMNS: the comparison's name, the baseline's spec, and the versions of all."""
    versions = result["versions"]
    return name, result["items"][result["baseline"]]["spec_hash"], versions["model"], versions["catalog"]


def comparison_csv(name: str, result: Json, created: datetime) -> Download:
    """The comparison for machines."""
    content = csv_bytes(comparison_table(result), provenance_of(name, result))
    return Download(comparison_file_name(name, "csv"), CSV_TYPE, content)


def comparison_xlsx(name: str, result: Json, created: datetime) -> Download:
    """The comparison for people, as sheets that compute."""
    content = xlsx_bytes(comparison_tables(result), name, created)
    return Download(comparison_file_name(name, "xlsx"), XLSX_TYPE, content)


def comparison_pdf(name: str, result: Json, created: datetime) -> Download:
    """The comparison as a report."""
    from designer.exports.reports.comparison import comparison_report  # start-up time: reportlab

    return Download(comparison_file_name(name, "pdf"), PDF_TYPE, comparison_report(name, result, created))


def comparison_file_name(name: str, extension: str) -> str:
    """``ndr-and-roce-comparison.csv``: the comparison's name in safe letters."""
    return f"{comparison_file_stem(name)}.{extension}"


COMPARISON_FILES: dict[str, Writer] = {"csv": comparison_csv, "xlsx": comparison_xlsx, "pdf": comparison_pdf}
COMPARISON_FORMATS = ("json", *COMPARISON_FILES)


def comparison_download(form: str, name: str, result: Mapping[str, Any], created: datetime) -> Download:
    """One of COMPARISON_FILES."""
    return COMPARISON_FILES[form](name, result, created)
