"""What the form says now, estimated at once: the figures, findings and diagram beside it, or the problems in the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from designer.forms.changes import problem_rows
from designer.forms.design import DesignForm
from designer.forms.keys import answered_texts, field_name
from designer.services.designs.figures import LIVE_PARTS
from designer.wording.context import Context
from designer.wording.findings import worst_first
from designer.wording.headlines import Headlines, headlines
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec, spec_hash


@dataclass(frozen=True, slots=True)
class Live:
    """What stands beside a form: the figures of its request, or the problems in their way."""

    problems: Sequence[Context] = ()
    estimate: PricedEstimate | None = None
    headlines: Headlines | None = None
    spec_hash: str = ""
    computed: Mapping[str, str] = field(default_factory=dict)

    @property
    def context(self) -> Context:
        """What a template is given of it."""
        if self.estimate is None:
            return {"problems": self.problems}
        return {
            "estimate": self.estimate,
            "compute": self.estimate.compute,
            "findings": worst_first(self.estimate.findings),
            "headlines": self.headlines,
            "spec_hash": self.spec_hash,
            "computed": self.computed,
        }


def live(form: DesignForm, spec: DesignSpec | None, known: PricedEstimate | None = None) -> Live:
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
        return Live(problem_rows(problems))
    try:
        made = known or PricedEstimate.of(estimate([spec], load_catalog(), parts=LIVE_PARTS)[0])
    except EstimatorError as error:
        entries = [other.model_dump(mode="json") for other in spec.other_fabrics]
        return Live(problem_rows(problems or error.problems, entries))
    return Live((), made, headlines(made), spec_hash(spec), answered_texts(made, load_catalog()))
