"""The page of what differs in settings between two versions of a design, and the way to it."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.services.designs.saving import save_design, save_version
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.pages.design.test_sharing import visitor
from tests.designer.pages.result.test_asbuilt import text_of
from tests.estimator.bringup.test_setting_changes import ARISTA, BASE, LONGER

pytestmark = pytest.mark.django_db
WHY = "ecause the longest cable of the group grew from 20 to 50 m"


@pytest.fixture
def design(owner: User) -> Design:
    """A design with a version, and a longer cable now."""
    row = save_design(owner, spec_of(BASE))
    save_version(row, name="As bid")
    return save_design(owner, spec_of(LONGER), row)


def spec_of(values: dict[str, Any]) -> Any:
    return parse_spec({"name": "Site A"} | values, load_catalog())


def test_the_page_says_what_changed_and_why(page: Client, design: Design) -> None:
    address = reverse("settings-changes", args=[design.pk])
    shown = text_of(page.get(address))  # of the newest version and now
    assert "2 settings changed" in shown
    assert f"B{WHY}" in shown
    assert "leaf-r1-001" in shown
    rows = list(csv.DictReader(io.StringIO(page.get(address, {"format": "csv"}).content.decode())))
    assert [row["key"] for row in rows] == ["headroom.spine.xoff", "headroom.leaf.xoff"]
    assert int(rows[0]["before"]) < int(rows[0]["after"])
    assert "No setting changed" in text_of(page.get(address, {"from": "now", "to": "now"}))
    back = text_of(page.get(address, {"from": "now", "to": "1"}))
    assert "shrank from 50 to 20 m" in back
    for nonsense in ("9", "x", "<script>"):
        assert page.get(address, {"from": nonsense, "to": nonsense}).status_code == 200


def test_other_boxes_are_shown_with_texts_and_numbers(page: Client, design: Design, owner: User) -> None:
    save_design(owner, spec_of(ARISTA), design)
    shown = text_of(page.get(reverse("settings-changes", args=[design.pk])))
    assert "150,000 to 1,501,500 B, marking 100 %" in shown
    assert "cnp.queue leaf 6 7" in shown
    assert "ecause leaf switches run Arista EOS (Cumulus Linux before)" in shown


def test_the_panel_of_versions_leads_to_it(page: Client, design: Design) -> None:
    address = reverse("settings-changes", args=[design.pk])
    panel = page.get(reverse("revisions", args=[design.pk]), {"from": "1", "to": "now"}).content.decode()
    assert f"{address}?from=1&amp;to=now" in panel


def test_without_a_version_the_page_says_how_to_make_one(page: Client, owner: User) -> None:
    row = save_design(owner, spec_of(BASE))
    assert "No version yet" in text_of(page.get(reverse("settings-changes", args=[row.pk])))


def test_only_who_may_see_versions_sees_their_changes(design: Design) -> None:
    address = reverse("settings-changes", args=[design.pk])
    reader, _, _ = visitor(design, "read")
    assert reader.get(address).status_code == 403
    assert Client().get(address).status_code == 302
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.get(address).status_code == 404
