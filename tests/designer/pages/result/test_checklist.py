"""The page of the checklist: ticking from two browsers, who may, other states of the design, printing, files."""

import csv
import html
import io
import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import ChecklistTick, Design
from designer.services.bringup.checklists import checklist_now
from designer.services.designs.saving import save_design
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.pages.design.test_sharing import visitor
from tests.designer.pages.result.test_asbuilt import text_of

pytestmark = pytest.mark.django_db
SPEC = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}
HTMX: Mapping[str, str] = {"HX-Request": "true"}
NONE: Mapping[str, str] = {}


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(SPEC, load_catalog()))


def address(design: Design) -> str:
    return reverse("checklist", args=[design.pk])


def send(
    page: Client, design: Design, item: str, version: int = 0, done: str = "yes", headers: Mapping[str, str] = NONE
) -> Any:
    given = {"item": item, "version": str(version), "done": done, "day": "1", "crew": ""}
    return page.post(reverse("checklist-tick", args=[design.pk]), given, headers=headers)


def first_code(design: Design) -> str:
    return checklist_now(design).items[0].code


def test_a_day_is_shown_with_its_crews_and_counts(page: Client, design: Design) -> None:
    made = checklist_now(design)
    shown = text_of(page.get(address(design)))
    assert f"0 of {len(made.items)} items done" in shown
    assert "Day 1: Racks" in shown
    assert "Place rack-001" in shown
    of_cabling = text_of(page.get(address(design), {"crew": "cabling"}))
    assert "Pull" in of_cabling or "Transceivers in" in of_cabling
    assert "Place rack-001" not in of_cabling
    whole = page.get(address(design), {"day": "all"}).content.decode()
    assert whole.count('class="check-item') == len(made.items)
    for day in ("0", "99999", "x", "-1"):
        assert page.get(address(design), {"day": day, "crew": "nobody"}).status_code == 200


def test_days_are_those_with_work_and_of_many_the_near_ones(
    page: Client, design: Design, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = checklist_now(design)
    days = re.compile(r'<span class="visually-hidden">Day </span>(\d+)')
    last = max(item.last_day for item in made.items if item.crew == "racks")
    racks = page.get(address(design), {"crew": "racks"}).content.decode()
    assert [int(number) for number in days.findall(racks)] == list(range(1, last + 1))
    assert "✓" not in racks
    large = save_design(owner, parse_spec({**SPEC, "compute": {"server": "dgx-h100", "nodes": 600}}, load_catalog()))
    n_days = checklist_now(large).days
    monkeypatch.setattr("designer.pages.result.bringup.checklist.MOST_DAYS", n_days - 1)
    monkeypatch.setattr("designer.pages.result.bringup.checklist.NEAR", 3)
    near = [int(number) for number in days.findall(page.get(address(large), {"day": "10"}).content.decode())]
    assert near == [1, *range(7, 14), n_days]


def test_a_tick_is_kept_with_who_and_when(page: Client, design: Design) -> None:
    code = first_code(design)
    answer = send(page, design, code, headers=HTMX)
    assert answer.status_code == 200
    words = answer.content.decode()
    assert 'aria-pressed="true"' in words
    assert 'id="check-done"' in words
    assert "1 of" in text_of(answer)
    kept = ChecklistTick.objects.get()
    assert (kept.item, kept.is_done, kept.by, kept.version) == (code, True, "ada", 1)
    assert 'aria-pressed="true"' in page.get(address(design), {"day": "1"}).content.decode()
    back = send(page, design, code, version=1, done="no", headers=HTMX)
    assert 'aria-pressed="false"' in back.content.decode()
    assert "Taken back by ada" in text_of(back)


def test_two_browsers_do_not_overwrite_each_other(page: Client, design: Design, owner: User) -> None:
    other, _, _ = visitor(design, "edit")
    codes = [item.code for item in checklist_now(design).items[:2]]
    assert send(page, design, codes[0], headers=HTMX).status_code == 200
    assert send(other, design, codes[1], headers=HTMX).status_code == 200  # another item: no conflict
    assert {tick.item: tick.by.split()[0] for tick in ChecklistTick.objects.all()} == {
        codes[0]: "ada",
        codes[1]: "Guest",
    }
    late = send(other, design, codes[0], headers=HTMX)  # has seen it without a tick
    assert "ada ticked" in text_of(late)
    assert ChecklistTick.objects.get(item=codes[0]).by == "ada"
    assert send(page, design, codes[0], version=1, done="no", headers=HTMX).status_code == 200
    stale = send(other, design, codes[0], version=1, done="no", headers=HTMX)
    assert "ada took back" in text_of(stale)
    assert 'name="version" value="2"' in stale.content.decode()
    again = send(other, design, codes[0], version=2, headers=HTMX)
    assert "Guest" in text_of(again)
    assert ChecklistTick.objects.get(item=codes[0]).version == 3


def test_ticks_of_others_appear_on_a_page_that_is_open(page: Client, design: Design) -> None:
    other, _, _ = visitor(design, "edit")
    first, second = (item.code for item in checklist_now(design).items[:2])
    send(page, design, first, headers=HTMX)
    loaded = other.get(address(design), {"day": "1"}).content.decode()
    (news,) = [html.unescape(one) for one in re.findall(r'hx-get="([^"]+/news/[^"]+)" hx-trigger="every', loaded)]
    assert other.get(news).status_code == 204  # nothing is new
    send(page, design, second, headers=HTMX)
    answer = other.get(news)
    words = answer.content.decode()
    assert re.search(r'id="item-2" hx-swap-oob="true">', words)
    assert "2 of" in text_of(answer)
    (again,) = [html.unescape(one) for one in re.findall(r'hx-get="([^"]+/news/[^"]+)" hx-trigger="every', words)]
    assert other.get(again).status_code == 204
    send(page, design, second, version=1, done="no", headers=HTMX)
    assert "Taken back by ada" in text_of(other.get(again))
    # of another crew nothing is sent but the count, and nonsense is as having seen nothing
    elsewhere = other.get(again.replace("crew=", "crew=cabling")).content.decode()
    assert 'id="item-' not in elsewhere
    assert 'id="check-done"' in elsewhere
    assert 'id="item-1"' in other.get(re.sub("seen=[^&]+", "seen=x", again)).content.decode()
    assert Client().get(news).status_code == 302


def test_a_new_state_keeps_the_ticks_of_items_that_still_exist(page: Client, design: Design, owner: User) -> None:
    made = checklist_now(design)
    grown = parse_spec({**SPEC, "compute": {"server": "dgx-h100", "nodes": 20}}, load_catalog())
    small = {item.code: item for item in made.items}
    kept, changed = "rack/rack-001", "cable/compute/node-leaf/leaf-r1-001"
    assert {kept, changed} <= small.keys()
    for code in (kept, changed, "gate/pcie"):
        assert send(page, design, code, headers=HTMX).status_code == 200
    save_design(owner, grown, design)
    design.refresh_from_db()
    after = {item.code: item for item in checklist_now(design).items}
    assert after[kept].content == small[kept].content
    assert after[changed].content != small[changed].content
    whole = text_of(page.get(address(design), {"day": "all"}))
    assert f"1 of {len(after)} items done; 2 ticked for something else than the design has now" in whole
    assert whole.count("look again") == 2
    save_design(owner, parse_spec(SPEC, load_catalog()), design)
    assert f"3 of {len(small)} items done" in text_of(page.get(address(design)))


def test_only_who_may_edit_ticks(page: Client, design: Design) -> None:
    code = first_code(design)
    reader, _, _ = visitor(design, "read")
    shown = reader.get(address(design)).content.decode()
    assert "checklist/tick" not in shown
    assert "those who may edit" in shown
    assert send(reader, design, code).status_code == 403
    assert Client().get(address(design)).status_code == 302
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.get(address(design)).status_code == 404
    assert send(stranger, design, code).status_code == 404
    assert not ChecklistTick.objects.exists()


def test_without_scripts_the_page_comes_again(page: Client, design: Design) -> None:
    code = first_code(design)
    answer = send(page, design, code)
    assert answer.status_code == 302
    assert answer["Location"] == f"{address(design)}?day=1#item-1"
    late = page.post(
        reverse("checklist-tick", args=[design.pk]), {"item": code, "version": "0", "done": "no"}, follow=True
    )
    assert "ada ticked" in text_of(late)
    assert ChecklistTick.objects.get().is_done


@pytest.mark.parametrize("item", ["", "nothing/here", "<script>alert(1)</script>", "x" * 5000])
def test_an_item_that_is_not_there_is_refused(page: Client, design: Design, item: str) -> None:
    answer = page.post(
        reverse("checklist-tick", args=[design.pk]), {"item": item, "version": "9" * 30, "done": "yes"}, follow=True
    )
    assert "The checklist has no item" in text_of(answer)
    assert b"<script>alert" not in answer.content
    assert not ChecklistTick.objects.exists()


def test_files_say_what_is_done(page: Client, design: Design) -> None:
    made = checklist_now(design)
    send(page, design, made.items[1].code)
    table = page.get(address(design), {"format": "csv"})
    assert 'filename="checklist.csv"' in table["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(table.content.decode())))
    assert [row["done"] for row in rows[:3]] == ["no", "yes", "no"]
    assert rows[1]["by"] == "ada"
    whole = page.get(address(design), {"format": "json"}).json()
    assert [item["done"] for item in whole["items"][:3]] == [False, True, False]


def test_a_design_that_cannot_be_built_says_so(page: Client, owner: User, design: Design) -> None:
    impossible = {**SPEC, "compute": {"server": "dgx-h100", "nodes": 4000}, "fabric": {"generation": "ndr", "tiers": 1}}
    Design.objects.filter(pk=design.pk).update(spec=impossible, spec_hash="0" * 16)
    answer = page.get(address(design))
    assert answer.status_code == 422
    assert "This design has no checklist" in text_of(answer)


def test_the_tab_leads_to_checklist_and_acceptance(page: Client, owner: User, sent: list[str]) -> None:
    from tests.designer.pages.result.test_acceptance import estimated

    design, job = estimated(owner, SPEC)
    send(page, design, first_code(design))
    tab = page.get(reverse("design", args=[design.pk]), {"tab": "bringup"})
    words = tab.content.decode()
    assert address(design) in words
    assert reverse("acceptance", args=[design.pk, job.pk]) in words
    assert re.search(r"1 of \d+", text_of(tab))
