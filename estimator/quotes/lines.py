"""Rows of a quote and what its columns are → the lines that offer something, and every other row with why it is left out."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from estimator.errors import Problem, SpecError
from estimator.quotes.columns import BY_CELLS, Columns, number_at
from estimator.quotes.result import LeftOutRow, ListDiscount
from estimator.quotes.words import CHARGE, OPTION, OPTION_TAG, TOTAL, YES, plain_words
from estimator.tables.discounts import StatedDiscount, discount_in, is_share, names_discount, percent_text
from estimator.tables.file import QuoteSheet, QuoteTable
from estimator.tables.numbers import (
    COMMA,
    POINT,
    currency_of,
    minor_digits,
    parse_money,
    parse_quantity,
    stored_number,
    to_minor,
)
from estimator.tables.stored_values import MAX_COLUMNS, PERCENT, QuoteRow
from estimator.units import counted

MAX_LINES = 20_000
MAX_QUANTITY = 100_000_000
MAX_SHOWN = 240
MAX_WORDS = 500
MAX_LABEL = 120  # of a total, a charge or a heading
DEFAULT_CURRENCY = "USD"
_CENT = Decimal("0.01")
_PER_MANY = re.compile(r"(?:\b(?:per|je|pro|par|pe)|/) ?(10{1,3})(?!\d)", re.I)
WHY = {
    "blank": "blank row",
    "above_header": "above the header",
    "header": "the header",
    "header_again": "the header once more",
    "no_columns": "the sheet has no header of a quote",
    "sheet_not_used": "the sheet is not to be read",
    "total": "a total or subtotal",
    "charge": "freight, tax, a discount or another charge, not a part",
    "comment": "words without a quantity or a price",
    "no_part": "amounts without a part number or a description",
    "no_quantity": "a price without a quantity or a part number",
    "quantity_unreadable": "the quantity is no number",
    "quantity_not_whole": "the quantity is no whole number",
    "quantity_too_large": f"the quantity is over {MAX_QUANTITY:,}",
    "negative_quantity": "a negative quantity",
    "formula_without_value": "the quantity is a formula without a stored value; open the file in a spreadsheet and save it",
}
LABELLED = ("total", "charge")  # rows whose words may name the currency of their amount
WITH_WORDS = ("above_header", "comment", "charge", "no_columns", "sheet_not_used")  # where a discount may be stated
PRICES = ("unit_price", "extended_price", "list_price")
CHARGES = ("charge", "negative_quantity")  # amounts of these count in the total that a vendor asks for


@dataclass(slots=True)
class QuoteLine:
    """One line that offers something. Amounts are in the smallest coins of ``currency``; None where the row has no price."""

    id: str
    sheet: str
    row: int
    part_number: str
    other_number: str
    description: str
    quantity: int
    currency: str
    counted_in: str = ""
    """What its column of units says: EA, m, pair, PK10."""
    unit_minor: int | None = None
    extended_minor: int | None = None
    gross_minor: int | None = None
    """The extended price before a discount of all prices that was taken off."""
    discount: float | None = None
    lead_time: str = ""
    is_option: bool = False
    section: str = ""
    pack: int = 1
    """Pieces that are sold together: of packs and pairs more than one."""
    remarks: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """How the line is called in a sentence."""
        return self.part_number or self.description or f"row {self.row}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that offers nothing, and why. ``amount_minor`` is what a charge adds or takes off."""

    sheet: str
    row: int
    code: str
    text: str
    amount_minor: int | None = None
    currency: str = DEFAULT_CURRENCY

    def reported(self) -> LeftOutRow:
        """With the reason in words."""
        row = LeftOutRow(sheet=self.sheet, row=self.row, code=self.code, why=WHY[self.code], text=self.text)
        if self.amount_minor is None:
            return row
        return row.but(amount=major(self.amount_minor, self.currency), currency=self.currency)


@dataclass(slots=True)
class QuoteReading:
    """Every row of a file: as a line, or left out."""

    lines: list[QuoteLine] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    discounts: list[ListDiscount] = field(default_factory=list)


def major(minor: int, currency: str) -> float:
    """Smallest coins as a plain number of the currency."""
    return minor / 10 ** minor_digits(currency)


def printed(minor: int, currency: str) -> str:
    """ "1,234.50 EUR"."""
    return f"{major(minor, currency):,.{minor_digits(currency)}f} {currency}"


def read_lines(table: QuoteTable, columns: Sequence[Columns]) -> QuoteReading:
    """The lines of all sheets.

    Raises
    ------
    SpecError
        If there is no line, or there are more than MAX_LINES.
    """
    reading = QuoteReading(notes=list(table.notes))
    by_sheet = {one.sheet: one for one in columns}
    for index, sheet in enumerate(table.sheets):
        known = by_sheet.get(sheet.title)
        if known is None or not known.is_used:
            code = "no_columns" if known is None else "sheet_not_used"
            reading.left_out += [_left_out(sheet, row, code if any(row.cells) else "blank") for row in sheet.rows]
            stated, taken = [one for row in sheet.rows if (one := discount_in(row))], _taken(columns)
        else:
            stated, taken = _SheetReader(reading, sheet, index, known).read(), _taken([known])
        reading.discounts += [_listed(sheet, one, taken) for one in stated]
    if not reading.lines:
        message = (
            "No row has a part and a quantity or a price. Say which column is which, and in which row the header is."
        )
        raise SpecError([Problem("columns", "no_lines", message)])
    return reading


def _taken(columns: Sequence[Columns]) -> set[float]:
    """Discounts that somebody lets come off the sheets that are read."""
    return {one.discount for one in columns if one.is_used and one.discount}


def _listed(sheet: QuoteSheet, stated: StatedDiscount, taken: set[float]) -> ListDiscount:
    percent = float(stated.percent) if stated.percent else None
    return ListDiscount(sheet=sheet.title, row=stated.row, text=stated.text, percent=percent, is_taken=percent in taken)


def _left_out(
    sheet: QuoteSheet, row: QuoteRow, code: str, amount: Decimal | None = None, currency: str = DEFAULT_CURRENCY
) -> LeftOut:
    text = " | ".join(cell for cell in row.cells if cell)
    text = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
    minor = None if amount is None or abs(amount) > 10**14 else to_minor(amount, currency)
    return LeftOut(sheet.title, row.number, code, text, minor, currency)


class _SheetReader:
    """Reads one sheet from top to bottom, knowing under which heading it is and what the lines so far sum to."""

    def __init__(self, reading: QuoteReading, sheet: QuoteSheet, index: int, columns: Columns) -> None:
        self._reading, self._sheet, self._index, self._columns = reading, sheet, index, columns
        self._header = [cell.lower() for cell in columns.header]
        self._section, self._is_option_section = "", False
        self._since_total: Counter[str] = Counter()
        self._of_sheet: Counter[str] = Counter()
        self._gross_since_total: Counter[str] = Counter()
        self._gross_of_sheet: Counter[str] = Counter()
        self._charges_since_total: Counter[str] = Counter()
        self._charges_of_sheet: Counter[str] = Counter()
        self._guessed_currency = 0
        named = self._currencies_of_column()
        self._currency_above = next(iter(named)) if len(named) == 1 else None  # that of the nearest line that names one
        self._has_currencies = bool(named)
        self._discounts: list[StatedDiscount] = []
        self._numbers_of, self._numbers = -1, dict[str, Decimal | None]()  # of one row, as they are requested

    def _currencies_of_column(self) -> set[str]:
        """What the cells of the column of currencies name, below the header."""
        place = self._columns.fields.get("currency", MAX_COLUMNS)
        below = (row for row in self._sheet.rows if row.number > self._columns.header_row)
        return {found for row in below if place < len(row.cells) and (found := currency_of(row.cells[place]))}

    def read(self) -> list[StatedDiscount]:
        """Put every row of the sheet into the reading; the discounts that rows state without an amount."""
        for row in self._sheet.rows:
            made = self._row(row)
            if isinstance(made, QuoteLine):
                self._reading.lines.append(made)
                if len(self._reading.lines) > MAX_LINES:
                    message = f"The quote has more than {MAX_LINES:,} lines, and so many are read. Split it by section."
                    raise SpecError([Problem("file", "too_many_lines", message)])
                self._count(made)
            else:
                self._reading.left_out.append(made)
                is_stated = made.code in WITH_WORDS and made.amount_minor is None
                if is_stated and (stated := discount_in(row)):
                    self._discounts.append(stated)
        self._remark()
        return self._discounts

    def _remark(self) -> None:
        notes, where = self._reading.notes, f" in {self._sheet.title}" if self._sheet.title else ""
        if self._guessed_currency:
            n = self._guessed_currency
            some = f"{counted(n, 'price')} {'names' if n == 1 else 'name'} no currency"
            said = some if self._has_currencies else "No currency is named"
            notes.append(f"{said}{where}; US dollars are taken. Set it under columns if it is another one.")
        if not self._columns.is_decimal_sure:
            sign = "point" if self._columns.decimal == POINT else "comma"
            notes.append(
                f"Numbers such as 1,234 may be read in two ways{where}; a decimal {sign} was taken. Set it under columns if "
                "it is the other."
            )

    # ------------------------------------------------------------ what a row is

    def _row(self, row: QuoteRow) -> QuoteLine | LeftOut:
        if not any(row.cells) and not row.formulas:
            return self._out(row, "blank")
        if row.number <= self._columns.header_row:
            return self._out(row, "header" if row.number == self._columns.header_row else "above_header")
        if self._header and [cell.lower() for cell in row.cells] == self._header:
            return self._out(row, "header_again")
        part, words = self._text(row, "part_number"), self._text(row, "description")
        is_named = any(c.isdecimal() for c in part)
        if not is_named and self._is_total(row):
            return self._total(row)
        amount = next(
            (n for n in (self._number(row, f) for f in ("extended_price", "unit_price")) if n is not None), None
        )
        reported = words or part
        if not is_named and len(reported) <= MAX_LABEL and CHARGE.fullmatch(reported):
            if amount is not None:
                return self._out(row, "charge", -abs(amount) if names_discount(reported) else amount)
            if any(is_share(row, place) for place in range(len(row.cells))):  # 10 % of what is not said
                return self._out(row, "charge")
        if not (part or words or self._text(row, "other_number")):
            return self._nameless(row, amount)
        quantity = self._quantity(row)
        if isinstance(quantity, str):
            return self._without_quantity(row, quantity, amount, is_named)
        if amount is not None and amount < 0:
            return self._out(row, "charge", amount)
        return self._line(row, quantity, [])

    def _out(self, row: QuoteRow, code: str, amount: Decimal | None = None) -> LeftOut:
        currency = self._labelled_currency(row) if code in LABELLED else None
        currency = currency or self._currency(row, ("extended_price", "unit_price"))[0]
        out = _left_out(self._sheet, row, code, amount, currency)
        if code in CHARGES and out.amount_minor is not None:
            for sums in (self._charges_since_total, self._charges_of_sheet):
                sums[out.currency] += out.amount_minor
        return out

    def _is_total(self, row: QuoteRow) -> bool:
        words = [cell for place, cell in enumerate(row.cells) if cell and not row.numbers >> place & 1]
        is_bare = self._number(row, "quantity") is None or self._number(row, "unit_price") is None
        return is_bare and any(len(cell) <= MAX_LABEL and TOTAL.fullmatch(cell.strip(" :*=")) for cell in words[:3])

    def _nameless(self, row: QuoteRow, amount: Decimal | None) -> LeftOut:
        has_numbers = bool(row.numbers) or self._number(row, "quantity") is not None or amount is not None
        return self._out(row, "no_part" if has_numbers else "comment", amount)

    def _quantity(self, row: QuoteRow) -> int | str:
        """The quantity, or the code of why there is none; "" for an empty cell."""
        place = self._columns.fields.get("quantity")
        text = self._text(row, "quantity")
        if place is None or (not text and place not in row.formulas):
            return ""
        if row.formulas.get(place, "").startswith("?"):
            return "formula_without_value"
        number = self._count_at(row, place, text)
        if number is None:
            return "quantity_unreadable"
        if number != number.to_integral_value():
            return "quantity_not_whole"
        if number < 0:
            return "negative_quantity"
        return int(number) if number <= MAX_QUANTITY else "quantity_too_large"

    def _count_at(self, row: QuoteRow, place: int, text: str) -> Decimal | None:
        """A count; where its sign could be of thousands, it is: 1.024 pieces are 1,024."""
        if row.numbers >> place & 1:
            return stored_number(text)
        number = parse_quantity(text, self._columns.decimal)
        if number is not None and number != number.to_integral_value():
            other = parse_quantity(text, COMMA if self._columns.decimal == POINT else POINT)
            number = other if other is not None and other == other.to_integral_value() else number
        return number

    def _without_quantity(
        self, row: QuoteRow, code: str, amount: Decimal | None, is_named: bool
    ) -> QuoteLine | LeftOut:
        if code in ("quantity_not_whole", "quantity_too_large", "formula_without_value"):
            return self._out(row, code)
        if code == "negative_quantity":
            extended = self._number(row, "extended_price")
            return self._out(row, code, -abs(extended) if extended is not None else None)
        if amount is None:
            return self._heading(row) if not code else self._out(row, "comment")
        if code:
            return self._out(row, code)
        if amount < 0:
            return self._out(row, "charge", amount)
        if not is_named:
            return self._out(row, "no_quantity")
        unit, extended = self._number(row, "unit_price"), self._number(row, "extended_price")
        if unit and extended and extended % unit == 0 and 0 < extended // unit <= MAX_QUANTITY:
            quantity = int(extended // unit)
            words = f"The row has no quantity; its prices give {quantity:,}."
        else:
            quantity, words = 1, "The row has no quantity; 1 was taken."
        return self._line(row, quantity, [("quantity_assumed", words)])

    def _heading(self, row: QuoteRow) -> LeftOut:
        """Words alone: the heading of what follows, or a remark. Options run to the next heading or total."""
        words = " ".join(cell for cell in row.cells if cell)
        if len(words) <= MAX_LABEL and not discount_in(row):
            self._section = words[:100]
            self._is_option_section = bool(OPTION.search(words))
        return self._out(row, "comment")

    # ------------------------------------------------------------ a line

    def _line(self, row: QuoteRow, quantity: int, remarks: list[tuple[str, str]]) -> QuoteLine:
        words = self._text(row, "description")
        currency, is_known = self._currency(row, ("unit_price", "extended_price", "list_price"))
        marked = plain_words(said) if (said := self._text(row, "option")) else ""
        line = QuoteLine(
            id=f"{self._index}:{row.number}",
            sheet=self._sheet.title,
            row=row.number,
            part_number=self._text(row, "part_number"),
            other_number=self._text(row, "other_number"),
            description=words,
            quantity=quantity,
            currency=currency,
            counted_in=self._text(row, "counted_in")[:40],
            lead_time=self._text(row, "lead_time")[:100],
            section=self._section,
            remarks=remarks,
            is_option=self._is_option_section or quantity == 0 or bool(OPTION_TAG.search(words)) or marked in YES,
        )
        if not is_known:
            remarks.append(("unknown_currency", f"The currency {self._text(row, 'currency')[:20]!r} is not known."))
        if quantity == 0:
            remarks.append(("zero_quantity", "The quantity is 0: an offer without an order, taken as an option."))
        self._add_prices(line, row)
        self._add_formulas(line, row)
        return line

    def _add_prices(self, line: QuoteLine, row: QuoteRow) -> None:
        unit, extended = self._number(row, "unit_price"), self._number(row, "extended_price")
        listed, discount = self._number(row, "list_price"), self._discount(row)
        line.discount = float(discount) if discount is not None else None
        pieces = self._pieces_of_price(row)
        if extended is not None and unit is not None and _is_product(line.quantity, unit, extended):
            pieces = 1
        bases = [base / pieces for base in (unit, listed) if base is not None]
        candidates = [*bases, *(base * (1 - discount) for base in bases if discount)]
        net = candidates[0] if candidates else None
        candidates += self._less_amounts(row, bases, line.quantity)
        if discount and (
            unit is None or extended is None
        ):  # nothing to compare it with: the discount is still to come off
            net = (
                bases[0] * (1 - discount)
                if bases and (unit is None or "list_price" not in self._columns.fields)
                else net
            )
        if extended is not None and line.quantity:
            fitting = [one for one in candidates if _is_product(line.quantity, one, extended)]
            if fitting:
                net = fitting[0]
            elif candidates and net is not None:
                product, said = (to_minor(_bounded(n), line.currency) for n in (net * line.quantity, extended))
                text = f"{line.quantity:,} × the unit price is {printed(product, line.currency)}, and the row says "
                line.remarks.append(("price_mismatch", f"{text}{printed(said, line.currency)}."))
            else:
                net = extended / line.quantity
        elif net is not None:
            extended = net * line.quantity
        if net is None or extended is None:
            text = next((t for f in ("unit_price", "extended_price") if (t := self._text(row, f))), "")
            why = f"The price {text[:40]!r} is no number." if text else "The row has no price."
            line.remarks.append(("no_price", why))
            return
        if self._columns.discount and not discount:
            percent = Decimal(str(self._columns.discount))
            gross = printed(to_minor(_bounded(net), line.currency), line.currency)
            line.remarks.append(("discount", f"{percent_text(percent)} discount is taken off {gross} apiece."))
            line.gross_minor = to_minor(_bounded(extended), line.currency)
            net, extended = (amount * (1 - percent / 100) for amount in (net, extended))
        line.unit_minor = to_minor(_bounded(net), line.currency)
        line.extended_minor = to_minor(_bounded(extended), line.currency)

    def _pieces_of_price(self, row: QuoteRow) -> int:
        """Pieces that a unit price is of: 100 where its header or the column of units says "per 100", else 1."""
        place = self._columns.fields.get("unit_price", MAX_COLUMNS)
        header = self._columns.header[place] if place < len(self._columns.header) else ""
        found = _PER_MANY.search(f"{header} | {self._text(row, 'counted_in')}")
        return int(found[1]) if found else 1

    def _less_amounts(self, row: QuoteRow, bases: Sequence[Decimal], quantity: int) -> list[Decimal]:
        """Prices less a discount that is an amount, of a piece or of all: an extended price may confirm one of them."""
        off = self._number(row, "discount")
        if off is None or self._discount(row) is not None:
            return []
        return [base - abs(off) for base in bases] + [base - abs(off) / quantity for base in bases if quantity]

    def _add_formulas(self, line: QuoteLine, row: QuoteRow) -> None:
        for name, place in self._columns.fields.items():
            formula = row.formulas.get(place)
            if formula is None:
                continue
            what = name.replace("_", " ")
            if formula.startswith("="):
                line.remarks.append(("formula", f"The {what} is a formula; its stored value was read."))
            else:
                line.remarks.append(
                    ("formula", f"The {what} is a formula without a stored value; it was not computed.")
                )

    def _discount(self, row: QuoteRow) -> Decimal | None:
        """As a fraction; None without one, or where it is an amount."""
        place = self._columns.fields.get("discount")
        number = self._number(row, "discount")
        if number is None or place is None:
            return None
        number = abs(number)
        is_percent = "%" in row.cells[place] or (number >= 1 and row.formats.get(place) != PERCENT)
        fraction = number / 100 if is_percent else number
        return fraction if 0 <= fraction <= 1 else None

    # ------------------------------------------------------------ cells

    def _text(self, row: QuoteRow, name: str) -> str:
        place = self._columns.fields.get(name)
        return row.cells[place][:MAX_WORDS] if place is not None and place < len(row.cells) else ""

    def _number(self, row: QuoteRow, name: str) -> Decimal | None:
        if self._numbers_of != row.number:
            self._numbers_of, self._numbers = row.number, {}
        if name not in self._numbers:
            place = self._columns.fields.get(name)
            is_empty = place is not None and row.formulas.get(place, "").startswith("?")
            is_empty |= place is not None and name in PRICES and is_share(row, place)  # 10 % is no amount
            self._numbers[name] = None if is_empty else number_at(row, place, self._columns.decimal)
        return self._numbers[name]

    def _currency(self, row: QuoteRow, names: Iterable[str]) -> tuple[str, bool]:
        """The row's currency and whether it is known.

        Its own column, a sign in the price, the header, the cell's format, else what the column says of a line above.
        """
        if stated := self._text(row, "currency"):
            found = currency_of(stated)
            self._currency_above = found or self._currency_above
            return found or DEFAULT_CURRENCY, found is not None
        places = [self._columns.fields[name] for name in names if name in self._columns.fields]
        for place in places:
            text = row.cells[place] if place < len(row.cells) and not row.numbers >> place & 1 else ""
            money = parse_money(text, self._columns.decimal) if text else None
            if money and money[1]:
                return money[1], True
        if self._columns.currency and self._columns.currency_from != BY_CELLS:
            return self._columns.currency, True
        for place in places:
            if (found := row.formats.get(place)) and found != PERCENT:
                return found, True
        if self._columns.currency:
            return self._columns.currency, True
        if self._currency_above:
            return self._currency_above, True
        self._guessed_currency += any(place < len(row.cells) and row.cells[place] for place in places)
        return DEFAULT_CURRENCY, True

    def _labelled_currency(self, row: QuoteRow) -> str | None:
        """What the label of a total or a charge names, "Total EUR", where its cell of currencies is empty."""
        if self._text(row, "currency"):
            return None
        words = (cell.strip(" :*=") for place, cell in enumerate(row.cells) if cell and not row.numbers >> place & 1)
        labels = (cell for cell in words if len(cell) <= MAX_LABEL and parse_money(cell, self._columns.decimal) is None)
        return next((found for label in labels if (found := currency_of(label))), None)

    # ------------------------------------------------------------ totals

    def _count(self, line: QuoteLine) -> None:
        if line.extended_minor is not None and not line.is_option:
            for sums in (self._since_total, self._of_sheet):
                sums[line.currency] += line.extended_minor
            for sums in (self._gross_since_total, self._gross_of_sheet):
                sums[line.currency] += line.extended_minor if line.gross_minor is None else line.gross_minor

    def _total(self, row: QuoteRow) -> LeftOut:
        """A total row; one that is neither the sum of its section nor of the sheet, charges or not, is remarked on."""
        amount = self._number(row, "extended_price")
        out = self._out(row, "total", amount)
        of_lines, since = self._of_sheet[out.currency], self._since_total[out.currency]
        whole = of_lines + self._charges_of_sheet[out.currency]
        sums = [since, since + self._charges_since_total[out.currency], of_lines, whole]
        sums += [self._gross_since_total[out.currency], self._gross_of_sheet[out.currency]]  # before the discount
        minor = out.amount_minor
        words = " ".join(row.cells).lower()
        is_sum = not any(word in words for word in ("vat", "tax", "mwst", "freight", "shipping", "incl", "inkl"))
        if minor is not None and is_sum and of_lines and not any(_is_about(minor, s) for s in sums):
            self._reading.notes.append(
                f"Row {row.number} gives a total of {printed(minor, out.currency)}, "
                + (self._with_a_discount(minor, sums, out.currency) or self._of(out.currency, of_lines, whole))
            )
        self._since_total, self._gross_since_total, self._charges_since_total = Counter(), Counter(), Counter()
        self._section, self._is_option_section = "", False
        return out

    def _with_a_discount(self, minor: int, sums: Sequence[int], currency: str) -> str:
        """That a total is what the lines come to once a discount that a row states is taken off; "" where it is not."""
        for stated in self._discounts:
            left = 1 - (stated.percent or Decimal(0)) / 100
            if found := next((s for s in sums if stated.percent and _is_about(minor, round(s * left))), None):
                less = f"less the {percent_text(stated.percent)} discount of row {stated.row}"
                return f"which is {printed(found, currency)} {less}."
        return ""

    def _of(self, currency: str, of_lines: int, whole: int) -> str:
        """What the lines above a total in a currency come to, and ``whole`` with charges, where that is something else."""
        named = sorted({*self._of_sheet, *self._charges_of_sheet})
        if named != [currency]:
            return f"over lines in {' and '.join(named)}: without the rates that it was made with it is not checked."
        charged = f", {printed(whole, currency)} with charges" if whole != of_lines else ""
        return f"and the lines above it sum to {printed(of_lines, currency)}{charged}."


def _is_about(amount: int, of_sum: int) -> bool:
    """Whether a total is a sum, but for rounding."""
    return abs(amount - of_sum) <= max(2, abs(of_sum) // 10**5)


def _is_product(quantity: int, unit: Decimal, extended: Decimal) -> bool:
    """Whether quantity × unit is the extended price, with the rounding of either to cents."""
    return abs(quantity * unit - extended) <= quantity * _CENT / 2 + _CENT


def _bounded(amount: Decimal) -> Decimal:
    """Amounts are below 10^14: what is beyond is no price."""
    return min(max(amount, Decimal(-(10**14))), Decimal(10**14))
