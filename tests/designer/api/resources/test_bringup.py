"""Bring-up over REST: the plan, files, the archive, and settings that are there, checked."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from designer.api.resources.bringup.described import _PRIORITIES
from designer.models import ApiToken
from estimator.bringup.check.upload import MAX_FILE_BYTES, read_all
from estimator.bringup.plan.choices import choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.renderings.targets import archive, file_of, names_of, plan_answer
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import BASE, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db
ROCE: dict[str, Any] = {
    "name": "Site A",
    "compute": {"server": "dgx-h100", "nodes": 8},
    "fabric": {"generation": "roce-400"},
}
GROWN = ROCE | {"compute": {"server": "dgx-h100", "nodes": 12}}
PLAN = plan_of(parse_spec(ROCE, load_catalog()), load_catalog())
SECRET = "hunter2hunter2"
NCCL = "NCCL_IB_HCA==mlx5_0\nNCCL_IB_TC=96\nNCCL_IB_GID_INDEX=3\n"


@pytest.fixture
def design(call: Caller) -> str:
    return f"designs/{call('POST', 'designs/', ROCE).json()['id']}/bring-up/"


def test_the_plan_is_that_of_the_verb_and_of_any_version(call: Caller, design: str) -> None:
    assert call("GET", design).json() == plan_answer(PLAN).as_json()
    owner = design.removesuffix("bring-up/")
    call("POST", f"{owner}revisions/", {"name": "Bid 1"})
    call("PATCH", owner, {"spec": GROWN})
    assert call("GET", design).json()["nics"][0]["nodes"] == 12
    assert call("GET", f"{design}?revision=1").json()["nics"][0]["nodes"] == 8
    assert_refused(call("GET", f"{design}?revision=9"), 404, "not_found")
    changed = call("GET", f"{design}changes/?from=1").json()
    assert (changed["nodes_before"], changed["nodes_after"]) == (8, 12)
    assert call("GET", f"{design}changes/?from=1&to=1").json()["changes"] == []
    assert_refused(call("GET", f"{design}changes/"), 400, "invalid_request", "from")
    assert_refused(call("GET", f"{design}changes/?from=7"), 404, "not_found")


def test_files_are_named_and_sent(call: Caller, design: str) -> None:
    listed = call("GET", f"{design}files/?target=sonic").json()
    assert listed["files"] == names_of(PLAN, "sonic")
    name = listed["files"][0]
    sent = call("GET", f"{design}file/?target=sonic&file={name}")
    assert sent.content.decode() == file_of(PLAN, "sonic", name).text
    assert f'filename="{name}"' in sent["Content-Disposition"]
    assert call("GET", f"{design}file/?target=nic").content.startswith(b"#!/usr/bin/env bash")
    assert_refused(call("GET", f"{design}file/?target=sonic&file=x"), 400, "invalid_spec", "file")
    assert_refused(call("GET", f"{design}files/?target=opensm"), 400, "invalid_spec", "target")
    assert_refused(call("GET", f"{design}files/?target=routeros"), 400, "invalid_request", "target")
    assert_refused(call("GET", f"{design}files/"), 400, "invalid_request", "target")


def test_an_archive_is_streamed(call: Caller, design: str) -> None:
    answer = call("GET", f"{design}archive/?target=nvue")
    data = b"".join(answer.streaming_content)
    assert answer["Content-Type"] == "application/zip"
    assert data == b"".join(archive(PLAN, "nvue"))
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


CHOSEN = choices("rail", "trimming", 3)
ASKED = "addressing=rail&data_class=trimming&weeks=3"


def test_choices_are_parameters_of_every_call(call: Caller, design: str) -> None:
    plan = plan_of(parse_spec(ROCE, load_catalog()), load_catalog(), CHOSEN)
    assert call("GET", f"{design}?{ASKED}").json() == plan_answer(plan).as_json() != plan_answer(PLAN).as_json()
    assert call("GET", f"{design}file/?target=nic&{ASKED}").content.decode() == file_of(plan, "nic").text
    archived = call("GET", f"{design}archive/?target=checklist&{ASKED}")
    assert b"".join(archived.streaming_content) == b"".join(archive(plan, "checklist"))  # whose crews follow the weeks
    assert "checklist-rail-trimming" in archived["Content-Disposition"]
    owner = design.removesuffix("bring-up/")
    assert call("GET", f"{owner}checklist/?weeks=3").json()["weeks"] == 3
    priorities = [{"file": "node-0001:mlnx_qos.txt", "text": _PRIORITIES}]
    body = {"design": ROCE, "files": priorities}
    assert call("POST", "settings-checks/", body).json()["findings"] == []
    found = call("POST", f"settings-checks/?{ASKED}", body).json()["findings"]
    assert {one["code"] for one in found} == {"pfc_on"}


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ("addressing=dhcp", "invalid_request", "addressing"),
        ("data_class=lossy", "invalid_request", "data_class"),
        ("weeks=0", "invalid_spec", "weeks"),
        ("weeks=nan", "invalid_request", "weeks"),
        ("weeks=soon", "invalid_request", "weeks"),
    ],
)
def test_wrong_choices_are_refused(call: Caller, design: str, asked: str, code: str, field: str) -> None:
    assert_refused(call("GET", f"{design}?{asked}"), 400, code, field)


def test_others_designs_are_not_there(design: str) -> None:
    stranger = caller(User.objects.create_user("grace"))
    for address in ("", "files/?target=nic", "file/?target=nic", "archive/"):
        assert_refused(stranger("GET", design + address), 404, "not_found")


# --- Settings that are there -------------------------------------------------------------------------------------
def test_settings_are_checked_against_a_spec_or_a_saved_design(call: Caller, design: str) -> None:
    files = [{"file": "node-0001:nccl.conf", "text": NCCL + f"# password = {SECRET}\n"}]
    found = call("POST", "settings-checks/", {"design": ROCE, "files": files})
    assert found.status_code == 200, found.content
    assert SECRET not in found.content.decode()
    (one,) = [item for item in found.json()["findings"] if item["code"] == "tc_not_dscp"]
    assert (one["device"], one["file"], one["line"]) == ("node-0001", "nccl.conf", 2)
    assert one["fix"] == "NCCL_IB_TC=106"
    cost = one["cost"]
    assert cost["to_low"] < cost["to"] < cost["to_high"]
    assert cost["to"] < cost["from"] < cost["from_high"]
    by_id = call("POST", "settings-checks/", {"design": design.split("/")[1], "files": files})
    assert by_id.json() == found.json()


def post_form(**parts: Any) -> Any:
    _, key = ApiToken.issue(User.objects.create_user("ada"), "laptop", "write")
    return Client().post(f"{BASE}/settings-checks/", parts, headers={"Authorization": f"Token {key}"})


def test_a_form_has_several_files_and_what_cannot_be_read_is_listed() -> None:
    answer = post_form(
        design=json.dumps(ROCE),
        files=[
            SimpleUploadedFile("nccl.conf", NCCL.encode()),
            SimpleUploadedFile("core.bin", bytes(5000)),
            SimpleUploadedFile("poem.txt", b"Roses are red\n"),
            SimpleUploadedFile("huge.txt", b"x = 1\n" * (MAX_FILE_BYTES // 5)),
        ],
        **{"node-0002:": SimpleUploadedFile("env", NCCL.encode())},
    )
    assert answer.status_code == 200, answer.content
    assert {one["file"] for one in answer.json()["unread"]} >= {"core.bin", "poem.txt", "huge.txt"}
    assert {"node-0002"} <= {one["device"] for one in answer.json()["findings"]}


def test_a_design_sent_as_a_file_is_no_settings_file() -> None:
    design = SimpleUploadedFile("spec.json", json.dumps(ROCE).encode())
    answer = post_form(design=design, files=[SimpleUploadedFile("design.json", NCCL.encode())])
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert {one["file"] for one in found["findings"]} == {"design.json"}
    assert "spec.json" not in {one["file"] for one in found["unread"]}


def test_the_example_of_the_schema_has_priorities() -> None:
    (reading,) = read_all([("node-0001:mlnx_qos.txt", _PRIORITIES.encode())], [])
    assert {one.setting: one.value for one in reading.seen} == {"trust": "dscp", "pfc": (3,)}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"design": ROCE}, "wrong_type"),
        ({"design": ROCE, "files": []}, "required"),
        ({"design": ROCE, "files": [{"file": "a"}]}, "wrong_type"),
        ({"design": ROCE, "files": [{"file": "a", "text": 3}]}, "wrong_type"),
        ({"design": "no id", "files": [{"file": "a", "text": "b"}]}, "invalid"),
        ({"design": ROCE, "logs": []}, "unknown_key"),
        ({"design": ROCE, "files": [{"file": "a", "text": ""}] * 2001}, "too_many_logs"),
    ],
)
def test_wrong_bodies_are_refused(call: Caller, body: Any, code: str) -> None:
    response = call("POST", "settings-checks/", body)
    assert response.status_code == 400, response.content
    assert code in {problem["code"] for problem in response.json()["problems"]}
