"""What belongs to an account: its choices, keys to REST, answers under idempotency keys, links that sign in."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

SIGN_IN_LINK_LIFETIME = timedelta(hours=12)


def hash_secret(secret: str) -> str:
    """SHA-256 of a random 256-bit secret, in hex. A slow hash would protect no better: there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


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
