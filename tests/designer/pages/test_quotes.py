"""Pages of quotes: a file in, its columns, its report filtered and sorted, matches, prices, comparisons, files out."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import Comparison, Design, PriceBook, Quote
from designer.services.designs.saving import save_design
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.finished_design import finished
from tests.estimator.quotes.quote_files import HEADER, SPEC, whole_quote, workbook

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>"
SWITCH = "nvidia-qm9700"


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(SPEC, load_catalog()))


def send(page: Client, design: Design, data: bytes | None = None, file: str = "acme.xlsx", **answers: str) -> Any:
    rows = [["Offer in EUR"], HEADER, *whole_quote(), ["X-1", EVIL, 1, 5, 5], ["", "Freight", 1, 100, 100]]
    sent = SimpleUploadedFile(file, workbook(rows) if data is None else data)
    return page.post(reverse("quote-new"), {"file": sent, "design": str(design.pk)} | answers)


@pytest.fixture
def quote(page: Client, design: Design) -> Quote:
    answer = send(page, design, vendor="ACME & Sons")
    assert answer.status_code == 302, text_of(answer)
    return Quote.objects.get()


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


def shown(client: Client, quote: Quote, **query: str) -> str:
    answer = client.get(reverse("quote", args=[quote.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_known_header_goes_straight_to_the_report(page: Client, design: Design, quote: Quote) -> None:
    words = text_of(page.get(reverse("quote", args=[quote.pk])))
    assert "ACME & Sons, acme.xlsx" in words
    assert design.name in words
    assert "part number A, description B, quantity C, unit price D, extended price E, by its header" in words
    assert "On the same scope" in words
    assert "EUR were turned into dollars at 1.1269" in words
    assert re.search(r"EUR\s[\d,.]+ without \$113 of charges", words)
    assert "Freight, tax, a discount or another charge, not a part" in words


def test_nothing_of_the_file_is_live_on_the_page(page: Client, quote: Quote) -> None:
    body = shown(page, quote)
    assert EVIL not in body
    assert html.escape(EVIL) in body


def test_the_list_says_what_was_found(page: Client, quote: Quote) -> None:
    words = text_of(page.get(reverse("quotes")))
    assert "acme" in words
    assert "remark" in words
    Quote.objects.all().delete()
    assert "No quote yet" in text_of(page.get(reverse("quotes")))


@pytest.mark.parametrize(
    ("data", "answers", "words"),
    [
        (b"%PDF-1.7", {}, "The PDF is damaged"),
        (b"", {}, "The file is empty"),
        (b"x", {"design": ""}, "Choose the design"),
        (None, {"name": "x" * 201}, "1 to 200 printable characters"),
        (None, {"vendor": "x" * 201}, "at most 200 printable characters"),
    ],
)
def test_a_refusal_stands_beside_its_field(page: Client, design: Design, data: Any, answers: Any, words: str) -> None:
    sent = SimpleUploadedFile("q.xlsx", workbook([HEADER, *whole_quote()]) if data is None else data)
    answer = page.post(reverse("quote-new"), {"file": sent, "design": str(design.pk)} | answers)
    assert answer.status_code == 422
    assert words in text_of(answer)
    assert not Quote.objects.exists()


def test_a_form_without_a_file_is_refused(page: Client, design: Design) -> None:
    answer = page.post(reverse("quote-new"), {"design": str(design.pk)})
    assert answer.status_code == 422
    assert "Choose the vendor’s file" in text_of(answer).replace("'", "’")


def test_the_design_is_chosen_where_one_comes_from_it(page: Client, design: Design) -> None:
    body = page.get(reverse("quote-new"), {"design": str(design.pk)}).content.decode()
    assert f'<option value="{design.pk}" selected>' in body


def test_the_bill_leads_to_its_quotes(page: Client, owner: User) -> None:
    design, _ = finished(owner, SPEC)
    body = page.get(reverse("design", args=[design.pk])).content.decode()
    assert f'href="{reverse("quote-new")}?design={design.pk}"' in body
    assert f'href="{reverse("quotes")}"' in body


# ---------------------------------------------------------------- columns

ODD = [["N", "V", "W", "X"], ["MQM9700-NS2F", "a switch of words", "13", "30.000,50"]]


def columns_form(**changes: str) -> dict[str, str]:
    form = {
        "sheet-0-used": "on",
        "sheet-0-header_row": "1",
        "sheet-0-decimal": ",",
        "sheet-0-currency": "CHF",
        "sheet-0-column-0": "part_number",
        "sheet-0-column-1": "description",
        "sheet-0-column-2": "quantity",
        "sheet-0-column-3": "unit_price",
    }
    return form | changes


def test_columns_that_could_not_be_identified_are_asked_for(page: Client, design: Design) -> None:
    answer = send(page, design, workbook(ODD))
    quote = Quote.objects.get()
    address = reverse("quote-columns", args=[quote.pk])
    assert answer["Location"] == address
    assert page.get(reverse("quote", args=[quote.pk]))["Location"] == address
    words = text_of(page.get(address))
    assert "Not all columns could be identified with certainty" in words
    assert "30.000,50" in words
    answer = page.post(address, columns_form(show="1"))
    assert answer.status_code == 200
    assert '<option value="unit_price" selected>' in answer.content.decode()
    quote.refresh_from_db()
    assert quote.result == {}  # showing changes nothing


def test_columns_said_once_serve_the_next_file(page: Client, design: Design) -> None:
    send(page, design, workbook(ODD))
    quote = Quote.objects.get()
    address = reverse("quote-columns", args=[quote.pk])
    page.post(address, columns_form(show="1"))
    answer = page.post(address, columns_form())
    assert answer.status_code == 302, text_of(answer)
    quote.refresh_from_db()
    (line,) = quote.result["lines"]
    assert (line["quantity"], line["unit_price"], line["currency"]) == (13, 30000.5, "CHF")
    answer = send(page, design, workbook([["Second offer"], *ODD]), "second.xlsx")
    assert "/columns/" not in answer["Location"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sheet-0-column-1": "quantity"}, "are both called quantity"),
        ({"sheet-0-column-0": "", "sheet-0-column-1": ""}, "Say at least which column"),
        ({"sheet-0-header_row": "999"}, "the last row"),
        ({"sheet-0-header_row": "x"}, "the last row"),
        ({"sheet-0-used": "off"}, "None of the first"),
    ],
)
def test_columns_that_do_not_do_are_refused(page: Client, quote: Quote, changes: dict[str, str], words: str) -> None:
    answer = page.post(reverse("quote-columns", args=[quote.pk]), columns_form(**{"sheet-0-header_row": "2"} | changes))
    assert answer.status_code == 422
    assert words in text_of(answer)
    assert Quote.objects.get(pk=quote.pk).result == quote.result


# ---------------------------------------------------------------- the report


def numbers_in(body: str) -> list[str]:
    table = body[body.index('<table class="quote-lines">') :]
    return re.findall(r'<th scope="row">([^<]*)', table[: table.index("</table>")])


def test_lines_are_filtered_and_sorted(page: Client, quote: Quote) -> None:
    assert numbers_in(shown(page, quote, status="surplus")) == ["X-1"]
    assert numbers_in(shown(page, quote, q="qm9700")) == ["MQM9700-NS2F"]
    assert numbers_in(shown(page, quote, problem="price_low")) == []
    dear = numbers_in(shown(page, quote, sort="-price"))
    assert dear == numbers_in(shown(page, quote, sort="price"))[::-1]
    assert dear[0] == "DGXH-G640F+P2CMI36"
    assert numbers_in(shown(page, quote, sort="nonsense", page="99")) == numbers_in(shown(page, quote))


def test_a_match_is_changed_and_taken_back(page: Client, quote: Quote) -> None:
    line = next(line for line in quote.result["lines"] if line["items"] == [SWITCH])
    body = shown(page, quote, edit=line["id"])
    assert '<select name="item">' in body
    assert f'value="{SWITCH}"' in body
    address = reverse("quote-match", args=[quote.pk])
    page.post(address, {"line": line["id"], "item": ""})
    quote.refresh_from_db()
    assert quote.matches == {line["id"]: None}
    assert "manual" in text_of(page.get(reverse("quote", args=[quote.pk]))) or quote.result["missing"]
    page.post(address, {"line": line["id"], "item": "auto"})
    quote.refresh_from_db()
    assert quote.matches == {}
    answer = page.post(address, {"line": line["id"], "item": "no-such"}, follow=True)
    assert "Nothing was changed" in text_of(answer)


def test_prices_are_taken_into_a_book(page: Client, quote: Quote) -> None:
    answer = page.post(
        reverse("quote-prices", args=[quote.pk]), {"name": "ACME list", "as_of": "2026-11-02"}, follow=True
    )
    assert "prices were taken into “ACME list”" in text_of(answer)
    book = PriceBook.objects.get()
    page.post(reverse("quote-prices", args=[quote.pk]), {"book": str(book.pk), "as_of": "2026-11-03"})
    assert book.revisions.count() == 2
    answer = page.post(reverse("quote-prices", args=[quote.pk]), {"as_of": "never", "name": "Second list"})
    assert answer.status_code == 422
    assert "No price was taken" in text_of(answer)
    assert 'value="Second list"' in answer.content.decode(), "what was typed stays"


def test_a_quote_is_compared_with_its_design_and_another_quote(page: Client, design: Design, quote: Quote) -> None:
    send(page, design, file="second.xlsx")
    other = Quote.objects.exclude(pk=quote.pk).get()
    answer = page.post(reverse("quote-compare", args=[quote.pk]), {"other": str(other.pk)})
    row = Comparison.objects.get()
    assert answer["Location"] == reverse("comparison", args=[row.pk])
    assert [item["label"] for item in row.result["items"]] == [design.name, "acme", "second"]


def test_the_report_is_made_anew_against_the_newest_revision(
    page: Client, owner: User, design: Design, quote: Quote
) -> None:
    larger = SPEC | {"compute": {"server": "dgx-h100", "nodes": 63}}
    save_design(owner, parse_spec(larger, load_catalog()), design)
    page.post(reverse("quote-refresh", args=[quote.pk]))
    quote.refresh_from_db()
    assert quote.spec["compute"]["nodes"] == 63
    assert quote.result["missing"]


def test_an_earlier_report_says_so(page: Client, quote: Quote) -> None:
    Quote.objects.update(model_version="0.1")
    assert "made with an earlier model" in shown(page, quote)


def test_the_report_is_sent_as_files(page: Client, quote: Quote) -> None:
    address = reverse("quote-export", args=[quote.pk])
    csv_file = page.get(address, {"format": "csv"})
    assert csv_file["Content-Disposition"] == 'attachment; filename="acme-report.csv"'
    report = json.loads(page.get(address, {"format": "json"}).content)
    assert report["quote"]["vendor"] == "ACME & Sons"
    n_rows = sum(len(report[key]) for key in ("lines", "surplus", "missing", "left_out"))
    assert len(csv_file.content.decode().splitlines()) == n_rows + 1
    assert page.get(address, {"format": "exe"}).status_code == 404


def test_a_quote_is_deleted_after_a_question(page: Client, quote: Quote) -> None:
    address = reverse("quote-delete", args=[quote.pk])
    assert "Delete “acme”?" in text_of(page.get(address))
    page.post(address)
    assert not Quote.objects.exists()


def test_quotes_of_others_are_not_there(quote: Quote) -> None:
    stranger = Client()
    stranger.force_login(User.objects.create_user("other"))
    for name in ("quote", "quote-columns", "quote-export", "quote-delete"):
        assert stranger.get(reverse(name, args=[quote.pk])).status_code == 404
    for name in ("quote-match", "quote-refresh", "quote-prices", "quote-compare"):
        assert stranger.post(reverse(name, args=[quote.pk])).status_code == 404
    assert Client().get(reverse("quotes")).status_code == 302


def test_a_discount_without_an_amount_is_taken_off_by_choice(page: Client, design: Design) -> None:
    """With the amount named before, in words at each line and price after, and kept when columns are said anew."""
    data = b"Part number;Description;Qty;Unit price USD;Total\nMQM9700-NS2F;Switch;2;30000;60000\n;Project discount 10%;;;\n"
    assert send(page, design, data, "acme.csv").status_code == 302
    quote = Quote.objects.get()
    assert "Take 10% off every price $6,000 less" in text_of(page.get(reverse("quote", args=[quote.pk])))
    page.post(reverse("quote-discount", args=[quote.pk]), {"percent": "10", "sheet": ""})
    quote.refresh_from_db()
    assert quote.result["totals"]["quote_usd"] == 54_000
    words = text_of(page.get(reverse("quote", args=[quote.pk])))
    assert "10% discount is taken off 30,000.00 USD apiece" in words
    assert "Without the 10% discount" in words
    page.post(reverse("quote-prices", args=[quote.pk]), {"name": "Taken", "as_of": "2026-11-02"})
    (price,) = PriceBook.objects.get(name="Taken").contents().prices
    assert (price.typical, price.note) == (
        2_700_000,
        "Row 2: MQM9700-NS2F; 10% discount is taken off 30,000.00 USD apiece.",
    )
    form = page.get(reverse("quote-columns", args=[quote.pk])).content.decode()
    assert 'name="sheet-0-discount" value="10"' in form
    page.post(reverse("quote-discount", args=[quote.pk]), {"percent": "", "sheet": ""})
    quote.refresh_from_db()
    assert quote.result["totals"]["quote_usd"] == 60_000
    page.post(reverse("quote-discount", args=[quote.pk]), {"percent": "100", "sheet": ""})
    quote.refresh_from_db()
    assert quote.result["totals"]["quote_usd"] == 60_000


GERMAN = (
    b"Alle Preise in EUR;;;;\nArtikelnummer;Bezeichnung;Menge;Einzelpreis;Gesamtpreis\n"
    b"MQM9700-NS2F;Switch;27;31.250,75;843.770,25\nMMA4Z00-NS;Transceiver;788;799,90;630.321,20\n"
)
DISCOUNTED = (
    b"Part number;Description;Qty;Unit price USD\nMMA4Z00-NS;Transceiver;792;1050.50\n;Project discount 18.5%;;\n"
)


@pytest.mark.parametrize(
    ("data", "percent", "currency", "unit", "line"),
    [
        (GERMAN, "", "EUR", "€799.90", "€630,321"),  # by whole cents of a dollar a piece it was €799.902
        (GERMAN, "", "USD", "$901.407", "$710,309"),  # 788 × $901.41 are $710,311
        (DISCOUNTED, "18.5", "USD", "$856.158", "$678,077"),  # 792 × $856.16 are $678,079
    ],
)
def test_a_unit_price_times_its_quantity_is_the_price_beside_it(
    page: Client, design: Design, data: bytes, percent: str, currency: str, unit: str, line: str
) -> None:
    """In the reader's currency, whatever the vendor's: a piece may cost parts of a cent there."""
    send(page, design, data, "acme.csv")
    quote = Quote.objects.get()
    page.post(reverse("quote-discount", args=[quote.pk]), {"percent": percent, "sheet": ""})
    page.post(reverse("account"), {"currency": currency, "bandwidth": "bytes", "length": "m"})
    words = text_of(page.get(reverse("quote", args=[quote.pk])))
    row = words[words.index("MMA4Z00-NS", words.index("Lines of the quote with")) :]
    assert {unit, line} <= set(row.split())


def test_a_unit_price_that_contradicts_its_row_is_as_the_row_says(page: Client, design: Design) -> None:
    data = b"Part number;Description;Qty;Unit price USD;Total\nMQM9700-NS2F;Switch;2;30000.25;70000\n"
    send(page, design, data, "acme.csv")
    page.post(reverse("account"), {"currency": "EUR", "bandwidth": "bytes", "length": "m"})
    words = text_of(page.get(reverse("quote", args=[Quote.objects.get().pk])))
    assert "2 €26,622 book" in words.replace("2 needed", ""), words[words.index("Lines of the quote with") :][:900]
    assert "2 × the unit price is €53,243.85, and the row says €62,117.31." in words


def test_the_middle_of_several_prices_is_rounded_half_up(page: Client, design: Design) -> None:
    rows = "MQM9700-NS2F;Leaf;6;300.00;1800\nMQM9700-NS2F;Spine;6;300.01;1800.06\n"
    send(page, design, f"Part number;Description;Qty;Unit price USD;Total\n{rows}".encode(), "acme.csv")
    page.post(reverse("quote-prices", args=[Quote.objects.get().pk]), {"name": "Taken", "as_of": "2026-11-02"})
    (price,) = PriceBook.objects.get(name="Taken").contents().prices
    assert (price.low, price.typical, price.high) == (30_000, 30_001, 30_001)
