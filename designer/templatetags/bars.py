"""A small bar that shows a range: from nothing to its high end, filled from low to high, with a tick at the typical value."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from designer.wording.cost import CostPart
from designer.wording.numbers import ends_of

register = template.Library()

WIDTH, HEIGHT, TICK = 64, 12, 2


@register.filter
def range_bar(value: Any) -> SafeString | str:
    """A range → SVG; nothing where there is no range to show."""
    ends = ends_of(value)
    if ends is None or not ends.high or ends.low == ends.high:
        return ""
    low, typical = WIDTH * ends.low / ends.high, WIDTH * ends.typical / ends.high
    tick = min(max(typical - TICK / 2, 0), WIDTH - TICK)
    return mark_safe(  # noqa: S308 - numbers alone
        f'<svg class="range-bar" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" aria-hidden="true">'
        f'<rect class="range-all" y="4" width="{WIDTH}" height="4" rx="2"/>'
        f'<rect class="range-part" x="{low:.1f}" y="3" width="{WIDTH - low:.1f}" height="6" rx="2"/>'
        f'<rect class="range-tick" x="{tick:.1f}" width="{TICK}" height="{HEIGHT}"/></svg>'
    )


BAR_WIDTH, BAR_HEIGHT = 1000, 16


@register.simple_tag
def cost_bar(parts: Sequence[CostPart]) -> SafeString:
    """Parts of a sum beside each other on one bar; the list below it says the same in words."""
    drawn, x = [], 0.0
    for number, part in enumerate(parts, start=1):
        width = BAR_WIDTH * part.share
        drawn.append(f'<rect class="bar-{number}" x="{x:.1f}" width="{width:.1f}" height="{BAR_HEIGHT}"/>')
        x += width
    box = f'viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}" preserveAspectRatio="none"'
    return mark_safe(f'<svg class="cost-bar" {box} aria-hidden="true">{"".join(drawn)}</svg>')  # noqa: S308 - numbers alone
