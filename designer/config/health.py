"""Is this process alive, and can it serve? For load balancers and the supervisor."""

import logging
import time
from datetime import timedelta

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from estimator.jobs.models import EstimateJob, QueueSweep

logger = logging.getLogger(__name__)

SWEEP_LATE_AFTER = timedelta(seconds=30)
QUEUE_STUCK_AFTER = timedelta(seconds=90)
_started_s = time.monotonic()


def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """The database answers too, and what is requested gets done: the queue is swept, and jobs in it are taken."""
    try:
        lack = _what_is_wrong()
    except DatabaseError:
        logger.exception("The database does not answer")
        lack = "the database does not answer"
    return HttpResponse(f"{lack or 'ok'}\n", content_type="text/plain", status=503 if lack else 200)


def _what_is_wrong() -> str:
    """Why estimates would wait for ever; "" where they will not. A start has time to come up."""
    running_for = timedelta(seconds=time.monotonic() - _started_s)
    age = QueueSweep.age()
    if running_for > SWEEP_LATE_AFTER and (age is None or age > SWEEP_LATE_AFTER):
        when = "never" if age is None else f"{age.total_seconds():.0f} s ago"
        return f"the queue was last swept {when}: no worker runs, or none reaches the database, and estimates wait"
    if running_for > QUEUE_STUCK_AFTER and (waited := _stuck_for()) > QUEUE_STUCK_AFTER:
        seconds = f"{waited.total_seconds():.0f} s"
        return f"an estimate waits for {seconds}, and no worker has taken any meanwhile: does the broker answer?"
    return ""


def _stuck_for() -> timedelta:
    """How long the oldest job waits, as long as no other was taken since; 0 where the queue moves or is empty."""
    jobs, State = EstimateJob.objects.order_by(), EstimateJob.State
    oldest = jobs.filter(state=State.QUEUED).order_by("created_at").values_list("created_at", flat=True).first()
    if oldest is None or timezone.now() - oldest <= QUEUE_STUCK_AFTER:
        return timedelta(0)
    if jobs.filter(state=State.RUNNING, lease_until__gt=timezone.now()).exists():
        return timedelta(0)
    last = jobs.filter(started_at__gt=oldest).order_by("-started_at").values_list("started_at", flat=True).first()
    return timezone.now() - max(oldest, last or oldest)
