"""Constants of the performance model, looked up by name and index, in SI units (catalog/model_constants.csv)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from estimator.units import GIGA, FloatArray, us_to_s

DEFAULT = "default"
_TO_SI = {"us": us_to_s, "GB/s": lambda value: value * GIGA}


Key = tuple[str, str]


class _Tables(NamedTuple):
    """What all constants of one catalog share."""

    values: dict[Key, float]
    rows: dict[Key, Any]
    indices: dict[str, list[str]]
    places: dict[Key, int]  # of a row in the file
    found: dict[Key, Key | None]  # the row that answers for what was looked up before


@lru_cache(maxsize=8)
def _tables(catalog: Any) -> _Tables:
    rows = {(row.name, row.index or ""): row for row in catalog.constants.values()}
    indices: dict[str, list[str]] = {}
    for name, index in rows:
        indices.setdefault(name, []).append(index)
    values = {key: _TO_SI.get(row.unit, float)(float(row.value)) for key, row in rows.items()}
    return _Tables(values, rows, indices, {key: place for place, key in enumerate(rows)}, {})


class ModelConstants:
    """The catalog's constants, each in seconds, bytes or bytes a second.

    An index is looked up as it stands, then with its last dotted part left off, then as "default"; so ``efa.ampere`` finds
    the row ``efa.ampere`` if there is one, else ``efa``, else ``default``. What none of them holds is a KeyError: a constant
    that the model needs and the catalog lacks is a broken catalog.
    """

    def __init__(self, catalog: Any) -> None:
        self._tables = _tables(catalog)
        self._values, self._rows, self._indices = self._tables.values, self._tables.rows, self._tables.indices
        self._asked: dict[Key, Key] = {}  # name and index → the row that answered
        self._given: dict[Key, float] = {}
        self._ranges: dict[Key, tuple[float, float]] = {}  # of given ones that paths say, in the units of the rows
        self.source: str | None = None  # of the given ones

    def replaced(
        self,
        values: Mapping[Key, float],
        source: str | None = None,
        ranges: Mapping[Key, tuple[float, float]] | None = None,
    ) -> "ModelConstants":
        """The same constants but for some, given in the units of their rows; ``source`` says by what.

        ``ranges`` are (low, high) of those whose range predictions are to hold.
        """
        out = ModelConstants.__new__(ModelConstants)
        out._tables, out._rows, out._indices, out._asked = self._tables, self._rows, self._indices, {}
        out._given, out.source = self._given | dict(values), source
        out._ranges = {key: ends for key, ends in self._ranges.items() if key not in values} | dict(ranges or {})
        si = {key: _TO_SI.get(self._rows[key].unit, float)(value) for key, value in values.items()}
        out._values = self._values | si
        return out

    def row(self, name: str, index: str = "") -> Any:
        """The catalog's row of one constant."""
        return self._rows[name, index]

    def given(self, name: str, index: str = "") -> float | None:
        """The value that replaces a row's, in the unit of the row; None where the row's holds."""
        return self._given.get((name, index))

    def has_range(self, name: str, index: str = "") -> bool:
        """True where a range was given beside the value."""
        return (name, index) in self._ranges

    def ends(self) -> "tuple[ModelConstants, ModelConstants] | None":
        """The constants with all that have a range at its slow end, and at its fast end; None where none has one.

        A time is slow at its most, a rate or share at its least.
        """
        if not self._ranges:
            return None
        ordered = {
            key: (high, low) if self._rows[key].unit == "us" else (low, high)
            for key, (low, high) in self._ranges.items()
        }
        slow, fast = ({key: of[end] for key, of in ordered.items()} for end in (0, 1))
        return self.replaced(slow, self.source), self.replaced(fast, self.source)

    def key(self, name: str, index: str = "") -> tuple[str, str] | None:
        """The row that answers for ``index``, or None."""
        found = self._tables.found
        if (name, index) not in found:
            found[name, index] = self._key(name, index)
        return found[name, index]

    def _key(self, name: str, index: str) -> Key | None:
        asked = index
        while asked:
            if (name, asked) in self._rows:
                return name, asked
            asked = asked.rpartition(".")[0]
        return next((key for key in ((name, ""), (name, DEFAULT)) if key in self._rows), None)

    def value(self, name: str, index: str = "") -> float:
        """One constant; KeyError if no row answers."""
        asked = name, index
        key = self._asked.get(asked)
        if key is None:
            key = self.key(name, index)
            if key is None:
                raise KeyError(f"model_constants.csv has no row for {name!r} with index {index!r}")
            self._asked[asked] = key
        return self._values[key]

    def get(self, name: str, index: str, otherwise: float) -> float:
        """One constant, or ``otherwise`` where no row answers."""
        return otherwise if self.key(name, index) is None else self.value(name, index)

    def column(self, name: str, indices: Iterable[str]) -> FloatArray:
        """One constant for each index, shape (len(indices),)."""
        return np.array([self.value(name, index) for index in indices])

    def has(self, name: str, index: str) -> bool:
        """True where this very row is in the table."""
        return (name, index) in self._values

    def indices(self, name: str) -> list[str]:
        """All indices of one constant, in the order of the file."""
        return self._indices.get(name, [])

    def used(self, without: frozenset[str]) -> list[Any]:
        """The rows that have answered so far, in the order of the file, but for indices with a part in ``without``."""
        if without:
            keys = {key for (_, index), key in self._asked.items() if without.isdisjoint(index.split("."))}
        else:
            keys = set(self._asked.values())
        return [self._rows[key] for key in sorted(keys, key=self._tables.places.__getitem__)]

    def generation(self, architecture: str) -> str:
        """A GPU's architecture → the generation that constants are kept by.

        ``Blackwell Ultra`` → ``blackwell``, as its links are the same; one without a row of its own → ``default``.
        """
        words = architecture.lower().split()
        for n_words in range(len(words), 0, -1):
            name = "-".join(words[:n_words])
            if self.has("ring_efficiency", name):
                return name
        return DEFAULT
