"""The rows of the queue: the truth about requested work. The broker only nudges a worker to look at a row.

EstimateJob is one requested estimate; searches.py has those of a large search, archives.py those of a large archive,
leased.py how a worker holds a row.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from estimator.jobs.archives import ArchiveJob, ArchivePiece
from estimator.jobs.leased import LEASE, MAX_ATTEMPTS, Leased
from estimator.jobs.searches import SearchChunk, SearchJob
from estimator.record import Json

__all__ = [
    "LEASE",
    "MAX_ATTEMPTS",
    "ArchiveJob",
    "ArchivePiece",
    "EstimateJob",
    "QueueSweep",
    "SearchChunk",
    "SearchJob",
]
RESEND_AFTER = timedelta(seconds=10)
SWEEP_EVERY = timedelta(seconds=3)


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


class EstimateJob(Leased):
    """One estimate of one spec at one model version and one catalog version."""

    THING = "estimate"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="estimate_jobs"
    )
    spec = models.JSONField()
    spec_hash = models.CharField(max_length=64)
    is_draft = models.BooleanField(default=False)  # of a state that nobody saved: may be cleared away
    model_version = models.CharField(max_length=64)
    catalog_version = models.CharField(max_length=64)
    result = models.JSONField(null=True, blank=True)

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

    def succeed(self, result: Json) -> bool:
        """Store the result. False if this attempt no longer holds the row; then nothing is written."""
        return self._finish(self.State.SUCCEEDED, result=result, progress=1.0)
