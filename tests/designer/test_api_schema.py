"""The OpenAPI document is valid, true and readable offline; calls made up from it never break the server."""

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import jsonschema
import pytest
import schemathesis
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from designer.api import schema as documented
from designer.config.wsgi import application
from tests.designer.api_helpers import Caller, caller, finish
from tests.designer.sample_estimate import sample_estimate

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture
def call(owner: User) -> Caller:
    return caller(owner)


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
        "post /api/v1/preview/", "post /api/v1/predictions/", "get /api/v1/spec-schema/",
        "get /api/v1/designs/", "post /api/v1/designs/",
        "get /api/v1/designs/{id}/", "patch /api/v1/designs/{id}/", "delete /api/v1/designs/{id}/",
        "get /api/v1/designs/{id}/revisions/{number}/",
        "get /api/v1/estimates/", "post /api/v1/estimates/", "get /api/v1/estimates/{id}/",
        "post /api/v1/estimates/{id}/cancel/", "get /api/v1/estimates/{id}/bom/",
        "get /api/v1/catalog/", "get /api/v1/catalog/{kind}/",
    }  # fmt: skip


def test_a_design_is_described_by_the_model_that_checks_it(document: dict[str, Any]) -> None:
    component = document["components"]["schemas"]["DesignSpec"]
    assert component["additionalProperties"] is False
    assert component["required"] == ["compute", "fabric"]
    assert_has_shape(document, "DesignSpec", documented.SPEC)
    with pytest.raises(jsonschema.ValidationError):
        assert_has_shape(document, "DesignSpec", documented.SPEC | {"bogus": 1})


def test_the_examples_work(call: Caller, document: dict[str, Any]) -> None:
    preview = call("POST", "preview/", documented.SPEC)
    assert preview.status_code == 200
    assert_has_shape(document, "Preview", preview.json())
    predicted = call("POST", "predictions/", documented.PREDICTION)
    assert predicted.status_code == 200
    assert_has_shape(document, "Prediction", predicted.json())


def test_answers_have_the_shape_that_is_described(call: Caller, document: dict[str, Any]) -> None:
    design = call("POST", "designs/", documented.SPEC).json()
    assert_has_shape(document, "DesignDetail", design)
    assert_has_shape(document, "PaginatedDesignList", call("GET", "designs/").json())
    job = call("POST", "estimates/", {"design": design["id"]}).json()
    assert_has_shape(document, "EstimateJobDetail", job)
    finish(job["id"], sample_estimate())
    assert_has_shape(document, "EstimateJobDetail", call("GET", f"estimates/{job['id']}/").json())
    assert_has_shape(document, "PaginatedEstimateJobList", call("GET", "estimates/").json())
    assert_has_shape(document, "Bom", call("GET", f"estimates/{job['id']}/bom/").json())
    assert_has_shape(document, "Error", call("GET", "nowhere/").json())


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


def policy_of(path: str) -> dict[str, str]:
    header = Client().get(path)["Content-Security-Policy"]
    return {name: value for name, _, value in (part.strip().partition(" ") for part in header.split(";"))}


def test_only_this_page_may_style_inline_and_none_may_run_inline_scripts() -> None:
    assert "'unsafe-inline'" in policy_of("/api/docs/")["style-src"]
    assert policy_of("/api/docs/")["script-src"] == "'self'"
    assert policy_of("/api/v1/designs/")["style-src"] == "'self'"
    assert policy_of("/api/schema/")["style-src"] == "'self'"


# --- Made-up calls -----------------------------------------------------------------------------------------------
CALLS = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
CALLS.app = application


@pytest.fixture
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"user": None, "anon": None, "heavy": None}
    monkeypatch.setattr("rest_framework.throttling.SimpleRateThrottle.THROTTLE_RATES", rates)


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """A served request closes the database's connection at its end; here it is the test's own."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@CALLS.parametrize()
@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_made_up_call_breaks_the_server(case: Any, call: Caller, no_limits: None, kept_connection: None) -> None:
    # A request can be as the document says and still ask for what no rule of networks allows.
    case.call_and_validate(headers={"Authorization": call.authorization}, excluded_checks=[positive_data_acceptance])
