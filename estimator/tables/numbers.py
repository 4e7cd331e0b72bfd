"""Numbers and currencies as vendors write them: 1,234.50 and 1.234,50 €, 12'000.– CHF, (1,200.00), 48 pcs, 15 %."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from estimator.catalog.currency import CURRENCIES, MINOR_DIGITS
from estimator.digits import is_whole_number

POINT, COMMA = ".", ","
MAX_DIGITS = 15
MAX_TEXT = 60
SPACES = "\u0020\u00a0\u2007\u2009\u202f"
APOSTROPHES = "'\u2019\u00b4`"
_SYMBOLS = {
    "us$": "USD", "c$": "CAD", "ca$": "CAD", "a$": "AUD", "au$": "AUD", "nz$": "NZD", "s$": "SGD", "hk$": "HKD", "nt$": "TWD",
    "r$": "BRL", "mx$": "MXN", "cn¥": "CNY", "jp¥": "JPY", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "￥": "JPY",
    "₩": "KRW", "₹": "INR", "₪": "ILS", "₺": "TRY", "zł": "PLN", "kč": "CZK", "円": "JPY", "元": "CNY", "rmb": "CNY",
    "sfr": "CHF", "euro": "EUR", "euros": "EUR", "dollars": "USD", "us dollars": "USD", "pounds": "GBP", "yen": "JPY",
}  # fmt: skip
_CODE = re.compile(rf"(?<![A-Za-z])({'|'.join(CURRENCIES)})(?![A-Za-z])", re.I)
_SYMBOL = re.compile(
    "|".join(
        rf"(?<![A-Za-z]){re.escape(symbol)}(?![A-Za-z])" if symbol[0].isalpha() else re.escape(symbol)
        for symbol in sorted(_SYMBOLS, key=len, reverse=True)
    ),
    re.I,
)
_FREE = re.compile(
    r"\s*(?:incl(?:uded|\.)?|inclusive|inkl(?:usive|\.)?|inclus|free(?: of charge)?|no charge|n/c|foc)\s*", re.I
)
_QUANTITY = re.compile(
    r"(?:x\s*)?(?P<number>[-\u2212]?[\d.,'’\s]+?)\s*(?:x|×|pcs?\.?|pces?\.?|pieces?|ea\.?|each|units?|stk\.?|stück|st\.?|pz\.?|"
    r"nos?\.?|sets?|uds?\.?|off|台|个|件)?",
    re.I,
)
_PLAIN_BODY = {sep: re.compile(rf"\d*{re.escape(sep)}\d+|\d+") for sep in (POINT, COMMA)}
_THOUSANDS = r"\d{{1,3}}(?:(?P<g>[{signs}])\d{{3}})(?:(?P=g)\d{{3}})*(?:{decimal}\d*)?"
_INDIAN = r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d*)?"  # 1,23,456.00
_GROUPED = {
    POINT: re.compile(_THOUSANDS.format(signs=f",{APOSTROPHES}{SPACES}", decimal=r"\.") + "|" + _INDIAN),
    COMMA: re.compile(_THOUSANDS.format(signs=f".{APOSTROPHES}{SPACES}", decimal=",")),
}
_ROUND_END = re.compile(r"[.,]\s*[-\u2010-\u2015]+\s*$")  # 12'000.– and 99,-


def currency_of(text: str) -> str | None:
    """The currency that a text names by code, sign or word; None where it names none."""
    if code := _CODE.search(text):
        return code[1].upper()
    symbol = _SYMBOL.search(text)
    return _SYMBOLS[symbol[0].lower()] if symbol else None


def minor_digits(currency: str) -> int:
    """Digits of a currency's smallest coin: 2 for most, 0 for yen."""
    return MINOR_DIGITS[currency]


def to_minor(amount: Decimal, currency: str) -> int:
    """An amount in the smallest coins of its currency, halves up."""
    return int((amount.scaleb(minor_digits(currency))).to_integral_value(ROUND_HALF_UP))


def parse_number(text: str, decimal: str = POINT) -> Decimal | None:
    """The number of a text with ``decimal`` before its fraction; one that can only be of the other kind is read so.

    Thousands may be parted by the other sign, a space or an apostrophe. Minus is a sign before or after, or brackets
    around; a percent sign is dropped. None for what is no number, or has more than MAX_DIGITS digits.
    """
    if len(text) > MAX_TEXT:
        return None
    body = text.strip(SPACES + "\t\r\n%")
    is_negative = False
    if body.startswith("(") and body.endswith(")"):
        is_negative, body = True, body[1:-1].strip(SPACES)
    body = _ROUND_END.sub("", body)
    if body[:1] in ("-", "\u2212", "\u2013", "+"):
        is_negative, body = is_negative or body[0] != "+", body[1:].strip(SPACES)
    elif body[-1:] in ("-", "\u2212") and len(body) > 1:
        is_negative, body = True, body[:-1].strip(SPACES)
    if not body.isascii() and not all(c.isascii() or c in SPACES + APOSTROPHES for c in body):
        return None
    for separator in (decimal, COMMA if decimal == POINT else POINT):
        if _PLAIN_BODY[separator].fullmatch(body) or _GROUPED[separator].fullmatch(body):
            digits = "".join("." if c == separator else c for c in body if c.isdecimal() or c == separator)
            if sum(map(str.isdecimal, digits)) > MAX_DIGITS:
                return None
            number = Decimal(digits)
            return -number if is_negative else number
    return None


def stored_number(text: str) -> Decimal | None:
    """The number of a cell that a spreadsheet stores as one: 1234.5, 1.2E+05; binary noise is cut at 12 digits."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if is_whole_number(text, 12):
        return number
    if not number.is_finite() or abs(number.adjusted()) > MAX_DIGITS:
        return Decimal(0) if number.is_finite() and number.adjusted() < -MAX_DIGITS else None
    return number.normalize() if len(number.as_tuple().digits) <= 12 else Decimal(f"{number:.12g}")


def parse_money(text: str, decimal: str = POINT) -> tuple[Decimal, str | None] | None:
    """(amount, currency or None) of a price as text; "included" is 0. None for what is no price."""
    if len(text) > MAX_TEXT:
        return None
    if _FREE.fullmatch(text):
        return Decimal(0), None
    currency = currency_of(text)
    body = _SYMBOL.sub(" ", _CODE.sub(" ", text)) if currency else text
    body = re.sub(r"(?:per|/|je|par)\s*(?:pc|piece|unit|ea|each|stk|stück|st)\.?\s*$", "", body.strip(), flags=re.I)
    body = re.sub(r"^([-+(\u2212]?)\s*[.:]?\s+", r"\1", body) if currency else body
    number = parse_number(body.strip(), decimal)
    return None if number is None else (number, currency)


def parse_quantity(text: str, decimal: str = POINT) -> Decimal | None:
    """A count, with or without the name of its unit behind it: "48", "1,024 pcs", "x12"."""
    found = _QUANTITY.fullmatch(text.strip()) if len(text) <= MAX_TEXT else None
    return parse_number(found["number"], decimal) if found else None


def decimal_votes(texts: Iterable[str]) -> tuple[int, int]:
    """(votes for the point, votes for the comma) of numbers as text; 1,234 alone votes for neither."""
    votes = {POINT: 0, COMMA: 0}
    for text in texts:
        body = re.sub(r"[^\d.,]", "", _ROUND_END.sub("", text)).strip(".,")
        points, commas = body.count(POINT), body.count(COMMA)
        if points and commas:
            votes[POINT if body.rindex(POINT) > body.rindex(COMMA) else COMMA] += 2
        elif points > 1 or commas > 1:
            votes[COMMA if points > 1 else POINT] += 2
        elif points or commas:
            sign = POINT if points else COMMA
            whole, _, fraction = body.partition(sign)
            if len(fraction) != 3 or len(whole) > 3 or whole.startswith("0"):
                votes[sign] += 1
    return votes[POINT], votes[COMMA]
