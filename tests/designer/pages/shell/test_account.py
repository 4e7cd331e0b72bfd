"""Currency and units of an account: on pages and in PDFs, and in no other file and no answer of REST."""

import html
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from designer.charts.cost import MONEY_LABEL, money_axis
from designer.charts.figures import figure_axis
from designer.charts.vega import FACTOR, Spec, bandwidth, chart_of
from designer.exports.pdf.charts import Axis, nice_ticks, short
from designer.models import AccountChoices, Design, ShareLink
from designer.services.designs.results import result_of
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import request_estimate, save_design
from designer.services.people.choices import choose, chosen_by, rates
from designer.services.sharing import issue
from designer.wording import numbers
from designer.wording.findings import sentence
from designer.wording.numbers import Chosen, in_usual_units, reading
from estimator.catalog.currency import Rate
from estimator.errors import SpecError
from estimator.jobs import tasks
from tests.designer.finished_design import finished
from tests.processes import BASE_DIR

pytestmark = pytest.mark.django_db
EURO = Chosen(Rate("EUR", 1.25, "2026-10-06", "reference", "somebody"), in_bits=True, in_feet=True)


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, SAMPLES[0].spec())


@pytest.mark.parametrize(
    ("printer", "value", "usual", "other"),
    [
        (numbers.usd, 1_250_000, "$1.25 M", "€1.00 M"),
        (numbers.usd, -50, "−$50.00", "−€40.00"),
        (numbers.usd_small, 1.1, "$1.10", "€0.880"),
        (numbers.usd_exact, 1250, "$1,250", "€1,000"),
        (numbers.change_usd, 1250, "+$1,250", "+€1,000"),
        (numbers.gb_s, 368, "368 GB/s", "2,944 Gb/s"),
        (numbers.gb_s, 0.00124, "1.24 MB/s", "9.92 Mb/s"),
        (numbers.metres, 30, "30 m", "98.4 ft"),
        (numbers.gbit_s, 400, "400 Gb/s", "400 Gb/s"),
    ],
)
def test_numbers_are_printed_as_their_reader_chose(printer: Any, value: float, usual: str, other: str) -> None:
    plain = [text.replace(" ", "\N{NO-BREAK SPACE}") for text in (usual, other)]
    assert printer(value) == plain[0]
    with reading(lambda: EURO):
        assert printer(value) == plain[1]
        with in_usual_units():
            assert printer(value) == plain[0]
    assert printer(value) == plain[0]


def test_charts_are_drawn_in_the_chosen_units_so_that_ticks_are_round_there() -> None:
    """Values are turned before the scale, those of layers with data of their own too."""
    usual = _charted()
    with reading(lambda: EURO):
        turned = _charted()
        figures = figure_axis("x", "all_reduce_gb_s", [100.0, 200.0])
    assert usual["encoding"]["y"]["axis"]["labelExpr"] == MONEY_LABEL
    assert turned["encoding"]["y"]["axis"]["labelExpr"] == MONEY_LABEL.replace("$", "€")
    for spec, factor, gb_s in ((usual, 1.0, 1.0), (turned, 0.8, 8.0)):
        assert spec["data"]["values"] == [{"series": "s0", "usd": 20 * factor, "high": 30 * factor, "rate": 5 * gb_s}]
        assert spec["layer"][1]["data"]["values"] == [{"usd": 25 * factor, "text": "so far"}]
        assert FACTOR not in json.dumps(spec)
    assert turned["layer"][2]["encoding"]["x"]["title"] == "Bus bandwidth, Gb/s"
    assert figures["title"].endswith("Gb/s")
    assert figures["scale"]["domain"] == [pytest.approx(752), pytest.approx(1648)]


def _charted() -> Spec:
    """A chart of dollars on one axis and GB/s on another."""
    y = money_axis("usd", "Cost")
    layers = [
        {"mark": "area", "encoding": {"y": y, "y2": {"field": "high"}}},
        {"mark": "line", "data": {"values": [{"usd": 25, "text": "so far"}]}},
        {"mark": "point", "encoding": {"x": {"field": "rate", **bandwidth("Bus bandwidth")}}},
    ]
    rows = [{"series": "s0", "usd": 20, "high": 30, "rate": 5}]
    return chart_of("a", "A", "A.", ["One"], rows, {"encoding": {"y": y}, "layer": layers}, [], [], "").spec


def test_ticks_of_a_paper_are_round_in_the_chosen_currency() -> None:
    ticks = nice_ticks(0, 61e6, factor=0.8)
    assert [round(tick * 0.8) for tick in ticks] == [0, 10_000_000, 20_000_000, 30_000_000, 40_000_000, 50_000_000]
    axis = Axis("Price", numbers.usd, is_log=True, factor=0.8)
    assert {f"{10**tick * 0.8:.0e}"[0] for tick in axis.ticks((6, 8), 5)} == {"1", "2", "5"}
    with reading(lambda: EURO):
        assert [short(numbers.usd(tick)) for tick in ticks[1:3]] == ["€10\xa0M", "€20\xa0M"]


def test_a_choice_is_on_pages_and_in_no_file(page: Client, call: Any, owner: User, design: Design) -> None:
    job, _ = request_estimate(owner, SAMPLES[0].spec())
    tasks.run_estimate(str(job.pk))
    file = reverse("api:bom", args=[job.pk]) + "?format=csv"
    before, address = page.get(file).content, reverse("design", args=[design.pk])
    usual = page.get(address).text
    assert "$" in usual
    answer = page.post(reverse("account"), {"currency": "EUR", "bandwidth": "bits", "length": "ft"}, follow=True)
    assert "in these units from now on" in answer.text
    rate = rates()["EUR"]
    shown = page.get(address).text
    assert "€" in shown
    assert f"EUR at {rate.usd} USD, {rate.as_of}, {rate.source}" in shown
    assert "2,9" in shown
    assert "GB/s" not in shown.partition('id="summary"')[2].partition("</section>")[0]
    assert page.get(file).content == before
    _, secret = issue(design, ShareLink.Mode.READ)
    guest = Client()
    guest.get(reverse("shared", args=[secret]))
    kept = guest.get(reverse("shared-file", args=[design.pk, job.pk, "bom", "csv"])).content
    assert page.get(reverse("shared-file", args=[design.pk, job.pk, "bom", "csv"])).content == kept
    assert "€" not in guest.get(address).text
    book = reverse("price-book-catalog-export", args=["street"]) + "?format=csv"
    priced = page.get(book).content
    AccountChoices.objects.all().delete()
    assert page.get(book).content == priced


TABS = ("overview", "cost", "performance", "cabling", "findings")
PLANNED = {
    "compute": {"server": "dgx-h100", "nodes": 24},
    "fabric": {"generation": "ndr", "oversubscription": "2:1", "grow_to_nodes": 32},
    "site": {"plan": {}},
    "phases": [{"date": "2027-01"}, {"date": "2028-01", "nodes": 40}],
}
LEFT_OVER = re.compile(
    r"[^\n]*(?:\$ ?\d|\d[\d.,]*[\u00a0 -](?:m|metres?)(?![\w/])|(?:\d[\u00a0 ]|, )[kMGT]?B/s|\d USD)[^\n]*"
)


def test_no_heading_of_a_page_has_the_sign_of_one_currency() -> None:
    """Its amounts have that of the reader's."""
    found = {
        path.name: heads
        for path in (BASE_DIR / "templates" / "designer" / "result").rglob("*.html")
        if (heads := re.findall(r"(?:<th\b[^>]*>|data-label=\")[^<{\"]*\$[^<\"]*", path.read_text()))
    }
    assert not found


def test_no_figure_of_a_page_stays_in_the_usual_units(page: Client, owner: User) -> None:
    """But for what others wrote: sources, their notes and rules, and names of parts."""
    design, job = finished(owner, PLANNED)
    made = result_of(job)
    assert made.phases
    choose(owner, "EUR", "bits", "ft")
    quoted = {text for line in made.bom.lines for text in (line.price_rule, line.price_note, line.price_source) if text}
    quoted |= {line.description for line in made.bom.lines} | {"Per GB/s of bus bandwidth"}
    for tab in TABS:
        text = page.get(reverse("design", args=[design.pk]), {"tab": tab}).text
        text = re.sub(r"(?s)<(script|style|footer)\b.*?</\1>|<summary>[^<]* constants? .*?</details>", "", text)
        text = html.unescape(re.sub(r"<[^>]*>", "\n", text))
        for words in quoted:
            text = text.replace(words, "")
        assert not LEFT_OVER.findall(text), tab
        assert "€" in text or tab not in ("overview", "cost", "findings")
        assert re.search(r"\d ft|\d Gb/s".replace(" ", "[\u00a0 ]"), text), tab
    for kind, others in (("bom", ("csv", "json")), ("cost", ("csv", "json"))):
        address = f"/api/v1/estimates/{job.pk}/{kind}/"
        paper = PdfReader(io.BytesIO(page.get(address, {"format": "pdf"}).content))
        text = " ".join(one.extract_text() for one in paper.pages).replace("\n", " ")
        assert f"EUR at {rates()['EUR'].usd} USD" in text
        assert "Price, USD" not in text
        assert "US dollars" not in text
        for form in others:  # as their contract says
            assert "EUR" not in page.get(address, {"format": form}).text


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("It costs $82,970 more, or $4.80 M in all.", "It costs €66,376 more, or €3.84 M in all."),
        ("The network costs 6,365,779 USD.", "The network costs €5,092,623."),
        ("18.5% is taken off 41,010.00 USD apiece", "18.5% is taken off €32,808.00 apiece"),  # not €32,800
        ("2 pieces are 60,000.50 USD, not 60,012.00 USD.", "2 pieces are €48,000.40, not €48,009.60."),
        ("From 313 to 430 GB/s, and 1.24 MB/s", "From 2,504 to 3,440 Gb/s, and 9.92 Mb/s"),
        ("A 30 m price, 20 and 50 m, 7 metres", "A 98.4 ft price, 65.6 and 164 ft, 23 feet"),
        ("400 Gb/s over 5 ms, 12 mm and 3 MiB", "400 Gb/s over 5 ms, 12 mm and 3 MiB"),
    ],
)
def test_sentences_of_the_core_are_read_as_chosen(usual: str, other: str) -> None:
    assert sentence(usual) == usual
    with reading(lambda: EURO):
        assert sentence(usual).replace("\xa0", " ") == other
        assert sentence(sentence(usual)) == sentence(usual)


def test_a_choice_is_its_users_alone_and_another_replaces_it(owner: User) -> None:
    choose(owner, "EUR", "bits", "m")
    choose(owner, "JPY", "bytes", "m")
    assert AccountChoices.objects.count() == 1
    assert chosen_by(owner).currency == "JPY"
    assert chosen_by(User.objects.create_user("eve")).currency == "USD"
    AccountChoices.objects.update(currency="XXX")
    assert chosen_by(owner).rate is None


def test_what_is_not_offered_is_refused(page: Client, owner: User) -> None:
    with pytest.raises(SpecError) as error:
        choose(owner, "XXX", "bauds", "m")
    assert [problem.field for problem in error.value.problems] == ["currency", "bandwidth"]
    answer = page.post(reverse("account"), {"currency": "XXX", "bandwidth": "bits", "length": "m"})
    assert answer.status_code == 422
    assert "choose one of USD" in answer.text
    assert not AccountChoices.objects.exists()


def test_the_page_names_source_and_date_of_each_rate(page: Client) -> None:
    text = page.get(reverse("account")).text
    for rate in rates().values():
        assert rate.as_of in text
        assert rate.source in text
        assert f"{rate.currency}, at {numbers.significant(rate.usd, 6)} USD" in text


def test_a_source_that_all_rates_share_is_said_once(page: Client) -> None:
    (source,) = {rate.source for rate in rates().values()}
    assert page.get(reverse("account")).text.count(source) == 1
