"""The findings tab: what an architect should know, what could be changed, what a failure costs, and room to grow."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from designer.forms.changes import difference, label_of, on_button
from designer.forms.keys import ALL_KEYS, field_name
from designer.wording.context import Context
from designer.wording.findings import worst_first
from estimator.catalog.loader import load_catalog
from estimator.digits import is_whole_number
from estimator.errors import Change
from estimator.findings.finding import SEVERITY_ORDER, Finding
from estimator.result import PricedEstimate

T = TypeVar("T")


class FindingRow(NamedTuple):
    """A finding with its number in the estimate, the name and input of its key, and what its change would change."""

    finding: Finding
    number: int
    label: str
    input: str
    difference: list[Context]


def findings_context(estimate: PricedEstimate) -> Context:
    """Findings, worst first, each with the difference that its proposed change would make."""
    catalog, spec, findings = load_catalog(), estimate.spec.as_json(), estimate.findings
    numbers = {id(finding): number for number, finding in enumerate(findings, 1)}
    rows = [
        FindingRow(
            finding,
            numbers[id(finding)],
            label_of(finding.field, spec) if finding.field else "",
            field_name(finding.field) if finding.field in ALL_KEYS else "",
            difference(spec, finding.change or {}, catalog),
        )
        for finding in worst_first(findings)
    ]
    counts = {severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITY_ORDER}
    return {"finding_rows": rows, "finding_counts": list(counts.items())}


def way_of(estimate: PricedEstimate, code: str) -> Context | None:
    """The first finding of a code that proposes a change: its number, and the change in words; None where there is none."""
    for number, finding in enumerate(estimate.findings, 1):
        if finding.code == code and finding.change:
            return {"number": number, "text": on_button(finding.change, estimate.spec.as_json(), load_catalog())}
    return None


def change_of(findings: Sequence[Finding], number: str, choice: str = "") -> Change | None:
    """The proposed change of finding ``number``, counted from 1 as on the page; None if it proposes none.

    ``choice`` is the number of one of its choices, where it has several.
    """
    finding = _numbered(findings, number)
    chosen = _numbered(finding.choices, choice) if finding and choice else finding
    return (chosen and chosen.change) or None


def _numbered(entries: Sequence[T], number: str) -> T | None:
    return entries[int(number) - 1] if is_whole_number(number, 6) and 1 <= int(number) <= len(entries) else None
