"""Refusals of designs that a format cannot hold."""

from estimator.errors import Problem, SpecError
from estimator.handoff.formats import FORMATS


def refuse_above(limit: int, value: int, format_name: str, of: str, why: str, instead: tuple[str, ...]) -> None:
    """Refuse ``value`` things above ``limit``, with the reason and the formats that take any number.

    Raises
    ------
    SpecError
        With the limit, the value and what to use instead.
    """
    if value <= limit:
        return
    others = " or ".join(f"{FORMATS[name].label} ({name})" for name in instead)
    message = (
        f"A {FORMATS[format_name].label} file holds {limit:,} {of}, and this design has {value:,}: {why}. "
        f"Take {others}, or a smaller design."
    )
    raise SpecError([Problem("format", "too_large_for_format", message)])
