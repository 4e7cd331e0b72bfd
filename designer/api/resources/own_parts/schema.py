"""What calls of own parts take and answer."""

from designer.api.calls import BODY, call, delete_call, example, json_body, list_call, read_call
from designer.api.components import body, component
from designer.api.resources.own_parts.serializers import (
    ANY_PART,
    OwnPartDetailSerializer,
    OwnPartQuery,
    OwnPartRevisionDetailSerializer,
    OwnPartSerializer,
)
from designer.services.parts.catalog import KIND_CHOICES, MAX_REASON
from estimator.record import Json

TAG = "own parts"
SWITCH = {
    "id": "own-acme-128",
    "vendor": "Acme",
    "model": "S128",
    "protocol": "ethernet",
    "ports": 128,
    "port_rate_gbit_s": 400,
    "links_per_cage": 2,
    "cage": "OSFP8",
    "price_usd": 40000,
    "price_basis": "quote",
    "as_of": "2026-11-02",
}
_REASON: Json = {"type": "string", "maxLength": MAX_REASON, "description": "Why, for the history."}
NEW = component(
    "OwnPartRequest",
    body(
        {"kind": {"type": "string", "enum": list(KIND_CHOICES)}, "part": ANY_PART, "reason": _REASON},
        required=["kind", "part"],
    ),
)
CHANGE = component("OwnPartChange", body({"part": ANY_PART, "reason": _REASON}, required=["part", "reason"]))

part_list = list_call("list_own_parts", "List the own parts of your team", OwnPartSerializer, TAG, OwnPartQuery)
part_create = call(
    "create_own_part",
    "Put a part into your team's catalog",
    {201: OwnPartDetailSerializer},
    BODY,
    request=json_body(NEW),
    takes_key=True,
    examples=[example("a switch", {"kind": "switches", "part": SWITCH, "reason": "Offer 7"})],
    description="A design takes a part whole, under `own_parts`, and names it by its `id`.",
    tags=[TAG],
)
part_read = read_call("get_own_part", "An own part with its history", OwnPartDetailSerializer, TAG)
part_update = call(
    "revise_own_part",
    "Give an own part other figures, as its next revision",
    {200: OwnPartDetailSerializer},
    (*BODY, 404, 412),
    request=json_body(CHANGE),
    examples=[example("a new price", {"part": {**SWITCH, "price_usd": 38000}, "reason": "Round two"})],
    description="The part is sent whole. Designs keep the revision that they were made with.",
    tags=[TAG],
)
part_delete = delete_call("delete_own_part", "Delete an own part with its history; designs keep theirs", TAG)
revision_read = call(
    "get_own_part_revision",
    "One revision of an own part",
    {200: OwnPartRevisionDetailSerializer},
    (404,),
    tags=[TAG],
)
