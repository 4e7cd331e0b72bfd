"""Constants of the model of training steps (constants.csv): each with unit, basis and evidence, fitted ones with their prior."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np

from estimator.units import FloatArray, IntArray
from estimator.workloads.fitted import Constant, read_constants

PATH = Path(__file__).with_name("constants.csv")
FITTED, DEFAULT = "fitted", "default"


class Constants:
    """Values by name and index; where rows of steps differ, as an array that is gathered from.

    Parameters
    ----------
    rows : in the order of the file.
    values : shape (n_rows,), of the rows.
    """

    def __init__(self, rows: Sequence[Constant], values: FloatArray) -> None:
        self.rows = tuple(rows)
        self.values = values
        self._places = {(row.name, row.index): place for place, row in enumerate(rows)}

    def __getitem__(self, name: str) -> float:
        """The one constant of a name."""
        return float(self.values[self._places[name, ""]])

    def place(self, name: str, *indices: str) -> int:
        """The row of the first index that there is, else of ``default``.

        Raises
        ------
        KeyError
            If not even that is in the table.
        """
        found = (self._places.get((name, index)) for index in (*indices, DEFAULT))
        place = next((one for one in found if one is not None), None)
        if place is None:
            raise KeyError(f"constants.csv has no row for {name!r} with index {indices!r}")
        return place

    def has(self, name: str, index: str) -> bool:
        """Whether there is a row for this very index."""
        return (name, index) in self._places

    def at(self, places: IntArray) -> FloatArray:
        """Values of rows, in the shape of ``places``."""
        return np.asarray(self.values[places])

    def replaced(self, values: FloatArray) -> Self:
        """The same rows with other values."""
        return type(self)(self.rows, values)


@cache
def training_constants() -> Constants:
    """The constants of the file."""
    rows = read_constants(PATH)
    return Constants(rows, np.array([row.value for row in rows]))


def write_constants(constants: Constants) -> None:
    """Put values into the file, four digits each; all else of a row stays."""
    with PATH.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Constant.__dataclass_fields__)
        for row, value in zip(constants.rows, constants.values, strict=True):
            one = replace(row, value=float(f"{value:.4g}"))
            out.writerow(
                [
                    one.name,
                    one.index,
                    f"{one.value:g}",
                    one.unit,
                    f"{one.prior:g}",
                    one.spread or "",
                    one.basis,
                    one.evidence,
                ]
            )
