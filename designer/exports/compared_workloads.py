"""Files of designs compared by tokens and dollars: figures in the columns of a comparison, and what they rest on."""

from datetime import datetime

from designer.exports.comparisons import COMPARISON_COLUMNS, figure_rows
from designer.exports.csv import csv_bytes
from designer.exports.downloads import CSV_TYPE, XLSX_TYPE, Download
from designer.exports.file_names import comparison_file_stem
from designer.exports.tables import Cell, Column, Table
from designer.exports.workloads import ASKED_COLUMNS, CONSTANT_COLUMNS, asked_rows
from designer.exports.xlsx import xlsx_bytes
from designer.services.workloads.side_by_side import WorkloadComparison
from estimator.record import Json

FIGURE_KEYS = (
    "key",
    "label",
    "unit",
    "side",
    "is_baseline",
    "low",
    "typical",
    "high",
    "difference",
    "relative",
    "is_better",
    "is_about_same",
)
FIGURE_COLUMNS = tuple(column for column in COMPARISON_COLUMNS if column.key in FIGURE_KEYS)
SIDE_COLUMNS = (
    Column("label", "Design", width=30),
    Column("gpus", "GPUs", width=8),
    Column("layout", "Layout of training", width=30),
    Column("placement", "Placement of serving", width=30),
    Column("spec_hash", "Hash of the spec", width=20),
    Column("why_not", "Why not", width=60),
)


def figures_table(shown: WorkloadComparison) -> Table:
    """A row a figure and side."""
    rows = tuple(tuple(row.get(column.key) for column in FIGURE_COLUMNS) for row in figure_rows(shown))
    return Table("Workloads", FIGURE_COLUMNS, rows)


def sides_table(shown: WorkloadComparison) -> Table:
    """Which layout and placement each design's figures are of, and why it has none."""
    rows: list[tuple[Cell, ...]] = [
        (one.label, one.gpus, one.layout, one.placement, one.spec_hash, " ".join(one.why_not)) for one in shown.items
    ]
    return Table("Designs", SIDE_COLUMNS, tuple(rows))


def words_table(shown: WorkloadComparison) -> Table:
    """What the bands show, in words."""
    return Table("In words", (Column("words", "In words", width=110),), tuple((one.words,) for one in shown.summary))


def asked_table(shown: WorkloadComparison) -> Table:
    """What was requested of every design."""
    asked = (
        ("training", shown.training_asked, shown.training_model),
        ("serving", shown.serving_asked, shown.serving_model),
    )
    return Table("Requested", ASKED_COLUMNS, tuple(asked_rows(asked)))


def constants_table(shown: WorkloadComparison) -> Table:
    """Constants that times rest on, each with its source."""
    rows = tuple(tuple(column.value(one) for column in CONSTANT_COLUMNS) for one in shown.constants)
    return Table("Workload constants", CONSTANT_COLUMNS, rows)


def compared_workloads_download(form: str, name: str, shown: WorkloadComparison, created: datetime) -> Download:
    """The figures as CSV, or all tables as a workbook."""
    stem = comparison_file_stem(name, "workloads")
    if form == "csv":
        baseline = shown.items[shown.baseline]
        provenance = name, baseline.spec_hash, shown.versions.model, shown.versions.catalog
        return Download(f"{stem}.csv", CSV_TYPE, csv_bytes(figures_table(shown), provenance))
    tables = [figures_table(shown), sides_table(shown), words_table(shown), asked_table(shown), constants_table(shown)]
    return Download(f"{stem}.xlsx", XLSX_TYPE, xlsx_bytes([*tables, versions_table(shown)], name, created))


def versions_table(shown: WorkloadComparison) -> Table:
    """The versions that the workloads were predicted by."""
    columns = (Column("what", "Version of", width=14), Column("version", "Version", width=70))
    versions: Json = shown.versions.as_json()
    return Table("Versions", columns, tuple(versions.items()))
