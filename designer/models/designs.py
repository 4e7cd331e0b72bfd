"""Designs with their versions, edits and baselines, and the links that open them to others."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.named import Named
from designer.models.requests import RequestField


class Design(Named):
    """A named design of one owner. Its current state is the design: what lists, comparisons, quotes, files and REST read.

    ``given`` is what the owner said: an edited design takes new defaults where nothing was said. ``spec`` is the request that
    this comes to by the rules of ``versions``, and ``spec_hash`` finds its estimate. While the form holds what cannot be built,
    they are of the last state that could. ``services.designs.state`` writes these columns and brings them up to today's rules.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="designs")
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="variants")
    given = RequestField(default=dict)
    spec = RequestField(default=dict)
    spec_hash = models.CharField(max_length=64, default="", db_index=True)
    figures = models.JSONField(null=True)  # headline figures; null where they were not made yet, or it cannot be built
    versions = models.CharField(max_length=120, default="")  # model and catalog that ``spec`` was read by
    state_number = models.PositiveIntegerField(default=1)  # counts changes of what the form holds
    changed_by = models.CharField(max_length=200, default="", blank=True)  # who made the last of them, by name
    at = models.PositiveIntegerField(default=0)  # number of the current edit; 0: its session has not begun
    tags = models.CharField(
        max_length=200, default="", blank=True
    )  # words with ", " between them, as their owner chose
    archived_at = models.DateTimeField(null=True, blank=True)  # put out of the list, not deleted
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-created_at"]

    @property
    def tag_list(self) -> list[str]:
        """Its tags one by one."""
        return [tag for tag in self.tags.split(", ") if tag]

    @property
    def now(self) -> Design:
        """This design as the database has it now."""
        return Design.objects.get(pk=self.pk)

    @property
    def is_edited_by_others(self) -> bool:
        """Whether somebody else may hold a link that lets them edit it."""
        return self.share_links.filter(mode=ShareLink.Mode.EDIT, revoked_at=None).exists()


class DesignRevision(models.Model):
    """A named version of a design: a state that somebody saved to come back to. Rows are added, never changed.

    ``given``, ``spec`` and ``spec_hash`` are as those of the design were on that day.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200, default="")
    note = models.CharField(max_length=2000, default="", blank=True)
    given = RequestField()
    spec = RequestField()
    spec_hash = models.CharField(max_length=64, db_index=True)
    by = models.CharField(max_length=200, default="", blank=True)  # who saved it, by name; empty in rows of before
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["design", "number"]
        constraints = [models.UniqueConstraint(fields=["design", "number"], name="one_revision_per_number")]

    def __str__(self) -> str:
        return f"{self.design_id} version {self.number}"


class DesignEdit(models.Model):
    """What the form of a design held after one edit, valid or not: undo and redo go along these rows.

    ``given`` is the state that held then: what the form said where that could be built, else the last state that could.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="edits")
    number = models.PositiveIntegerField()
    step = models.CharField(max_length=64)  # edits of one field between focus and blur have one step and one row
    typed = models.JSONField()  # field name → text
    is_valid = models.BooleanField(default=True)  # whether the form's text is the state that holds
    given = RequestField(null=True)  # null in rows of before states were kept
    spec_hash = models.CharField(max_length=64, default="", db_index=True)
    figures = models.JSONField(null=True)  # headline figures of the state that held
    by = models.CharField(max_length=200, default="")  # who made it, by name
    created_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["design", "number"]
        constraints = [models.UniqueConstraint(fields=["design", "number"], name="one_edit_per_number")]

    def __str__(self) -> str:
        return f"{self.design_id} edit {self.number}"


class EditingPage(models.Model):
    """A page that sends edits of a design, and how far they have come: one that is sent again changes nothing."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="editing_pages")
    key = models.CharField(max_length=40)
    last = models.PositiveIntegerField(default=0)  # number of the page's newest edit that is kept
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["design", "key"], name="one_row_per_editing_page")]

    def __str__(self) -> str:
        return f"{self.key} on {self.design_id}, at {self.last}"


class Baseline(Named):
    """A state that its owner marked to measure others against. It is frozen: no later edit, price or model moves it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="baselines")
    design = models.ForeignKey(Design, on_delete=models.SET_NULL, null=True, blank=True, related_name="baselines")
    given = RequestField()
    spec_hash = models.CharField(max_length=64)
    figures = models.JSONField(null=True)  # null in a row that was a pin: made when it is first shown


class ShareLink(models.Model):
    """A link that opens one design to whoever has it. Only the hash of its secret is kept."""

    class Mode(models.TextChoices):
        READ = "read", "read only"
        EDIT = "edit", "read and edit"

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="share_links")
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    mode = models.CharField(max_length=4, choices=Mode, default=Mode.READ)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.mode} link of {self.design_id}"
