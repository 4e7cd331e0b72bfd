"""The acceptance contract over REST: gates, results as JSON or files, what is refused."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pypdf import PdfReader

from designer.models import AccountChoices, ApiToken
from estimator.bringup.acceptance.design import accepted
from estimator.catalog.loader import load_catalog
from tests.designer.api_helpers import BASE, SPEC, Caller, assert_refused, caller
from tests.estimator.bringup.sites import nccl_log, spec_of

pytestmark = pytest.mark.django_db
SLOW = ("node__node-0001__1.log", nccl_log(300.0, 8, 1))
WELL = ("node__node-0002__1.log", nccl_log(468.0, 8, 1))


def test_it_answers_as_the_verb(call: Caller) -> None:
    response = call("POST", "acceptance/", {"design": SPEC})
    assert response.status_code == 200, response.content
    _, answer = accepted(spec_of(SPEC), load_catalog())
    assert response.json() == answer.as_json()
    results = [{"file": name, "text": data.decode()} for name, data in (SLOW, WELL)]
    judged = call("POST", "acceptance/", {"design": SPEC, "results": results}).json()
    assert [(one["verdict"], one["where"]) for one in judged["results"] if one["measured"]] == [
        ("fail", "node-0001"),
        ("pass", "node-0002"),
    ]
    assert judged["calibration"]["parameters"]


def test_the_paper_is_in_the_units_of_the_caller_and_other_files_in_those_of_the_tools(
    call: Caller, owner: User
) -> None:
    def paper() -> str:
        content = call("POST", "acceptance/?format=pdf", {"design": SPEC}).content
        return "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)

    as_json = call("POST", "acceptance/", {"design": SPEC}).json()
    assert "printed as" not in paper()
    AccountChoices.objects.create(user=owner, bandwidth=AccountChoices.Bandwidth.BITS)
    assert "printed as" in paper()
    assert call("POST", "acceptance/", {"design": SPEC}).json() == as_json


def test_a_saved_design_is_named_by_its_id_and_follows_a_calibration(call: Caller) -> None:
    saved = call("POST", "designs/", SPEC).json()["id"]
    by_id = call("POST", "acceptance/", {"design": saved}).json()
    assert by_id["gates"] == call("POST", "acceptance/", {"design": SPEC}).json()["gates"]
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("POST", "acceptance/", {"design": saved}), 404, "not_found")
    results = [{"file": SLOW[0], "text": SLOW[1].decode()}]
    calibration = call("POST", "acceptance/", {"design": saved, "results": results}).json()["calibration"]
    own = {**SPEC, "workload": {"calibration": calibration}}
    (node,) = [gate for gate in call("POST", "acceptance/", {"design": own}).json()["gates"] if gate["code"] == "node"]
    assert node["expected"] == pytest.approx(300.0, rel=0.02)
    assert node["basis"] == "calibration"


def test_the_script_is_a_file(call: Caller) -> None:
    response = call("POST", "acceptance/?format=script", {"design": SPEC})
    assert response.content.startswith(b"#!/usr/bin/env bash")
    assert 'filename="accept.sh"' in response["Content-Disposition"]
    assert_refused(call("POST", "acceptance/?format=x", {"design": SPEC}), 400, "invalid_request")


@pytest.mark.parametrize(
    ("file_format", "content_type", "name", "start"),
    [
        ("pdf", "application/pdf", "acceptance.pdf", b"%PDF-"),
        ("nvcre", "application/yaml", "nvcre.yaml", b"# Clusterwright: acceptance of"),
        ("aicr", "application/yaml", "aicr.yaml", b"# Clusterwright: acceptance of"),
        ("azure-nhc", "text/plain", "azure-nhc.conf", b"# Clusterwright: acceptance of"),
    ],
)
def test_the_contract_is_sent_as_every_file(
    call: Caller, file_format: str, content_type: str, name: str, start: bytes
) -> None:
    response = call("POST", f"acceptance/?format={file_format}", {"design": SPEC})
    assert response.status_code == 200
    assert response["Content-Type"].partition(";")[0] == content_type
    assert f'filename="{name}"' in response["Content-Disposition"]
    assert response.content.startswith(start)


def test_a_file_for_other_gpus_is_refused(call: Caller) -> None:
    spec = {"compute": {"server": "smc-8125gs-mi300x", "nodes": 8}, "fabric": {"generation": "roce-400"}}
    assert_refused(call("POST", "acceptance/?format=nvcre", {"design": spec}), 400, "invalid_spec")


def post_form(**parts: Any) -> Any:
    """A form, sent with a token."""
    _, key = ApiToken.issue(User.objects.create_user("ada"), "laptop", "write")
    return Client().post(f"{BASE}/acceptance/", parts, headers={"Authorization": f"Token {key}"})


def test_files_and_archives_are_sent_as_a_form() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(*WELL)
    response = post_form(
        design=json.dumps(SPEC), results=[SimpleUploadedFile(*SLOW), SimpleUploadedFile("all.zip", out.getvalue())]
    )
    assert response.status_code == 200, response.content
    found = {one["where"]: one["verdict"] for one in response.json()["results"] if one["measured"]}
    assert found == {"node-0001": "fail", "node-0002": "pass"}


def test_malformed_and_binary_uploads_are_refused() -> None:
    response = post_form(design=json.dumps(SPEC), results=[SimpleUploadedFile("a.bin", bytes(1000))])
    (problem,) = assert_refused(response, 400, "invalid_spec", "results")
    assert problem["code"] == "no_results"
    assert "binary" in problem["message"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"design": SPEC, "log": 1}, "unknown_key"),
        ({"design": "no id"}, "invalid"),
        ({"design": {"compute": {}}}, "invalid_spec"),
        ({"design": SPEC, "results": 3}, "wrong_type"),
        ({"design": SPEC, "results": [{"file": "a"}]}, "wrong_type"),
        ({"design": SPEC, "results": [{"file": "a", "text": ""}]}, "no_results"),
    ],
)
def test_wrong_bodies_are_refused(call: Caller, body: Any, code: str) -> None:
    response = call("POST", "acceptance/", body)
    assert response.status_code == 400, response.content
    assert code in {problem["code"] for problem in response.json()["problems"]} | {response.json()["code"]}
