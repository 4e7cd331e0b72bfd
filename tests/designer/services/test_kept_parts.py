"""Large parts of requests are kept once and named: in rows, on pages and in what these send. Rows of before have all in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from designer.forms.design import KEPT_FIELD, DesignForm
from designer.models import Design, KeptPart
from designer.services.designs.edits import current_edit, start_state
from designer.services.designs.saving import save_design, save_version
from designer.services.prices.books import create_book
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import Caller

pytestmark = pytest.mark.django_db

SPEC: dict[str, Any] = {"name": "Hall", "compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
PRICES = [
    {"part": "nvidia-qm9700", "low": 100, "typical": 200, "high": 300, "basis": "quote", "as_of": "2026-11-01"}
    | {"source": f"Offer {number} of the vendor, page {number}"}
    for number in range(200)
]
ROWS = {
    "designer_design": ("given", "spec"),
    "designer_designedit": ("typed", "given"),
    "designer_designrevision": ("given",),
}


@pytest.fixture
def design(owner: User, page: Client) -> Design:
    """A design with 200 prices of one's own."""
    made = save_design(owner, parse_spec(SPEC, load_catalog()))
    book = create_book(owner, "Vendor", PRICES)
    assert page.post(reverse("price-book-use"), {"design": str(made.pk), "book": str(book.pk)}).status_code == 302
    return Design.objects.get(pk=made.pk)


def edit(page: Client, design: Design, **fields: str) -> Design:
    typed = start_state(design)
    sent = {"fields": json.dumps(fields), "was": json.dumps({name: typed.get(name, "") for name in fields})}
    posted = {
        "step": "a.field",
        "base": str(design.state_number),
        "page": "one",
        "number": str(design.state_number),
        **sent,
    }
    assert page.post(reverse("edit", args=[design.pk]), posted).status_code == 200
    return Design.objects.get(pk=design.pk)


def stored(table: str, column: str) -> list[str]:
    """What the database has in a column, as text."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {table}")
        return [one if isinstance(one, str) else json.dumps(one) for (one,) in cursor.fetchall()]


def prices_of(design: Design) -> list[Any]:
    return list(design.given["economics"]["prices"]["prices"])


def test_rows_name_the_prices_that_stand_once(page: Client, design: Design) -> None:
    before = KeptPart.objects.count()
    save_version(edit(page, design, economics__years="6"), "With them")
    for table, columns in ROWS.items():
        for column in columns:
            assert max(len(text) for text in stored(table, column)) < 5_000, (table, column)
    assert KeptPart.objects.count() == before, "an edit of something else keeps no further copy"
    design.refresh_from_db()
    assert design.given["economics"]["years"] == 6
    assert len(prices_of(design)) == len(design.spec["economics"]["prices"]["prices"]) == len(PRICES)
    assert design.revisions.get().given == design.given


def test_a_page_and_what_it_sends_name_them(page: Client, design: Design) -> None:
    shown = page.get(reverse("design", args=[design.pk])).content.decode()
    assert "Offer 7 of the vendor" not in shown
    typed = start_state(design)
    assert len(json.dumps(typed)) < 2_000
    form = DesignForm(typed, owner=design.owner)
    assert form.is_valid(), form.errors
    assert form.spec is not None
    assert form.spec.as_given()["economics"]["prices"] == design.given["economics"]["prices"]


def test_a_name_that_means_nothing_is_refused_and_what_was_typed_stays(page: Client, design: Design) -> None:
    typed = start_state(design) | {KEPT_FIELD: json.dumps({"economics.prices": {"kept": "0" * 64}}), "name": "My hall"}
    answer = page.post(reverse("design", args=[design.pk]), typed)
    assert answer.status_code == 422
    assert 'value="My hall"' in answer.content.decode()
    assert len(prices_of(Design.objects.get(pk=design.pk))) == len(PRICES)


def test_what_is_handed_through_and_means_nothing_is_kept_as_it_is(page: Client, design: Design) -> None:
    odd = json.dumps({"economics.prices": {"name": "\x00" * 400}})
    for text in (odd, "[" * 5_000, "nonsense"):
        assert current_edit(edit(page, design, **{KEPT_FIELD: text})) is not None, text[:20]
        design.refresh_from_db()
    assert len(prices_of(design)) == len(PRICES)


def test_rows_of_before_are_read_and_edited(page: Client, design: Design) -> None:
    whole = {name: json.dumps(getattr(design, name)) for name in ("given", "spec")}
    edit_of_now = current_edit(design)
    assert edit_of_now is not None
    typed = edit_of_now.typed | {KEPT_FIELD: json.dumps({"economics.prices": design.given["economics"]["prices"]})}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE designer_design SET given = %s, spec = %s", [whole["given"], whole["spec"]])
        cursor.execute("UPDATE designer_designedit SET given = %s, typed = %s", [whole["given"], json.dumps(typed)])
    KeptPart.objects.all().delete()
    old = Design.objects.get(pk=design.pk)
    assert (old.given, old.spec) == (design.given, design.spec)
    changed = edit(page, old, economics__years="6")
    assert (changed.given["economics"]["years"], len(prices_of(changed))) == (6, len(PRICES))
    assert len(max(stored("designer_design", "given"))) < 5_000
    assert page.post(reverse("undo", args=[design.pk])).status_code == 302
    assert len(prices_of(Design.objects.get(pk=design.pk))) == len(PRICES)


def test_programs_send_and_get_them_whole(call: Caller, owner: User) -> None:
    prices: dict[str, Any] = {"name": "Vendor", "prices": PRICES[70:80]}
    made = call("POST", "designs/", SPEC | {"economics": {"prices": prices}})
    assert made.status_code == 201
    got = call("GET", f"designs/{made.json()['id']}/").json()
    assert [one["source"] for one in got["given"]["economics"]["prices"]["prices"]] == [
        one["source"] for one in prices["prices"]
    ]
    assert len(max(stored("designer_design", "spec"))) < 5_000
    named = SPEC | {"economics": {"prices": {"kept": KeptPart.objects.all()[0].pk}}}
    assert call("POST", "designs/", named).status_code == 400, "names are the database's and the pages' own"
