"""Lines of a file that gave no link: how many, and why."""

from collections.abc import Mapping, Sequence

from estimator.asbuilt.readers.found import REASONS
from estimator.asbuilt.result import DroppedLine
from estimator.record import Json

EXAMPLES = 3


def by_reason(dropped: Sequence[DroppedLine], totals: Mapping[str, int]) -> list[Json]:
    """Why lines gave no link: how many, and the first few of each reason."""
    return [
        {
            "total": total,
            "reason": REASONS[code],
            "examples": [line for line in dropped if line.code == code][:EXAMPLES],
        }
        for code, total in totals.items()
    ]
