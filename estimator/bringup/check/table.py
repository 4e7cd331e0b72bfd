"""Findings as a table: a row each, for spreadsheets and tickets."""

from estimator.bringup.check.result import SettingFinding, SettingsCheck
from estimator.handoff.cells import Cell, csv_blocks, guarded

COLUMNS = (
    "severity",
    "device",
    "file",
    "line",
    "code",
    "message",
    "expected",
    "found",
    "cost_figure",
    "cost_from",
    "cost_to",
    "cost_to_low",
    "cost_to_high",
    "fix",
)


def findings_csv(answer: SettingsCheck) -> str:
    """The findings in their order as CSV."""
    return "".join(csv_blocks(COLUMNS, (_cells(one) for one in answer.findings)))


def _cells(one: SettingFinding) -> tuple[Cell, ...]:
    """A row; what stood in an upload is no formula of a spreadsheet."""
    cost = one.cost
    figures = (cost.figure, cost.from_, cost.to, cost.to_low, cost.to_high) if cost else ("", "", "", "", "")
    texts = (one.severity, one.device, one.file, one.line, one.code, one.message, one.expected, one.found)
    return tuple(map(guarded, (*texts, *figures, one.fix)))
