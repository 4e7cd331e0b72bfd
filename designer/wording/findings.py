"""Findings in the order in which they are read, and how many need a decision."""

from collections.abc import Iterable
from typing import NamedTuple

from estimator.findings.finding import SEVERITY_ORDER, Finding


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
        words = (
            "Can be built; some parts have no price" if lacks_prices else "Can be built as requested; nothing to heed"
        )
        return Verdict(words, "warning" if lacks_prices else "good")
    n_errors = sum(finding.severity == "error" for finding in ordered)
    heed = "1 finding to heed" if n_heeded == 1 else f"{n_heeded} findings to heed"
    what = f"{n_errors} to correct first" if n_errors else heed
    return Verdict(f"Can be built; {what}", ordered[0].severity)
