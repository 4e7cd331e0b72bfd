"""The OpenAPI document is valid, true and readable offline."""

import json
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import jsonschema
import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from designer.api.schema import workloads
from designer.api.schema.predictions import PREDICTION
from designer.api.schema.requests import SPEC
from estimator.catalog.catalog import Catalog
from estimator.jobs.tasks import run_estimate
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def assert_has_shape(document: dict[str, Any], name: str, value: Any) -> None:
    """The value is as the document's component of this name says."""
    jsonschema.validate(value, {"$ref": f"#/components/schemas/{name}", "components": document["components"]})


def test_the_document_is_valid_without_a_warning() -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=StringIO())


def test_anyone_may_read_the_document() -> None:
    assert b"/api/v1/estimates/{id}/bom/" in Client().get("/api/schema/").content
    assert Client().get("/api/schema/?format=json").json()["openapi"].startswith("3.1")


def test_every_address_and_method_is_in_the_document(document: dict[str, Any]) -> None:
    found = {
        f"{method} {path}" for path, item in document["paths"].items() for method in item if path.startswith("/api/v1/")
    }
    assert found == {
        "post /api/v1/preview/",
        "post /api/v1/predictions/",
        "post /api/v1/training/",
        "post /api/v1/inference/",
        "post /api/v1/searches/",
        "get /api/v1/searches/jobs/",
        "post /api/v1/searches/jobs/",
        "get /api/v1/searches/jobs/{id}/",
        "post /api/v1/searches/jobs/{id}/cancel/",
        "post /api/v1/sweeps/",
        "post /api/v1/placements/",
        "post /api/v1/placements/file/",
        "post /api/v1/acceptance/",
        "post /api/v1/settings-checks/",
        "get /api/v1/spec-schema/",
        "get /api/v1/designs/",
        "post /api/v1/designs/",
        "get /api/v1/designs/{id}/",
        "patch /api/v1/designs/{id}/",
        "delete /api/v1/designs/{id}/",
        "get /api/v1/designs/{id}/bring-up/",
        "get /api/v1/designs/{id}/bring-up/files/",
        "get /api/v1/designs/{id}/bring-up/file/",
        "get /api/v1/designs/{id}/bring-up/archive/",
        "post /api/v1/designs/{id}/bring-up/archives/",
        "get /api/v1/settings-archives/{id}/",
        "delete /api/v1/settings-archives/{id}/",
        "get /api/v1/settings-archives/{id}/file/",
        "get /api/v1/designs/{id}/bring-up/changes/",
        "get /api/v1/designs/{id}/checklist/",
        "patch /api/v1/designs/{id}/checklist/",
        "post /api/v1/designs/{id}/revisions/",
        "get /api/v1/designs/{id}/revisions/{number}/",
        "get /api/v1/estimates/",
        "post /api/v1/estimates/",
        "get /api/v1/estimates/{id}/",
        "get /api/v1/estimates/{id}/state/",
        "get /api/v1/estimates/{id}/result/",
        "get /api/v1/estimates/{id}/bom/file/",
        "get /api/v1/estimates/{id}/cost/file/",
        "get /api/v1/comparisons/{id}/file/",
        "get /api/v1/quotes/{id}/file/",
        "get /api/v1/price-books/{id}/file/",
        "get /api/v1/price-books/anchors/file/",
        "get /api/v1/price-books/street/file/",
        "get /api/v1/price-books/dealer/file/",
        "get /api/v1/price-books/branded/file/",
        "post /api/v1/estimates/{id}/cancel/",
        "get /api/v1/estimates/{id}/bom/",
        "get /api/v1/estimates/{id}/links/",
        "get /api/v1/estimates/{id}/cabling/",
        "get /api/v1/estimates/{id}/racks/",
        "get /api/v1/estimates/{id}/placement/",
        "get /api/v1/comparisons/{id}/workloads/",
        "get /api/v1/comparisons/{id}/workloads/file/",
        "get /api/v1/estimates/{id}/workloads/",
        "get /api/v1/estimates/{id}/workloads/file/",
        "get /api/v1/estimates/{id}/sensitivity/",
        "post /api/v1/estimates/{id}/cost/what-if/",
        "get /api/v1/estimates/{id}/cost/",
        "get /api/v1/estimates/{id}/phases/",
        "get /api/v1/estimates/{id}/crew-pack/",
        "get /api/v1/estimates/{id}/phases/cables/",
        "post /api/v1/estimates/{id}/links/compare/",
        "post /api/v1/designs/{id}/links/compare/",
        "post /api/v1/dumps/",
        "get /api/v1/calibrations/",
        "post /api/v1/calibrations/",
        "get /api/v1/calibrations/{id}/",
        "delete /api/v1/calibrations/{id}/",
        "get /api/v1/comparisons/",
        "post /api/v1/comparisons/",
        "get /api/v1/comparisons/{id}/",
        "patch /api/v1/comparisons/{id}/",
        "delete /api/v1/comparisons/{id}/",
        "post /api/v1/comparisons/{id}/refresh/",
        "get /api/v1/own-parts/",
        "post /api/v1/own-parts/",
        "get /api/v1/own-parts/{id}/",
        "patch /api/v1/own-parts/{id}/",
        "delete /api/v1/own-parts/{id}/",
        "get /api/v1/own-parts/{id}/revisions/{number}/",
        "post /api/v1/comparisons/{id}/board-pack/",
        "get /api/v1/price-books/",
        "post /api/v1/price-books/",
        "get /api/v1/price-books/{id}/",
        "patch /api/v1/price-books/{id}/",
        "delete /api/v1/price-books/{id}/",
        "post /api/v1/price-books/{id}/import/",
        "get /api/v1/price-books/{id}/revisions/{number}/",
        "get /api/v1/price-books/anchors/",
        "get /api/v1/price-books/street/",
        "get /api/v1/price-books/dealer/",
        "get /api/v1/price-books/branded/",
        "get /api/v1/quotes/",
        "post /api/v1/quotes/",
        "get /api/v1/quotes/{id}/",
        "patch /api/v1/quotes/{id}/",
        "delete /api/v1/quotes/{id}/",
        "post /api/v1/quotes/{id}/prices/",
        "get /api/v1/catalog/",
        "get /api/v1/catalog/{kind}/",
    }


def test_a_design_is_described_by_the_model_that_checks_it(document: dict[str, Any]) -> None:
    component = document["components"]["schemas"]["DesignSpec"]
    assert component["additionalProperties"] is False
    assert component["required"] == ["compute", "fabric"]
    assert_has_shape(document, "DesignSpec", SPEC)
    with pytest.raises(jsonschema.ValidationError):
        assert_has_shape(document, "DesignSpec", SPEC | {"bogus": 1})


def test_the_examples_work(call: Caller, document: dict[str, Any]) -> None:
    preview = call("POST", "preview/", SPEC)
    assert preview.status_code == 200
    assert_has_shape(document, "Preview", preview.json())
    predicted = call("POST", "predictions/", PREDICTION)
    assert predicted.status_code == 200
    assert_has_shape(document, "Prediction", predicted.json())


def test_answers_have_the_shape_that_is_described(call: Caller, document: dict[str, Any]) -> None:
    design = call("POST", "designs/", SPEC).json()
    assert_has_shape(document, "DesignDetail", design)
    assert_has_shape(document, "PaginatedDesignList", call("GET", "designs/").json())
    job = call("POST", "estimates/", {"design": design["id"]}).json()
    assert_has_shape(document, "EstimateJobDetail", job)
    run_estimate(job["id"])
    assert_has_shape(document, "EstimateJobDetail", call("GET", f"estimates/{job['id']}/").json())
    assert_has_shape(document, "PaginatedEstimateJobList", call("GET", "estimates/").json())
    assert_has_shape(document, "Bom", call("GET", f"estimates/{job['id']}/bom/").json())
    assert_has_shape(document, "Cabling", call("GET", f"estimates/{job['id']}/cabling/").json())
    assert_has_shape(document, "Error", call("GET", "nowhere/").json())


VARIETY: list[dict[str, Any]] = [
    {"compute": {"server": "dgx-h100", "nodes": 1}, "fabric": {"generation": "ndr"}},
    {"compute": {"server": "dgx-h100", "nodes": 700}, "fabric": {"generation": "ndr", "tiers": 3}},
    {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr", "grow_to_nodes": 256},
        "site": {"plan": {}},
    },
    {"compute": {"server": "gb200-tray", "nodes": 40}, "fabric": {"generation": "ndr"}},
    {
        "compute": {"server": "dgx-b200", "nodes": 64},
        "fabric": {"generation": "roce-400", "oversubscription": "2:1"},
        "economics": {"years": 3, "cloud_usd_per_gpu_hour": 2.5},
    },
    {
        "compute": {"server": "custom", "nodes": 300, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 8},
        "fabric": {"generation": "ndr"},
    },
]


@pytest.mark.parametrize("spec", VARIETY, ids=range(len(VARIETY)))
def test_estimates_of_all_kinds_have_the_shape_that_is_described(
    spec: dict[str, Any], document: dict[str, Any], catalog: Catalog
) -> None:
    (made,) = estimate([parse_spec(spec, catalog)], catalog)
    assert_has_shape(document, "Estimate", json.loads(json.dumps(made.as_json())))


def objects_without_a_type(part: Any, path: str = "") -> Iterator[str]:
    if isinstance(part, dict):
        is_open = part.get("additionalProperties") in (None, {}, True)
        if "object" in str(part.get("type")) and "properties" not in part and is_open and "/anyOf/" not in path:
            yield path
        for key, value in part.items():
            yield from objects_without_a_type(value, f"{path}/{key}")
    elif isinstance(part, list):
        for place, value in enumerate(part):
            yield from objects_without_a_type(value, f"{path}/{place}")


def test_every_object_has_a_type_every_body_a_name_and_no_enum_mixes_types(document: dict[str, Any]) -> None:
    assert list(objects_without_a_type(document)) == []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                shapes = content["schema"].get("anyOf", [content["schema"]])
                assert kind == "application/octet-stream" or all("$ref" in shape for shape in shapes), (method, path)
    enums = re.findall(r'"enum": (\[[^]]*\])', json.dumps(document))
    assert len(enums) > 20
    assert all(len({type(value) for value in json.loads(enum)} - {type(None)}) == 1 for enum in enums)
    tiers = document["components"]["schemas"]["Fabric"]["properties"]["tiers"]
    assert [part["enum"] for part in tiers["anyOf"]] == [[1, 2, 3], ["auto"]]


# --- The page ----------------------------------------------------------------------------------------------------
def test_the_page_loads_nothing_from_elsewhere() -> None:
    response = Client().get("/api/docs/")
    assert response.status_code == 200
    page = response.content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(addresses) >= 4
    assert all(address.startswith("/") for address in addresses), addresses
    static = [address.removeprefix("/static/") for address in addresses if address.startswith("/static/")]
    assert all(finders.find(path) for path in static)
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    script = Client().get(
        next(address for address in addresses if address.startswith("/api/docs/")).replace("&amp;", "&")
    )
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/schema/" in script.content.decode()


def test_the_page_leads_back_and_follows_the_colours_of_the_others() -> None:
    page = Client().get("/api/docs/").content.decode()
    assert '<a class="docs-brand" href="/">' in page
    assert "data-theme-toggle" in page
    assert '<script type="module" blocking="render" src="/static/designer/js/entry/api_docs.js"></script>' in page


def policy_of(path: str) -> dict[str, str]:
    header = Client().get(path)["Content-Security-Policy"]
    return {name: value for name, _, value in (part.strip().partition(" ") for part in header.split(";"))}


def test_only_this_page_may_style_inline_and_none_may_run_inline_scripts() -> None:
    assert "'unsafe-inline'" in policy_of("/api/docs/")["style-src"]
    assert policy_of("/api/docs/")["script-src"] == "'self'"
    assert policy_of("/api/v1/designs/")["style-src"] == "'self'"
    assert policy_of("/api/schema/")["style-src"] == "'self'"


# --- Workloads ---------------------------------------------------------------------------------------------------
RUN = {"tokens": 1e12, "usd_per_gpu_hour": 2.5}
BATCHES = {"mode": "batch", "model": "llama3-8b", "batch": [1, 8], "context": 2048, "layout": {"tp": 2, "pp": 2}}
POOL = {"tp": 4, "workers": 2}
ANSWERS: list[tuple[str, str, dict[str, Any]]] = [
    ("training", "TrainingAnswer", workloads.TRAINING_EXAMPLE | {"run": RUN}),
    ("training", "TrainingAnswer", workloads.TRAINING_EXAMPLE | {"model": "llama3-405b"}),
    ("training", "TrainingSearchAnswer", workloads.TRAINING_OF_DESIGN),
    ("inference", "InferenceAnswer", workloads.SERVING_EXAMPLE),
    ("inference", "InferenceAnswer", workloads.SERVING_EXAMPLE | {"layout": {"tp": 1}, "precision": "bf16"}),
    (
        "inference",
        "InferenceAnswer",
        workloads.SERVING_EXAMPLE | {"mode": "disaggregated", "layout": {"prefill": POOL, "decode": POOL}},
    ),
    ("inference", "InferenceSearchAnswer", workloads.SERVING_OF_DESIGN),
    ("inference", "InferenceSearchAnswer", workloads.SERVING_OF_DESIGN | {"mode": "disaggregated", "top": 2}),
    ("inference", "InferenceSearchAnswer", workloads.SERVING_OF_DESIGN | {"target": {"tpot_ms": 0.001}}),
    ("inference", "InferenceBatchAnswer", {"system": workloads.SERVING_EXAMPLE["system"], **BATCHES}),
]


def closed(schema: Any) -> Any:
    """The schema with no other keys than those that it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: closed(value) for key, value in schema.items()}
    return inside | ({"additionalProperties": False} if schema.get("properties") else {})


@pytest.mark.parametrize(
    ("address", "name", "asked"), ANSWERS, ids=[f"{one[1]}-{at}" for at, one in enumerate(ANSWERS)]
)
def test_every_key_of_a_workloads_answer_is_in_the_document(
    call: Caller, document: dict[str, Any], address: str, name: str, asked: dict[str, Any]
) -> None:
    response = call("POST", f"{address}/", asked)
    assert response.status_code == 200, response.content
    assert_has_shape(closed(document), name, response.json())
    several = call("POST", f"{address}/", [asked, {}]).json()
    assert_has_shape(closed(document), f"{address.capitalize()}Answers", several)
    assert_has_shape(closed(document), "WorkloadRefusal", several[1])
