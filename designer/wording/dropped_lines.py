"""Lines of a file that gave no link: how many, and why."""

from typing import Any

from estimator.asbuilt.readers.found import REASONS

EXAMPLES = 3


def by_reason(read: dict[str, Any]) -> list[dict[str, Any]]:
    """Why lines gave no link: how many, and the first few of each reason."""
    return [
        {
            "total": total,
            "reason": REASONS[code],
            "examples": [drop for drop in read["dropped"] if drop["code"] == code][:EXAMPLES],
        }
        for code, total in read["dropped_by_reason"].items()
    ]
