"""Files that somebody sends with a request."""

from typing import Any

from estimator.errors import Problem, SpecError

MAX_NAMES_BYTES = 20_000_000


def bytes_of(part: Any, field: str, max_bytes: int) -> bytes:
    """A part of a form, a file or a text, as bytes; empty where there is none.

    Raises
    ------
    SpecError
        If it is larger than ``max_bytes``.
    """
    data: bytes = part.read(max_bytes + 1) if hasattr(part, "read") else str(part or "").encode()
    if len(data) > max_bytes:
        raise SpecError([Problem(field, "file_too_large", f"The part {field!r} is over {max_bytes:,} bytes.")])
    return data
