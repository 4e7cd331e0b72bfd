"""Cost of ownership, phases, and what a change costs and brings."""

from designer.api.answers import estimate as answers
from designer.api.calls import BODY, call, example, file_call, filed_call, files_of, json_body
from designer.api.serializers import FileQuery, PhasesQuery
from designer.exports.downloads import CSV_TYPE, TYPES

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
