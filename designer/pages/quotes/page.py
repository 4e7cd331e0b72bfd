"""What the pages of quotes show: lists, the report with its lines filtered and sorted, and the form that says columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.http import urlencode

from designer.forms.quotes import SHOWN_SHEETS
from designer.models import Quote
from designer.services.quotes import design_of, is_outdated, reported
from designer.wording.numbers import category_name, metres, usd_exact
from designer.wording.query import Page, column_heads, one_of, page_number, rows_on
from estimator.catalog.currency import MINOR_DIGITS
from estimator.quotes.check import ReadQuote, kept_quote
from estimator.quotes.columns import FIELDS, GIVEN, REMEMBERED, Columns, letter_of
from estimator.quotes.report import PROBLEMS
from estimator.quotes.result import LeftOutRow, QuotedItem, QuotedLine, QuoteProblem, QuoteReport
from estimator.record import Given, Json
from estimator.tables.discounts import percent_text
from estimator.tables.file import QuoteSheet
from estimator.tables.numbers import CURRENCIES

LINES_A_PAGE = 50
SHOWN_PROBLEMS, SHOWN_ROWS, PREVIEW_ROWS, PREVIEW_COLUMNS = 12, 12, 8, 40
STATUS = {
    "matched": "Matched",
    "incompatible": "Does not fit",
    "doubled": "Quoted twice",
    "option": "Option",
    "surplus": "Not in the design",
}
TONES = {"matched": "good", "incompatible": "error", "doubled": "error", "option": "info", "surplus": "warning"}
HOW = {GIVEN: "as you set", REMEMBERED: "as you set for a sheet like it", "guessed": "by its header"}
_SORTS: dict[str, Callable[[QuotedLine], Any]] = {
    "row": lambda line: (line.sheet, line.row),
    "part": lambda line: (line.part_number or line.description).lower(),
    "quantity": lambda line: line.quantity,
    "unit": lambda line: line.unit_price_usd,
    "price": lambda line: line.extended_price_usd,
    "match": lambda line: (line.matched_to or "").lower() or None,
    "confidence": lambda line: line.confidence if line.matched_to else None,
}


def list_rows(owner: User) -> list[Json]:
    """The owner's quotes, newest first, with what each says in one line."""
    rows = []
    for quote in owner.quotes.defer("reading"):
        report = reported(quote)
        severities = [problem.severity for problem in report.problems] if report else []
        rows.append(
            {
                "quote": quote,
                "totals": report.totals if report else None,
                "n_lines": len(report.lines) + len(report.surplus) if report else 0,
                "n_errors": severities.count("error"),
                "n_warnings": severities.count("warning"),
                "needs_columns": report is None,
                "design": quote.spec.get("name", ""),
            }
        )
    return rows


# ---------------------------------------------------------------- the report


def report_context(quote: Quote, query: Mapping[str, str]) -> Json:
    """All that the page of one quote shows."""
    report = QuoteReport.from_json(quote.result)
    lines = [*report.lines, *report.surplus]
    return {
        "quote": quote,
        "design": design_of(quote),
        "is_old": is_outdated(quote),
        "totals": report.totals,
        "summary": report.summary,
        "notes": report.notes,
        "discounts": discount_choices(report, quote.columns),
        "taken": [
            {"sheet": one.sheet, "words": percent_text(one.discount)}
            for one in quote.columns
            if one.is_used and one.discount
        ],
        "groups": problem_groups(report.problems),
        "missing": report.missing,
        "left_out": left_out_groups(report.left_out),
        "n_left_out": len(report.left_out),
        "table": line_table(lines, report.items, quote.matches, query),
        "status_names": STATUS,
        "read": [
            {"sheet": one.sheet, "how": HOW[one.how], "words": _column_words(one)}
            for one in quote.columns
            if one.is_used
        ],
    }


def discount_choices(report: QuoteReport, columns: Sequence[Columns]) -> list[Json]:
    """Discounts that the file states without an amount and that are not taken off: what each would make of the quote."""
    out: dict[tuple[str, float], Json] = {}
    for one in report.discounts or ():
        if one.percent is None or one.is_taken:
            continue
        read = {sheet.sheet for sheet in columns if sheet.is_used}
        of_one = one.sheet in read
        lines = [
            line
            for line in (*report.lines, *report.surplus)
            if (line.sheet == one.sheet or not of_one) and line.extended_price_usd is not None and not line.is_option
        ]
        usd = sum(line.extended_price_usd or 0.0 for line in lines if not line.discount)
        out[one.sheet if of_one else "", one.percent] = {
            "sheet": one.sheet,
            "percent": percent_text(one.percent).rstrip("%"),
            "words": percent_text(one.percent),
            "off_usd": usd * one.percent / 100,
        }
    return list(out.values())


def _column_words(columns: Columns) -> str:
    places = sorted(columns.fields.items(), key=lambda item: item[1])
    return ", ".join(f"{FIELDS[name].lower()} {letter_of(place)}" for name, place in places)


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of one kind; those shown are ``rows``."""

    code: str
    title: str
    severity: str
    rows: Sequence[QuoteProblem]
    n: int
    is_of_lines: bool

    @property
    def n_more(self) -> int:
        """How many are not shown."""
        return self.n - len(self.rows)

    @property
    def is_open(self) -> bool:
        """Whether they are unfolded as the page comes."""
        return self.severity == "error"


@dataclass(frozen=True, slots=True)
class LeftOutGroup:
    """Rows that were left out for one reason: how many, those shown, and how many more hold words."""

    why: str
    n: int
    rows: Sequence[LeftOutRow]
    n_more: int


def problem_groups(problems: Iterable[QuoteProblem]) -> list[ProblemGroup]:
    """Problems by kind, the grave ones first and open."""
    by_code: dict[str, list[QuoteProblem]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    groups = [
        ProblemGroup(
            code, title, mine[0].severity, mine[:SHOWN_PROBLEMS], len(mine), any(problem.line for problem in mine)
        )
        for code, title in PROBLEMS.items()
        if (mine := by_code.get(code))
    ]
    rank = {"error": 0, "warning": 1, "info": 2}
    return sorted(groups, key=lambda group: rank[group.severity])


def left_out_groups(rows: Iterable[LeftOutRow]) -> list[LeftOutGroup]:
    """Rows left out, by the reason; those that hold words or amounts before blank ones."""
    by_why: dict[str, list[LeftOutRow]] = {}
    for row in rows:
        by_why.setdefault(row.why, []).append(row)
    groups = []
    for why, mine in by_why.items():
        worded = [row for row in mine if row.text]
        groups.append(LeftOutGroup(why, len(mine), worded[:SHOWN_ROWS], max(len(worded) - SHOWN_ROWS, 0)))
    return sorted(groups, key=lambda group: (not group.rows, group.n))


def line_table(
    lines: Sequence[QuotedLine], items: Sequence[QuotedItem], by_hand: Given, query: Mapping[str, str]
) -> Json:
    """A page of the lines that the address asks for, in its order, with a line open for change where it names one."""
    status, problem = one_of(query.get("status"), ("", *STATUS)), one_of(query.get("problem"), ("", *PROBLEMS))
    searched, order = query.get("q", ""), query.get("sort", "")
    words = searched.lower().split()[:10]
    found = [
        line
        for line in lines
        if (not status or line.status == status) and (not problem or problem in line.problems) and _has(line, words)
    ]
    key = one_of(order.removeprefix("-"), _SORTS)
    is_descending = order.startswith("-") and key in order
    found = _sorted(found, _SORTS[key], is_descending)
    number, n_pages = page_number(query.get("page"), len(found), LINES_A_PAGE)
    rows = [_row(found[at], by_hand) for at in rows_on(number, len(found), LINES_A_PAGE)]
    kept = {"status": status, "problem": problem, "q": searched, "sort": order}
    kept = {name: value for name, value in kept.items() if value}
    return {
        "page": Page(rows, number, n_pages, len(found), LINES_A_PAGE),
        "n_all": len(lines),
        "status": status,
        "problem": problem,
        "q": searched,
        "sort": order,
        "query": urlencode(kept),
        "filter_query": urlencode({k: v for k, v in kept.items() if k != "sort"}),
        "edit": query.get("edit", ""),
        "heads": column_heads(list(_SORTS), key, is_descending),
        "choices": item_choices(items),
        "statuses": [(name, STATUS[name], n) for name, n in Counter(line.status for line in lines).items()],
        "problems": [(code, PROBLEMS[code], n) for code, n in _counted_problems(lines)],
    }


def _counted_problems(lines: Iterable[QuotedLine]) -> list[tuple[str, int]]:
    counts = Counter(code for line in lines for code in dict.fromkeys(line.problems))
    return [(code, counts[code]) for code in PROBLEMS if counts[code]]


def _has(line: QuotedLine, words: Sequence[str]) -> bool:
    text = f"{line.part_number} {line.other_number} {line.description} {line.matched_to or ''}".lower()
    return all(word in text for word in words)


def _sorted(lines: Sequence[QuotedLine], value: Callable[[QuotedLine], Any], is_descending: bool) -> list[QuotedLine]:
    """Lines in order; those without the value last either way."""
    known = [line for line in lines if value(line) is not None]
    rest = [line for line in lines if value(line) is None]
    return sorted(known, key=value, reverse=is_descending) + rest


def _row(line: QuotedLine, by_hand: Given) -> Json:
    return {
        "line": line,
        "tone": TONES[line.status],
        "status_name": STATUS[line.status],
        "is_by_hand": line.id in by_hand,
        "says": [message for code, message in zip(line.problems, line.messages, strict=True) if code != "surplus"],
        "is_foreign": line.currency != "USD",
        "unit_usd": _unit_usd(line),
    }


def _unit_usd(line: QuotedLine) -> float | None:
    """Dollars a piece, which times the quantity are the price beside them.

    A price in another currency, or less a discount of the whole list, has parts of a cent: 788 × $901.407 are the $710,309 of
    EUR 630,321.20, and 788 × $901.41 are not. Where the row's own figures do not multiply, its unit price is as it says.
    """
    unit, extended = line.unit_price, line.extended_price
    in_usd, line_usd = line.unit_price_usd, line.extended_price_usd
    if unit is None or extended is None or in_usd is None or line_usd is None or not line.quantity:
        return in_usd
    rounding = (line.quantity + 1) / 2 / 10 ** MINOR_DIGITS.get(line.currency, 2)
    row_multiplies = abs(unit * line.quantity - extended) <= rounding
    if row_multiplies and usd_exact(in_usd * line.quantity) != usd_exact(line_usd):
        return line_usd / line.quantity
    return in_usd


def item_choices(items: Iterable[QuotedItem]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The design's parts by category, for a choice."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for item in items:
        length = f", {metres(item.length_m)}" if item.length_m is not None else ""
        number = f"{item.part_number}, " if item.part_number else ""
        words = f"{number}{item.description}{length} × {item.quantity:,}"
        groups.setdefault(category_name(item.category), []).append((item.key, words))
    return list(groups.items())


# ---------------------------------------------------------------- columns


def columns_context(quote: Quote, read: ReadQuote | None = None, messages: Sequence[str] = ()) -> Json:
    """The form that says which column is what, one table for each sheet with its first rows."""
    read = read or kept_quote(quote.reading)
    known = {columns.sheet: columns for columns in read.columns}
    sheets = [
        _sheet_form(at, sheet, known.get(sheet.title)) for at, sheet in enumerate(read.table.sheets[:SHOWN_SHEETS])
    ]
    return {
        "quote": quote,
        "sheets": sheets,
        "fields": FIELDS.items(),
        "currencies": CURRENCIES,
        "messages_of": messages,
        "n_more_sheets": max(len(read.table.sheets) - SHOWN_SHEETS, 0),
        "notes": read.table.notes,
        "is_confirmed": quote.is_confirmed,
    }


def _sheet_form(at: int, sheet: QuoteSheet, columns: Columns | None) -> Json:
    header_row = columns.header_row if columns else 0
    width = min(max((len(row.cells) for row in sheet.rows[:400]), default=0), PREVIEW_COLUMNS)
    by_place = {place: name for name, place in columns.fields.items()} if columns else {}
    after = [row for row in sheet.rows if row.number > header_row and any(row.cells)][:PREVIEW_ROWS]
    header = next((row for row in sheet.rows if row.number == header_row), None)
    return {
        "at": at,
        "title": sheet.title,
        "n_rows": len(sheet.rows),
        "header_row": header_row,
        "last_row": sheet.rows[-1].number if sheet.rows else 0,
        "is_used": columns is not None and columns.is_used,
        "decimal": columns.decimal if columns else ".",
        "is_decimal_sure": columns.is_decimal_sure if columns else True,
        "currency": columns.currency if columns else None,
        "discount": percent_text(columns.discount).rstrip("%") if columns and columns.discount else "",
        "columns": [
            {
                "place": place,
                "letter": letter_of(place),
                "field": by_place.get(place, ""),
                "header": header.cells[place] if header and place < len(header.cells) else "",
            }
            for place in range(width)
        ],
        "rows": [
            {"number": row.number, "cells": [(row.cells + [""] * width)[place][:80] for place in range(width)]}
            for row in after
        ],
    }
