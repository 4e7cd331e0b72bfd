"""One model trained and one served on every design of a comparison, side by side: tokens, time, dollars, with bands."""

from collections.abc import Callable, Mapping, Sequence

from designer.forms.workloads import ServingForm, TrainingForm, serving_form, training_form
from designer.models import Comparison
from designer.services.comparison_sides import Side
from designer.services.comparisons import sides_of
from designer.services.workloads.answer import CountedModel, WorkloadConstant, counted_model, workload_constants
from designer.services.workloads.links import OnDesign, usual_stops
from designer.services.workloads.own_models import shape_named
from designer.services.workloads.serving import DesignPlacement, searched_placements
from designer.services.workloads.training import run_of, searched_layouts
from designer.wording.layouts import layout_words
from estimator.catalog.loader import load_catalog
from estimator.compare import figures
from estimator.compare.comparison import side_of
from estimator.compare.figures import HIGH, LOW, Figure, Getter, Value, compared_figure
from estimator.compare.request import Offer
from estimator.compare.result import ComparedFigure
from estimator.compare.verdicts import Verdicts
from estimator.errors import EstimatorError, SpecError
from estimator.pipeline import system_of_design
from estimator.ranges import Range
from estimator.record import Given, Record
from estimator.result import Versions
from estimator.training_request import rate_of
from estimator.version import MODEL_VERSION
from estimator.wording import in_sentence, percent_of
from estimator.workloads.runs.goodput import TrainingRun
from estimator.workloads.serving.answer import usd_per_million_tokens
from estimator.workloads.training.answer import StepAnswer

TRAINING, SERVING = "Training", "Serving"
NO_DESIGN = "An offer has no network that a model could run on."
NO_LAYOUT = "No layout of the model to train fits on its GPUs."
NO_PLACEMENT = "No placement of the model to serve meets what is required on its GPUs."
NO_DIFFERENCE = "no difference that these bands can show"


class WorkloadSide(Record):
    """One side: the layout and the placement that its figures are of, and why it has none."""

    label: str
    gpus: int | None
    spec_hash: str | None
    layout: str | None
    placement: str | None
    why_not: list[str]


class WorkloadSentence(Record):
    """One side against the baseline in words."""

    of: int
    words: str


class WorkloadComparison(Record):
    """Designs compared by tokens and dollars. Lists of a figure have an entry for each side."""

    baseline: int
    versions: Versions
    """Of the model and the catalog that the workloads were predicted by."""
    training_asked: dict[str, str]
    training_model: CountedModel
    serving_asked: dict[str, str]
    serving_model: CountedModel
    items: list[WorkloadSide]
    figures: list[ComparedFigure]
    summary: list[WorkloadSentence]
    constants: list[WorkloadConstant]


class Found:
    """What was found for one side."""

    def __init__(self, on: OnDesign | None, spec_hash: str | None, why_not: list[str]) -> None:
        self.on, self.spec_hash, self.why_not = on, spec_hash, why_not
        self.step: StepAnswer | None = None
        self.run: TrainingRun | None = None
        self.placement: DesignPlacement | None = None

    def train(self, form: TrainingForm) -> None:
        """Look for the best layout."""
        if self.on is None:
            return
        layouts = searched_layouts(form, self.on).layouts
        if layouts:
            self.step, self.run = layouts[0], run_of(form, layouts[0], self.on)
        else:
            self.why_not.append(NO_LAYOUT)

    def serve(self, form: ServingForm) -> None:
        """Look for the best placement."""
        if self.on is None:
            return
        self.placement = searched_placements(form, self.on).best
        if self.placement is None:
            self.why_not.append(NO_PLACEMENT)


def compared_forms(row: Comparison, query: Given) -> tuple[TrainingForm, ServingForm]:
    """The forms as an address fills them in; every design trains with one batch, by default a sequence a GPU of the largest."""
    most = max((side.estimate.fabrics["compute"].counts.gpus for side in sides_of(row) if side.estimate), default=1)
    forms = training_form(query, most), serving_form(query)
    for form in forms:  # a comparison has its sides
        for name in ("train_beside", "beside"):
            form.fields.pop(name, None)
    return forms


def compared_workloads(row: Comparison, training: TrainingForm, serving: ServingForm) -> WorkloadComparison:
    """The same model, batch and load on every design of a comparison.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the forms' fields.
    """
    sides = sides_of(row)
    found = [_found(side) for side in sides]
    _on_each(found, lambda one: one.train(training))
    _on_each(found, lambda one: one.serve(serving))
    made = [
        side_of(side.estimate or Offer.model_validate(side.offer), side.label or f"Side {at}")
        for at, side in enumerate(sides, 1)
    ]
    by_label = {side.label: one for side, one in zip(made, found, strict=True)}
    verdicts = Verdicts([side.estimate for side in made])
    rows = [compared_figure(figure, made, row.baseline, verdicts) for figure in _figures(by_label)]
    rows = [one for one in rows if any(one.values)]
    models = [
        shape_named(form.texts()[name], name) for form, name in ((training, "train_model"), (serving, "serve_model"))
    ]
    return WorkloadComparison(
        baseline=row.baseline,
        versions=Versions(model=MODEL_VERSION, catalog=load_catalog().version),
        training_asked=training.texts(),
        training_model=counted_model(models[0]),
        serving_asked=serving.texts(),
        serving_model=counted_model(models[1]),
        items=[_item(label, one) for label, one in by_label.items()],
        figures=rows,
        summary=_summary(rows, row.baseline, list(by_label)),
        constants=workload_constants(),
    )


def _found(side: Side) -> Found:
    """One side's design as workloads take it, or why it cannot be."""
    if side.spec is None or side.estimate is None:
        return Found(None, None, [NO_DESIGN])
    try:
        built = system_of_design(side.spec, load_catalog())
    except EstimatorError as error:  # said beside the side; the others are compared all the same
        return Found(None, side.estimate.spec_hash, [error.words()])
    return Found(
        OnDesign(built.system, built.n_gpus, side.estimate.usd_per_priced_gpu_hour, usual_stops()),
        built.spec_hash,
        [],
    )


def _on_each(found: Sequence[Found], search: Callable[[Found], None]) -> None:
    """Search on every design. What one of them cannot do, such as a precision, stands beside it.

    Raises
    ------
    SpecError
        Where no design can: then the request is wrong.
    """
    refused = []
    designs = [one for one in found if one.on]
    for one in designs:
        try:
            search(one)
        except SpecError as error:
            one.why_not += [problem.message for problem in error.problems]
            refused.append(error)
    if refused and len(refused) == len(designs):
        raise refused[0]


def _item(label: str, one: Found) -> WorkloadSide:
    return WorkloadSide(
        label=label,
        gpus=one.on.gpus if one.on else None,
        spec_hash=one.spec_hash,
        layout=layout_words(one.step.parallel) if one.step else None,
        placement=one.placement.label if one.placement else None,
        why_not=one.why_not,
    )


# --- Figures -----------------------------------------------------------------------------------------------------
def _figures(found: Mapping[str, Found]) -> list[Figure]:
    """The rows of the table; their ends hold nine runs in ten, and of dollars the design's range of costs besides."""

    def of(read: Callable[[Found], Range[float] | None]) -> Getter:
        def get(side: figures.Side) -> Value | None:
            ends = read(found[side.label])
            return Value(ends) if ends else None

        return get

    def row(key: str, label: str, unit: str, group: str, read: Callable[[Found], Range[float] | None]) -> Figure:
        better = HIGH if unit == "tokens_s" else LOW
        return Figure(key, label, unit, group, of(read), better, scales=key == "tokens_per_s", has_band=True)

    return [
        row(
            "tokens_per_s", "Tokens a second", "tokens_s", TRAINING, lambda one: rate_of(one.step) if one.step else None
        ),
        row("tokens_per_s_per_gpu", "Tokens a second of each GPU", "tokens_s", TRAINING, _rate_per_gpu),
        row("step_s", "Time of a step, s", "s", TRAINING, _step),
        row("days", "Days to train", "days", TRAINING, lambda one: one.run.days if one.run else None),
        row("run_usd", "Cost of the run", "usd", TRAINING, lambda one: one.run.usd if one.run else None),
        row("served_tokens_per_s_per_gpu", "Output tokens a second of each GPU", "tokens_s", SERVING, _served),
        row("served_usd_per_million_tokens", "A million output tokens", "usd_hour", SERVING, _served_usd),
        row("tpot_ms", "Time per token, ms", "ms", SERVING, _tpot),
        row("ttft_ms", "First token, ms", "ms", SERVING, _ttft),
    ]


def _rate_per_gpu(one: Found) -> Range[float] | None:
    gpus = one.on.gpus if one.on else 1
    return rate_of(one.step).each(lambda rate: rate / gpus) if one.step else None


def _step(one: Found) -> Range[float] | None:
    return Range(one.step.step_s_low, one.step.step_s, one.step.step_s_high) if one.step else None


def _tpot(one: Found) -> Range[float] | None:
    row = one.placement.row if one.placement else None
    return Range(row.tpot_ms_low, row.tpot_ms, row.tpot_ms_high) if row else None


def _ttft(one: Found) -> Range[float] | None:
    row = one.placement.row if one.placement else None
    return Range(row.ttft_ms_low, row.ttft_ms, row.ttft_ms_high) if row else None


def _served(one: Found) -> Range[float] | None:
    """Output tokens a second a GPU: as far off as the time per token."""
    row = one.placement.row if one.placement else None
    if row is None:
        return None
    rate = row.tokens_per_s_per_gpu
    return Range(rate * row.tpot_ms / row.tpot_ms_high, rate, rate * row.tpot_ms / row.tpot_ms_low)


def _served_usd(one: Found) -> Range[float] | None:
    rate, hour = _served(one), one.on.usd_per_gpu_hour if one.on else None
    if rate is None or hour is None:
        return None
    ends = [usd_per_million_tokens(*pair) for pair in zip(hour, (rate.high, rate.typical, rate.low), strict=True)]
    low, typical, high = (one for one in ends)
    return None if low is None or typical is None or high is None else Range(low, typical, high)


# --- Words -------------------------------------------------------------------------------------------------------
SAID = {
    "tokens_per_s": ("trains", "faster", "slower"),
    "run_usd": ("the run costs", "more", "less"),
    "served_tokens_per_s_per_gpu": ("each GPU serves", "more tokens", "fewer tokens"),
    "served_usd_per_million_tokens": ("a million output tokens cost", "more", "less"),
}


def _summary(rows: Sequence[ComparedFigure], baseline: int, labels: Sequence[str]) -> list[WorkloadSentence]:
    """Each side against the baseline: what the bands show, and in what they show nothing."""
    said = [row for row in rows if row.key in SAID]
    out = []
    for at, label in enumerate(labels):
        compared = [row for row in said if (found := row.differences[at]) and found.relative is not None]
        if at == baseline or not compared:
            continue
        shown = [_said(row, at) for row in compared if not _is_open(row, at)]
        alike = [in_sentence(row.label) for row in compared if _is_open(row, at)]
        parts = shown + ([f"{NO_DIFFERENCE} in {', '.join(alike)}"] if alike else [])
        out.append(WorkloadSentence(of=at, words=f"{label} against {labels[baseline]}: {'; '.join(parts)}."))
    return out


def _is_open(row: ComparedFigure, at: int) -> bool:
    found = row.differences[at]
    return found is not None and bool(found.is_about_same or found.is_undecided)


def _said(row: ComparedFigure, at: int) -> str:
    found = row.differences[at]
    share = (found.relative or 0.0) if found else 0.0
    verb, more, less = SAID[row.key]
    each = " a GPU" if row.is_per_gpu else ""
    return f"{verb} {percent_of(share)} {more if share > 0 else less}{each}"
