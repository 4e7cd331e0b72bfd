"""The report of a quote against a design, as it is answered and stored; amounts as their keys say, ``_usd`` in US dollars."""

from collections.abc import Sequence
from typing import Literal

from estimator.bom.result import PriceRate
from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record

Severity = Literal["error", "warning", "info"]
Status = Literal["matched", "incompatible", "doubled", "option", "surplus"]


class QuoteRemark(Record):
    code: str
    message: str


class QuotedLine(Record):
    """One line of the quote, with what it stands for."""

    id: str
    sheet: str
    row: int
    part_number: str
    other_number: str
    description: str
    section: str
    quantity: int
    counted: int
    """Pieces of it that the design needs."""
    currency: str
    unit_price: float | None
    extended_price: float | None
    discount: float | None
    lead_time: str
    is_option: bool
    unit_price_usd: float | None
    extended_price_usd: float | None
    rate: PriceRate | None
    status: Status
    items: list[str]
    bom_lines: list[int]
    matched_to: str | None
    category: str | None
    length_m: Newer[float | None]
    """Of the line itself, where its item has one."""
    part: str | None
    book_unit_usd: Range[float] | None
    confidence: float
    """0 to 1."""
    reason: str
    how: str
    remarks: list[QuoteRemark]
    problems: list[str]
    messages: list[str]


class NeededItem(Record):
    """A part of the design at one length, over all its uses; ``key`` is what matches name."""

    key: str
    category: str
    part: str | None
    part_number: str | None
    description: str
    length_m: float | None
    quantity: int
    spare_quantity: int
    bom_lines: list[int]
    fabrics: list[str]
    uses: list[str]
    offered: int


class QuotedItem(NeededItem):
    """A part of the design, with what the quote offers of it."""

    unit_price_usd: Range[float] | None
    """The book's."""
    quoted_usd: float
    """What the quote asks for the pieces that are needed."""


class MissingItem(NeededItem):
    """A part of which the quote offers none or too few, priced by the book."""

    missing_quantity: int
    is_spares_only: bool
    is_whole_category: bool
    why: str
    unit_price_usd: Range[float] | None
    price_usd: Range[float] | None


class LeftOutRow(Record):
    """A row that offers no part, and why."""

    sheet: str
    row: int
    code: str
    why: str
    text: str
    amount: IfAny[float] = None
    currency: IfAny[str] = None


class QuoteProblem(Record):
    code: str
    severity: Severity
    message: str
    line: str | None
    row: int | None
    item: str | None


class SameScope(Record):
    """What both have, at the quote's price and at the book's."""

    quote_usd: float
    design_usd: Range[float]
    difference_usd: float
    difference_share: float | None
    n_items: int


class CurrencySum(Record):
    currency: str
    amount: float


class QuoteRate(Record):
    currency: str
    usd: float
    date: str
    basis: str
    source: str


class QuoteTotals(Record):
    quote_usd: float
    """All lines but options."""
    currencies: list[CurrencySum]
    options_usd: float
    charges_usd: float
    """Freight, taxes, discounts on the whole."""
    charges_at_least: bool
    same_scope: SameScope
    outside_scope_usd: float
    """Lines and pieces that the design does not need, or cannot use."""
    left_out_by_quote_usd: Range[float]
    """What the quote lacks, by the book."""
    completed_usd: Range[float]
    """The quote's needed pieces and what it lacks."""
    design_usd: Range[float]
    """The design by the book."""
    at_least: bool
    unpriced_lines: int
    rates: list[QuoteRate]


class ListDiscount(Record):
    """A discount that the file states for all prices, without an amount; ``percent`` is None where several stand there."""

    sheet: str
    row: int
    text: str
    percent: float | None
    is_taken: bool
    """Whether somebody let it come off the prices of its sheet."""


class QuoteReport(Record):
    """Every row of the file is in one of lines, surplus and left_out."""

    lines: Sequence[QuotedLine]
    """What the design has."""
    surplus: Sequence[QuotedLine]
    """What it does not have."""
    missing: Sequence[MissingItem]
    left_out: Sequence[LeftOutRow]
    """Rows that offer nothing."""
    items: Sequence[QuotedItem]
    problems: Sequence[QuoteProblem]
    totals: QuoteTotals
    notes: list[str]
    summary: list[str]
    discounts: IfAny[list[ListDiscount]] = None
