"""What a file rests on: the versions that together fix every number in it."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from designer.wording.numbers import book_name
from estimator.spec.price_book import OwnPrices
from estimator.units import counted

Json = Mapping[str, Any]


def versions_of(estimate: Json) -> list[tuple[str, str, str]]:
    """Each with its name, its value, and what it covers."""
    cost, performance = estimate["cost"], estimate["performance"]
    rows = [
        ("Spec", estimate["spec_hash"], "Hash of the normalized request: all that was requested, defaults included."),
        ("Model", estimate["versions"]["model"], "Version of the rules and formulas."),
        ("Catalog", estimate["versions"]["catalog"], "Hash of the files of parts, prices, parameters and constants."),
        ("Price book", _book(estimate), "Where a price comes from when several are known."),
    ]
    if prices := own_prices(estimate):
        reported = f"{prices['name']}, {counted(prices['n_prices'], 'price')}, {prices['hash']}"
        rows.append(("Your prices", reported, "Hash of the prices and exchange rates over the book."))
    if calibration := performance.get("calibration"):
        rows.append(
            ("Calibration", f"{calibration['name']}, {calibration['hash']}", "Hash of the constants fitted to logs.")
        )
    if uncertainty := cost.get("uncertainty"):
        draws = f"{uncertainty['draws']:,} draws, seed {uncertainty['seed']}"
        rows.append(("Uncertainty", draws, "The same seed draws the same prices."))
    rows.append(("Result", result_hash(estimate), "SHA-256 of all numbers of the estimate, as the API gives them."))
    return rows


def own_prices(estimate: Json) -> dict[str, Any] | None:
    """Name, hash and number of the own prices that a design carries; None where it carries none."""
    prices = estimate["spec"].get("economics", {}).get("prices")
    return OwnPrices.model_validate(prices).provenance() if prices else None


def _book(estimate: Json) -> str:
    name = estimate["cost"].get("price_book")
    return f"{name}: {book_name(name)}" if name else "none"


def result_hash(estimate: Json) -> str:
    """SHA-256 of the estimate's JSON with sorted keys, first 32 digits."""
    text = json.dumps(estimate, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def foot_of(estimate: Json) -> str:
    """One line for the foot of a page."""
    versions = estimate["versions"]
    words = [f"Spec {estimate['spec_hash']}", f"model {versions['model']}", f"catalog {versions['catalog']}"]
    if prices := own_prices(estimate):
        words.append(f"prices {prices['hash']}")
    elif book := estimate["cost"].get("price_book"):
        words.append(f"price book {book}")
    return " · ".join(words)


def in_words(made: datetime) -> str:
    """A date as a report prints it: "28 November 2026, 05:00 UTC"."""
    utc = made.astimezone(UTC) if made.tzinfo else made
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"
