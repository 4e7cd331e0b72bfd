"""A comparison as a paper for a board: what it recommends and says, its logo, and where it is asked for."""

from __future__ import annotations

import base64
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from PIL import Image
from pypdf import PdfReader
from rest_framework.throttling import SimpleRateThrottle

from designer.exports.pdf.logo import MAX_BYTES, logo_png
from designer.exports.reports.bill import basis_of
from designer.exports.reports.board.pack import board_pack
from designer.exports.reports.board.recommendation import recommendation
from designer.exports.reports.board.request import BoardRequest
from designer.exports.reports.board.risks import MOST_LEVERS
from designer.models import Comparison
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison, estimates_of, result_of
from designer.wording.names import SPEND
from designer.wording.numbers import Chosen, basis_name, gbit_s, reading, usd
from designer.wording.phases import TASKS, phase_rows, recabled_words
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import Rate
from estimator.compare.comparison import prepare
from estimator.errors import SpecError
from estimator.pdf.grid import Text
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import Caller, assert_refused

pytestmark = pytest.mark.django_db
SPEC: dict[str, Any] = {
    "name": "One to one",
    "compute": {"server": "dgx-h100", "nodes": 32},
    "fabric": {"generation": "ndr"},
}
HALF = SPEC | {"name": "Two to one", "fabric": {"generation": "ndr", "oversubscription": "2:1"}}
PRICE = {"low": 28_000, "typical": 30_000, "high": 32_000}
OFFER = {"lines": [{"category": "switch", "description": "Leaf switch", "quantity": 8, "unit_price_usd": PRICE}]}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#0d5c63"/></svg>'


def png(wide: int = 60, high: int = 30) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (wide, high), "#b4531b").save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def row(owner: User) -> Comparison:
    return create_comparison(owner, resolved_items(owner, [{"spec": SPEC}, {"spec": HALF}]))


def text_of(data: bytes) -> str:
    return " ".join(" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(data)).pages)


def test_the_paper_has_every_part_with_its_figures(row: Comparison) -> None:
    result, options = result_of(row), estimates_of(row)
    made = board_pack(
        BoardRequest("Cluster of 2027", "For the board", logo=logo_png(png())), result, options, row.created_at
    )
    text = text_of(made)
    for title in (
        "Cluster of 2027",
        "For the board",
        "Recommendation: Option B: Two to one",
        "The options on one page",
        "Purchase and running cost",
        "Total cost, P5 to P95",
        "Risks",
        "Assumptions that move the result",
        "Requirement, and what is built",
        "Appendix: prices, assumptions, versions",
    ):
        assert title in text, title
    for option in options:
        assert option
        assert option.cost.uncertainty
        for bar in option.cost.uncertainty.tornado[:MOST_LEVERS]:
            assert (f"{bar.label} ({basis_name(bar.basis)})" if bar.basis else bar.label) in text
        assert option.spec_hash in text
        for finding in option.findings:
            assert finding.severity == "info" or finding.code in text
    pages = PdfReader(io.BytesIO(made)).pages
    assert len(list(pages[0].images)) == 1
    assert "Total cost of ownership" in pages[1].extract_text()
    assert "The options on one page" not in pages[2].extract_text()
    again = board_pack(
        BoardRequest("Cluster of 2027", "For the board", logo=logo_png(png())), result, options, row.created_at
    )
    assert again == made


def test_the_figures_recommend_what_costs_least_and_say_whether_it_is_settled(row: Comparison) -> None:
    result = result_of(row)
    cost = next(figure for figure in result.figures if figure.key == "tco_p50_usd")
    values = [value.typical if value else 0.0 for value in cost.values]
    found = recommendation(BoardRequest("x"), result)
    assert found.side == values.index(min(values)) == 1
    assert "less than A: One to one" in found.reasons[0]
    own, other = cost.values[1], cost.values[0]
    assert own
    assert other
    assert ("ranges overlap" in found.reasons[0]) == (own.high >= other.low and other.high >= own.low)
    named = recommendation(BoardRequest("x", recommended=0, reason="It trains faster."), result)
    assert (named.side, named.reasons[0]) == (0, "It trains faster.")
    assert "by total cost alone it would be B: Two to one" in named.reasons[1]
    assert "more than B: Two to one" in named.reasons[2]


def test_what_the_recommended_option_gives_up_is_said_beside_it(row: Comparison) -> None:
    result = result_of(row)
    reasons = recommendation(BoardRequest("x"), result).reasons
    wide = next(figure for figure in result.figures if figure.key == "bisection_gbit_s")
    whole, half = (value.typical if value else 0.0 for value in wide.values)
    assert half < 0.9 * whole
    assert f"bisection {gbit_s(half)} against {gbit_s(whole)} of A: One to one" in reasons[-1]
    assert "all-to-all" not in reasons[-1], "rails of one unit exchange below their leaves"
    kept = recommendation(BoardRequest("x", recommended=0), result).reasons
    assert not any("gives up" in reason for reason in kept)


def test_totals_of_a_paper_do_not_contradict_each_other(row: Comparison) -> None:
    text = text_of(board_pack(BoardRequest("x"), result_of(row), estimates_of(row), row.created_at))
    table = text[text.index("The options on one page") : text.index("What it costs")]
    assert table.count("Total cost of ownership") == table.count("Purchase price,") == 1
    assert "so that a bar is above the total cost of ownership" in text
    for option in estimates_of(row):
        assert option
        assert option.cost.uncertainty
        likely = option.cost.uncertainty.figures["tco_usd"]
        assert f"total cost above {usd(likely.p95)}".replace("\xa0", " ") in text
    assert "1.97 times as much bandwidth to nodes" in text or "2 times as much bandwidth to nodes" in text
    assert "fraction of" not in text


def test_a_paper_says_of_phases_what_their_page_says(catalog: Catalog) -> None:
    """Above all the minutes of each window; and the work of crews, years, ports held and what is left over."""
    small = SPEC | {
        "compute": {"server": "dgx-h100", "nodes": 8},
        "fabric": {"generation": "ndr", "layout": "top-of-rack"},
    }
    specs = [small | {"phases": [{"date": "2027-01"}, {"date": "2028-01", "nodes": 24}]}, small | {"name": "Small"}]
    made = prepare({"items": [{"spec": spec} for spec in specs], "baseline": 0}, catalog, {}).compared()
    options = [PricedEstimate.of(estimate([parse_spec(spec, catalog)], catalog)[0]) for spec in specs]
    text = text_of(board_pack(BoardRequest("x"), made, options, datetime(2027, 1, 1, tzinfo=UTC)))
    phases = options[0].phases
    assert phases
    assert phases.window_minutes
    assert recabled_words(phases) in text
    _, second = phase_rows(phases)
    assert second.window
    for words in (second.touched, second.hours, second.window, *(crew.window for crew in second.crews)):
        assert words in text
    assert "nothing is in use yet" in text
    for words in (
        "Window: minutes for which what is in use stands still",
        "cost by year",
        "Assumptions of the minutes",
    ):
        assert words in text
    assert text.count("Growth in phases") == 1
    whole = " ".join(usd(phases.bought_usd.typical).split())
    assert f"Compared as phase 1 of 2; all phases together are 192 GPUs, bought for {whole}" in text
    assert {one.name for one in phases.assumptions} == set(TASKS)
    assert all(TASKS[one.name] in text and f" {one.name} " not in text for one in phases.assumptions if "-" in one.name)


def test_a_phase_that_cannot_be_built_is_said_wherever_phases_are_summed(catalog: Catalog) -> None:
    """The second phase is fewer servers than today, or its leaf has no port left: what is summed is the first alone."""
    small = SPEC | {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr", "tiers": 2}}
    dates = [{"date": "2027-01"}, {"date": "2027-07", "nodes": 24}, {"date": "2028-01", "nodes": 3000}]
    specs = [small | {"phases": dates}, small | {"phases": [dates[0], dates[2], dates[2] | {"date": "2029-01"}]}]
    made = prepare({"items": [{"spec": spec} for spec in specs], "baseline": 0}, catalog, {}).compared()
    options = [PricedEstimate.of(estimate([parse_spec(spec, catalog)], catalog)[0]) for spec in specs]
    text = text_of(board_pack(BoardRequest("x"), made, options, datetime(2027, 1, 1, tzinfo=UTC)))
    built = [one.phases and len(one.phases.phases) for one in options]
    assert built == [2, 1]
    assert "all phases together" not in text
    for words in (
        "Compared as phase 1 of 3; phases that can be built are 192 GPUs, bought for",
        "Phase 3 cannot be built, and is in no amount",
        "Phase 2 cannot be built: it and what follows it are in no amount",
        "In 2 of 3 phases:",
        "In 1 of 3 phases:",
        "not built",
    ):
        assert words in text, words
    assert text.count("Phases that can be built") == 2
    assert "Together" not in text


def test_quotes_and_other_books_are_said_on_the_first_page(catalog: Catalog) -> None:
    """A paper on quotes is not before negotiation as a whole, and prices of two books are not told apart by a reader."""
    quoted = {
        "part": "dgx-h100",
        "low": 28_000_000,
        "typical": 28_000_000,
        "high": 28_000_000,
        "basis": "quote",
        "as_of": "2026-11-01",
    }
    rate = {"currency": "EUR", "usd": 1.1, "as_of": "2026-10-01", "source": "Bank"}
    own = {"name": "Frame", "prices": [quoted | {"currency": "EUR"}], "rates": [rate]}
    specs = [SPEC, HALF | {"name": "Quoted", "economics": {"prices": own, "price_book": "street"}}]
    made = prepare({"items": [{"spec": spec} for spec in specs], "baseline": 0}, catalog, {}).compared()
    options = [PricedEstimate.of(estimate([parse_spec(spec, catalog)], catalog)[0]) for spec in specs]
    text = text_of(board_pack(BoardRequest("x"), made, options, datetime(2027, 1, 1, tzinfo=UTC)))
    assert "Prices are not of one book" in text.partition("The options on one page")[0]
    assert "before negotiation where they are no quotes" in text
    assert "A firm quote takes the place of each that is none." in text
    with reading(lambda: Chosen(Rate("EUR", 1.25, "2026-11-27", "listing", "ECB"))):
        paper = text_of(board_pack(BoardRequest("x"), made, options, datetime(2027, 1, 1, tzinfo=UTC)))
    assert "EUR 280,000 at 1.10 by its price book; here at 1.25" in paper
    lines = [line for line in options[1].bom.lines if line.part == "dgx-h100"]
    assert basis_of(lines) == Text("quotation")
    assert basis_of([lines[0].but(assumption=True)]) == Text("quotation", mark="partly assumed")
    assert basis_of([lines[0].but(assumption=True, price_basis="seed")]).mark == "planning anchor"


def test_a_paper_is_in_the_currency_that_its_reader_chose(row: Comparison) -> None:
    rate = Rate("EUR", 1.25, "2026-11-27", "listing", "ECB")
    with reading(lambda: Chosen(rate, in_bits=True)):
        text = text_of(board_pack(BoardRequest("x"), result_of(row), estimates_of(row), row.created_at))
    assert "EUR at 1.25 USD, 2026-11-27, ECB" in text
    assert "$" not in text
    assert "GB/s" not in text


def test_the_total_at_a_bar_is_written_as_in_the_table(row: Comparison) -> None:
    """At a rate that makes the first total 40.0 million: bar, and cell of the table."""
    result = result_of(row)
    parts = result.spend[0].parts_usd
    whole = sum(parts.typical(kind) for kind in SPEND)
    with reading(lambda: Chosen(Rate("EUR", whole / 40e6, "2026-11-27", "listing", "ECB"))):
        text = text_of(board_pack(BoardRequest("x"), result, estimates_of(row), row.created_at))
    assert text.count("40.0 M") >= 2
    assert "40 M B" not in text


def test_the_shell_makes_a_paper_without_a_database(tmp_path: Path) -> None:
    names: list[str] = []
    for spec in (SPEC, {"label": "Half", "spec": HALF}):
        names.append(str(tmp_path / f"{len(names)}.json"))
        Path(names[-1]).write_text(json.dumps(spec))
    call_command("board_pack", *names, "--title", "From a shell", "--out", str(tmp_path / "x.pdf"))
    text = text_of((tmp_path / "x.pdf").read_bytes())
    assert "From a shell" in text
    assert "Option B: Half" in text
    for wrong, words in (
        ([names[0]], "at least 2"),
        ([*names, "--recommended", "2"], "There are 2 options"),
        ([*names, "--logo", names[0]], "A logo is a PNG or SVG file"),
        ([names[0], str(tmp_path / "none.json")], "cannot be read"),
    ):
        with pytest.raises(CommandError, match=words) as refused:
            call_command("board_pack", *wrong)
        assert refused.value.returncode == 2


def test_pages_that_take_long_share_the_limit_of_rest(
    page: Client, call: Caller, row: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"user": None, "anon": None, "heavy": "1/min"})
    address = reverse("board-pack", args=[row.pk])
    assert page.post(address, {"recommended": "nine"}).status_code == 422
    answer = page.post(address, {"title": "Our cluster"})
    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert "Wait" in answer.content.decode()
    assert page.get(address).status_code == 200
    assert call("POST", f"comparisons/{row.pk}/board-pack/", {}).status_code == 429


def test_an_offer_is_shown_without_an_estimate_and_never_recommended(owner: User) -> None:
    made = create_comparison(owner, resolved_items(owner, [{"spec": SPEC}, {"offer": OFFER}]))
    result, options = result_of(made), estimates_of(made)
    assert [option is None for option in options] == [False, True]
    assert recommendation(BoardRequest("x"), result).side == 0
    text = text_of(board_pack(BoardRequest("x"), result, options, datetime(2026, 11, 29, tzinfo=UTC)))
    assert "An offer: its lines are compared" in text


def test_wrong_requests_are_refused_by_their_keys(row: Comparison) -> None:
    result = result_of(row)
    with pytest.raises(SpecError) as refused:
        board_pack(BoardRequest("x" * 121, recommended=2, reason="y" * 601), result, [None, None], row.created_at)
    assert [one.field for one in refused.value.problems] == ["title", "reason", "recommended"]


def test_a_comparison_of_another_model_is_refreshed_first(row: Comparison) -> None:
    row.model_version = "0.1"
    with pytest.raises(SpecError, match="Refresh it"):
        estimates_of(row)


def size_of(data: bytes | None) -> tuple[int, int]:
    assert data
    with Image.open(io.BytesIO(data)) as picture:
        return picture.size


def test_logos_are_written_again_and_hold_nothing_else() -> None:
    assert logo_png(b"") is None
    assert size_of(logo_png(png())) == (60, 30)
    assert size_of(logo_png(png(3_000, 1_500))) == (1_200, 600)
    noted = io.BytesIO()
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("comment", "secret")
    Image.new("RGB", (8, 8)).save(noted, "PNG", pnginfo=info)
    assert b"secret" in noted.getvalue()
    assert b"secret" not in (logo_png(noted.getvalue()) or b"")
    drawn = logo_png(SVG)
    assert size_of(drawn) == (1_200, 600)
    with Image.open(io.BytesIO(drawn or b"")) as picture:
        assert picture.convert("RGB").getpixel((600, 300)) == (13, 92, 99)


HOSTILE = {
    "entities": b'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>&a;</g></svg>',
    "only a picture from elsewhere": (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="file:///etc/passwd" width="9" height="9"/></svg>'
    ),
    "only a script": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>',
    "no size": b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>',
    "a vast size": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e9 1"><rect width="1" height="1"/></svg>',
    "a size that is no number": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1.2.3 9"><rect width="1"/></svg>',
    "no svg at its root": b'<g xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><!-- <svg --><rect width="1"/></g>',
    "entities in UTF-16": (
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE svg [<!ENTITY a "a">]><!--\u733c\u6776-->'
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="1" height="1"/></svg>'
    ).encode("utf-16"),
    "too many shapes": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">' + b"<g/>" * 2_001 + b"</svg>",
    "too deep": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">' + b"<g>" * 60 + b"</g>" * 60 + b"</svg>",
    "broken xml": b"<svg",
    "another file": b"GIF89a",
    "a cut png": png()[:60],
    "a long png": png(300, 2),
    "too large": b"\x89PNG\r\n\x1a\n" + bytes(MAX_BYTES),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_sound_logo_is_refused(data: bytes) -> None:
    with pytest.raises(SpecError) as refused:
        logo_png(data)
    assert refused.value.problems[0].field == "logo"


def test_a_drawing_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("designer.exports.pdf.logo.MAX_DRAWING_S", 1)
    layers = b'<g opacity="0.5"><rect width="9" height="9" stroke="#000"/></g>' * 600
    with pytest.raises(SpecError) as refused:
        logo_png(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">' + layers + b"</svg>")
    assert "more than 1 s to draw" in refused.value.problems[0].message


def test_the_page_asks_and_answers_with_the_paper(page: Client, row: Comparison) -> None:
    address = reverse("board-pack", args=[row.pk])
    assert address in page.get(reverse("comparison", args=[row.pk])).content.decode()
    assert page.get(address).status_code == 200
    logo = SimpleUploadedFile("logo.svg", SVG, "image/svg+xml")
    answer = page.post(address, {"title": "Our cluster", "recommended": "0", "reason": "Growth", "logo": logo})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    text = text_of(answer.content)
    assert "Our cluster" in text
    assert "Option A: One to one" in text
    wrong = page.post(address, {"logo": SimpleUploadedFile("logo.gif", b"GIF89a")})
    assert wrong.status_code == 422
    assert "A logo is a PNG or SVG file" in wrong.content.decode()


def test_rest_makes_the_same_paper_and_refuses_by_key(call: Caller, row: Comparison) -> None:
    address = f"comparisons/{row.pk}/board-pack/"
    body = {"title": "Our cluster", "logo_base64": base64.b64encode(SVG).decode()}
    answer = call("POST", address, body)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert len(list(PdfReader(io.BytesIO(answer.content)).pages[0].images)) == 1
    assert_refused(call("POST", address, {"recommended": 7}), 400, "invalid_spec", "recommended")
    assert_refused(call("POST", address, {"logo_base64": "%"}), 400, "invalid_request", "logo_base64")
    assert call("POST", address, {"colour": "red"}).status_code == 400
