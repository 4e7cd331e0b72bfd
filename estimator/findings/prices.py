"""Findings about a design's own prices: entries that do not stand on its day, and exchange rates that are old or assumed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from estimator.bom.lines import BomLine
from estimator.bom.pricing import OWN
from estimator.catalog.currency import Rate
from estimator.catalog.price_choice import is_valid
from estimator.catalog.price_evidence import months_before
from estimator.catalog.price_records import BOOK_TITLES
from estimator.findings.finding import Finding
from estimator.ranges import NOTHING
from estimator.spec.price_book import OwnPrice, OwnPrices
from estimator.units import counted
from estimator.wording import dollars

BOOKS_APART = 1.5
OLD_PRICE_MONTHS = 12
OLD_DAYS = 366  # between a price and the rate that turns it into dollars
_SHOWN = 3
_BOOK_NAMES = {OWN: "your prices"} | {
    book: f"{title} book" for book, title in BOOK_TITLES.items()
}  # as pages call them


def own_price_findings(own: OwnPrices | None, lines: Sequence[BomLine]) -> Iterator[Finding]:
    """What an architect should know of the prices in the request, of parts that are bought."""
    if own is None:
        return
    bought, day = {line.part: line.description for line in lines}, own.day
    over = [price for price in own.prices if price.part in bought and not is_valid(price, day)]
    if over:
        yield _expired(over, day, bought)
    used = [rate for line in lines for rate in (line.price_rate, *(one.rate for one in line.typed)) if rate]
    rates = {(rate.currency, rate.as_of): rate for rate in used}
    dates: dict[str, str] = {}
    for price in own.prices:
        dates[price.currency] = max(price.as_of, dates.get(price.currency, ""))
    for rate in rates.values():
        newest = dates.get(rate.currency, day)
        days = (date.fromisoformat(newest) - date.fromisoformat(rate.as_of)).days
        if rate.basis == "assumption" or days > OLD_DAYS:
            yield _weak_rate(rate, newest, own)


def _expired(prices: Sequence[OwnPrice], day: str, names: Mapping[str | None, str]) -> Finding:
    ended = [_when(price, names[price.part]) for price in prices[:_SHOWN]]
    more = f"; and {len(prices) - _SHOWN:,} more" if len(prices) > _SHOWN else ""
    message = (
        f"{counted(len(prices), 'price')} of your price book {'does' if len(prices) == 1 else 'do'} not hold on {day}, for which "
        f"the design is priced, and {'is' if len(prices) == 1 else 'are'} not used: {'; '.join(ended)}{more}. Request a new "
        "offer, or change the dates in the book."
    )
    return Finding("price_expired", "warning", "economics.prices", message)


def _when(price: OwnPrice, name: str) -> str:
    return f"{name} until {price.valid_to}" if price.valid_to else f"{name} from {price.valid_from}"


def _weak_rate(rate: Rate, newest: str, own: OwnPrices) -> Finding:
    what = "an assumption of the catalog" if rate.basis == "assumption" else f"of {rate.as_of}"
    message = (
        f"Prices in {rate.currency} of up to {newest} are turned into dollars at {rate.usd:g} USD, {what}. Put the rate of the "
        f"day of the price into the exchange rates of “{own.name}”."
    )
    return Finding("exchange_rate_weak", "info", "economics.prices", message)


def book_findings(lines: Sequence[BomLine]) -> Iterator[Finding]:
    """Switches and NICs of which two books, the buyer's own among them, differ by more than BOOKS_APART."""
    found: dict[str, tuple[float, str]] = {}
    for line in lines:
        prices = {book: cents.typical for book, cents in line.book_cents.items() if cents.typical}
        if line.price_book == OWN and line.unit_cents and line.unit_cents.typical:
            prices[OWN] = line.unit_cents.typical
        if len(prices) < 2:
            continue
        low, high = min(prices, key=lambda book: prices[book]), max(prices, key=lambda book: prices[book])
        apart = prices[high] / prices[low]
        if apart > BOOKS_APART:
            ends = " and ".join(f"{dollars(prices[book] / 100)} ({_BOOK_NAMES[book]})" for book in (low, high))
            words = f"{line.description} {ends}, {apart:.1f} ×"
            found[line.description] = apart, words
    if found:
        shown = [words for _, words in sorted(found.values(), reverse=True)[:_SHOWN]]
        more = f"; and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
        parts = counted(len(found), "part")
        message = (
            f"Price books differ by more than {BOOKS_APART:g} × on {parts}: {'; '.join(shown)}{more}. The design takes the "
            "book it names; a quotation settles it."
        )
        yield Finding("price_books_differ", "info", "economics.price_book", message)


def age_findings(lines: Sequence[BomLine], day: str) -> Iterator[Finding]:
    """Parts whose price is OLD_PRICE_MONTHS or more older than the day for which the design is priced."""
    oldest = months_before(day, OLD_PRICE_MONTHS)
    old = {
        line.description: (line, line.price_as_of)
        for line in lines
        if line.price_as_of and f"{line.price_as_of}-12-31"[:10] <= oldest  # a year alone counts as its last day
    }
    if not old:
        return
    weightiest = sorted(old.values(), key=lambda one: -(one[0].extended_cents or NOTHING).typical)
    shown = [f"{line.description} of {as_of}" for line, as_of in weightiest[:_SHOWN]]
    more = f"; and {len(old) - _SHOWN:,} more" if len(old) > _SHOWN else ""
    whose = f"The price of {shown[0]} is" if len(old) == 1 else f"The prices of {len(old):,} parts are"
    which = "" if len(old) == 1 else f": {'; '.join(shown)}{more}"
    message = (
        f"{whose} {OLD_PRICE_MONTHS} months or more old on {day}, for which the design is priced{which}. Request a new quote, "
        "and put it into a book of your own."
    )
    yield Finding("prices_old", "info", "economics.price_book", message)
