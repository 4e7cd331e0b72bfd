"""Cables and fibre that are priced by the metre: their metres as pieces of the lengths that the design needs."""

import re
from collections.abc import Sequence

from estimator.quotes.items import Item
from estimator.quotes.lines import QuoteLine
from estimator.quotes.match import Match

_BY_METRE = re.compile(
    r"\b(?:per|by the|each|pro|je|par|al)\s+(?:linear |running |laufende[rnm]? )?(?:m|met(?:er|re)|mètre|metro)s?\b|"
    r"(?:price|usd|eur|chf|gbp|[$€£])\s?/\s?m\b|\blfm\b|\bmeterware\b|\bau mètre\b",
    re.I,
)


def is_by_metre(line: QuoteLine) -> bool:
    """Whether a line's words say that it is counted and priced by the metre."""
    return bool(_BY_METRE.search(line.description))


def count_metres(lines: Sequence[QuoteLine], matches: Sequence[Match], items: Sequence[Item]) -> None:
    """Turn metres into pieces, in place; a line that matches no length keeps its metres, and says so."""
    by_key = {item.key: item for item in items}
    for line, match in zip(lines, matches, strict=True):
        if not is_by_metre(line) or not line.quantity:
            continue
        wanted = [item for key in match.keys if (item := by_key[key]).length_m]
        if not wanted:
            words = f"It is priced by the metre: {line.quantity:,} m. Which lengths are cut from it is not said."
            line.remarks.append(("by_metre", words))
            continue
        metres, left, pieces = line.quantity, float(line.quantity), 0
        for item in wanted:
            length_m = item.length_m or 1.0
            whole = int(left / length_m + 1e-6)
            taken = whole if item is wanted[-1] else min(item.whole, whole)
            pieces, left = pieces + taken, left - taken * length_m
        lengths = " and ".join(f"{item.length_m:g} m" for item in wanted)
        line.remarks.append(("by_metre", f"{metres:,} m priced by the metre are {pieces:,} pieces of {lengths}."))
        if pieces:
            line.quantity = pieces
            if line.extended_minor is not None:
                line.unit_minor = round(line.extended_minor / pieces)
