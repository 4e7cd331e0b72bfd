"""The files of one comparison: name, type and bytes of each form, by its word in the address."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from designer.exports.csv import csv_bytes
from designer.exports.downloads import CSV_TYPE, PDF_TYPE, XLSX_TYPE, Download
from designer.exports.file_names import comparison_file_stem
from designer.exports.sheets.comparison import comparison_tables
from designer.exports.tables import COUNT, MONEY, RANGE, Cell, Column, Table
from designer.exports.xlsx import xlsx_bytes
from designer.models import Comparison
from designer.services.comparisons import estimates_of, result_of
from estimator.compare.result import AlignedRow, ComparedFigure, ComparisonResult, PartRow
from estimator.ranges import Range
from estimator.record import Given
from estimator.result import PricedEstimate

Writer = Callable[[str, ComparisonResult, datetime], Download]

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
    Column("owned_quantity", "Already owned", width=8, number_format=COUNT),
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
    Column("part_name", "Name of the part", width=44),
)


def comparison_table(result: ComparisonResult) -> Table:
    """Figures, aligned rows with their parts, and totals: a row for each of them and side, so that programs can pivot."""
    rows = [*figure_rows(result), *_line_rows(result), *_total_rows(result)]
    cells = tuple(tuple(row.get(column.key) for column in COMPARISON_COLUMNS) for row in rows)
    return Table("Comparison", COMPARISON_COLUMNS, cells)


class Labelled(Protocol):
    """A side with its name."""

    @property
    def label(self) -> str:
        """What it is called."""


class Compared(Protocol):
    """Sides against a baseline, figure by figure."""

    @property
    def items(self) -> Sequence[Labelled]:
        """The sides."""

    @property
    def baseline(self) -> int:
        """Position of the one that others are compared with."""

    @property
    def figures(self) -> Sequence[ComparedFigure]:
        """Rows with an entry for each side."""


def _sides(result: Compared) -> Iterator[tuple[int, dict[str, Cell]]]:
    for i, item in enumerate(result.items):
        yield i, {"side": item.label, "is_baseline": i == result.baseline}


def _ends(price: Range[float] | None, stem: str = "") -> dict[str, Cell]:
    """The cells of a range's ends; none where there is no range."""
    return {f"{stem}{end}": value for end, value in zip(RANGE, price, strict=True)} if price else {}


def figure_rows(result: Compared) -> Iterator[dict[str, Cell]]:
    """A row for each figure and side, by the keys of COMPARISON_COLUMNS."""
    for figure in result.figures:
        for i, side in _sides(result):
            difference = figure.differences[i]
            judged: dict[str, Cell] = (
                {
                    "difference": difference.absolute,
                    "relative": difference.relative,
                    "is_better": difference.is_better,
                    "is_about_same": difference.is_about_same,
                }
                if difference
                else {}
            )
            head: dict[str, Cell] = {
                "section": FIGURE,
                "key": figure.key,
                "label": figure.label,
                "unit": figure.unit,
                "is_at_least": figure.at_least[i],
            }
            yield side | _ends(figure.values[i]) | head | judged


def _line_rows(result: ComparisonResult) -> Iterator[dict[str, Cell]]:
    """Sums over ``row`` are the totals; ``part`` opens a row of several parts, and is in it already."""
    for row in result.rows:
        head: dict[str, Cell] = {"key": row.key, "network": row.fabric, "is_in_scope": row.is_in_scope, "unit": "usd"}
        yield from _side_rows(result, row, head | {"section": ROW, "label": row.label})
        for part in row.parts:
            more = {"section": PART, "label": f"{row.label}, {part.label}", "length_m": part.length_m}
            yield from _side_rows(result, part, head | more)


def _side_rows(result: ComparisonResult, row: AlignedRow | PartRow, head: dict[str, Cell]) -> Iterator[dict[str, Cell]]:
    for i, side in _sides(result):
        cell, difference = row.sides[i], row.differences[i]
        found = head | side | {"quantity_difference": difference.quantity.absolute}
        if price := difference.extended_price_usd:
            found |= {"difference": price.absolute, "relative": price.relative}
        if cell:
            found |= _ends(cell.extended_price_usd) | _ends(cell.unit_price_usd, "unit_price_usd_")
            found |= {
                "part": "; ".join(part.part or part.description for part in cell.parts),
                "part_name": "; ".join(part.description for part in cell.parts),
                "quantity": cell.quantity,
                "spare_quantity": cell.spare_quantity,
                "owned_quantity": cell.owned_quantity,
                "power_w": cell.power_w,
            }
        yield found


def _total_rows(result: ComparisonResult) -> Iterator[dict[str, Cell]]:
    totals = result.totals
    for i, side in _sides(result):
        head: dict[str, Cell] = {"section": TOTAL, "key": "all_usd", "label": "All lines with a price", "unit": "usd"}
        yield side | _ends(totals.all_usd[i]) | head | {"is_at_least": totals.at_least[i]}
    for i, side in _sides(result):
        head = {"section": TOTAL, "key": "same_scope_usd", "label": "On the same scope", "unit": "usd"}
        moved = {"difference": totals.differences[i].absolute, "relative": totals.differences[i].relative}
        yield side | _ends(totals.same_scope_usd[i]) | head | {"is_at_least": False} | moved


def provenance_of(name: str, result: ComparisonResult) -> tuple[Cell, ...]:
    """The cells of PROVENANCE_COLUMNS: the comparison's name, the baseline's spec, and the versions of all."""
    return name, result.items[result.baseline].spec_hash, result.versions.model, result.versions.catalog


def comparison_csv(name: str, result: ComparisonResult, created: datetime) -> Download:
    """The comparison for machines."""
    content = csv_bytes(comparison_table(result), provenance_of(name, result))
    return Download(comparison_file_name(name, "csv"), CSV_TYPE, content)


def comparison_xlsx(name: str, result: ComparisonResult, created: datetime) -> Download:
    """The comparison for people, as sheets that compute."""
    content = xlsx_bytes(comparison_tables(result), name, created)
    return Download(comparison_file_name(name, "xlsx"), XLSX_TYPE, content)


def comparison_pdf(name: str, result: ComparisonResult, created: datetime) -> Download:
    """The comparison as a report."""
    from designer.exports.reports.comparison import comparison_report  # start-up time: reportlab

    return Download(comparison_file_name(name, "pdf"), PDF_TYPE, comparison_report(name, result, created))


def board_pdf(row: Comparison, title: str, more: Given) -> Download:
    """A comparison as a paper for a board; ``more`` are the other keys of a request, the logo as it was sent.

    Raises
    ------
    SpecError
        For a wrong key, a logo that is not taken, too many options, or a comparison of another model.
    """
    result = result_of(row)
    content = board_paper(title or row.name, more, result, lambda: estimates_of(row), row.created_at)
    return Download(f"{comparison_file_stem(row.name)}-board.pdf", PDF_TYPE, content)


def board_paper(
    title: str,
    more: Given,
    result: ComparisonResult,
    options: Callable[[], Sequence[PricedEstimate | None]],
    made: datetime,
) -> bytes:
    """The paper of a comparison; ``options`` makes the estimates of its sides once the request is checked.

    Raises
    ------
    SpecError
        As ``board_pdf``.
    """
    from designer.exports.pdf.logo import logo_png  # start-up time: these and reportlab, and few ask for a paper
    from designer.exports.reports.board.pack import board_pack
    from designer.exports.reports.board.request import BoardRequest, checked_request

    asked = BoardRequest(title, **{key: value for key, value in more.items() if key != "logo"})
    checked_request(asked, result)
    whole = asked._replace(logo=logo_png(more.get("logo") or b""))
    return board_pack(whole, result, options(), made)


def comparison_file_name(name: str, extension: str) -> str:
    """``ndr-and-roce-comparison.csv``: the comparison's name in safe letters."""
    return f"{comparison_file_stem(name)}.{extension}"


COMPARISON_FILES: dict[str, Writer] = {"csv": comparison_csv, "xlsx": comparison_xlsx, "pdf": comparison_pdf}
COMPARISON_FORMATS = ("json", *COMPARISON_FILES)


def comparison_download(form: str, name: str, result: ComparisonResult, created: datetime) -> Download:
    """One of COMPARISON_FILES."""
    return COMPARISON_FILES[form](name, result, created)
