"""Constants of the model as logs of an owner have shown them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class Calibration(models.Model):
    """Constants of the model as an owner's logs have shown them, with those logs' lines and errors. Only its name may change."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calibrations")
    name = models.CharField(max_length=200)
    system = models.JSONField()
    parameters = models.JSONField()
    logs = models.JSONField()
    error = models.JSONField()
    diagnosis = models.JSONField()
    curves = models.JSONField()
    paths = models.JSONField(default=list)
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
