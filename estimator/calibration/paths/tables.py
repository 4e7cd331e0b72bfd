"""Cells of tables that tools print."""

from math import isfinite

from estimator.calibration.logs.separators import has_separators, is_figure, joined, plain_whole, readings
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError


def figure(word: str) -> float | None:
    """A rate or time; None for N/A, and for 0, which some versions print where nothing was measured.

    Raises
    ------
    SpecError
        If its sign may part thousands or decimals: to leave it out would be to read the file in part.
    """
    if has_separators([word]):
        values = {reading[0] for reading in readings([word])}
        if len(values) > 1:
            both = " or ".join(sorted(values, key=float))
            message = f"“{word}” may be {both}. Print the figures of the tool without signs between thousands."
            raise SpecError([Problem("log", "unclear_number", message)])
        word = values.pop()
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None


def without_groups(words: list[str]) -> list[str]:
    """The cells of a row with the two whole numbers before its first fraction, bytes and iterations, in plain digits.

    A size is a power of two, which sets it apart from its last groups; where nothing does, there are no cells.
    """
    words = [word if word.count(".") == 1 else plain_whole(word) for word in words]  # 1.234 is a figure
    end = next((at for at, word in enumerate(words) if not is_whole_number(word, 20) and is_figure(word)), 0)
    start = next((at + 1 for at in reversed(range(end)) if not is_whole_number(words[at], 20)), 0)
    if end - start < 2:
        return words
    found = joined(words[start:end], lambda size, _: size > 0 and size & (size - 1) == 0)
    if found is None:
        return []
    taken, size, count = found
    return [*words[: end - taken], size, count, *words[end:]]
