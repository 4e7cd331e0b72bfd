"""Filters that print raw numbers with their units: each is the function of its name in ``wording/numbers.py``."""

from django import template

from designer.wording import numbers
from designer.wording.numbers import USUAL, chosen
from estimator.catalog.currency import USD

register = template.Library()

for printer in (
    numbers.count,
    numbers.gbit_s,
    numbers.gb_s,
    numbers.metres,
    numbers.watts,
    numbers.usd,
    numbers.usd_small,
    numbers.usd_small_range,
    numbers.error,
    numbers.change,
    numbers.change_usd,
    numbers.change_number,
    numbers.change_share,
    numbers.usd_exact,
    numbers.usd_range,
    numbers.money,
    numbers.usd_exact_range,
    numbers.percent,
    numbers.kilowatt_hours,
    numbers.in_unit,
    numbers.unit_name,
    numbers.ratio_to_one,
    numbers.message_size,
    numbers.duration_us,
    numbers.decimal,
    numbers.computed,
    numbers.words,
    numbers.short_hash,
    numbers.generation_name,
    numbers.basis_name,
    numbers.medium_name,
    numbers.book_name,
    numbers.category_name,
    numbers.traffic_words,
    numbers.is_assumption,
):
    register.filter(printer.__name__, printer)


@register.simple_tag
def currency_name() -> str:
    """What amounts of the page are in, as the head of a table says it."""
    now = chosen().currency
    return "US dollars" if now == USD else now


@register.simple_tag
def units_note() -> str:
    """What the reader of a page chose, for its foot: the rate with its source and date; nothing where all is usual."""
    now = chosen()
    if now == USUAL:
        return ""
    rate = now.rate
    money = f"{rate.currency} at {numbers.significant(rate.usd, 6)} USD, {rate.as_of}, {rate.source}" if rate else ""
    units = ["Gb/s" if now.in_bits else "", "ft" if now.in_feet else ""]
    return ", ".join(part for part in (money, *units) if part)
