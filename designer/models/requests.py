"""Requests as the database has them: their large parts are kept once, and named by their content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db import models

LARGE_PARTS = (("economics", "prices"), ("site", "set_lengths"))
LEAST_KEPT_APART = 500  # characters
KEPT = "kept"


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
