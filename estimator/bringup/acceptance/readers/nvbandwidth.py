"""The slowest copies out of what nvbandwidth prints (calibration/paths/nvbandwidth.py)."""

from estimator.bringup.acceptance.readers.reading import Measured
from estimator.calibration.paths.nvbandwidth import HOST, PEER, copies_of, is_nvbandwidth
from estimator.errors import Problem, SpecError

__all__ = ["is_nvbandwidth", "read"]


def read(name: str, text: str) -> list[Measured]:
    """The slowest copy with the host, and the slowest between GPUs, of those that it has. [GB/s]

    Raises
    ------
    SpecError
        If it holds neither.
    """
    copies = list(copies_of(text))
    host = [(copy.gb_s, f"GPU {copy.column}, {HOST[copy.case]}") for copy in copies if copy.case in HOST]
    peer = [
        (copy.gb_s, f"GPU {copy.row} and {copy.column}")
        for copy in copies
        if copy.case in PEER and copy.row != copy.column
    ]
    found = [
        Measured(tool, *min(values)[:1], detail=min(values)[1])
        for tool, values in (("pcie", host), ("nvlink", peer))
        if values
    ]
    if not found:
        message = f"{name}: no copy between host and GPU, or between GPUs. Run {', '.join((*HOST, PEER[0]))}."
        raise SpecError([Problem("results", "no_rows", message)])
    return found
