"""What a file rests on: the versions that together fix every number in it."""

import hashlib
import json

from designer.wording.numbers import book_name
from estimator.result import PricedEstimate
from estimator.units import counted


def versions_of(estimate: PricedEstimate) -> list[tuple[str, str, str]]:
    """Each with its name, its value, and what it covers."""
    book = estimate.cost.price_book
    rows = [
        ("Spec", estimate.spec_hash, "Hash of the normalized request: all that was requested, defaults included."),
        ("Model", estimate.versions.model, "Version of the rules and formulas."),
        ("Catalog", estimate.versions.catalog, "Hash of the files of parts, prices, parameters and constants."),
        (
            "Price book",
            f"{book}: {book_name(book)}" if book else "none",
            "Where a price comes from when several are known.",
        ),
    ]
    if prices := estimate.spec.economics.prices:
        reported = f"{prices.name}, {counted(len(prices.prices), 'price')}, {prices.hash}"
        rows.append(("Your prices", reported, "Hash of the prices and exchange rates over the book."))
    if used := estimate.performance.calibration:
        rows.append(("Calibration", f"{used.name}, {used.hash}", "Hash of the constants fitted to logs."))
    if drawn := estimate.cost.uncertainty:
        draws = f"{drawn.draws:,} draws, seed {drawn.seed}"
        rows.append(("Uncertainty", draws, "The same seed draws the same prices."))
    rows.append(("Result", result_hash(estimate), "SHA-256 of all numbers of the estimate, as the API gives them."))
    return rows


def result_hash(estimate: PricedEstimate) -> str:
    """SHA-256 of the estimate's JSON with sorted keys, first 32 digits."""
    text = json.dumps(estimate.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def foot_of(estimate: PricedEstimate) -> str:
    """One line for the foot of a page."""
    versions = estimate.versions
    words = [f"Spec {estimate.spec_hash}", f"model {versions.model}", f"catalog {versions.catalog}"]
    if prices := estimate.spec.economics.prices:
        words.append(f"prices {prices.hash}")
    elif book := estimate.cost.price_book:
        words.append(f"price book {book}")
    return " · ".join(words)
