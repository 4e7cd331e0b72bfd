"""The files of one estimate: name, type and bytes of each form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.text import slugify

from designer.exports.bom_sheets import bill_sheet, totals_sheet
from designer.exports.csv_file import csv_bytes
from designer.exports.tables import bom_table, design_table, provenance, sources_table
from designer.exports.xlsx_file import xlsx_bytes

CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PDF_TYPE = "application/pdf"


@dataclass(frozen=True)
class Download:
    """A file to send."""

    name: str
    content_type: str
    content: bytes


Writer = Callable[[Mapping[str, Any], datetime], Download]


def bom_csv(estimate: Mapping[str, Any], created: datetime) -> Download:
    """The bill of materials for machines."""
    return Download(file_name(estimate, "csv"), CSV_TYPE, csv_bytes(bom_table(estimate), provenance(estimate)))


def bom_xlsx(estimate: Mapping[str, Any], created: datetime) -> Download:
    """The bill of materials for people: with the design, its counts and versions, and the sources of all prices."""
    tables = [bill_sheet(estimate), totals_sheet(estimate), design_table(estimate), sources_table(estimate)]
    content = xlsx_bytes(tables, str(estimate["spec"].get("name", "")), created)
    return Download(file_name(estimate, "xlsx"), XLSX_TYPE, content)


def bom_pdf(estimate: Mapping[str, Any], created: datetime) -> Download:
    """The whole design as a report: cover, summary, diagram, bill, cost, performance, assumptions, versions."""
    from designer.exports.report import design_report  # reportlab takes a while to load, and few ask for a report

    return Download(file_name(estimate, "pdf", "report"), PDF_TYPE, design_report(estimate, created))


BOM_FILES: dict[str, Writer] = {"csv": bom_csv, "xlsx": bom_xlsx, "pdf": bom_pdf}
FORMATS = ("json", *BOM_FILES)


def file_name(estimate: Mapping[str, Any], extension: str, kind: str = "bom") -> str:
    """``dgx-h100-4-units-bom-1a2b3c4d.csv``: the design's name in safe letters, and the start of the spec's hash."""
    slug = slugify(str(estimate["spec"].get("name", "")))[:80].strip("-") or "design"
    return f"{slug}-{kind}-{estimate['spec_hash'][:8]}.{extension}"
