"""Searches and sweeps, at once and as jobs."""

from pydantic import BaseModel

from designer.api.calls import BODY, call, example, json_body, list_call, read_call
from designer.api.components import component, values_by
from designer.api.schema.requests import parts_of
from designer.api.serializers import SearchJobDetailSerializer, SearchJobSerializer
from estimator.record import Json
from estimator.search.request import SearchRequest, SweepRequest

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


def _finding(kind: type[BaseModel]) -> Json:
    """Body of a search or sweep: its base is a design with values left open, or the id of a saved one."""
    asked = parts_of(kind, "Search")
    base = values_by("section of a design; a field may be a list, or a range of from, to and step or factor")
    asked["properties"]["base"] = {"anyOf": [{"type": "string", "format": "uuid"}, component("SearchBase", base)]}
    return component(kind.__name__, asked)


def _found(name: str) -> Json:
    """What a search or sweep answers; the document says what its keys are."""
    return component(f"{name}Answer", values_by("key, as docs/search.md has them"))


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
