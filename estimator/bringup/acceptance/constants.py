"""Constants of the contract: spreads and chances (constants.csv), and what healthy paths give (calibration/paths)."""

from functools import cache
from pathlib import Path

from estimator.calibration.paths.healthy import Constant, healthy_paths, rows_of


@cache
def constants() -> dict[tuple[str, str], Constant]:
    """All rows, by name and index."""
    return rows_of(Path(__file__).with_name("constants.csv")) | healthy_paths()


def constant(name: str, index: str = "") -> Constant:
    """One row; of an index that has none the default's. KeyError where there is neither."""
    rows = constants()
    return rows[name, index] if (name, index) in rows else rows[name, "default"]
