"""The session of a design: every edit is kept, steps go back and forth to the byte, other tabs are told, estimates follow."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from designer.forms.design import DesignForm
from designer.models import Design
from designer.services.designs import edits, saving
from designer.services.designs.edits import (
    ChangedMeanwhile,
    move,
    record,
    start_state,
    typed_now,
)
from designer.services.designs.figures import figures_of_spec, kept
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import request_draft, request_estimate, save_design, save_version
from designer.wording.headlines import MONEY, Headlines, changes
from designer.wording.strip import summary_cells
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import caller
from tests.thorough import n_examples

SUPERPOD = SAMPLES[0]
HALL_TYPED = {"compute__server": "dgx-h100", "size": "1024", "size_unit": "gpus", "fabric__generation": "ndr"}
HALL = {"compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr"}}

pytestmark = pytest.mark.django_db


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, SUPERPOD.spec())


def edit(page: Client, design: Design, typed: dict[str, str], step: str, base: int | str | None = None) -> Any:
    asked = {"step": step} | ({} if base is None else {"base": str(base)})
    return page.post(reverse("edit", args=[design.pk]), typed | asked)


def random_edit(rng: random.Random, typed: dict[str, str]) -> dict[str, str]:
    """The form after somebody typed into one field, sensibly or not."""
    name, value = rng.choice(
        [
            ("name", f"Design {rng.random():.6f}"),
            ("size", str(rng.randrange(1, 3000))),
            ("size", "many"),
            ("fabric__oversubscription", f"{rng.randrange(1, 6)}:1"),
            ("fabric__planes", str(rng.randrange(0, 4))),
            ("economics__years", str(rng.randrange(1, 9))),
            ("economics__pue", f"1.{rng.randrange(1, 9)}"),
            ("site__node_leaf_m", str(rng.randrange(1, 90))),
            ("fabric__leaf_radix", ""),
        ]
    )
    return typed | {name: value}


class TestSteps:
    def test_fifty_edits_are_taken_back_to_the_first_state_to_the_byte(self, page: Client, design: Design) -> None:
        rng = random.Random(5)
        states = [start_state(design)]
        for number in range(50):
            typed = random_edit(rng, states[-1])
            while typed == states[-1]:
                typed = random_edit(rng, states[-1])
            states.append(typed)
            assert edit(page, design, typed, f"step {number}").status_code == 200
        design.refresh_from_db()
        assert typed_now(design) == states[-1]
        for expected in reversed(states[:-1]):
            page.post(reverse("undo", args=[design.pk]))
            design.refresh_from_db()
            assert typed_now(design) == expected
        assert typed_now(design) == start_state(design)
        for expected in states[1:]:
            page.post(reverse("redo", args=[design.pk]))
            design.refresh_from_db()
            assert typed_now(design) == expected

    def test_a_word_typed_letter_by_letter_is_one_step(self, page: Client, design: Design) -> None:
        start = start_state(design)
        for word in ("A", "AB", "ABC"):
            edit(page, design, start | {"name": word}, "name.1")
        edit(page, design, start | {"name": "ABC", "size": "64"}, "size.2")
        assert [row.typed["name"] for row in design.edits.all()] == [start["name"], "ABC", "ABC"]

    def test_a_new_edit_ends_what_could_be_done_again(self, page: Client, design: Design) -> None:
        start = start_state(design)
        for number in range(3):
            edit(page, design, start | {"size": str(64 + number)}, f"s{number}")
        for _ in range(2):
            page.post(reverse("undo", args=[design.pk]))
        edit(page, design, start | {"size": "900"}, "other")
        sizes = [row.typed["size"] for row in design.edits.all()]
        assert sizes == [start["size"], "64", "900"]
        assert move(Design.objects.get(pk=design.pk), 1) is None

    def test_at_either_end_there_is_no_step(self, page: Client, design: Design) -> None:
        assert move(design, -1) is None
        edit(page, design, start_state(design) | {"size": "64"}, "s")
        design.refresh_from_db()
        assert move(design, 1) is None
        assert move(design, -1) is not None
        assert move(design, -1) is None

    def test_what_is_invalid_is_kept_as_it_was_typed(self, page: Client, design: Design) -> None:
        edit(page, design, start_state(design) | {"fabric__oversubscription": "0:1 please"}, "s")
        words = page.get(reverse("design", args=[design.pk])).content.decode()
        assert 'value="0:1 please"' in words
        assert 'data-problem-field="fabric__oversubscription"' in words

    def test_the_oldest_edits_give_way(self, design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
        assert edits.EDITS_KEPT >= 100
        monkeypatch.setattr(edits, "EDITS_KEPT", 20)
        start = start_state(design)
        for number in range(25):
            record(design, start | {"size": str(number + 1)}, f"s{number}", None)
        assert design.edits.count() == 20
        assert typed_now(design) == start | {"size": "25"}

    def test_a_restored_version_is_a_step_too(self, page: Client, design: Design, sent: list[str]) -> None:
        save_version(design, "As published")
        typed = start_state(design) | {"size": "64"}
        edit(page, design, typed, "s")
        page.post(reverse("revision-restore", args=[design.pk, 1]))
        design.refresh_from_db()
        assert typed_now(design) == start_state(design)
        page.post(reverse("undo", args=[design.pk]))
        design.refresh_from_db()
        assert typed_now(design) == typed


class TestTabs:
    def test_a_tab_that_was_overtaken_learns_it_and_nothing_is_lost(self, page: Client, design: Design) -> None:
        start = start_state(design)
        edit(page, design, start | {"size": "64"}, "here.1")
        design.refresh_from_db()
        seen = design.state_number
        edit(page, design, start | {"size": "128"}, "there.1", seen)
        answer = edit(page, design, start | {"size": "256"}, "here.2", seen)
        assert answer.status_code == 409
        assert "Changed by two" in answer.content.decode()
        design.refresh_from_db()
        assert (typed_now(design) or {})["size"] == "128"
        assert edit(page, design, start | {"size": "256"}, "here.2", design.state_number).status_code == 200

    def test_an_edit_that_is_sent_again_after_a_lost_answer_is_no_conflict(self, page: Client, design: Design) -> None:
        typed = start_state(design) | {"size": "64"}
        first = edit(page, design, typed, "here.1", 1)
        again = edit(page, design, typed, "here.1", 1)
        assert (first.status_code, again.status_code) == (200, 200)
        assert design.edits.count() == 2

    def test_a_state_that_grew_within_one_step_is_no_longer_the_one_that_was_seen(
        self, page: Client, design: Design
    ) -> None:
        start = start_state(design)
        edit(page, design, start | {"size": "1"}, "there.1")
        design.refresh_from_db()
        seen = design.state_number
        edit(page, design, start | {"size": "1024"}, "there.1", seen)
        assert edit(page, design, start | {"size": "1", "name": "Late"}, "here.1", seen).status_code == 409
        assert page.get(reverse("state", args=[design.pk]), {"at": seen}).status_code == 200
        design.refresh_from_db()
        assert page.get(reverse("state", args=[design.pk]), {"at": design.state_number}).status_code == 204

    def test_a_revision_over_rest_is_the_current_state(self, page: Client, design: Design, owner: User) -> None:
        edit(page, design, start_state(design) | {"size": "64"}, "there.1")
        answer = caller(owner)("PATCH", f"designs/{design.pk}/", {"spec": HALL | {"name": "Over REST"}})
        assert answer.status_code == 200, answer.json()
        design.refresh_from_db()
        assert (typed_now(design) or {})["size"] == "32"
        assert design.name == "Over REST"

    def test_an_older_base_is_refused_by_name(self, design: Design) -> None:
        record(design, start_state(design) | {"size": "64"}, "a", None)
        with pytest.raises(ChangedMeanwhile):
            record(design, start_state(design) | {"size": "65"}, "b", None, seen=1)


class TestNewDesign:
    def test_the_first_edit_makes_the_design_and_tells_its_address(self, page: Client, owner: User) -> None:
        typed = {
            "name": "Fresh",
            "compute__server": "dgx-h100",
            "size": "64",
            "size_unit": "gpus",
            "fabric__generation": "ndr",
        }
        answer = page.post(reverse("edit-new"), typed | {"step": "name.1"})
        made = owner.designs.get()
        assert answer["Design-Opened"] == reverse("design", args=[made.pk])
        assert typed_now(made) == typed
        assert not made.revisions.exists()
        page.post(reverse("undo", args=[made.pk]))
        made.refresh_from_db()
        assert (typed_now(made) or {})["size"] == "1024"

    def test_a_first_edit_that_is_sent_again_makes_no_second_design(self, page: Client, owner: User) -> None:
        first, again = (page.post(reverse("edit-new"), {"name": "Mine", "step": "name.1"}) for _ in range(2))
        assert first["Design-Opened"] == again["Design-Opened"]
        made = owner.designs.get()
        assert made.edits.count() == 2
        page.post(reverse("edit-new"), {"name": "Mine", "step": "name.2"})
        assert owner.designs.count() == 2

    def test_it_is_called_by_what_it_is_until_somebody_names_it(self, page: Client, owner: User) -> None:
        def typed(**more: str) -> str:
            edit(page, made, start_state(made) | more, f"s{more}")
            made.refresh_from_db()
            return made.name

        for step in ("name.1", "name.2"):
            page.post(reverse("edit-new"), {**HALL_TYPED, "step": step})
        first, made = owner.designs.order_by("created_at")
        assert (first.name, made.name) == ("1,024 × H100, NDR", "1,024 × H100, NDR (2)")
        assert 'placeholder="1,024 × H100, NDR"' in str(DesignForm(values=made.given, resolved=made.spec)["name"])
        assert typed(size="2048") == "2,048 × H100, NDR"
        assert typed(size="many") == "2,048 × H100, NDR"
        assert typed(size="512", fabric__oversubscription="2:1") == "512 × H100, NDR, 2:1"
        assert typed(name="Hall 3") == typed(name="Hall 3", size="64") == "Hall 3"
        page.post(reverse("undo", args=[made.pk]))
        page.post(reverse("undo", args=[made.pk]))
        made.refresh_from_db()
        assert made.name == "512 × H100, NDR, 2:1"

    def test_a_sample_begins_where_its_page_began(self, page: Client, owner: User) -> None:
        page.post(f"{reverse('edit-new')}?sample={SUPERPOD.key}", {"name": "Mine", "step": "name.1"})
        assert owner.designs.get().spec_hash == spec_hash(SUPERPOD.spec())


class TestEstimates:
    def test_the_estimate_follows_the_current_state(
        self, page: Client, design: Design, owner: User, sent: list[str]
    ) -> None:
        edit(page, design, start_state(design) | {"size": "64"}, "s")
        page.post(reverse("settle", args=[design.pk]))
        job = owner.estimate_jobs.get()
        assert job.is_draft
        assert job.spec["compute"]["nodes"] == 64
        page.post(reverse("settle", args=[design.pk]))
        assert owner.estimate_jobs.count() == 1

    def test_the_state_that_holds_is_estimated_while_the_form_cannot_be_built(
        self, page: Client, design: Design, owner: User, sent: list[str]
    ) -> None:
        for change in ({"size": "0"}, {"size": "4096", "fabric__tiers": "2"}):
            edit(page, design, start_state(design) | change, str(change))
            assert page.post(reverse("settle", args=[design.pk])).status_code == 200
        assert owner.estimate_jobs.get().spec_hash == spec_hash(SUPERPOD.spec()) == design.now.spec_hash

    def test_where_too_many_run_the_estimate_is_asked_for_again(
        self, page: Client, design: Design, owner: User, sent: list[str], settings: Any
    ) -> None:
        settings.ACTIVE_JOBS_PER_USER = 1
        other = request_draft(owner, SUPERPOD.spec())
        edit(page, design, start_state(design) | {"size": "64"}, "s")
        for follow, target in (("1", "#follow"), ("", "#job")):
            answer = page.post(reverse("settle", args=[design.pk]), {"follow": follow}).content.decode()
            again = re.search(r'hx-post="([^"]+)" hx-trigger="load delay:2s" hx-target="([^"]+)"', answer)
            assert again is not None
            assert again.groups() == (reverse("settle", args=[design.pk]), target)
        assert list(owner.estimate_jobs.all()) == [other]
        tasks.run_estimate(str(other.pk))
        assert "hx-get" in page.post(reverse("settle", args=[design.pk]), {"follow": "1"}).content.decode()
        assert owner.estimate_jobs.count() == 2

    def test_drafts_are_cleared_and_what_was_saved_stays(
        self, owner: User, sent: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(saving, "DRAFTS_KEPT", 2)
        saved, _ = request_estimate(owner, SUPERPOD.spec())
        tasks.run_estimate(str(saved.pk))
        drafts = []
        for nodes in (8, 16, 24, 32):
            values = SUPERPOD.values | {"compute": {"server": "dgx-h100", "nodes": nodes}, "name": str(nodes)}
            job = request_draft(owner, type(SUPERPOD)("k", "", "", "", values).spec())
            tasks.run_estimate(str(job.pk))
            drafts.append(job.pk)
        left = set(owner.estimate_jobs.values_list("pk", flat=True))
        assert saved.pk in left
        assert drafts[0] not in left
        assert drafts[-1] in left

    def test_a_draft_that_is_saved_is_none_any_more(self, owner: User, sent: list[str]) -> None:
        job = request_draft(owner, SUPERPOD.spec())
        request_estimate(owner, SUPERPOD.spec())
        assert not EstimateJob.objects.get(pk=job.pk).is_draft


class TestAccess:
    @pytest.mark.parametrize("name", ["edit", "undo", "redo", "settle", "state"])
    def test_another_s_design_is_not_there(self, name: str, design: Design) -> None:
        stranger = Client()
        stranger.force_login(User.objects.create_user("eve", password="another long password"))
        address = reverse(name, args=[design.pk])
        answer = stranger.get(address) if name == "state" else stranger.post(address, {"size": "8"})
        assert answer.status_code == 404
        assert not design.edits.exists()

    def test_a_form_that_is_too_big_is_refused(self, page: Client, design: Design) -> None:
        assert edit(page, design, {"name": "x" * 2_500_000}, "s").status_code == 413
        assert not design.edits.exists()

    def test_a_null_character_does_not_break_it(self, page: Client, design: Design) -> None:
        assert edit(page, design, start_state(design) | {"name": "a\x00b"}, "s").status_code == 200
        assert (typed_now(Design.objects.get(pk=design.pk)) or {})["name"] == "ab"


@settings(max_examples=n_examples(30))
@given(st.dictionaries(st.sampled_from(["gpus", "switches", "capex_usd"]), st.one_of(st.none(), st.integers(0, 9))))
def test_changes_are_differences_of_what_both_know(before: dict[str, Any]) -> None:
    now = {"gpus": 4, "switches": None, "capex_usd": 7}
    here, there = Headlines.from_json(now), Headlines.from_json(before)
    found = changes(here, there)
    known = {key: now[key] - value for key, value in before.items() if value is not None and now[key] is not None}
    assert found == {key: value for key, value in known.items() if value}
    assert changes(None, there) == changes(here, None) == {}


def test_figures_show_what_the_last_edit_moved(page: Client, design: Design) -> None:
    edit(page, design, start_state(design) | {"size": "64"}, "s")
    rows = list(design.edits.all())
    assert rows[0].figures["gpus"] == 127 * 8
    assert changes(kept(rows[1]), kept(rows[0]))["gpus"] == (64 - 127) * 8


class TestFloors:
    LACKING: dict[str, Any] = {
        "name": "x",
        "compute": {"server": "dgx-h100", "nodes": 128},
        "fabric": {"generation": "hdr", "leaf_switch": "nvidia-qm8700", "spine_switch": "nvidia-qm9700"},
    }

    def figures(self, values: dict[str, Any]) -> Headlines:
        made = figures_of_spec(parse_spec(values, load_catalog()))
        assert made is not None
        return made

    def test_cables_that_the_catalog_lacks_are_not_known_and_no_saving(self) -> None:
        before, now = self.figures(SUPERPOD.values), self.figures(self.LACKING)
        moved = changes(now, before)
        assert set(now.floors) == {"cables", "modules", "it_kw", *MONEY}
        assert not set(moved) & set(now.floors)
        assert moved["switches"] == now.switches - before.switches
        cells = {cell["key"]: cell["value"] for cell in summary_cells(now, moved)}
        assert (cells["cables"], cells["modules"]) == ("–", "–")
        assert cells["capex_usd"].startswith("≥ $")

    def test_a_change_of_the_hourly_cost_alone_is_shown_beside_the_price(self) -> None:
        before = self.figures(SUPERPOD.values)
        now = self.figures(SUPERPOD.values | {"economics": {"years": 6}})
        cells = {cell["key"]: cell["change"] for cell in summary_cells(now, changes(now, before))}
        assert cells["capex_usd"] is None
        assert cells["usd_per_gpu"]["text"].endswith(" an hour")
        assert cells["usd_per_gpu"]["tone"] == "better"
