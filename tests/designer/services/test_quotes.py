"""Quotes kept: what is read, remembered, matched by hand, taken into books and given to comparisons."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.models import PriceBook, Quote, QuoteColumns
from designer.services.quotes import (
    MAX_QUOTES,
    TooManyQuotes,
    create_quote,
    offer_of,
    price_entries,
    recompute,
    set_columns,
    set_matches,
    take_into_book,
)
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.errors import SpecError
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.estimator.quotes.quote_files import HEADER, SPEC, whole_quote, workbook

pytestmark = pytest.mark.django_db
SWITCH, SWITCH_NUMBER = "nvidia-qm9700", "MQM9700-NS2F"


@pytest.fixture
def spec() -> DesignSpec:
    return parse_spec(SPEC, load_catalog())


def data_of(*more: list[Any]) -> bytes:
    return workbook([["Prices in EUR"], HEADER, *whole_quote(), *more])


@pytest.fixture
def quote(owner: User, spec: DesignSpec) -> Quote:
    return create_quote(owner, spec, data_of(), "acme 118.xlsx", vendor="ACME")


def line_of(quote: Quote, key: str) -> dict[str, Any]:
    return next(line for line in quote.result["lines"] if line["items"] == [key])


def test_a_quote_is_kept_with_its_report(quote: Quote) -> None:
    quote.refresh_from_db()
    assert (quote.name, quote.vendor, quote.file_name) == ("acme 118", "ACME", "acme 118.xlsx")
    assert quote.result["missing"] == []
    assert quote.reading["is_confirmed"]
    again = Quote.objects.get(pk=quote.pk)
    recompute(again)
    assert again.result == quote.result  # all that it rests on is kept


def test_names_and_vendors_are_checked(owner: User, spec: DesignSpec) -> None:
    for name, vendor in (("a" * 201, ""), ("ok", "b" * 201), ("ok", "a\nb")):
        with pytest.raises(SpecError):
            create_quote(owner, spec, data_of(), "q.xlsx", name, vendor)
    odd = create_quote(owner, spec, data_of(), "a\x00b\n.xlsx")
    assert odd.file_name.isprintable()


def test_an_owner_has_so_many_quotes_at_most(owner: User, spec: DesignSpec, quote: Quote) -> None:
    Quote.objects.bulk_create(
        [
            Quote(
                owner=owner,
                name="x",
                file_name="x",
                file_sha256="0",
                spec={},
                reading={},
                result={},
                model_version="1",
                catalog_version="1",
            )
            for _ in range(MAX_QUOTES - 1)
        ]
    )
    with pytest.raises(TooManyQuotes):
        create_quote(owner, spec, data_of(), "q.xlsx")


ODD: list[list[Any]] = [["N", "V", "W", "X"], ["MQM9700-NS2F", "Switch", 13, 30000]]


def test_columns_that_are_not_known_are_asked_for_once_and_then_remembered(owner: User, spec: DesignSpec) -> None:
    with pytest.raises(SpecError):
        create_quote(owner, spec, workbook(ODD), "q.xlsx")
    asked = create_quote(owner, spec, workbook(ODD), "q.xlsx", may_ask=True)
    assert not asked.reading["is_confirmed"]
    fields = {"part_number": "N", "description": "V", "quantity": "W", "unit_price": "X"}
    set_columns(asked, {"header_row": 1, "fields": fields, "currency": "CHF"})
    assert line_of(asked, SWITCH)["currency"] == "CHF"
    assert QuoteColumns.objects.filter(owner=owner).count() == 1
    again = create_quote(owner, spec, workbook([["Offer 2"], [], *ODD]), "q2.xlsx")
    assert again.reading["is_confirmed"]
    assert again.reading["columns"][0]["how"] == "remembered"
    assert line_of(again, SWITCH)["currency"] == "CHF"


def test_what_one_owner_said_is_not_known_to_another(owner: User, spec: DesignSpec) -> None:
    create_quote(
        owner, spec, workbook(ODD), "q.xlsx", columns={"header_row": 1, "fields": {"part_number": 0, "quantity": 2}}
    )
    other = User.objects.create_user("other")
    with pytest.raises(SpecError):
        create_quote(other, spec, workbook(ODD), "q.xlsx")


def test_wrong_columns_change_nothing(quote: Quote) -> None:
    before = Quote.objects.get(pk=quote.pk)
    with pytest.raises(SpecError):
        set_columns(quote, {"fields": {"quantity": "ZZ"}})
    assert Quote.objects.get(pk=quote.pk).result == before.result


def test_matches_by_hand_are_kept_and_taken_back(quote: Quote) -> None:
    line = line_of(quote, SWITCH)["id"]
    set_matches(quote, {line: None})
    quote.refresh_from_db()
    assert quote.matches == {line: None}
    assert [row["id"] for row in quote.result["surplus"]] == [line]
    set_matches(quote, {line: "auto"})
    assert quote.matches == {}
    assert line_of(quote, SWITCH)["id"] == line


@pytest.mark.parametrize(("change", "code"), [({"9:9": None}, "no_such_line"), ({"0:3": "no-part"}, "no_such_item")])
def test_matches_of_nothing_are_refused(quote: Quote, change: dict[str, Any], code: str) -> None:
    with pytest.raises(SpecError) as caught:
        set_matches(quote, change)
    assert caught.value.problems[0].code == code


# ---------------------------------------------------------------- prices and comparisons


def test_prices_are_taken_with_their_provenance(quote: Quote) -> None:
    book, n_prices, skipped = take_into_book(quote, None, "", "2026-11-02")
    latest = PriceBook.objects.get(pk=book.pk).latest
    assert (book.name, n_prices, skipped) == ("ACME", len(latest.prices), 1)  # the rack is no part of the catalog
    price = next(price for price in latest.prices if price["part"] == SWITCH)
    assert (price["typical"], price["currency"], price["basis"], price["as_of"]) == (
        3_464_800,
        "EUR",
        "quote",
        "2026-11-02",
    )
    assert price["source"] == "ACME: acme 118.xlsx"
    assert "MQM9700-NS2F" in price["note"]
    assert "acme 118" in latest.reason
    fibre = next(price for price in latest.prices if price["part"] == "fib-mfp7e10")
    assert fibre["length_m"] == 30


def test_prices_taken_twice_stand_once(quote: Quote) -> None:
    book, n_prices, _ = take_into_book(quote, None, "Book", "2026-11-02")
    take_into_book(quote, book, "", "2026-11-03")
    assert len(book.latest.prices) == n_prices
    assert {price["as_of"] for price in book.latest.prices} == {"2026-11-03"}


def test_several_lines_of_a_part_give_a_range(owner: User, spec: DesignSpec) -> None:
    rows = [["MQM9700-NS2F", "Switch", 3, 20000, 60000], ["MQM9700-NS2F", "Switch", 1, 24000, 24000]]
    quote = create_quote(owner, spec, workbook([HEADER, *rows]), "q.xlsx")
    (entry,), _ = price_entries(quote, "2026-11-02")
    assert (entry["low"], entry["typical"], entry["high"]) == (2_000_000, 2_100_000, 2_400_000)


def test_a_look_alike_changes_no_price_of_the_book(owner: User, spec: DesignSpec) -> None:
    """Air the other way gives none, a longer fibre its own length's, and a pack a tenth of what stands in its row."""
    rows = [
        [SWITCH_NUMBER, "Switch", 13, 32_000, 416_000],
        ["MQM9700-NS2R", "Switch", 2, 10_000, 20_000],
        ["MFP7E10-N050", "Fibre 50 m, pack of 10", 53, 2_000, 106_000],
        ["MSN3700-VS2FC", "Spectrum-2 200GbE switch", 4, 5_000, 20_000],
    ]
    quote = create_quote(owner, spec, workbook([HEADER, *rows]), "q.xlsx")
    book, _, _ = take_into_book(quote, None, "Book", "2026-11-02")
    found = {(price["part"], price["length_m"]): price["typical"] for price in book.latest.prices}
    assert found == {(SWITCH, None): 3_200_000, ("fib-mfp7e10", 50): 20_000}
    switch = next(price for price in book.latest.prices if price["part"] == SWITCH)
    assert switch["low"] == switch["high"] == 3_200_000


def test_wrong_parts_give_no_price(owner: User, spec: DesignSpec) -> None:
    rows = [["MMS4X00-NS", "2xDR4", 396, 900, 396 * 900], ["SUP-1", "Support, 3 years", 1, 5, 5]]
    quote = create_quote(owner, spec, workbook([HEADER, *rows]), "q.xlsx")
    with pytest.raises(SpecError) as caught:
        take_into_book(quote, None, "Book")
    assert caught.value.problems[0].code == "nothing_to_take"


def test_a_day_that_is_none_is_refused(quote: Quote) -> None:
    with pytest.raises(SpecError) as caught:
        take_into_book(quote, None, "Book", "2026-13-01")
    assert caught.value.problems[0].code == "not_a_date"


def test_a_quote_is_a_side_of_a_comparison(quote: Quote) -> None:
    result = compare_request({"items": [{"spec": SPEC}, offer_of(quote)]}, load_catalog()).as_json()
    assert [item["label"] for item in result["items"]] == ["One scalable unit", "acme 118"]
    assert {line["part"] for line in offer_of(quote)["offer"]["lines"]} >= {SWITCH, "nv-mma4z00-ns", "fib-mfp7e10"}
