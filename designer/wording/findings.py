"""Findings in the order in which they are read, and how many need a decision."""

from collections.abc import Iterable

from estimator.findings.finding import SEVERITY_ORDER, Finding


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; in the given order among their like."""
    return sorted(findings, key=lambda finding: SEVERITY_ORDER[finding.severity])


def n_to_heed(findings: Iterable[Finding]) -> int:
    """How many findings are more than notes."""
    return sum(finding.severity != "info" for finding in findings)
