"""Saved designs and their named versions."""

from designer.api.calls import BODY, call, delete_call, example, json_body, list_call, read_call
from designer.api.components import body, component, values_by
from designer.api.schema.requests import NAMED, NAMED_SPEC, SPEC, SPEC_REFERENCE
from designer.api.serializers import DesignDetailSerializer, DesignQuery, DesignSerializer, RevisionDetailSerializer

DESIGN_CHANGE = component("DesignChange", body(NAMED, minProperties=1))
VERSION = component(
    "NewVersion",
    body(
        {
            "name": {"type": "string", "maxLength": 200, "description": 'Without one, "Version" and its number.'},
            "note": {"type": "string", "maxLength": 2000},
        }
    ),
)
SPEC_SCHEMA = component("SpecSchema", values_by("keyword of JSON Schema, draft 2020-12"))
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
