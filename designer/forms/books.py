"""The price book of the design form: the catalog's books, the owner's own ones, and the one that a design carries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from designer.models import KeptPart, PriceBook
from estimator.errors import Problem
from estimator.spec.price_book import OwnPrices

BASE_KEY, PRICES_KEY = "economics.price_book", "economics.prices"
OWN, KEPT = "own:", "kept:"  # before a book's id; before the catalog's book behind prices that the design carries
DATE_CHARACTERS = 10


class BookChoice:
    """What a form's field of price books offers and means; ``carried`` are the own prices that the design has.

    ``only`` limits the owner's books to one option, "" to none: a visitor sees the book that the design names and no other.
    """

    def __init__(self, owner: User | None, carried: Any, only: str | None = None) -> None:
        self._owner, self._carried = owner, carried if isinstance(carried, Mapping) and carried else None
        self._only = only
        self._taken: dict[str, tuple[str, Any, Problem | None]] = {}

    @cached_property
    def _books(self) -> list[PriceBook]:
        books = list(self._owner.price_books.all()) if self._owner and self._only != "" else []
        return [book for book in books if self._only is None or f"{OWN}{book.pk}" == self._only]

    @cached_property
    def _origin(self) -> PriceBook | None:
        """The live book that the carried prices were taken from."""
        origin = str((self._carried or {}).get("book") or "")
        return next((book for book in self._books if str(book.pk) == origin), None)

    @cached_property
    def is_outdated(self) -> bool:
        """Whether the live book says something else than the prices that the design carries."""
        try:
            return self._origin is not None and self._origin.contents().hash != OwnPrices(**(self._carried or {})).hash
        except ValueError:  # what is carried is broken: the rules say where
            return False

    def choices(self, base: str) -> list[tuple[str, str]]:
        """Options beside the catalog's books."""
        options = []
        if self._carried:
            name = str(self._carried.get("name", ""))[:80]
            taken = str(self._carried.get("priced_on") or "")[:DATE_CHARACTERS]
            options.append((KEPT + base, f"{name}, as taken on {taken}" if taken else name))
        offered = [book for book in self._books if book is not self._origin or self.is_outdated]
        options += [
            (f"{OWN}{book.pk}", f"{book.name}, newest" if book is self._origin else book.name) for book in offered
        ]
        return options

    @property
    def note(self) -> str:
        """What the page says of a book that has changed since it was taken."""
        if not self.is_outdated or self._origin is None:
            return ""
        return f" “{self._origin.name}” has changed since: choose “{self._origin.name}, newest” to take the new prices."

    def initial(self, base: str) -> str:
        """The option that stands for a design's book."""
        return KEPT + base if self._carried else base

    def meant(self, typed: str) -> tuple[str, Any, Problem | None]:
        """(the catalog's book, own prices or None, problem) of an option; one that is neither is left to the rules."""
        if typed not in self._taken:
            self._taken[typed] = self._meant(typed)
        return self._taken[typed]

    def _meant(self, typed: str) -> tuple[str, Any, Problem | None]:
        if typed.startswith(KEPT):
            return typed.removeprefix(KEPT), self._carried, None
        if not typed.startswith(OWN):
            return typed, None, None
        book = self._found(typed.removeprefix(OWN))
        if book is None:
            message = "This price book is not there any more. Choose another one."
            return "", None, Problem(BASE_KEY, "unknown_price_book", message)
        return book.base, book.snapshot(), None

    def _found(self, text: str) -> PriceBook | None:
        try:
            wanted = UUID(text)
        except ValueError:
            return None
        return next((book for book in self._books if book.pk == wanted), None)


def kept_of(text: Any) -> Mapping[str, Any]:
    """What a sent form hands through, by its paths; nothing where that cannot be read."""
    try:
        kept = json.loads(text) if isinstance(text, str) and text else {}
    except (ValueError, RecursionError):  # the field's own check says so
        return {}
    return kept if isinstance(kept, Mapping) else {}


def carried_by_form(text: Any, path: str = PRICES_KEY) -> Any:
    """The own prices, or another large part, among what a sent form hands through."""
    try:
        return KeptPart.meant(kept_of(text).get(path))
    except (ValueError, RecursionError, KeptPart.DoesNotExist):  # the field's own check says so
        return None
