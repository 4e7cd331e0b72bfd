"""Raw number → the text an architect reads, with its unit. Views pass raw numbers; only these functions print them.

Amounts, bandwidths of collectives and lengths are printed as whoever reads a page or a PDF has chosen. Elsewhere nothing is
chosen: what programs read (JSON, CSV, workbooks) has US dollars, GB/s and metres by contract.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from estimator.bom.result import BomLine, TypedPrice
from estimator.catalog.currency import MINOR_DIGITS, USD, Rate
from estimator.ranges import Range
from estimator.units import BITS_PER_BYTE, M_PER_FOOT

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
WORD_JOINER = "\N{WORD JOINER}"
MISSING = "\N{EN DASH}"
DECIMAL_STEPS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
BINARY_STEPS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
TIME_STEPS_US = ((1e6, "s"), (1e3, "ms"), (1, "µs"))
SIGNIFICANT_DIGITS = 3
UNIT_PRICE_DIGITS = (2, 3, 4)  # of a price of one piece, beside whole amounts
SIGNS = {USD: "$", "EUR": "€", "GBP": "£"}  # others are written by their code


@dataclass(frozen=True)
class Chosen:
    """What a page prints amounts, bandwidths and lengths in."""

    rate: Rate | None = None
    """Of the currency; None for US dollars."""
    in_bits: bool = False
    in_feet: bool = False

    @property
    def currency(self) -> str:
        """Code of ISO 4217."""
        return self.rate.currency if self.rate else USD

    @property
    def sign(self) -> str:
        """What stands before an amount."""
        return SIGNS.get(self.currency, f"{self.currency}\N{NO-BREAK SPACE}")

    @property
    def per_usd(self) -> float:
        """Units of the currency for one US dollar."""
        return 1 / self.rate.usd if self.rate else 1.0


USUAL = Chosen()
_ask: ContextVar[Callable[[], Chosen]] = ContextVar("chosen", default=lambda: USUAL)


def chosen() -> Chosen:
    """What is chosen now."""
    return _ask.get()()


def factor_of(unit: str) -> float:
    """What a value in USD, GB/s or m is multiplied by to be in the unit that the reader has chosen."""
    now = chosen()
    if unit == USD:
        return now.per_usd
    if unit == "GB/s" and now.in_bits:
        return float(BITS_PER_BYTE)
    return 1 / M_PER_FOOT if unit == "m" and now.in_feet else 1.0


@contextmanager
def reading(ask: Callable[[], Chosen]) -> Iterator[None]:
    """What ``ask`` says is chosen meanwhile; it is asked when a number is printed, not before."""
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


@contextmanager
def in_usual_units() -> Iterator[None]:
    """Nothing is chosen meanwhile: for files, and for texts that are kept for everybody."""
    with reading(lambda: USUAL):
        yield


def significant(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """``value`` with at least ``digits`` significant digits, whole digits never rounded away: 1.24, 12.4, 124, 1,240.

    Zeros at the end go: for what is exact (30 m, 400 Gb/s). What was rounded keeps them, see ``rounded``.
    """
    text = rounded(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """As ``significant``, but zeros at the end stay, so that they tell how exact a computed figure is: 48.0, 1.80."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    magnitude += round(abs(value) / 10.0**magnitude, digits - 1) >= 10  # 9.996 prints as 10.0, not as 10.00
    text = f"{abs(value):,.{max(0, digits - 1 - magnitude)}f}"
    return MINUS + text if value < 0 else text


def scaled(value: float, unit: str) -> str:
    """``value`` in the largest decimal step it reaches, then the unit: ``scaled(2.4e6, "W")`` → "2.40 MW"."""
    for step, prefix in DECIMAL_STEPS:
        if abs(value) >= step * 0.9995:
            return f"{rounded(value / step)}{NO_BREAK_SPACE}{prefix}{unit}"
    return f"{significant(value)}{NO_BREAK_SPACE}{unit}"


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


def count(value: Any) -> str:
    """1016 → "1,016", 521.8 → "522"."""
    if _is_missing(value):
        return MISSING
    return f"{round(value):,}".replace("-", MINUS)


def parameters(value: Any) -> str:
    """Parameters of a model: 70553706496 → "70.6B"."""
    if _is_missing(value):
        return MISSING
    for step, letter in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if value >= step * 0.9995:
            return f"{rounded(value / step)}{letter}"
    return count(value)


def gbit_s(value: Any) -> str:
    """Gb/s → "400 Gb/s", "406.4 Tb/s"."""
    if _is_missing(value):
        return MISSING
    for step, unit in ((10**6, "Pb/s"), (10**3, "Tb/s")):
        if abs(value) >= step:
            return f"{significant(value / step, 4)}{NO_BREAK_SPACE}{unit}"
    return f"{significant(value, 4)}{NO_BREAK_SPACE}Gb/s"


def gb_s(value: Any) -> str:
    """GB/s (10^9 bytes a second) → "368 GB/s", "0.00124 GB/s" as "1.24 MB/s"; "2,944 Gb/s" for who reads in bits."""
    if _is_missing(value):
        return MISSING
    shown, unit = (value * BITS_PER_BYTE, "b/s") if chosen().in_bits else (value, "B/s")
    return scaled(shown * 1e9, unit) if 0 < abs(shown) < 1 else f"{rounded(shown)}{NO_BREAK_SPACE}G{unit}"


def gb_s_span(low: float, high: float) -> str:
    """Both ends of a band as ``gb_s`` writes them, their unit once where it is one: "313 to 426 GB/s"."""
    first, last = gb_s(low), gb_s(high)
    number, _, unit = first.partition(NO_BREAK_SPACE)
    return f"{number} to {last}" if unit and last.endswith(f"{NO_BREAK_SPACE}{unit}") else f"{first} to {last}"


def predicted(value: Any, unit: str) -> str:
    """A predicted figure beside what a tool prints in ``unit``: "365 GB/s", "2,920 Gb/s" for who reads in bits."""
    if _is_missing(value):
        return MISSING
    return f"{computed(value * factor_of(unit))}{NO_BREAK_SPACE}{_shown_unit(unit)}"


def printed(value: Any, unit: str) -> str:
    """The same as the tool prints it; nothing where that is the unit of the reader."""
    return "" if _is_missing(value) or factor_of(unit) == 1 else f"{computed(value)}{NO_BREAK_SPACE}{unit}"


def _shown_unit(unit: str) -> str:
    return "Gb/s" if unit == "GB/s" and chosen().in_bits else unit


def metres(value: Any) -> str:
    """A length → "30 m"; "98.4 ft" for who reads in feet."""
    if _is_missing(value):
        return MISSING
    in_feet = chosen().in_feet
    return f"{significant(value / M_PER_FOOT if in_feet else value)}{NO_BREAK_SPACE}{'ft' if in_feet else 'm'}"


def watts(value: Any) -> str:
    """W → "940 W", "57.6 kW", "2.40 MW"."""
    return MISSING if _is_missing(value) else scaled(value, "W")


def usd(value: Any) -> str:
    """US dollars to three digits, as ranges of ten per cent and more allow → "$920", "$12,400", "$1.20 M".

    This and the printers below write the currency that whoever reads the page has chosen: "€1.06 M".
    """
    if _is_missing(value):
        return MISSING
    sign, size = _signed_size(value)
    for step, unit in ((10**9, "bn"), (10**6, "M")):
        if size >= step * 0.9995:
            return f"{sign}{rounded(size / step)}{NO_BREAK_SPACE}{unit}"
    if 0 < size < 100:
        return f"{sign}{size:,.2f}"
    tens = 10 ** max(0, math.floor(math.log10(size)) - 2) if size else 1
    return f"{sign}{round(size / tens) * tens:,}"


def _signed_size(usd_amount: float) -> tuple[str, float]:
    """What stands before an amount, and its size in the chosen currency."""
    now = chosen()
    return f"{MINUS if usd_amount < 0 else ''}{now.sign}", abs(usd_amount) * now.per_usd


def usd_rounded(value: Any) -> str:
    """A small computed amount to three digits, zeros kept → "$2.31", "$0.840"."""
    if _is_missing(value):
        return MISSING
    sign, size = _signed_size(value)
    return f"{sign}{rounded(size)}"


def usd_small(value: Any) -> str:
    """As ``usd``, with three digits below a dollar too → "$2.33", "$0.0124"."""
    if _is_missing(value) or not 0 < abs(value) * chosen().per_usd < 1:
        return usd(value)
    sign, size = _signed_size(value)
    return f"{sign}{rounded(size)}"


def usd_small_range(value: Any) -> str:
    """``{"low", "high"}`` in dollars, three digits below a dollar too → "$0.0110 to $0.0140"."""
    return _range(value, usd_small)


def error(value: Any) -> str:
    """ln of a ratio, as errors of the model are stated → "0.021", "−0.350"."""
    return MISSING if _is_missing(value) else f"{value:.3f}".replace("-", MINUS)


def off_by(value: Any) -> str:
    """|ln(predicted ÷ measured)| as a share, and as a factor beyond twice: "2.4 %", "× 3.1"."""
    if _is_missing(value):
        return MISSING
    factor = math.exp(abs(value))
    return f"×{NO_BREAK_SPACE}{significant(factor, 2)}" if factor > 2 else percent(factor - 1, 2)


def _signed(text: str) -> str:
    return text if text.startswith(MINUS) else f"+{text}"


def change(value: Any) -> str:
    """A difference of counts → "+12", "−24"; "no change" for 0."""
    return "no change" if value == 0 else _signed(count(value)) if not _is_missing(value) else MISSING


def change_usd(value: Any) -> str:
    """A difference in dollars → "+$1.20 M", "−$12,400", "−$0.0312"; "no change" for 0."""
    return "no change" if value == 0 else _signed(usd_small(value)) if not _is_missing(value) else MISSING


def change_number(value: Any) -> str:
    """A difference of computed numbers → "+3.20", "−0.510"; "no change" for 0."""
    return "no change" if value == 0 else _signed(rounded(value)) if not _is_missing(value) else MISSING


def change_gb_s(value: Any) -> str:
    """A difference in bandwidth → "+3.20 GB/s", "−4.13 Gb/s" for who reads in bits."""
    if _is_missing(value):
        return MISSING
    in_bits = chosen().in_bits
    return (
        f"{change_number(value * BITS_PER_BYTE if in_bits else value)}{NO_BREAK_SPACE}{'Gb/s' if in_bits else 'GB/s'}"
    )


def change_share(value: Any) -> str:
    """A ratio of two figures → "+36.5 %", "−3.0 %"; "no change" where three digits show none."""
    if _is_missing(value):
        return MISSING
    return "no change" if abs(value - 1) < 0.0005 else _signed(percent(value - 1, 2))


def usd_exact(value: Any) -> str:
    """US dollars to the dollar, for tables that must add up → "$1,240,000"; cents where there are some below $100."""
    if _is_missing(value):
        return MISSING
    sign, size = _signed_size(value)
    return f"{sign}{size:,.2f}" if size < 100 and size != int(size) else f"{sign}{_whole(size):,}"


def _whole(size: float) -> int:
    """To the nearest whole, half up, as spreadsheets print an amount and people round it: 200,344.50 → 200,345."""
    return math.floor(round(size, 6) + 0.5)


def usd_cents(value: float) -> str:
    """US dollars with all decimals of the currency, for what a vendor wrote so → "$41,000.00", "JPY 6,120,000"."""
    sign, size = _signed_size(value)
    return f"{sign}{size:,.{MINOR_DIGITS.get(chosen().currency, 2)}f}"


def usd_unit(price: Any, pieces: Any) -> str:
    """The price of one of so many pieces: as ``usd_exact``, with so many digits that the line multiplies → "$1,320.55".

    In another currency that may take parts of a cent: 512 × €96.885 are the €49,605 beside it, and 512 × €96.89 are not.
    """
    if _is_missing(price) or _is_missing(pieces):
        return usd_exact(price)
    sign, size = _signed_size(price)
    line = _whole(size * pieces)
    fitting = (n for n in (0, *UNIT_PRICE_DIGITS) if _whole(_to_digits(size, n) * pieces) == line)
    digits = next(fitting, UNIT_PRICE_DIGITS[-1])
    return f"{sign}{size:,.{digits}f}" if digits else usd_exact(price)


def _to_digits(size: float, digits: int) -> float:
    """As it is printed with so many decimals."""
    return round(size, digits) if digits else float(_whole(size))


def usd_range(value: Any) -> str:
    """``{"low", "high"}`` in dollars → "$1.10 M to $1.40 M"; one figure where both ends agree."""
    return _range(value, usd)


def money(value: Any, currency: str) -> str:
    """An amount of another currency → "EUR 1,234.50", "JPY 120,000"."""
    if _is_missing(value):
        return MISSING
    sign = MINUS if value < 0 else ""
    return f"{sign}{currency}{NO_BREAK_SPACE}{abs(value):,.{MINOR_DIGITS.get(currency, 2)}f}"


def typed_price(line: BomLine) -> str:
    """What a price book says of a line, where the page reads in that currency at another rate.

    "EUR 280,000 at 1.10 by its price book; here at 1.1269": what is printed above it is not what was typed. At one and the
    same rate it may be parts of a cent off, as a piece costs whole cents of a dollar.
    """
    here, there = chosen().rate, line.price_rate
    if here is None:
        return ""
    if line.typed_prices:
        return _typed_parts(line.typed_prices, here)
    if there is None or line.unit_price is None or line.price_currency != here.currency:
        return ""
    if there.usd == here.usd:
        return _typed_to_the_cent(line, here.currency)
    typed = money(line.unit_price.typical, here.currency).removesuffix(".00")
    return _at_both_rates(typed, there.usd, here)


def _at_both_rates(typed: str, usd_for_one: float, here: Rate) -> str:
    return f"{typed} at {_rate_text(usd_for_one)} by its price book; here at {_rate_text(here.usd)}"


def _typed_parts(parts: Sequence[TypedPrice], here: Rate) -> str:
    """ "EUR 1.20 a metre at 1.20 by its price book; here at 1.1269": of a price that is put together of several."""
    return "; ".join(
        _at_both_rates(f"{money(one.amount, one.currency).removesuffix('.00')} a {one.per}", one.rate.usd, here)
        for one in parts
        if one.currency == here.currency and one.rate.usd != here.usd
    )


def _typed_to_the_cent(line: BomLine, currency: str) -> str:
    """ "EUR 96.89 by its price book; counted as 109.18 US dollars", where that is another price to the digits printed."""
    if line.unit_price is None or line.unit_price_usd is None:
        return ""
    typed = line.unit_price.typical
    if _whole(typed * line.bought) == _whole(line.unit_price_usd.typical * line.bought * chosen().per_usd):
        return ""
    return f"{money(typed, currency)} by its price book; counted as {line.unit_price_usd.typical:,.2f} US dollars"


def _rate_text(usd_for_one: float) -> str:
    return f"{usd_for_one:.2f}" if usd_for_one == round(usd_for_one, 2) else significant(usd_for_one, 6)


def usd_exact_range(value: Any) -> str:
    """``{"low", "high"}`` in dollars, to the dollar → "$1,249 to $1,900"."""
    return _range(value, usd_exact)


def usd_span(value: Any) -> str:
    """As ``usd_range``, for below a typical figure: nothing where both ends print alike."""
    return _span(value, usd)


def usd_exact_span(value: Any) -> str:
    """As ``usd_exact_range``, for below a typical figure: nothing where both ends print alike."""
    return _span(value, usd_exact)


def usd_small_span(value: Any) -> str:
    """As ``usd_small_range``, for below a typical figure: nothing where both ends print alike."""
    return _span(value, usd_small)


def ends_of(value: Any) -> Range[float] | None:
    """A range, or the JSON of one as kept comparisons and quotes have it; None for anything else."""
    if isinstance(value, Mapping) and not _is_missing(value.get("low")):
        return Range(value["low"], value.get("typical", value["low"]), value["high"])
    return value if isinstance(value, Range) else None


def _range(value: Any, printer: Callable[[Any], str]) -> str:
    ends = ends_of(value)
    if ends is None:
        return MISSING
    low, high = printer(ends.low), printer(ends.high)
    return low if low == high else f"{low} to {high}"


def _span(value: Any, printer: Callable[[Any], str]) -> str:
    ends = ends_of(value)
    return "" if ends is None or printer(ends.low) == printer(ends.high) else _range(value, printer)


def percent(value: Any, digits: int = SIGNIFICANT_DIGITS) -> str:
    """A computed fraction → "12.3 %", "10.0 %"."""
    return MISSING if _is_missing(value) else f"{rounded(value * 100, digits)}{NO_BREAK_SPACE}%"


def kilowatt_hours(value: Any) -> str:
    """kWh → "12.6 GWh"."""
    return MISSING if _is_missing(value) else scaled(value * 1e3, "Wh")


def in_unit(value: Any, unit: str) -> str:
    """A parameter's value, where ``unit_name`` stands beside it: fractions as a percentage → "0.5 %", others as they are."""
    if _is_missing(value):
        return MISSING
    if str(unit).startswith(FRACTION):
        return f"{significant(value * 100)}{NO_BREAK_SPACE}%"
    if str(unit).partition("/")[0] == USD:
        return significant(value * chosen().per_usd)
    return significant(value / M_PER_FOOT if unit == "m" and chosen().in_feet else float(value))


def unit_name(unit: Any) -> str:
    """A parameter's unit in words: "fraction of capex" → "of the purchase price", "USD/node" → "$ per node"."""
    text = str(unit or "")
    if text == "m":
        return "ft" if chosen().in_feet else "m"
    text = text.replace("USD/", f"{chosen().sign.strip()} per ").replace("capex", "the purchase price")
    text = text.removeprefix(FRACTION).replace("/yr", "a year").replace("/year", "a year")
    return text.replace("of price", "of the price").strip()


def range_in_unit(low: float, high: float, unit: str) -> str:
    """Low to high of a parameter with its unit: "$0.05 to $0.15 per kWh", "3 % to 10 % of the price a year"."""
    dollars, slash, per = unit.partition("/")
    if dollars == USD:
        ends, words = (_parameter_usd(low), _parameter_usd(high)), f" per {per}" if slash else ""
    else:
        ends, words = (in_unit(low, unit), in_unit(high, unit)), f" {'' if unit == 'ratio' else unit_name(unit)}"
    return f"{' to '.join(dict.fromkeys(ends))}{words}".strip()


def _parameter_usd(value: float) -> str:
    """A parameter in dollars, as exact as it was given; millions as sums print."""
    sign, size = _signed_size(value)
    return usd(value) if abs(value) >= 10**6 else f"{sign}{significant(size)}"


def currency_words() -> str:
    """What amounts are in, in words: "US dollars", "EUR"."""
    now = chosen().currency
    return "US dollars" if now == USD else now


def units_sentence() -> str:
    """The same as a sentence behind others, for papers."""
    note = units_note()
    return f" Units: {note}." if note else ""


def units_note() -> str:
    """What the reader of a page chose, for its foot: the rate with its source and date; nothing where all is usual."""
    now = chosen()
    if now == USUAL:
        return ""
    rate = now.rate
    paid = f"{rate.currency} at {significant(rate.usd, 6)} USD, {rate.as_of}, {rate.source}" if rate else ""
    units = ["Gb/s" if now.in_bits else "", "ft" if now.in_feet else ""]
    return ", ".join(part for part in (paid, *units) if part)


def ratio_to_one(value: Any) -> str:
    """A ratio of two integers as a decimal: "4:3" → "1.33:1"; as it is where it already reads so."""
    if _is_missing(value):
        return MISSING
    down, up = (int(part) for part in str(value).split(":"))
    return str(value) if up == 1 else f"{significant(down / up)}:1"


def message_size(value: Any) -> str:
    """Bytes → "8 B", "64 MiB", "8 GiB": powers of two, as message sizes are."""
    if _is_missing(value):
        return MISSING
    for step, unit in BINARY_STEPS:
        if value >= step:
            return f"{significant(value / step)}{NO_BREAK_SPACE}{unit}"
    return f"{significant(value)}{NO_BREAK_SPACE}B"


def duration_us(value: Any) -> str:
    """Microseconds → "12.3 µs", "4.10 ms", "1.20 s"."""
    if _is_missing(value):
        return MISSING
    for step, unit in TIME_STEPS_US:
        if value >= step * 0.9995:
            return f"{rounded(value / step)}{NO_BREAK_SPACE}{unit}"
    return f"{rounded(value)}{NO_BREAK_SPACE}µs"


def decimal(value: Any) -> str:
    """Any plain number, three significant digits."""
    return MISSING if _is_missing(value) else significant(float(value))


def computed(value: Any) -> str:
    """Any computed number, three significant digits, zeros at the end kept."""
    return MISSING if _is_missing(value) else rounded(float(value))


def figure_text(value: Any, unit: str) -> str:
    """A figure of a search in its unit: "$1.20 M", "57.6 kW", "16.7 %", "2:1", "420 ms"; counts as whole numbers."""
    if _is_missing(value):
        return MISSING
    printers: dict[str, Callable[[Any], str]] = {
        "USD": usd_small,
        "kW": lambda kilowatts: watts(kilowatts * 1e3),
        "GB/s": gb_s,
        "Gb/s": gbit_s,
        "share": percent,
        ":1": lambda ratio: f"{significant(float(ratio))}:1",
        "s": lambda seconds: duration_us(seconds * 1e6),
        "ms": lambda milliseconds: duration_us(milliseconds * 1e3),
        "tokens/s": lambda rate: significant(float(rate)),
        "tokens": lambda number: significant(float(number)),
        "m": lambda length: metres(float(length)),
        "yes or no": lambda flag: "yes" if flag else "no",
    }
    return printers.get(unit, lambda number: count(round(number)))(value)


def words(value: Any) -> str:
    """A machine word → plain words: "leaf_spine" → "leaf spine", "nvls_tree" → "NVLS tree"; hyphens stay."""
    if _is_missing(value):
        return MISSING
    capitals = {
        "nvls": "NVLS",
        "collnet": "CollNet",
        "ll": "LL",
        "ll128": "LL128",
        "bom": "BOM",
        "gpu": "GPU",
        "nic": "NIC",
        "pcie": "PCIe",
        "simple": "Simple",
        "fiber": "fibre",
    }
    return " ".join(capitals.get(word, word) for word in str(value).replace("_", " ").split())


def short_hash(value: Any) -> str:
    """The first twelve characters of a hash."""
    return str(value or "")[:12]


GENERATION_NAMES = {
    "edr": "InfiniBand EDR",
    "hdr": "InfiniBand HDR",
    "ndr": "InfiniBand NDR",
    "xdr": "InfiniBand XDR",
    "roce-100": "RoCE 100G",
    "roce-200": "RoCE 200G",
    "roce-400": "RoCE 400G",
    "roce-800": "RoCE 800G",
}
FRACTION = "fraction"
BASIS_NAMES = {"list": "list price", "quote": "quotation", "seed": "planning anchor", "request": "set in the design"}
BOOK_NAMES = {
    "street": "street prices, from what was seen in the market",
    "anchors": "planning prices a port and a NIC, else street prices",
    "dealer": "dealers’ prices of switches and NICs, else street prices",
    "branded": "branded resellers’ prices of switches and NICs, else street prices",
}
CATEGORY_NAMES = {
    "server": "Servers",
    "rack-system": "Rack parts",
    "nic": "NICs",
    "switch": "Switches",
    "management": "Fabric managers",
    "transceiver": "Transceivers",
    "cable": "Cables",
    "fiber": "Fibres",
    "panel": "Patch panels",
    "rack": "Racks",
    "cooling": "Cooling",
}


def generation_name(value: Any) -> str:
    """A network generation by its usual name: "ndr" → "InfiniBand NDR"."""
    return GENERATION_NAMES.get(value, str(value))


def basis_name(value: Any) -> str:
    """The basis of a price or a figure in plain words."""
    return BASIS_NAMES.get(value, words(value))


def medium_name(value: Any) -> str:
    """What a cable is made of: "multimode" → "multimode fibre", "copper" → "copper", "aoc" → "active optical cable"."""
    if value == "aoc":
        return "active optical cable"
    return f"{value} fibre" if value in ("multimode", "single-mode") else words(value)


def book_name(value: Any) -> str:
    """A price book in plain words."""
    return BOOK_NAMES.get(value, words(value))


def category_name(value: Any) -> str:
    """A category of the bill of materials, as a heading over its lines."""
    return CATEGORY_NAMES.get(value, words(value))


TRAFFIC_NAMES = {
    "tp": "Tensor parallel",
    "cp": "Context parallel",
    "ep": "Experts",
    "pp": "Pipeline stages",
    "dp": "Data parallel",
    "fsdp": "Data parallel",
    "kv": "Caches of prompts",
}


def traffic_words(value: Any) -> str:
    """A kind of traffic of a layout: ``tp`` → "Tensor parallel"."""
    return TRAFFIC_NAMES.get(value, words(value))


def is_assumption(value: Any) -> bool:
    """True for a basis that rests on no listing, datasheet or measurement."""
    return value in ("assumption", "seed")
