"""EstimateJob: the truth about one requested estimate. The broker only nudges a worker to look at a row.

A worker holds a row by a lease that it keeps extending. A dead worker's lease runs out, the sweep sends the row again,
and the number of attempts tells the late result of a worker that was only slow from the one that counts.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from estimator.errors import EstimatorError
from estimator.record import Json

LEASE = timedelta(seconds=10)
MAX_ATTEMPTS = 5
RESEND_AFTER = timedelta(seconds=10)
SWEEP_EVERY = timedelta(seconds=3)
ALWAYS = Q()


class QueueSweep(models.Model):
    """When the queue was last swept: one row. Whoever moves ``taken_at`` on sweeps; one that dies at it holds nobody up."""

    taken_at = models.DateTimeField()
    swept_at = models.DateTimeField()

    ROW = 1

    def __str__(self) -> str:
        return f"swept at {self.swept_at}"

    @classmethod
    def take(cls) -> bool:
        """Whether a sweep is due and this process is the one to make it."""
        now = timezone.now()
        if cls.objects.filter(pk=cls.ROW, taken_at__lte=now - SWEEP_EVERY).update(taken_at=now):
            return True
        return cls.objects.get_or_create(pk=cls.ROW, defaults={"taken_at": now, "swept_at": now})[1]

    @classmethod
    def note(cls) -> None:
        """The queue was swept now."""
        now = timezone.now()
        cls.objects.update_or_create(pk=cls.ROW, defaults={"taken_at": now, "swept_at": now})

    @classmethod
    def age(cls) -> timedelta | None:
        """How long ago the queue was swept; None if it never was."""
        swept_at = cls.objects.filter(pk=cls.ROW).values_list("swept_at", flat=True).first()
        return None if swept_at is None else timezone.now() - swept_at


class EstimateJob(models.Model):
    """One estimate of one spec at one model version and one catalog version."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        SUCCEEDED = "succeeded", "succeeded"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="estimate_jobs"
    )
    spec = models.JSONField()
    spec_hash = models.CharField(max_length=64)
    is_draft = models.BooleanField(default=False)  # of a state that nobody saved: may be cleared away
    model_version = models.CharField(max_length=64)
    catalog_version = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    progress = models.FloatField(default=0.0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    error = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "spec_hash", "model_version", "catalog_version"],
                condition=Q(state__in=["queued", "running", "succeeded"]),
                name="one_live_job_per_estimate",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "sent_at"], name="estimate_job_sweep"),
            models.Index(fields=["owner", "-created_at"], name="estimate_job_by_owner"),
        ]

    def __str__(self) -> str:
        return f"estimate {self.id} ({self.state})"

    @property
    def name(self) -> str:
        """What the design is called."""
        return str(self.spec["name"])

    @property
    def server(self) -> str:
        """Catalog id of its servers."""
        return str(self.spec["compute"]["server"])

    @property
    def is_active(self) -> bool:
        """True while a worker has it or will have it: worth polling."""
        return self.state in self.ACTIVE

    @classmethod
    def claim(cls, job_id: uuid.UUID | str) -> EstimateJob | None:
        """Take the row for this worker, or None: finished, cancelled, tried too often, or another worker's."""
        now = timezone.now()
        is_free = Q(state=cls.State.QUEUED) | Q(state=cls.State.RUNNING, lease_until__lt=now)
        n_claimed = cls.objects.filter(is_free, pk=job_id, attempts__lt=MAX_ATTEMPTS).update(
            state=cls.State.RUNNING,
            attempts=F("attempts") + 1,
            lease_until=now + LEASE,
            started_at=now,
            progress=0.0,
        )
        return cls.objects.get(pk=job_id) if n_claimed else None

    def _mine(self) -> models.QuerySet[EstimateJob]:
        """The row as long as this attempt holds it: fencing against a late worker and against a cancelled job."""
        return EstimateJob.objects.filter(pk=self.pk, state=self.State.RUNNING, attempts=self.attempts)

    def extend_lease(self, progress: float | None = None) -> bool:
        """Hold the row for another lease and note the progress. False: it was cancelled or taken over, so stop."""
        values: Json = {"lease_until": timezone.now() + LEASE}
        if progress is not None:
            values["progress"] = progress
        return bool(self._mine().update(**values))

    def _finish(self, state: State, only: Q = ALWAYS, **values: Any) -> bool:
        ended = {"state": state, "finished_at": timezone.now(), "lease_until": None}
        return bool(self._mine().filter(only).update(**ended, **values))

    def succeed(self, result: Json) -> bool:
        """Store the result. False if this attempt no longer holds the row; then nothing is written."""
        return self._finish(self.State.SUCCEEDED, result=result, progress=1.0)

    def fail(self, error: EstimatorError) -> bool:
        """Store what the spec's author has to change, in the error's own words."""
        return self._finish(self.State.FAILED, error=error.as_json())

    def fail_with(self, code: str, message: str, only: Q = ALWAYS) -> bool:
        """Store a failure that no change of the spec explains."""
        problem = {"field": "", "code": code, "message": message}
        return self._finish(self.State.FAILED, only, error={"code": code, "problems": [problem]})

    def give_up(self) -> bool:
        """Store that every worker died of it. False if the last one is at it after all, or somebody has said so already."""
        message = f"The estimate was tried {MAX_ATTEMPTS} times, and its worker died each time."
        return self.fail_with("too_many_attempts", message, Q(lease_until__lt=timezone.now()))

    def cancel(self) -> bool:
        """Stop an active job at once. A worker in the middle of it finds the row gone and drops its result."""
        active = EstimateJob.objects.filter(pk=self.pk, state__in=self.ACTIVE)
        return bool(active.update(state=self.State.CANCELLED, finished_at=timezone.now(), lease_until=None))
