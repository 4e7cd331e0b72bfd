"""What a comparison is asked for: two to eight designs or offers, checked when they are read."""

from typing import Annotated, Literal

from pydantic import Field

from estimator.bom.lines import CATEGORIES
from estimator.record import Json
from estimator.spec.checking import Section, empty

LEAST, MOST = 2, 8
MAX_OFFER_LINES = 5_000
MAX_USD = 1e10

Amount = Annotated[float, Field(ge=0, le=MAX_USD)]


class OfferPrice(Section):
    """US dollars; three times the same where an offer has one price."""

    low: Amount
    typical: Amount
    high: Amount


class OfferLine(Section):
    """One priced line of an offer, under the names of a bill of materials."""

    line: int | None = Field(None, ge=1, le=1_000_000, description="Its number; default: its place in the list.")
    category: Literal[CATEGORIES]  # type: ignore[valid-type]
    part: str | None = Field(None, max_length=80, description="Catalog id, where it is known.")
    part_number: str | None = Field(None, max_length=120)
    description: str = Field("", max_length=500)
    use: str | None = Field(None, max_length=80, description="Role, as BOMs have it; null: found by part or category.")
    tier: str | None = Field(None, max_length=40)
    length_m: float | None = Field(None, ge=0, le=100_000)
    quantity: int = Field(ge=0, le=1_000_000_000)
    spare_quantity: int = Field(0, ge=0, le=1_000_000_000)
    unit_price_usd: OfferPrice | None = None
    extended_price_usd: OfferPrice | None = None
    price_basis: str | None = Field(None, max_length=40)
    power_w: float | None = Field(None, ge=0, le=1e12)
    fabric: str = Field("compute", max_length=80)


class Offer(Section):
    """What a vendor offers."""

    lines: list[OfferLine] = Field(min_length=1, max_length=MAX_OFFER_LINES)
    gpus: int | None = Field(
        None, ge=1, le=10_000_000, description="GPUs that it is for, where clusters differ in size."
    )


class Item(Section):
    """One side: a design, or an offer."""

    label: str | None = Field(None, min_length=1, max_length=200, description="Default: the design's name.")
    spec: Json | None = Field(None, description="A design, as for an estimate.")
    offer: Offer | None = None
    notes: list[str] = Field(default_factory=empty, max_length=40, description="What to tell of this side, in words.")


class ComparisonRequest(Section):
    """Two to eight sides."""

    items: list[Item] = Field(min_length=LEAST, max_length=MOST, description="Designs and offers, in columns.")
    baseline: int = Field(
        0, ge=0, le=MOST - 1, description="Position of the one that others are compared with, from 0."
    )
