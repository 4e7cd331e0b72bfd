"""Calls made up from the OpenAPI document: the server never breaks, and answers as the document says."""

import functools
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from designer.config.wsgi import application
from designer.models import ApiToken
from tests.designer.api_helpers import Caller
from tests.thorough import THOROUGH

pytestmark = pytest.mark.django_db
# A design is the body of these too, and has thousands of values at its bounds: the preview, which sizes it, walks them.
HAVE_A_DESIGN = (
    ()
    if THOROUGH
    else (
        "PATCH /api/v1/designs/{id}/",
        "POST /api/v1/designs/",
        "POST /api/v1/comparisons/",
        "POST /api/v1/estimates/",
        "POST /api/v1/predictions/",
        "POST /api/v1/placements/",
        "POST /api/v1/placements/file/",
        "POST /api/v1/training/",
        "POST /api/v1/searches/",
        "POST /api/v1/searches/jobs/",
        "POST /api/v1/sweeps/",
        "POST /api/v1/inference/",
        "POST /api/v1/acceptance/",
        "POST /api/v1/settings-checks/",
    )
)
ANSWER_LISTS = ("/api/v1/training/", "/api/v1/inference/")  # what is wrong in a list is refused in its place there
CONFIG = schemathesis.Config.from_dict(
    {
        "generation": {"max-examples": 5},
        "operations": [
            {"include-name": name, "generation": {"max-examples": 40}, "phases": {"coverage": {"enabled": False}}}
            for name in HAVE_A_DESIGN
        ],
    }
)
SHARES = 4  # a call that has a design makes up one in so many of its optional keys, and the next call the next
COMPONENTS = "#/components/schemas/"


def components_of(schema: Any, found: dict[str, Any], among: dict[str, Any]) -> dict[str, Any]:
    """All components that a schema leads to, by name."""
    for name in re.findall(f'"{COMPONENTS}(\\w+)"', json.dumps(schema)):
        if name not in found:
            found[name] = among[name]
            components_of(among[name], found, among)
    return found


def with_designs_shared_out(document: dict[str, Any]) -> dict[str, Any]:
    """The document, in which each call that has a design takes the keys that are needed and its share of the others.

    A value for each of the 291 keys of a design would take longest of all that is made up.
    """
    schemas = document["components"]["schemas"]
    parts = components_of(schemas["DesignSpec"], {}, schemas)
    for number, label in enumerate(HAVE_A_DESIGN):
        method, path = label.split()
        operation = document["paths"][path][method.lower()]
        share = number % SHARES
        for name, schema in components_of(operation["requestBody"], {}, schemas).items():
            keys, needed = schema.get("properties", {}), schema.get("required", ())
            if name in parts:
                left_out = {key for at, key in enumerate(keys) if at % SHARES != share and key not in needed}
                schema = {**schema, "properties": {key: keys[key] for key in keys if key not in left_out}}
            schemas[f"Share{share}{name}"] = renamed(schema, share)
        operation["requestBody"] = renamed(operation["requestBody"], share)
    return document


def renamed(schema: Any, share: int) -> Any:
    return json.loads(json.dumps(schema).replace(f'"{COMPONENTS}', f'"{COMPONENTS}Share{share}'))


CALLS = schemathesis.openapi.from_dict(
    with_designs_shared_out(SchemaGenerator().get_schema(request=None, public=True)), config=CONFIG
)
CALLS.app = application
OPERATIONS = {made.ok().label: made.ok() for made in CALLS.get_all_operations()}


@pytest.fixture
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"user": None, "anon": None, "heavy": None}
    monkeypatch.setattr("rest_framework.throttling.SimpleRateThrottle.THROTTLE_RATES", rates)


@pytest.fixture
def tokens_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of calls come with the same token, and none of them makes or revokes one."""
    find = ApiToken.find

    @functools.cache
    def found(key: str) -> ApiToken | None:
        token = find(key)
        if token is not None:
            token.last_used_at = timezone.now()  # nor is its use written down each time
        return token

    monkeypatch.setattr(ApiToken, "find", found)


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """A served request closes the database's connection at its end; here it is the test's own."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@CALLS.hook("filter_case")
def is_called(context: schemathesis.HookContext, case: Any) -> bool:
    """One in several of the calls that differ in the value of a field alone, where there are thousands of them.

    Of valid designs at the bounds of a field, which are previewed one by one, of designs with a value of a wrong kind, all of
    which test_spec.py has, of own parts, which are in a design as well, and of bodies for a row that is not there.
    """
    if THOROUGH or getattr(case.meta.phase.data, "scenario", None) not in ("valid_object", "incorrect_type"):
        return True
    is_elsewhere = "{id}" in case.path or case.path == "/api/v1/own-parts/"
    share = 40 if case.path == "/api/v1/preview/" else 6 if is_elsewhere else 1
    return zlib.crc32(json.dumps(case.body, sort_keys=True, default=str).encode()) % share == 0


@pytest.mark.parametrize("label", OPERATIONS)
def test_no_made_up_call_breaks_the_server(
    label: str, call: Caller, no_limits: None, kept_connection: None, tokens_looked_up_once: None
) -> None:
    # `CALLS.parametrize()` makes the calls of all operations up in each process that collects this file.
    build_operation_test(
        config=CALLS.config,
        operation=OPERATIONS[label],
        test_func=called,
        given_kwargs={},
        feedback=FeedbackSources(),
    )(call=call)


@settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def called(case: Any, call: Caller) -> None:
    # A request can be as the document says and still ask for what no rule of networks allows.
    # Its way to the app has no network, and nothing in it that unpacks what was sent compressed.
    headers = {"Authorization": call.authorization, "Accept-Encoding": "identity"}
    is_list = case.path in ANSWER_LISTS and isinstance(case.body, list)
    excluded = [positive_data_acceptance, *([negative_data_rejection] if is_list else [])]
    answer = case.call_and_validate(headers=headers, excluded_checks=excluded)
    if is_list and answer.status_code == 200:
        assert len(answer.json()) == len(case.body)


@pytest.mark.skipif(THOROUGH, reason="each call makes up all keys")
def test_calls_that_share_a_design_out_have_all_its_keys_together() -> None:
    schemas = CALLS.raw_schema["components"]["schemas"]
    for name, schema in components_of(schemas["DesignSpec"], {}, schemas).items():
        shares = [schemas[f"Share{share}{name}"] for share in range(SHARES)]
        keys = [one.get("properties", {}).keys() for one in shares]
        assert set().union(*keys) == schema.get("properties", {}).keys(), name
        assert all(one.get("required", []) == schema.get("required", []) for one in shares)
        assert all(set(schema.get("required", ())) <= each for each in keys)
