"""The rows of the summary strip, for templates."""

from typing import Any

from django import template

from designer.wording.context import Context
from designer.wording.headlines import Headlines
from designer.wording.strip import summary_rows
from estimator.result import PricedEstimate

register = template.Library()


@register.simple_tag
def figures_of(headlines: Headlines, moved: Any, estimate: PricedEstimate | None, against: Any = None) -> list[Context]:
    """Rows of the strip; ``moved``, ``estimate`` and ``against`` may be missing."""
    return summary_rows(headlines, moved or None, estimate, against or None)
