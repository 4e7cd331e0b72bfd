"""Which page shows a state of a design: the design's own or that of a named version. Its links, forms and pictures stay on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils.http import urlencode


class ShownPage(NamedTuple):
    """The page of a design, or of one of its named versions."""

    design_id: UUID
    version: int | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        if self.version is None:
            return reverse("design", args=[self.design_id])
        return reverse("version", args=[self.design_id, self.version])

    @property
    def query(self) -> dict[str, str]:
        """What its fragments are asked with, so that their links lead back to it."""
        return {} if self.version is None else {"version": str(self.version)}

    def link(self, query: Mapping[str, Any], anchor: str) -> str:
        """An address on it."""
        return f"{self.address}?{urlencode({**query, **self.query})}#{anchor}"


def shown_page(context: Mapping[str, Any]) -> ShownPage:
    """The page that a template is part of."""
    version = context.get("version_shown")
    return ShownPage(context["design"].pk, version.number if version else None)
