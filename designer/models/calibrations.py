"""Constants of the model as logs of an owner have shown them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.named import Named


class Calibration(Named):
    """Constants of the model as an owner's logs have shown them, with those logs' lines and errors. Only its name may change."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calibrations")
    system = models.JSONField()
    parameters = models.JSONField()
    logs = models.JSONField()
    error = models.JSONField()
    diagnosis = models.JSONField()
    curves = models.JSONField()
    paths = models.JSONField(default=list)
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
