"""ArchiveJob: written piece by piece, followed, cancelled, sent, refused. Task functions are called directly."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from designer.models import Design
from designer.services.bringup import archives
from designer.services.bringup.plans import plan_for, state_of_job
from estimator.bringup.plan.choices import choices
from estimator.bringup.renderings.targets import archive
from estimator.jobs import tasks
from estimator.jobs.models import ArchiveJob, ArchivePiece, EstimateJob
from tests.designer.api_helpers import Caller, assert_refused
from tests.designer.pages.design.test_sharing import visitor
from tests.designer.pages.result.test_acceptance import estimated
from tests.designer.pages.result.test_asbuilt import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
ROCE = {
    "name": "Site A",
    "compute": {"server": "dgx-h100", "nodes": 8},
    "fabric": {"generation": "roce-400", "tiers": 2},
}
CHOSEN = {"addressing": "rail", "weeks": "4"}
Made = tuple[Design, EstimateJob]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Archives of over 3 files are large, pieces are small; ids that would have gone to the broker."""
    ids: list[str] = []
    monkeypatch.setattr(archives, "MOST_AT_ONCE_FILES", 3)
    monkeypatch.setattr(tasks, "PIECE_BYTES", 4_000)
    monkeypatch.setattr(tasks.run_archive, "apply_async", lambda args, **_: ids.append(args[0]))
    return ids


@pytest.fixture
def made(owner: User) -> Made:
    return estimated(owner, ROCE)


def address(made: Made, name: str, *more: object) -> str:
    return reverse(name, args=[made[0].pk, made[1].pk, *more])


def begun(page: Client, made: Made, django_capture_on_commit_callbacks: Any, **asked: str) -> ArchiveJob:
    with django_capture_on_commit_callbacks(execute=True):
        answer = page.post(address(made, "archive-new"), {"target": "nvue"} | CHOSEN | asked)
    assert answer.status_code == 302
    job = ArchiveJob.objects.latest("created_at")
    assert answer["Location"] == address(made, "archive-job", job.pk)
    return job


def test_a_large_archive_is_written_by_a_worker_followed_and_sent(
    page: Client, made: Made, small: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    offered = page.get(address(made, "settings-archive"), {"target": "nvue"} | CHOSEN)
    assert re.search(r"This archive is large It has \d+ files of switches, and about .{1,12}iB", text_of(offered))
    assert '<input type="hidden" name="addressing" value="rail">' in offered.content.decode()
    job = begun(page, made, django_capture_on_commit_callbacks)
    assert small == [str(job.pk)]
    assert "It waits for a worker" in text_of(page.get(address(made, "archive-job", job.pk)))
    assert page.get(address(made, "archive-file", job.pk)).status_code == 404
    seen: list[float] = []
    extend = ArchiveJob.extend_lease

    def seeing(self: ArchiveJob, progress: float | None = None) -> bool:
        seen.append(progress or 0)
        return extend(self, progress)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ArchiveJob, "extend_lease", seeing)
        tasks.run_archive(str(job.pk))
    assert seen == sorted(seen)
    assert len(seen) > 2
    job.refresh_from_db()
    assert (job.state, job.progress) == ("succeeded", 1.0)
    whole = b"".join(archive(plan_for(state_of_job(made[1], choices("rail", weeks=4))), "nvue"))
    assert job.n_bytes == len(whole)
    assert job.pieces.count() == len(seen)
    assert "It is whole" in text_of(page.get(address(made, "archive-job", job.pk)))
    sent = page.get(address(made, "archive-file", job.pk))
    assert b"".join(sent.streaming_content) == whole  # type: ignore[attr-defined]
    assert re.search(r'filename="site-a-nvue-rail-[0-9a-f]{8}\.zip"', sent["Content-Disposition"])
    assert int(sent["Content-Length"]) == len(whole)
    again = begun(page, made, django_capture_on_commit_callbacks)
    assert again.pk == job.pk
    assert begun(page, made, django_capture_on_commit_callbacks, weeks="5").pk != job.pk


def test_pieces_of_a_worker_that_died_are_written_again(
    page: Client, made: Made, django_capture_on_commit_callbacks: Any
) -> None:
    job = begun(page, made, django_capture_on_commit_callbacks)
    held = ArchiveJob.claim(job.pk)
    assert held is not None
    held.add(0, b"half of it")
    ArchiveJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    tasks.run_archive(str(job.pk))
    assert not held.succeed(10)  # the attempt that was taken over writes nothing more
    job.refresh_from_db()
    assert job.state == "succeeded"
    assert sum(len(piece.data) for piece in ArchivePiece.objects.filter(job=job)) == job.n_bytes
    assert b"half of it" not in b"".join(job.content())


def test_an_archive_is_cancelled_with_what_was_written(
    page: Client, made: Made, django_capture_on_commit_callbacks: Any
) -> None:
    job = begun(page, made, django_capture_on_commit_callbacks)
    held = ArchiveJob.claim(job.pk)
    assert held is not None
    held.add(0, b"a piece")
    page.post(address(made, "archive-cancel", job.pk))
    job.refresh_from_db()
    assert (job.state, job.pieces.count()) == ("cancelled", 0)
    assert "Cancelled" in text_of(page.get(address(made, "archive-job", job.pk)))
    tasks.run_archive(str(job.pk))
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert "had ended before" in text_of(page.post(address(made, "archive-cancel", job.pk), follow=True))


def test_what_fails_says_why_and_nobody_has_too_many(
    page: Client, made: Made, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    job = begun(page, made, django_capture_on_commit_callbacks)
    begun(page, made, django_capture_on_commit_callbacks, weeks="5")
    refused = page.post(address(made, "archive-new"), {"target": "nvue", "weeks": "7"})
    assert refused.status_code == 422
    assert "2 of your archives are being written" in text_of(refused)
    monkeypatch.setattr("estimator.bringup.renderings.targets.MOST_FILES", 2)
    tasks.run_archive(str(job.pk))
    job.refresh_from_db()
    assert job.state == "failed"
    assert "An archive has at most 2 files" in text_of(page.get(address(made, "archive-job", job.pk)))
    too_large = page.get(address(made, "settings-archive"), {"target": "nvue"})
    assert too_large.status_code == 422
    assert "Take single files by name" in text_of(too_large)


def test_who_may_look_follows_an_archive_and_starts_none(
    page: Client, made: Made, django_capture_on_commit_callbacks: Any
) -> None:
    job = begun(page, made, django_capture_on_commit_callbacks)
    reader, _, _ = visitor(made[0], "read")
    assert reader.get(address(made, "archive-job", job.pk)).status_code == 200
    assert reader.post(address(made, "archive-new"), {"target": "nvue"}).status_code in (403, 404)
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.get(address(made, "archive-job", job.pk)).status_code == 404


def test_rest_has_archives_written_and_sends_them(call: Caller, django_capture_on_commit_callbacks: Any) -> None:
    design = f"designs/{call('POST', 'designs/', ROCE).json()['id']}/bring-up/"
    assert_refused(call("GET", f"{design}archive/?target=nvue"), 400, "invalid_spec", "archive")
    with django_capture_on_commit_callbacks(execute=True):
        answer = call("POST", f"{design}archives/?target=nvue&addressing=rail")
    assert answer.status_code == 202, answer.content
    found = answer.json()
    assert (found["state"], found["target"], found["choices"]["addressing"]) == ("queued", "nvue", "rail")
    one = f"settings-archives/{found['id']}/"
    assert answer["Location"].endswith(one)
    assert call("GET", one)["Retry-After"]
    assert_refused(call("GET", f"{one}file/"), 409, "not_ready")
    tasks.run_archive(found["id"])
    whole = call("GET", one).json()
    assert (whole["state"], whole["progress"]) == ("succeeded", 1.0)
    assert whole["file"].endswith(f"{one}file/")
    sent = b"".join(call("GET", f"{one}file/").streaming_content)
    assert len(sent) == whole["n_bytes"] > 0
    assert_refused(call("DELETE", one), 409, "already_ended")
    assert_refused(call("POST", f"{design}archives/?target=opensm"), 400, "invalid_spec", "target")
