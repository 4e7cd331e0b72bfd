"""Findings about a design's own prices: entries that do not stand on its day, and exchange rates that are old or assumed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from estimator.bom_lines import BomLine
from estimator.exchange import Rate
from estimator.finding import Finding
from estimator.own_prices import OwnPrice, OwnPrices
from estimator.price_choice import is_valid
from estimator.units import counted

OLD_DAYS = 366  # between a price and the rate that turns it into dollars
_SHOWN = 3


def own_price_findings(own: OwnPrices | None, lines: Sequence[BomLine]) -> Iterator[Finding]:
    """What an architect should know of the prices in the request, of parts that are bought."""
    if own is None:
        return
    bought, day = {line.part: line.description for line in lines}, own.day
    over = [price for price in own.prices if price.part in bought and not is_valid(price, day)]
    if over:
        yield _expired(over, day, bought)
    rates = {(line.price_rate.currency, line.price_rate.as_of): line.price_rate for line in lines if line.price_rate}
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
        f"{counted(len(prices), 'price')} of the own book {'does' if len(prices) == 1 else 'do'} not hold on {day}, for which "
        f"the design is priced, and {'is' if len(prices) == 1 else 'are'} not used: {'; '.join(ended)}{more}. Ask for a new "
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
