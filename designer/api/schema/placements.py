"""Layouts of a model on a design."""

from designer.api.calls import BODY, call, example, file_call, files_of, json_body
from designer.api.components import body, component
from designer.api.schema.requests import DESIGN, SPEC, parts_of
from designer.api.serializers import EstimatePlacementQuery, PlacementQuery
from designer.exports.placements import PLACEMENT_TYPES
from estimator.handoff.launch.formats import LAUNCH_FORMATS
from estimator.handoff.launch.summary import PlacementSummary
from estimator.record import Json
from estimator.workloads.placement.request import PlacementRequest

PLACEMENT = component(
    "DesignPlacementRequest",
    {"description": "One of parallel (training), layout (serving), or prefill and decode (two pools), on a design."}
    | body({"design": DESIGN, **parts_of(PlacementRequest, "Placement")["properties"]}, required=["design"]),
)
_PLACEMENT: Json = {
    "request": json_body(PLACEMENT),
    "examples": [
        example("training", {"design": SPEC, "parallel": {"tp": 8, "pp": 2, "dp": 4}}),
        example("serving", {"design": SPEC, "layout": {"tp": 8}, "replicas": 4}),
    ],
    "tags": ["workloads"],
}
placement_create = call(
    "place",
    "Where the ranks of a layout sit on a design, and which links its groups cross",
    {200: PlacementSummary},
    (*BODY, 404, 503),
    **_PLACEMENT,
)
_LAUNCH_FILES = "`zip` has all files of the layout. " + ", ".join(
    f"`{key}` ({form.label}: {form.purpose})" for key, form in LAUNCH_FORMATS.items()
)
placement_file = call(
    "download_placement",
    "A layout on a design as a file that launches it",
    files_of(*PLACEMENT_TYPES.values()),
    (*BODY, 404, 406, 503),
    parameters=[PlacementQuery],
    description=_LAUNCH_FILES,
    **_PLACEMENT,
)
estimate_placement = file_call(
    "download_placement_of_estimate",
    "A layout of an estimate's workloads tab as a file that launches it",
    PLACEMENT_TYPES.values(),
    "workloads",
    404,
    409,
    503,
    parameters=[EstimatePlacementQuery],
    description=f"The other parameters are those of `workloads/`. {_LAUNCH_FILES}",
)
