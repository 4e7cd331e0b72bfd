"""Estimates, at once and as jobs, and their bills of materials."""

from drf_spectacular.utils import OpenApiResponse

from designer.api.answers import estimate as answers
from designer.api.calls import BODY, call, example, file_call, filed_call, json_body, list_call, read_call
from designer.api.components import body, component
from designer.api.schema.requests import NAMED_SPEC, SPEC, SPEC_REFERENCE
from designer.api.serializers import (
    EstimateJobDetailSerializer,
    EstimateJobSerializer,
    EstimateQuery,
    EstimateStateSerializer,
    FileQuery,
)
from designer.exports.downloads import TYPES
from estimator.spec.design import DesignSpec

_NUMBER = {"type": "integer", "minimum": 1, "description": "One of its named versions, not its current state."}
DESIGN_ID = component(
    "DesignReference",
    body({"design": {"type": "string", "format": "uuid"}, "revision": _NUMBER}, required=["design"]),
)
FINISHED = OpenApiResponse(EstimateJobDetailSerializer, "Finished before: the same spec at the same versions.")
ACCEPTED = OpenApiResponse(EstimateJobDetailSerializer, "Queued, or on its way already; Location says where to look.")
preview = call(
    "preview",
    "Estimate at once, store nothing",
    {200: answers.Preview},
    (*BODY, 503),
    request=DesignSpec,
    examples=[example("127 nodes", SPEC)],
    tags=["estimates"],
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
