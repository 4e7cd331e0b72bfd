"""The findings tab: what an architect should know, what could be changed, what a failure costs, and room to grow."""

from collections.abc import Mapping, Sequence
from typing import Any

from designer.forms.changes import difference, label_of
from designer.forms.keys import ALL_KEYS, field_name
from designer.wording.findings import SEVERITIES, worst_first
from estimator.catalog.loader import load_catalog
from estimator.units import is_whole_number


def findings_context(result: Mapping[str, Any]) -> dict[str, Any]:
    """Findings, worst first, each with the difference that its proposed change would make."""
    catalog = load_catalog()
    rows = [
        {
            **finding,
            "number": number,
            "label": label_of(finding["field"], result["spec"]) if finding.get("field") else "",
            "input": field_name(finding["field"]) if finding.get("field") in ALL_KEYS else "",
            "difference": difference(result["spec"], finding.get("change") or {}, catalog),
            "choices": [
                choice | {"number": place, "difference": difference(result["spec"], choice["change"], catalog)}
                for place, choice in enumerate(finding.get("choices") or (), 1)
            ],
        }
        for number, finding in enumerate(result["findings"], 1)
    ]
    rows = worst_first(rows)
    counts = [{"severity": severity, "n": sum(row["severity"] == severity for row in rows)} for severity in SEVERITIES]
    return {"finding_rows": rows, "finding_counts": counts}


def change_of(result: Mapping[str, Any], number: str, choice: str = "") -> dict[str, Any] | None:
    """The proposed change of finding ``number``, counted from 1 as on the page; None if it proposes none.

    ``choice`` is the number of one of its choices, where it has several.
    """
    finding = _numbered(result.get("findings", []), number)
    chosen = _numbered((finding or {}).get("choices") or [], choice) if choice else finding
    return (chosen or {}).get("change") or None


def _numbered(entries: Sequence[dict[str, Any]], number: str) -> dict[str, Any] | None:
    return entries[int(number) - 1] if is_whole_number(number, 6) and 1 <= int(number) <= len(entries) else None
