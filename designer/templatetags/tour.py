"""The tour of the first design, for the page that it walks through."""

from django import template

from designer.pages.start.tour import STEPS, is_tour_offered
from designer.wording.context import Context

register = template.Library()


@register.inclusion_tag("designer/start/_tour_offer.html", takes_context=True)
def tour_offer(context: Context) -> Context:
    """The offer, until it was taken or skipped on this browser."""
    request = context["request"]
    return {"is_offered": is_tour_offered(request), "request": request, "csrf_token": context.get("csrf_token")}


@register.inclusion_tag("designer/start/_tour.html")
def tour() -> Context:
    """The steps, hidden until the tour starts."""
    return {"steps": STEPS, "n_steps": len(STEPS)}
