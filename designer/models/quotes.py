"""Quotes as they were read, and how the sheets of vendors are read."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.named import Named
from estimator.quotes.columns import Columns, columns_from


class Quote(Named):
    """A vendor's offer as it was read, and how its lines match a design's bill of materials."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quotes")
    vendor = models.CharField(max_length=200, blank=True)
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    design = models.ForeignKey(
        "designer.Design", on_delete=models.SET_NULL, null=True, blank=True, related_name="quotes"
    )
    spec = models.JSONField()  # of the design it is compared with, as that was
    reading = models.JSONField()  # columns, lines as they were read, lines left out and why
    matches = models.JSONField(default=dict)  # what the owner decided against the program's own match, by line
    result = models.JSONField()
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
    updated_at = models.DateTimeField(auto_now=True)

    @property
    def columns(self) -> list[Columns]:
        """What the columns of its sheets are."""
        return [columns_from(one) for one in self.reading["columns"]]

    @property
    def is_confirmed(self) -> bool:
        """Whether its columns are sure, or were given by its owner."""
        return bool(self.reading.get("is_confirmed", True))


class QuoteColumns(models.Model):
    """Which columns of a vendor's sheet mean what, as its owner said once; found again by the sheet's header."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quote_columns")
    header_hash = models.CharField(max_length=64)
    columns = models.JSONField()
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "header_hash"], name="one_reading_per_header")]

    def __str__(self) -> str:
        return f"columns of {self.header_hash[:8]}"
