"""Rows that people own and name: designs and price books with their history, calibrations, comparisons, quotes, tokens."""

from __future__ import annotations

import hashlib
import json
import secrets
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from estimator.quotes.columns import Columns, columns_from
from estimator.record import Json
from estimator.spec.price_book import OwnPrices

LARGE_PARTS = (("economics", "prices"), ("site", "set_lengths"))
LEAST_KEPT_APART = 500  # characters
KEPT = "kept"
SIGN_IN_LINK_LIFETIME = timedelta(hours=12)


def hash_secret(secret: str) -> str:
    """SHA-256 of a random 256-bit secret, in hex. A slow hash would protect no better: there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


class KeptPart(models.Model):
    """A large part of requests, a book's prices or lengths set manually: kept once, named by its content, never changed.

    Requests in the database and pages of designs name it: ``{"kept": digest}``. Nobody finds a part who does not have it:
    its digest is a SHA-256 of all of it.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()  # JSON: its keys stay in their order, and every character that JSON can say is kept

    def __str__(self) -> str:
        return self.digest

    @classmethod
    def keep(cls, value: Any) -> Any:
        """What stands for a value: the name of its part, which is kept; a short one stands for itself."""
        text = json.dumps(value)
        if len(text) < LEAST_KEPT_APART:
            return value
        digest = _digest(text)
        if not cls.objects.filter(pk=digest).exists():
            cls.objects.get_or_create(digest=digest, defaults={"text": text})
        return {KEPT: digest}

    @classmethod
    def named(cls, value: Any) -> Any:
        """As ``keep``, where the part is kept already; else the value itself."""
        text = json.dumps(value)
        is_kept = len(text) >= LEAST_KEPT_APART and cls.objects.filter(pk=_digest(text)).exists()
        return {KEPT: _digest(text)} if is_kept else value

    @classmethod
    def meant(cls, value: Any) -> Any:
        """The value that stands there, or that a name there means.

        Raises
        ------
        KeptPart.DoesNotExist
            If there is no part of this name.
        """
        is_name = isinstance(value, dict) and set(value) == {KEPT} and isinstance(value[KEPT], str)
        return json.loads(_text_of_part(value[KEPT])) if is_name else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=64)
def _text_of_part(digest: str) -> str:
    return KeptPart.objects.get(pk=digest).text


class RequestField(models.JSONField):
    """A request. In the database its large parts are names of kept ones; rows of before have all in them."""

    def deconstruct(self) -> Any:
        """Nothing else than JSON to migrations."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """The request with its parts."""
        return _with_parts(super().from_db_value(value, expression, connection), KeptPart.meant)

    def get_prep_value(self, value: Any) -> Any:
        """The request with the names of its parts, which are kept."""
        return super().get_prep_value(_with_parts(value, KeptPart.keep))


def _with_parts(request: Any, of: Callable[[Any], Any]) -> Any:
    """A request with something else for each large part that it has."""
    for section, name in LARGE_PARTS:
        inner = request.get(section) if isinstance(request, dict) else None
        if isinstance(inner, dict) and inner.get(name):
            request = request | {section: inner | {name: of(inner[name])}}
    return request


class Design(models.Model):
    """A named design of one owner. Its current state is the design: what lists, comparisons, quotes, files and REST read.

    ``given`` is what the owner said: an edited design takes new defaults where nothing was said. ``spec`` is the request that
    this comes to by the rules of ``versions``, and ``spec_hash`` finds its estimate. While the form holds what cannot be built,
    they are of the last state that could. ``services.designs.state`` writes these columns and brings them up to today's rules.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="designs")
    name = models.CharField(max_length=200)
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
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-created_at"]

    def __str__(self) -> str:
        return self.name

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


class Comment(models.Model):
    """What somebody said of a design, or of one of its figures. Its text is never changed; it is resolved, or taken back."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="comments")
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

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="ticks")
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


class Baseline(models.Model):
    """A state that its owner marked to measure others against. It is frozen: no later edit, price or model moves it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="baselines")
    design = models.ForeignKey(Design, on_delete=models.SET_NULL, null=True, blank=True, related_name="baselines")
    name = models.CharField(max_length=200)
    given = RequestField()
    spec_hash = models.CharField(max_length=64)
    figures = models.JSONField(null=True)  # null in a row that was a pin: made when it is first shown
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name


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


class PriceBook(models.Model):
    """A named book of an owner's own prices, over the catalog's. What it holds is in its revisions, newest last."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="price_books")
    name = models.CharField(max_length=200)
    base = models.CharField(max_length=20, default="street")  # the catalog's book behind it, for what it does not hold
    region = models.CharField(max_length=40, blank=True)  # the buyer's; empty: prices of every region count
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def latest(self) -> PriceBookRevision:
        """The newest revision; every book has at least one."""
        return self.revisions.order_by("number").reverse()[0]

    def contents(self, revision: PriceBookRevision | None = None) -> OwnPrices:
        """What a revision holds, the newest unless one is given."""
        one = revision or self.latest
        return OwnPrices(name=self.name, prices=one.prices, rates=one.rates, region=self.region or None)

    def snapshot(self) -> Json:
        """What a design takes of the book: all of its newest revision, priced for today."""
        taken = self.contents().model_copy(update={"priced_on": timezone.localdate().isoformat(), "book": str(self.pk)})
        return taken.model_dump(mode="json")


class PriceBookRevision(models.Model):
    """All prices and exchange rates of a book after one change, and what the change was. Rows are added, never changed."""

    book = models.ForeignKey(PriceBook, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    prices = models.JSONField()
    rates = models.JSONField()
    reason = models.CharField(max_length=300)  # "Imported prices.xlsx: 120 prices", "Edited 2 prices"
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["book", "number"]
        constraints = [models.UniqueConstraint(fields=["book", "number"], name="one_price_book_revision_per_number")]

    def __str__(self) -> str:
        return f"{self.book_id} revision {self.number}"


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


class Quote(models.Model):
    """A vendor's offer as it was read, and how its lines match a design's bill of materials."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quotes")
    name = models.CharField(max_length=200)
    vendor = models.CharField(max_length=200, blank=True)
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    design = models.ForeignKey(Design, on_delete=models.SET_NULL, null=True, blank=True, related_name="quotes")
    spec = models.JSONField()  # of the design it is compared with, as that was
    reading = models.JSONField()  # columns, lines as they were read, lines left out and why
    matches = models.JSONField(default=dict)  # what the owner decided against the program's own match, by line
    result = models.JSONField()
    model_version = models.CharField(max_length=20)
    catalog_version = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

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


class AccountChoices(models.Model):
    """The currency and units that a user reads pages in. REST and files have theirs by contract."""

    class Bandwidth(models.TextChoices):
        BYTES = "bytes", "GB/s"
        BITS = "bits", "Gb/s"

    class Length(models.TextChoices):
        METRES = "m", "metres"
        FEET = "ft", "feet"

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="choices")
    currency = models.CharField(max_length=3, default="USD")
    bandwidth = models.CharField(max_length=5, choices=Bandwidth, default=Bandwidth.BYTES)
    length = models.CharField(max_length=2, choices=Length, default=Length.METRES)

    def __str__(self) -> str:
        return f"choices of {self.user}"


class ApiToken(models.Model):
    """A key to the REST API. Only its hash is kept, so a copy of the database opens nothing."""

    class Scope(models.TextChoices):
        READ = "read", "read only"
        WRITE = "write", "read and write"

    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.scope})"

    @classmethod
    def issue(cls, owner: User, name: str, scope: str = Scope.READ) -> tuple[ApiToken, str]:
        """A new token and its key. The key is shown this once and cannot be read back."""
        key = secrets.token_urlsafe(32)
        return cls.objects.create(key_hash=hash_secret(key), name=name, scope=scope, owner=owner), key

    @classmethod
    def find(cls, key: str) -> ApiToken | None:
        """The live token of this key, with its owner; None if the key is unknown, revoked or its owner is barred."""
        return (
            cls.objects.select_related("owner")
            .filter(key_hash=hash_secret(key), revoked_at=None, owner__is_active=True)
            .first()
        )


class KeptAnswer(models.Model):
    """What a call under an idempotency key was answered; ``status`` is null while it is being made."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="kept_answers")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    content = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="one_call_per_idempotency_key")]

    def __str__(self) -> str:
        return f"answer to {self.key}"


class SignInLink(models.Model):
    """A link that signs one user in, once; the user's own browsers on the server's machine again. Only its hash is kept."""

    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_links")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"

    @classmethod
    def issue(cls, user: User) -> str:
        """The secret of a new link. Links of before are withdrawn, used or not."""
        cls.objects.filter(user=user).delete()
        secret = secrets.token_urlsafe(32)
        cls.objects.create(
            secret_hash=hash_secret(secret), user=user, expires_at=timezone.now() + SIGN_IN_LINK_LIFETIME
        )
        return secret

    @classmethod
    def redeem(cls, secret: str, now: datetime | None = None, *, again: bool = False) -> User | None:
        """The user this link signs in, or None if it is unknown, used or too old. Two clicks at once: one wins.

        ``again`` says that whoever asks could make a new link as well, so that a used one does for them.
        """
        now = now or timezone.now()
        link = cls.objects.select_related("user").filter(secret_hash=hash_secret(secret)).first()
        if link is None or link.expires_at <= now or not link.user.is_active:
            return None
        is_first = cls.objects.filter(pk=link.pk, used_at=None).update(used_at=now)
        return link.user if is_first or again else None
