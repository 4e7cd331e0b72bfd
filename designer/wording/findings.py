"""Findings in the order in which they are read, how many need a decision, and sentences in the units of who reads them."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from designer.wording.numbers import (
    NO_BREAK_SPACE,
    USUAL,
    chosen,
    gb_s,
    rounded,
    significant,
    usd,
    usd_cents,
    usd_exact,
    usd_small,
)
from estimator.errors import FigureUnit, Part, Problem
from estimator.findings.finding import SEVERITY_ORDER, Finding
from estimator.units import BITS_PER_BYTE, M_PER_FOOT, counted

OTHER_RATIO = "ratio_not_whole"  # built with another oversubscription than the one that was requested


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; in the given order among their like."""
    return sorted(findings, key=lambda finding: SEVERITY_ORDER[finding.severity])


def n_to_heed(findings: Iterable[Finding]) -> int:
    """How many findings are more than notes."""
    return sum(finding.severity != "info" for finding in findings)


class Verdict(NamedTuple):
    """A design in one line: what it comes to, and how it is coloured; its findings stand above every tab."""

    words: str
    tone: str


def verdict(findings: Iterable[Finding], *, lacks_prices: bool) -> Verdict:
    """What the findings and prices of a design that can be built come to."""
    ordered = worst_first(findings)
    n_heeded = n_to_heed(ordered)
    if not n_heeded:
        if lacks_prices:
            return Verdict("Can be built; some parts have no price", "warning")
        is_as_requested = all(finding.code != OTHER_RATIO for finding in ordered)
        return Verdict(f"Can be built{' as requested' if is_as_requested else ''}; no warnings", "good")
    n_errors = sum(finding.severity == "error" for finding in ordered)
    what = f"{counted(n_errors, 'error')} to correct first" if n_errors else counted(n_heeded, "warning")
    return Verdict(f"Can be built; {what}", ordered[0].severity)


# ---------------------------------------------------------------- sentences of the core, in chosen units

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_STEPS = {"": 1.0, "k": 1e3, "M": 1e6, "bn": 1e9}
_DOLLARS = re.compile(
    rf"\$({_NUMBER})(?:[{NO_BREAK_SPACE} ]?(M|bn|k)(?!\w))?|(?<![\w.$])({_NUMBER})[{NO_BREAK_SPACE} ]USD(?![\w/])"
)
_ALSO = rf"((?:{_NUMBER}(?: to | or | and |, |–|-))*{_NUMBER})"
"""One figure, or several before the unit that they share: "313 to 430 GB/s", "20, 30 and 50 m"."""
_BYTES = re.compile(rf"(?<![\w.$]){_ALSO}([{NO_BREAK_SPACE} ])([kMGTP]?)B/s(?!\w)")
_METRES = re.compile(rf"(?<![\w.$]){_ALSO}([{NO_BREAK_SPACE} -])(m|metre|metres)(?![\w/²³])")
_FEET = {"m": "ft", "metre": "foot", "metres": "feet"}
_EXACT_DIGITS = 3
_IN_CENTS = re.compile(r"\.\d\d$")
"""What a vendor wrote, as 41,000.00 USD: its zeros are digits too."""


def sentence(text: str) -> str:
    """``text`` as it is read: "costs $82,970 more over 30 m" → "costs €76,812 more over 98.4 ft".

    The core writes US dollars, GB/s and metres, and its sentences are kept as they are. Words that users wrote, names of parts
    and files of other tools do not come here. What is converted already has no such unit any more.
    """
    now = chosen()
    if now == USUAL or not text:
        return text
    if now.rate:
        text = _DOLLARS.sub(_amount, text)
    if now.in_bits:
        text = _BYTES.sub(lambda found: f"{_each(found[1], BITS_PER_BYTE)}{found[2]}{found[3]}b/s", text)
    if now.in_feet:
        text = _METRES.sub(lambda found: f"{_each(found[1], 1 / M_PER_FOOT)}{found[2]}{_FEET[found[3]]}", text)
    return text


PRINTERS: dict[FigureUnit, Callable[[float], str]] = {"GB/s": gb_s}


def on_page(text: str, parts: Iterable[Part] | None) -> str:
    """A sentence in parts, figures in the reader's unit; ``text`` where it has no parts, as those kept by older versions."""
    return "".join(map(_printed, parts)) if parts else text


def problem_words(problem: Problem) -> str:
    """A problem's message on a page: labels in the place of keys, figures in the reader's unit."""
    return on_page(problem.message, problem.parts)


def _printed(part: Part) -> str:
    if part.value is not None and part.unit is not None:
        return PRINTERS[part.unit](part.value)
    return part.text if part.page is None else part.page


def _amount(found: re.Match[str]) -> str:
    number, step = found[1] or found[3], found[2] or ""
    value = float(number.replace(",", "")) * _STEPS[step]
    if not step and value >= 1 and _IN_CENTS.search(number):
        return usd_cents(value)
    digits = number.replace(",", "").replace(".", "").strip("0")
    is_exact = not step and len(digits) > _EXACT_DIGITS
    return usd_exact(value) if is_exact else usd_small(value) if value < 1 else usd(value)


def _each(figures: str, factor: float) -> str:
    def converted(found: re.Match[str]) -> str:
        value = float(found[0].replace(",", "")) * factor
        return rounded(value) if "." in found[0] else significant(value)

    return re.sub(_NUMBER, converted, figures)
