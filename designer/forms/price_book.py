"""Forms of price books: one price, the exchange rates, name and base, a file. What was typed stays, with problems beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from designer.wording.names import part_labels
from estimator.bom.price_file import COLUMNS, Defaults
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import CURRENCIES, MINOR_DIGITS, USD
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_choice import BASIS_WORDS
from estimator.catalog.price_records import BOOK_TITLES, BOOKS
from estimator.errors import Problem
from estimator.spec.price_book import BASES as PRICE_BASES
from estimator.spec.price_book import MAX_RATES, MAX_REGION, MAX_TEXT
from estimator.tables.numbers import parse_number
from estimator.units import is_whole_number

LABELS = {
    "part": "Part",
    "per": "Per",
    "low": "Low",
    "typical": "Typical",
    "high": "High",
    "currency": "Currency",
    "basis": "Basis",
    "as_of": "Date",
    "source": "Source",
    "region": "Region",
    "min_quantity": "From quantity",
    "length_m": "Length",
    "valid_from": "Valid from",
    "valid_to": "Valid to",
    "note": "Note",
}
HELP = {
    "part": "Id or part number of the catalog.",
    "low": "Blank: as typical.",
    "typical": "The price that is used.",
    "high": "Blank: as typical.",
    "as_of": "Day of the price.",
    "source": "Offer’s number, page, name.",
    "region": "Blank: anywhere.",
    "min_quantity": "Pieces from which it holds.",
    "length_m": "Of a cable, if the price is of one length.",
}
MORE = ("region", "min_quantity", "length_m", "valid_from", "valid_to", "note")
CHOICES: Mapping[str, list[tuple[str, str]]] = {
    "per": [("piece", "piece"), ("metre", "metre")],
    "currency": [(code, code) for code in CURRENCIES],
    "basis": [(basis, BASIS_WORDS[basis].capitalize()) for basis in PRICE_BASES],
}
KINDS = {"as_of": "date", "valid_from": "date", "valid_to": "date"}
UNITS = {"length_m": "m"}
RATE_FIELDS = ("currency", "usd", "as_of", "source")
SPARE_RATES = 3  # empty rows under those that are there
BASE_CHOICES = [(base, BOOK_TITLES[base]) for base in BOOKS]


def today() -> str:
    """The day as a form prints it."""
    return timezone.localdate().isoformat()


def defaults() -> Defaults:
    """What holds where a form or a file leaves something out."""
    return Defaults(as_of=today())


def texts_of(price: Mapping[str, Any]) -> dict[str, str]:
    """An entry as the form prints it: amounts in whole units of the currency, one price alone as the typical."""
    digits = MINOR_DIGITS[price["currency"]]
    texts = {name: "" if price.get(name) is None else str(price[name]) for name in COLUMNS}
    texts |= {name: f"{price[name] / 10**digits:,.{digits}f}" for name in ("low", "typical", "high")}
    if texts["low"] == texts["typical"] == texts["high"]:
        texts |= {"low": "", "high": ""}
    return texts | {"length_m": f"{price['length_m']:g}" if price.get("length_m") else ""}


def typed_price(posted: Mapping[str, str]) -> dict[str, str]:
    """What was typed for one price."""
    return {name: posted.get(name, "").strip()[: MAX_TEXT + 1] for name in COLUMNS}


def price_fields(texts: Mapping[str, str], problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """The fields of one price for the template, with what is wrong beside each."""
    beside = messages_by_field(problems)
    fields = [_field(name, texts, beside) for name in COLUMNS]
    return {
        "fields": [field for field in fields if field["name"] not in MORE],
        "more_fields": [field for field in fields if field["name"] in MORE],
        "is_more_open": any(
            (field["value"] and field["value"] != "1") or field["messages"] for field in fields if field["name"] in MORE
        ),
        "other_messages": [text for name, several in beside.items() if name not in COLUMNS for text in several],
    }


def _field(name: str, texts: Mapping[str, str], beside: Mapping[str, list[str]]) -> dict[str, Any]:
    return {
        "name": name,
        "label": LABELS[name],
        "value": texts.get(name, ""),
        "help": HELP.get(name, ""),
        "choices": CHOICES.get(name),
        "messages": beside.get(name, []),
        "kind": KINDS.get(name, "text"),
        "unit": UNITS.get(name, ""),
        "is_amount": name in ("low", "typical", "high"),
        "is_part": name == "part",
    }


def blank_price() -> dict[str, str]:
    """A new price before anything is typed."""
    return {"per": "piece", "currency": USD, "basis": "quote", "as_of": today(), "min_quantity": "1"}


def part_options(catalog: Catalog) -> list[tuple[str, str]]:
    """Ids and names of parts, for the list that a browser offers while one types."""
    return [(part_id, label) for part_id, (_, label, _) in part_labels(catalog.version).items()]


def messages_by_field(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """What is wrong, by the field it is about."""
    out: dict[str, list[str]] = {}
    for problem in problems:
        out.setdefault(problem.field, []).append(problem.message)
    return out


# ---------------------------------------------------------------- exchange rates


def rate_texts(rates: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """A book's rates as the form prints them, and some empty rows."""
    rows = [
        {"currency": rate["currency"], "usd": f"{rate['usd']:g}", "as_of": rate["as_of"], "source": rate["source"]}
        for rate in rates
    ]
    spare = max(0, min(SPARE_RATES, MAX_RATES - len(rows)))
    return rows + [dict.fromkeys(RATE_FIELDS, "") for _ in range(spare)]


def typed_rates(posted: Any) -> list[dict[str, str]]:
    """Rows of the form of rates; those without a currency and a figure are none."""
    columns = {name: posted.getlist(f"rate_{name}")[: MAX_RATES + SPARE_RATES] for name in RATE_FIELDS}
    n_rows = max((len(values) for values in columns.values()), default=0)
    return [
        {name: (values[row] if row < len(values) else "").strip()[: MAX_TEXT + 1] for name, values in columns.items()}
        for row in range(n_rows)
    ]


def rates_of(rows: Iterable[Mapping[str, str]]) -> tuple[list[dict[str, Any]], list[int]]:
    """Rates of the rows in which anything stands, and the places of those rows in the form."""
    rates, places = [], []
    for place, row in enumerate(rows):
        if row["currency"] or row["usd"]:
            usd = parse_number(row["usd"])
            rates.append(
                {
                    "currency": row["currency"].upper(),
                    "usd": float(usd) if usd is not None else row["usd"],
                    "as_of": row["as_of"] or today(),
                    "source": row["source"],
                }
            )
            places.append(place)
    return rates, places


def rate_messages(problems: Iterable[Problem], places: list[int]) -> dict[int, str]:
    """What is wrong with a row of the form of rates, by its place; -1 for all of them."""
    out: dict[int, list[str]] = {}
    for problem in problems:
        head = problem.field.partition("rates[")[2].partition("]")[0]
        place = places[int(head)] if is_whole_number(head, 6) and int(head) < len(places) else -1
        out.setdefault(place, []).append(problem.message)
    return {place: " ".join(messages) for place, messages in out.items()}


def page_constants() -> dict[str, Any]:
    """What the templates of a book need beside its rows."""
    catalog = load_catalog()
    return {
        "part_options": part_options(catalog),
        "base_choices": BASE_CHOICES,
        "max_region": MAX_REGION,
        "basis_choices": CHOICES["basis"],
        "currencies": CURRENCIES,
    }
