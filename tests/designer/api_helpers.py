"""Callers of the API for its tests, and what every refusal must look like."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from designer.models import ApiToken
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob

BASE = "/api/v1"
SPEC: dict[str, Any] = {
    "name": "Four units",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
}


class Caller:
    """Sends JSON to an address under /api/v1/ and reads JSON back."""

    def __init__(self, client: Client, authorization: str = "") -> None:
        self.client = client
        self.authorization = authorization

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        raw = body if isinstance(body, (bytes, str)) else json.dumps(body)
        has_body: Any = {} if body is None else {"data": raw, "content_type": "application/json"}
        return self.client.generic(method, f"{BASE}/{path}", headers=headers or None, **has_body)


def caller(owner: User | None = None, scope: str = "write") -> Caller:
    """One who calls with a new token of this owner; with none, a stranger."""
    if owner is None:
        return Caller(Client())
    _, key = ApiToken.issue(owner, "test", scope)
    authorization = f"Token {key}"
    return Caller(Client(headers={"Authorization": authorization}), authorization)


def assert_refused(response: Any, status: int, code: str, field: str | None = None) -> list[dict[str, str]]:
    """The response is a refusal in the one shape. Returns its problems."""
    assert response.status_code == status, response.content[:500]
    assert response["Content-Type"] == "application/json"
    answer = response.json()
    assert set(answer) == {"code", "problems"}
    assert answer["code"] == code, answer
    assert answer["problems"]
    for problem in answer["problems"]:
        assert set(problem) - {"change"} == {"field", "code", "message"}
        assert all(isinstance(value, str) for key, value in problem.items() if key != "change")
        assert problem["code"]
        assert problem["message"]
    if field is not None:
        assert field in [problem["field"] for problem in answer["problems"]]
    return answer["problems"]


def finish(job_id: str, result: dict[str, Any]) -> EstimateJob:
    """Do a worker's part: claim the job and store a result."""
    job = EstimateJob.claim(job_id)
    assert job is not None
    assert job.succeed(result)
    return job


def fail(job_id: str, error: EstimatorError) -> None:
    """Do a worker's part on a request that cannot be answered."""
    job = EstimateJob.claim(job_id)
    assert job is not None
    assert job.fail(error)
