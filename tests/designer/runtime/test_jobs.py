"""EstimateJob and its tasks: claimed once, held by a lease, fenced, swept up. The task functions are called directly."""

from __future__ import annotations

import threading
import time
import uuid
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

from designer.config import health
from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.jobs import models, tasks
from estimator.jobs.models import LEASE, MAX_ATTEMPTS, RESEND_AFTER, SWEEP_EVERY, EstimateJob, QueueSweep
from estimator.pipeline import estimate
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

State = EstimateJob.State
SPEC = {"name": "Four nodes", "compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}


def new_job(catalog: Catalog, owner: User | None = None, **values: Any) -> EstimateJob:
    spec = parse_spec(SPEC, catalog)
    versions = {"model_version": MODEL_VERSION, "catalog_version": catalog.version}
    return EstimateJob.objects.create(owner=owner, spec=spec.as_json(), spec_hash=spec_hash(spec), **versions, **values)


def move_lease_into_the_past(job: EstimateJob) -> None:
    EstimateJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def job(db: None, catalog: Catalog) -> EstimateJob:
    return new_job(catalog)


class TestRun:
    def test_the_result_is_the_pipelines_estimate(self, job: EstimateJob, catalog: Catalog) -> None:
        tasks.run_estimate(str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.progress, job.attempts, job.lease_until) == (State.SUCCEEDED, 1.0, 1, None)
        (expected,) = estimate([parse_spec(SPEC, catalog)], catalog)
        assert job.result == expected.as_json()
        assert job.result["fabrics"]["compute"]["counts"]["gpus"] == 32
        assert job.created_at <= job.started_at <= job.finished_at

    def test_running_it_again_changes_nothing(self, job: EstimateJob) -> None:
        tasks.run_estimate(str(job.pk))
        before = EstimateJob.objects.filter(pk=job.pk).values().get()
        tasks.run_estimate(str(job.pk))
        assert EstimateJob.objects.filter(pk=job.pk).values().get() == before

    def test_an_unknown_job_is_no_error(self, db: None) -> None:
        tasks.run_estimate(str(uuid.uuid4()))

    def test_an_estimator_error_keeps_its_code_and_problems(
        self, job: EstimateJob, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        error = InfeasibleDesign([Problem("fabric.tiers", "two_tier_too_small", "Add a core tier.")])
        monkeypatch.setattr(tasks, "estimate", _raiser(error))
        tasks.run_estimate(str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.error, job.result) == (State.FAILED, error.as_json(), None)

    def test_an_unexpected_error_shows_a_reference_that_the_log_has(
        self, job: EstimateJob, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(tasks, "estimate", _raiser(ZeroDivisionError("inner detail")))
        with pytest.raises(ZeroDivisionError):
            tasks.run_estimate(str(job.pk))
        job.refresh_from_db()
        assert job.state == State.FAILED
        message = job.error["problems"][0]["message"]
        assert job.error["code"] == "internal_error"
        assert "inner detail" not in message
        reference = message.rstrip(".").rsplit(" ", 1)[1]
        (record,) = [record for record in caplog.records if reference in record.getMessage()]
        assert record.exc_info is not None

    def test_a_run_past_the_time_limit_says_so(self, job: EstimateJob, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "estimate", _raiser(SoftTimeLimitExceeded()))
        tasks.run_estimate(str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.error["code"]) == (State.FAILED, "estimate_timed_out")

    def test_a_cancelled_run_writes_no_result(self, job: EstimateJob, monkeypatch: pytest.MonkeyPatch) -> None:
        def cancelled_meanwhile(*arguments: Any) -> Any:
            assert EstimateJob.objects.get(pk=job.pk).cancel()
            return estimate(*arguments)

        monkeypatch.setattr(tasks, "estimate", cancelled_meanwhile)
        tasks.run_estimate(str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.result) == (State.CANCELLED, None)


def _raiser(error: Exception) -> Any:
    def raise_it(*_: Any) -> None:
        raise error

    return raise_it


class TestClaim:
    def test_a_running_job_is_not_given_to_a_second_worker(self, job: EstimateJob) -> None:
        assert EstimateJob.claim(job.pk) is not None
        assert EstimateJob.claim(job.pk) is None

    def test_a_job_whose_lease_ran_out_is_given_again(self, job: EstimateJob) -> None:
        first = EstimateJob.claim(job.pk)
        assert first is not None
        move_lease_into_the_past(job)
        second = EstimateJob.claim(job.pk)
        assert second is not None
        assert (first.attempts, second.attempts) == (1, 2)

    def test_a_new_attempt_starts_from_nothing(self, job: EstimateJob) -> None:
        first = EstimateJob.claim(job.pk)
        assert first is not None
        first.extend_lease(progress=0.9)
        move_lease_into_the_past(job)
        second = EstimateJob.claim(job.pk)
        assert second is not None
        assert second.progress == 0.0

    @pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
    def test_a_finished_job_is_not_given_out(self, job: EstimateJob, state: str) -> None:
        EstimateJob.objects.update(state=state)
        assert EstimateJob.claim(job.pk) is None

    def test_a_job_is_tried_five_times_at_most(self, job: EstimateJob) -> None:
        EstimateJob.objects.update(attempts=MAX_ATTEMPTS)
        assert EstimateJob.claim(job.pk) is None

    @pytest.mark.django_db(transaction=True)
    def test_of_eight_workers_at_once_one_gets_it(self, catalog: Catalog) -> None:
        job, claimed, start = new_job(catalog), [], threading.Barrier(8)

        def worker() -> None:
            start.wait()
            if EstimateJob.claim(job.pk):
                claimed.append(threading.get_ident())
            connection.close()

        threads = [threading.Thread(target=worker) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(claimed) == 1


class TestFencing:
    def test_a_slow_worker_cannot_overwrite_its_successor(self, job: EstimateJob) -> None:
        slow = EstimateJob.claim(job.pk)
        move_lease_into_the_past(job)
        quick = EstimateJob.claim(job.pk)
        assert slow is not None
        assert quick is not None
        assert not slow.extend_lease()
        assert quick.succeed({"from": "quick"})
        assert not slow.succeed({"from": "slow"})
        assert not slow.fail_with("late", "late")
        job.refresh_from_db()
        assert (job.state, job.result, job.error) == (State.SUCCEEDED, {"from": "quick"}, None)

    def test_a_result_is_written_once(self, job: EstimateJob) -> None:
        claimed = EstimateJob.claim(job.pk)
        assert claimed is not None
        assert claimed.succeed({"first": 1})
        assert not claimed.succeed({"second": 2})

    def test_extending_moves_lease_and_progress(self, job: EstimateJob) -> None:
        claimed = EstimateJob.claim(job.pk)
        assert claimed is not None
        move_lease_into_the_past(job)
        assert claimed.extend_lease(progress=0.5)
        job.refresh_from_db()
        assert job.progress == 0.5
        assert job.lease_until > timezone.now() + LEASE / 2

    def test_cancelling_a_finished_job_does_nothing(self, job: EstimateJob) -> None:
        EstimateJob.objects.update(state=State.SUCCEEDED)
        assert not job.cancel()
        job.refresh_from_db()
        assert job.state == State.SUCCEEDED


@pytest.mark.django_db(transaction=True)
class TestHeldLease:
    def test_a_long_run_keeps_its_lease(self, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "LEASE", timedelta(seconds=0.15))
        job = EstimateJob.claim(new_job(catalog).pk)
        assert job is not None
        move_lease_into_the_past(job)
        with tasks.held_lease(job) as lost:
            assert not lost.wait(0.3)
        job.refresh_from_db()
        assert job.lease_until > timezone.now()

    def test_a_cancelled_run_learns_of_it(self, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "LEASE", timedelta(seconds=0.15))
        job = EstimateJob.claim(new_job(catalog).pk)
        assert job is not None
        with tasks.held_lease(job) as lost:
            assert job.cancel()
            assert lost.wait(5)


class TestSweep:
    def test_a_job_that_was_never_sent_is_sent(self, job: EstimateJob, sent: list[str]) -> None:
        assert tasks.sweep() == 1
        assert sent == [str(job.pk)]
        job.refresh_from_db()
        assert job.sent_at is not None

    def test_who_waits_longest_is_sent_first(self, catalog: Catalog, owner: User, sent: list[str]) -> None:
        jobs = [new_job(catalog, owner), new_job(catalog), new_job(catalog)]
        for age, job in zip((1, 3, 2), jobs, strict=True):
            EstimateJob.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=age))
        tasks.sweep()
        assert sent == [str(jobs[i].pk) for i in (1, 2, 0)]

    def test_what_was_just_sent_is_left_alone(self, job: EstimateJob, sent: list[str]) -> None:
        tasks.sweep()
        assert tasks.sweep() == 0
        assert len(sent) == 1

    def test_a_lost_message_is_sent_again(self, job: EstimateJob, sent: list[str]) -> None:
        EstimateJob.objects.update(sent_at=timezone.now() - RESEND_AFTER - timedelta(seconds=1))
        assert tasks.sweep() == 1

    def test_a_dead_workers_job_is_sent_again(self, job: EstimateJob, sent: list[str]) -> None:
        EstimateJob.claim(job.pk)
        assert tasks.sweep() == 0
        move_lease_into_the_past(job)
        assert tasks.sweep() == 1

    def test_a_job_whose_worker_always_dies_is_given_up(self, job: EstimateJob, sent: list[str]) -> None:
        EstimateJob.objects.update(attempts=MAX_ATTEMPTS - 1)
        assert EstimateJob.claim(job.pk) is not None
        move_lease_into_the_past(job)
        assert tasks.sweep() == 0
        job.refresh_from_db()
        assert (job.state, job.error["code"]) == (State.FAILED, "too_many_attempts")

    @pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
    def test_finished_jobs_are_left_alone(self, job: EstimateJob, sent: list[str], state: str) -> None:
        EstimateJob.objects.update(state=state)
        assert tasks.sweep() == 0

    def test_it_stops_at_the_first_refusal_of_the_broker(
        self, job: EstimateJob, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        EstimateJob.objects.create(spec={}, spec_hash="another", model_version="1", catalog_version="1")
        tries: list[int] = []

        def away(*_: Any, **__: Any) -> None:
            tries.append(1)
            raise OperationalError("away")

        monkeypatch.setattr(tasks.run_estimate, "apply_async", away)
        assert tasks.sweep() == 0
        assert len(tries) == 1


class TestTurns:
    """Who sweeps: any process, when it is due, and one at a time."""

    def test_a_second_process_has_no_turn_until_the_next_is_due(self, job: EstimateJob, sent: list[str]) -> None:
        assert [tasks.sweep_if_due(), tasks.sweep_if_due()] == [1, None]
        QueueSweep.objects.update(taken_at=timezone.now() - SWEEP_EVERY)
        assert tasks.sweep_if_due() == 0

    def test_one_that_died_at_its_turn_holds_nobody_up(self, job: EstimateJob, sent: list[str]) -> None:
        assert QueueSweep.take()
        assert not QueueSweep.take()
        QueueSweep.objects.update(taken_at=timezone.now() - SWEEP_EVERY)
        assert tasks.sweep_if_due() == 1

    @pytest.mark.django_db(transaction=True)
    def test_of_eight_at_once_one_has_the_turn(self) -> None:
        turns, start = [], threading.Barrier(8)

        def ask() -> None:
            start.wait()
            turns.append(QueueSweep.take())
            connection.close()

        for _ in range(2):
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            QueueSweep.objects.update(taken_at=timezone.now() - SWEEP_EVERY)
        assert sorted(turns) == [False] * 14 + [True] * 2

    @pytest.mark.django_db(transaction=True)
    def test_a_thread_of_each_worker_process_goes_on_after_a_failure(
        self, catalog: Catalog, sent: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tasks, "SWEEP_EVERY", timedelta(seconds=0.01))
        failed, done, sweep = threading.Event(), threading.Event(), tasks.sweep_if_due

        def first_fails() -> int | None:
            if not failed.is_set():
                failed.set()
                raise DatabaseError("away")
            return sweep()

        monkeypatch.setattr(tasks, "sweep_if_due", first_fails)
        job = new_job(catalog)
        thread = threading.Thread(target=tasks._sweep_from_time_to_time, args=(done,))
        thread.start()
        for _ in range(500):
            if sent:
                break
            time.sleep(0.01)
        done.set()
        thread.join()
        assert (failed.is_set(), sent) == (True, [str(job.pk)])


class TestReadiness:
    @pytest.fixture(autouse=True)
    def _up_for_an_hour(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health, "_started_s", time.monotonic() - 3600)

    def answer(self, client: Client) -> tuple[int, str]:
        response = client.get("/readyz")
        return response.status_code, response.content.decode()

    def test_a_queue_that_is_swept_is_ready(self, client: Client, sent: list[str]) -> None:
        tasks.sweep()
        assert self.answer(client) == (200, "ok\n")

    def test_a_late_sweep_is_not_and_says_how_late(self, client: Client) -> None:
        status, said = self.answer(client)
        assert (status, "last swept never" in said) == (503, True)
        QueueSweep.note()
        QueueSweep.objects.update(swept_at=timezone.now() - timedelta(seconds=45))
        status, said = self.answer(client)
        assert (status, "last swept 45 s ago" in said) == (503, True)

    def test_a_start_has_time_to_come_up(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health, "_started_s", time.monotonic())
        assert self.answer(client)[0] == 200

    def test_jobs_that_nobody_takes_are_reported(self, client: Client, job: EstimateJob, catalog: Catalog) -> None:
        QueueSweep.note()
        assert self.answer(client)[0] == 200
        EstimateJob.objects.update(created_at=timezone.now() - timedelta(seconds=200))
        status, said = self.answer(client)
        assert (status, "waits for 200 s" in said) == (503, True)
        other = new_job(catalog)
        EstimateJob.claim(other.pk)
        assert self.answer(client)[0] == 200  # the queue moves
        EstimateJob.objects.filter(pk=other.pk).update(state=State.SUCCEEDED)
        assert self.answer(client)[0] == 200
        EstimateJob.objects.filter(pk=other.pk).update(started_at=timezone.now() - timedelta(seconds=120))
        assert "waits for 120 s" in self.answer(client)[1]


def test_one_owner_has_one_live_job_of_an_estimate(catalog: Catalog, owner: User) -> None:
    first = new_job(catalog, owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        new_job(catalog, owner)
    for state in (State.FAILED, State.CANCELLED):
        EstimateJob.objects.filter(pk=first.pk).update(state=state)
        new_job(catalog, owner, state=state)


def test_heartbeats_come_well_within_the_lease() -> None:
    assert models.LEASE.total_seconds() / 3 >= 1
    assert timedelta(seconds=30) > models.LEASE
