"""Variants that branch off a design, and designs that are pinned beside the open one."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer import kept_figures, pins
from designer.models import Comparison, Design, Pin
from designer.pins import MOST_PINS, TooManyPins, pin, pinned, strip, unpin
from designer.services import save_design
from designer.summary import FIGURES
from designer.templatetags.units import usd
from designer.variants import branch, variant_name
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.spec import parse_spec

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
    form = {"name": design.name, "compute__server": "dgx-h100", "size": size, "size_unit": "gpus",
            "fabric__generation": "ndr", "step": step}  # fmt: skip
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

    def test_names_are_told_apart_and_fit(self, owner):
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
    """What the first pinned design shows beside an open one, by figure."""
    return {cell["key"]: cell for cell in strip(owner, design)["pins"][0]["cells"]}


class TestPins:
    def test_figures_of_each_stand_beside_the_live_ones(self, page, owner):
        live, other = made(owner, 64), made(owner, 128, "Larger")
        pin(owner, other)
        edit(page, live, "72", "size.1")
        live.refresh_from_db()
        cells = cells_of(owner, live)
        expected = estimate(
            [parse_spec(other.now.given, load_catalog())], load_catalog(), parts=("counts", "bom", "cost")
        )
        assert cells["capex_usd"]["value"] == usd(expected[0].as_json()["cost"]["capex_usd"]["total"]["typical"])
        assert cells["gpus"]["change"]["text"] == "+56"
        assert list(cells) == [figure.key for figure in FIGURES]
        words = page.get(reverse("pins", args=[live.pk])).content.decode()
        assert "Larger" in words
        assert "+56" in words

    def test_a_least_figure_says_so_and_is_held_against_none(self, owner):
        live, other = made(owner), made(owner, 128, "Custom")
        values = other.now.given | {
            "compute": {"server": "custom", "nodes": 16, "gpus_per_node": 8, "nics_per_node": 8}
        }
        save_design(owner, parse_spec(values, load_catalog()), other)
        pin(owner, other)
        cells = cells_of(owner, live)
        for key in ("it_kw", "capex_usd", "usd_per_gpu"):
            assert cells[key]["value"].startswith("≥ ")
            assert cells[key]["change"] is None
        assert cells["gpus"]["change"]["text"] == "+64"

    def test_a_pinned_design_is_shown_as_it_stands(self, page, owner):
        live, other = made(owner), made(owner, 128, "Larger")
        pin(owner, other)
        edit(page, other, "256", "size.1")
        assert cells_of(owner, live)["gpus"]["value"] == "256"
        page.post(reverse("undo", args=[other.pk]))
        assert cells_of(owner, live)["gpus"]["value"] == "128"

    def test_while_the_open_one_is_invalid_its_last_figures_count(self, page, owner):
        live, other = made(owner), made(owner, 128, "Larger")
        pin(owner, other)
        edit(page, live, "72", "size.1")
        edit(page, live, "many", "size.2")
        live.refresh_from_db()
        assert cells_of(owner, live)["gpus"]["change"]["text"] == "+56"

    def test_nothing_is_estimated_twice_and_nothing_in_the_live_answer(self, page, owner, monkeypatch):
        live, other = made(owner), made(owner, 128, "Larger")
        pin(owner, other)
        edit(page, live, "72", "size.1")
        live.refresh_from_db()
        strip(owner, live)
        monkeypatch.setattr(kept_figures, "estimate", lambda *_, **__: pytest.fail("estimated again"))
        monkeypatch.setattr(pins, "strip", lambda *_: pytest.fail("asked for by a live answer"))
        edit(page, live, "80", "size.2")
        live.refresh_from_db()
        assert cells_of(owner, live)["gpus"]["change"]["text"] == "+48"

    def test_six_are_the_most(self, page, owner):
        designs = [made(owner, 64 + 8 * n, f"Hall {n}") for n in range(MOST_PINS + 1)]
        for design in designs[:-1]:
            pin(owner, design)
        pin(owner, designs[0])
        with pytest.raises(TooManyPins, match="6 designs are pinned"):
            pin(owner, designs[-1])
        answer = page.post(reverse("pin", args=[designs[-1].pk]), headers={"HX-Request": "true"})
        assert "Unpin one of them first" in answer.content.decode()
        assert pinned(owner) == designs[:-1]

    def test_pins_come_and_go_on_the_page_they_are_asked_from(self, page, owner):
        live, other = made(owner), made(owner, 128, "Larger")
        htmx = {"HX-Request": "true"}
        page.post(reverse("pin", args=[other.pk]), {"do": "pin"})
        assert "Larger" in page.get(reverse("design", args=[live.pk])).content.decode()
        answer = page.post(reverse("pin", args=[other.pk]), {"do": "unpin", "open": str(live.pk)}, headers=htmx)
        assert 'data-count="0"' in answer.content.decode()
        assert 'id="pin-button"' in answer.content.decode()
        assert not Pin.objects.exists()

    def test_a_deleted_design_takes_its_pin_along(self, owner):
        design = made(owner)
        pin(owner, design)
        design.delete()
        assert pinned(owner) == []

    def test_compare_opens_a_comparison_of_all_as_they_stand(self, page, owner):
        live, saved, drafted = made(owner, 64), made(owner, 128, "Saved"), made(owner, 64, "Drafted")
        pin(owner, saved)
        pin(owner, drafted)
        pin(owner, live)
        edit(page, drafted, "256", "size.1")
        answer = page.post(reverse("pins-compare", args=[live.pk]))
        comparison = Comparison.objects.get()
        assert answer.url == reverse("comparison", args=[comparison.pk])
        assert [side["label"] for side in comparison.specs] == ["Hall", "Saved", "Drafted"]
        assert [bool(side["design"]) for side in comparison.specs] == [True, True, True]
        assert comparison.specs[2]["spec"]["compute"]["gpus"] == 256
        assert comparison.baseline == 0

    def test_with_nothing_else_pinned_there_is_nothing_to_compare(self, page, owner):
        live = made(owner)
        pin(owner, live)
        answer = page.post(reverse("pins-compare", args=[live.pk]), follow=True)
        assert "No other design is pinned" in answer.content.decode()
        assert not Comparison.objects.exists()

    def test_strangers_pin_and_see_nothing(self, owner):
        design = made(owner)
        pin(owner, design)
        eve = User.objects.create_user("eve")
        stranger = Client()
        stranger.force_login(eve)
        assert stranger.get(reverse("pins", args=[design.pk])).status_code == 404
        assert stranger.post(reverse("pin", args=[design.pk])).status_code == 404
        own = made(eve, name="Eve's")
        answer = stranger.post(reverse("pin", args=[own.pk]), {"open": str(design.pk)}, headers={"HX-Request": "true"})
        assert reverse("pins", args=[own.pk]) in answer.content.decode()
        assert str(design.pk) not in answer.content.decode()

    def test_without_its_cache_figures_are_made_anew(self, owner, monkeypatch):
        class Away:
            def __getattr__(self, name: str) -> Any:
                raise ConnectionError("away")

        live, other = made(owner), made(owner, 128, "Larger")
        pin(owner, other)
        monkeypatch.setattr(kept_figures, "cache", Away())
        assert cells_of(owner, live)["gpus"]["value"] == "128"
        unpin(owner, other)
        assert strip(owner, live)["pins"] == []
