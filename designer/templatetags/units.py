"""Filters that print raw numbers with their units: each is the function of its name in ``wording/numbers.py``."""

from django import template

from designer.wording import numbers
from designer.wording.findings import sentence
from designer.wording.headlines import limit_name
from designer.wording.phases import first_labels

register = template.Library()

for printer in (
    numbers.count,
    numbers.gbit_s,
    numbers.gb_s,
    numbers.predicted,
    numbers.printed,
    numbers.metres,
    numbers.watts,
    numbers.usd,
    numbers.usd_small,
    numbers.usd_small_range,
    numbers.error,
    numbers.off_by,
    numbers.change,
    numbers.change_usd,
    numbers.change_number,
    numbers.change_share,
    numbers.usd_exact,
    numbers.usd_unit,
    numbers.usd_range,
    numbers.usd_span,
    numbers.usd_small_span,
    numbers.money,
    numbers.typed_price,
    numbers.usd_exact_range,
    numbers.usd_exact_span,
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


register.simple_tag(numbers.currency_words, name="currency_name")
register.simple_tag(numbers.units_note)
register.filter(sentence)
register.filter(limit_name)
register.filter(first_labels)
