"""Pages of price books: made, edited, imported, restored; designs take them and are told when they have changed."""

import html
import io
import json
import re
import zipfile
from typing import Any

import pytest
import xlsxwriter
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.forms.books import KEPT, OWN
from designer.forms.design import DesignForm
from designer.models import Design, PriceBook
from designer.services.designs.saving import save_design
from designer.services.prices.books import MAX_BOOKS, create_book, revise_book, take_prices
from estimator.bom.price_file import COLUMNS
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.spec.parse import parse_spec
from estimator.spec.price_book import MAX_PRICES
from tests.designer.finished_design import finished

SPEC = {"name": "Hall 4", "compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}}
EVIL = "<img src=x onerror=alert(1)>"


def entry(part: str = "nvidia-qm9700", usd: int = 31_000, **values: Any) -> dict[str, Any]:
    minor = usd * 100
    known = {"part": part, "low": minor, "typical": minor, "high": minor, "basis": "quote", "as_of": "2026-11-02"}
    return known | {"source": "Offer 7"} | values


@pytest.fixture
def book(owner: User) -> PriceBook:
    return create_book(owner, "Vendor A", [entry(), entry("nv-mma4z00-ns", 700)])


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(SPEC, load_catalog()))


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def post(page: Client, to: str, book: PriceBook, **values: Any) -> Any:
    return page.post(reverse(to, args=[book.pk]), values)


def typed(book: PriceBook, **values: Any) -> dict[str, Any]:
    """What the form of a new price sends."""
    blank = dict.fromkeys(COLUMNS, "")
    known = {"per": "piece", "currency": "USD", "basis": "list", "as_of": "2026-11-20", "index": "new", "here": ""}
    return blank | known | {"number": book.latest.number} | values


# ---------------------------------------------------------------- services


def test_a_revision_is_added_for_every_change_and_for_no_other(book: PriceBook) -> None:
    same = revise_book(book, "Nothing", book.latest.prices)
    assert same.number == 1
    changed = revise_book(book, "Cheaper", [entry(usd=30_000)])
    assert (changed.number, changed.reason, len(changed.prices)) == (2, "Cheaper", 1)
    assert [one.number for one in book.revisions.all()] == [1, 2]
    assert book.revisions.get(number=1).prices[0]["typical"] == 3_100_000


def test_prices_of_a_quote_go_into_a_book_with_their_provenance(owner: User, book: PriceBook) -> None:
    """The same part, basis, source, region, quantity, length and first day is one price: the newer figure takes its place."""
    took = take_prices(
        book, owner, "", [entry(usd=29_500, as_of="2026-11-25"), entry(usd=30_900, source="Offer 8")], "Offer 8"
    )
    assert took == book
    prices = {(one["part"], one["source"]): one["typical"] for one in book.latest.prices}
    assert prices == {
        ("nvidia-qm9700", "Offer 7"): 2_950_000,
        ("nvidia-qm9700", "Offer 8"): 3_090_000,
        ("nv-mma4z00-ns", "Offer 7"): 70_000,
    }
    made = take_prices(None, owner, "Vendor B", [entry(), entry()], "Quote q.xlsx")
    assert (made.name, made.latest.reason, len(made.latest.prices)) == ("Vendor B", "Quote q.xlsx", 1)
    with pytest.raises(SpecError) as refused:
        take_prices(None, owner, "Vendor C", [entry(), entry(usd=1)], "Quote")
    assert [problem.code for problem in refused.value.problems] == ["price_twice"]
    assert not owner.price_books.filter(name="Vendor C").exists()


def test_an_owner_has_a_bounded_number_of_books(owner: User) -> None:
    PriceBook.objects.bulk_create(PriceBook(owner=owner, name=f"Book {n}") for n in range(MAX_BOOKS))
    with pytest.raises(SpecError) as refused:
        create_book(owner, "One more")
    assert [problem.code for problem in refused.value.problems] == ["too_many_price_books"]


# ---------------------------------------------------------------- list and catalog


def test_the_list_has_the_catalogs_books_and_ones_own(page: Client, book: PriceBook) -> None:
    text = text_of(page.get(reverse("price-books")))
    for words in ("Vendor A", "Anchors", "Street", book.latest.reason, "revision 1"):
        assert words in text


def test_a_strangers_book_is_not_there(page: Client, django_user_model: Any) -> None:
    other = create_book(django_user_model.objects.create_user("eve"), "Eve’s", [entry()])
    assert "Eve’s" not in text_of(page.get(reverse("price-books")))
    for name in ("price-book", "price-book-history", "price-book-import", "price-book-delete", "price-book-export"):
        assert page.get(reverse(name, args=[other.pk])).status_code == 404, name
    assert Client().get(reverse("price-books")).status_code == 302


def test_the_catalogs_book_shows_rule_source_and_prices_seen(page: Client) -> None:
    text = text_of(page.get(reverse("price-book-catalog", args=["anchors"]), {"q": "QM9700"}))
    assert "Planning price: $500 to $1,000 a port × 64 ports" in text
    assert "$32,000 to $64,000" in text
    assert "7 prices seen" in text
    assert "dealer, https://www.router-switch.com" in text
    assert "model, github:AssimilatedCoder" in text
    assert "does not count" in text
    planned = text_of(page.get(reverse("price-book-catalog", args=["anchors"]), {"q": "dgx-h100"}))
    assert "from the street book: this one has none" in planned
    street = text_of(page.get(reverse("price-book-catalog", args=["street"]), {"q": "CS8500"}))
    assert "from the anchors book: this one has none" in street
    assert page.get(reverse("price-book-catalog", args=["wishes"])).status_code == 404


def test_a_book_is_searched_sorted_and_paged_by_the_server(page: Client) -> None:
    address = reverse("price-book-catalog", args=["anchors"])
    dearest = page.get(address, {"sort": "-typical"}).context["table"]
    amounts = [row.typical_cents for row in dearest["page"].rows]
    assert amounts == sorted(amounts, reverse=True)
    assert dearest["page"].n_pages > 1
    second = page.get(address, {"sort": "-typical", "page": "2"}).context["table"]["page"]
    assert second.first == len(amounts) + 1
    only = page.get(address, {"q": "nvidia NDR", "basis": "seed"}).context["table"]
    assert only["page"].n_rows
    assert all(row.basis == "seed" for row in only["page"].rows)
    assert "No price has all of these words" in text_of(page.get(address, {"q": "no such thing"}))


# ---------------------------------------------------------------- one book


def test_a_book_is_made_by_name_and_what_is_wrong_stands_beside_the_field(page: Client, owner: User) -> None:
    address = reverse("price-books")
    refused = page.post(address, {"name": " ", "base": "street", "region": "x" * 50})
    assert refused.status_code == 422
    assert "A name has 1 to 200 printable characters" in text_of(refused)
    assert "x" * 50 in text_of(page.post(address, {"name": "ok", "base": "street", "region": "x" * 50}))
    made = page.post(address, {"name": "Vendor B", "base": "anchors", "region": "EU"})
    saved = owner.price_books.get()
    assert made["Location"] == reverse("price-book", args=[saved.pk])
    assert (saved.name, saved.base, saved.region, saved.latest.prices) == ("Vendor B", "anchors", "EU", [])
    assert page.get(made["Location"]).status_code == 200


def test_a_price_is_added_edited_and_deleted(page: Client, book: PriceBook) -> None:
    added = post(page, "price-book-save", book, **typed(book, part="MQM9790-NS2F", typical="30,500.50"))
    assert added.status_code == 302
    assert book.latest.prices[-1]["part"] == "nvidia-qm9790"
    assert book.latest.prices[-1]["typical"] == 3_050_050
    assert book.latest.reason == "Added nvidia-qm9790"
    shown = text_of(page.get(reverse("price-book", args=[book.pk]), {"edit": "2"}))
    assert 'value="30,500.50"' in shown
    changed = typed(
        book, index="2", part="nvidia-qm9790", typical="30000", low="29000", high="31000", min_quantity="10"
    )
    assert post(page, "price-book-save", book, **changed).status_code == 302
    assert [book.latest.prices[2][name] for name in ("low", "typical", "high", "min_quantity")] == [
        2_900_000,
        3_000_000,
        3_100_000,
        10,
    ]
    post(page, "price-book-price-delete", book, index="2", number=book.latest.number, here="")
    assert [price["part"] for price in book.latest.prices] == ["nvidia-qm9700", "nv-mma4z00-ns"]
    assert book.latest.number == 4


def test_a_wrong_price_loses_nothing_and_says_what_is_wrong_beside_the_field(page: Client, book: PriceBook) -> None:
    wrong = typed(book, part="qm97", typical="dear", as_of="2026-02-30", min_quantity="0", note=EVIL)
    response = post(page, "price-book-save", book, **wrong)
    assert response.status_code == 422
    editing = response.context["editing"]
    assert set(editing.errors) == {"part", "typical", "as_of", "min_quantity"}
    assert editing["note"].value() == EVIL
    assert editing.is_more_open
    assert EVIL.encode() not in response.content
    assert book.latest.number == 1


def test_the_same_price_twice_and_a_book_changed_meanwhile_are_refused(page: Client, book: PriceBook) -> None:
    twice = typed(book, part="nvidia-qm9700", typical="1", basis="quote", source="Offer 7")
    assert "The book has a price of this part" in text_of(post(page, "price-book-save", book, **twice))
    stale = typed(book, part="nvidia-qm9790", typical="1") | {"number": 0}
    response = post(page, "price-book-save", book, **stale)
    assert response.status_code == 422
    assert "has been changed meanwhile" in text_of(response)
    post(page, "price-book-price-delete", book, index="0", number="0", here="")
    assert book.latest.number == 1


def test_exchange_rates_are_edited_and_refused_by_row(page: Client, book: PriceBook) -> None:
    rows = {
        "rate_currency": ["eur", "XXX", ""],
        "rate_usd": ["1.08", "2", ""],
        "rate_as_of": ["2026-11-01", "", ""],
        "rate_source": ["Bank", "", ""],
    }
    refused = post(page, "price-book-rates", book, **rows)
    assert refused.status_code == 422
    assert set(refused.context["rate_problems"]) == {1}
    assert refused.context["rates"][0].currency == "eur"
    saved = post(page, "price-book-rates", book, **{name: values[:1] for name, values in rows.items()})
    assert saved.status_code == 302
    assert book.latest.rates == [{"currency": "EUR", "usd": 1.08, "as_of": "2026-11-01", "source": "Bank"}]
    assert len(book.latest.prices) == 2


def test_name_base_and_region_are_editable_and_a_book_can_be_deleted(page: Client, book: PriceBook) -> None:
    post(page, "price-book-describe", book, name="Vendor A, 2027", base="anchors", region="EU")
    book.refresh_from_db()
    assert (book.name, book.base, book.region) == ("Vendor A, 2027", "anchors", "EU")
    refused = post(page, "price-book-describe", book, name="", base="wishes", region="")
    assert refused.status_code == 422
    book.refresh_from_db()
    assert book.name == "Vendor A, 2027"
    assert "Delete “Vendor A, 2027”?" in text_of(page.get(reverse("price-book-delete", args=[book.pk])))
    post(page, "price-book-delete", book)
    assert not PriceBook.objects.exists()


def test_history_tells_what_changed_and_restores(page: Client, book: PriceBook) -> None:
    revise_book(book, "New offer", [entry(usd=29_000, as_of="2026-11-25"), entry("nvidia-sn5600", 60_000)])
    text = text_of(page.get(reverse("price-book-history", args=[book.pk])))
    assert "1 added, 1 changed, 1 removed" in text
    assert "$29,000" in text
    assert "was $31,000, date 2026-11-02" in text
    page.post(reverse("price-book-restore", args=[book.pk, 1]))
    assert book.latest.number == 3
    assert book.latest.prices == book.revisions.get(number=1).prices
    assert page.post(reverse("price-book-restore", args=[book.pk, 9])).status_code == 404


# ---------------------------------------------------------------- files


def upload(page: Client, book: PriceBook, data: bytes, name: str = "prices.csv", **values: str) -> Any:
    file = SimpleUploadedFile(name, data)
    return page.post(reverse("price-book-import", args=[book.pk]), {"file": file, "mode": "merge", **values})


def test_an_import_shows_what_changes_before_it_changes(page: Client, book: PriceBook) -> None:
    data = (
        b"part,price,basis,source,date,discount\n"
        b"MQM9700-NS2F,40000,quote,Offer 7,2026-11-20,25%\n"
        b"nv-mma4z00-ns,700,quote,Offer 7,2026-11-02\n"
        b"nvidia-sn5600,60000,list,Web,2026-11-20\n"
        b"no-such-part,1,list,Web,2026-11-20\n"
        b"nvidia-sn5600,61000,list,Web,2026-11-21\n"
    )
    response = upload(page, book, data)
    plan = response.context["plan"]
    assert plan.counts == {"added": 1, "removed": 0, "changed": 1, "same": 1, "refused": 2}
    assert [(row.row, row.column) for row in plan.refused] == [(5, "part"), (6, "part")]
    assert "was $31,000, date 2026-11-02" in text_of(response)
    assert "The discounts of the column “discount” are taken off its prices." in text_of(response)
    assert book.latest.number == 1
    done = page.post(reverse("price-book-apply", args=[book.pk]), {"planned": response.context["planned"]})
    assert done.status_code == 302
    assert book.latest.reason == "Imported prices.csv: 3 prices"
    assert {price["part"]: price["typical"] for price in book.latest.prices} == {
        "nvidia-qm9700": 3_000_000,
        "nv-mma4z00-ns": 70_000,
        "nvidia-sn5600": 6_000_000,
    }


LISTED = b"""All prices less 30% discount
part,price,currency,discount
nvidia-qm9700,30001,EUR,
dgx-h100,200,EUR,10%
no-such,5,EUR,
"""


def test_a_discount_of_the_whole_list_is_taken_off_by_choice(page: Client, book: PriceBook) -> None:
    """Named with its amount, shown before it is stored, and written into the note of each price; what is net stays."""
    before = len(book.contents().prices)
    first = upload(page, book, LISTED)
    shown = text_of(first)
    assert "Row 1 says “All prices less 30% discount”, which is not taken off" in shown
    assert "Take 30% off 1 price" in shown
    assert "nvidia-qm9700: EUR 30,001 becomes EUR 21,000.70" in shown
    (sent,) = re.findall(r'name="discount" value="(.+?)">Take', first.content.decode())
    chosen = {"planned": first.context["planned"], "discount": sent}
    second = page.post(reverse("price-book-import", args=[book.pk]), chosen)
    shown = text_of(second)
    assert "30% is taken off 1 price; 1 price that is net or has a discount of its own stays." in shown
    assert "is not taken off" not in shown
    assert "The catalog has no part 'no-such'" in shown  # what was refused is still said
    assert "Import less 30%" in shown
    page.post(reverse("price-book-apply", args=[book.pk]), {"planned": second.context["planned"]})
    stored = book.contents().prices[before:]
    assert [(price.part, price.typical) for price in stored] == [("nvidia-qm9700", 2_100_070), ("dgx-h100", 18_000)]
    assert stored[0].note == "EUR 30,001 less 30% discount of the whole list, row 1"
    assert "30% discount taken off" in book.latest.reason
    back = page.post(
        reverse("price-book-import", args=[book.pk]), {"planned": second.context["planned"], "discount": ""}
    )
    assert "EUR 30,001" in text_of(back)
    assert json.loads(back.context["planned"])["discount"] == ""


def test_prices_of_two_periods_stand_beside_each_other(page: Client, book: PriceBook) -> None:
    """This year's and next year's list of one vendor in one file; a later day for the same first one changes that price."""
    before = len(book.contents().prices)
    file = (
        b"part,price,valid from,valid until\ndgx-h100,300,2026-01-01,2026-12-31\ndgx-h100,330,2027-01-01,2027-12-31\n"
    )
    shown = upload(page, book, file)
    assert shown.context["plan"].counts | {"same": 0} == {
        "added": 2,
        "changed": 0,
        "removed": 0,
        "same": 0,
        "refused": 0,
    }
    page.post(reverse("price-book-apply", args=[book.pk]), {"planned": shown.context["planned"]})
    assert [price.typical for price in book.contents().prices[before:]] == [30_000, 33_000]
    again = upload(page, book, file.replace(b"2027-12-31", b"2028-03-31"))
    assert again.context["plan"].counts["changed"] == 1
    twice = upload(page, book, file.replace(b"2027-01-01", b"2026-01-01"))
    assert "length and first day" in text_of(twice)


def test_a_discount_may_be_typed_with_the_file(page: Client, book: PriceBook) -> None:
    file = b"part,price\nnvidia-qm9700,30000\n"
    assert "$26,250" in text_of(upload(page, book, file, discount="12,5 %"))
    refused = upload(page, book, file, discount="100")
    assert refused.status_code == 422
    assert "more than 0 and less than 100 %" in text_of(refused)


def test_an_import_may_take_the_place_of_the_book(page: Client, book: PriceBook) -> None:
    plan = upload(page, book, b"part,price\nnvidia-sn5600,60000\n", mode="replace").context["plan"]
    assert (plan.counts["added"], plan.counts["removed"]) == (1, 2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "The file is empty"),
        (b"name,colour\n1,2\n", "None of the first 30 rows"),
        (b"part,price\n" + b"nvidia-qm9700,1\n" * 20_001, "rows, and 20,000 are read"),
        (b"part,price\n" + b"x" * 2_400_001, "is over 2,400,000 bytes"),
        (
            b"part,price,moq\n" + b"".join(b"nvidia-qm9700,1,%d\n" % n for n in range(2, MAX_PRICES + 3)),
            "2,000 are the most",
        ),
    ],
    ids=["empty", "no header", "too many rows", "too large", "too many prices"],
)
def test_a_file_that_cannot_be_imported_says_why(page: Client, book: PriceBook, data: bytes, words: str) -> None:
    response = upload(page, book, data)
    assert response.status_code == 422
    assert words in text_of(response)
    assert book.latest.number == 1


@pytest.mark.parametrize(
    "planned",
    [
        "",
        "[]",
        "{}",
        '{"file_name": 1, "prices": [1], "rates": [], "mode": "merge"}',
        '{"file_name": "x", "prices": [{"part": [], "basis": {}}], "rates": [], "mode": "merge"}',
    ],
)
def test_a_preview_that_was_tampered_with_changes_nothing(page: Client, book: PriceBook, planned: str) -> None:
    response = page.post(reverse("price-book-apply", args=[book.pk]), {"planned": planned}, follow=True)
    assert "Nothing was imported" in text_of(response)
    assert book.latest.number == 1


def test_a_workbook_of_a_book_reads_back_as_the_book(page: Client, book: PriceBook) -> None:
    prices = [
        entry(currency="JPY", note="=1+1", source="+49 Offer", length_m=None),
        entry("fib-mfp7e10", 9, length_m=30.0),
    ]
    revise_book(book, "More", prices, [{"currency": "JPY", "usd": 0.0066, "as_of": "2026-11-01", "source": "Bank"}])
    for form in ("xlsx", "csv"):
        sent = page.get(reverse("price-book-export", args=[book.pk]), {"format": form})
        assert f"vendor-a-prices.{form}" in sent["Content-Disposition"]
        plan = upload(page, book, sent.content, f"x.{form}").context["plan"]
        assert (plan.refused, plan.ignored, plan.counts["same"], plan.counts["added"]) == ([], [], 2, 0), form
    again = page.get(reverse("price-book-export", args=[book.pk]), {"format": "xlsx"}).content
    assert again == page.get(reverse("price-book-export", args=[book.pk]), {"format": "xlsx"}).content
    as_json = json.loads(page.get(reverse("price-book-export", args=[book.pk]), {"format": "json"}).content)
    assert as_json["prices"] == book.latest.prices
    assert page.get(reverse("price-book-export", args=[book.pk]), {"format": "pdf"}).status_code == 404


@pytest.mark.parametrize("key", ["anchors", "street", "dealer", "branded"])
def test_a_book_of_the_catalog_can_be_imported_into_an_own_one(page: Client, owner: User, key: str) -> None:
    empty = create_book(owner, "Copy")
    sent = page.get(reverse("price-book-catalog-export", args=[key]), {"format": "xlsx"})
    plan = upload(page, empty, sent.content, "anchors.xlsx").context["plan"]
    assert plan.refused == []
    books = {one["key"]: one for one in page.get(reverse("price-books")).context["catalog_books"]}
    assert plan.counts["added"] == books[key]["n_prices"] > {"street": 200, "anchors": 30}.get(key, 5)


def test_the_template_is_read_as_it_is_sent(page: Client, owner: User) -> None:
    empty = create_book(owner, "Copy")
    for form in ("xlsx", "csv"):
        sent = page.get(reverse("price-template"), {"format": form})
        assert upload(page, empty, sent.content, f"t.{form}").context["plan"].counts["added"] == 1


def test_macros_are_left_alone_and_reported(page: Client, book: PriceBook) -> None:
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer)
    workbook.add_worksheet().write_row(0, 0, ["part", "price"])
    workbook.worksheets()[0].write_row(1, 0, ["nvidia-sn5600", 60_000])
    workbook.close()
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"macro")
    response = upload(page, book, buffer.getvalue(), "prices.xlsm")
    assert response.context["plan"].counts["added"] == 1
    assert "has macros" in text_of(response)


# ---------------------------------------------------------------- designs


def form_of(owner: User, values: dict[str, Any], **changes: str) -> DesignForm:
    sent = DesignForm(values=values, owner=owner).typed() | changes
    form = DesignForm(sent, owner=owner)
    assert form.is_valid(), form.errors
    return form


def test_a_design_takes_an_own_book_whole_and_keeps_it(owner: User, book: PriceBook) -> None:
    taken = form_of(owner, SPEC, economics__price_book=f"{OWN}{book.pk}")
    assert taken.spec is not None
    assert taken.spec.economics.price_book == "street"
    own = taken.spec.economics.prices
    assert own is not None
    assert (own.name, own.book, len(own.prices), own.hash) == ("Vendor A", str(book.pk), 2, book.contents().hash)
    revise_book(book, "Cheaper", [entry(usd=1)])
    kept = form_of(owner, taken.spec.as_given())
    assert kept.spec is not None
    assert kept.spec.economics.prices == own
    assert f"{KEPT}street" in dict(kept.fields["economics__price_book"].widget.choices)
    assert "“Vendor A” has changed since" in str(kept.fields["economics__price_book"].help_text)
    newest = form_of(owner, taken.spec.as_given(), economics__price_book=f"{OWN}{book.pk}")
    assert newest.spec is not None
    assert newest.spec.economics.prices is not None
    assert newest.spec.economics.prices.hash == book.contents().hash != own.hash
    without = form_of(owner, taken.spec.as_given(), economics__price_book="anchors")
    assert without.spec is not None
    assert (without.spec.economics.prices, without.spec.economics.price_book) == (None, "anchors")


def test_a_book_that_is_gone_or_a_strangers_cannot_be_chosen(
    owner: User, book: PriceBook, django_user_model: Any
) -> None:
    stranger = django_user_model.objects.create_user("eve")
    for value in (f"{OWN}{book.pk}", f"{OWN}nonsense"):
        sent = DesignForm(values=SPEC, owner=stranger).typed() | {"economics__price_book": value}
        form = DesignForm(sent, owner=stranger)
        assert not form.is_valid()
        assert "not there any more" in str(form.errors["economics__price_book"])
        assert form.spec is None


def test_the_design_page_offers_the_books(page: Client, design: Design, book: PriceBook) -> None:
    text = text_of(page.get(reverse("design", args=[design.pk])))
    assert f'<option value="{OWN}{book.pk}">Vendor A</option>' in text


def test_a_design_is_priced_with_a_book_from_its_page_and_takes_new_prices(
    page: Client, design: Design, book: PriceBook, sent: list[str]
) -> None:
    page.post(reverse("price-book-use"), {"design": design.pk, "book": book.pk})
    assert design.now.spec["economics"]["prices"] == book.snapshot()
    assert "has these prices" in text_of(page.get(reverse("price-book", args=[book.pk])))
    revise_book(book, "Cheaper", [entry(usd=1)])
    assert "Take the new prices" in text_of(page.get(reverse("price-book", args=[book.pk])))
    page.post(reverse("price-book-use"), {"design": design.pk, "book": book.pk})
    assert design.now.spec["economics"]["prices"]["prices"][0]["typical"] == 100
    page.post(reverse("price-book-use"), {"design": design.pk, "book": "anchors"})
    assert design.now.spec["economics"]["prices"] is None
    assert page.post(reverse("price-book-use"), {"design": "x", "book": "y"}).status_code == 404


def test_the_bill_says_whose_prices_it_has_and_that_the_book_has_changed(
    page: Client, owner: User, book: PriceBook
) -> None:
    saved, _ = finished(owner, SPEC | {"economics": {"prices": book.snapshot(), "price_book": "street"}})
    address = reverse("design", args=[saved.pk])
    text = text_of(page.get(address))
    assert "Your price book “Vendor A”, quotation of 2026-11-02" in text
    assert reverse("price-book", args=[book.pk]) in text
    assert "Your price book “Vendor A”; other parts: street prices" in text_of(page.get(f"{address}?tab=cost"))
    assert "Take the new prices" not in text
    revise_book(book, "Cheaper", [entry(usd=1)])
    assert "The book has changed since." in text_of(page.get(address))
    assert "Take the new prices" in text_of(page.get(address))
    book.delete()
    assert "whose book is not there any more" in text_of(page.get(address))
