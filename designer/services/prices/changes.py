"""What differs between two states of a price book: entries and exchange rates, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from designer.services.prices.books import entry_key
from designer.wording.names import part_labels
from estimator.catalog.currency import amount_text
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_choice import BASIS_WORDS
from estimator.ranges import Range
from estimator.record import Json
from estimator.units import counted

Row = dict[str, Any]
_NAMES = {
    "as_of": "date",
    "note": "note",
    "valid_from": "valid from",
    "valid_to": "valid to",
    "currency": "currency",
}


def range_text(ends: Range[int], currency: str) -> str:
    if ends.low == ends.high:
        return ""
    return f"{amount_text(ends.low, currency)} to {amount_text(ends.high, currency)}"


def changes_between(before: Iterable[Row], after: Iterable[Row]) -> dict[str, list[Json]]:
    """Entries added, removed and changed, each with what it says and said."""
    old, new = ({entry_key(entry): entry for entry in entries} for entries in (before, after))
    return {
        "added": [_entry_words(entry) for key, entry in new.items() if key not in old],
        "removed": [_entry_words(entry) for key, entry in old.items() if key not in new],
        "changed": [
            _entry_words(entry) | {"was": _differences(old[key], entry)}
            for key, entry in new.items()
            if key in old and old[key] != entry
        ],
        "same": [_entry_words(entry) for key, entry in new.items() if old.get(key) == entry],
    }


def _entry_words(entry: Row) -> Json:
    """An entry in words."""
    _, label, _ = part_labels(load_catalog().version).get(entry["part"], ("", entry["part"], ""))
    ends = Range(entry["low"], entry["typical"], entry["high"])
    conditions = [
        f"{entry['length_m']:g} m" if entry.get("length_m") else "",
        f"from {entry['min_quantity']:,} pieces" if entry.get("min_quantity", 1) > 1 else "",
        f"for {entry['region']}" if entry.get("region") else "",
        "a metre" if entry.get("per") == "metre" else "",
    ]
    return {
        "label": label,
        "part": entry["part"],
        "amount": amount_text(entry["typical"], entry["currency"]),
        "range": range_text(ends, entry["currency"]),
        "basis_words": BASIS_WORDS[entry["basis"]],
        "as_of": entry["as_of"],
        "source": entry.get("source", ""),
        "conditions": ", ".join(filter(None, conditions)),
    }


def _differences(old: Row, new: Row) -> list[str]:
    """What was another, in words."""
    out = []
    if [old[name] for name in ("low", "typical", "high", "currency")] != [
        new[name] for name in ("low", "typical", "high", "currency")
    ]:
        ends = range_text(Range(old["low"], old["typical"], old["high"]), old["currency"])
        out.append(amount_text(old["typical"], old["currency"]) + (f" ({ends})" if ends else ""))
    others = [name for name in _NAMES if name != "currency" and old.get(name) != new.get(name)]
    return out + [f"{_NAMES[name]} {old.get(name) or 'none'}" for name in others]


def change_words(counts: Mapping[str, int], n_rates: int = 0) -> str:
    """``"3 added, 1 changed"``."""
    words = [f"{number:,} {name}" for name, number in counts.items() if number]
    words += [counted(n_rates, "exchange rate") + " changed"] if n_rates else []
    return ", ".join(words) or "nothing changed"


def rate_changes(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """Exchange rates that came, went or are others, in words."""
    old, new = ({(rate["currency"], rate["as_of"]): rate for rate in rates} for rates in (before, after))
    out = [f"{c} of {day}: {_usd_text(rate)} added" for (c, day), rate in new.items() if (c, day) not in old]
    out += [f"{c} of {day}: {_usd_text(rate)} removed" for (c, day), rate in old.items() if (c, day) not in new]
    out += [
        f"{c} of {day}: {_usd_text(old[c, day])} is now {_usd_text(rate)}"
        for (c, day), rate in new.items()
        if (c, day) in old and old[c, day] != rate
    ]
    return out


def _usd_text(rate: Row) -> str:
    return f"{rate['usd']:g} USD"
