"""Times of collectives."""

from designer.api.answers import estimate as answers
from designer.api.calls import BODY, call, example, json_body
from designer.api.components import body, component, split_enums
from designer.api.schema.requests import DESIGN, SPEC, parts_of
from estimator.performance.prediction import PredictionRequest

PREDICTION = {
    "system": {
        "gpu": "h100-sxm",
        "gpus_per_node": 8,
        "nics_per_node": 8,
        "nic_gbit_s": 400,
        "fabric": "infiniband",
        "scale_up_reduction": True,
    },
    "collective": "all_reduce",
    "gpus": [8, 16, 1024],
    "message_bytes": [1048576, 8589934592],
}
PREDICTION_OF_DESIGN = {"design": SPEC, "collective": "alltoall", "message_bytes": [1048576, 8589934592]}
_PREDICTION_REQUEST = split_enums(
    PredictionRequest.model_json_schema(mode="validation", ref_template="#/components/schemas/{model}")
)
for _name, _part in _PREDICTION_REQUEST.pop("$defs").items():
    component(_name, _part)
component("PredictionRequest", _PREDICTION_REQUEST)
_PREDICTION = parts_of(PredictionRequest, "")
_ASKED = {key: value for key, value in _PREDICTION["properties"].items() if key != "system"}
DESIGN_PREDICTION = component(
    "DesignPredictionRequest",
    {"description": "As PredictionRequest; without gpus, for all of the design's."}
    | body({"design": DESIGN, **_ASKED}, required=["design", "message_bytes"]),
)
predictions = call(
    "predict",
    "Times of a collective",
    {200: answers.Prediction},
    (*BODY, 404, 503),
    request=json_body(component("PredictionRequest", _PREDICTION), DESIGN_PREDICTION),
    examples=[example("all-reduce on H100", PREDICTION), example("of a design", PREDICTION_OF_DESIGN)],
    tags=["predictions"],
)
