"""Words of the advice page."""

from typing import Any

from django import template

from designer.pages.advice.page import PRIORITY_LABELS
from estimator.compare.advice import Priority

register = template.Library()

BUDGET_WORDS = {
    "within": "within it",
    "likely": "within it at typical prices",
    "doubtful": "within it at the low end alone",
    "beyond": "beyond it",
}


@register.filter
def budget_words(verdict: str) -> str:
    """How a price keeps the budget."""
    return BUDGET_WORDS[verdict]


@register.filter
def points(score: Any) -> str:
    """Points without their side: the column beside says whose they are."""
    return f"{abs(int(score))}" if score else "0"


@register.filter
def priority_name(key: Priority) -> str:
    """What matters most, in a sentence."""
    return PRIORITY_LABELS[key].casefold()
