"""Which column of a quote is what: by its header in several languages, else by what stands in it; or as its reader says."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from estimator.catalog.currency import CURRENCIES
from estimator.errors import Problem, SpecError
from estimator.quotes.words import PART_NUMBER, header_fields, plain_words
from estimator.record import Given, Json
from estimator.tables.discounts import given_percent
from estimator.tables.file import QuoteSheet, QuoteTable
from estimator.tables.numbers import COMMA, POINT, currency_of, decimal_votes, parse_money, parse_quantity
from estimator.tables.numbers import stored_number as stored
from estimator.tables.stored_values import MAX_COLUMNS, PERCENT, QuoteRow

HEADER_ROWS = 60
SAMPLE_ROWS = 400
MAX_COMPARED = 12  # columns of numbers that are tried as quantity, unit price and their product
FIELDS = {
    "part_number": "Part number",
    "other_number": "Other part number",
    "description": "Description",
    "quantity": "Quantity",
    "counted_in": "Counted in",
    "unit_price": "Unit price",
    "list_price": "List price",
    "discount": "Discount",
    "extended_price": "Extended price",
    "currency": "Currency",
    "lead_time": "Lead time",
    "option": "Option",
}
_SPEAKS_OF_MONEY = re.compile(
    r"price|currency|preis|währung|prix|devise|precio|moneda|prezz|valuta|quot|off[ef]r|angebot|amount|\bin\b", re.I
)
BY_CELLS = "most prices"
GUESSED, GIVEN, REMEMBERED = "guessed", "given", "remembered"


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of one sheet are: places from 0 by field. ``header_row`` is 0 where the sheet has none.

    ``discount`` is what somebody lets come off each price of the sheet, in per cent; it is of this file, not of its form.
    """

    sheet: str
    header_row: int
    fields: Mapping[str, int]
    header: tuple[str, ...] = ()
    decimal: str = POINT
    is_decimal_sure: bool = True
    currency: str | None = None
    currency_from: str = ""
    how: str = GUESSED
    is_used: bool = True
    discount: float | None = None

    @property
    def header_hash(self) -> str:
        """By which a sheet of the same form is known again; "" without a header."""
        words = "\x1f".join(plain_words(cell) for cell in self.header)
        return hashlib.sha256(words.encode()).hexdigest() if any(self.header) else ""

    def as_json(self) -> Json:
        """With the names of the columns, as people call them."""
        return {
            "sheet": self.sheet,
            "header_row": self.header_row,
            "fields": dict(self.fields),
            "header": list(self.header),
            "letters": {name: letter_of(place) for name, place in self.fields.items()},
            "decimal": self.decimal,
            "is_decimal_sure": self.is_decimal_sure,
            "currency": self.currency,
            "currency_from": self.currency_from,
            "how": self.how,
            "is_used": self.is_used,
            "discount": self.discount,
        }


def columns_from(values: Given) -> Columns:
    """The columns of what ``as_json`` gave."""
    kept = {key: value for key, value in values.items() if key != "letters"}
    return Columns(**{**kept, "header": tuple(values["header"])})


def letter_of(place: int) -> str:
    """0 → A, 26 → AA."""
    letters = ""
    while place >= 0:
        place, rest = divmod(place, 26)
        letters, place = chr(65 + rest) + letters, place - 1
    return letters


# ---------------------------------------------------------------- guesses


def guess_columns(table: QuoteTable, remembered: Mapping[str, Given] | None = None) -> list[Columns]:
    """The columns of every sheet that looks like a quote's; ``remembered`` holds what was said of a header before.

    A sheet without a header is taken by what stands in it only where no sheet has one.
    """
    known_forms = remembered or {}
    found = [
        guess for sheet in table.sheets if (guess := _by_known(sheet, known_forms) or _by_header(sheet)) is not None
    ]
    if not found:
        found = [guess for sheet in table.sheets if (guess := _by_content(sheet)) is not None]
    out = []
    for columns in found:
        sheet = next(one for one in table.sheets if one.title == columns.sheet)
        columns = with_numbers(columns, sheet, table.decimal)
        if columns.how == REMEMBERED:
            known = known_forms[columns.header_hash]
            columns = replace(
                columns,
                decimal=known.get("decimal") or columns.decimal,
                is_decimal_sure=True,
                currency=columns.currency or known.get("currency"),
            )
        out.append(columns)
    return out


def _by_known(sheet: QuoteSheet, known: Mapping[str, Given]) -> Columns | None:
    """A row near the top that somebody said the columns of before."""
    for row in sheet.rows[:HEADER_ROWS] if known else ():
        columns = Columns(sheet.title, row.number, {}, tuple(row.cells), how=REMEMBERED)
        said = known.get(columns.header_hash) if any(row.cells) else None
        if said is not None:
            return replace(columns, fields=dict(said["fields"]))
    return None


def _by_header(sheet: QuoteSheet) -> Columns | None:
    """Of the first rows the one that names most fields."""
    best: tuple[int, QuoteRow, dict[str, int]] | None = None
    for row in sheet.rows[:HEADER_ROWS]:
        fields = header_fields(row.cells[:MAX_COLUMNS])
        if is_enough(fields) and (best is None or len(fields) > best[0]):
            best = len(fields), row, fields
    if best is None:
        return None
    _, row, fields = best
    return Columns(sheet.title, row.number, _by_what_stands_there(sheet, row, fields), tuple(row.cells))


def is_enough(fields: Mapping[str, int]) -> bool:
    """Whether lines can be read: something that names a part, and a quantity or a price."""
    return bool({"part_number", "description", "other_number"} & set(fields)) and bool(
        {"quantity", "unit_price", "extended_price", "list_price"} & set(fields)
    )


def _by_what_stands_there(sheet: QuoteSheet, header: QuoteRow, fields: dict[str, int]) -> dict[str, int]:
    """Put right what a header leaves open: a "Product" column of part numbers, or a part number column of words."""
    rows = [row for row in sheet.rows if row.number > header.number][:SAMPLE_ROWS]
    numbered = fields.get("part_number")
    if numbered is not None and _is_numbering(rows, numbered):
        fields = {name: place for name, place in fields.items() if name != "part_number"}
    if "part_number" in fields and "description" in fields and not _has_digits(rows, fields["part_number"]):
        fields = {name: place for name, place in fields.items() if name != "part_number"}  # a column of kinds
    if "part_number" not in fields:
        free = [
            place
            for place, cell in enumerate(header.cells)
            if cell and place not in fields.values() and place != numbered
        ]
        shares = {place: _share_of_numbers(rows, place) for place in free}
        if shares and max(shares.values()) > 0.5:
            fields["part_number"] = max(shares, key=lambda place: shares[place])
    if "description" not in fields:
        return fields
    of_description = _share_of_numbers(rows, fields["description"])
    if "part_number" not in fields and of_description > 0.7:
        fields["part_number"] = fields.pop("description")
    elif "part_number" in fields and of_description > 0.5 > _share_of_numbers(rows, fields["part_number"]):
        fields["part_number"], fields["description"] = fields["description"], fields["part_number"]
    return fields


def _has_digits(rows: Iterable[QuoteRow], place: int) -> bool:
    return any(place < len(row.cells) and any(c.isdecimal() for c in row.cells[place]) for row in rows)


def _is_numbering(rows: Iterable[QuoteRow], place: int) -> bool:
    """Whether a column only counts its lines: 1, 2, 3 or 10, 20, 30."""
    texts = [row.cells[place] for row in rows if place < len(row.cells) and row.cells[place]]
    return bool(texts) and all(re.fullmatch(r"\d{1,5}(?:\.\d{1,3})*", text) for text in texts)


def _share_of_numbers(rows: Iterable[QuoteRow], place: int) -> float:
    """Share of the filled cells of a column that look like part numbers."""
    texts = [row.cells[place] for row in rows if place < len(row.cells) and row.cells[place]]
    return sum(bool(PART_NUMBER.fullmatch(text)) for text in texts) / len(texts) if texts else 0.0


def _by_content(sheet: QuoteSheet) -> Columns | None:
    """Columns of a sheet without a header: part numbers, words, whole numbers, and prices that multiply out."""
    rows = [row for row in sheet.rows if sum(map(bool, row.cells)) >= 3][:SAMPLE_ROWS]
    width = max((len(row.cells) for row in rows), default=0)
    if len(rows) < 2 or width < 3:
        return None
    fields: dict[str, int] = {}
    shares = [_share_of_numbers(rows, place) for place in range(width)]
    if max(shares) > 0.5:
        fields["part_number"] = shares.index(max(shares))
    lengths = [
        sum(len(row.cells[p]) for row in rows if p < len(row.cells) and " " in row.cells[p]) for p in range(width)
    ]
    if max(lengths) > 10 * len(rows):
        fields["description"] = lengths.index(max(lengths))
    free = [place for place in range(width) if place not in fields.values()]
    columns = {place: [number_at(row, place, POINT) for row in rows] for place in free}
    numeric = [place for place, values in columns.items() if sum(v is not None for v in values) > 0.6 * len(rows)]
    for unit in numeric[:MAX_COMPARED]:
        for quantity in numeric[:MAX_COMPARED]:
            for total in numeric[:MAX_COMPARED]:
                is_apart = len({unit, quantity, total}) == 3 and "extended_price" not in fields
                if is_apart and quantity < unit and _multiplies(columns[quantity], columns[unit], columns[total]):
                    fields |= {"quantity": quantity, "unit_price": unit, "extended_price": total}
    if "quantity" not in fields and len(numeric) >= 2:
        fields |= {"quantity": numeric[-2], "unit_price": numeric[-1]}
    if not is_enough(fields):
        return None
    amounts = [place for name, place in fields.items() if name in ("quantity", "unit_price", "extended_price")]
    first = rows[0]
    if all(place < len(first.cells) and first.cells[place] for place in amounts) and not any(
        number_at(first, place, POINT) is not None for place in amounts
    ):  # words above figures: a header in words that are not known here
        return Columns(sheet.title, first.number, fields, tuple(first.cells))
    return Columns(sheet.title, 0, fields, tuple("" for _ in range(width)))


def _multiplies(quantities: Sequence[Any], units: Sequence[Any], totals: Sequence[Any]) -> bool:
    rows = [row for row in zip(quantities, units, totals, strict=True) if None not in row]
    fitting = sum(q != 1 and abs(q * u - t) <= max(abs(t) / 1000, Decimal("0.02")) for q, u, t in rows)
    return fitting > 0.5 * len(rows) and fitting > 0


# ---------------------------------------------------------------- numbers of a sheet


def number_at(row: QuoteRow, place: int | None, decimal: str) -> Decimal | None:
    """The number in a cell, stored or written; None where there is none."""
    if place is None or place >= len(row.cells) or not row.cells[place]:
        return None
    if row.numbers >> place & 1:
        return stored(row.cells[place])
    found = parse_money(row.cells[place], decimal)
    return found[0] if found else parse_quantity(row.cells[place], decimal)


def with_numbers(columns: Columns, sheet: QuoteSheet, suggested: str) -> Columns:
    """Columns with the decimal sign that their numbers show, and the currency of the header or of what stands above it."""
    rows = [row for row in sheet.rows if row.number > columns.header_row][: 4 * SAMPLE_ROWS]
    money = [columns.fields[name] for name in ("unit_price", "extended_price", "list_price") if name in columns.fields]
    texts = [
        row.cells[p] for row in rows for p in money if p < len(row.cells) and row.cells[p] and not row.numbers >> p & 1
    ]
    points, commas = decimal_votes(texts)
    if points == commas:
        points, commas = (_lines_that_multiply(columns, rows, sign) for sign in (POINT, COMMA))
    is_sure = points != commas or not any(re.search(r"\d[.,]\d{3}(?!\d)", text) for text in texts)
    decimal = suggested if points == commas else POINT if points > commas else COMMA
    currency, where = _stated_currency(columns, sheet, money)
    return replace(columns, decimal=decimal, is_decimal_sure=is_sure, currency=currency, currency_from=where)


def _lines_that_multiply(columns: Columns, rows: Iterable[QuoteRow], decimal: str) -> int:
    places = [columns.fields.get(name) for name in ("quantity", "unit_price", "extended_price")]
    found = 0
    for row in rows:
        quantity, unit, total = (number_at(row, place, decimal) for place in places)
        if quantity is not None and unit is not None and total is not None and quantity > 1:
            found += abs(quantity * unit - total) <= max(abs(total) / 1000, Decimal("0.02"))
    return found


def _stated_currency(columns: Columns, sheet: QuoteSheet, money: Sequence[int]) -> tuple[str | None, str]:
    """By the header of a price, else by a remark near the table such as "All prices in EUR"."""
    for place in money:
        if place < len(columns.header) and (found := currency_of(columns.header[place])):
            return found, "the header"
    for row in sheet.rows[: HEADER_ROWS + columns.header_row]:
        if row.number == columns.header_row:
            continue
        words = " ".join(row.cells)
        if _SPEAKS_OF_MONEY.search(words) and (found := currency_of(re.sub(r"\d[\d.,]*", "", words))):
            return found, f"row {row.number}"
    seen = Counter(
        found for row in sheet.rows[: 4 * SAMPLE_ROWS] for place in money if (found := _currency_at(row, place))
    )
    return (seen.most_common(1)[0][0], BY_CELLS) if seen else (None, "")


def _currency_at(row: QuoteRow, place: int) -> str | None:
    """The currency of one price, by its sign or its cell's format."""
    if place >= len(row.cells) or not row.cells[place]:
        return None
    if row.numbers >> place & 1:
        found = row.formats.get(place)
        return found if found != PERCENT else None
    money = parse_money(row.cells[place])
    return money[1] if money else None


# ---------------------------------------------------------------- columns as somebody says


def given_columns(asked: Any, table: QuoteTable) -> list[Columns]:
    """Columns as a request says them, one object for each sheet or one for all that have its header.

    ``{"sheet", "header_row", "fields": {"quantity": "D" or the text of its header or a place from 0}, "decimal", "currency",
    "is_used", "discount"}``; what is left out is guessed.

    Raises
    ------
    SpecError
        With everything that is wrong.
    """
    objects = asked if isinstance(asked, list) else [asked]
    if not objects or len(objects) > len(table.sheets) or not all(isinstance(one, dict) for one in objects):
        message = f"Give one object of columns for each sheet, or one for all; the file has {len(table.sheets)}."
        raise SpecError([Problem("columns", "wrong_type", message)])
    guesses = {columns.sheet: columns for columns in guess_columns(table)}
    out: dict[str, Columns] = {}
    for one in objects:
        unknown = set(one) - {"sheet", "header_row", "fields", "decimal", "currency", "is_used", "discount"}
        if unknown:
            known = "sheet, header_row, fields, decimal, currency, is_used and discount"
            message = f"Columns have {known}, not {', '.join(sorted(unknown))}."
            raise SpecError([Problem("columns", "unknown_key", message)])
        for sheet in _sheets_meant(one, table, guesses):
            out[sheet.title] = _given(one, sheet, table, guesses.get(sheet.title))
    rest = [columns for title, columns in guesses.items() if title not in out] if "sheet" in objects[0] else []
    return [*out.values(), *rest]


def _sheets_meant(one: Given, table: QuoteTable, guesses: Mapping[str, Columns]) -> list[QuoteSheet]:
    title = one.get("sheet")
    if title is not None:
        sheets = [sheet for sheet in table.sheets if sheet.title == title]
        if not sheets:
            known = ", ".join(repr(sheet.title) for sheet in table.sheets[:10])
            raise SpecError(
                [Problem("columns.sheet", "not_a_choice", f"Sheets are {known}, and {title!r} was requested.")]
            )
        return sheets
    first = next((sheet for sheet in table.sheets if sheet.title in guesses), table.sheets[0])
    if first.title not in guesses:
        return [first]
    form = guesses[first.title].header_hash
    return [sheet for sheet in table.sheets if sheet.title in guesses and guesses[sheet.title].header_hash == form]


def _given(one: Given, sheet: QuoteSheet, table: QuoteTable, guess: Columns | None) -> Columns:
    header_row = one.get("header_row", guess.header_row if guess else 0)
    last = sheet.rows[-1].number if sheet.rows else 0
    if not isinstance(header_row, int) or isinstance(header_row, bool) or not 0 <= header_row <= last:
        message = f"Must be from 0 (no header) to {last}, the last row, and {header_row!r} was requested."
        raise SpecError([Problem("columns.header_row", "out_of_range", message)])
    header = next((tuple(row.cells) for row in sheet.rows if row.number == header_row), ()) if header_row else ()
    fields = one.get("fields")
    if fields is None:
        is_guessed = guess is not None and header_row == guess.header_row
        places = dict(guess.fields) if guess and is_guessed else header_fields(header)
    else:
        places = _places(fields, header, max((len(row.cells) for row in sheet.rows), default=0))
    is_used = one.get("is_used", True)
    if is_used is not False and not is_enough(places):
        message = "Say at least which column is the part number or description, and which the quantity or a price."
        raise SpecError([Problem("columns.fields", "too_few_columns", message)])
    columns = Columns(sheet.title, header_row, places, header, how=GIVEN, is_used=is_used is not False)
    columns = with_numbers(columns, sheet, table.decimal)
    decimal, currency = one.get("decimal"), one.get("currency")
    if decimal not in (None, "", POINT, COMMA):
        raise SpecError(
            [Problem("columns.decimal", "not_a_choice", f"Decimal signs are . and , and {decimal!r} was requested.")]
        )
    if currency not in (None, "", *CURRENCIES):
        known = ", ".join(CURRENCIES)
        raise SpecError(
            [Problem("columns.currency", "not_a_choice", f"Currencies are {known}; {currency!r} was requested.")]
        )
    if decimal:
        columns = replace(columns, decimal=decimal, is_decimal_sure=True)
    if (percent := given_percent(one.get("discount"), "columns.discount")) is not None:
        columns = replace(columns, discount=float(percent))
    return replace(columns, currency=currency, currency_from="what was said") if currency else columns


def _places(fields: Any, header: Sequence[str], width: int) -> dict[str, int]:
    """Fields by their column's letter, header or place from 0."""
    if not isinstance(fields, dict) or set(fields) - set(FIELDS):
        message = f"Give an object with some of {', '.join(FIELDS)}."
        raise SpecError([Problem("columns.fields", "unknown_key", message)])
    by_text = {plain_words(cell): place for place, cell in reversed(list(enumerate(header))) if plain_words(cell)}
    by_letter = {letter_of(place): place for place in range(width)}
    places: dict[str, int] = {}
    for name, asked in fields.items():
        if asked is None or asked == "":
            continue
        place = asked if isinstance(asked, int) and not isinstance(asked, bool) else None
        if isinstance(asked, str):
            place = by_text.get(plain_words(asked), by_letter.get(asked.strip().upper()))
        if place is None or not 0 <= place < width:
            message = f"There is no column {str(asked)[:40]!r}; columns run from A to {letter_of(max(width - 1, 0))}."
            raise SpecError([Problem(f"columns.fields.{name}", "no_such_column", message)])
        places[name] = place
    return places
