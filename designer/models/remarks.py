"""What people say of a design, and what they tick of its checklist."""

from __future__ import annotations

from django.db import models


class Comment(models.Model):
    """What somebody said of a design, or of one of its figures. Its text is never changed; it is resolved, or taken back."""

    design = models.ForeignKey("designer.Design", on_delete=models.CASCADE, related_name="comments")
    figure = models.CharField(max_length=80, default="", blank=True)  # key of its help; empty: of the design as a whole
    text = models.TextField(max_length=2000)
    by = models.CharField(max_length=200)  # who said it, by name
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_by = models.CharField(max_length=200, default="", blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.by} on {self.design_id}"


class ChecklistTick(models.Model):
    """What was ticked of a design's checklist: an item by its code, and the fingerprint of what there was to do then.

    ``version`` counts changes, so that two people who tick at once do not overwrite each other
    (``services.bringup.checklists``).
    """

    design = models.ForeignKey("designer.Design", on_delete=models.CASCADE, related_name="ticks")
    item = models.CharField(max_length=200)
    content = models.CharField(max_length=16)
    is_done = models.BooleanField()
    by = models.CharField(max_length=200)  # who made the last change, by name
    at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["design", "item"], name="one_tick_per_item")]

    def __str__(self) -> str:
        return f"{self.design_id} {self.item}"
