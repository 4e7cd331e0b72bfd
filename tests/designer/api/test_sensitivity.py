"""What one step more buys, over REST: its shape, its owner, its refusals."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from estimator.jobs.models import EstimateJob
from estimator.jobs.tasks import run_estimate
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db


def finished(call: Caller, spec: dict[str, Any]) -> EstimateJob:
    job_id = call("POST", "estimates/", spec).json()["id"]
    run_estimate(job_id)
    return EstimateJob.objects.get(pk=job_id)


def test_the_steps_of_a_finished_estimate(call: Caller, sent: list[str]) -> None:
    job = finished(call, SPEC)
    answer = call("GET", f"estimates/{job.pk}/sensitivity/").json()
    assert answer["spec_hash"] == job.spec_hash
    assert [step["key"] for step in answer["variants"]] == ["uplink", "rail", "generation", "plane"]
    performance = job.result["performance"]["all_reduce"]
    assert answer["base"]["busbw_gb_s"]["all_reduce"] == performance["busbw_gb_s"][-1][-1]
    assert answer["base"]["network_usd"] == job.result["cost"]["capex_usd"]["network"]
    for step in answer["variants"]:
        assert (step["built"] is None) == bool(step["problems"])


def test_another_s_or_an_unfinished_estimate_has_none(call: Caller, sent: list[str]) -> None:
    job = finished(call, SPEC)
    stranger = caller(User.objects.create_user("stranger"))
    assert_refused(stranger("GET", f"estimates/{job.pk}/sensitivity/"), 404, "not_found")
    queued = call("POST", "estimates/", SPEC | {"compute": {"server": "dgx-h100", "nodes": 9}}).json()["id"]
    assert_refused(call("GET", f"estimates/{queued}/sensitivity/"), 409, "not_finished")
    assert_refused(call("GET", f"estimates/{job.pk}/sensitivity/?x=1"), 400, "invalid_request")


def test_an_outdated_estimate_has_none(call: Caller, sent: list[str]) -> None:
    job = finished(call, SPEC)
    EstimateJob.objects.filter(pk=job.pk).update(model_version="0.1")
    assert_refused(call("GET", f"estimates/{job.pk}/sensitivity/"), 409, "outdated_estimate")
