"""A row that one worker at a time holds by a lease: what an estimate, a chunk of a search and its join have in common.

A worker keeps extending its lease. A dead worker's lease runs out, the sweep sends the row again, and the number of
attempts tells the late result of a worker that was only slow from the one that counts.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from estimator.errors import EstimatorError
from estimator.record import Json

LEASE = timedelta(seconds=10)
MAX_ATTEMPTS = 5
ALWAYS = Q()


class Leased(models.Model):
    """State, lease and error of a row; ``THING`` is what messages call it."""

    THING: ClassVar[str] = "job"

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        SUCCEEDED = "succeeded", "succeeded"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)

    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    progress = models.FloatField(default=0.0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_active(self) -> bool:
        """True while a worker has it or will have it: worth polling."""
        return self.state in self.ACTIVE

    @classmethod
    def claim(cls, job_id: uuid.UUID | str | int, only: Q = ALWAYS) -> Self | None:
        """Take the row for this worker, or None: finished, cancelled, tried too often, another worker's, or not ``only``."""
        now = timezone.now()
        is_free = Q(state=cls.State.QUEUED) | Q(state=cls.State.RUNNING, lease_until__lt=now)
        n_claimed = cls._default_manager.filter(is_free & only, pk=job_id, attempts__lt=MAX_ATTEMPTS).update(
            state=cls.State.RUNNING,
            attempts=F("attempts") + 1,
            lease_until=now + LEASE,
            started_at=now,
            progress=0.0,
        )
        return cls._default_manager.get(pk=job_id) if n_claimed else None

    def _mine(self) -> models.QuerySet[Self]:
        """The row as long as this attempt holds it: fencing against a late worker and against a cancelled job."""
        held: models.QuerySet[Self] = type(self)._default_manager.filter(
            pk=self.pk, state=self.State.RUNNING, attempts=self.attempts
        )
        return held

    def extend_lease(self, progress: float | None = None) -> bool:
        """Hold the row for another lease and note the progress. False: it was cancelled or taken over, so stop."""
        values: Json = {"lease_until": timezone.now() + LEASE}
        if progress is not None:
            values["progress"] = progress
        return bool(self._mine().update(**values))

    def _finish(self, state: State, only: Q = ALWAYS, **values: Any) -> bool:
        ended = {"state": state, "finished_at": timezone.now(), "lease_until": None}
        return bool(self._mine().filter(only).update(**ended, **values))

    def fail(self, error: EstimatorError) -> bool:
        """Store what the request's author has to change, in the error's own words."""
        return self._finish(self.State.FAILED, error=error.as_json())

    def fail_with(self, code: str, message: str, only: Q = ALWAYS) -> bool:
        """Store a failure that no change of the request explains."""
        problem = {"field": "", "code": code, "message": message}
        return self._finish(self.State.FAILED, only, error={"code": code, "problems": [problem]})

    def give_up(self) -> bool:
        """Store that every worker died of it. False if the last one is at it after all, or somebody has said so already."""
        message = f"The {self.THING} was tried {MAX_ATTEMPTS} times, and its worker died each time."
        return self.fail_with("too_many_attempts", message, Q(lease_until__lt=timezone.now()))

    def cancel(self) -> bool:
        """Stop an active job at once. A worker in the middle of it finds the row gone and drops its result."""
        active = type(self)._default_manager.filter(pk=self.pk, state__in=self.ACTIVE)
        return bool(active.update(state=self.State.CANCELLED, finished_at=timezone.now(), lease_until=None))
