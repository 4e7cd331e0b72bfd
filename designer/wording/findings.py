"""Findings in the order in which they are read, and how many need a decision."""

from collections.abc import Mapping
from typing import Any

SEVERITIES = ("error", "warning", "info")


def worst_first(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Errors, then warnings, then notes; in the given order among their like."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding["severity"]))


def n_to_heed(result: Mapping[str, Any]) -> int:
    """How many findings are more than notes."""
    return sum(finding["severity"] != "info" for finding in result.get("findings", []))
