"""The OpenAPI document: what each call takes and answers, with examples. Views wear these as decorators."""

from collections.abc import Iterable
from typing import cast

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel

from designer.api.answers import estimate as answers
from designer.api.answers.workloads import INFERENCE_ANSWERS, TRAINING_ANSWERS
from designer.api.calls import (
    AS_FILE,
    BODY,
    call,
    delete_call,
    example,
    file_call,
    filed_call,
    files_of,
    json_body,
    list_call,
    read_call,
)
from designer.api.components import body, component, split_enums, values_by
from designer.api.negotiation import OCTETS
from designer.api.serializers import (
    AcceptanceQuery,
    CalibrationDetailSerializer,
    CalibrationSerializer,
    CatalogQuery,
    ChecklistQuery,
    CompareQuery,
    DesignDetailSerializer,
    DesignQuery,
    DesignSerializer,
    DumpQuery,
    EstimateJobDetailSerializer,
    EstimateJobSerializer,
    EstimatePlacementQuery,
    EstimateQuery,
    EstimateStateSerializer,
    FabricQuery,
    FileQuery,
    LinksQuery,
    PageQuery,
    PhasesQuery,
    PlacementQuery,
    RevisionDetailSerializer,
    SearchJobDetailSerializer,
    SearchJobSerializer,
    WorkloadsFileQuery,
    WorkloadsQuery,
)
from designer.exports.downloads import CSV_TYPE, TYPES
from designer.exports.placements import PLACEMENT_TYPES
from designer.exports.workloads import WORKLOAD_TYPES
from designer.services.bringup.checklists import TickedChecklist, TickState
from designer.services.workloads.answer import DesignWorkloads
from estimator.asbuilt.dump import Dump
from estimator.asbuilt.result import LinkComparison
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.result import Acceptance
from estimator.bringup.checklist.files import CHECKLIST_FORMATS
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
DESIGN = {
    "anyOf": [{"type": "string", "format": "uuid"}, SPEC_REFERENCE],
    "description": "A design: its request, or the id of a saved one.",
}
_VALUES = {
    "description": "A list, or a range of from, to and step or factor.",
    "anyOf": [{"type": "array", "items": {}}, component("SearchRange", values_by("key of a range"))],
}


def _parts_of(kind: type[BaseModel], prefix: str) -> Json:
    """The schema of a request, its parts put in under the prefix: training, serving and placements all have a layout."""
    request = split_enums(
        kind.model_json_schema(mode="validation", ref_template=f"#/components/schemas/{prefix}{{model}}")
    )
    for name, part in request.pop("$defs", {}).items():
        if name == "CalibrationRow":
            part["properties"]["request"] = values_by("key of such a request, with its layout")
        elif name == "Span":
            part["properties"]["values"] = _VALUES
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
    on_design = body({"design": DESIGN, **asked}, required=["design", "model"])
    one = [component(kind.__name__, request), component(f"Design{kind.__name__}", on_design)]
    several = {
        "type": "array",
        "items": {"anyOf": one},
        "maxItems": MOST_WORKLOADS,
        "description": "Answered in its order: a request that is refused has its refusal in its place, others their answer.",
    }
    return [*one, component(f"{kind.__name__}s", several)]


_PREDICTION = _parts_of(PredictionRequest, "")
_ASKED = {key: value for key, value in _PREDICTION["properties"].items() if key != "system"}
DESIGN_PREDICTION = component(
    "DesignPredictionRequest",
    {"description": "As PredictionRequest; without gpus, for all of the design's."}
    | body({"design": DESIGN, **_ASKED}, required=["design", "message_bytes"]),
)
TRAINING = _workload(TrainingRequest, "Training", ())
SERVING = _workload(ServingRequest, "Serving", ("input_tokens", "output_tokens"))
PLACEMENT = component(
    "DesignPlacementRequest",
    {"description": "One of parallel (training), layout (serving), or prefill and decode (two pools), on a design."}
    | body({"design": DESIGN, **_parts_of(PlacementRequest, "Placement")["properties"]}, required=["design"]),
)
SPEC_SCHEMA = component("SpecSchema", values_by("keyword of JSON Schema, draft 2020-12"))


def _finding(kind: type[BaseModel]) -> Json:
    """Body of a search or sweep: its base is a design with values left open, or the id of a saved one."""
    asked = _parts_of(kind, "Search")
    base = values_by("section of a design; a field may be a list, or a range of from, to and step or factor")
    asked["properties"]["base"] = {"anyOf": [{"type": "string", "format": "uuid"}, component("SearchBase", base)]}
    return component(kind.__name__, asked)


def _found(name: str) -> Json:
    """What a search or sweep answers; the document says what its keys are."""
    return component(f"{name}Answer", values_by("key, as docs/search.md has them"))


FINISHED = OpenApiResponse(EstimateJobDetailSerializer, "Finished before: the same spec at the same versions.")
ACCEPTED = OpenApiResponse(EstimateJobDetailSerializer, "Queued, or on its way already; Location says where to look.")

UPLOAD = {"type": "string", "format": "binary"}
_KEPT_NAME = {"type": "string", "maxLength": 200, "description": "Keeps the calibration under this name."}
LOG_TEXT = {"file": {"type": "string"}, "text": {"type": "string"}}

preview = call(
    "preview",
    "Estimate at once, store nothing",
    {200: answers.Preview},
    (*BODY, 503),
    request=DesignSpec,
    examples=[example("127 nodes", SPEC)],
    tags=["estimates"],
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
WRITTEN_CHECKLISTS = [form for form in CHECKLIST_FORMATS.values() if form.content_type != "application/json"]
WRITTEN_CONTRACTS = [form for form in ACCEPTANCE_FORMATS.values() if form.content_type != "application/json"]
acceptance = call(
    "accept",
    "What the built network of a design must deliver, gate by gate, and whether results show that it does",
    {(200, "application/json"): Acceptance, **files_of(*(form.content_type for form in WRITTEN_CONTRACTS))},
    (*BODY, 404, 503),
    request={
        "application/json": component(
            "AcceptanceRequest",
            body(
                {
                    "design": DESIGN,
                    "results": {
                        "type": "array",
                        "items": component("LogText", body(LOG_TEXT, required=["file", "text"])),
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
                    "results": {"type": "array", "items": UPLOAD, "description": "Results, or zip archives of them."},
                },
                required=["design"],
            ),
        ),
    },
    parameters=[AcceptanceQuery],
    examples=[example("gates of a design", {"design": SPEC})],
    tags=["bring-up"],
)
searches = call(
    "search",
    "The best designs for a requirement, the front, and why the others are not",
    {200: _found("Search")},
    (*BODY, 404, 503),
    request=json_body(_finding(SearchRequest)),
    examples=[example("cheapest of 1,024 GPUs", SEARCH_EXAMPLE)],
    tags=["searches"],
)
search_job_list = list_call("list_searches", "List searches that workers do", SearchJobSerializer, "searches")
search_job_create = call(
    "create_search",
    "Have workers do a search",
    {202: SearchJobDetailSerializer},
    (*BODY, 404, 409, 503),
    request=json_body(_finding(SearchRequest)),
    takes_key=True,
    description="For up to 200,000 candidates; Location says where to look.",
    examples=[example("cheapest of 1,024 GPUs", SEARCH_EXAMPLE)],
    tags=["searches"],
)
search_job_read = read_call(
    "get_search",
    "How far a search is, and what it found",
    SearchJobDetailSerializer,
    "searches",
    description="With Retry-After while it is on its way. The last 20 that ended are kept.",
)
search_job_cancel = call(
    "cancel_search",
    "Stop a search",
    {200: SearchJobDetailSerializer},
    (403, 404, 409, 412),
    request=None,
    tags=["searches"],
)
sweeps = call(
    "sweep",
    "Figures of a design over values of one or two of its fields",
    {200: _found("Sweep")},
    (*BODY, 404, 503),
    request=json_body(_finding(SweepRequest)),
    examples=[example("network by number of GPUs", SWEEP_EXAMPLE)],
    tags=["searches"],
)
calibration_create = call(
    "calibrate",
    "Constants of a site, and what is wrong with it, from logs of nccl-tests or rccl-tests and from single paths",
    {200: answers.CalibrationAnswer, 201: CalibrationDetailSerializer},
    (403, 413, 415, 503),
    request={
        "application/json": component(
            "LogTexts",
            body(
                {
                    "logs": {
                        "type": "array",
                        "items": component("LogText", body(LOG_TEXT, required=["file", "text"])),
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
                    "log": {"type": "array", "items": UPLOAD, "description": "One or several."},
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
spec_schema = call("get_spec_schema", "JSON Schema of a design", {200: SPEC_SCHEMA}, tags=["designs"])

design_list = list_call("list_designs", "List designs", DesignSerializer, "designs", DesignQuery)
design_create = call(
    "create_design",
    "Save a design",
    {201: DesignDetailSerializer},
    (*BODY, 503),
    request=json_body(NAMED_SPEC, SPEC_REFERENCE),
    takes_key=True,
    examples=[example("named spec", {"name": "Bid for 127 nodes", "spec": SPEC}), example("spec", SPEC)],
    tags=["designs"],
)
design_read = read_call(
    "get_design", "A design as it is now, with its named versions", DesignDetailSerializer, "designs"
)
design_update = call(
    "update_design",
    "Rename a design or change what it says",
    {200: DesignDetailSerializer},
    (*BODY, 404, 412, 503),
    request=json_body(DESIGN_CHANGE),
    examples=[example("rename", {"name": "Bid, second round"}), example("revise", {"spec": SPEC})],
    tags=["designs"],
)
TICK = component(
    "ChecklistTick",
    body(
        {
            "item": {"type": "string", "maxLength": 200, "description": "Code of an item, as the checklist has it."},
            "done": {"type": "boolean"},
            "version": {
                "type": "integer",
                "minimum": 0,
                "description": "Of the tick as it was read; 0: there was none.",
            },
        },
        required=["item", "done"],
    ),
)
checklist_read = call(
    "read_checklist",
    "The order of work of a design as it is now, with what is ticked",
    {(200, "application/json"): TickedChecklist, **files_of(*(form.content_type for form in WRITTEN_CHECKLISTS))},
    (404, 503),
    parameters=[ChecklistQuery],
    tags=["bring-up"],
)
checklist_tick = call(
    "tick_checklist",
    "Tick an item of the checklist, or take its tick back",
    {200: TickState},
    (*BODY, 404, 409, 503),
    request=json_body(TICK),
    examples=[example("a rack is placed", {"item": "rack/rack-001", "done": True, "version": 0})],
    tags=["bring-up"],
)
design_delete = delete_call("delete_design", "Delete a design with its versions", "designs")
revision_create = call(
    "save_revision",
    "Keep the current state as a named version",
    {201: RevisionDetailSerializer},
    (*BODY, 404, 412),
    request=json_body(VERSION),
    takes_key=True,
    examples=[example("version", {"name": "Bid 1", "note": "As sent on 3 November"})],
    tags=["designs"],
)
revision_read = call(
    "get_revision", "One named version of a design", {200: RevisionDetailSerializer}, (404,), tags=["designs"]
)

estimate_list = list_call("list_estimates", "List estimates", EstimateJobSerializer, "estimates", EstimateQuery)
estimate_create = call(
    "create_estimate",
    "Request an estimate",
    {200: FINISHED, 202: ACCEPTED},
    (*BODY, 404, 409, 503),
    request=json_body(DESIGN_ID, NAMED_SPEC, SPEC_REFERENCE),
    takes_key=True,
    examples=[
        example("spec", SPEC),
        example("saved design", {"design": "8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f"}),
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
estimate_result = call(
    "get_estimate_result",
    "The result of a finished estimate",
    {200: answers.Estimate},
    (404, 409),
    tags=["estimates"],
    is_conditional=True,
)
estimate_cancel = call(
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
phases_read = call(
    "get_phases",
    "What each phase of a design buys, costs, rewires and leaves unused",
    {200: answers.PhasesOfOne},
    (404, 406, 409),
    parameters=[PhasesQuery],
    description="CSV is a line a part that a phase buys or leaves unused; the workbook adds years, crews and cables.",
    tags=["estimates"],
    is_conditional=True,
)
phase_cables = call(
    "get_phase_cables",
    "Every cable that a phase lays, moves or takes out",
    files_of(CSV_TYPE),
    (404, 409),
    description="Both numbers of its labels, before and after, and all four ends.",
    tags=["estimates"],
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
links_read = call(
    "get_links",
    "Every link of a fabric, port to port",
    files_of(*(form.content_type for form in FORMATS.values())),
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
                    "file": UPLOAD,
                    "names": {
                        **UPLOAD,
                        "description": "CSV of two columns: a device's name in the file, in the design.",
                    },
                },
                required=["file"],
            ),
        ),
        OCTETS: UPLOAD,
    },
    "description": "Takes a dump of ibnetdiscover or iblinkinfo, LLDP neighbours, a .topo file, a point-to-point sheet "
    "(CSV or XLSX) or a NetBox cable export, as the body or as the part `file` of a form, and says which links are missing, "
    "extra, swapped, doubled, on a wrong port or at a wrong device. Nothing is stored.",
    "parameters": [CompareQuery],
    "tags": ["links"],
}
links_compare_estimate = call(
    "compare_links_of_estimate",
    "A file of links against an estimate's fabric",
    {200: LinkComparison},
    (403, 404, 409, 413, 503),
    **_COMPARE,
)
links_compare_design = call(
    "compare_links_of_design",
    "A file of links against a design's fabric, as saved last",
    {200: LinkComparison},
    (403, 404, 413, 503),
    **_COMPARE,
)
dump_read = call(
    "read_dump",
    "The networks of a file of links, each as the nearest design",
    {200: Dump},
    (403, 413, 503),
    request={"multipart/form-data": component("DumpFile", body({"file": UPLOAD}, required=["file"])), OCTETS: UPLOAD},
    description="Takes what the comparison of links takes, as the body or as the part `file` of a form. Networks that no switch "
    "joins, such as compute and storage in one dump, are parted; each has a `spec`, which `POST designs/` takes, what the file "
    "says of it, and what the file leaves open. Nothing is stored.",
    parameters=[DumpQuery],
    tags=["links"],
)
cabling_read = call(
    "get_cabling",
    "Links, cables, transceivers and cages by tier, medium, length and part",
    {200: answers.Cabling},
    (404, 409),
    parameters=[FabricQuery],
    tags=["links"],
)

sensitivity_read = call(
    "get_sensitivity",
    "What one more uplink, rail, generation or plane costs and brings",
    {200: answers.Sensitivity},
    (404, 409),
    tags=["estimates"],
)

what_if = call(
    "get_what_if",
    "What an estimate would cost with other economics",
    {200: answers.WhatIf},
    (*BODY, 404, 409, 503),
    request=json_body({"$ref": "#/components/schemas/Economics"}),
    examples=[example("five years of expensive electricity", {"years": 5, "electricity_usd_per_kwh": 0.2})],
    description="Takes keys of `economics` and answers at once; a key of null takes away what the design gives. "
    "Nothing is stored.",
    tags=["estimates"],
)

racks_read = call(
    "get_racks",
    "Racks of the floor plan, with what stands in them",
    {200: answers.Racks},
    (404, 409),
    parameters=[PageQuery],
    tags=["links"],
)

catalog_kinds = call(
    "list_catalog_kinds", "Kinds of records in the catalog", {200: answers.Kinds}, (503,), tags=["catalog"]
)
catalog_records = call(
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
