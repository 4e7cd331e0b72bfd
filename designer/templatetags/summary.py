"""The rows of the summary strip, for templates."""

from collections.abc import Mapping
from typing import Any

from django import template

from designer.wording.strip import summary_rows

register = template.Library()


@register.simple_tag
def figures_of(
    headlines: Mapping[str, Any], moved: Any, result: Mapping[str, Any] | None, against: Any = None
) -> list[dict[str, Any]]:
    """Rows of the strip; ``moved``, ``result`` and ``against`` may be missing."""
    return summary_rows(headlines, moved or None, result, against or None)
