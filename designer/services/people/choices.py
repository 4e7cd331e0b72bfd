"""The currency and units that a user has chosen for pages. Rates are the catalog's, the newest of each currency."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from django.contrib.auth.models import User

from designer.models import AccountChoices
from designer.wording.numbers import USUAL, Chosen
from estimator.catalog.currency import USD, Rate, Rates
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError


def rates() -> dict[str, Rate]:
    """The newest rate of each currency that the catalog has one of."""
    return _rates(load_catalog().version)


@lru_cache(maxsize=2)
def _rates(catalog_version: str) -> dict[str, Rate]:
    known = load_catalog().exchange_rates
    newest = Rates(known)
    found = {rate.currency: newest.at(rate.currency, date.max.isoformat()) for rate in known}
    return {currency: rate for currency, rate in sorted(found.items()) if rate and currency != USD}


def row_of(user: User) -> AccountChoices:
    """What a user chose, as it is kept; what is usual where nothing was chosen yet."""
    return AccountChoices.objects.filter(user=user).first() or AccountChoices(user=user)


def chosen_by(user: User) -> Chosen:
    """What a user chose. A currency whose rate is gone from the catalog reads as US dollars."""
    row = AccountChoices.objects.filter(user=user).first()
    if row is None:
        return USUAL
    in_bits, in_feet = row.bandwidth == AccountChoices.Bandwidth.BITS, row.length == AccountChoices.Length.FEET
    return Chosen(rates().get(row.currency), in_bits, in_feet)


def choose(user: User, currency: str, bandwidth: str, length: str) -> AccountChoices:
    """Keep what a user chooses.

    Raises
    ------
    SpecError
        For a currency without a rate and a unit that there is not.
    """
    allowed = {
        "currency": (currency, [USD, *rates()]),
        "bandwidth": (bandwidth, AccountChoices.Bandwidth.values),
        "length": (length, AccountChoices.Length.values),
    }
    problems = [
        Problem(
            field, "not_a_choice", f"The {field} {value[:20]!r} is not offered: choose one of {', '.join(offered)}."
        )
        for field, (value, offered) in allowed.items()
        if value not in offered
    ]
    if problems:
        raise SpecError(problems)
    values = {field: value for field, (value, _) in allowed.items()}
    row, _ = AccountChoices.objects.update_or_create(user=user, defaults=values)
    return row
