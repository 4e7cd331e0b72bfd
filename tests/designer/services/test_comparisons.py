"""Pages of comparisons: choosing, one click to the other family, words, tables, other baselines, made anew."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.comparison import comparison_charts
from designer.models import Comparison, Design
from designer.pages.comparisons.page import MAIN_FIGURES, page_context
from designer.services import comparisons as services
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison, is_outdated, result_of
from designer.services.designs.saving import save_design
from designer.services.prices.books import create_book, revise_book
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>"
COMPUTE = {"server": "dgx-h100", "gpus": 256}


@pytest.fixture
def stranger(owner: User) -> User:
    return User.objects.create_user("bob")


def saved(owner: User, name: str = "InfiniBand", generation: str = "ndr", **more: Any) -> Design:
    values = {"name": name, "compute": COMPUTE, "fabric": {"generation": generation}, **more}
    return save_design(owner, parse_spec(values, load_catalog()))


@pytest.fixture
def pair(owner: User) -> list[Design]:
    return [saved(owner), saved(owner, "RoCE", "roce-400")]


def compared(page: Client, *designs: Design, **more: Any) -> Comparison:
    answer = page.post(
        reverse("comparison-new"), {"kind": "designs", "design": [str(one.pk) for one in designs], **more}
    )
    assert answer.status_code == 302, text_of(answer)
    return Comparison.objects.get(pk=answer["Location"].rstrip("/").rsplit("/", 1)[-1])


def text_of(answer: Any) -> str:
    """What a reader sees, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def shown(page: Client, row: Comparison, **query: str) -> Any:
    answer = page.get(reverse("comparison", args=[row.pk]), query)
    assert answer.status_code == 200
    return answer


def change(page: Client, row: Comparison, **form: Any) -> str:
    answer = page.post(reverse("comparison-change", args=[row.pk]), form, follow=True)
    row.refresh_from_db()
    return text_of(answer)


# ---------------------------------------------------------------- choosing


def test_ticked_designs_are_compared_and_stand_in_the_list(page: Client, pair: list[Design]) -> None:
    row = compared(page, *pair, baseline=str(pair[1].pk))
    assert row.baseline == 1
    assert row.name == "InfiniBand and RoCE"
    assert [side["design"] for side in row.specs] == [str(one.pk) for one in pair]
    listed = text_of(page.get(reverse("comparisons")))
    assert "InfiniBand and RoCE" in listed
    assert "against RoCE" in listed
    assert "more switches" in listed or "as many switches" in listed


def test_the_other_family_becomes_a_design_as_it_was_compared(page: Client, owner: User, pair: list[Design]) -> None:
    row = create_comparison(owner, resolved_items(owner, [{"design": str(pair[0].pk)}, {"sibling": 0}]))
    assert text_of(shown(page, row)).count("Open as a design") == 1  # the other side is a design already
    address, side = reverse("comparison-open", args=[row.pk]), services.sources_of(row)[1]
    page.post(address, {"side": "1", "label": side.label})
    made = owner.designs.exclude(pk__in=[one.pk for one in pair]).get()
    assert made.name == side.label
    assert made.given["fabric"]["generation"] == "roce-400"
    assert page.post(address, {"side": "7", "label": "x"}).status_code == 404
    assert "changed meanwhile" in text_of(page.post(address, {"side": "0", "label": side.label}, follow=True))
    assert owner.designs.count() == len(pair) + 1


def test_main_figures_stand_above_the_fold(page: Client, owner: User, pair: list[Design]) -> None:
    """Price, switches, bandwidths and power of every side are seen without a click."""
    seen = shown(page, create_comparison(owner, resolved_items(owner, [{"design": str(one.pk)} for one in pair])))
    (group,) = seen.context["main_figures"]
    assert [row.key for row in group.rows] == list(MAIN_FIGURES)
    before_fold = seen.content.decode().partition('data-part="figures"')[0]
    assert all(f">{row.label}<" in before_fold for row in group.rows)


def test_too_few_too_many_and_strangers_are_refused_in_words(page: Client, pair: list[Design], stranger: User) -> None:
    for ticked, words in (
        ([pair[0]], "2 to 8 sides"),
        ([pair[0]] * 9, "2 to 8 sides"),
        ([pair[0], saved(stranger, "Theirs")], "no design with this id"),
    ):
        answer = page.post(reverse("comparison-new"), {"kind": "designs", "design": [str(one.pk) for one in ticked]})
        assert answer.status_code == 422
        assert words in text_of(answer)
    assert not Comparison.objects.exists()
    assert page.post(reverse("comparison-new"), {"design": ["junk", "more"]}).status_code == 422


def test_what_cannot_be_built_is_named(page: Client, owner: User, pair: list[Design]) -> None:
    broken = saved(owner, "Broken")
    Design.objects.filter(pk=broken.pk).update(
        given={"compute": {"nodes": 0}, "fabric": {"generation": "ndr"}}
    )  # as if a rule had changed
    answer = page.post(reverse("comparison-new"), {"kind": "designs", "design": [str(pair[0].pk), str(broken.pk)]})
    assert answer.status_code == 422
    assert "Broken: " in text_of(answer)


def test_a_page_to_choose_from_ticks_what_the_address_names(page: Client, pair: list[Design]) -> None:
    answer = page.get(reverse("comparison-new"), {"design": str(pair[0].pk)}).content.decode()
    assert f'value="{pair[0].pk}" id="d-{pair[0].pk}" checked' in answer
    assert f'value="{pair[1].pk}" id="d-{pair[1].pk}">' in answer
    assert "There is no design yet" not in answer


def test_one_design_is_compared_by_several_books(page: Client, owner: User, pair: list[Design]) -> None:
    entry = {
        "part": "nvidia-qm9700",
        "low": 100_00,
        "typical": 200_00,
        "high": 300_00,
        "currency": "USD",
        "basis": "quote",
        "as_of": "2026-11-02",
        "source": "Offer 12",
    }
    book = create_book(owner, "Vendor A", [entry])
    form = {"kind": "books", "one": str(pair[0].pk), "book": ["anchors", str(book.pk)]}
    row = Comparison.objects.get(pk=page.post(reverse("comparison-new"), form)["Location"].split("/")[-2])
    assert [item["own_prices"] for item in row.result["items"]] == [None, "Vendor A"]
    switches = next(one for one in row.result["rows"] if one["label"] == "Leaf switches")
    assert switches["sides"][1]["unit_price_usd"]["typical"] == 200
    assert "prices: Vendor A" in text_of(shown(page, row))
    entry["typical"] = 250_00
    revise_book(book, "Edited", [entry])
    change(page, row, do="refresh")
    switches = next(one for one in row.result["rows"] if one["label"] == "Leaf switches")
    assert switches["sides"][1]["unit_price_usd"]["typical"] == 250
    book.delete()
    change(page, row, do="refresh")  # its prices of before stay
    switches = next(one for one in row.result["rows"] if one["label"] == "Leaf switches")
    assert switches["sides"][1]["unit_price_usd"]["typical"] == 250


# ---------------------------------------------------------------- the other family


def test_the_other_family_is_one_click_on_a_designs_page(page: Client, owner: User) -> None:
    design, _ = finished(
        owner,
        {
            "name": "Hall",
            "compute": COMPUTE,
            "fabric": {"generation": "ndr"},
            "workload": {"in_network_reduction": True},
        },
    )
    seen = page.get(reverse("design", args=[design.pk])).content.decode()
    assert "Compare with RoCE" in seen
    assert reverse("comparison-families", args=[design.pk]) in seen
    answer = page.post(reverse("comparison-families", args=[design.pk]), follow=True)
    reported = text_of(answer)
    assert "Hall (RoCE 400G)" in reported
    assert "In-network reduction (SHARP) is dropped" in reported
    assert "The servers keep their NICs, " in reported


def test_a_cluster_without_another_family_says_why(page: Client, owner: User) -> None:
    design = saved(owner, "Gaudi", "roce-200", compute={"server": "gaudi3-8u", "nodes": 8})
    answer = page.post(reverse("comparison-families", args=[design.pk]), follow=True)
    assert "no InfiniBand version of this cluster" in text_of(answer)
    assert not Comparison.objects.exists()


def test_the_alternative_follows_its_design_when_made_anew(page: Client, owner: User) -> None:
    design = saved(owner)
    page.post(reverse("comparison-families", args=[design.pk]))
    row = Comparison.objects.get()
    save_design(
        owner,
        parse_spec(
            {"name": "InfiniBand", "compute": COMPUTE | {"gpus": 512}, "fabric": {"generation": "ndr"}}, load_catalog()
        ),
        design,
    )
    assert is_outdated(row)
    assert "A design, the model or the catalog has changed" in text_of(shown(page, row))
    assert "Made again" in change(page, row, do="refresh")
    assert [item["gpus"] for item in row.result["items"]] == [512, 512]
    assert [side["state"] for side in row.specs] == [design.spec_hash, None]
    assert not is_outdated(row)


# ---------------------------------------------------------------- the page


def test_the_page_says_it_in_words_and_shows_every_figure_and_line(page: Client, pair: list[Design]) -> None:
    row = compared(page, *pair)
    reported = text_of(shown(page, row))
    assert "RoCE against InfiniBand:" in reported
    for figure in row.result["figures"]:
        assert figure["label"] in reported
    for line in row.result["rows"]:
        assert line["label"] in reported
    assert (
        "about the same predicted all-reduce at 256 GPUs" in reported
        or "same predicted all-reduce at 256 GPUs" in reported
    )
    context = page_context(row, result_of(row), {})
    cells = [cell for one in context["line_rows"] for cell in one.cells]
    assert any(cell.difference.startswith("\N{MINUS SIGN}") for cell in cells if not cell.is_missing)
    for group in context["figure_groups"]:
        for one in group.rows:
            assert one.cells[0].is_baseline
            assert one.cells[0].difference == ""
            assert one.cells[1].tone in ("better", "worse", "same", "")


def test_rows_can_be_ordered_by_what_they_weigh(page: Client, pair: list[Design]) -> None:
    row = compared(page, *pair)
    by_weight = [one.size for one in page_context(row, result_of(row), {"lines": "weight"})["line_rows"]]
    assert by_weight == sorted(by_weight, reverse=True)
    (group,) = page_context(row, result_of(row), {"figures": "weight"})["figure_groups"]
    assert [one.size for one in group.rows] == sorted((one.size for one in group.rows), reverse=True)
    assert 'aria-current="true">Largest difference' in shown(page, row, lines="weight", figures="junk").content.decode()


def test_names_are_text_wherever_they_stand(page: Client, owner: User) -> None:
    row = compared(page, saved(owner, EVIL), saved(owner, f"{EVIL}'\"\\ ${{x}}", "roce-400"))
    seen = shown(page, row).content.decode()
    assert EVIL not in seen
    assert "&lt;img" in seen
    for chart in comparison_charts(result_of(row)):
        spec = {key: value for key, value in chart.spec.items() if key not in ("data", "description")}
        assert "onerror" not in str({key: value for key, value in spec.items() if key != "encoding"})
    assert all(
        drawn["length"] > 1000 for drawn in rendered([chart.spec for chart in comparison_charts(result_of(row))])
    )


def test_charts_have_a_series_a_side_and_a_table(page: Client, owner: User) -> None:
    designs = [saved(owner, f"Side {n}", "ndr", site={"leaf_spine_m": 10.0 + n}) for n in range(8)]
    row = compared(page, *designs)
    spend, speed = comparison_charts(result_of(row))
    assert len(speed.legend) == 8
    assert len(speed.table.rows[0]["cells"]) == 8
    assert [one["head"] for one in spend.table.rows] == [f"{letter}  Side {n}" for n, letter in enumerate("ABCDEFGH")]
    assert rendered([speed.spec])[0]["lines"] == 8
    assert "Side 7" in text_of(shown(page, row))


def test_missing_prices_and_networks_are_said(page: Client, owner: User) -> None:
    custom = saved(owner, "Custom", compute={"gpus": 256, "gpu": "h100-sxm"})
    row = compared(page, saved(owner), custom)
    reported = text_of(shown(page, row))
    assert "Servers of “Custom” have no price" in reported
    assert "Total on the same scope" in reported
    assert "left out" in reported


# ---------------------------------------------------------------- changes


def test_another_baseline_turns_the_signs_and_keeps_the_figures(page: Client, pair: list[Design]) -> None:
    row = compared(page, *pair)
    before = row.result
    assert "Differences are now from “RoCE”" in change(page, row, do="baseline", side="1")
    assert row.baseline == row.result["baseline"] == 1
    for old, new in zip(before["figures"], row.result["figures"], strict=True):
        assert old["values"] == new["values"]
        if old["differences"][1]:
            assert old["differences"][1]["absolute"] == pytest.approx(-new["differences"][0]["absolute"])


def test_sides_can_be_removed_down_to_two(page: Client, owner: User, pair: list[Design]) -> None:
    row = compared(page, *pair, saved(owner, "Third", "xdr"), baseline=str(pair[1].pk))
    assert "“InfiniBand” was taken out" in change(page, row, do="remove", side="0")
    assert [item["label"] for item in row.result["items"]] == ["RoCE", "Third"]
    assert row.baseline == 0
    assert "2 sides at least" in change(page, row, do="remove", side="0")
    assert 'value="remove"' not in shown(page, row).content.decode()


def test_an_alternative_outlives_the_design_it_came_from(page: Client, owner: User, pair: list[Design]) -> None:
    sides = resolved_items(owner, [{"design": str(pair[0].pk)}, {"sibling": 0}, {"design": str(pair[1].pk)}])
    row = create_comparison(owner, sides)
    change(page, row, do="remove", side="0")
    assert row.specs[0]["sibling"] is None
    assert "Made again" in change(page, row, do="refresh")
    assert row.result["items"][0]["label"] == "InfiniBand (RoCE 400G)"


def test_names_change_and_rows_go(page: Client, pair: list[Design]) -> None:
    row = compared(page, *pair)
    assert "Renamed to “Round 2”" in change(page, row, do="rename", name=" Round 2 ")
    assert "Nothing was changed" in change(page, row, do="rename", name="")
    too_long = page.post(reverse("comparison-change", args=[row.pk]), {"do": "rename", "name": "x" * 201})
    assert too_long.status_code == 422
    assert f'value="{"x" * 201}"' in too_long.content.decode(), "what was typed stays"
    assert row.name == "Round 2"
    assert "Delete “Round 2”?" in text_of(page.get(reverse("comparison-delete", args=[row.pk])))
    page.post(reverse("comparison-delete", args=[row.pk]))
    assert not Comparison.objects.exists()
    assert Design.objects.count() == 2


def test_nonsense_and_strangers_find_nothing(page: Client, pair: list[Design], stranger: User) -> None:
    row = compared(page, *pair)
    address = reverse("comparison-change", args=[row.pk])
    for form in (
        {},
        {"do": "junk"},
        {"do": "baseline", "side": "9"},
        {"do": "remove", "side": "-1"},
        {"do": "baseline", "side": "²"},
    ):
        assert page.post(address, form).status_code == 404
    other = Client()
    other.force_login(stranger)
    for name in ("comparison", "comparison-delete"):
        assert other.get(reverse(name, args=[row.pk])).status_code == 404
    assert other.post(address, {"do": "refresh"}).status_code == 404
    assert Client().get(reverse("comparisons")).status_code == 302


def test_an_owner_keeps_only_so_many(page: Client, pair: list[Design], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_COMPARISONS", 1)
    compared(page, *pair)
    answer = page.post(reverse("comparison-new"), {"kind": "designs", "design": [str(one.pk) for one in pair]})
    assert answer.status_code == 422
    assert "the most that one may have" in text_of(answer)
