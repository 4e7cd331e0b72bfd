"""Lines of a file that gave no link: how many, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from estimator.asbuilt.readers.found import REASONS
from estimator.asbuilt.result import DroppedLine

EXAMPLES = 3


def by_reason(dropped: Sequence[DroppedLine], totals: Mapping[str, int]) -> list[dict[str, Any]]:
    """Why lines gave no link: how many, and the first few of each reason."""
    return [
        {
            "total": total,
            "reason": REASONS[code],
            "examples": [line for line in dropped if line.code == code][:EXAMPLES],
        }
        for code, total in totals.items()
    ]
