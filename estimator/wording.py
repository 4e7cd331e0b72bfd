"""Money, shares and measured figures in words, as sentences print them, with spaces that do not break."""

import math
from datetime import UTC, datetime

MINUS, NO_BREAK = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"


def percent_of(share: float) -> str:
    """A share without its sign: 0.124 → "12 %", 0.004 → "0.4 %"."""
    value = abs(share) * 100
    return f"{value:.0f}{NO_BREAK}%" if value >= 9.5 else f"{value:.1f}{NO_BREAK}%".replace(f".0{NO_BREAK}", NO_BREAK)


def in_sentence(label: str) -> str:
    """A label inside a sentence: "Leaf switches" → "leaf switches"; "NICs" and "IT power" stay."""
    return label if sum(map(str.isupper, label.partition(" ")[0])) > 1 else label[:1].lower() + label[1:]


def dollars(value: float) -> str:
    """US dollars to three digits: "$4.80 M"."""
    for step, unit in ((1e9, "bn"), (1e6, "M")):
        if abs(value) >= step * 0.9995:
            return f"${digits(value / step)}{NO_BREAK}{unit}"
    return f"${value:,.2f}" if abs(value) < 100 else f"${value:,.0f}"


def whole_dollars(value: float) -> str:
    """US dollars to the dollar, half up as cents are: "$1,234,567"."""
    return f"{'-' if value < 0 else ''}${math.floor(round(abs(value), 6) + 0.5):,}"


def digits(value: float) -> str:
    """A number to three digits."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"


def amount(value: float, unit: str) -> str:
    """A figure in its unit, as sentences print it."""
    match unit:
        case "count":
            return f"{value:,.0f}"
        case "per_year":
            return f"{value:,.0f}" if value >= 10 else f"{value:,.1f}"
        case "usd" | "usd_hour":
            return dollars(value)
        case "w":
            step, prefix = (1e6, "M") if value >= 1e6 else (1e3, "k") if value >= 1e3 else (1, "")
            return f"{digits(value / step)}{NO_BREAK}{prefix}W"
        case "gbit_s":
            step, prefix = (1e3, "T") if value >= 1e3 else (1, "G")
            return f"{digits(value / step)}{NO_BREAK}{prefix}b/s"
        case "gb_s":
            return f"{digits(value)}{NO_BREAK}GB/s"
    return f"{digits(value).rstrip('0').rstrip('.')}:1" if unit == "ratio" else digits(value)


def date_and_time(made: datetime) -> str:
    """A date as a report prints it: "28 November 2026, 05:00 UTC"."""
    utc = made.astimezone(UTC) if made.tzinfo else made
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"
