"""Which collective a run is of and how many GPUs it had, by its rows, where nothing in the log names them.

The bus bandwidth is the algorithm's times a factor of the collective (nccl-tests, doc/PERFORMANCE.md). The count says
whether each rank counts the whole message or its part. All-to-all and send-receive cannot run in place: there the tests
print N/A for what they check in place.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from estimator.calibration.logs.lines import LogRow, Shape
from estimator.performance.collectives import BUS_FACTORS

OTHERS = ("gather", "scatter", "hypercube", "alltoallv")  # are read, and the model has none of them
NAMED = (*BUS_FACTORS, *OTHERS)
_WHOLE = 0.004  # how far from 1 a factor may be that is 1
_OTHER_NAMES = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "all_to_all": "alltoall",
    "send_recv": "sendrecv",
}
_NEVER_IN_PLACE = ("alltoall", "sendrecv", "hypercube", "alltoallv")
_MANY = 200  # GPUs from which (n − 1) ÷ n cannot be told from 1


def collective_in(text: str) -> str | None:
    """The collective that a name of a file says."""
    plain = text.lower().replace("-", "_")
    for other, usual in _OTHER_NAMES.items():
        plain = plain.replace(other, usual)
    found = [collective for collective in NAMED if collective in plain]
    return max(found, key=len) if found else None


def agrees(collective: str, rows: Sequence[LogRow], shapes: Sequence[Shape], gpus: int | None) -> bool:
    """Whether the rows can be of a collective that only the file's name says."""
    factor = factor_of(rows)
    in_place = _checked_in_place(shapes)
    if in_place is not None and in_place == (collective in _NEVER_IN_PLACE):
        return False
    if factor is None or not gpus or gpus < 2 or collective not in BUS_FACTORS:
        return True
    return abs(factor - float(BUS_FACTORS[collective](gpus))) < 0.02


def collective_of(rows: Sequence[LogRow], shapes: Sequence[Shape], gpus: int | None) -> str | None:
    """The collective by bus factor, operation, root, count and what is checked in place; None where these leave it open."""
    factor = factor_of(rows)
    if factor is None or not shapes:
        return None
    operation, root = Counter((shape.operation, shape.root) for shape in shapes).most_common(1)[0][0]
    parts, in_place = share_of(shapes), _checked_in_place(shapes)
    reduces = operation not in ("", "none")
    if factor > 1 + _WHOLE:
        return "all_reduce"
    is_whole = abs(factor - 1) < _WHOLE
    if is_whole and parts < 1.5 and (gpus is None or gpus < _MANY):
        return _of_factor_one(reduces, root)
    if reduces:
        return "reduce_scatter"
    if in_place is False:
        return "alltoall"
    return "all_gather" if in_place else None


def _of_factor_one(reduces: bool, root: str) -> str:
    if reduces:
        return "reduce" if root not in ("", "-1") else "all_reduce"  # of two GPUs
    return "broadcast" if root not in ("", "-1") else "sendrecv"


def gpus_of(rows: Sequence[LogRow], shapes: Sequence[Shape], collective: str | None) -> int | None:
    """n from 2(n − 1)/n or (n − 1)/n, where the factor is fine enough to tell; else from what each rank counts."""
    factor = factor_of(rows)
    if factor is None or collective not in ("all_reduce", "all_gather", "reduce_scatter", "alltoall"):
        return None
    share = factor / 2 if collective == "all_reduce" else factor
    parts = share_of(shapes)
    if parts >= 2 and collective != "all_reduce" and abs((parts - 1) / parts - share) < 0.01:
        return round(parts)
    n = round(1 / (1 - share)) if share < 1 else 0
    return n if 2 <= n <= 256 and abs((n - 1) / n - share) < 0.002 else None


def factor_of(rows: Sequence[LogRow]) -> float | None:
    """busbw ÷ algbw of the rows that are printed finely enough."""
    ratios = [
        row.busbw_gb_s / row.algbw_gb_s for row in rows if row.busbw_gb_s and row.algbw_gb_s and row.algbw_gb_s > 1
    ]
    return median(ratios) if ratios else None


def share_of(shapes: Sequence[Shape]) -> float:
    """The message divided by what a rank counts of it; 1 where the rows do not say."""
    found = [shape.share for shape in shapes if shape.share > 0]
    return median(found) if found else 1.0


def _checked_in_place(shapes: Sequence[Shape]) -> bool | None:
    said = [shape.in_place for shape in shapes if shape.in_place is not None]
    return None if not said else sum(said) * 2 > len(said)
