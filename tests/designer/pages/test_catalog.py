"""Pages of the catalog: every kind and every part, with grades, open questions, and what is only announced."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from designer.forms.design import DesignForm
from designer.pages.catalog.page import GRADE_WORDS, KINDS
from estimator.catalog.catalog import Catalog

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_a_kind_is_listed_with_its_grade(page: Client, catalog: Catalog, kind: str) -> None:
    response = page.get(reverse("catalog") + f"?kind={kind}")
    assert response.status_code == 200
    rows = response.context["rows"]
    assert [row.id for row in rows] == list(getattr(catalog, kind))
    assert {row.grade for row in rows} <= set(GRADE_WORDS.values())
    for row in rows:
        assert reverse("catalog-part", args=[row.id]) in response.text


def test_parts_are_found_by_words(page: Client) -> None:
    rows = page.get(reverse("catalog") + "?kind=switches&q=arista+announced").context["rows"]
    assert {row.status for row in rows} == {"announced"}
    assert all(row.id.startswith("arista-") for row in rows)
    assert rows
    empty = page.get(reverse("catalog") + "?kind=switches&q=no+such+box")
    assert "No part has all of these words" in empty.text


def test_every_part_has_a_page_that_grades_each_figure(page: Client, catalog: Catalog) -> None:
    for kind in KINDS:
        for part in list(getattr(catalog, kind))[::7]:
            response = page.get(reverse("catalog-part", args=[part]))
            assert response.status_code == 200, part
            assert all(row["grade"] in GRADE_WORDS.values() and row["value"] for row in response.context["rows"]), part


def test_a_part_shows_grades_of_its_own_figures(page: Client) -> None:
    text = page.get(reverse("catalog-part", args=["nvidia-sn6600-ld"])).text
    rows = {re.sub(r"<[^>]+>", "|", row) for row in re.findall(r"<tr>.*?</tr>", text)}
    assert any("Cages as 2x800G" in row and "128 ports of 800" in row and "vendor document" in row for row in rows)
    assert any("Typical draw without transceivers" in row and "1,960 W" in row and "assumption" in row for row in rows)
    assert "No price is known" in text


def test_a_page_names_parts_and_choices_in_words(page: Client, catalog: Catalog) -> None:
    tray = next(key for key, one in catalog.servers.items() if one.role == "gpu_tray")
    address = reverse("catalog-part", args=[tray])
    values = {row["label"]: row["value"] for row in page.get(address).context["rows"]}
    gpu = catalog.gpus[catalog.servers[tray].gpu_id]
    assert gpu.model in values["GPU"]
    assert values["Role"] == "gpu tray"
    for kind in KINDS:
        for part in getattr(catalog, kind):
            rows = page.get(reverse("catalog-part", args=[part])).context["rows"]
            shown = {word for row in rows for word in row["value"].split(", ")}
            assert not {word for word in shown if catalog.part(word) and "-" in word}, part


def test_what_is_announced_or_open_is_said(page: Client) -> None:
    text = page.get(reverse("catalog-part", args=["nvidia-sn6800-ld"])).text
    assert "cannot be ordered yet" in text
    assert "one switch of 512 ports or four of 128" in text
    choices = str(DesignForm().fields["fabric__leaf_switch"].widget.choices)
    assert "SN6800-LD (announced)" in choices
    assert "QM9700 (announced)" not in choices


def test_a_former_id_leads_to_its_part_and_an_unknown_one_nowhere(page: Client) -> None:
    response = page.get(reverse("catalog-part", args=["mi355x-8u-air"]))
    assert "mi350x-8u-air" in response.text
    assert "formerly" in response.text
    assert page.get(reverse("catalog-part", args=["no-such-part"])).status_code == 404


def test_a_form_of_a_design_with_a_former_id_has_its_part_chosen() -> None:
    form = DesignForm(values={"compute": {"server": "mi355x-8u-air", "nodes": 4}, "fabric": {"generation": "roce-400"}})
    assert form.initial["compute__server"] == "mi350x-8u-air"


def test_the_catalog_is_for_people_who_are_signed_in(client: Client) -> None:
    assert client.get(reverse("catalog")).status_code == 302
    assert client.get(reverse("catalog-part", args=["nvidia-qm9700"])).status_code == 302
