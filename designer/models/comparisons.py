"""Designs side by side."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.named import Named


class Comparison(Named):
    """Two to eight designs side by side, one of them the baseline; whole, so that it stays what it was."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="comparisons")
    specs = models.JSONField()
    baseline = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField()
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
