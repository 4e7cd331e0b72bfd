"""Bodies that several subjects take: a design, named or by reference, a file, and the parts of a request."""

from typing import cast

from pydantic import BaseModel

from designer.api.components import body, component, split_enums, values_by
from estimator.record import Json

SPEC = {
    "name": "DGX H100, 4 scalable units",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
}
SPEC_REFERENCE = {"$ref": "#/components/schemas/DesignSpec"}
NAMED = {"name": {"type": "string", "minLength": 1, "maxLength": 200}, "spec": SPEC_REFERENCE}
NAMED_SPEC = component("NamedSpec", body(NAMED, required=["spec"]))
DESIGN = {
    "anyOf": [{"type": "string", "format": "uuid"}, SPEC_REFERENCE],
    "description": "A design: its request, or the id of a saved one.",
}
_VALUES = {
    "description": "A list, or a range of from, to and step or factor.",
    "anyOf": [{"type": "array", "items": {}}, component("SearchRange", values_by("key of a range"))],
}


def parts_of(kind: type[BaseModel], prefix: str) -> Json:
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


UPLOAD = {"type": "string", "format": "binary"}
LOG_TEXT = {"file": {"type": "string"}, "text": {"type": "string"}}
