"""Training and serving a model."""

from collections.abc import Iterable

from pydantic import BaseModel

from designer.api.answers.workloads import INFERENCE_ANSWERS, TRAINING_ANSWERS
from designer.api.calls import AS_FILE, BODY, call, example, file_call, json_body
from designer.api.components import body, component
from designer.api.schema.requests import DESIGN, SPEC, parts_of
from designer.api.serializers import WorkloadsFileQuery, WorkloadsQuery
from designer.exports.workloads import WORKLOAD_TYPES
from designer.services.workloads.answer import DesignWorkloads
from estimator.record import Json
from estimator.serving_request.request import ServingRequest
from estimator.training_request import TrainingRequest

_H100: Json = {"gpu": "h100-sxm", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
_STEP: Json = {"model": "llama3-8b", "parallel": {"tp": 2, "pp": 1, "global_batch": 64, "sequence": 4096}}
TRAINING_EXAMPLE: Json = {"system": _H100, "gpus": 64, **_STEP}
TRAINING_OF_DESIGN: Json = {"design": SPEC, "model": "llama3-70b", "precision": "fp8", "top": 3}
_SERVED: Json = {"model": "llama3-70b", "precision": "fp8", "concurrency": [1, 16]}
SERVING_EXAMPLE: Json = {"system": _H100, **_SERVED, "layout": {"tp": 4}}
SERVING_OF_DESIGN: Json = {"design": SPEC, **_SERVED, "top": 3}
MOST_WORKLOADS = 200  # in one call


def _workload(kind: type[BaseModel], prefix: str, numbers: Iterable[str]) -> list[Json]:
    """Bodies of a call about a workload: a request on a system or on a design, or a list of both.

    ``numbers`` are keys that take one number for a list or a distribution.
    """
    request = parts_of(kind, prefix)
    for name in numbers:
        request["properties"][name] = {"anyOf": [{"type": "number"}, request["properties"][name]]}
    asked = {key: value for key, value in request["properties"].items() if key != "system"}
    on_design = body({"design": DESIGN, **asked}, required=["design", "model"])
    one = [component(kind.__name__, request), component(f"Design{kind.__name__}", on_design)]
    several = {
        "type": "array",
        "items": {"anyOf": one},
        "maxItems": MOST_WORKLOADS,
        "description": "Answered in its order: a request that is refused has its refusal in its place, others their answer.",
    }
    return [*one, component(f"{kind.__name__}s", several)]


TRAINING = _workload(TrainingRequest, "Training", ())
SERVING = _workload(ServingRequest, "Serving", ("input_tokens", "output_tokens"))
training = call(
    "train",
    "Steps of training a model, of one layout or of the best",
    {200: TRAINING_ANSWERS},
    (*BODY, 404, 503),
    request=json_body(*TRAINING),
    examples=[example("Llama 3 8B on 64 H100", TRAINING_EXAMPLE), example("on a design", TRAINING_OF_DESIGN)],
    tags=["workloads"],
)
inference = call(
    "infer",
    "Serving a model, by one placement or by the best",
    {200: INFERENCE_ANSWERS},
    (*BODY, 404, 503),
    request=json_body(*SERVING),
    examples=[example("Llama 3 70B on H100", SERVING_EXAMPLE), example("on a design", SERVING_OF_DESIGN)],
    tags=["workloads"],
)
workloads_read = call(
    "get_workloads",
    "A model trained and a model served on a design, and its links",
    {200: DesignWorkloads},
    (404, 406, 409),
    parameters=[WorkloadsQuery],
    description=f"The parameters are the fields of the workloads tab; what is left out has its defaults. {AS_FILE}",
    tags=["workloads"],
    is_conditional=True,
)
workloads_file = file_call(
    "download_workloads",
    "Layouts, placements, links and traffic as a file",
    WORKLOAD_TYPES.values(),
    "workloads",
    404,
    409,
    parameters=[WorkloadsFileQuery],
    description="A CSV has one `table`; the workbook has all, the design, and the sources of its prices.",
)
