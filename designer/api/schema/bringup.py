"""The acceptance contract and the order of work."""

from designer.api.calls import BODY, call, example, files_of, json_body
from designer.api.components import body, component
from designer.api.schema.requests import DESIGN, LOG_TEXT, SPEC, UPLOAD
from designer.api.serializers import AcceptanceQuery, ChecklistQuery
from designer.services.bringup.checklists import TickedChecklist, TickState
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.result import Acceptance
from estimator.bringup.checklist.files import CHECKLIST_FORMATS

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
