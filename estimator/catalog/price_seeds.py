"""Planning prices: the ranges of the anchors book, from units of a planning price (catalog/price_rules.csv)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from estimator.catalog.currency import USD, half_up
from estimator.catalog.price_records import ANCHORS, Price, PriceRule
from estimator.catalog.records import Economic
from estimator.units import CENTS_PER_USD

if TYPE_CHECKING:
    from estimator.catalog.loader import Catalog


def planning_prices(catalog: "Catalog") -> Iterator[Price]:
    """A price of the anchors book for each part that a planning price rules."""
    for rule in catalog.price_rules.values():
        if rule.anchor and rule.anchor in catalog.economics:
            yield _planned(rule, catalog.economics[rule.anchor], catalog)


def _planned(rule: PriceRule, anchor: Economic, catalog: "Catalog") -> Price:
    """So many units of the anchor; optics that are inside at the price of the same book."""
    optics = catalog.price(rule.optics_part, ANCHORS) if rule.optics_part else None
    inside = optics.cents if optics else (0, 0, 0)
    low, typical, high = (
        half_up(Fraction(str(usd)) * rule.units * CENTS_PER_USD) + rule.n_optics * module
        for usd, module in zip((anchor.low, anchor.typical, anchor.high), inside, strict=True)
    )
    return Price(
        part_id=rule.part_id, book=ANCHORS, per="piece", low_cents=low, typical_cents=typical, high_cents=high, currency=USD,
        basis="seed", source=anchor.source, as_of=anchor.as_of, note=rule.note, region=None, min_quantity=1,
        valid_from=None, valid_to=None,
    )  # fmt: skip
