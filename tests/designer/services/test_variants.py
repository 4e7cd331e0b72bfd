"""Variants that branch off a design, and baselines that the open one is measured against."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Baseline, Comparison, Design
from designer.services import baselines
from designer.services.baselines import MOST_BASELINES, NoBaseline, TooManyBaselines, baselines_of, mark, strip
from designer.services.designs import figures as kept_figures
from designer.services.designs.saving import save_design
from designer.services.designs.variants import branch, variant_name
from designer.wording.strip import FIGURES
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

STUDIO = {"Studio": "1"}


def made(owner: User, gpus: int = 64, name: str = "Hall") -> Design:
    values: dict[str, Any] = {
        "name": name,
        "compute": {"server": "dgx-h100", "gpus": gpus},
        "fabric": {"generation": "ndr"},
    }
    return save_design(owner, parse_spec(values, load_catalog()))


def edit(page: Client, design: Design, size: str, step: str) -> None:
    form = {
        "name": design.name,
        "compute__server": "dgx-h100",
        "size": size,
        "size_unit": "gpus",
        "fabric__generation": "ndr",
        "step": step,
    }
    assert page.post(reverse("edit", args=[design.pk]), form, headers=STUDIO).status_code == 200


class TestVariants:
    def test_a_variant_begins_as_the_design_stands_and_leaves_it_alone(self, page, owner):
        design = made(owner)
        edit(page, design, "128", "size.1")
        answer = page.post(reverse("variant", args=[design.pk]))
        variant = Design.objects.exclude(pk=design.pk).get()
        assert answer.url == reverse("design", args=[variant.pk])
        assert (variant.parent, variant.owner, variant.name) == (design, owner, "Hall, variant 1")
        assert variant.now.given["compute"]["gpus"] == 128
        edit(page, variant, "256", "size.1")
        design.refresh_from_db()
        assert design.now.given["compute"]["gpus"] == 128
        assert "variant of" in page.get(answer.url).content.decode()

    def test_while_the_form_is_invalid_the_state_that_holds_is_branched(self, page, owner):
        design = made(owner)
        edit(page, design, "many", "size.1")
        page.post(reverse("variant", args=[design.pk]))
        assert design.variants.get().given["compute"]["gpus"] == 64

    def test_names_are_distinguished_and_fit(self, owner):
        design = made(owner, name="H" * 200)
        names = [branch(owner, design).name for _ in range(3)]
        assert len(set(names)) == 3
        assert all(len(name) <= 200 and name.endswith(f", variant {n + 1}") for n, name in enumerate(names))
        design.variants.filter(name=names[0]).delete()
        assert variant_name(design) not in names[1:]

    def test_a_variant_stays_when_its_origin_goes(self, owner):
        design = made(owner)
        variant = branch(owner, design)
        design.delete()
        variant.refresh_from_db()
        assert variant.parent is None

    def test_strangers_branch_nothing(self, owner):
        design = made(owner)
        stranger = Client()
        stranger.force_login(User.objects.create_user("eve"))
        assert stranger.post(reverse("variant", args=[design.pk])).status_code == 404
        assert Design.objects.count() == 1


def cells_of(owner: User, design: Design) -> dict[str, dict[str, Any]]:
    """What the newest baseline shows beside an open design, by figure."""
    return {cell["key"]: cell for cell in strip(owner, design)["baselines"][0]["cells"]}


HTMX = {"HX-Request": "true"}


class TestBaselines:
    def test_the_page_says_how_far_the_design_is_from_it(self, page, owner):
        live = made(owner, 64)
        page.post(reverse("baselines", args=[live.pk]), {"name": "Bid 1"})
        edit(page, live, "72", "size.1")
        answer = page.get(reverse("design", args=[live.pk]))
        assert answer.context["against"]["gpus"] == 8
        words = answer.content.decode()
        assert "against the baseline “Bid 1”" in words
        cells = cells_of(owner, live.now)
        assert (cells["gpus"]["value"], cells["gpus"]["change"]["text"]) == ("64", "+8")
        assert list(cells) == [figure.key for figure in FIGURES]
        assert "now +8" in page.get(reverse("baselines", args=[live.pk])).content.decode()

    def test_it_is_frozen_whatever_is_edited_afterwards(self, page, owner, monkeypatch):
        """Its design, the design's own price book, model and catalog may change: the baseline does not."""
        live, other = made(owner), made(owner, 128, "Larger")
        marked = mark(owner, other, "Bid 1")
        before = Baseline.objects.values().get()
        cells = cells_of(owner, live)
        edit(page, other, "256", "size.1")
        monkeypatch.setattr(kept_figures, "MODEL_VERSION", "99.0")
        assert cells_of(owner, live)["gpus"] == cells["gpus"]
        other.delete()
        after = Baseline.objects.values().get()
        assert after == before | {"design_id": None}
        assert marked.figures["gpus"] == 128
        assert cells_of(owner, live)["gpus"]["value"] == "128"

    def test_a_least_figure_says_so_and_is_held_against_none(self, owner):
        live, other = made(owner), made(owner, 128, "Custom")
        values = other.now.given | {
            "compute": {"server": "custom", "nodes": 16, "gpus_per_node": 8, "nics_per_node": 8}
        }
        save_design(owner, parse_spec(values, load_catalog()), other)
        mark(owner, other)
        cells = cells_of(owner, live)
        for key in ("it_kw", "capex_usd", "usd_per_gpu"):
            assert cells[key]["value"].startswith("≥ ")
            assert cells[key]["change"] is None
        assert cells["gpus"]["change"]["text"] == "\N{MINUS SIGN}64"

    def test_while_the_form_is_invalid_the_state_that_holds_counts(self, page, owner):
        live = made(owner)
        mark(owner, live)
        edit(page, live, "72", "size.1")
        edit(page, live, "many", "size.2")
        assert cells_of(owner, live.now)["gpus"]["change"]["text"] == "+8"

    def test_nothing_is_estimated_twice_and_no_table_in_the_live_answer(self, page, owner, monkeypatch):
        live = made(owner)
        mark(owner, live)
        edit(page, live, "72", "size.1")
        monkeypatch.setattr(kept_figures, "estimate", lambda *_, **__: pytest.fail("estimated again"))
        monkeypatch.setattr(baselines, "strip", lambda *_: pytest.fail("asked for by a live answer"))
        edit(page, live, "80", "size.2")
        assert cells_of(owner, live.now)["gpus"]["change"]["text"] == "+16"

    def test_six_are_the_most(self, page, owner):
        live = made(owner)
        for number in range(MOST_BASELINES):
            mark(owner, live, f"Bid {number}")
        with pytest.raises(TooManyBaselines, match="There are 6 baselines"):
            mark(owner, live, "Bid 7")
        answer = page.post(reverse("baselines", args=[live.pk]), {"name": "Bid 7"}, headers=HTMX).content.decode()
        assert "Remove one of them first" in answer
        assert 'value="Bid 7"' in answer
        assert [one.name for one in baselines_of(owner)] == [f"Bid {n}" for n in reversed(range(MOST_BASELINES))]

    def test_one_that_cannot_be_built_is_none(self, owner):
        values = {
            "name": "Too large",
            "compute": {"server": "dgx-h100", "gpus": 4096},
            "fabric": {"generation": "ndr", "tiers": 1},
        }
        with pytest.raises(NoBaseline, match="cannot be built"):
            mark(owner, save_design(owner, parse_spec(values, load_catalog())))

    def test_they_come_and_go_with_the_strip_of_figures(self, page, owner):
        live = made(owner)
        address = reverse("baselines", args=[live.pk])
        assert "Mark this state" in page.get(address, {"panel": "1"}, headers=HTMX).content.decode()
        answer = page.post(address, {"name": "Bid 1"}, headers=HTMX).content.decode()
        assert all(text in answer for text in ('id="baselines"', 'data-count="1"', 'id="summary"', "“Bid 1” is frozen"))
        pk = Baseline.objects.get().pk
        answer = page.post(reverse("baseline-remove", args=[live.pk, pk]), headers=HTMX).content.decode()
        assert 'data-count="0"' in answer
        assert not Baseline.objects.exists()

    def test_compare_puts_the_design_as_it_stands_beside_them(self, page, owner):
        live = made(owner, 64)
        mark(owner, live, "Bid 1")
        edit(page, live, "256", "size.1")
        answer = page.post(reverse("baselines-compare", args=[live.pk]))
        comparison = Comparison.objects.get()
        assert answer.url == reverse("comparison", args=[comparison.pk])
        assert [(item["label"], item["gpus"]) for item in comparison.result["items"]] == [("Bid 1", 64), ("Hall", 256)]
        assert comparison.baseline == 0

    def test_without_one_there_is_nothing_to_compare(self, page, owner):
        answer = page.post(reverse("baselines-compare", args=[made(owner).pk]), follow=True)
        assert "no baseline to compare with" in answer.content.decode()
        assert not Comparison.objects.exists()

    def test_strangers_mark_and_see_nothing(self, owner):
        design = made(owner)
        marked = mark(owner, design)
        eve = User.objects.create_user("eve")
        stranger = Client()
        stranger.force_login(eve)
        own = made(eve, name="Eve's")
        for address in (
            reverse("baselines", args=[design.pk]),
            reverse("baseline-remove", args=[design.pk, marked.pk]),
            reverse("baseline-remove", args=[own.pk, marked.pk]),
        ):
            assert stranger.post(address).status_code == 404
        assert 'data-count="0"' in stranger.get(reverse("baselines", args=[own.pk])).content.decode()
        assert Baseline.objects.count() == 1

    def test_one_that_was_a_pin_gets_its_figures_when_it_is_first_shown(self, owner):
        live = made(owner)
        Baseline.objects.create(owner=owner, design=live, name="Hall", given=live.given, spec_hash=live.spec_hash)
        assert cells_of(owner, live)["gpus"]["value"] == "64"
        assert Baseline.objects.get().figures["gpus"] == 64
