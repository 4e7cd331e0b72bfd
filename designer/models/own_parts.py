"""Parts of the catalog of a team, with their history."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models


class OwnPart(models.Model):
    """A part of one's own, kept in the catalog of its owner's team. What it is stands in its revisions, newest last.

    ``kind`` is that of OWN_KINDS. Designs carry the revision that they were made with, whole, and keep it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_parts")
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=60)  # its id in a request: own-…
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["kind", "key"]
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="one_own_part_per_key")]

    def __str__(self) -> str:
        return self.key

    @classmethod
    def of(cls, user: User) -> models.QuerySet[OwnPart]:
        """The parts of a user's teams: those of every user who is in one of their groups, and their own."""
        mates = User.objects.filter(groups__in=user.groups.all())
        return cls.objects.filter(models.Q(owner=user) | models.Q(owner__in=mates)).distinct()

    @staticmethod
    def with_latest(parts: models.QuerySet[OwnPart]) -> models.QuerySet[OwnPart]:
        """Parts to be read, with owners and newest revisions, in two queries however many they are."""
        of_part = OwnPartRevision.objects.filter(part=models.OuterRef("part")).order_by("-number")
        revisions = OwnPartRevision.objects.filter(number=models.Subquery(of_part.values("number")[:1]))
        return parts.select_related("owner").prefetch_related(models.Prefetch("revisions", revisions, "read_latest"))

    @property
    def latest(self) -> OwnPartRevision:
        """The newest revision; every part has at least one. The one that ``with_latest`` has read, where it has."""
        if read := vars(self).get("read_latest"):
            newest: OwnPartRevision = read[0]
            return newest
        return self.revisions.order_by("number").reverse()[0]


class OwnPartRevision(models.Model):
    """All figures of a part after one change, who made it and why. Rows are added, never changed."""

    part = models.ForeignKey(OwnPart, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    values = models.JSONField()
    reason = models.CharField(max_length=300)
    by = models.CharField(max_length=200)  # who made the change, by name
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["part", "number"]
        constraints = [models.UniqueConstraint(fields=["part", "number"], name="one_own_part_revision_per_number")]

    def __str__(self) -> str:
        return f"{self.part_id} revision {self.number}"
