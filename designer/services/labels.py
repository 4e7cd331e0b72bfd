"""Short texts that users give: the name of a thing of theirs, a vendor, a region."""

from estimator.errors import Problem, SpecError

MAX_NAME = 200


def checked_label(field: str, text: str, most: int, least: int = 0) -> str:
    """A text without blanks around it; ``field`` is what the message calls it.

    Raises
    ------
    SpecError
        If it is shorter or longer than allowed, or holds characters that cannot be printed.
    """
    label = text.strip()
    if not least <= len(label) <= most or not label.isprintable():
        bounds = f"{least} to {most:,}" if least else f"at most {most:,}"
        message = f"A {field} has {bounds} printable characters, and this one has {len(label):,}."
        raise SpecError([Problem(field, "out_of_range", message)])
    return label


def checked_name(name: str) -> str:
    """A name without blanks around it; it may not be empty."""
    return checked_label("name", name, MAX_NAME, 1)
