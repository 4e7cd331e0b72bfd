"""Constants of the performance model, looked up by name and index, in SI units (catalog/model_constants.csv)."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from estimator.units import GIGA, FloatArray, us_to_s

DEFAULT = "default"
_TO_SI = {"us": us_to_s, "GB/s": lambda value: value * GIGA}


class ModelConstants:
    """The catalog's constants, each in seconds, bytes or bytes a second.

    An index is looked up as it stands, then with its last dotted part left off, then as "default"; so ``efa.ampere`` finds
    the row ``efa.ampere`` if there is one, else ``efa``, else ``default``. What none of them holds is a KeyError: a constant
    that the model needs and the catalog lacks is a broken catalog.
    """

    def __init__(self, catalog: Any) -> None:
        self._values: dict[tuple[str, str], float] = {}
        self._rows: dict[tuple[str, str], Any] = {}
        self._asked: dict[tuple[str, str], tuple[str, str]] = {}  # name and index → the row that answered
        self._given: dict[tuple[str, str], float] = {}
        self._indices: dict[str, list[str]] = {}
        self.source: str | None = None  # of the given ones
        for row in catalog.constants.values():
            key = (row.name, row.index or "")
            self._rows[key] = row
            self._indices.setdefault(row.name, []).append(row.index or "")
            self._values[key] = _TO_SI.get(row.unit, float)(float(row.value))

    def replaced(self, values: Mapping[tuple[str, str], float], source: str | None = None) -> "ModelConstants":
        """The same constants but for some, given in the units of their rows; ``source`` says by what."""
        out = ModelConstants.__new__(ModelConstants)
        out._rows, out._indices, out._asked = self._rows, self._indices, {}
        out._given, out.source = self._given | dict(values), source
        si = {key: _TO_SI.get(self._rows[key].unit, float)(value) for key, value in values.items()}
        out._values = self._values | si
        return out

    def row(self, name: str, index: str = "") -> Any:
        """The catalog's row of one constant."""
        return self._rows[name, index]

    def given(self, name: str, index: str = "") -> float | None:
        """The value that replaces a row's, in the unit of the row; None where the row's holds."""
        return self._given.get((name, index))

    def key(self, name: str, index: str = "") -> tuple[str, str] | None:
        """The row that answers for ``index``, or None."""
        asked = index
        while asked:
            if (name, asked) in self._values:
                return name, asked
            asked = asked.rpartition(".")[0]
        return next((key for key in ((name, ""), (name, DEFAULT)) if key in self._values), None)

    def value(self, name: str, index: str = "") -> float:
        """One constant; KeyError if no row answers."""
        key = self._asked.get((name, index)) or self.key(name, index)
        if key is None:
            raise KeyError(f"model_constants.csv has no row for {name!r} with index {index!r}")
        self._asked[name, index] = key
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
        keys = {key for (_, index), key in self._asked.items() if without.isdisjoint(index.split("."))}
        return [row for key, row in self._rows.items() if key in keys]

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
