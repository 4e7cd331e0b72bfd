"""What differs between two states of a price book: entries and exchange rates, in words."""

from collections.abc import Iterable, Mapping, Sequence

from designer.services.prices.books import entry_key
from designer.wording.names import part_labels
from estimator.catalog.currency import amount_text
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_choice import BASIS_WORDS
from estimator.ranges import Range
from estimator.record import IfAny, Record
from estimator.spec.price_book import OwnPrice, OwnRate
from estimator.units import counted

_NAMES = {"as_of": "date", "note": "note", "valid_from": "valid from", "valid_to": "valid to"}


class EntryWords(Record):
    """An entry of a book in words; ``was`` is what was another before, of an entry that changed."""

    label: str
    part: str
    amount: str
    range: str
    basis_words: str
    as_of: str
    source: str
    conditions: str
    was: IfAny[list[str]] = None


class Changes(Record):
    """Entries of a book that were added, changed and removed, and those that stayed the same."""

    added: Sequence[EntryWords] = ()
    changed: Sequence[EntryWords] = ()
    removed: Sequence[EntryWords] = ()
    same: Sequence[EntryWords] = ()

    @property
    def groups(self) -> Mapping[str, Sequence[EntryWords]]:
        """What moved, by how."""
        return {"added": self.added, "changed": self.changed, "removed": self.removed}

    @property
    def counts(self) -> Mapping[str, int]:
        """How many moved, by how."""
        return {name: len(entries) for name, entries in self.groups.items()}


def range_text(ends: Range[int], currency: str) -> str:
    if ends.low == ends.high:
        return ""
    return f"{amount_text(ends.low, currency)} to {amount_text(ends.high, currency)}"


def changes_between(before: Iterable[OwnPrice], after: Iterable[OwnPrice]) -> Changes:
    """Entries added, removed and changed, each with what it says and said."""
    old, new = ({entry_key(entry): entry for entry in entries} for entries in (before, after))
    return Changes(
        added=[_entry_words(entry) for key, entry in new.items() if key not in old],
        removed=[_entry_words(entry) for key, entry in old.items() if key not in new],
        changed=[
            _entry_words(entry, _differences(old[key], entry))
            for key, entry in new.items()
            if key in old and old[key] != entry
        ],
        same=[_entry_words(entry) for key, entry in new.items() if old.get(key) == entry],
    )


def _entry_words(entry: OwnPrice, was: list[str] | None = None) -> EntryWords:
    _, label, _ = part_labels(load_catalog().version).get(entry.part, ("", entry.part, ""))
    conditions = [
        f"{entry.length_m:g} m" if entry.length_m else "",
        f"from {entry.min_quantity:,} pieces" if entry.min_quantity > 1 else "",
        f"for {entry.region}" if entry.region else "",
        "a metre" if entry.per == "metre" else "",
    ]
    return EntryWords(
        label=label,
        part=entry.part,
        amount=amount_text(entry.typical, entry.currency),
        range=range_text(entry.minor, entry.currency),
        basis_words=BASIS_WORDS[entry.basis],
        as_of=entry.as_of,
        source=entry.source,
        conditions=", ".join(filter(None, conditions)),
        was=was,
    )


def _differences(old: OwnPrice, new: OwnPrice) -> list[str]:
    """What was another, in words."""
    out = []
    if (old.minor, old.currency) != (new.minor, new.currency):
        ends = range_text(old.minor, old.currency)
        out.append(amount_text(old.typical, old.currency) + (f" ({ends})" if ends else ""))
    others = [name for name in _NAMES if getattr(old, name) != getattr(new, name)]
    return out + [f"{_NAMES[name]} {getattr(old, name) or 'none'}" for name in others]


def change_words(counts: Mapping[str, int], n_rates: int = 0) -> str:
    """``"3 added, 1 changed"``."""
    words = [f"{number:,} {name}" for name, number in counts.items() if number]
    words += [counted(n_rates, "exchange rate") + " changed"] if n_rates else []
    return ", ".join(words) or "nothing changed"


def rate_changes(before: Sequence[OwnRate], after: Sequence[OwnRate]) -> list[str]:
    """Exchange rates that came, went or are others, in words."""
    old, new = ({(rate.currency, rate.as_of): rate for rate in rates} for rates in (before, after))
    out = [f"{c} of {day}: {rate.usd:g} USD added" for (c, day), rate in new.items() if (c, day) not in old]
    out += [f"{c} of {day}: {rate.usd:g} USD removed" for (c, day), rate in old.items() if (c, day) not in new]
    out += [
        f"{c} of {day}: {old[c, day].usd:g} USD is now {rate.usd:g} USD"
        for (c, day), rate in new.items()
        if (c, day) in old and old[c, day] != rate
    ]
    return out
