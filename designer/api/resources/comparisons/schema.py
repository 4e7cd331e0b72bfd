"""What calls of comparisons take and answer."""

from designer.api.calls import BODY, call, delete_call, example, file_call, filed_call, files_of, json_body, list_call
from designer.api.components import body, component, model
from designer.api.resources.comparisons.serializers import ComparisonDetailSerializer, ComparisonSerializer
from designer.api.schema.requests import SPEC
from designer.api.serializers import FileQuery, TabFileQuery, TabQuery
from designer.exports.downloads import PDF_TYPE, TYPES
from designer.exports.workloads import WORKLOAD_TYPES
from designer.services.workloads.side_by_side import WorkloadComparison
from estimator.compare.request import LEAST, MOST, Offer

TAG = "comparisons"
DESIGN_ID = "8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f"
_ID = {"type": "string", "format": "uuid"}
_ITEM = {
    "type": "object",
    "description": "One source: an estimate, design, spec, offer, quote, or the RoCE (or InfiniBand) alternative of an item.",
    "properties": {
        "estimate": {**_ID, "description": "A finished estimate, taken as it is."},
        "design": {**_ID, "description": "A design as it is now, or its version ``revision``."},
        "spec": {"$ref": "#/components/schemas/DesignSpec"},
        "offer": model(Offer),
        "quote": {**_ID, "description": "The matched lines of a quote."},
        "sibling": {
            "type": "integer",
            "minimum": 0,
            "description": "The RoCE (or InfiniBand) alternative of an item before.",
        },
        "revision": {"type": "integer", "minimum": 1, "description": "Beside a design: one of its named versions."},
        "price_book": {
            "type": "string",
            "description": "street, anchors, dealer, branded, or the id of your price book: prices it by that.",
        },
        "label": {"type": "string", "minLength": 1, "maxLength": 200},
    },
    "additionalProperties": False,
}
_KEYS = {
    "items": {"type": "array", "minItems": LEAST, "maxItems": MOST, "items": component("ComparisonItem", _ITEM)},
    "baseline": {"type": "integer", "minimum": 0, "default": 0},
    "name": {"type": "string", "minLength": 1, "maxLength": 200},
}
COMPARISON = component("ComparisonRequest", body(_KEYS, required=["items"]))
CHANGE = component("ComparisonChange", body({key: _KEYS[key] for key in ("baseline", "name")}, minProperties=1))

_BOARD = {
    "title": {"type": "string", "maxLength": 120, "description": "Left out: the comparison's name."},
    "subtitle": {"type": "string", "maxLength": 120},
    "recommended": {
        "type": "integer",
        "minimum": 0,
        "maximum": 4,
        "description": "A side; left out, as the figures say.",
    },
    "reason": {"type": "string", "maxLength": 600},
    "logo_base64": {"type": "string", "maxLength": 700_000, "description": "A PNG or SVG of 512,000 bytes at most."},
}
board_pack = call(
    "make_board_pack",
    "Two to five options as a paper for a board, PDF",
    files_of(PDF_TYPE),
    (*BODY, 404, 503),
    request=json_body(component("BoardPackRequest", body(_BOARD))),
    examples=[example("as the figures say", {"title": "Cluster of 2027"})],
    description="Nothing of it is kept.",
    tags=[TAG],
)

comparison_list = list_call("list_comparisons", "List comparisons", ComparisonSerializer, TAG)
comparison_create = call(
    "create_comparison",
    "Compare two to eight designs, offers or price books",
    {201: ComparisonDetailSerializer},
    (*BODY, 503),
    request=json_body(COMPARISON),
    takes_key=True,
    examples=[
        example("a design as InfiniBand and as RoCE", {"items": [{"design": DESIGN_ID}, {"sibling": 0}]}),
        example(
            "a design by two books", {"items": [{"design": DESIGN_ID}, {"design": DESIGN_ID, "price_book": "street"}]}
        ),
        example("specs", {"items": [{"spec": SPEC}, {"spec": SPEC, "label": "The same"}], "baseline": 1}),
    ],
    tags=[TAG],
)
comparison_read = filed_call("get_comparison", "A comparison", ComparisonDetailSerializer, TAG)
comparison_file = file_call(
    "download_comparison", "A comparison as a file", TYPES.values(), TAG, parameters=[FileQuery]
)
comparison_workloads = filed_call(
    "get_comparison_workloads",
    "Designs of a comparison by tokens and dollars",
    WorkloadComparison,
    TAG,
    parameters=[TabQuery],
)
comparison_workloads_file = file_call(
    "download_comparison_workloads",
    "Designs of a comparison by tokens and dollars as a file",
    WORKLOAD_TYPES.values(),
    TAG,
    parameters=[TabFileQuery],
)
comparison_update = call(
    "update_comparison",
    "Rename a comparison, or compare it with another baseline",
    {200: ComparisonDetailSerializer},
    (*BODY, 404, 412),
    request=json_body(CHANGE),
    examples=[example("another baseline", {"baseline": 1})],
    tags=[TAG],
)
comparison_refresh = call(
    "refresh_comparison",
    "Make a comparison again: designs as they are now, today's model, catalog and price books",
    {200: ComparisonDetailSerializer},
    (403, 404, 412, 503),
    request=None,
    takes_key=True,
    tags=[TAG],
)
comparison_delete = delete_call("delete_comparison", "Delete a comparison", TAG)
