"""What the author of a board pack says of it, and what a comparison must be to be shown to a board."""

from typing import NamedTuple

from estimator.compare.result import ComparisonResult
from estimator.errors import Problem, SpecError

FEWEST, MOST = 2, 5
LONGEST_TITLE, LONGEST_REASON = 120, 600


class BoardRequest(NamedTuple):
    """What its author says of a paper; ``recommended`` is a side, None for the one that the figures point to."""

    title: str
    subtitle: str = ""
    recommended: int | None = None
    reason: str = ""
    logo: bytes | None = None


def checked_request(request: BoardRequest, result: ComparisonResult) -> BoardRequest:
    """The request of a comparison that a board can be shown.

    Raises
    ------
    SpecError
        For too many options, a title that is too long, or a side that is not there.
    """
    problems = []
    n = len(result.items)
    if not FEWEST <= n <= MOST:
        message = f"A board pack shows {FEWEST} to {MOST} options, and this comparison has {n}. Take some out of it."
        problems.append(Problem("", "too_many_options", message))
    for field, text, most in (
        ("title", request.title, LONGEST_TITLE),
        ("subtitle", request.subtitle, LONGEST_TITLE),
        ("reason", request.reason, LONGEST_REASON),
    ):
        if len(text) > most:
            message = f"At most {most} characters, and {len(text):,} were given. Write less."
            problems.append(Problem(field, "out_of_range", message))
    if request.recommended is not None and not 0 <= request.recommended < n:
        message = f"There are {n} options, counted from 0, and {request.recommended} was named. Name another, or none."
        problems.append(Problem("recommended", "out_of_range", message))
    if problems:
        raise SpecError(problems)
    return request
