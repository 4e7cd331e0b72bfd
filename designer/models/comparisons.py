"""Designs side by side."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class Comparison(models.Model):
    """Two to eight designs side by side, one of them the baseline; whole, so that it stays what it was."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="comparisons")
    name = models.CharField(max_length=200)
    specs = models.JSONField()
    baseline = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField()
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
