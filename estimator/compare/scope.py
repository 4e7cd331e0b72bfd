"""What totals of several BOMs may hold so that they compare: the same networks, the same kinds of goods, all priced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from estimator.bom.lines import NIC, SWITCH
from estimator.catalog.ports import COMPUTE
from estimator.compare.lines import (
    OFFER,
    SCOPE_WORDS,
    Key,
    Line,
    change,
    difference_cents,
    is_unpriced,
    label_of,
    scope_key,
    total_cents,
)
from estimator.compare.result import ComparedTotals, LeftOut
from estimator.units import CENTS_PER_USD


@dataclass(frozen=True)
class Scope:
    """Rows left out of totals on the same scope with the reason, and what each offer has nothing of."""

    left_out: dict[Key, str]
    lacks: tuple[frozenset[tuple[str, str]], ...]  # of each side: (network, function)


def scope_of(rows: Mapping[Key, Sequence[Sequence[Line]]], kinds: Sequence[str], labels: Sequence[str]) -> Scope:
    """What cannot be in totals that are to compare.

    ==================================  ==============================================================================
    a line has no price                 its row is left out on every side
    a network is not on every side      its rows are left out
    an offer has nothing of a kind      that kind (servers, spine switches, transceivers and cables of a tier …) is left out:
                                        an offer may forget, while a design lacks only what it does not need
    NICs are lines on one side      their row is left out where another side's servers hold them already
    ==================================  ==============================================================================
    """
    left_out: dict[Key, str] = {}
    lacks: list[set[tuple[str, str]]] = [set() for _ in labels]
    for key, row in rows.items():
        forgotten = [i for i in _without(key, rows, len(labels)) if kinds[i] == OFFER]
        for i in forgotten:
            lacks[i].add((key[0], key[1]))
        if reason := _reason(key, row, rows, forgotten, labels):
            left_out[key] = reason
    return Scope(left_out, tuple(frozenset(some) for some in lacks))


def _reason(
    key: Key,
    row: Sequence[Sequence[Line]],
    rows: Mapping[Key, Sequence[Sequence[Line]]],
    forgotten: Sequence[int],
    labels: Sequence[str],
) -> str | None:
    fabric, function, _, _ = key
    unpriced = [labels[i] for i, lines in enumerate(row) if is_unpriced(lines)]
    if unpriced:
        return f"{label_of(key)} {_have(unpriced)} no price."
    lack = [i for i in range(len(labels)) if not any(line for k, r in rows.items() if k[0] == fabric for line in r[i])]
    if lack and fabric != COMPUTE:
        return f"The {fabric} network is not in {_named(lack, labels)}."
    if forgotten:
        return f"{_goods(key)} are not in {_named(forgotten, labels)}."
    lack = _without(key, rows, len(labels))
    if lack and function == NIC:
        return f"NICs are within the servers of {_named(lack, labels)}."
    return None


def _without(key: Key, rows: Mapping[Key, Sequence[Sequence[Line]]], n_sides: int) -> list[int]:
    """Sides that have no line of the kind of goods that a row is of."""
    same = [row for other, row in rows.items() if scope_key(other) == scope_key(key)]
    return [i for i in range(n_sides) if not any(row[i] for row in same)]


def _goods(key: Key) -> str:
    _, kind, place = scope_key(key)
    if key[1] == SWITCH:
        return label_of(key)
    words = SCOPE_WORDS.get(kind, kind).capitalize()
    return f"{words}, {place.replace('_', '-')}," if kind == "cabling" and place else words


def _named(sides: Sequence[int], labels: Sequence[str]) -> str:
    return " and ".join(f"“{labels[i]}”" for i in sides)


def _have(labels: Sequence[str]) -> str:
    return "of " + " and ".join(f"“{label}”" for label in labels) + " have"


def totals_of(
    rows: Mapping[Key, Sequence[Sequence[Line]]], left_out: Mapping[Key, str], baseline: int
) -> ComparedTotals:
    """Totals of every side: of all its priced lines, and on the same scope, with differences from the baseline."""
    n_sides = len(next(iter(rows.values()))) if rows else 0
    every = [[line for row in rows.values() for line in row[i]] for i in range(n_sides)]
    same = [[line for key, row in rows.items() if key not in left_out for line in row[i]] for i in range(n_sides)]
    base = total_cents(same[baseline]).typical / CENTS_PER_USD
    return ComparedTotals(
        all_usd=[total_cents(lines).in_usd() for lines in every],
        at_least=[is_unpriced(lines) for lines in every],
        same_scope_usd=[total_cents(lines).in_usd() for lines in same],
        differences=[change(total_cents(lines).typical / CENTS_PER_USD, base) for lines in same],
        difference_ranges_usd=[difference_cents(lines, same[baseline]).in_usd() for lines in same],
        left_out=[
            LeftOut(key=".".join(part for part in key if part), label=label_of(key), reason=reason)
            for key, reason in left_out.items()
        ],
    )
