"""A fault put into one file of a clean set, and the line on which its finding stands."""

import re
from typing import NamedTuple


class Seed(NamedTuple):
    """``old``, a pattern, becomes ``new`` after ``after``; the finding is on the line of ``at``, or of the change."""

    code: str
    set: str
    file: str
    device: str
    old: str
    new: str
    after: str = ""
    at: str = ""


def seeded_text(text: str, seed: Seed) -> tuple[str, int]:
    """The text with the change, and where in it the change or ``at`` begins, blanks left out."""
    start = text.index(seed.after) if seed.after else 0
    match = re.compile(seed.old).search(text, start)
    assert match, seed
    changed = text[: match.start()] + match.expand(seed.new) + text[match.end() :]
    assert changed != text
    if seed.at:
        at = changed.index(seed.at, min(start, len(changed)))
        return changed, at + len(seed.at) - len(seed.at.lstrip())
    return changed, match.start() + len(match[0]) - len(match[0].lstrip())
