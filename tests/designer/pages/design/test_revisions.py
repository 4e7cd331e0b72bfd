"""Named versions: what differs between any two in words, the panel that lists them, their pages, and going back."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Comparison, Design
from designer.pages.design.revision_diff import answer_rows, figure_words, revision_diff
from designer.services.comparisons import is_outdated, refresh
from designer.services.designs.edits import typed_now
from designer.services.designs.saving import request_estimate, save_design, save_version
from designer.wording.headlines import Headlines
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec

pytestmark = pytest.mark.django_db

HALL = {
    "name": "Hall 3",
    "compute": {"server": "dgx-h100", "gpus": 1024},
    "fabric": {"generation": "ndr", "layout": "rail-optimized", "oversubscription": "1:1"},
}
FIGURES = {
    "gpus": 1024,
    "leaf": 32,
    "spine": 16,
    "core": 0,
    "switches": 48,
    "cables": 2048,
    "modules": 3072,
    "it_kw": 1310.0,
    "capex_usd": 50_000_000,
    "usd_per_gpu": 48_800,
    "built": "4:3",
    "busbw_gb_s": 340.0,
}


def saved(owner: User, *changes: dict[str, Any]) -> Design:
    """A design with a version for each change of the one before it."""
    values: dict[str, Any] = dict(HALL)
    design = save_design(owner, parse_spec(values, load_catalog()))
    save_version(design)
    for change in changes:
        values = apply_change(values, change)
        save_design(owner, parse_spec(values, load_catalog()), design)
        save_version(design)
    return design


def rows_of(design: Design, catalog: Catalog, first: int = 1, second: int = 2) -> dict[str, tuple[str, str]]:
    numbers = {one.number: one for one in design.revisions.all()}
    return {row.label: (row.before, row.after) for row in answer_rows(numbers[first], numbers[second], catalog)}


@pytest.mark.parametrize(
    ("change", "label", "before", "after"),
    [
        ({"compute.gpus": 512}, "Size", "1,024 GPUs", "512 GPUs"),
        ({"compute.nodes": 128}, "Size", "1,024 GPUs", "128 servers"),
        ({"fabric.oversubscription": "2:1"}, "Leaf oversubscription", "1:1", "2:1"),
        ({"fabric.generation": "xdr"}, "Network", "InfiniBand NDR, 400 Gb/s", "InfiniBand XDR, 800 Gb/s"),
        ({"site.plan": {}}, "Floor plan", "none", "planned"),
        ({"name": "Hall 4"}, "Name", "Hall 3", "Hall 4"),
        ({"other_fabrics": [{"role": "storage", "generation": "ndr"}]}, "Storage network", "none", "present"),
    ],
)
def test_an_answer_that_changed_is_reported_by_its_name_on_the_form(owner, catalog, change, label, before, after):
    rows = rows_of(saved(owner, change), catalog)
    assert [text for name, text in rows.items() if label in name or name == label] == [(before, after)]


def test_what_was_left_open_says_what_it_came_to(owner, catalog):
    rows = rows_of(saved(owner, {"economics.years": 6}), catalog)
    ((before, after),) = rows.values()
    assert before == "4 years (automatic)"
    assert after.startswith("6")


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ({"fabric.tiers": 3}, "Automatic: the fewest that fit", "Three: leaves, spines and cores"),
        ({"economics.electricity_usd_per_kwh": 0.12}, "0.098 USD/kWh (automatic)", "0.12 USD/kWh"),
        ({"economics.utilization": 0.7}, "0.8 (automatic)", "0.7"),
    ],
)
def test_what_is_automatic_says_its_value_once(owner, catalog, change, before, after):
    ((was, became),) = rows_of(saved(owner, change), catalog).values()
    assert (was, became) == (before, after)


def test_an_answer_that_says_what_held_anyway_is_no_change(owner, catalog):
    assert rows_of(saved(owner, {"economics.years": 4, "fabric.tiers": "auto", "fabric.planes": 1}), catalog) == {}


def test_wholes_that_the_form_hands_through_are_reported_as_wholes(owner, catalog):
    book = {
        "name": "Vendor A",
        "prices": [
            {
                "part": "nvidia-qm9700",
                "low": 1,
                "typical": 2,
                "high": 3,
                "source": "quote",
                "as_of": "2026-11-02",
                "basis": "quote",
            }
        ],
    }
    design = saved(owner, {"economics.prices": book})
    assert rows_of(design, catalog)["Your prices"] == ("none", "“Vendor A”, 1 price")


def test_no_lengths_and_an_empty_list_of_them_are_the_same_answer(owner, catalog):
    rows = rows_of(saved(owner, {"site.set_lengths": [], "economics.years": 6}), catalog)
    assert len(rows) == 1, rows


def words_between(before, after):
    return figure_words(*(Headlines.from_json(one) if one else None for one in (before, after)))


def test_figures_are_reported_as_an_architect_says_them():
    after = FIGURES | {"spine": 18, "switches": 50, "capex_usd": 50_210_000, "built": "1:1", "busbw_gb_s": 368.0}
    assert words_between(FIGURES, after) == [
        "spines 16 → 18",
        "+$210,000 to buy",
        "built 1.33:1 → 1:1",
        "all-reduce 340\xa0GB/s → 368\xa0GB/s",
    ]
    assert words_between(FIGURES, FIGURES) == []
    assert words_between(FIGURES, None) == []
    assert words_between(FIGURES | {"built": None}, FIGURES)[-1] == "built one tier → 1.33:1"


def test_what_owning_costs_is_reported_where_only_that_has_moved():
    costs = {"tco_years": 4, "tco_usd": 63_600_000, "usd_per_gpu_hour": 2.23}
    later = {"tco_years": 6, "tco_usd": 77_100_000, "usd_per_gpu_hour": 1.84}
    assert words_between(FIGURES | costs, FIGURES | later) == [
        "cost over 4 → 6 years $63.6\xa0M → $77.1\xa0M",
        "a GPU-hour $2.23 → $1.84",
    ]


def test_figures_that_lack_something_are_no_savings():
    after = FIGURES | {"cables": 0, "modules": 12, "capex_usd": 8_000_000, "floors": ["cables", "modules", "capex_usd"]}
    assert words_between(FIGURES, after) == [
        "cables 2,048 → not known",
        "transceivers 3,072 → at least 12",
        "purchase $50.0\xa0M → at least $8.00\xa0M",
    ]


def test_figures_of_two_revisions_are_of_their_specs(owner):
    design = saved(owner, {"fabric.oversubscription": "2:1"})
    diff = revision_diff(*design.revisions.order_by("number"))
    assert any(text.startswith("spines ") for text in diff["figures"])
    assert any("to buy" in text and text.startswith("\N{MINUS SIGN}$") for text in diff["figures"])
    (built,) = (text for text in diff["figures"] if text.startswith("built 1:1 → "))
    back = revision_diff(*design.revisions.order_by("-number"))
    assert f"built {built.removeprefix('built 1:1 → ')} → 1:1" in back["figures"]


def test_a_default_that_moved_is_distinguished_from_an_answer(owner):
    design = saved(owner)
    first = design.revisions.get()
    second = design.revisions.create(number=7, given=first.given, spec=first.spec, spec_hash="0" * 64)
    assert revision_diff(first, second)["is_by_defaults"]
    assert not revision_diff(first, first)["is_by_defaults"]


def test_a_revision_that_todays_rules_refuse_has_answers_but_no_figures(owner):
    design = saved(owner, {"compute.gpus": 512})
    broken = design.revisions.get(number=1)
    broken.spec = broken.spec | {"compute": {"server": "gone"}}
    broken.spec_hash = "1" * 64
    diff = revision_diff(broken, design.revisions.get(number=2))
    assert diff["rows"]
    assert diff["figures"] == []


class TestPanel:
    @pytest.fixture
    def page(self, owner):
        client = Client()
        client.force_login(owner)
        return client

    def test_each_revision_says_what_it_changed(self, page, owner):
        design = saved(owner, {"fabric.oversubscription": "2:1"}, {"compute.gpus": 512})
        words = page.get(reverse("revisions", args=[design.pk])).content.decode()
        assert words.count("<strong>Version ") == 3
        assert "The first one." in words
        assert "<del>1:1</del>" in words
        assert "<ins>512 GPUs</ins>" in words
        assert words.count(">Restore<") == 2

    def test_any_two_are_compared(self, page, owner):
        design = saved(owner, {"fabric.oversubscription": "2:1"}, {"compute.gpus": 512})
        between = page.get(reverse("revisions", args=[design.pk]), {"from": "1", "to": "3"}).context["between"]
        assert {row.label for row in between["rows"]} == {"Size", "Leaf oversubscription"}

    @pytest.mark.parametrize(
        "query",
        [
            {"from": "1"},
            {"from": "1", "to": "99"},
            {"from": "x", "to": "²"},
            {"from": "9" * 40, "to": "-1"},
            {"page": "1e9"},
        ],
    )
    def test_nonsense_shows_the_list(self, page, owner, query):
        answer = page.get(reverse("revisions", args=[saved(owner, {"compute.gpus": 512}).pk]), query)
        assert answer.status_code == 200
        assert "between" not in answer.context

    def test_many_revisions_come_a_page_at_a_time(self, page, owner):
        design = saved(owner, *({"compute.gpus": 8 * n} for n in range(8, 18)))
        first = page.get(reverse("revisions", args=[design.pk]), headers={"HX-Request": "true"})
        assert [row["revision"].number for row in first.context["rows"]] == list(range(11, 3, -1))
        last = page.get(reverse("revisions", args=[design.pk]), {"page": "2"})
        assert [row["revision"].number for row in last.context["rows"]] == [3, 2, 1]
        assert last.context["rows"][0]["diff"]["rows"][0].after == "72 GPUs"
        assert "<html" not in first.content.decode()

    def test_going_back_is_an_edit_that_undo_takes_back(self, page, owner, sent):
        design = saved(owner, {"compute.gpus": 512})
        form = {
            "name": "Hall 3",
            "compute__server": "dgx-h100",
            "size": "256",
            "size_unit": "gpus",
            "fabric__generation": "ndr",
            "step": "size.1",
        }
        page.post(reverse("edit", args=[design.pk]), form, headers={"Studio": "1"})
        page.post(reverse("revision-restore", args=[design.pk, 1]))
        design.refresh_from_db()
        assert design.revisions.count() == 2, "nothing makes a version unasked"
        assert design.now.given == design.revisions.get(number=1).given
        assert typed_now(design)["size"] == "1024"
        page.post(reverse("undo", args=[design.pk]))
        design.refresh_from_db()
        assert typed_now(design)["size"] == "256"

    def test_a_version_is_saved_by_name_and_says_what_came_after(self, page, owner, sent):
        design = save_design(owner, parse_spec(HALL, load_catalog()))
        address = reverse("revisions", args=[design.pk])
        assert "No version yet" in page.get(address).content.decode()
        page.post(address, {"name": "Bid 1", "note": "as sent to the board"})
        save_design(owner, parse_spec(apply_change(HALL, {"compute.gpus": 512}), load_catalog()), design)
        words = page.get(address).content.decode()
        assert all(text in words for text in ("Bid 1", "as sent to the board", "since “Bid 1”", "<ins>512 GPUs</ins>"))
        refused = page.post(address, {"name": "x" * 300, "note": "stays"})
        assert refused.status_code == 422
        assert 'value="stays"' in refused.content.decode()
        assert [one.name for one in design.revisions.all()] == ["Bid 1"]

    def test_a_version_is_opened_with_its_own_figures_tabs_and_files(self, page, owner, sent):
        design = saved(owner)
        save_design(owner, parse_spec(apply_change(HALL, {"compute.gpus": 512}), load_catalog()), design)
        job, _ = request_estimate(owner, parse_spec(design.revisions.get().given, load_catalog()))
        tasks.run_estimate(str(job.pk))
        address = reverse("version", args=[design.pk, 1])
        shown = page.get(address)
        words = shown.content.decode()
        assert shown.context["job"].pk == job.pk
        assert shown.context["headlines"].gpus == 1024
        assert "Version “Version 1”, saved" in words
        assert "entry/design_version.js" in words, "nothing on it changes the design"
        assert f'href="{address}?tab=cost&amp;version=1#result"' in words
        tab = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "handoff", "version": "1"})
        assert tab["HX-Push-Url"].startswith(address)
        assert f"{reverse('api:links', args=[job.pk])}" in tab.content.decode()
        assert page.get(reverse("design", args=[design.pk])).context["headlines"].gpus == 512
        assert page.get(reverse("version", args=[design.pk, 9])).status_code == 404

    def test_a_version_is_compared_with_now(self, page, owner):
        design = saved(owner)
        save_design(owner, parse_spec(apply_change(HALL, {"compute.gpus": 512}), load_catalog()), design)
        page.post(reverse("version-compare", args=[design.pk, 1]))
        made = Comparison.objects.get()
        assert [item["gpus"] for item in made.result["items"]] == [1024, 512]
        assert [side["revision"] for side in made.specs] == [1, None]
        assert not is_outdated(made)
        save_design(owner, parse_spec(apply_change(HALL, {"compute.gpus": 256}), load_catalog()), design)
        assert is_outdated(made)
        refresh(made)
        assert [item["gpus"] for item in made.result["items"]] == [1024, 256], "a version stays what it was"

    def test_strangers_find_no_revisions(self, owner):
        design = saved(owner)
        stranger = Client()
        assert "sign-in" in stranger.get(reverse("revisions", args=[design.pk]))["Location"]
        stranger.force_login(User.objects.create_user("eve"))
        assert stranger.get(reverse("revisions", args=[design.pk])).status_code == 404
