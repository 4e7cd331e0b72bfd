"""What workers do: an estimate, a chunk of a search, the join of one, an archive; sweep up what was lost.

Every process of a worker sweeps when it is due, from a thread of its own; a row in the database says whose turn it is. No
single process is needed for it: beat, where one runs, is one more that asks.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import worker_init, worker_process_init
from django.db import DatabaseError, connection
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from estimator.bringup.plan.choices import choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.renderings.targets import in_pieces
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.jobs.leased import LEASE, MAX_ATTEMPTS, Leased
from estimator.jobs.models import RESEND_AFTER, SWEEP_EVERY, ArchiveJob, EstimateJob, QueueSweep, SearchChunk, SearchJob
from estimator.pipeline import estimate
from estimator.record import Json
from estimator.search.columns.work import Verbs
from estimator.search.search import chunk_of, joined
from estimator.serving_request.answering import served
from estimator.spec.parse import parse_spec
from estimator.training_request import trained

logger = logging.getLogger(__name__)

VERBS = Verbs(trained, served)
SENT_PER_SWEEP = 200
PIECE_BYTES, ALMOST = 2**20, 0.99  # of an archive; progress until its last piece is there
CONFIRM_WITHIN_S = 3  # RabbitMQ says nothing while its disc or memory is full
PUBLISH_RETRY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}


@worker_init.connect
def warm_up(**_: Any) -> None:
    """Read the catalog before the worker forks, so that no first estimate waits for it."""
    load_catalog()


def send(job: Leased) -> bool:
    """Tell a worker about a queued row. False if the broker is away: the row stays, and the sweep sends it later."""
    try:
        _TASKS[type(job)].apply_async(
            (str(job.pk),), retry=True, retry_policy=PUBLISH_RETRY, confirm_timeout=CONFIRM_WITHIN_S
        )
    except OperationalError as error:
        logger.warning("The broker does not answer (%s); %s waits for the sweep", error, job)
        return False
    type(job)._default_manager.filter(pk=job.pk).update(sent_at=timezone.now())
    return True


def send_all(jobs: Iterable[Leased]) -> None:
    """Tell workers about rows until the broker is away."""
    for job in jobs:
        if not send(job):
            return


@contextmanager
def held_lease(job: Leased) -> Iterator[threading.Event]:
    """Keep the job's lease alive from a thread. The event is set when the job is lost: cancelled, or taken over."""
    lost, done = threading.Event(), threading.Event()

    def keep() -> None:
        try:
            while not done.wait(LEASE.total_seconds() / 3):
                try:
                    if not job.extend_lease():
                        lost.set()
                        return
                except DatabaseError:
                    logger.warning("The lease of %s could not be extended", job, exc_info=True)
        finally:
            connection.close()  # this thread's own

    thread = threading.Thread(target=keep, name=f"lease-{job.pk}", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join()


@shared_task(ignore_result=True)
def run_estimate(job_id: str) -> None:
    """Compute the estimate of one job and store it. A second run of a finished job changes nothing."""
    if (job := EstimateJob.claim(job_id)) is not None:
        with _noted(job, "estimate_timed_out", "The estimate took too long and was stopped. Request a smaller design."):
            with held_lease(job) as lost:
                result = _result_of(job, lost)
            if result is not None:
                job.succeed(result)


@contextmanager
def _noted(job: Leased, code: str, too_long: str) -> Iterator[None]:
    """Whatever goes wrong inside of the block is noted in the row; what nobody expected is raised again."""
    try:
        yield
    except EstimatorError as error:
        job.fail(error)
    except SoftTimeLimitExceeded:
        job.fail_with(code, too_long)
    except Exception:
        reference = uuid.uuid4().hex[:12]
        job.fail_with("internal_error", f"Something went wrong on our side. The log has it under {reference}.")
        logger.exception("%s failed unexpectedly, reference %s", job, reference)
        raise


def _result_of(job: EstimateJob, lost: threading.Event) -> Json | None:
    """The estimate of the job's spec as JSON; None if the job was cancelled or taken over on the way."""
    catalog = load_catalog()
    spec = parse_spec(job.spec, catalog)
    if not job.extend_lease(progress=0.1):
        return None
    (made,) = estimate([spec], catalog)
    if lost.is_set() or not job.extend_lease(progress=0.9):
        return None
    return made.as_json()


@shared_task(ignore_result=True)
def run_chunk(chunk_id: str) -> None:
    """Work out one range of a search's candidates and store their columns; the last one hands the search on to be joined."""
    if (chunk := SearchChunk.claim(chunk_id)) is None:
        return
    job = chunk.job
    with _noted(chunk, *_SEARCH_TOO_LONG):
        with held_lease(chunk):
            columns = chunk_of(job.request, chunk.first, chunk.last, load_catalog(), estimate, VERBS)
        if chunk.succeed(columns) and SearchJob.objects.filter(SearchJob.is_ready(), pk=job.pk).exists():
            send(job)


@shared_task(ignore_result=True)
def run_join(job_id: str) -> None:
    """Join the chunks of a search to its answer. Whoever claims it does, once no chunk is left to be worked out."""
    if (job := SearchJob.claim(job_id, SearchJob.is_ready())) is None:
        return
    with _noted(job, *_SEARCH_TOO_LONG):
        with held_lease(job):
            stored = job.chunks.values_list("columns", flat=True)
            parts = [bytes(columns) for columns in stored if columns is not None]
            answer = joined(job.request, parts, load_catalog(), estimate, VERBS)
        job.succeed(answer.as_json())


@shared_task(ignore_result=True)
def run_archive(job_id: str) -> None:
    """Write an archive of settings files, piece after piece."""
    if (job := ArchiveJob.claim(job_id)) is None:
        return
    too_long = "The archive took too long and was stopped. Take one target, or single files."
    with _noted(job, "estimate_timed_out", too_long):
        with held_lease(job) as lost:
            n_bytes = _written(job, lost)
        if n_bytes is not None:
            job.succeed(n_bytes)


def _written(job: ArchiveJob, lost: threading.Event) -> int | None:
    """Bytes of an archive that is whole; None if the job was cancelled or taken over on the way."""
    catalog = load_catalog()
    plan = plan_of(parse_spec(job.spec, catalog), catalog, choices(**job.choices))
    job.begin()
    n_bytes = 0
    for number, (data, share) in enumerate(in_pieces(plan, job.target or None, PIECE_BYTES)):
        if lost.is_set() or not job.extend_lease(progress=min(share, ALMOST)):
            return None
        job.add(number, data)
        n_bytes += len(data)
    return n_bytes


_SEARCH_TOO_LONG = ("estimate_timed_out", "The search took too long and was stopped. Give fewer values or fewer nodes.")
_TASKS: dict[type[Leased], Any] = {
    EstimateJob: run_estimate,
    SearchChunk: run_chunk,
    SearchJob: run_join,
    ArchiveJob: run_archive,
}
_MAY_BE_SENT: dict[type[Leased], Callable[[], Q]] = {
    EstimateJob: Q,
    SearchChunk: Q,
    SearchJob: SearchJob.is_ready,
    ArchiveJob: Q,
}


@shared_task(ignore_result=True)
def sweep() -> int:
    """Send again what was never sent, or whose message or worker was lost. Returns how many were sent.

    Beat's sweep and that of a worker whose turn it is may meet: whoever marks a job as sent sends it.
    """
    QueueSweep.note()
    n_sent = 0
    for kind, may_be_sent in _MAY_BE_SENT.items():
        n_kind, is_heard = _swept(kind, may_be_sent())
        n_sent += n_kind
        if not is_heard:
            break
    return n_sent


def _swept(kind: type[Leased], may_be_sent: Q) -> tuple[int, bool]:
    """(rows of one kind that were sent again, whether the broker answers)."""
    now, rows = timezone.now(), kind._default_manager
    State = kind.State
    is_abandoned = Q(state=State.RUNNING, lease_until__lt=now)
    for job in rows.filter(is_abandoned, attempts__gte=MAX_ATTEMPTS):
        if job.give_up():
            logger.error("%s was given up after %d attempts", job, MAX_ATTEMPTS)
    was_not_sent_lately = Q(sent_at=None) | Q(sent_at__lt=now - RESEND_AFTER)
    waiting = rows.filter(was_not_sent_lately & (Q(state=State.QUEUED) | is_abandoned) & may_be_sent)
    n_sent = 0
    for job in waiting.order_by("created_at")[:SENT_PER_SWEEP]:
        if not waiting.filter(pk=job.pk).update(sent_at=now):
            continue  # another sweep was faster, or its worker goes on after all
        if not send(job):
            rows.filter(pk=job.pk, sent_at=now).update(sent_at=job.sent_at)
            return n_sent, False
        n_sent += 1
    return n_sent, True


def sweep_if_due() -> int | None:
    """Sweep if nobody has within SWEEP_EVERY; None if somebody has."""
    return sweep() if QueueSweep.take() else None


@worker_process_init.connect
def keep_sweeping(**_: Any) -> threading.Thread:
    """Look after the queue for as long as this process of a worker lives."""
    thread = threading.Thread(target=_sweep_from_time_to_time, args=(threading.Event(),), name="sweep", daemon=True)
    thread.start()
    return thread


def _sweep_from_time_to_time(done: threading.Event) -> None:
    while not done.wait(SWEEP_EVERY.total_seconds()):
        try:
            sweep_if_due()
        except Exception:  # whatever it was, the next turn may go well, and nobody else would take this process's turns
            logger.warning("The queue could not be swept", exc_info=True)
        finally:
            connection.close()  # this thread's own
