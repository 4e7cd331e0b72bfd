"""Constants of serving, by name and index, from ``constants.csv``: efficiencies, latencies, and factors of software stacks.

An index has dotted parts, such as ``hopper.fp8`` or ``trtllm.blackwell``; what no row has is looked up with its last part left
off, then as ``default``. A model takes constants as columns: positions in one flat array of values, found once for a batch,
so that a fit changes values and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from estimator.units import FloatArray, IntArray
from estimator.workloads.fitted import Constant, read_constants

DATA = Path(__file__).with_name("constants.csv")
DEFAULT = "default"
Key = tuple[str, str]


@dataclass(frozen=True)
class Constants:
    """All constants: rows, and their values in the same order, which a fit or a calibration may replace."""

    rows: tuple[Constant, ...]
    values: FloatArray
    places: Mapping[Key, int]  # of each name and index in rows and values

    def place(self, name: str, index: str = "") -> int:
        """Where a constant's value is; KeyError if no row answers."""
        asked = index
        while asked:
            if (name, asked) in self.places:
                return self.places[name, asked]
            asked = asked.rpartition(".")[0]
        return self.places[name, DEFAULT]

    def value(self, name: str, index: str = "") -> float:
        """One constant."""
        return float(self.values[self.place(name, index)])

    def picked(self, indices: Mapping[str, Sequence[str]]) -> "Picked":
        """Columns of every name in ``indices``: for each, the index of every variant, or of all (one entry)."""
        return Picked(
            self.values,
            {
                name: np.array([self.place(name, one) for one in column], dtype=np.int64)
                for name, column in indices.items()
            },
        )

    def with_values(self, values: FloatArray) -> "Constants":
        """The same rows with other values."""
        return replace(self, values=values)


@dataclass(frozen=True)
class Picked:
    """Constants as columns, by name: ``of(name)`` has one entry a variant, or one for all."""

    values: FloatArray
    places: Mapping[str, IntArray]

    def of(self, name: str) -> FloatArray:
        """Values of one name, shape (n_variants,) or (1,)."""
        return self.values[self.places[name]]

    def with_values(self, values: FloatArray) -> "Picked":
        """The same places with other values."""
        return Picked(values, self.places)


@cache
def serving_constants() -> Constants:
    """The constants of ``constants.csv``; read once."""
    rows = read_constants(DATA)
    places = {(row.name, row.index or DEFAULT): at for at, row in enumerate(rows)}
    return Constants(rows, np.array([row.value for row in rows]), places)
