"""What totals of several bills may hold so that they compare: the same networks, the same kinds of goods, all priced."""

from collections.abc import Mapping, Sequence
from typing import Any

from estimator.bom_lines import NIC, usd_range
from estimator.catalog.ports import COMPUTE
from estimator.comparison_lines import (
    OFFER,
    SCOPE_WORDS,
    Key,
    Line,
    change,
    difference_cents,
    is_unpriced,
    label_of,
    total_cents,
)
from estimator.units import CENTS_PER_USD


def scope_of(
    rows: Mapping[Key, Sequence[Sequence[Line]]], kinds: Sequence[str], labels: Sequence[str]
) -> dict[Key, str]:
    """Rows that are left out of the totals on the same scope, each with the reason.

    ==================================  ==============================================================================
    a line has no price                 its row is left out on every side
    a network is not on every side      its rows are left out
    an offer has nothing of a kind      that kind (servers, switches, cabling …) of that network is left out: an offer
                                        may forget, while a design lacks only what it does not need
    adapters are lines on one side      their row is left out where another side's servers hold them already
    ==================================  ==============================================================================
    """
    out: dict[Key, str] = {}
    for key, row in rows.items():
        if reason := _reason(key, row, rows, kinds, labels):
            out[key] = reason
    return out


def _reason(
    key: Key, row: Sequence[Sequence[Line]], rows: Mapping[Key, Sequence[Sequence[Line]]], kinds: Sequence[str],
    labels: Sequence[str],
) -> str | None:  # fmt: skip
    fabric = key[0]
    scope = next(line.scope for lines in row for line in lines)
    unpriced = [labels[i] for i, lines in enumerate(row) if is_unpriced(lines)]
    if unpriced:
        return f"{label_of(key)} {_have(unpriced)} no price."
    lack = [i for i in range(len(labels)) if not _any(rows, i, lambda line: line.fabric == fabric)]
    if lack and fabric != COMPUTE:
        return f"The {fabric} network is not in {_named(lack, labels)}."
    lack = [i for i in range(len(labels)) if not _any(rows, i, lambda line: line.scope == scope)]
    forgotten = [i for i in lack if kinds[i] == OFFER]
    words = SCOPE_WORDS.get(scope[1], scope[1])
    if forgotten:
        return f"{words.capitalize()} are not in {_named(forgotten, labels)}."
    if lack and scope[1] == NIC:
        return f"Adapters are within the servers of {_named(lack, labels)}."
    return None


def _any(rows: Mapping[Key, Sequence[Sequence[Line]]], side: int, wanted: Any) -> bool:
    return any(wanted(line) for row in rows.values() for line in row[side])


def _named(sides: Sequence[int], labels: Sequence[str]) -> str:
    return " and ".join(f"“{labels[i]}”" for i in sides)


def _have(labels: Sequence[str]) -> str:
    return "of " + " and ".join(f"“{label}”" for label in labels) + " have"


def totals_json(
    rows: Mapping[Key, Sequence[Sequence[Line]]], left_out: Mapping[Key, str], baseline: int
) -> dict[str, Any]:
    """Totals of every side: of all its priced lines, and on the same scope, with differences from the baseline."""
    n_sides = len(next(iter(rows.values()))) if rows else 0
    every = [[line for row in rows.values() for line in row[i]] for i in range(n_sides)]
    same = [[line for key, row in rows.items() if key not in left_out for line in row[i]] for i in range(n_sides)]
    base = total_cents(same[baseline])[1] / CENTS_PER_USD
    return {
        "all_usd": [usd_range(total_cents(lines)) for lines in every],
        "at_least": [is_unpriced(lines) for lines in every],
        "same_scope_usd": [usd_range(total_cents(lines)) for lines in same],
        "differences": [change(total_cents(lines)[1] / CENTS_PER_USD, base) for lines in same],
        "difference_ranges_usd": [usd_range(difference_cents(lines, same[baseline])) for lines in same],
        "left_out": [
            {"key": ".".join(part for part in key if part), "label": label_of(key), "reason": reason}
            for key, reason in left_out.items()
        ],
    }  # fmt: skip
