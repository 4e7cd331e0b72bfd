"""A spec as JSON: what Copy gives is what Paste takes, as one edit; what is refused changes nothing."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.services.designs.edits import typed_now
from designer.services.designs.from_files import MAX_SPEC_BYTES
from designer.services.designs.saving import save_design
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

STUDIO = {"Studio": "1"}
HALL = {"name": "Hall 3", "compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}
WANTED: dict[str, Any] = {
    "name": "Brought along",
    "compute": {"server": "dgx-b200", "nodes": 64},
    "fabric": {"generation": "ndr", "oversubscription": "2:1"},
    "other_fabrics": [{"role": "storage", "generation": "ndr"}],
    "site": {"plan": {}},
}


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(HALL, load_catalog()))


def paste(page: Client, design: Design, text: str, **options: Any) -> Any:
    return page.post(reverse("spec", args=[design.pk]), {"spec": text}, **options)


def copied(page: Client, design: Design) -> dict[str, Any]:
    return page.get(reverse("spec", args=[design.pk]), {"format": "json"}).json()


def asked(values: dict[str, Any]) -> dict[str, Any]:
    return parse_spec(values, load_catalog()).as_json()


def test_what_is_copied_is_what_stands_there(page, design):
    assert asked(copied(page, design)) == asked(HALL)
    paste(page, design, json.dumps(WANTED), headers=STUDIO)
    assert asked(copied(page, design)) == asked(WANTED)
    assert "Brought along" in page.get(reverse("spec", args=[design.pk])).content.decode()


def test_a_paste_is_one_edit_that_undo_takes_back_to_the_byte(page, design):
    form = page.get(reverse("design", args=[design.pk])).context["form"].typed()
    page.post(reverse("edit", args=[design.pk]), form | {"size": "72", "step": "size.1", "base": "1"}, headers=STUDIO)
    design.refresh_from_db()
    before, at = typed_now(design), design.at
    answer = paste(page, design, json.dumps(WANTED), headers=STUDIO)
    assert answer.status_code == 200
    words = answer.content.decode()
    assert 'id="design-form"' in words
    assert 'id="studio-bar"' in words
    design.refresh_from_db()
    assert design.at == at + 1
    assert not design.revisions.exists()
    assert typed_now(design)["fabric__oversubscription"] == "2:1"
    page.post(reverse("undo", args=[design.pk]), headers=STUDIO)
    design.refresh_from_db()
    assert json.dumps(typed_now(design)) == json.dumps(before)
    page.post(reverse("redo", args=[design.pk]), headers=STUDIO)
    design.refresh_from_db()
    assert typed_now(design)["name"] == "Brought along"


def test_a_paste_without_a_name_leaves_the_design_its_name(page, design):
    nameless = {key: value for key, value in WANTED.items() if key != "name"}
    paste(page, design, json.dumps(nameless), headers=STUDIO)
    design.refresh_from_db()
    assert typed_now(design)["name"] == "Hall 3"
    paste(page, design, json.dumps(WANTED), headers=STUDIO)
    paste(page, design, json.dumps(nameless), headers=STUDIO)
    design.refresh_from_db()
    assert typed_now(design)["name"] == "Brought along"


def test_what_is_wrong_with_a_text_stands_beside_its_field_with_its_place(page, design):
    words = paste(page, design, '{\n "compute": {\n }, oops\n}').content.decode()
    assert re.search(r'<textarea id="spec-sent"[^>]* aria-describedby="spec-problem" aria-invalid="true"', words)
    beside = words.split("</textarea>")[-1]
    assert "The text is not JSON" in beside
    assert "at line 3, column 5" in beside
    assert "<code>spec</code>" not in words


def test_two_pastes_are_two_steps(page, design):
    for size in (128, 256):
        paste(page, design, json.dumps(HALL | {"compute": {"server": "dgx-h100", "gpus": size}}), headers=STUDIO)
    page.post(reverse("undo", args=[design.pk]), headers=STUDIO)
    design.refresh_from_db()
    assert typed_now(design)["size"] == "128"


def test_an_estimate_or_an_answer_of_the_api_is_taken_by_its_spec(page, design):
    assert paste(page, design, json.dumps({"id": 1, "spec": WANTED, "bom": {}}), headers=STUDIO).status_code == 200
    design.refresh_from_db()
    assert typed_now(design)["size"] == "64"
    assert typed_now(design)["size_unit"] == "nodes"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Paste a design as JSON"),
        ("{", "JSON"),
        ("[1, 2]", "object"),
        ('{"compute": {"server": "none-such", "gpus": 8}, "fabric": {"generation": "ndr"}}', "none-such"),
        ('{"compute": {"server": "dgx-h100", "gpus": 8, "colour": "red"}, "fabric": {"generation": "ndr"}}', "colour"),
        ("[" * 100_000, "Not applied"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(page, design, text, words):
    answer = paste(page, design, text, headers=STUDIO)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    design.refresh_from_db()
    assert design.at == 0
    assert not design.edits.exists()


def test_a_file_is_taken_without_scripts(page, design):
    file = SimpleUploadedFile("hall.json", b"\xef\xbb\xbf" + json.dumps(WANTED).encode())
    answer = page.post(reverse("spec", args=[design.pk]), {"file": file})
    assert answer["Location"] == reverse("design", args=[design.pk])
    design.refresh_from_db()
    assert typed_now(design)["name"] == "Brought along"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe\x00", "no UTF-8 text"),
        (b" " * (MAX_SPEC_BYTES + 1), "over 1,000,000 bytes"),
        (b"", "Paste a design as JSON"),
    ],
)
def test_files_that_are_no_design_come_back_to_the_panel(page, design, data, words):
    answer = page.post(reverse("spec", args=[design.pk]), {"file": SimpleUploadedFile("x.json", data)})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert 'id="spec-text"' in answer.content.decode()


def test_an_unsaved_design_gets_its_row_at_the_paste(page, owner):
    answer = page.post(reverse("spec-new"), {"spec": json.dumps(WANTED)}, headers=STUDIO)
    design = Design.objects.get(owner=owner)
    assert answer["Design-Opened"] == reverse("design", args=[design.pk])
    assert typed_now(design)["name"] == "Brought along"
    page.post(reverse("undo", args=[design.pk]), headers=STUDIO)
    design.refresh_from_db()
    assert (typed_now(design)["name"], design.name) == ("", "1,024 × H100, NDR")


def test_a_refused_paste_makes_no_design(page):
    answer = page.post(reverse("spec-new"), {"spec": "{"}, headers=STUDIO)
    assert answer.status_code == 422
    assert not Design.objects.exists()


def test_strangers_neither_copy_nor_paste(design):
    assert "sign-in" in Client().get(reverse("spec", args=[design.pk]))["Location"]
    stranger = Client()
    stranger.force_login(User.objects.create_user("eve"))
    assert stranger.get(reverse("spec", args=[design.pk])).status_code == 404
    assert paste(stranger, design, json.dumps(WANTED), headers=STUDIO).status_code == 404
    assert not design.edits.exists()
