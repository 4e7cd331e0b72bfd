"""Quotes of vendors: read once and kept, compared with a design's BOM, matched by hand, their prices taken into a book."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from designer.forms.quotes import AUTO, MAX_VENDOR
from designer.models import Design, PriceBook, Quote, QuoteColumns
from designer.services.designs.state import fresh, spec_of
from designer.services.labels import checked_label, checked_name
from designer.services.prices.books import take_prices
from estimator.bom.lines import CATEGORIES
from estimator.bom.result import BomLine, BomWithLines
from estimator.catalog.currency import Rates, half_up
from estimator.catalog.loader import load_catalog
from estimator.designs.parts import catalog_of
from estimator.errors import Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.quotes.check import ReadQuote, kept_quote, read_quote, refuse_unknown_columns, report_of, with_columns
from estimator.quotes.columns import Columns
from estimator.quotes.result import QuotedLine, QuoteReport
from estimator.ranges import Range
from estimator.record import Given, Json
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec
from estimator.spec.price_book import MAX_TEXT, is_day
from estimator.tables.discounts import given_percent
from estimator.tables.numbers import minor_digits
from estimator.version import MODEL_VERSION

MAX_QUOTES = 200  # of one owner
MAX_OFFER_LINES = 5_000  # of a side of a comparison


class TooManyQuotes(SpecError):
    """An owner has as many quotes as one may have."""

    code = "too_many_quotes"


def create_quote(
    owner: User,
    spec: DesignSpec,
    data: bytes,
    file_name: str,
    name: str = "",
    vendor: str = "",
    columns: Any = None,
    may_ask: bool = False,
    design: Design | None = None,
) -> Quote:
    """Read a file and compare it with a design's bill of materials.

    Parameters
    ----------
    columns : which column is what, see ``given_columns``; without it as a header like this one was read last, else guessed
    design : whose state ``spec`` is, where it is one's
    may_ask : keep a file whose columns could not be identified, without a report, so that its owner can say them

    Raises
    ------
    SpecError
        With what is wrong with file, columns, name or vendor, or if the owner has MAX_QUOTES.
    """
    file_name = printable(file_name)[:255] or "quote"
    chosen = checked_name(name) if name.strip() else checked_name(file_name.rpartition(".")[0][:200] or file_name[:200])
    vendor = checked_label("vendor", vendor, MAX_VENDOR)
    if owner.quotes.count() >= MAX_QUOTES:
        message = f"{MAX_QUOTES} quotes are the most. Delete one first."
        raise TooManyQuotes([Problem("", "too_many_quotes", message)])
    read = read_quote(data, file_name, columns, remembered_columns(owner))
    quote = Quote(
        owner=owner,
        design=design,
        name=chosen,
        vendor=vendor,
        file_name=file_name,
        file_sha256=hashlib.sha256(data).hexdigest(),
        spec=spec.as_json(),
        reading=read.as_json() | {"is_confirmed": columns is not None or read.is_sure},
        matches={},
        result={},
    )
    try:
        recompute(quote, read)
    except SpecError as error:
        if not (may_ask and all(problem.field == "columns" for problem in error.problems)):
            raise
        quote.reading |= {"is_confirmed": False}
        quote.model_version, quote.catalog_version = MODEL_VERSION, load_catalog().version
    with transaction.atomic():
        quote.save()
        if columns is not None:
            remember_columns(owner, read.columns)
    return quote


def printable(text: str) -> str:
    """A text without control characters."""
    return "".join(c if c.isprintable() else " " for c in text).strip()


# ---------------------------------------------------------------- the report


def recompute(quote: Quote, read: ReadQuote | None = None) -> None:
    """Regenerate the report from what was read, by the columns and matches that stand; nothing is saved.

    Raises
    ------
    SpecError
        If the columns give no line, or the design is none any more.
    """
    catalog = load_catalog()
    read = read or kept_quote(quote.reading)
    refuse_unknown_columns(read.columns)  # before the bill of materials is made
    spec = parse_spec(quote.spec, catalog)
    own = spec.economics.prices
    rates = own.exchange(catalog) if own else Rates(catalog.exchange_rates)
    quote.result = report_of(
        read, bill_of(quote.owner, spec), catalog_of(spec, catalog), rates, quote.matches
    ).as_json()
    quote.model_version, quote.catalog_version = MODEL_VERSION, catalog.version


def reported(quote: Quote) -> QuoteReport | None:
    """The report as it was kept; None where the columns are not known yet."""
    return QuoteReport.from_json(quote.result) if quote.result else None


def bill_of(owner: User, spec: DesignSpec) -> Sequence[BomLine]:
    """The lines of a design's bill of materials: of its finished estimate where there is one of today's, else made here."""
    catalog = load_catalog()
    job = EstimateJob.objects.filter(
        owner=owner,
        spec_hash=spec_hash(spec),
        model_version=MODEL_VERSION,
        catalog_version=catalog.version,
        state=EstimateJob.State.SUCCEEDED,
    ).first()
    if job is not None and job.result and "bom" in job.result:
        return BomWithLines.from_json(job.result["bom"]).lines
    (made,) = estimate([spec], catalog, ("bom",))
    return made.bom.lines if made.bom else []


def is_outdated(quote: Quote) -> bool:
    """Whether the report is of an earlier model or catalog, or the design has changed since."""
    if (quote.model_version, quote.catalog_version) != (MODEL_VERSION, load_catalog().version):
        return True
    return quote.design is not None and fresh(quote.design).spec != quote.spec


def design_of(quote: Quote) -> Design | None:
    """The design that the quote is compared with, if it is one's and still there."""
    return quote.design


def set_columns(quote: Quote, columns: Any) -> None:
    """Read the file again with other columns, keep the report, and remember the columns for headers like these.

    Raises
    ------
    SpecError
        With what is wrong with the columns; then nothing changes.
    """
    read = with_columns(kept_quote(quote.reading), columns)
    recompute(quote, read)
    quote.reading = read.as_json() | {"is_confirmed": True}
    with transaction.atomic():
        quote.save(update_fields=["reading", "result", "model_version", "catalog_version", "updated_at"])
        remember_columns(quote.owner, read.columns)


def set_discount(quote: Quote, given: Any, sheet: str | None = None) -> None:
    """Let a discount come off every price of one sheet, or of all of them; None for none. The report is regenerated.

    Raises
    ------
    SpecError
        If it is no discount; then nothing changes.
    """
    percent = given_percent(given, "discount")
    read = kept_quote(quote.reading)
    titles = {one.sheet for one in read.columns if one.is_used}
    meant = {sheet} & titles or titles  # a cover page states it for the sheets that are read
    columns = tuple(
        replace(one, discount=float(percent) if percent else None) if one.sheet in meant else one
        for one in read.columns
    )
    read = ReadQuote(read.table, columns)
    recompute(quote, read)
    quote.reading = {**quote.reading, **read.as_json()}
    quote.save(update_fields=["reading", "result", "model_version", "catalog_version", "updated_at"])


def set_matches(quote: Quote, changes: Given) -> None:
    """Decide matches: line id → item key, None for "not in the design", "auto" for the program's own match.

    Raises
    ------
    SpecError
        For a line or an item that is not there; then nothing changes.
    """
    report = reported(quote)
    lines = {line.id for line in (*report.lines, *report.surplus)} if report else set()
    items = {item.key for item in report.items} if report else set()
    problems = []
    for line, key in changes.items():
        if line not in lines:
            problems.append(Problem(f"matches.{line[:40]}", "no_such_line", f"The quote has no line {line[:40]!r}."))
        elif key is not None and key != AUTO and (not isinstance(key, str) or key not in items):
            message = f"The design has no part {str(key)[:60]!r}. Give the key of an item, null, or auto."
            problems.append(Problem(f"matches.{line[:40]}", "no_such_item", message))
    if problems:
        raise SpecError(problems[:20])
    matches = dict(quote.matches) | {line: key for line, key in changes.items() if key != AUTO}
    quote.matches = {line: key for line, key in matches.items() if changes.get(line) != AUTO}
    recompute(quote)
    quote.save(update_fields=["matches", "result", "model_version", "catalog_version", "updated_at"])


def refresh(quote: Quote) -> None:
    """The report by today's model, catalog and, where the quote is of a design, that design as it is now."""
    if (design := design_of(quote)) is not None:
        quote.spec = spec_of(design).as_json()
    recompute(quote)
    quote.save(update_fields=["spec", "result", "model_version", "catalog_version", "updated_at"])


# ---------------------------------------------------------------- columns that were said before


def remembered_columns(owner: User) -> dict[str, Json]:
    """What the owner said of headers, by their hash."""
    return {row.header_hash: row.columns for row in QuoteColumns.objects.filter(owner=owner)}


def remember_columns(owner: User, columns: Any) -> None:
    """Keep what was said of each header."""
    for one in columns:
        if isinstance(one, Columns) and one.header_hash and one.is_used:
            values = {"fields": dict(one.fields), "decimal": one.decimal, "currency": one.currency}
            QuoteColumns.objects.update_or_create(
                owner=owner, header_hash=one.header_hash, defaults={"columns": values}
            )


# ---------------------------------------------------------------- what a quote gives to others


def offer_of(quote: Quote) -> Json:
    """A side of a comparison: the quote's priced lines under a bill of materials' names."""
    return {"label": quote.name[:200], "offer": {"lines": offered_lines(quote)}}


def offered_lines(quote: Quote) -> list[Json]:
    """The quote's priced lines under a bill of materials' names, as the estimator takes an offer; it checks them."""
    report = reported(quote)
    lines = (
        [line for line in report.lines if line.status == "matched" and line.category in CATEGORIES] if report else []
    )
    return [_offered(number, line) for number, line in enumerate(lines[:MAX_OFFER_LINES], 1)]


def _offered(number: int, line: QuotedLine) -> Json:
    price, total = line.unit_price_usd, line.extended_price_usd
    return {
        "line": number,
        "category": line.category,
        "part": line.part,
        "part_number": line.part_number[:120] or None,
        "description": line.description[:500],
        "length_m": _length_of(line),
        "quantity": line.quantity,
        "unit_price_usd": None if price is None else Range.at(price).as_json(),
        "extended_price_usd": None if total is None else Range.at(total).as_json(),
        "price_basis": "quote",
    }


def _length_of(line: QuotedLine) -> float | None:
    """The line's own length, else that of its item: 30 m offered for 20 m have the price of 30 m."""
    _, at, length = line.items[0].rpartition("@")
    return (line.length_m or float(length)) if at else None


def price_entries(quote: Quote, as_of: str) -> tuple[list[Json], int]:
    """(entries of a price book, lines that give none): one for each part and length that the quote prices.

    Where several lines with one part number price one part, the range is theirs, and the price in the middle is weighted by
    their quantities. Two part numbers, such as those of two airflows, are two parts: the one matched most surely is taken.

    Raises
    ------
    SpecError
        If ``as_of`` is no day.
    """
    if not is_day(as_of):
        raise SpecError(
            [Problem("as_of", "not_a_date", f"{as_of[:20]!r} is no day of the calendar. Write it as 2026-11-02.")]
        )
    report = reported(quote)
    if report is None:
        return [], 0
    priced: dict[tuple[str, float | None, str], list[QuotedLine]] = defaultdict(list)
    skipped = len(report.surplus)
    for line in report.lines:
        is_usable = line.status in ("matched", "doubled") and line.unit_price is not None and len(line.items) == 1
        if not is_usable or not line.part:
            skipped += 1
            continue
        priced[line.part, _length_of(line), line.currency].append(line)
    seen: set[tuple[str, float | None]] = set()
    entries = []
    for (part, length, currency), all_lines in priced.items():
        lines = _of_one_number(all_lines)
        skipped += len(all_lines) - len(lines)
        if (part, length) in seen:  # the same part in a second currency
            skipped += len(lines)
            continue
        seen.add((part, length))
        entries.append(_entry(quote, as_of, part, length, currency, lines))
    return entries, skipped


def _of_one_number(lines: list[QuotedLine]) -> list[QuotedLine]:
    """The lines with the part number of the surest match, the first of as sure ones."""
    surest = max(lines, key=lambda line: line.confidence)
    return [line for line in lines if line.part_number.upper() == surest.part_number.upper()]


def _entry(quote: Quote, as_of: str, part: str, length: float | None, currency: str, lines: list[QuotedLine]) -> Json:
    minors = [round((line.unit_price or 0.0) * 10 ** minor_digits(currency)) for line in lines]
    weights = [max(line.quantity, 1) for line in lines]
    typical = half_up(Fraction(sum(m * w for m, w in zip(minors, weights, strict=True)), sum(weights)))
    from_whom = f"{quote.vendor}: " if quote.vendor else ""
    rows = ", ".join(str(line.row) for line in lines[:5])
    off = next((one.message for one in lines[0].remarks if one.code == "discount"), "")
    return {
        "part": part,
        "per": "piece",
        "low": min(minors),
        "typical": typical,
        "high": max(minors),
        "currency": currency,
        "basis": "quote",
        "as_of": as_of,
        "source": f"{from_whom}{quote.file_name}"[:MAX_TEXT],
        "length_m": length,
        "note": f"Row {rows}: {(lines[0].part_number or lines[0].description)[:200]}{f'; {off}' if off else ''}"[
            :MAX_TEXT
        ],
    }


def take_into_book(quote: Quote, book: PriceBook | None, name: str = "", as_of: str = "") -> tuple[PriceBook, int, int]:
    """(book, prices taken, lines that gave none): put the quote's prices into a book, or a new one.

    Raises
    ------
    SpecError
        If there is nothing to take, or something is wrong with a price, the date or the name.
    """
    entries, skipped = price_entries(quote, as_of or timezone.localdate().isoformat())
    if not entries:
        message = "No line of the quote has a price of a part that the catalog knows. Match its lines first."
        raise SpecError([Problem("", "nothing_to_take", message)])
    reason = f"Taken from the quote “{quote.name}”, {quote.file_name}: {len(entries)} prices"
    taken = take_prices(book, quote.owner, name.strip() or quote.vendor or quote.name, entries, reason)
    return taken, len(entries), skipped
