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
        "#id_size",
        "Say how large",
        "Start with the size, in GPUs or in servers. Figures on the right follow each key, and every change is "
        "kept: Undo reverts it.",
    ),
    TourStep(
        "#id_fabric__generation",
        "Choose the network",
        "InfiniBand or Ethernet, by generation. A lower oversubscription ratio buys bandwidth between leaves, a higher one "
        "saves switches. The question mark beside each field says what it is, why it matters and where the figure is from.",
    ),
    TourStep(
        "#summary .figures",
        "Watch the figures",
        "Switches, cables, transceivers, power, price and the predicted all-reduce, each with what the last "
        "change moved. What cannot be built is refused beside its field, with what would work.",
    ),
    TourStep(
        "#live-diagram",
        "See the fabric",
        "Tiers, units and bundles of links, drawn from the same counts as the bill of materials.",
    ),
    TourStep(
        ".form-actions .save",
        "Save a version",
        "The whole design is estimated by itself after each change: bill of materials, cost over years, cabling, racks, "
        "findings and the files that other tools read. Every change is kept by itself; a version is a state with a name, to come "
        "back to and to compare with.",
    ),
)


def is_tour_offered(request: HttpRequest) -> bool:
    """True until it was taken or skipped on this browser."""
    return request.COOKIES.get(TOUR_COOKIE) != TOUR_DONE
