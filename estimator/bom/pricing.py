"""What one piece of a part costs in a design: its own book first, then the catalog's; with the rule in plain words.

docs/prices.md tells the rule. Ranges are US cents once they leave this module.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from estimator.bom.lines import ASSUMED, TypedAmount
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import MINOR_DIGITS, USD, Rate, amount_text, exact_us_cents, half_up, us_cents
from estimator.catalog.price_choice import BASIS_WORDS, chosen_price
from estimator.catalog.price_records import ANCHORS, BOOK_TITLES, BOOKS, Price, PriceMethod
from estimator.catalog.rack_records import piece_amounts, share_words
from estimator.ranges import Range
from estimator.spec.economics import Economics
from estimator.spec.own.part import is_own as is_own_part
from estimator.spec.price_book import OwnPrice, OwnPrices

_CATALOG_BASIS = BASIS_WORDS | {"list": "listing or list price"}
PIECE, METRE, RACK = "piece", "metre", "rack"
OWN = "own"
COMPARED_KINDS = ("switches", "nics")  # parts whose price depends on the book


class UnitPrice(NamedTuple):
    """Price of one piece, and the rule that set it: ``book`` is OWN or the catalog's book that has it.

    ``own`` is the range in its currency where that is not US dollars; of a price that is put together of several, ``typed`` are
    those in another currency.
    """

    cents: Range[int]
    basis: str
    source: str
    note: str | None
    rule: str
    is_assumed: bool
    currency: str = USD
    own: Range[float] | None = None
    rate: Rate | None = None
    book: str = OWN
    as_of: str | None = None
    typed: tuple[TypedAmount, ...] = ()


class Pricing:
    """Prices of one design's book, its own over the catalog's."""

    def __init__(self, economics: Economics, catalog: Catalog) -> None:
        self._catalog, self._book = catalog, economics.price_book
        self._own = economics.prices
        self._name = self._own.name if self._own else ""
        self._discount = _exact(economics.volume_discount)
        self._rows = _by_part(self._own)
        self._rates = self._own.exchange(catalog) if self._own else None
        self._day = (self._own.day if self._own else "") or catalog.priced_on
        self._region = self._own.region if self._own else None

    def of(self, part: str, quantity: int, length_m: float | None = None) -> UnitPrice | None:
        """The price of one piece where so many are bought, of a length; None where no book has one."""
        own = self._chosen(part, PIECE, quantity, length_m)
        metre = self._chosen(part, METRE, quantity, length_m) if length_m else None
        if own:
            return self._of_own(own, metre, length_m)
        if shared := self._of_own_rack(part, quantity):
            return shared
        listed = self._catalog.price_for(part, self._book, PIECE, quantity, self._region)
        return self._of_catalog(listed, metre, quantity, length_m) if listed else None

    def by_book(self, part: str, quantity: int) -> dict[str, Range[int]]:
        """What a switch or NIC costs in each of the catalog's books, discount taken off; nothing for other parts."""
        if self._catalog.kind_of(part) not in COMPARED_KINDS or is_own_part(part):
            return {}
        found = {book: self._catalog.price_for(part, book, PIECE, quantity, self._region) for book in BOOKS}
        return {
            book: self._discounted(price.cents.each(Fraction)).each(half_up) for book, price in found.items() if price
        }

    def _discounted(self, cents: Range[Fraction]) -> Range[Fraction]:
        return cents * (1 - self._discount)

    def _chosen(self, part: str, per: str, quantity: int, length_m: float | None) -> OwnPrice | None:
        """Those of this very length first, then those of any."""
        rows = self._rows.get((part, per), ())
        for wanted in dict.fromkeys((length_m, None)):
            of_length = [price for price in rows if price.length_m == wanted]
            if found := chosen_price(of_length, quantity, self._region, self._day):
                return found
        return None

    def _of_own(self, price: OwnPrice, metre: OwnPrice | None, length_m: float | None) -> UnitPrice:
        """A piece of your price book: whole, or with the book's own price by the metre where it has one."""
        exact, words = self._exact_cents(price), [_entry_words(price)]
        rates = {price.currency: self._rate(price)}
        minor = price.minor.each(Fraction)
        if metre and length_m:
            exact += self._exact_cents(metre, length_m)
            minor += metre.minor.each(Fraction) * _exact(length_m)
            piece = f", {amount_text(price.typical, USD)}" if price.currency == USD else ""
            words = [f"{words[0]}{piece} + {amount_text(metre.typical, metre.currency)} a metre × {length_m:g} m"]
            rates[metre.currency] = self._rate(metre)
        rates.pop(USD, None)
        words += [_rate_words(rate) for rate in rates.values() if rate]
        is_foreign = price.currency != USD and (metre is None or metre.currency == price.currency)
        scale = 10 ** MINOR_DIGITS[price.currency]
        return UnitPrice(
            cents=exact.each(half_up),
            basis=price.basis,
            source=f"{price.source or self._name}, {price.as_of}",
            note=price.note or None,
            rule=f"Your price book “{self._name}”, {', '.join(words)}",
            as_of=price.as_of,
            is_assumed=price.basis in ASSUMED or bool(metre and metre.basis in ASSUMED),
            currency=price.currency if is_foreign else USD,
            own=minor.each(lambda amount: half_up(amount) / scale) if is_foreign else None,
            rate=rates[price.currency] if is_foreign else None,
            typed=() if is_foreign else self._typed((PIECE, price), (METRE, metre if length_m else None)),
        )

    def _of_own_rack(self, part: str, quantity: int) -> UnitPrice | None:
        """A part of a rack whose price the own book has; the rack's other parts keep prices of their own in the book."""
        rack, of_rack = self._catalog.rack_part(part) or (None, None)
        if rack is None or of_rack is None:
            return None
        n_racks = max(quantity // of_rack.quantity, 1)
        price = self._chosen(rack.id, PIECE, n_racks, None)
        if price is None:
            return None
        own = {
            one.id: tuple(self._in_cents(found))
            for one in rack.parts
            if (found := self._chosen(one.id, PIECE, n_racks * one.quantity, None))
        }
        low, typical, high = (
            piece_amounts(rack.parts, cents, {key: ends[end] for key, ends in own.items()})[part]
            for end, cents in enumerate(self._in_cents(price))
        )
        rate = self._rate(price)
        words = [f"{_entry_words(price)} of a {rack.model} rack", *([_rate_words(rate)] if rate else [])]
        left = ", less what the book has prices for" if own else ""
        return UnitPrice(
            cents=Range(low, typical, high),
            basis=price.basis,
            source=f"{price.source or self._name}, {price.as_of}",
            note=f"{share_words(rack, of_rack).rstrip('.')}{left}.",
            is_assumed=price.basis in ASSUMED,
            rule=f"Your price book “{self._name}”, {', '.join(words)}, shared over its parts",
            typed=self._typed((RACK, price)),
        )

    def _of_catalog(self, price: Price, own_metre: OwnPrice | None, quantity: int, length_m: float | None) -> UnitPrice:
        """A piece of the catalog with its metres, the book's own price by the metre before the catalog's."""
        is_own = is_own_part(price.part_id)
        words = [_part_words(price) if is_own else self._catalog_words(price)]
        cents, bases = price.cents.each(Fraction), {price.basis}
        metre = self._catalog.price_for(price.part_id, self._book, METRE, quantity, self._region) if length_m else None
        if metre and length_m and not own_metre:
            cents += metre.cents.each(Fraction) * _exact(length_m)
            bases.add(metre.basis)
            words.append(f"{_piece_words(price)} + {amount_text(metre.typical_cents, USD)} a metre × {length_m:g} m")
        if self._discount and not is_own:
            cents = self._discounted(cents)
            words.append(f"less {float(self._discount * 100):g}% discount")
        if own_metre and length_m:
            cents += self._exact_cents(own_metre, length_m)
            bases.add(own_metre.basis)
            rate = self._rate(own_metre)
            metre_words = f"{amount_text(own_metre.typical, own_metre.currency)} a metre in your price book"
            words.append(f"{_piece_words(price)} + {metre_words} × {length_m:g} m")
            words += [_rate_words(rate)] if rate else []
        return UnitPrice(
            cents=cents.each(half_up),
            basis=price.basis,
            note=price.note,
            rule=", ".join(words),
            is_assumed=not ASSUMED.isdisjoint(bases),
            source=self._catalog.source_text(price.source, price.as_of),
            book=OWN if is_own else price.book,
            as_of=price.as_of,
            typed=self._typed((METRE, own_metre if length_m else None)),
        )

    def _catalog_words(self, price: Price) -> str:
        """Which planning price or entry of the catalog ruled, with its multiplication."""
        rule = self._catalog.price_rules.get(price.part_id)
        if rule and rule.anchor and price.book == ANCHORS and price.basis == "seed":
            planned = self._catalog.economics[rule.anchor]
            article = "an" if rule.unit[0] in "aeiou" else "a"
            times = f" × {rule.units:,} {rule.unit.split()[-1]}s" if rule.units != 1 else ""
            times += f" + {rule.n_optics} × {rule.optics_part} inside" if rule.n_optics else ""
            ends = f"${planned.low:,.0f} to ${planned.high:,.0f} {article} {rule.unit}"
            text = f"Planning price: {ends}{times}, typical the middle"
        else:
            text = f"{BOOK_TITLES[price.book]} book: {self._seen_words(price)}{_conditions(price)}"
            if rule and not rule.anchor and self._book == ANCHORS:
                text += f" (no planning price: {_lower(rule.note or '').rstrip('.')})"
        return text + (f"; the {BOOK_TITLES[self._book]} book has none" if price.book != self._book else "")

    def _seen_words(self, price: Price) -> str:
        """How a range follows from prices seen; else its basis and date."""
        if not price.rule:
            return f"{_CATALOG_BASIS[price.basis]} of {price.as_of}"
        method = self._catalog.price_methods.get(price.part_id)
        why = f" ({_lower(method.note)})" if method else ""
        sellers = f", {' and '.join(price.channels)}" if price.n_seen else ""
        return f"{self._named(price.rule, method)}{sellers}, newest of {price.as_of}{why}"

    def _named(self, rule: str, method: PriceMethod | None) -> str:
        """A rule with the names of the parts that it takes prices of."""
        for part_id in sorted(method.parts if method else (), key=len, reverse=True):
            found = self._catalog.part(part_id)
            if found is not None:
                rule = rule.replace(part_id, str(getattr(found[1], "model", None) or found[1].description))
        return rule

    def _in_cents(self, price: OwnPrice) -> Range[int]:
        rate = self._rate(price)
        return price.minor.each(lambda amount: us_cents(amount, price.currency, rate))

    def _exact_cents(self, price: OwnPrice, times: float = 1) -> Range[Fraction]:
        """A price × a length, not rounded yet: what is added to it is rounded with it, once."""
        rate, exact = self._rate(price), _exact(times)
        return price.minor.each(lambda amount: exact_us_cents(amount * exact, price.currency, rate))

    def _typed(self, *parts: tuple[str, OwnPrice | None]) -> tuple[TypedAmount, ...]:
        """The prices of one's own that are in another currency, as they were typed."""
        return tuple(
            TypedAmount(per, price.typical / 10 ** MINOR_DIGITS[price.currency], rate)
            for per, price in parts
            if price and price.currency != USD and (rate := self._rate(price))
        )

    def _rate(self, price: OwnPrice) -> Rate | None:
        return self._rates.at(price.currency, price.as_of) if self._rates else None


def _by_part(own: OwnPrices | None) -> Mapping[tuple[str, str], list[OwnPrice]]:
    rows: dict[tuple[str, str], list[OwnPrice]] = {}
    for price in own.prices if own else ():
        rows.setdefault((price.part, price.per), []).append(price)
    return rows


def _entry_words(price: OwnPrice) -> str:
    """``"quotation of 2026-11-02, from 100 pieces, EUR 1,234"``."""
    length = f", {price.length_m:g} m" if price.length_m else ""
    amount = f", {amount_text(price.typical, price.currency)}" if price.currency != USD else ""
    return f"{BASIS_WORDS[price.basis]} of {price.as_of}{length}{_conditions(price)}{amount}"


def _part_words(price: Price) -> str:
    """``"Price of your own part, quotation of 2026-11-02"``."""
    return f"Price of your own part, {BASIS_WORDS[price.basis]} of {price.as_of}"


def _piece_words(price: Price) -> str:
    return amount_text(price.typical_cents, USD)


def _conditions(price: Any) -> str:
    """From how many pieces a price holds, and where."""
    quantity = f", from {price.min_quantity:,} pieces" if price.min_quantity > 1 else ""
    return quantity + (f", for {price.region}" if price.region else "")


def _rate_words(rate: Rate) -> str:
    return f"at {rate.usd:g} USD a {rate.currency} of {rate.as_of}" + (
        " (assumed)" if rate.basis == "assumption" else ""
    )


def _lower(text: str) -> str:
    """A sentence inside another one: "A DPU …" → "a DPU …"."""
    return text[:1].lower() + text[1:]


def _exact(number: float) -> Fraction:
    """A number as it is written: 0.1 is 1/10."""
    return Fraction(str(number))
