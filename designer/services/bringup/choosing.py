"""The choices of a plan as an address has them, so that a page with choices can be shared."""

from collections.abc import Mapping
from typing import Any

from estimator.bringup.plan.choices import WEEKS, Choices, choices
from estimator.errors import Problem, SpecError

KEYS = ("addressing", "data_class", "weeks")
LONGEST = 20  # characters of a word that is looked at


def choices_asked(query: Mapping[str, Any]) -> Choices:
    """The choices that an address names; the usual ones where it names none.

    Raises
    ------
    SpecError
        For a word that is no choice, or weeks that are no number or out of range.
    """
    addressing, data_class, weeks = (_word(query.get(key)) for key in KEYS)
    return choices(addressing or "port", data_class or "lossless", _weeks(weeks))


def weeks_asked(query: Mapping[str, Any]) -> Choices:
    """The weeks alone, which are all that a checklist depends on.

    Raises
    ------
    SpecError
        As ``choices_asked``.
    """
    return Choices(weeks=choices_asked({"weeks": query.get("weeks")}).weeks)


def _word(given: Any) -> str:
    return "" if given is None else str(given).strip()[:LONGEST]


def _weeks(text: str) -> float:
    try:
        return float(text) if text else WEEKS
    except ValueError:
        message = f"Weeks are a number, such as 6 or 4.5, and {text!r} was given."
        raise SpecError([Problem("weeks", "wrong_type", message)]) from None


def kind_of(chosen: Choices, kind: str) -> str:
    """Part of a file's name, so that files of other choices differ in it: ``settings-rail``."""
    return "-".join((kind, *chosen.of_devices.values()))
