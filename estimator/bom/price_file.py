"""Prices of a file, CSV or XLSX, as entries of a book: a tolerant header, and for every row that is refused the reason."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import CURRENCIES, MINOR_DIGITS, USD, amount_text, half_up
from estimator.digits import is_whole_number
from estimator.errors import Problem, UnreadableFile
from estimator.record import Json
from estimator.spec.checking import near_words, validated
from estimator.spec.price_book import LARGEST_MINOR, MAX_TEXT, OwnPrice, OwnRate, price_problems
from estimator.tables.discounts import StatedDiscount, discount_in, is_share, percent_text
from estimator.tables.file import QuoteSheet, read_table
from estimator.tables.numbers import currency_of, decimal_votes, parse_number, parse_quantity, stored_number
from estimator.tables.stored_values import PERCENT, QuoteRow
from estimator.units import counted

MAX_FILE_BYTES = 2_400_000  # a request may have 2.5 MB
MAX_ROWS = 20_000
HEADER_ROWS = 30
COLUMNS = (
    "part",
    "per",
    "low",
    "typical",
    "high",
    "currency",
    "basis",
    "as_of",
    "source",
    "region",
    "min_quantity",
    "length_m",
    "valid_from",
    "valid_to",
    "note",
)
AMOUNTS = ("low", "typical", "high")
PART_NAME = "part_name"
"""Written behind COLUMNS for those who read a file; the part is known by its id alone."""
RATE_COLUMNS = ("currency", "usd", "as_of", "source")
_HEADERS: Mapping[str, tuple[str, ...]] = {
    "part": ("part", "part id", "id", "part number", "part no", "p n", "pn", "sku", "mpn", "article", "article number",
             "item", "item number", "product", "model", "artikelnummer", "artikel nr", "artikel no", "artikel", "teilenummer",
             "bestellnummer", "materialnummer", "code article", "ref article", "reference article", "reference produit"),
    "per": ("per", "unit", "uom", "unit of measure", "einheit", "mengeneinheit", "unite"),
    "low": ("low", "low price", "price low", "min price", "minimum price", "lowest"),
    "typical": ("typical", "typical price", "price", "unit price", "net price", "net unit price", "list price",
                "price each", "unit cost", "cost", "amount", "preis", "einzelpreis", "stuckpreis", "listenpreis", "nettopreis",
                "prix", "prix unitaire", "prix unitaire ht", "prix ht", "prix public", "prix net"),
    "high": ("high", "high price", "price high", "max price", "maximum price", "highest"),
    "currency": ("currency", "ccy", "curr", "cur", "wahrung", "waehrung", "devise", "monnaie"),
    "basis": ("basis", "kind", "type", "price type", "kind of price"),
    "as_of": ("as of", "date", "price date", "quote date", "offer date", "dated", "datum", "preisstand"),
    "source": ("source", "offer", "quote", "quote number", "offer number", "reference", "vendor", "supplier", "from"),
    "region": ("region", "country", "area", "land", "pays"),
    "min_quantity": ("min quantity", "minimum quantity", "from quantity", "min qty", "moq", "quantity", "qty", "break",
                     "ab menge", "mindestmenge", "menge", "quantite", "quantite minimum", "a partir de"),
    "length_m": ("length m", "length", "cable length", "lange", "lange m", "longueur", "longueur m"),
    "valid_from": ("valid from", "from date", "starts", "gultig ab", "gultig von", "valable du"),
    "valid_to": ("valid to", "valid until", "valid till", "until", "expires", "expiry", "ends", "gultig bis",
                 "valable jusqu au"),
    "note": ("note", "notes", "remark", "remarks", "comment", "comments", "bemerkung", "remarque"),
    "discount": ("discount", "discount percent", "discount rate", "disc", "rebate", "rabatt", "nachlass", "remise"),
    "usd": ("usd", "us dollars", "us dollars for one", "rate", "exchange rate"),
}  # fmt: skip
_NET = {
    "net price",
    "net unit price",
    "nettopreis",
    "prix net",
}  # taken before another price of the row, and no discount comes off it
_CURRENCY_BEHIND = re.compile(rf" (?:(?:in|en) )?(?:{'|'.join(CURRENCIES).lower()})(?: ht)?$")
_SPEAKS_OF_MONEY = re.compile(r"price|preis|currency|währung|prix|tarif|devise|amount|betr[aä]g|\bin\b", re.I)
_FROM_QUANTITY = re.compile(
    r"(?:(?:from|ab|à partir de|min\.?|≥|>=)\s*)?(\d[\d.,'’ ]*?)\s*(?:\+|(?:-|–|to|bis|à)\s*\d[\d.,'’ ]*)?", re.I
)
_MEANING = {words: name for name, several in _HEADERS.items() for words in several}
_PER = {
    "piece": "piece",
    "pc": "piece",
    "pcs": "piece",
    "pce": "piece",
    "each": "piece",
    "ea": "piece",
    "unit": "piece",
    "stk": "piece",
    "stuck": "piece",
    "unite": "piece",
    "metre": "metre",
    "meter": "metre",
    "m": "metre",
    "metres": "metre",
    "meters": "metre",
    "lfm": "metre",
    "laufmeter": "metre",
}
_BASIS = {
    "quote": "quote",
    "quotation": "quote",
    "offer": "quote",
    "list": "list",
    "list price": "list",
    "msrp": "list",
    "listing": "listing",
    "street": "listing",
    "dealer": "listing",
    "web": "listing",
    "analyst": "analyst",
    "analysts estimate": "analyst",
    "estimate": "analyst",
    "assumption": "assumption",
    "assumed": "assumption",
}
_DATE_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%Y%m%d")
_LENGTHS = re.compile(r"(\S*?)(\d+)([^\d.]*)\.\.[^\d.]*(\d+)[^\d.]*")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_FIRST_SERIAL, _LAST_SERIAL = 32_874, 73_050  # days of 1990 to 2099 as spreadsheets count them
_DAY_ZERO = date(1899, 12, 30)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that gave no price; ``row`` as a spreadsheet numbers it."""

    row: int
    part: str
    column: str
    message: str

    def as_json(self) -> Json:
        """With the keys of an answer."""
        return {"row": self.row, "part": self.part, "column": self.column, "message": self.message}


@dataclass(slots=True)
class PriceSheet:
    """What a file of prices says: entries with their rows, rates, rows refused, headers that were not understood.

    ``discounts`` are stated for all of its prices and not taken off; ``discounted_rows`` are of prices that are net already.
    """

    entries: list[tuple[int, OwnPrice]] = field(default_factory=list)
    discounts: list[StatedDiscount] = field(default_factory=list)
    discounted_rows: set[int] = field(default_factory=set)
    rates: list[OwnRate] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for a row where the file does not say it."""

    as_of: str
    basis: str = "quote"
    currency: str = USD
    source: str = ""


class _Wrong(Exception):
    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column, self.message = column, message


def read_price_sheet(data: bytes, name: str, catalog: Catalog, defaults: Defaults) -> PriceSheet:
    """The prices of a file, and its exchange rates where a sheet has some.

    Raises
    ------
    UnreadableFile
        If the file is too large, of another format or broken, has too many rows, or no row that names part and price.
    """
    if len(data) > MAX_FILE_BYTES:
        message = f"The file has {len(data):,} bytes, and {MAX_FILE_BYTES:,} are read. Save the sheet of prices alone."
        raise UnreadableFile("file_too_large", message)
    table = read_table(data, name)
    if table.n_rows > MAX_ROWS:
        message = f"The file has {table.n_rows:,} rows, and {MAX_ROWS:,} are read. Delete those that are no prices."
        raise UnreadableFile("too_many_rows", message)
    sheet, n_found = PriceSheet(notes=list(table.notes)), 0
    parts = part_names(catalog)
    for one in table.sheets:
        n_found += _read_sheet(sheet, one, table.decimal, parts, defaults)
    if not n_found:
        message = (
            f"None of the first {HEADER_ROWS} rows names a part and a price. Give the sheet a header row such as "
            f"{', '.join(COLUMNS[:8])}; the template has all of them."
        )
        raise UnreadableFile("no_header", message)
    return sheet


def entry_of(texts: Mapping[str, str], catalog: Catalog, defaults: Defaults) -> tuple[OwnPrice | None, list[Problem]]:
    """An entry of what was typed into the fields COLUMNS, or what is wrong with each of them."""
    row = QuoteRow(1, [texts.get(name, "") for name in COLUMNS])
    for_point, for_comma = decimal_votes(texts.get(name, "") for name in AMOUNTS)
    decimal = ".,"[for_comma > for_point]
    reader = _Reader(
        {name: place for place, name in enumerate(COLUMNS)}, COLUMNS, decimal, part_names(catalog), defaults
    )
    return reader.entry(row)


def part_names(catalog: Catalog) -> dict[str, str]:
    """Ids by what a file may call a part, in small letters: its id or one of its part numbers."""
    names: dict[str, str] = {}
    for part_id in catalog.part_ids():
        found = catalog.part(part_id)
        for number in getattr(found[1], "part_numbers", ()) if found else ():
            names.setdefault(number.lower(), part_id)
    return names | {part_id: part_id for part_id in catalog.part_ids()} | catalog.aliases


def _read_sheet(
    sheet: PriceSheet, source: QuoteSheet, decimal: str, parts: Mapping[str, str], defaults: Defaults
) -> bool:
    header = next(((n, found) for n, row in enumerate(source.rows[:HEADER_ROWS]) if (found := _header(row))), None)
    if header is None:
        return False
    at, places = header
    body = source.rows[at + 1 :]
    if "part" not in places:
        _read_rates(sheet, body, places, decimal)
        return False
    used = places.values()
    others = [cell for place, cell in enumerate(source.rows[at].cells) if cell and place not in used]
    sheet.ignored += [cell for cell in others if _plain(cell) != _plain(PART_NAME)]
    amounts = [places[name] for name in AMOUNTS if name in places]
    votes = decimal_votes(
        row.cells[place] for row in body for place in amounts if place < len(row.cells) and not row.numbers >> place & 1
    )
    decimal = decimal if votes[0] == votes[1] else ".,"[votes[1] > votes[0]]
    stated_in = _currency_stated(source.rows[:at])
    reader = _Reader(places, source.rows[at].cells, decimal, parts, defaults, stated_in[1] if stated_in else None)
    reader.take_the_only_currency(body)
    if stated_in:
        sheet.notes.append(f"Row {stated_in[0]} names {stated_in[1]}: it is taken where a row or a header names none.")
    if reader.has_discount:
        sheet.notes.append(
            f"The discounts of the column “{source.rows[at].cells[places['discount']]}” are taken off its prices."
        )
    stated = _discounts_beside(source, at, places)
    for row in body:
        if any(cell and place in places.values() for place, cell in enumerate(row.cells)):
            entry, problems = reader.entry(row)
            if entry is not None:
                sheet.entries.append((row.number, entry))
                sheet.discounted_rows |= {row.number} if reader.is_net(row) else set()
            elif row.number not in stated or reader.has_amount(row):
                name, first = reader.text(row, "part")[:100], problems[0]
                sheet.refused.append(RefusedRow(row.number, name, first.field, first.message))
    if reader.n_inherited:
        n, has = reader.n_inherited, "has" if reader.n_inherited == 1 else "have"
        sheet.notes.append(f"{counted(n, 'row')} {has} no currency beside others that do: the one above is taken.")
    priced = {row.number for row in body if reader.has_amount(row)}
    sheet.discounts += [one for one in stated.values() if one.row not in priced]
    sheet.notes += [
        f"{not_taken_off(one)} Where it holds for each of them, add a column “Discount”."
        for one in stated.values()
        if one.row in priced
    ]
    return True


def _currency_stated(rows: Sequence[QuoteRow]) -> tuple[int, str] | None:
    """(row, currency) of words above the header such as "All prices in CHF"."""
    for row in rows:
        words = " ".join(cell for place, cell in enumerate(row.cells) if not row.numbers >> place & 1)
        if _SPEAKS_OF_MONEY.search(words) and (found := currency_of(re.sub(r"\d[\d.,]*", "", words))):
            return row.number, found
    return None


def _discounts_beside(source: QuoteSheet, at: int, places: Mapping[str, int]) -> dict[int, StatedDiscount]:
    """What is written of a discount outside the columns that are read, by its row."""
    used = set(places.values()) - {places["part"]}
    found = (discount_in(row, used if n >= at else ()) for n, row in enumerate(source.rows))
    return {one.row: one for one in found if one}


def not_taken_off(stated: StatedDiscount) -> str:
    """That a discount stands beside the prices, which are read as they are."""
    return (
        f"Row {stated.row} says “{stated.text}”, which is not taken off: prices are read as they stand in their column."
    )


def less_discount(price: OwnPrice, percent: Decimal, words: str = "") -> OwnPrice:
    """A price with a discount taken off its three amounts, rounded half up once, and the discount in its note."""
    left = 1 - Fraction(percent) / 100
    amounts = {name: half_up(minor * left) for name, minor in price.minor.as_json().items()}
    was = f"{amount_text(price.typical, price.currency)} less {words or f'{percent_text(percent)} discount of the whole list'}"
    return price.model_copy(update=amounts | {"note": _with_note(price.note, was)})


def _with_note(note: str, words: str) -> str:
    """Words behind a note, which is cut where both are longer than a note may be."""
    room = MAX_TEXT - len(words) - 2
    return f"{note if len(note) <= room else note[: room - 1] + '…'}; {words}" if note else words


def _header(row: QuoteRow) -> dict[str, int] | None:
    """Places of the columns, if this row names a part and a price, or a currency and its dollars."""
    places: dict[str, int] = {}
    for place, cell in enumerate(row.cells):
        words = _meant(cell)
        if (name := _MEANING.get(words)) and (name not in places or words in _NET):
            places[name] = place
    is_prices = "part" in places and ("typical" in places or {"low", "high"} <= set(places))
    return places if is_prices or ({"currency", "usd"} <= set(places) and "part" not in places) else None


def _meant(cell: str) -> str:
    """A header as it is known, without the currency that stands behind it: "Price in EUR" → "price"."""
    words = _plain(cell)
    return words if words in _MEANING else _CURRENCY_BEHIND.sub("", words)


def _plain(cell: str) -> str:
    """Words in small letters without accents and with single spaces, without what stands in brackets."""
    letters = unicodedata.normalize("NFKD", re.sub(r"\(.*?\)", "", cell.lower()))
    return " ".join(re.sub(r"[^a-z0-9]+", " ", "".join(c for c in letters if not unicodedata.combining(c))).split())


class _Reader:
    """Rows of one sheet → entries of a book."""

    def __init__(
        self,
        places: Mapping[str, int],
        header: Sequence[str],
        decimal: str,
        parts: Mapping[str, str],
        defaults: Defaults,
        currency_above: str | None = None,
    ) -> None:
        self._places, self._decimal, self._parts, self._defaults = places, decimal, parts, defaults
        self._lengths = [(part, span) for number, part in parts.items() if (span := _LENGTHS.fullmatch(number))]
        self._is_net = _meant(header[places["typical"]]) in _NET if "typical" in places else False
        self._is_percent = "%" in header[places["discount"]] if "discount" in places else False
        of_header = (currency_of(header[places[name]]) for name in ("typical", "low", "high") if name in places)
        self._header_currency = next(filter(None, of_header), None) or currency_above
        self._currency_above = self._header_currency
        self.n_inherited = 0

    @property
    def has_discount(self) -> bool:
        """Whether a column has discounts that come off the prices."""
        return "discount" in self._places and not self._is_net

    def is_net(self, row: QuoteRow) -> bool:
        """Whether the price of a row is net: of a column that says so, or with a discount of its own."""
        return self._is_net or bool(self._discount(row))

    def take_the_only_currency(self, rows: Iterable[QuoteRow]) -> None:
        """Where the column of currencies names one alone, a first row without one has that, too."""
        named = {found for row in rows if (found := currency_of(self.text(row, "currency")))}
        if len(named) == 1:
            self._currency_above = self._currency_above or named.pop()

    def has_amount(self, row: QuoteRow) -> bool:
        """Whether a price stands in the row, other than a share such as −30 %."""
        places = [self._places[name] for name in AMOUNTS if name in self._places]
        return any(place < len(row.cells) and row.cells[place] and not is_share(row, place) for place in places)

    def text(self, row: QuoteRow, name: str) -> str:
        """A cell; an apostrophe that guards a text against being run as a formula is taken off."""
        place = self._places.get(name)
        cell = row.cells[place] if place is not None and place < len(row.cells) else ""
        return cell[1:].strip() if cell[:1] == "'" and cell[1:2] in "=+-@" else cell.strip()

    def entry(self, row: QuoteRow) -> tuple[OwnPrice | None, list[Problem]]:
        """One price, or what is wrong with each of its cells; fields are names of COLUMNS."""
        problems: list[Problem] = []

        def take(read: Callable[[], Any], instead: Any = None) -> Any:
            try:
                return read()
            except _Wrong as wrong:
                problems.append(Problem(wrong.column, "price_row_refused", wrong.message))
                return instead

        currency = take(lambda: self._currency(row), self._defaults.currency)
        part, named_m = take(lambda: self._part(row), (None, None))
        per = take(lambda: self._word(row, "per", _PER, "piece"), "piece")
        values = {
            "part": part,
            "currency": currency,
            "per": per,
            "low": take(lambda: self._minor(row, "low", currency)),
            "typical": take(lambda: self._minor(row, "typical", currency)),
            "high": take(lambda: self._minor(row, "high", currency)),
            "basis": take(lambda: self._word(row, "basis", _BASIS, self._defaults.basis), "quote"),
            "as_of": take(lambda: self._date(row, "as_of")) or self._defaults.as_of,
            "source": self.text(row, "source") or self._defaults.source,
            "region": self.text(row, "region") or None,
            "min_quantity": take(lambda: self._quantity(row), 1),
            "length_m": take(lambda: self._length(row)) or (named_m if per == "piece" else None),
            "valid_from": take(lambda: self._date(row, "valid_from")),
            "valid_to": take(lambda: self._date(row, "valid_to")),
            "note": self.text(row, "note"),
        }
        discount = take(lambda: self._discount(row))
        is_refused = {problem.field for problem in problems}
        if values["typical"] is None and "typical" not in is_refused:
            problems.append(Problem("typical", "price_row_refused", "The row has no typical price."))
        if problems:
            return None, problems
        values |= {name: values["typical"] for name in ("low", "high") if values[name] is None}
        if discount:
            values |= {name: half_up(values[name] * (1 - discount)) for name in AMOUNTS}
            values["note"] = _with_note(values["note"], f"less {percent_text(discount * 100)} discount")
        price, problems = validated(OwnPrice, values, "a price")
        problems += price_problems(price, "") if price and not problems else []
        if problems or price is None:
            return None, [one.named(one.field.removeprefix(".")) for one in problems]
        return price, []

    def _part(self, row: QuoteRow) -> tuple[str, float | None]:
        """(id, metres that the part number stands for where it is one of a range of lengths)."""
        name = self.text(row, "part")
        if not name:
            raise _Wrong("part", "The row names no part.")
        if found := self._parts.get(name.lower()):
            return found, None
        if of_length := _of_a_range(name.lower(), self._lengths):
            return of_length
        near = near_words(name.lower(), self._parts)
        message = f"The catalog has no part '{name[:80]}', by id or part number. Near it: {near}."
        raise _Wrong("part", message)

    def _currency(self, row: QuoteRow) -> str:
        text = self.text(row, "currency")
        if text:
            found = text.upper() if text.upper() in CURRENCIES else currency_of(text)
            if found is None:
                near = near_words(text.upper()[:20], CURRENCIES)
                raise _Wrong("currency", f"'{text[:20]}' is no currency known here. Near it: {near}.")
            self._currency_above = found
            return found
        for name in ("typical", "low", "high"):
            place = self._places.get(name, -1)
            stated = row.formats.get(place, "")
            if found := (stated if stated in CURRENCIES else None) or currency_of(self.text(row, name)):
                return found
        if "currency" in self._places and self._currency_above and not self._header_currency:
            self.n_inherited += 1
            return self._currency_above
        return self._header_currency or self._defaults.currency

    def _minor(self, row: QuoteRow, name: str, currency: str) -> int | None:
        text, place = self.text(row, name), self._places.get(name, -1)
        if place >= 0 and row.formulas.get(place, "").startswith("?"):
            raise _Wrong(name, "The cell is a formula without a stored value. Put the figure itself there.")
        if not text:
            return None
        amount = stored_number(text) if row.numbers >> place & 1 else _money(text, self._decimal)
        if amount is None or amount < 0:
            raise _Wrong(name, f"'{text[:40]}' is no price of 0 or more.")
        minor = amount.scaleb(MINOR_DIGITS[currency])
        if minor > LARGEST_MINOR:
            raise _Wrong(name, f"'{text[:40]}' is above the largest price, {LARGEST_MINOR:,} of the smallest coin.")
        if minor != minor.to_integral_value():
            digits = MINOR_DIGITS[currency]
            raise _Wrong(name, f"'{text[:40]}' has more decimals than {currency}, which has {digits}. Round it.")
        return int(minor)

    def _discount(self, row: QuoteRow) -> Fraction:
        """The share that comes off the row's prices; none off a net price."""
        text, place = self.text(row, "discount"), self._places.get("discount", -1)
        if not text or self._is_net:
            return Fraction(0)
        number = (
            stored_number(text) if row.numbers >> place & 1 else parse_number(text.replace("%", " "), self._decimal)
        )
        if number is not None:
            is_share = row.formats.get(place) == PERCENT or (number < 1 and not self._is_percent and "%" not in text)
            share = abs(Fraction(number)) / (1 if is_share else 100)  # −10 % in such a column is 10 % off
            if share < 1:
                return share
        raise _Wrong("discount", f"'{text[:40]}' is no discount of 0 to less than 100 %.")

    def _word(self, row: QuoteRow, name: str, known: Mapping[str, str], default: str) -> str:
        text = self.text(row, name)
        plain = re.sub(r"^(?:per|pro|je|par) ", "", re.sub(r"\d+ ?", "", _plain(re.sub(r"['’]", "", text))))
        if text and plain not in known:
            raise _Wrong(name, f"'{text[:40]}' is not one of {', '.join(dict.fromkeys(known.values()))}.")
        return known[plain] if text else default

    def _quantity(self, row: QuoteRow) -> int:
        text = self.text(row, "min_quantity")
        if not text:
            return 1
        found = _FROM_QUANTITY.fullmatch(text)  # "10+", "10-99" and "ab 10" are from 10
        number = parse_quantity(found[1] if found else text, self._decimal)
        if number is None or number < 1 or number != number.to_integral_value():
            raise _Wrong("min_quantity", f"'{text[:40]}' is no whole number of pieces of 1 or more.")
        return int(number)

    def _length(self, row: QuoteRow) -> float | None:
        text = self.text(row, "length_m").lower().removesuffix("metres").removesuffix("m").strip()
        if not text:
            return None
        number = parse_number(text, self._decimal)
        if number is None or number <= 0:
            raise _Wrong("length_m", f"'{text[:40]}' is no length in metres.")
        return float(number)

    def _date(self, row: QuoteRow, name: str) -> str | None:
        text = self.text(row, name)
        return _day_of(text, name) if text else None


def _of_a_range(name: str, lengths: Iterable[tuple[str, re.Match[str]]]) -> tuple[str, float] | None:
    """The cable whose part numbers go from one length to another, "mfp7e10-n003..n050", and the metres of this one."""
    for part_id, found in lengths:
        start, first, end, last = found.groups()
        metres = name.removeprefix(start).removesuffix(end)
        is_length = name == f"{start}{metres}{end}" and is_whole_number(metres, len(last))
        if is_length and int(first) <= int(metres) <= int(last):
            return part_id, float(metres)
    return None


def _money(text: str, decimal: str) -> Decimal | None:
    """An amount with or without its currency before or behind it."""
    bare = re.sub(r"[A-Za-z$€£¥￥₩₹₪₺ł円元]+", " ", text)
    return parse_number(bare, decimal)


def _day_of(text: str, name: str) -> str:
    """A day as spreadsheets and people write it, as 2026-11-02."""
    number = stored_number(text)
    if number is not None and _FIRST_SERIAL <= number <= _LAST_SERIAL:
        return (_DAY_ZERO + timedelta(days=int(number))).isoformat()
    body = (
        text.partition("T")[0].strip() if re.match(r"\d{4}-\d\d-\d\dT", text) else text.partition(" 00:00")[0].strip()
    )
    for form in _DATE_FORMS:
        try:
            return datetime.strptime(body, form).date().isoformat()
        except ValueError:
            continue
    if slashed := _SLASHED.fullmatch(body):
        one, other, year = int(slashed[1]), int(slashed[2]), int(slashed[3])
        if one != other and max(one, other) <= 12:
            raise _Wrong(name, f"'{text[:30]}' may be two days. Write it as {year}-{other:02}-{one:02}.")
        day, month = (one, other) if other <= 12 else (other, one)
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            pass
    raise _Wrong(name, f"'{text[:30]}' is no day of the calendar. Write it as 2026-11-02.")


def _read_rates(sheet: PriceSheet, rows: Sequence[QuoteRow], places: Mapping[str, int], decimal: str) -> None:
    for row in rows:
        texts = {name: row.cells[place].strip() if place < len(row.cells) else "" for name, place in places.items()}
        if not any(texts.values()):
            continue
        try:
            sheet.rates.append(_rate(texts, decimal))
        except _Wrong as wrong:
            sheet.refused.append(RefusedRow(row.number, texts["currency"][:100], wrong.column, wrong.message))


def _rate(texts: Mapping[str, str], decimal: str) -> OwnRate:
    usd = stored_number(texts["usd"]) or parse_number(texts["usd"], decimal)
    if usd is None:
        raise _Wrong("usd", f"'{texts['usd'][:40]}' is no number of US dollars.")
    if not texts.get("as_of"):
        raise _Wrong("as_of", "The rate has no date. Write it as 2026-11-02.")
    values = {
        "currency": texts["currency"].upper(),
        "usd": float(usd),
        "as_of": _day_of(texts["as_of"], "as_of"),
        "source": texts.get("source", ""),
    }
    rate, problems = validated(OwnRate, values, "an exchange rate")
    if rate is None or problems:
        raise _Wrong(problems[0].field, problems[0].message)
    if rate.currency not in CURRENCIES:
        near = near_words(rate.currency, CURRENCIES)
        raise _Wrong("currency", f"'{rate.currency[:20]}' is no currency known here. Near it: {near}.")
    return rate
