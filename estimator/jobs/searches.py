"""SearchJob and its chunks: the truth about one search that is too large for a request.

Each chunk is a range of candidates, held by one worker at a time, and its columns are written once. The search itself is
claimed when no chunk is left, joins them, and has the answer; a worker that dies costs its chunk, or the join, alone.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from estimator.errors import EstimatorError
from estimator.jobs.leased import ALWAYS, Leased
from estimator.record import Json


class SearchJob(Leased):
    """One search; ``request`` is the core's, ``asked`` what the page's form and address say of it."""

    THING = "search"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="search_jobs")
    request = models.JSONField()
    asked = models.JSONField(default=dict)
    n_candidates = models.PositiveIntegerField()
    model_version = models.CharField(max_length=64)
    catalog_version = models.CharField(max_length=64)
    result = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state", "sent_at"], name="search_job_sweep")]

    def __str__(self) -> str:
        return f"search {self.id} ({self.state})"

    @classmethod
    def is_ready(cls) -> Q:
        """Whether all chunks of a search are there to be joined."""
        left = SearchChunk.objects.filter(job=OuterRef("pk")).exclude(state=cls.State.SUCCEEDED)
        return ~Q(Exists(left))

    @property
    def share_done(self) -> float:
        """Share of its candidates that were looked at."""
        if self.state == self.State.SUCCEEDED:
            return 1.0
        done = self.chunks.filter(state=self.State.SUCCEEDED).aggregate(
            n=models.Sum(models.F("last") - models.F("first"))
        )
        return (done["n"] or 0) / self.n_candidates

    @transaction.atomic
    def succeed(self, result: Json) -> bool:
        """Store the answer; the chunks have served. False if this attempt no longer holds the row; then nothing is written."""
        is_mine = self._finish(self.State.SUCCEEDED, result=result, progress=1.0)
        if is_mine:
            self.chunks.all().delete()
        return is_mine

    @transaction.atomic
    def end(self, state: Leased.State, error: Json | None = None) -> bool:
        """Stop the search with all its chunks, whoever is at them. False if it had ended."""
        active = SearchJob.objects.filter(pk=self.pk, state__in=self.ACTIVE)
        is_ended = active.update(state=state, error=error, finished_at=timezone.now(), lease_until=None)
        if is_ended:
            self.chunks.all().delete()
        return bool(is_ended)

    def cancel(self) -> bool:
        """Stop it. A worker in the middle of a chunk finds its row gone and drops its columns."""
        return self.end(self.State.CANCELLED)


class SearchChunk(Leased):
    """A range of candidates, from ``first`` to one before ``last``."""

    THING = "search"

    job = models.ForeignKey(SearchJob, on_delete=models.CASCADE, related_name="chunks")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    columns = models.BinaryField(null=True, blank=True)

    class Meta:
        ordering = ["first"]
        constraints = [models.UniqueConstraint(fields=["job", "first"], name="one_chunk_of_each_range")]
        indexes = [models.Index(fields=["state", "sent_at"], name="search_chunk_sweep")]

    def __str__(self) -> str:
        return f"candidates {self.first} to {self.last} of search {self.job_id} ({self.state})"

    def succeed(self, columns: bytes) -> bool:
        """Store the columns. False if this attempt no longer holds the row; then nothing is written."""
        return self._finish(self.State.SUCCEEDED, columns=columns, progress=1.0)

    def fail(self, error: EstimatorError) -> bool:
        """A chunk that cannot be worked out ends its search."""
        return self.job.end(self.State.FAILED, error.as_json())

    def fail_with(self, code: str, message: str, only: Q = ALWAYS) -> bool:
        """The same without a cause in the request; ``only`` where the chunk is still so."""
        if not self._mine().filter(only).exists():
            return False
        return self.job.end(
            self.State.FAILED, {"code": code, "problems": [{"field": "", "code": code, "message": message}]}
        )
