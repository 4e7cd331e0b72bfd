"""Records of the catalog."""

from drf_spectacular.utils import OpenApiParameter

from designer.api.answers import estimate as answers
from designer.api.calls import call
from designer.api.components import component, values_by
from designer.api.serializers import CatalogQuery

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
