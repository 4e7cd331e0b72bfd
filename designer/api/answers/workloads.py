"""The shapes of what `training/` and `inference/` answer, for the OpenAPI document. A test compares them with real answers."""

from typing import Annotated

from designer.api.answers.shapes import written
from designer.api.components import component
from estimator.errors import Problem
from estimator.record import LEFT_OUT, IfAny, Json, Record
from estimator.workloads.runs.goodput import TrainingRun
from estimator.workloads.serving.answer import BatchRow, Placement, ServedLayout
from estimator.workloads.serving.pools import Comparison
from estimator.workloads.serving.search import Advice
from estimator.workloads.training.answer import StepAnswer

System = Annotated[Json | None, LEFT_OUT, {"$ref": "#/components/schemas/System"}]  # part of a PredictionRequest


class StackFactor(Record):
    """What measured steps say of a stack."""

    factor: float
    """Measured over predicted seconds."""


class TrainingAnswer(StepAnswer):
    """A step of one layout."""

    run: IfAny[TrainingRun]
    calibration: IfAny[StackFactor]
    system: System
    """Of a design: what it was predicted as."""
    spec_hash: IfAny[str]
    """Of a design."""


class TrainingSearchAnswer(Record):
    """The best layouts, where a request has none."""

    layouts: list[TrainingAnswer]
    looked_at: int
    refused: dict[str, int]
    """Layouts that were left out, by reason."""
    gpus: int
    calibration: IfAny[StackFactor]
    system: System
    spec_hash: IfAny[str]


class PoolLayout(ServedLayout):
    """Degrees of each worker of a pool."""

    workers: int


class PoolLayouts(Record):
    """A disaggregated placement."""

    prefill: PoolLayout
    decode: PoolLayout


EitherLayout = Annotated[Json | None, LEFT_OUT, {"anyOf": [written(ServedLayout), written(PoolLayouts)]}]


class InferenceAnswer(Placement):
    """One placement of a model, and what it serves."""

    layout: EitherLayout  # type: ignore[assignment]
    """Of a search: the layout that was found, or those of two pools."""
    system: System
    """Of a design: what it was predicted as."""
    spec_hash: IfAny[str]
    """Of a design."""


class PoolsCompared(Comparison):
    """Pools of prefill and decode beside the same GPUs for both."""

    aggregated: InferenceAnswer | None
    """The best placement without pools."""


class InferenceSearchAnswer(Record):
    """The placements worth knowing, where a request has no layout."""

    placements: list[InferenceAnswer]
    pareto: list[int]
    """Positions of those that no other beats in both speed and tokens a GPU."""
    best: InferenceAnswer | None
    advice: list[Advice]
    looked_at: int
    fits: int
    left_out: IfAny[dict[str, int]]
    """Layouts of pools that were left out before pairing, by reason."""
    comparison: IfAny[PoolsCompared]
    system: System
    spec_hash: IfAny[str]


class InferenceBatchAnswer(Record):
    """Times of single batches, of mode batch."""

    rows: list[BatchRow]
    system: System
    spec_hash: IfAny[str]


class WorkloadRefusal(Record):
    """One request of a list that is refused, in its place."""

    code: str
    problems: list[Problem]


def _answers(name: str, *kinds: type[Record]) -> Json:
    """What a call answers: one of these; of a list of requests, a list of them and of refusals."""
    one = [written(kind) for kind in kinds]
    several = {"type": "array", "items": {"anyOf": [*one, written(WorkloadRefusal)]}}
    return {"anyOf": [*one, component(f"{name}Answers", several)]}


TRAINING_ANSWERS = _answers("Training", TrainingSearchAnswer, TrainingAnswer)
INFERENCE_ANSWERS = _answers("Inference", InferenceSearchAnswer, InferenceAnswer, InferenceBatchAnswer)
