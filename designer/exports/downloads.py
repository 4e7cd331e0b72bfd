"""The files of one estimate: name, type and bytes of each form."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from designer.exports.cost_tables import chance_table, flow_table
from designer.exports.csv import csv_bytes
from designer.exports.file_names import design_file_stem
from designer.exports.sheets.bom import bill_sheet, totals_sheet
from designer.exports.sheets.cost import cost_sheets
from designer.exports.sheets.phases import bills_sheet, phase_sheets
from designer.exports.tables import Table, bom_table, design_table, in_words_of, provenance, sources_table
from designer.exports.xlsx import xlsx_bytes
from estimator.growth.result import Phases
from estimator.result import PricedEstimate

CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PDF_TYPE = "application/pdf"


@dataclass(frozen=True)
class Download:
    """A file to send."""

    name: str
    content_type: str
    content: bytes


Writer = Callable[[PricedEstimate, datetime], Download]


def bom_csv(estimate: PricedEstimate, created: datetime) -> Download:
    """The bill of materials for machines."""
    return Download(file_name(estimate, "csv"), CSV_TYPE, csv_bytes(bom_table(estimate), provenance(estimate)))


def bom_xlsx(estimate: PricedEstimate, created: datetime) -> Download:
    """The BOM for people, with all that follows from it: totals, cost, the design and the sources of all figures."""
    bill = [bill_sheet(estimate), totals_sheet(estimate)]
    return workbook(estimate, [*bill, *_cost_tables(estimate)], created, "bom")


def cost_csv(estimate: PricedEstimate, created: datetime) -> Download:
    """The cash flow for machines, a row a year."""
    content = csv_bytes(flow_table(estimate.cost), provenance(estimate))
    return Download(file_name(estimate, "csv", "cost"), CSV_TYPE, content)


def cost_xlsx(estimate: PricedEstimate, created: datetime) -> Download:
    """The same workbook, opened at its cost."""
    bill = [totals_sheet(estimate), bill_sheet(estimate)]
    return workbook(estimate, [*_cost_tables(estimate), *bill], created, "cost")


def _cost_tables(estimate: PricedEstimate) -> list[Table]:
    chance = chance_table(estimate.cost)
    return [*cost_sheets(estimate).values(), *([chance] if chance else [])]


def workbook(estimate: PricedEstimate, tables: list[Table], created: datetime, kind: str) -> Download:
    """Tables, and behind them the design and the sources of all prices and assumptions."""
    tables = [*tables, design_table(estimate), sources_table(estimate)]
    tables = [in_words_of(table, estimate.spec) for table in tables]
    content = xlsx_bytes(tables, estimate.spec.name, created)
    return Download(file_name(estimate, "xlsx", kind), XLSX_TYPE, content)


def bom_pdf(estimate: PricedEstimate, created: datetime) -> Download:
    """The whole design as a report: cover, summary, diagram, bill of materials, cost, performance, assumptions, versions."""
    from designer.exports.reports.design import design_report  # start-up time: reportlab, and few ask for a report

    return Download(file_name(estimate, "pdf", "report"), PDF_TYPE, design_report(estimate, created))


def cost_pdf(estimate: PricedEstimate, created: datetime) -> Download:
    """Cost of ownership as a report, with what it rests on."""
    from designer.exports.reports.design import cost_report  # start-up time: reportlab

    return Download(file_name(estimate, "pdf", "cost"), PDF_TYPE, cost_report(estimate, created))


def phases_csv(estimate: PricedEstimate, created: datetime) -> Download:
    """What each phase buys and leaves unused, for machines."""
    content = csv_bytes(bills_sheet(_phased(estimate)), provenance(estimate))
    return Download(file_name(estimate, "csv", "phases"), CSV_TYPE, content)


def phases_xlsx(estimate: PricedEstimate, created: datetime) -> Download:
    """Phases, years, bills of materials, crews and cables, with the design and its sources behind them."""
    return workbook(estimate, phase_sheets(_phased(estimate)), created, "phases")


def _phased(estimate: PricedEstimate) -> Phases:
    if estimate.phases is None:
        raise ValueError("the design has no phases")
    return estimate.phases


BOM_FILES: dict[str, Writer] = {"csv": bom_csv, "xlsx": bom_xlsx, "pdf": bom_pdf}
PHASE_FILES: dict[str, Writer] = {"csv": phases_csv, "xlsx": phases_xlsx}
COST_FILES: dict[str, Writer] = {"csv": cost_csv, "xlsx": cost_xlsx, "pdf": cost_pdf}
FORMATS = ("json", *BOM_FILES)
TYPES = {"csv": CSV_TYPE, "xlsx": XLSX_TYPE, "pdf": PDF_TYPE}


def file_name(estimate: PricedEstimate, extension: str, kind: str = "bom") -> str:
    """``dgx-h100-4-units-bom-1a2b3c4d.csv``: the design's name in safe letters, and the start of the spec's hash."""
    return f"{design_file_stem(estimate.spec.name, estimate.spec_hash, kind)}.{extension}"
