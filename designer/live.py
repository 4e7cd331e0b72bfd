"""What the form says now, estimated at once: the figures, findings and diagram beside it, or the problems in the way."""

from collections.abc import Iterable
from typing import Any

from designer.charts import headline
from designer.differences import proposal
from designer.findings_tab import worst_first
from designer.forms import DesignForm, problems_for_page
from designer.headlines import headlines
from designer.spec_keys import answered_texts, field_name
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.pipeline import estimate
from estimator.spec import DesignSpec, spec_hash

# What the strip and the findings need, and no more: growth would size three designs at each key.
LIVE_PARTS = ("counts", "cables", "bom", "cost", "percentiles", "all_reduce", "spares")


def live_context(form: DesignForm, spec: DesignSpec | None, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """Figures of a spec at once, with nothing stored; or the problems that stand in the way. ``known``: its estimate."""
    problems = [Problem(field_name(name) if name != "__all__" else "", error.code or "", str(error.message),
                        form.changes.get((name, str(error.message))))
                for name, errors in form.errors.as_data().items() for error in errors]  # fmt: skip
    if spec is None:
        return {"problems": told(problems)}
    try:
        result = known or estimate([spec], load_catalog(), parts=LIVE_PARTS)[0].as_json()
    except EstimatorError as error:
        return {"problems": told(problems or error.problems, spec.as_json()["other_fabrics"])}
    return {
        "estimate": result,
        "compute": result["fabrics"]["compute"],
        "findings": worst_first(result["findings"]),
        "busbw": headline(result.get("performance")),
        "headlines": headlines(result),
        "spec_hash": spec_hash(spec),
        "computed": answered_texts(result, load_catalog()),
    }


def told(problems: Iterable[Problem], entries: Any = None) -> list[dict[str, Any]]:
    """Problems with the field of each, and with the change that would end it where the form can make it."""
    found = list(problems)
    rows = problems_for_page(found, entries)
    return [row | {"proposal": proposal(one.change, load_catalog())} for row, one in zip(rows, found, strict=True)]
