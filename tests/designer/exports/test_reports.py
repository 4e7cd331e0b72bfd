"""A report, read back: what stands on its pages, that it is the same every time, and that nothing breaks its layout."""

import copy
import io
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from pypdf import PdfReader

from designer.exports.downloads import bom_pdf, cost_pdf
from designer.exports.reports import bill
from designer.exports.reports.bill import money
from designer.exports.reports.cost import whole
from designer.exports.versions import result_hash
from designer.wording.numbers import Chosen, reading, typed_price
from estimator.bom.result import PriceRate, TypedPrice
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import Rate
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import About, pdf_bytes
from estimator.pdf.text import REGULAR, SUPPLIED, markup, printable, runs, width, wrapped
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from tests.designer.sample_estimate import NAME, sample_estimate
from tests.yardstick import another_second

MADE = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
SPEC = {
    "name": "Four units",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
}


@pytest.fixture(scope="module")
def real(catalog: Catalog) -> dict[str, Any]:
    """An estimate as a worker stores it."""
    values: dict[str, Any] = json.loads(json.dumps(estimate([parse_spec(SPEC, catalog)], catalog)[0].as_json()))
    return values


def reader(values: dict[str, Any]) -> PdfReader:
    return PdfReader(io.BytesIO(bom_pdf(PricedEstimate.from_json(values), MADE).content))


def text_of(pdf: PdfReader) -> str:
    return "\n".join(page.extract_text() for page in pdf.pages)


@pytest.fixture(scope="module")
def text(real: dict[str, Any]) -> str:
    return text_of(reader(real))


def test_a_report_has_its_parts_in_order(real: dict[str, Any]) -> None:
    outline = [item for item in reader(real).outline if not isinstance(item, list)]
    titles = [item.title for item in outline]
    assert titles[:4] == ["Summary", "Compute network", "Bill of materials", "Cost"]
    assert [title for title in titles if title in ("Performance", "Assumptions and sources")] == [
        "Performance",
        "Assumptions and sources",
    ]
    assert titles[-1] == "Signatures of versions"


@pytest.mark.parametrize("make", [bom_pdf, cost_pdf])
def test_a_report_is_in_the_currency_and_units_of_its_reader(real: dict[str, Any], make: Any) -> None:
    """But for what others wrote: sources, and names of parts with their reach."""
    one = PricedEstimate.from_json(real)
    with reading(lambda: Chosen(Rate("EUR", 1.25, "2026-11-27", "listing", "ECB"), in_bits=True, in_feet=True)):
        pdf = PdfReader(io.BytesIO(make(one, MADE).content))
    text = text_of(pdf)
    assert "Units: EUR at 1.25 USD, 2026-11-27, ECB, Gb/s, ft." in " ".join(text.split())
    assert not re.search(r"US dollars|, USD\b|\$\d[^\n]* M\b", text)
    assert f"{one.cost.tco_usd.typical / 1.25:,.2f}".removesuffix(".00") in text
    network = text[text.index("Compute network") : text.index("Bill of materials")] if make is bom_pdf else text
    assert "GB/s" not in network.replace("a GB/s of all-reduce", "")


@pytest.mark.parametrize("make", [bom_pdf, cost_pdf])
def test_every_bookmark_opens_the_page_of_its_heading(real: dict[str, Any], make: Any) -> None:
    pdf = PdfReader(io.BytesIO(make(PricedEstimate.from_json(real), MADE).content))

    def entries(outline: list[Any]) -> list[Any]:
        return [found for item in outline for found in (entries(item) if isinstance(item, list) else [item])]

    places = [int(pdf.get_destination_page_number(item) or 0) for item in entries(pdf.outline)]
    assert len(places) > 8
    assert places == sorted(places)
    for item, place in zip(entries(pdf.outline), places, strict=True):
        assert item.title in " ".join(pdf.pages[place].extract_text().split())


def test_a_report_names_every_line_its_price_and_source(real: dict[str, Any], text: str) -> None:
    flat = " ".join(text.split())
    for line in real["bom"]["lines"]:
        assert money(line["unit_price_usd"]["typical"]) in flat
        assert money(line["extended_price_usd"]["typical"]) in flat
        assert str(line["price_source"]).split(",")[0].split()[0] in flat
        assert (line["part_number"] or "") in flat
    assert money(real["bom"]["totals_usd"]["typical"]) in flat
    for amount in real["bom"]["totals_by_category"].values():
        assert money(amount["typical"]) in flat


def test_a_report_names_its_versions_and_assumptions(real: dict[str, Any], text: str) -> None:
    flat = " ".join(text.split())
    for value in (
        real["spec_hash"],
        real["versions"]["model"],
        real["versions"]["catalog"],
        result_hash(PricedEstimate.from_json(real)),
    ):
        assert value in flat
    for item in real["cost"]["assumptions"]:
        assert " ".join(item["label"].split()) in flat
    assert flat.count("assumption") > 3
    assert "28 November" not in flat
    assert "27 November 2026, 12:00 UTC" in flat


def test_every_page_but_the_cover_has_head_foot_and_number(real: dict[str, Any]) -> None:
    pages = reader(real).pages
    for number, page in enumerate(pages[1:], start=2):
        words = page.extract_text()
        assert f"{number} of {len(pages)}" in words
        assert f"Spec {real['spec_hash']}" in words
        assert "Four units" in words
    assert " of " + str(len(pages)) not in pages[0].extract_text()


def test_total_cost_and_performance_are_reported(real: dict[str, Any], text: str) -> None:
    flat = " ".join(text.split())
    assert money(real["cost"]["tco_usd"]["typical"]) in flat
    assert "All-reduce of 16 GiB on 1,016 GPUs" in flat.replace("\u00a0", " ")
    assert "16 spines" in flat  # the drawing's own words


def test_a_sum_of_cents_is_rounded_as_cents() -> None:
    support = sum([37_283.30] * 15)
    assert support < 559_249.5  # in floats
    assert whole(support) == "559,250"
    assert (whole(0.0), whole(0.49), whole(-158_573.5)) == ("–", "0", "−158,573")


def test_the_same_estimate_gives_the_same_report(real: dict[str, Any]) -> None:
    first = bom_pdf(PricedEstimate.from_json(real), MADE)
    another_second()
    assert first == bom_pdf(PricedEstimate.from_json(copy.deepcopy(real)), MADE)
    assert first.name == f"four-units-report-{real['spec_hash'][:8]}.pdf"
    assert first.content.startswith(b"%PDF-")


def test_a_report_is_dated_as_its_estimate(real: dict[str, Any]) -> None:
    reported = reader(real).metadata
    assert reported.creation_date == MADE
    assert reported.modification_date == MADE
    assert reported.title == "Four units"


def test_awkward_texts_stand_in_a_report_as_they_are() -> None:
    words = text_of(reader(sample_estimate()))
    flat = " ".join(words.split())
    assert NAME in flat
    assert "@SUM(A1:A9) Quantum-2, “64 × NDR”" in flat
    assert "−1,000" in flat
    assert "at least" in flat
    assert "no price" in flat


def test_a_report_holds_no_script_link_or_file(real: dict[str, Any]) -> None:
    content = bom_pdf(PricedEstimate.from_json(real), MADE).content
    for word in (b"/JavaScript", b"/JS ", b"/Launch", b"/URI", b"/EmbeddedFile", b"/OpenAction"):
        assert word not in content


@pytest.mark.parametrize("name", ["设计", "x" * 200, "<b>&amp;</b>", "Жёлтый Ω кластер", "a\x00b\u202ec", "𝔘😀", " "])
def test_any_name_can_be_printed(name: str) -> None:
    values = sample_estimate()
    values["spec"]["name"] = name
    assert len(reader(values).pages) > 5


def test_a_long_bill_is_bounded_and_says_so(real: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert bill.MAX_LINES == 1_000  # a hundred pages; here there are fewer, as they take seconds to read back
    monkeypatch.setattr(bill, "MAX_LINES", 150)
    values = copy.deepcopy(real)
    lines = values["bom"]["lines"]
    values["bom"]["lines"] = [dict(lines[k % len(lines)], line=k + 1) for k in range(400)]
    pages = [page.extract_text() for page in reader(values).pages]
    assert "250 more lines are in the workbook" in "\n".join(pages)
    assert sum("Basis and source of the price" in page for page in pages) > 150 / 20


# --- the parts a report is made of -------------------------------------------------------------------------------
@pytest.mark.parametrize("letter", "×÷−€≥≤“”‘’–…µ°²³·≈±")
def test_signs_of_the_field_are_in_the_font(letter: str) -> None:
    assert printable(letter) == letter
    assert runs(letter)[0].font == REGULAR


@pytest.mark.parametrize(
    ("given", "shown"), [("Dvořák", "Dvorák"), ("a\nb\tc", "a b c"), ("\u202eabc\x07", "abc"), ("😀", "?"), ("→", "›")]
)
def test_what_no_font_has_is_replaced(given: str, shown: str) -> None:
    assert printable(given) == shown


def test_chinese_is_set_in_a_font_that_readers_supply() -> None:
    assert [run.font for run in runs(printable("Cluster 设计"))] == [REGULAR, SUPPLIED]
    assert markup("<i>设&") == f'&lt;i&gt;<font name="{SUPPLIED}">设</font>&amp;'


@pytest.mark.parametrize("text", ["one two three four five six", "x" * 300, "short", "", "a " * 100])
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, REGULAR, 7, 60)
    assert all(width(line, REGULAR, 7) <= 60.01 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    cut = wrapped(text, REGULAR, 7, 60, 2)
    assert len(cut) <= 2
    assert len(lines) <= 2 or cut[-1].endswith("…")


def test_a_grid_breaks_between_rows_and_repeats_its_header() -> None:
    rows = [Row([Text(f"row {k}", "note " * 30), "9"]) for k in range(200)]
    grid = Grid([Field("Head of a column", 3), Field("Number", 1, is_number=True)], rows)
    content = pdf_bytes([grid], About("t", "s", "f", MADE))
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    assert len(pages) > 5
    assert all("Head of a column" in page for page in pages)
    found = [word for page in pages for word in page.splitlines() if word.startswith("row ")]
    assert found == [f"row {k}" for k in range(200)]


def test_a_report_needs_no_font_of_the_machine() -> None:
    fonts = {
        str(font.get_object()["/BaseFont"])
        for page in reader(sample_estimate()).pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert {name.split("+")[-1] for name in fonts} <= {
        "BitstreamVeraSans-Roman",
        "BitstreamVeraSans-Bold",
        "/Helvetica",
    }


def test_own_prices_are_signed_for_by_name_and_hash(catalog: Catalog) -> None:
    price = {
        "part": "nvidia-qm9700",
        "low": 2500000,
        "typical": 2600033,
        "high": 2700000,
        "currency": "EUR",
        "basis": "quote",
        "as_of": "2026-11-02",
        "source": "Offer 12",
    }
    rate = {"currency": "EUR", "usd": 1.0837, "as_of": "2026-11-01", "source": "Bank"}
    spec = SPEC | {"economics": {"prices": {"name": "=Vendor “A”", "prices": [price], "rates": [rate]}}}
    parsed = parse_spec(spec, catalog)
    made = json.loads(json.dumps(estimate([parsed], catalog)[0].as_json()))
    flat = " ".join(text_of(reader(made)).split())
    own = parsed.economics.prices
    assert own is not None
    assert f"=Vendor “A”, 1 price, {own.hash}" in flat
    assert f"prices {own.hash}" in flat  # at the foot of each page
    assert "28,176.56" in flat  # 26,000.33 × 1.0837
    assert "by its price book" not in flat
    with reading(lambda: Chosen(Rate("EUR", 1.25, "2026-11-27", "listing", "ECB"))):
        flat = " ".join(text_of(reader(made)).split())
        line = next(line for line in PricedEstimate.from_json(made).bom.lines if line.part == "nvidia-qm9700")
        same = line.but(price_rate=line.price_rate and line.price_rate.but(usd=1.25))
        assert typed_price(line) == "EUR\xa026,000.33 at 1.0837 by its price book; here at 1.25"
        assert typed_price(line.but(price_currency="GBP")) == ""
        assert typed_price(same) == "EUR\xa026,000.33 by its price book; counted as 28,176.56 US dollars"  # × 1.0837
    with reading(lambda: Chosen(Rate("EUR", 1.0837, "2026-11-01", "own", "Bank"))):
        assert typed_price(line) == ""  # 26,000.33 × 1.0837 is 28,176.56, and back again
    metre = TypedPrice(
        per="metre", amount=1.2, currency="EUR", rate=PriceRate(usd=1.2, date="", basis="own", source="")
    )
    other = metre.but(currency="CHF")
    mixed = line.but(price_currency="USD", unit_price=None, price_rate=None, typed_prices=[metre, other])
    with reading(lambda: Chosen(Rate("EUR", 1.1269, "2026-11-27", "listing", "ECB"))):
        assert typed_price(mixed) == "EUR\xa01.20 a metre at 1.20 by its price book; here at 1.1269"
    with reading(lambda: Chosen(Rate("EUR", 1.2, "2026-11-27", "listing", "ECB"))):
        assert typed_price(mixed) == ""
    assert typed_price(mixed) == ""
    assert "22,541.25" in flat  # what that is at the rate of the paper
    assert "26,000.33 at 1.0837 by its price book; here at 1.25" in flat
