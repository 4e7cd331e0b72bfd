"""What the form says now, estimated at once: the figures, findings and diagram beside it, or the problems in the way."""

from designer.forms.changes import problem_rows
from designer.forms.design import DesignForm
from designer.forms.keys import answered_texts, field_name
from designer.services.designs.figures import LIVE_PARTS
from designer.wording.context import Context
from designer.wording.findings import worst_first
from designer.wording.headlines import headlines
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec, spec_hash


def live_context(form: DesignForm, spec: DesignSpec | None, known: PricedEstimate | None = None) -> Context:
    """Figures of a spec at once, with nothing stored; or the problems that stand in the way. ``known``: its estimate."""
    problems = [
        Problem(
            field_name(name) if name != "__all__" else "",
            error.code or "",
            str(error.message),
            form.changes.get((name, str(error.message))),
        )
        for name, errors in form.errors.as_data().items()
        for error in errors
    ]
    if spec is None:
        return {"problems": problem_rows(problems)}
    try:
        made = known or PricedEstimate.of(estimate([spec], load_catalog(), parts=LIVE_PARTS)[0])
    except EstimatorError as error:
        return {"problems": problem_rows(problems or error.problems, spec.as_json()["other_fabrics"])}
    return {
        "estimate": made,
        "compute": made.compute,
        "findings": worst_first(made.findings),
        "headlines": headlines(made),
        "spec_hash": spec_hash(spec),
        "computed": answered_texts(made, load_catalog()),
    }
