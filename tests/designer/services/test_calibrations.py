"""Calibrations over REST: logs as a form, as JSON and as a body; kept under a name; used by designs and predictions."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from designer.models import Calibration
from tests.designer.api_helpers import BASE, SPEC, Caller, assert_refused, caller
from tests.estimator.bringup.sites import perftest_text
from tests.estimator.calibration.log_texts import LOGS, measured_log

pytestmark = pytest.mark.django_db
LOG = (LOGS / "h100x4_all_reduce.txt").read_bytes()
ANSWER_KEYS = {"parameters", "logs", "error", "diagnosis"}


def send(call: Caller, *logs: tuple[str, bytes], **fields: str) -> Any:
    files = [SimpleUploadedFile(name, data, content_type="text/plain") for name, data in logs]
    return call.client.post(f"{BASE}/calibrations/", {"log": files, **fields})


def test_a_form_of_several_logs_is_answered_at_once_and_stored_nowhere(call: Caller) -> None:
    gather = (LOGS / "h100x4_all_gather.txt").read_bytes()
    response = send(call, ("one.txt", LOG), ("two.txt", gather))
    assert response.status_code == 200, response.content[:500]
    answer = response.json()
    assert set(answer) >= ANSWER_KEYS
    assert [(log["file"], log["collective"]) for log in answer["logs"]] == [
        ("one.txt", "all_reduce"),
        ("two.txt", "all_gather"),
    ]
    assert Calibration.objects.count() == 0


def test_a_named_calibration_is_kept_found_listed_and_deleted(call: Caller) -> None:
    response = send(call, ("one.txt", LOG), name="Hall 3", system=json.dumps({"gpu": "h100-sxm"}))
    assert response.status_code == 201, response.content[:500]
    kept = response.json()
    assert response["Location"] == kept["url"]
    assert set(kept) >= {*ANSWER_KEYS, "id", "name", "hash", "created_at", "calibration", "system"}
    assert kept["calibration"]["name"] == "Hall 3"
    assert kept["calibration"]["parameters"] == {key: row["value"] for key, row in kept["parameters"].items()}
    assert call("GET", f"calibrations/{kept['id']}/").json() == kept
    (row,) = call("GET", "calibrations/").json()["results"]
    assert (row["id"], row["hash"]) == (kept["id"], kept["hash"])
    assert call("DELETE", f"calibrations/{kept['id']}/").status_code == 204
    assert_refused(call("GET", f"calibrations/{kept['id']}/"), 404, "not_found")


def test_figures_of_single_paths_are_answered_with_their_lines_and_kept(call: Caller) -> None:
    system = {"nic_gbit_s": 400, "fabric": "infiniband"}
    kept = send(call, ("link.txt", perftest_text(380.0)), name="Links", system=json.dumps(system)).json()
    (read,) = kept["paths"]
    behind = kept["parameters"]["network_efficiency.infiniband"]
    assert behind["paths"]["measurements"] == 1
    of_design = kept["calibration"]["ranges"]["network_efficiency.infiniband"]
    assert of_design == {"low": behind["low"], "high": behind["high"]}
    assert (read["file"], read["line"], read["value"], read["unit"]) == ("link.txt", 13, 380.0, "Gb/s")
    assert set(read["constants"]) == set(kept["calibration"]["parameters"])
    slow = send(call, ("link.txt", perftest_text(180.0)), system=json.dumps(system)).json()
    assert (slow["parameters"], "looks faulty" in slow["paths"][0]["note"]) == ({}, True)
    taken = send(call, ("link.txt", perftest_text(180.0)), system=json.dumps({**system, "fit_faulty": True})).json()
    assert set(taken["parameters"]) == set(kept["parameters"])


def test_nobody_sees_or_deletes_anothers_calibration(call: Caller) -> None:
    kept = send(call, ("one.txt", LOG), name="mine").json()
    other = caller(User.objects.create_user("other"))
    assert_refused(other("GET", f"calibrations/{kept['id']}/"), 404, "not_found")
    assert_refused(other("DELETE", f"calibrations/{kept['id']}/"), 404, "not_found")
    assert other("GET", "calibrations/").json()["count"] == 0
    assert Calibration.objects.count() == 1
    assert_refused(caller()("GET", "calibrations/"), 401, "not_authenticated")


def test_a_json_body_and_a_bare_log_give_what_a_form_gives(call: Caller) -> None:
    by_form = send(call, ("log", LOG)).json()
    by_json = call("POST", "calibrations/", {"logs": [{"file": "log", "text": LOG.decode()}]}).json()
    bare = call.client.generic("POST", f"{BASE}/calibrations/", LOG, content_type="text/plain").json()
    assert by_form == by_json == bare
    empty = call.client.generic("POST", f"{BASE}/calibrations/", b"", content_type="text/plain")
    assert empty.status_code == 400
    assert empty.json()["problems"][0]["code"] == "missing"


def test_a_prediction_with_a_calibration_predicts_what_was_measured(call: Caller) -> None:
    kept = send(call, ("one.txt", LOG), name="Hall 3").json()
    curve = kept["curves"][0]
    request = {
        "system": kept["logs"][0]["system"],
        "gpus": [4],
        "message_bytes": curve["message_bytes"],
        "launch": kept["logs"][0]["launch"],
    }
    plain = call("POST", "predictions/", request).json()
    response = call("POST", "predictions/", request | {"calibration": kept["calibration"]})
    assert response.status_code == 200, response.content
    answer = response.json()
    assert answer["calibration"] == {**kept["calibration"], "hash": kept["hash"]}
    assert [row["time_us"] for row in answer["rows"]] == pytest.approx(curve["after_us"], rel=1e-9)
    assert [row["time_us"] for row in plain["rows"]] == pytest.approx(curve["before_us"], rel=1e-9)
    assert "calibration" not in plain


def test_a_design_with_a_calibration_says_so_in_its_estimate(call: Caller) -> None:
    given = {"name": "Hall 3", "parameters": {"network_efficiency.infiniband": 0.8}}
    response = call("POST", "preview/", SPEC | {"workload": {"calibration": given}})
    assert response.status_code == 200, response.content
    performance, plain = response.json()["performance"], call("POST", "preview/", SPEC).json()["performance"]
    assert performance["calibration"]["name"] == "Hall 3"
    assert performance["calibration"]["parameters"] == given["parameters"]
    (used,) = [row for row in performance["all_reduce"]["constants"] if row["name"] == "network_efficiency"]
    assert (used["value"], used["source"]) == (0.8, "calibration Hall 3")
    assert performance["all_reduce"]["busbw_gb_s"][-1][-1] < 0.9 * plain["all_reduce"]["busbw_gb_s"][-1][-1]
    assert "calibration" not in plain


def test_what_is_wrong_is_said_with_its_code(call: Caller) -> None:
    assert_refused(send(call), 400, "invalid_spec", "log")
    assert_refused(send(call, ("a.txt", b"hello")), 400, "invalid_spec", "log")
    assert_refused(send(call, ("a.txt", LOG), name=" "), 400, "invalid_spec", "name")
    assert_refused(send(call, ("a.txt", LOG), name="a\0b"), 400, "invalid_spec", "name")
    assert_refused(send(call, ("a.txt", LOG), nmae="x"), 400, "invalid_request", "nmae")
    assert_refused(send(call, ("a.txt", LOG), system="{"), 400, "malformed_json")
    assert_refused(send(call, ("a.txt", LOG), system='{"gpv": "h100-sxm"}'), 400, "invalid_spec", "gpv")
    assert_refused(call("POST", "calibrations/", {"logs": [1]}), 400, "invalid_request", "logs")
    assert_refused(send(call, *[(f"{i}.txt", LOG) for i in range(51)]), 400, "invalid_request", "log")
    unknown = measured_log(gpu="NVIDIA Z9", gpus=8, rows=[(2**30, 4000.0)])
    problems = assert_refused(send(call, ("z.txt", unknown), name="x"), 400, "invalid_spec", "log")
    assert "Z9" in problems[0]["message"]
    bad = {"name": "x", "parameters": {"nothing.there": 1.0, "network_efficiency.infiniband": 0.0}}
    problems = assert_refused(call("POST", "preview/", SPEC | {"workload": {"calibration": bad}}), 400, "invalid_spec")
    assert {problem["code"] for problem in problems} == {"unknown_constant", "out_of_range"}


def test_a_reader_may_not_calibrate(owner: User) -> None:
    assert_refused(send(caller(owner, "read"), ("a.txt", LOG)), 403, "read_only_token")


def test_zeros_in_a_log_reach_no_database(call: Caller) -> None:
    text = b"host:1:2 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1\0\n" + LOG
    assert send(call, ("a.txt", text), name="zeros").status_code == 201
