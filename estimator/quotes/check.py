"""A vendor's file and a design's BOM in, the report of one against the other out: the order of reading, matching, reporting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from estimator.bom.result import BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import Rates
from estimator.errors import Problem, SpecError
from estimator.quotes.columns import HEADER_ROWS, Columns, columns_from, given_columns, guess_columns
from estimator.quotes.lines import read_lines
from estimator.quotes.report import quote_report
from estimator.quotes.result import QuoteReport
from estimator.quotes.words import header_fields
from estimator.record import Given, Json
from estimator.tables.file import QuoteTable, read_table, table_of


@dataclass(frozen=True, slots=True)
class ReadQuote:
    """A file as it was read, and what its columns are."""

    table: QuoteTable
    columns: tuple[Columns, ...]

    @property
    def is_sure(self) -> bool:
        """Whether every sheet that is read has a header, known before or naming part, quantity and price."""
        wanted = ({"part_number", "description"}, {"quantity"}, {"unit_price", "extended_price"})
        return bool(self.columns) and all(
            one.how != "guessed" or all(names & set(header_fields(one.header)) for names in wanted)
            for one in self.columns
        )

    def as_json(self) -> Json:
        """What is kept of it: enough to read it again with other columns."""
        return {"table": self.table.as_json(), "columns": [one.as_json() for one in self.columns]}


def kept_quote(values: Given) -> ReadQuote:
    """The quote of what ``as_json`` gave."""
    return ReadQuote(table_of(values["table"]), tuple(columns_from(one) for one in values["columns"]))


def read_quote(
    data: bytes, name: str = "", columns: Any = None, remembered: Mapping[str, Given] | None = None
) -> ReadQuote:
    """Read a file; columns are as ``columns`` says (see ``given_columns``), else as a header like it had them, else guessed.

    Raises
    ------
    UnreadableFile
        If the file is not one that is read.
    SpecError
        If the columns that were given are not the file's.
    """
    table = read_table(data, name)
    return ReadQuote(table, tuple(given_columns(columns, table) if columns else guess_columns(table, remembered)))


def with_columns(quote: ReadQuote, columns: Any) -> ReadQuote:
    """The same file with other columns; see ``given_columns``."""
    return ReadQuote(quote.table, tuple(given_columns(columns, quote.table)))


def report_of(
    quote: ReadQuote,
    bom_lines: Iterable[BomLine],
    catalog: Catalog,
    rates: Rates | None = None,
    by_hand: Mapping[str, str | None] | None = None,
) -> QuoteReport:
    """The report of a quote against a bill of materials, see ``quote_report``.

    Raises
    ------
    SpecError
        If no sheet has columns, or no row gives a line.
    """
    refuse_unknown_columns(quote.columns)
    return quote_report(read_lines(quote.table, quote.columns), bom_lines, catalog, rates, by_hand)


def refuse_unknown_columns(columns: Sequence[Columns]) -> None:
    """Say what is missing where nothing could be recognised."""
    if not any(one.is_used for one in columns):
        message = (
            f"None of the first {HEADER_ROWS} rows names the columns of a quote, such as Part number, Description, Quantity and "
            "Unit price. Say which column is which, and in which row the header is."
        )
        raise SpecError([Problem("columns", "no_header", message)])
