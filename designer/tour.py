"""The tour of the first design: five steps, and a cookie that says it was taken or skipped."""

from typing import NamedTuple

from django.http import HttpRequest

TOUR_COOKIE, TOUR_DONE = "clusterwright_tour", "done"
TOUR_SECONDS = 400 * 24 * 3600  # what browsers keep a cookie at most


class TourStep(NamedTuple):
    """One step: what it points at on the design's page, and what it says there."""

    target: str
    title: str
    text: str


STEPS = (
    TourStep(
        "#id_size", "Say how large",
        "Start with the size, in GPUs or in servers. Figures on the right follow each key; nothing is stored until you press "
        "Estimate.",
    ),
    TourStep(
        "#id_fabric__generation", "Choose the network",
        "InfiniBand or Ethernet, by generation. A lower oversubscription ratio buys bandwidth between leaves, a higher one "
        "saves switches. The question mark beside each field says what it is, why it matters and where the figure is from.",
    ),
    TourStep(
        "#preview .figures", "Watch the figures",
        "Switches, links, modules, price, power and the predicted all-reduce. What cannot be built is refused beside its "
        "field, with what would work.",
    ),
    TourStep(
        "#preview .fabric-figure", "See the fabric",
        "Tiers, units and bundles of links, drawn from the same counts as the bill of materials.",
    ),
    TourStep(
        ".form-actions [type=submit]", "Estimate",
        "A worker computes the whole design: bill of materials, cost over years, cabling, racks, findings and the files that "
        "other tools read. Each revision is kept, so nothing is lost.",
    ),
)  # fmt: skip


def is_tour_offered(request: HttpRequest) -> bool:
    """True until it was taken or skipped on this browser."""
    return request.COOKIES.get(TOUR_COOKIE) != TOUR_DONE
