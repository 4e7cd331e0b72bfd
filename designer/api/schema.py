"""The OpenAPI document: what each call takes and answers, with examples. Views wear these as decorators."""

from collections.abc import Iterable
from typing import Any, cast

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel

from designer.api.answers import estimate as answers
from designer.api.answers.workloads import INFERENCE_ANSWERS, TRAINING_ANSWERS
from designer.api.components import body, component, split_enums, values_by
from designer.api.negotiation import OCTETS
from designer.api.serializers import (
    AcceptanceQuery,
    CalibrationDetailSerializer,
    CalibrationSerializer,
    CatalogQuery,
    CompareQuery,
    DesignDetailSerializer,
    DesignQuery,
    DesignSerializer,
    ErrorSerializer,
    EstimateJobDetailSerializer,
    EstimateJobSerializer,
    EstimatePlacementQuery,
    EstimateQuery,
    EstimateStateSerializer,
    FabricQuery,
    FileQuery,
    LinksQuery,
    PageQuery,
    PlacementQuery,
    RevisionDetailSerializer,
    WorkloadsFileQuery,
    WorkloadsQuery,
)
from designer.exports.downloads import TYPES
from designer.exports.placements import PLACEMENT_TYPES
from designer.exports.workloads import WORKLOAD_TYPES
from designer.services.workloads.answer import DesignWorkloads
from estimator.asbuilt.result import LinkComparison
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.result import Acceptance
from estimator.handoff.formats import FORMATS
from estimator.handoff.launch.formats import LAUNCH_FORMATS
from estimator.handoff.launch.summary import PlacementSummary
from estimator.performance.prediction import PredictionRequest
from estimator.record import Json
from estimator.search.request import SearchRequest, SweepRequest
from estimator.serving_request.request import ServingRequest
from estimator.spec.design import DesignSpec
from estimator.training_request import TrainingRequest
from estimator.workloads.placement.request import PlacementRequest

SPEC = {
    "name": "DGX H100, 4 scalable units",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
}
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
_H100: Json = {"gpu": "h100-sxm", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
_STEP: Json = {"model": "llama3-8b", "parallel": {"tp": 2, "pp": 1, "global_batch": 64, "sequence": 4096}}
TRAINING_EXAMPLE: Json = {"system": _H100, "gpus": 64, **_STEP}
TRAINING_OF_DESIGN: Json = {"design": SPEC, "model": "llama3-70b", "precision": "fp8", "top": 3}
_SERVED: Json = {"model": "llama3-70b", "precision": "fp8", "concurrency": [1, 16]}
SERVING_EXAMPLE: Json = {"system": _H100, **_SERVED, "layout": {"tp": 4}}
SERVING_OF_DESIGN: Json = {"design": SPEC, **_SERVED, "top": 3}
SEARCH_EXAMPLE: Json = {
    "base": {"compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr", "tiers": [2, 3]}},
    "free": ["oversubscription", "layout"],
    "objective": "network_usd",
    "limits": [{"figure": "all_reduce_gb_s", "least": 350}],
    "pareto": ["network_usd", "all_to_all_gb_s"],
    "top": 5,
}
SWEEP_EXAMPLE: Json = {
    "base": {"compute": {"server": "dgx-h100"}, "fabric": {"generation": "ndr"}},
    "x": {"field": "gpus", "values": {"from": 64, "to": 4096, "factor": 2}},
    "figures": ["tiers", "network_usd"],
}
MOST_WORKLOADS = 200  # in one call
PREDICTION_OF_DESIGN = {"design": SPEC, "collective": "alltoall", "message_bytes": [1048576, 8589934592]}
REFUSED = {
    "code": "invalid_spec",
    "problems": [
        {
            "field": "compute.nodes",
            "code": "out_of_range",
            "message": "Must be at least 1, and 0 was requested.",
        }
    ],
}
MEANINGS = {
    400: "Refused: the problems say what to change.",
    401: "Nobody is signed in, or the token is unknown or revoked.",
    403: "The token may only read, or the session's CSRF token is missing.",
    404: "Nothing of yours is there.",
    406: "There is no form of it that Accept takes.",
    409: "The state of the thing does not allow it.",
    412: "It was changed since its author has read it: If-Match names another tag.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    503: "The catalog's files cannot be used.",
}


class TokenScheme(OpenApiAuthenticationExtension):
    """How the document describes ``Authorization: Bearer …``; ``Token …`` does as well."""

    target_class = "designer.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        description = "The key that `manage.py token NAME` printed. `Token ` in front of it does as well as `Bearer `."
        return {"type": "http", "scheme": "bearer", "description": description}


class RequestComponent(OpenApiSerializerExtension):
    """DesignSpec and PredictionRequest as components, straight from the models that check requests."""

    target_class = "pydantic.BaseModel"
    match_subclasses = True
    priority = 1  # before the library's own, which describes what a model prints instead of what it takes

    def get_name(self, auto_schema: Any, direction: str) -> str:
        return self.target.__name__

    def map_serializer(self, auto_schema: Any, direction: str) -> Json:
        schema = self.target.model_json_schema(mode="validation", ref_template="#/components/schemas/{model}")
        for name, part in schema.pop("$defs", {}).items():
            made = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=split_enums(part))
            auto_schema.registry.register_on_missing(made)
        return dict(split_enums(schema))


SPEC_REFERENCE = {"$ref": "#/components/schemas/DesignSpec"}
_NAMED = {"name": {"type": "string", "minLength": 1, "maxLength": 200}, "spec": SPEC_REFERENCE}
NAMED_SPEC = component("NamedSpec", body(_NAMED, required=["spec"]))
DESIGN_CHANGE = component("DesignChange", body(_NAMED, minProperties=1))
_NUMBER = {"type": "integer", "minimum": 1, "description": "One of its named versions, not its current state."}
DESIGN_ID = component(
    "DesignReference",
    body({"design": {"type": "string", "format": "uuid"}, "revision": _NUMBER}, required=["design"]),
)
VERSION = component(
    "NewVersion",
    body(
        {
            "name": {"type": "string", "maxLength": 200, "description": 'Without one, "Version" and its number.'},
            "note": {"type": "string", "maxLength": 2000},
        }
    ),
)
RECORDS = component(
    "CatalogRecords",
    {
        "type": "object",
        "required": ["version", "count", "results"],
        "properties": {
            "version": {"type": "string"},
            "count": {"type": "integer"},
            "next": {"type": ["string", "null"]},
            "previous": {"type": ["string", "null"]},
            "results": {
                "type": "array",
                "items": component("CatalogRecord", values_by("column, as the kind has them")),
            },
        },
    },
)
_PREDICTION_REQUEST = split_enums(
    PredictionRequest.model_json_schema(mode="validation", ref_template="#/components/schemas/{model}")
)
for _name, _part in _PREDICTION_REQUEST.pop("$defs").items():
    component(_name, _part)
component("PredictionRequest", _PREDICTION_REQUEST)
_DESIGN = {
    "anyOf": [{"type": "string", "format": "uuid"}, SPEC_REFERENCE],
    "description": "A design: its request, or the id of a saved one.",
}
_ASKED = {key: value for key, value in _PREDICTION_REQUEST["properties"].items() if key != "system"}
DESIGN_PREDICTION = component(
    "DesignPredictionRequest",
    {"description": "As PredictionRequest; without gpus, for all of the design's."}
    | body({"design": _DESIGN, **_ASKED}, required=["design", "message_bytes"]),
)


def _parts_of(kind: type[BaseModel], prefix: str) -> Json:
    """The schema of a request, its parts put in under the prefix: training, serving and placements all have a layout."""
    request = split_enums(
        kind.model_json_schema(mode="validation", ref_template=f"#/components/schemas/{prefix}{{model}}")
    )
    for name, part in request.pop("$defs").items():
        if name == "CalibrationRow":
            part["properties"]["request"] = values_by("key of such a request, with its layout")
        component(f"{prefix}{name}", part | {"title": f"{prefix}{name}"})  # generators name classes by titles
    return cast(Json, request)


def _workload(kind: type[BaseModel], prefix: str, numbers: Iterable[str]) -> list[Json]:
    """Bodies of a call about a workload: a request on a system or on a design, or a list of both.

    ``numbers`` are keys that take one number for a list or a distribution.
    """
    request = _parts_of(kind, prefix)
    for name in numbers:
        request["properties"][name] = {"anyOf": [{"type": "number"}, request["properties"][name]]}
    asked = {key: value for key, value in request["properties"].items() if key != "system"}
    on_design = body({"design": _DESIGN, **asked}, required=["design", "model"])
    one = [component(kind.__name__, request), component(f"Design{kind.__name__}", on_design)]
    several = {"type": "array", "items": {"anyOf": one}, "maxItems": MOST_WORKLOADS}
    return [*one, component(f"{kind.__name__}s", several)]


TRAINING = _workload(TrainingRequest, "Training", ())
SERVING = _workload(ServingRequest, "Serving", ("input_tokens", "output_tokens"))
PLACEMENT = component(
    "DesignPlacementRequest",
    {"description": "One of parallel (training), layout (serving), or prefill and decode (two pools), on a design."}
    | body({"design": _DESIGN, **_parts_of(PlacementRequest, "Placement")["properties"]}, required=["design"]),
)
SPEC_SCHEMA = component("SpecSchema", values_by("keyword of JSON Schema, draft 2020-12"))


def _finding(kind: type[BaseModel]) -> Json:
    """Body of a search or sweep: its base is a design with values left open, or the id of a saved one."""
    asked = split_enums(kind.model_json_schema(mode="validation", ref_template="#/components/schemas/Search{model}"))
    for name, part in asked.pop("$defs", {}).items():
        if name == "Span":
            part["properties"]["values"] = _VALUES
        component(f"Search{name}", part | {"title": f"Search{name}"})
    base = values_by("section of a design; a field may be a list, or a range of from, to and step or factor")
    asked["properties"]["base"] = {"anyOf": [{"type": "string", "format": "uuid"}, component("SearchBase", base)]}
    return component(kind.__name__, asked)


def _found(name: str) -> Json:
    """What a search or sweep answers; the document says what its keys are."""
    return component(f"{name}Answer", values_by("key, as docs/search.md has them"))


_VALUES = {
    "description": "A list, or a range of from, to and step or factor.",
    "anyOf": [{"type": "array", "items": {}}, component("SearchRange", values_by("key of a range"))],
}


def _json(*shapes: Json) -> Json:
    """A body of one of these shapes."""
    return {"application/json": shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}}


def _files(*types: str) -> dict[Any, Any]:
    """An answer that is a file: its bytes. Generated clients take the first type that is named, and any file is of that."""
    kinds = dict.fromkeys([OCTETS, *(kind.partition(";")[0] for kind in types)])
    values = {"text": OpenApiTypes.STR, "application/json": OpenApiTypes.ANY}
    return {(200, kind): values.get(kind, values.get(kind.partition("/")[0], OpenApiTypes.BINARY)) for kind in kinds}


def _header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


IF_MATCH = _header("If-Match", "Entity tag of what the change is of: 412 where it was changed since.")
IF_NONE_MATCH = _header("If-None-Match", "Entity tag of what the caller has: 304 where it is still that.")
IDEMPOTENCY_KEY = _header(
    "Idempotency-Key", "A key of this call: the same call under it is not done twice, and answered as the first time."
)
NOT_MODIFIED = OpenApiResponse(description="As If-None-Match has it already.")


def _example(name: str, value: Any) -> OpenApiExample:
    return OpenApiExample(name, value, request_only=True)


def _call(
    operation_id: str, summary: str, responses: dict[Any, Any], refusals: tuple[int, ...] = (), **more: Any
) -> Any:
    """``extend_schema`` with the refusals that every call has, and those of this one."""
    described, parameters = dict(responses), list(more.pop("parameters", ()))
    if 412 in refusals:
        parameters.append(IF_MATCH)
    if more.pop("is_conditional", False):
        parameters.append(IF_NONE_MATCH)
        described[304] = NOT_MODIFIED
    if more.pop("takes_key", False):
        parameters.append(IDEMPOTENCY_KEY)
        refusals = (*refusals, 409)
    for status in sorted({400, 401, 429, *refusals}):
        examples = [OpenApiExample("refused", REFUSED, response_only=True)] if status == 400 else []
        described[status] = OpenApiResponse(ErrorSerializer, MEANINGS[status], examples)
    more |= {"parameters": parameters} if parameters else {}
    return extend_schema(operation_id=operation_id, summary=summary, responses=described, **more)


def list_call(operation_id: str, summary: str, rows: Any, tag: str, query: Any = PageQuery) -> Any:
    """The call for a page of rows."""
    return _call(operation_id, summary, {200: rows(many=True)}, (404,), parameters=[query], tags=[tag])


def read_call(operation_id: str, summary: str, shape: Any, tag: str, **more: Any) -> Any:
    """The call for one thing, which a caller may have already."""
    return _call(operation_id, summary, {200: shape}, (404,), tags=[tag], is_conditional=True, **more)


def filed_call(operation_id: str, summary: str, shape: Any, tag: str, *refusals: int, **more: Any) -> Any:
    """The call for one thing that has files as well."""
    options: Json = {"description": AS_FILE, "tags": [tag], "is_conditional": True} | more
    return _call(operation_id, summary, {200: shape}, (406, *(refusals or (404,))), **options)


def file_call(operation_id: str, summary: str, types: Iterable[str], tag: str, *refusals: int, **more: Any) -> Any:
    """The call for a file."""
    options: Json = {"tags": [tag], "is_conditional": True} | more
    return _call(operation_id, summary, _files(*types), (406, *(refusals or (404,))), **options)


def delete_call(operation_id: str, summary: str, tag: str) -> Any:
    """The call that deletes one thing."""
    return _call(operation_id, summary, {204: None}, (403, 404, 412), tags=[tag])


AS_FILE = "`file/` behind this address has it as a file; `?format=` here, or Accept, do too."
BODY = (403, 413, 415)  # what a call with a body may be refused for besides
FINISHED = OpenApiResponse(EstimateJobDetailSerializer, "Finished before: the same spec at the same versions.")
ACCEPTED = OpenApiResponse(EstimateJobDetailSerializer, "Queued, or on its way already; Location says where to look.")

_FILE = {"type": "string", "format": "binary"}
_KEPT_NAME = {"type": "string", "maxLength": 200, "description": "Keeps the calibration under this name."}
_LOG_TEXT = {"file": {"type": "string"}, "text": {"type": "string"}}

preview = _call(
    "preview",
    "Estimate at once, store nothing",
    {200: answers.Preview},
    (*BODY, 503),
    request=DesignSpec,
    examples=[_example("127 nodes", SPEC)],
    tags=["estimates"],
)
predictions = _call(
    "predict",
    "Times of a collective",
    {200: answers.Prediction},
    (*BODY, 404, 503),
    request=_json({"$ref": "#/components/schemas/PredictionRequest"}, DESIGN_PREDICTION),
    examples=[_example("all-reduce on H100", PREDICTION), _example("of a design", PREDICTION_OF_DESIGN)],
    tags=["predictions"],
)
training = _call(
    "train",
    "Steps of training a model, of one layout or of the best",
    {200: TRAINING_ANSWERS},
    (*BODY, 404, 503),
    request=_json(*TRAINING),
    examples=[_example("Llama 3 8B on 64 H100", TRAINING_EXAMPLE), _example("on a design", TRAINING_OF_DESIGN)],
    tags=["workloads"],
)
inference = _call(
    "infer",
    "Serving a model, by one placement or by the best",
    {200: INFERENCE_ANSWERS},
    (*BODY, 404, 503),
    request=_json(*SERVING),
    examples=[_example("Llama 3 70B on H100", SERVING_EXAMPLE), _example("on a design", SERVING_OF_DESIGN)],
    tags=["workloads"],
)
_PLACEMENT: Json = {
    "request": _json(PLACEMENT),
    "examples": [
        _example("training", {"design": SPEC, "parallel": {"tp": 8, "pp": 2, "dp": 4}}),
        _example("serving", {"design": SPEC, "layout": {"tp": 8}, "replicas": 4}),
    ],
    "tags": ["workloads"],
}
placement_create = _call(
    "place",
    "Where the ranks of a layout sit on a design, and which links its groups cross",
    {200: PlacementSummary},
    (*BODY, 404, 503),
    **_PLACEMENT,
)
_LAUNCH_FILES = "`zip` has all files of the layout. " + ", ".join(
    f"`{key}` ({form.label}: {form.purpose})" for key, form in LAUNCH_FORMATS.items()
)
placement_file = _call(
    "download_placement",
    "A layout on a design as a file that launches it",
    _files(*PLACEMENT_TYPES.values()),
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
WRITTEN_CONTRACTS = [form for form in ACCEPTANCE_FORMATS.values() if form.content_type != "application/json"]
acceptance = _call(
    "accept",
    "What the built network of a design must deliver, gate by gate, and whether results show that it does",
    {(200, "application/json"): Acceptance, **_files(*(form.content_type for form in WRITTEN_CONTRACTS))},
    (*BODY, 404, 503),
    request={
        "application/json": component(
            "AcceptanceRequest",
            body(
                {
                    "design": _DESIGN,
                    "results": {
                        "type": "array",
                        "items": component("LogText", body(_LOG_TEXT, required=["file", "text"])),
                        "description": "What the gates' commands printed.",
                    },
                },
                required=["design"],
            ),
        ),
        "multipart/form-data": component(
            "AcceptanceFiles",
            body(
                {
                    "design": {
                        "type": "string",
                        "description": "The design's spec as JSON, or the id of one of yours.",
                    },
                    "results": {"type": "array", "items": _FILE, "description": "Results, or zip archives of them."},
                },
                required=["design"],
            ),
        ),
    },
    parameters=[AcceptanceQuery],
    examples=[_example("gates of a design", {"design": SPEC})],
    tags=["bring-up"],
)
searches = _call(
    "search",
    "The best designs for a requirement, the front, and why the others are not",
    {200: _found("Search")},
    (*BODY, 404, 503),
    request=_json(_finding(SearchRequest)),
    examples=[_example("cheapest of 1,024 GPUs", SEARCH_EXAMPLE)],
    tags=["searches"],
)
sweeps = _call(
    "sweep",
    "Figures of a design over values of one or two of its fields",
    {200: _found("Sweep")},
    (*BODY, 404, 503),
    request=_json(_finding(SweepRequest)),
    examples=[_example("network by number of GPUs", SWEEP_EXAMPLE)],
    tags=["searches"],
)
calibration_create = _call(
    "calibrate",
    "Constants of a site, and what is wrong with it, from logs of nccl-tests or rccl-tests",
    {200: answers.CalibrationAnswer, 201: CalibrationDetailSerializer},
    (403, 413, 415, 503),
    request={
        "application/json": component(
            "LogTexts",
            body(
                {
                    "logs": {
                        "type": "array",
                        "items": component("LogText", body(_LOG_TEXT, required=["file", "text"])),
                    },
                    "system": values_by("key of a prediction's system that the logs do not say"),
                    "name": _KEPT_NAME,
                },
                required=["logs"],
            ),
        ),
        "multipart/form-data": component(
            "LogFiles",
            body(
                {
                    "log": {"type": "array", "items": _FILE, "description": "One or several."},
                    "system": {
                        "type": "string",
                        "description": "JSON: keys of a prediction's system that the logs do not say.",
                    },
                    "name": _KEPT_NAME,
                },
                required=["log"],
            ),
        ),
    },
    description="Takes the log as the body as well, as `text/plain`.",
    takes_key=True,
    tags=["calibrations"],
)
calibration_list = list_call("list_calibrations", "List calibrations", CalibrationSerializer, "calibrations")
calibration_read = read_call("get_calibration", "A calibration", CalibrationDetailSerializer, "calibrations")
calibration_delete = delete_call("delete_calibration", "Delete a calibration", "calibrations")
spec_schema = _call("get_spec_schema", "JSON Schema of a design", {200: SPEC_SCHEMA}, tags=["designs"])

design_list = list_call("list_designs", "List designs", DesignSerializer, "designs", DesignQuery)
design_create = _call(
    "create_design",
    "Save a design",
    {201: DesignDetailSerializer},
    (*BODY, 503),
    request=_json(NAMED_SPEC, SPEC_REFERENCE),
    takes_key=True,
    examples=[_example("named spec", {"name": "Bid for 127 nodes", "spec": SPEC}), _example("spec", SPEC)],
    tags=["designs"],
)
design_read = read_call(
    "get_design", "A design as it is now, with its named versions", DesignDetailSerializer, "designs"
)
design_update = _call(
    "update_design",
    "Rename a design or change what it says",
    {200: DesignDetailSerializer},
    (*BODY, 404, 412, 503),
    request=_json(DESIGN_CHANGE),
    examples=[_example("rename", {"name": "Bid, second round"}), _example("revise", {"spec": SPEC})],
    tags=["designs"],
)
design_delete = delete_call("delete_design", "Delete a design with its versions", "designs")
revision_create = _call(
    "save_revision",
    "Keep the current state as a named version",
    {201: RevisionDetailSerializer},
    (*BODY, 404, 412),
    request=_json(VERSION),
    takes_key=True,
    examples=[_example("version", {"name": "Bid 1", "note": "As sent on 3 November"})],
    tags=["designs"],
)
revision_read = _call(
    "get_revision", "One named version of a design", {200: RevisionDetailSerializer}, (404,), tags=["designs"]
)

estimate_list = list_call("list_estimates", "List estimates", EstimateJobSerializer, "estimates", EstimateQuery)
estimate_create = _call(
    "create_estimate",
    "Request an estimate",
    {200: FINISHED, 202: ACCEPTED},
    (*BODY, 404, 409, 503),
    request=_json(DESIGN_ID, NAMED_SPEC, SPEC_REFERENCE),
    takes_key=True,
    examples=[
        _example("spec", SPEC),
        _example("saved design", {"design": "8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f"}),
    ],
    tags=["estimates"],
)
estimate_read = read_call(
    "get_estimate",
    "State and result of an estimate",
    EstimateJobDetailSerializer,
    "estimates",
    description="With Retry-After while it is on its way. To poll, `state/` has a few bytes.",
)
estimate_state = read_call(
    "get_estimate_state",
    "How far an estimate is",
    EstimateStateSerializer,
    "estimates",
    description="With Retry-After while it is on its way.",
)
estimate_result = _call(
    "get_estimate_result",
    "The result of a finished estimate",
    {200: answers.Estimate},
    (404, 409),
    tags=["estimates"],
    is_conditional=True,
)
estimate_cancel = _call(
    "cancel_estimate",
    "Stop an estimate",
    {200: EstimateJobDetailSerializer},
    (403, 404, 409, 412),
    request=None,
    tags=["estimates"],
)
bom_read = filed_call("get_bom", "Bill of materials", answers.Bom, "estimates", 404, 409)
bom_file = file_call(
    "download_bom",
    "Bill of materials as a file",
    TYPES.values(),
    "estimates",
    404,
    409,
    parameters=[FileQuery],
    description="CSV; a workbook with formulas that follow; the whole design as a PDF report.",
)

cost_read = filed_call("get_cost", "Cost of ownership", answers.CostOfOne, "estimates", 404, 409)
cost_file = file_call(
    "download_cost",
    "Cost of ownership as a file",
    TYPES.values(),
    "estimates",
    404,
    409,
    parameters=[FileQuery],
    description="CSV is the cash flow, a row a year. The workbook computes: change a parameter, and all figures follow.",
)
workloads_read = _call(
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
links_read = _call(
    "get_links",
    "Every link of a fabric, port to port",
    _files(*(form.content_type for form in FORMATS.values())),
    (404, 406, 409, 503),
    description="Streamed, in the form requested: "
    + ", ".join(f"`{key}` ({form.purpose})" for key, form in FORMATS.items()),
    parameters=[LinksQuery],
    tags=["links"],
    is_conditional=True,
)
_COMPARE: Json = {
    "request": {
        "multipart/form-data": component(
            "LinksFile",
            body(
                {
                    "file": _FILE,
                    "names": {
                        **_FILE,
                        "description": "CSV of two columns: a device's name in the file, in the design.",
                    },
                },
                required=["file"],
            ),
        ),
        OCTETS: _FILE,
    },
    "description": "Takes an ibnetdiscover dump, a .topo file, a point-to-point sheet (CSV or XLSX) or a NetBox cable export, "
    "as the body or as the part `file` of a form, and says which links are missing, extra, swapped, doubled, on a "
    "wrong port or at a wrong device. Nothing is stored.",
    "parameters": [CompareQuery],
    "tags": ["links"],
}
links_compare_estimate = _call(
    "compare_links_of_estimate",
    "A file of links against an estimate's fabric",
    {200: LinkComparison},
    (403, 404, 409, 413, 503),
    **_COMPARE,
)
links_compare_design = _call(
    "compare_links_of_design",
    "A file of links against a design's fabric, as saved last",
    {200: LinkComparison},
    (403, 404, 413, 503),
    **_COMPARE,
)
cabling_read = _call(
    "get_cabling",
    "Links, cables, transceivers and cages by tier, medium, length and part",
    {200: answers.Cabling},
    (404, 409),
    parameters=[FabricQuery],
    tags=["links"],
)

sensitivity_read = _call(
    "get_sensitivity",
    "What one more uplink, rail, generation or plane costs and brings",
    {200: answers.Sensitivity},
    (404, 409),
    tags=["estimates"],
)

what_if = _call(
    "get_what_if",
    "What an estimate would cost with other economics",
    {200: answers.WhatIf},
    (*BODY, 404, 409, 503),
    request=_json({"$ref": "#/components/schemas/Economics"}),
    examples=[_example("five years of expensive electricity", {"years": 5, "electricity_usd_per_kwh": 0.2})],
    description="Takes keys of `economics` and answers at once; a key of null takes away what the design gives. "
    "Nothing is stored.",
    tags=["estimates"],
)

racks_read = _call(
    "get_racks",
    "Racks of the floor plan, with what stands in them",
    {200: answers.Racks},
    (404, 409),
    parameters=[PageQuery],
    tags=["links"],
)

catalog_kinds = _call(
    "list_catalog_kinds", "Kinds of records in the catalog", {200: answers.Kinds}, (503,), tags=["catalog"]
)
catalog_records = _call(
    "list_catalog_records",
    "Records of a kind",
    {200: RECORDS},
    (404, 503),
    parameters=[
        CatalogQuery,
        OpenApiParameter(
            "filters",
            {"type": "object", "additionalProperties": {"type": "string"}},
            style="form",
            explode=True,
            description="Any column and its value: `generation=NDR`. Numbers also: `radix__min=64`, `radix__max=128`.",
        ),
    ],
    tags=["catalog"],
)
