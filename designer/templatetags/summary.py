"""The rows of the summary strip, and of what its figures rest on, for templates."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from django import template

from designer.wording.context import Context
from designer.wording.headlines import Headlines
from designer.wording.strip import summary_rows
from estimator.performance.result import ModelConstant
from estimator.result import PricedEstimate

register = template.Library()


@register.simple_tag
def figures_of(
    headlines: Headlines,
    moved: Any,
    estimate: PricedEstimate | None,
    against: Any = None,
    held: PricedEstimate | None = None,
) -> list[Context]:
    """Rows of the strip, all but ``headlines`` may be missing. ``held``: the estimate where the form has none."""
    return summary_rows(headlines, moved or None, estimate or held, against or None)


@register.filter
def of_one_source(constants: Iterable[ModelConstant]) -> list[list[ModelConstant]]:
    """Constants one after another that share unit, basis and evidence: a page says those once, as hundreds may."""
    return [
        list(several) for _, several in groupby(constants, lambda one: (one.unit, one.basis, one.source, one.evidence))
    ]
