"""ArchiveJob and its pieces: an archive of settings files that is too large for a request, written by a worker.

A worker writes piece after piece while it holds the row; pieces of an attempt whose worker died are cleared by the next one. What
is sent is what the attempt that ended well has written.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q

from estimator.errors import EstimatorError
from estimator.jobs.leased import ALWAYS, Leased


class ArchiveJob(Leased):
    """One archive: of a spec under the choices of a plan, of one target or (``target`` empty) of all."""

    THING = "archive"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="archive_jobs")
    spec = models.JSONField()
    spec_hash = models.CharField(max_length=64)
    choices = models.JSONField(default=dict)
    target = models.CharField(max_length=40, blank=True)
    key = models.CharField(max_length=64)  # of spec, choices, target and versions: equal keys are equal archives
    model_version = models.CharField(max_length=64)
    catalog_version = models.CharField(max_length=64)
    n_bytes = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "key"],
                condition=Q(state__in=["queued", "running", "succeeded"]),
                name="one_live_job_per_archive",
            ),
        ]
        indexes = [models.Index(fields=["state", "sent_at"], name="archive_job_sweep")]

    def __str__(self) -> str:
        return f"archive {self.id} ({self.state})"

    @property
    def name(self) -> str:
        """What the design is called."""
        return str(self.spec["name"])

    def begin(self) -> None:
        """Clear what an attempt before has written."""
        self.pieces.exclude(attempt=self.attempts).delete()

    def add(self, number: int, data: bytes) -> None:
        """Keep the next piece."""
        ArchivePiece.objects.create(job=self, attempt=self.attempts, number=number, data=data)

    @transaction.atomic
    def succeed(self, n_bytes: int) -> bool:
        """It is whole. False if this attempt no longer holds the row; then its pieces have gone or will."""
        return self._finish(self.State.SUCCEEDED, n_bytes=n_bytes, progress=1.0)

    @transaction.atomic
    def fail(self, error: EstimatorError) -> bool:
        """It cannot be written; what was goes."""
        return self._dropped(super().fail(error))

    @transaction.atomic
    def fail_with(self, code: str, message: str, only: Q = ALWAYS) -> bool:
        """The same without a cause in the request."""
        return self._dropped(super().fail_with(code, message, only))

    @transaction.atomic
    def cancel(self) -> bool:
        """Stop it and drop what was written."""
        return self._dropped(super().cancel())

    def _dropped(self, has_ended: bool) -> bool:
        """Drop its pieces if it has ended without being whole."""
        if has_ended:
            self.pieces.all().delete()
        return has_ended

    def content(self) -> Iterator[bytes]:
        """Its bytes, in the pieces in which they were written."""
        own = self.pieces.filter(attempt=self.attempts).order_by("number")
        for number in own.values_list("number", flat=True):
            yield bytes(own.get(number=number).data)


class ArchivePiece(models.Model):
    """Some of the bytes of an archive, in order."""

    job = models.ForeignKey(ArchiveJob, on_delete=models.CASCADE, related_name="pieces")
    attempt = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["job", "attempt", "number"], name="one_piece_of_each_number")]

    def __str__(self) -> str:
        return f"piece {self.number} of archive {self.job_id}"
