"""SearchJob and its chunks: each chunk written once, joined once, swept up, cancelled. Task functions are called directly."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from designer.services.searches import jobs as search_jobs
from designer.services.searches.asking import FRONT, found
from designer.services.searches.jobs import MOST_ACTIVE, request_search
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.jobs import tasks
from estimator.jobs.models import MAX_ATTEMPTS, SearchChunk, SearchJob
from estimator.search.search import chunk_of

pytestmark = pytest.mark.django_db
State = SearchJob.State
ASKED: dict[str, Any] = {
    "base": {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1", "4:1"]},
    },
    "free": ["fabric.layout"],
    "pareto": FRONT,
}


@pytest.fixture(autouse=True)
def sent_rows(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(task, id) of what would have gone to the broker; chunks are small."""
    out: list[tuple[str, str]] = []
    monkeypatch.setattr(search_jobs, "CHUNK", 4)
    for name in ("run_chunk", "run_join"):
        monkeypatch.setattr(
            getattr(tasks, name), "apply_async", lambda args, name=name, **_: out.append((name, args[0]))
        )
    return out


@pytest.fixture
def job(owner: User, django_capture_on_commit_callbacks: Any) -> SearchJob:
    with django_capture_on_commit_callbacks(execute=True):
        return request_search(owner, ASKED, None)


def ids(job: SearchJob) -> list[str]:
    return [str(pk) for pk in job.chunks.values_list("pk", flat=True)]


def columns_of(pk: str) -> bytes:
    stored = SearchChunk.objects.get(pk=pk).columns
    assert stored
    return bytes(stored)


def expire(row: Any) -> None:
    type(row).objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_chunks_are_sent_and_the_last_one_hands_the_search_on_to_be_joined(
    job: SearchJob, sent_rows: list[tuple[str, str]]
) -> None:
    assert sent_rows == [("run_chunk", pk) for pk in ids(job)]
    assert len(sent_rows) == 3
    *first, last = ids(job)
    for pk in first:
        tasks.run_chunk(pk)
    assert job.share_done == pytest.approx(8 / 9)
    tasks.run_join(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.QUEUED, "a search with a chunk to do is nobody's to join"
    tasks.run_chunk(last)
    assert sent_rows[3:] == [("run_join", str(job.pk))]
    tasks.run_join(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.share_done, job.attempts) == (State.SUCCEEDED, 1.0, 1)
    assert job.result == json.loads(json.dumps(found(ASKED, None).as_json()))
    assert not job.chunks.exists(), "what was joined has served"
    before = SearchJob.objects.filter(pk=job.pk).values().get()
    tasks.run_join(str(job.pk))
    assert SearchJob.objects.filter(pk=job.pk).values().get() == before


def test_a_killed_worker_costs_one_chunk(job: SearchJob, sent_rows: list[tuple[str, str]]) -> None:
    killed, *others = ids(job)
    dead = SearchChunk.claim(killed)
    assert dead is not None
    for pk in others:
        tasks.run_chunk(pk)
    SearchChunk.objects.update(sent_at=timezone.now() - timedelta(minutes=1))
    sent_rows.clear()
    assert tasks.sweep() == 0, "its lease still runs"
    expire(dead)
    assert tasks.sweep() == 1
    assert sent_rows == [("run_chunk", killed)]
    tasks.run_chunk(killed)
    columns = columns_of(killed)
    assert dead.succeed(b"late") is False, "the late result of the first worker is not written"
    assert columns_of(killed) == columns
    tasks.run_join(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.SUCCEEDED


def test_a_worker_killed_at_the_join_costs_the_join(job: SearchJob, sent_rows: list[tuple[str, str]]) -> None:
    for pk in ids(job):
        tasks.run_chunk(pk)
    dead = SearchJob.claim(job.pk, SearchJob.is_ready())
    assert dead is not None
    assert SearchJob.claim(job.pk, SearchJob.is_ready()) is None, "one worker joins"
    SearchJob.objects.update(sent_at=timezone.now() - timedelta(minutes=1))
    expire(dead)
    sent_rows.clear()
    assert tasks.sweep() == 1
    assert sent_rows == [("run_join", str(job.pk))]
    tasks.run_join(str(job.pk))
    assert dead.succeed({}) is False
    job.refresh_from_db()
    assert job.state == State.SUCCEEDED
    assert job.result


def test_a_chunk_whose_workers_all_die_ends_the_search(job: SearchJob) -> None:
    pk = ids(job)[0]
    SearchChunk.objects.filter(pk=pk).update(
        state=State.RUNNING, attempts=MAX_ATTEMPTS, lease_until=timezone.now() - timedelta(seconds=1)
    )
    tasks.sweep()
    job.refresh_from_db()
    assert (job.state, job.error["code"]) == (State.FAILED, "too_many_attempts")
    assert not job.chunks.exists()


def test_a_chunk_that_is_refused_ends_the_search_with_its_words(owner: User) -> None:
    asked = ASKED | {"base": {"compute": {"server": "no-such", "nodes": 64}, "fabric": ASKED["base"]["fabric"]}}
    job = request_search(owner, asked, None)
    tasks.run_chunk(ids(job)[0])
    job.refresh_from_db()
    assert (job.state, job.error["problems"][0]["code"]) == (State.FAILED, "unknown_part")


def test_what_is_cancelled_stays_so_whatever_a_worker_brings(job: SearchJob) -> None:
    chunk = SearchChunk.claim(ids(job)[0])
    assert chunk is not None
    assert job.cancel() is True
    assert chunk.succeed(b"") is False
    assert job.cancel() is False
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    tasks.run_join(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.CANCELLED


def test_columns_are_an_archive_without_objects(job: SearchJob) -> None:
    made = chunk_of(job.request, 0, 4, load_catalog(), tasks.estimate)
    assert made.startswith(b"PK")
    assert b"pickle" not in made


# ---------------------------------------------------------------- the page


def text_of(response: Any) -> str:
    words = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


def test_a_search_too_large_for_the_page_is_one_click_from_the_workers(page: Client, owner: User) -> None:
    large = ASKED | {"free": ["fabric.leaf_switch", "fabric.spine_switch", "fabric.layout"]}
    refused = page.get(reverse("explore"), {"ask": json.dumps(large)})
    assert refused.status_code == 422
    assert "Search in the background" in text_of(refused)
    small = page.post(reverse("search-job-new"), {"ask": json.dumps(ASKED), "design": ""})
    job = SearchJob.objects.get(owner=owner)
    assert small["Location"] == reverse("search-job", args=[job.pk])
    words = text_of(page.get(small["Location"]))
    assert "0 % of 9 combinations were looked at" in words
    tasks.run_chunk(ids(job)[0])
    state = page.get(reverse("search-job-state", args=[job.pk])).json()
    assert state == {"state": "queued", "progress": pytest.approx(4 / 9), "is_active": True}
    for pk in ids(job)[1:]:
        tasks.run_chunk(pk)
    tasks.run_join(str(job.pk))
    words = text_of(page.get(small["Location"]))
    assert "Searched by workers" in words
    assert "Designs, the best first" in words
    file = page.get(reverse("search-job-file", args=[job.pk, "json"]))
    assert json.loads(file.content)["answer"]["looked_at"] == 9


def test_a_search_is_its_owners(page: Client, job: SearchJob) -> None:
    other = Client()
    other.force_login(User.objects.create_user("somebody else"))
    for name in ("search-job", "search-job-state"):
        assert other.get(reverse(name, args=[job.pk])).status_code == 404
    assert other.post(reverse("search-job-cancel", args=[job.pk])).status_code == 404
    assert page.post(reverse("search-job-cancel", args=[job.pk])).status_code == 302
    assert "Cancelled" in text_of(page.get(reverse("search-job", args=[job.pk])))


def test_a_user_has_so_many_searches_at_once_and_old_ones_go(
    owner: User, job: SearchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(MOST_ACTIVE - 1):
        request_search(owner, ASKED, None)
    with pytest.raises(EstimatorError) as refused:
        request_search(owner, ASKED, None)
    assert refused.value.problems[0].code == "too_many_jobs"
    monkeypatch.setattr(search_jobs, "KEPT", 0)
    for each in SearchJob.objects.all():
        each.cancel()
    request_search(owner, ASKED, None)
    assert SearchJob.objects.count() == 1
