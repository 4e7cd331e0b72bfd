"""Amounts of money and shares in words, as sentences print them: to three digits, with spaces that do not break."""

import math

MINUS, NO_BREAK = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"


def percent_of(share: float) -> str:
    """A share without its sign: 0.124 → "12 %", 0.004 → "0.4 %"."""
    value = abs(share) * 100
    return f"{value:.0f}{NO_BREAK}%" if value >= 9.5 else f"{value:.1f}{NO_BREAK}%".replace(f".0{NO_BREAK}", NO_BREAK)


def dollars(value: float) -> str:
    """US dollars to three digits: "$4.80 M"."""
    for step, unit in ((1e9, "bn"), (1e6, "M")):
        if abs(value) >= step * 0.9995:
            return f"${digits(value / step)}{NO_BREAK}{unit}"
    return f"${value:,.2f}" if abs(value) < 100 else f"${value:,.0f}"


def digits(value: float) -> str:
    """A number to three digits."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"
