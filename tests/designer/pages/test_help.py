"""Each field and figure explains itself, terms are linked, and documents are shown without markup of their own."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.config.settings import BASE_DIR
from designer.forms.design import KEPT_FIELD, DesignForm
from designer.pages.reading.help import COST_FIGURES, FIGURES, cost_key, help_groups, help_key, help_texts
from designer.pages.reading.markdown import headings, rendered, slug
from designer.templatetags.help import known_term
from designer.wording.cost import head_figures
from designer.wording.figures import RESULT_TITLES
from designer.wording.glossary import DOCS, anchors, entries, term_anchor
from designer.wording.headlines import LIMIT_NAMES, limit_name
from designer.wording.strip import IN_FULL
from estimator.catalog.loader import load_catalog
from estimator.performance.bandwidth import LIMITS
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from tests.designer.pages.result.test_fabric import made_of

VALUES: dict[str, Any] = {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}
TEXTS = help_texts()


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """Results by name, so that each is computed once."""
    return {}


# ---------------------------------------------------------------- completeness


def test_every_field_of_the_form_explains_itself() -> None:
    names = [name for name in DesignForm(values=VALUES).fields if name != KEPT_FIELD]
    assert len(names) > 90
    assert not sorted({help_key(name) for name in names} - set(TEXTS))


@pytest.mark.django_db
def test_every_head_figure_explains_itself(page: Client) -> None:
    content = page.get(reverse("design-new") + "?sample=superpod-h100").content.decode()
    marks = re.findall(
        r'<span class="figure-name">([^<]+)</span><a class="help-dot"[^>]* data-help="/help/([^"]+)/"', content
    )
    assert len(marks) == content.count('class="figure-name"') == len(FIGURES)
    assert {key: IN_FULL.get(html.unescape(name), html.unescape(name)) for name, key in marks} == FIGURES
    (made,) = estimate([parse_spec(VALUES, load_catalog())], load_catalog())
    names = [figure.name for figure in head_figures(PricedEstimate.of(made))]
    assert [cost_key(name) for name in names] == list(COST_FIGURES)


def test_no_text_is_for_something_that_is_gone() -> None:
    asked = {help_key(name) for name in DesignForm(values=VALUES).fields} | set(FIGURES) | set(COST_FIGURES)
    words = "".join(path.read_text() for path in (BASE_DIR / "templates/designer").rglob("_*.html"))
    marked = set(re.findall(r'(?:help|figure)_mark "([^"]+)"', words)) | set(re.findall(r'with help="([^"]+)"', words))
    assert marked <= set(TEXTS), "every mark in the tables of a result has its text"
    assert set(TEXTS) - asked == marked - set(FIGURES) - set(COST_FIGURES)


@pytest.mark.parametrize("text", TEXTS.values(), ids=lambda text: text.key)
def test_a_text_says_what_why_and_from_where(text: Any) -> None:
    assert text.title
    assert text.what.endswith(".")
    assert text.why.endswith((".", ""))
    assert text.source.endswith(".")
    assert {term_anchor(term) for term in text.terms} <= anchors(), "every term is in the glossary"
    if text.doc:
        known = {anchor for _, _, anchor in headings((DOCS / f"{text.doc_name}.md").read_text())}
        assert not text.doc_anchor or text.doc_anchor in known, text.doc


def test_what_is_computed_has_its_formula() -> None:
    without = {key for key in (*FIGURES, *COST_FIGURES, *RESULT_TITLES) if not TEXTS[key].formula}
    assert without == {"bom.basis", "perf.evidence", "failures.rate"}  # are looked up


def test_every_text_stands_on_the_page_of_help_once() -> None:
    shown = [text.key for group in help_groups() for text in group["texts"]]
    assert sorted(shown) == sorted(TEXTS)


# ---------------------------------------------------------------- pages


@pytest.mark.django_db
def test_the_form_and_the_figures_have_their_marks(page: Client) -> None:
    content = page.get(reverse("design-new") + "?sample=superpod-h100").content.decode()
    for key in TEXTS:
        if key not in COST_FIGURES and key not in RESULT_TITLES:
            assert f'data-help="{reverse("help-card", args=[key])}"' in content, key
    assert content.count('class="help-dot"') > 100


UNMARKED = {  # say it themselves, or head the rows that have marks
    "Line",
    "Number",
    "Typical",
    "Value",
    "Low to high",
    "Low",
    "High",
    "GPUs",
    "In use",
    "Quantity",
    "Price",
    "No room to grow",
    "Bought now",
    "Grown",
    "Length",
    "Unit price",
}
CHARTS = re.compile(r'<figure class="panel chart.*?</figure>', re.DOTALL)
HEADS = re.compile(
    r'<th scope="col" class="number"[^>]*>(.*?)</th>|<dt>(.*?)</dt>|<th scope="row" class="what">(.*?)</th>', re.DOTALL
)
GROWING: dict[str, Any] = {
    "compute": {"server": "dgx-h100", "nodes": 100},
    "fabric": {"generation": "ndr", "grow_to_nodes": 128, "reserved": {"fabric_manager_links": 4}},
    "other_fabrics": [{"role": "storage", "generation": "ndr"}],
    "site": {"plan": {}},
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "least"),
    [
        ({"tab": "overview"}, 40),
        ({"tab": "fabric", "colour": "alltoall"}, 4),
        ({"tab": "fabric", "down": "spine-001"}, 8),
        ({"tab": "performance"}, 9),
        ({"tab": "performance", "steps": "1"}, 14),
        ({"tab": "cabling"}, 6),
        ({"tab": "cabling", "view": "schedule"}, 4),
        ({"tab": "racks"}, 4),
        ({"tab": "findings"}, 10),
    ],
)
def test_every_kind_of_figure_of_a_result_has_its_mark(
    page: Client, owner: User, results: dict[str, Any], query: dict[str, str], least: int
) -> None:
    design, job = made_of(owner, GROWING, results)
    content = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), query).content.decode()
    heads = [next(filter(None, found)) for found in HEADS.findall(CHARTS.sub("", content))]
    bare = {re.sub(r"<[^>]+>", "", head).strip() for head in heads if "help-dot" not in head}
    assert bare <= UNMARKED
    marks = re.findall(r'data-help="/help/([^"]+)/"', content)
    assert set(marks) <= set(TEXTS)
    assert len(marks) >= least


AXIS_TERMS = {  # a word of an axis, a legend or a title, and the anchor that explains it
    "Bus bandwidth": "algbw",
    "Scaling efficiency": "scaling-efficiency",
    "Weak scaling": "weak",
    "Pipeline bubble": "pipeline-bubble",
    "Time per token": "time-per-token",
    "Tensor parallel": "tp",
    "Total cost, discounted": "discounted",
    "break-even price": "break-even-price",
    "how likely": "p5",
}


@pytest.mark.django_db
def test_charts_lead_to_the_glossary_for_the_words_of_their_axes(
    page: Client, owner: User, results: dict[str, Any]
) -> None:
    """A picture holds no links: each chart names the terms that it uses below its note."""
    design, job = made_of(owner, GROWING, results)
    seen = set()
    for tab in ("overview", "cost", "performance", "workloads"):
        answer = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": tab})
        for chart in CHARTS.findall(answer.content.decode()):
            for word, anchor in AXIS_TERMS.items():
                if word in html.unescape(chart):
                    seen.add(word)
                    assert f'href="{reverse("glossary")}#{anchor}"' in chart, (tab, word)
    assert seen == set(AXIS_TERMS)


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["fabric.oversubscription", "figure.all_reduce", "other_fabrics.in-band"])
def test_a_card_holds_one_text(page: Client, key: str) -> None:
    content = html.unescape(page.get(reverse("help-card", args=[key])).content.decode())
    text = TEXTS[key]
    for words in (text.title, text.what, text.why, text.formula, text.source):
        assert words in content
    assert "<html" not in content
    assert f"{reverse('glossary')}#{text.term_links[0][1]}" in content
    assert f"{reverse('document', args=[text.doc_name])}#{text.doc_anchor}" in content


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/help/nothing/", "/docs/nothing/", "/docs/decisions/"])
def test_what_is_not_there_is_not_found(page: Client, address: str) -> None:
    assert page.get(address).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/help/", "/help/fabric.tiers/", "/glossary/", "/docs/sizing/"])
def test_whoever_follows_a_shared_link_can_read(address: str) -> None:
    assert Client().get(address).status_code == 200


@pytest.mark.django_db
def test_the_help_page_has_an_anchor_for_each_text(page: Client) -> None:
    content = page.get(reverse("help")).content.decode()
    assert not [key for key in TEXTS if f'id="{key}"' not in content]


@pytest.mark.django_db
def test_help_is_searched_on_its_own_page(page: Client) -> None:
    whole, found = page.get(reverse("help")).text, page.get(reverse("help"), {"q": " Recabled minutes"}).text
    assert 'id="phases.recabled"' in whole
    assert re.findall(r'<article class="panel help-entry" id="([^"]*)"', found) == ["phases.recabled"]
    assert "title-figures" not in found, "no group stays empty"
    none = page.get(reverse("help"), {"q": "<b>\0 nowhere"}).text
    assert "No text of help has all of these words" in none
    assert "<b>" not in none


def test_the_glossary_has_each_term_with_an_anchor_and_says_where_it_is_used(page: Client) -> None:
    content = page.get(reverse("glossary")).content.decode()
    assert len(entries()) > 40
    assert not [anchor for anchor in anchors() if f'id="{anchor}"' not in content]
    assert f"{reverse('help')}#fabric.planes" in content


def test_anchors_of_the_glossary_differ() -> None:
    found = [anchor for entry in entries() for _, anchor in entry.terms]
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"[a-z0-9-]+", anchor) for anchor in found)


@pytest.mark.parametrize(
    "words",
    [
        "launch and latency",
        "pipeline fill",
        "NVLink reduction",
        "rack network channels",
        "channels of a pair",
        "in-network reduction",
        "load balancing",
        "load factor",
        "start-up time",
    ],
)
def test_what_limits_a_point_is_linked_to_its_meaning(words: str) -> None:
    assert f'#{term_anchor(words)}">{words}</a>' in known_term(words)
    assert words in (*LIMITS, "load factor", "start-up time")
    assert known_term("NIC") == "NIC"


def test_limits_are_linked_by_the_names_that_pages_give_them() -> None:
    codes = {code for code in LIMIT_NAMES if code in LIMITS}
    assert codes
    for code in codes:
        assert f'">{limit_name(code)}</a>' in known_term(limit_name(code))


def test_terms_that_templates_link_are_in_the_glossary() -> None:
    texts = (path.read_text(encoding="utf-8") for path in (BASE_DIR / "templates").rglob("*.html"))
    linked = {term for text in texts for term in re.findall(r'{% term "([^"]+)"', text)}
    assert {"P50", "MFU", "goodput", "time per token", "TP"} <= linked
    assert {term_anchor(term) for term in linked} <= anchors()


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(path.stem for path in DOCS.glob("*.md")))
def test_every_document_is_shown(page: Client, name: str) -> None:
    response = page.get(reverse("document", args=[name]))
    assert response.status_code == 200
    for _, words, anchor in headings((DOCS / f"{name}.md").read_text()):
        assert f'id="{anchor}"' in response.content.decode(), words


# ---------------------------------------------------------------- Markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A `b` & c", '<h1 id="a-b-c">A <code>b</code> &amp; c</h1>'),
        ("one\ntwo **three** *four*", "<p>one two <strong>three</strong> <em>four</em></p>"),
        ("2 * 3 * 4 and a_b_c", "<p>2 * 3 * 4 and a_b_c</p>"),
        ("- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"),
        ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
        ("    x < y", '<pre tabindex="0"><code>x &lt; y</code></pre>'),
        ("```\n**x**\n```", '<pre tabindex="0"><code>**x**</code></pre>'),
        ("`**x**`", "<p><code>**x**</code></p>"),
        ("[a](https://b.example/?c=1&d)", '<p><a href="https://b.example/?c=1&amp;d" rel="noreferrer">a</a></p>'),
    ],
)
def test_markdown_as_html(text: str, shown: str) -> None:
    assert rendered(text) == shown


def test_a_table_scrolls_in_its_box() -> None:
    shown = rendered("| a | b\\|c |\n|---|---|\n| 1 | `x` |\n")
    assert shown.startswith('<div class="table-scroll"')
    assert '<th scope="col">b|c</th>' in shown
    assert "<td><code>x</code></td>" in shown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "`<b>`",
        "| <i> | b |\n|---|---|\n| <u> | c |",
        '[x](https://e.example/"onclick="y)',
        "# <img src=x>",
        "- <b>",
    ],
)
def test_a_document_brings_no_markup_of_its_own(text: str) -> None:
    shown = rendered(text)
    assert not re.search(r"<(script|b|i|u|img)\b", shown)
    assert "javascript:" not in re.sub(r">[^<]*<", "><", shown)
    assert 'onclick="' not in shown.replace("&quot;", "")


def test_slugs_are_those_of_the_anchors_in_help() -> None:
    assert slug("Bill of materials (`bom/bill.py`, `bom/lines.py`)") == "bill-of-materials"
    assert slug("Who is who") == "who-is-who"


def test_names_of_documents_are_links_but_not_in_code() -> None:
    shown = rendered("See cabling.md, other.md and `cabling.md`.", {"cabling": "/docs/cabling/"})
    assert shown == '<p>See <a href="/docs/cabling/">cabling.md</a>, other.md and <code>cabling.md</code>.</p>'


def test_heads_that_become_buttons_hold_no_link() -> None:
    heads = re.compile(r"<table[^>]*data-sortable.*?</thead>", re.DOTALL)
    found = {page.name: heads.findall(page.read_text()) for page in (BASE_DIR / "templates").rglob("*.html")}
    assert sum(map(len, found.values())) > 10
    with_link = {name for name, tables in found.items() if any(re.search(r"<a |{% (term|help)", one) for one in tables)}
    assert not with_link, "a link in a button cannot be reached: name the term beside the table"
