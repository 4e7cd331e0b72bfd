"""Pages to start from: the gallery, published against computed, workloads, designs out of files, and the offer of the tour."""

import html
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.pages.start.tour import STEPS
from designer.pages.start.views import TOUR_COOKIE
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.wording.figures import figure_words
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.link_list import link_list
from estimator.published.designs import ComparedRow, published
from estimator.published.parts import part_rows
from estimator.published.workloads import workloads
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt.fabric_dumps import cables_of, ibnetdiscover, prefixed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
SPEC = {"name": "Brought along", "compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}

HALL: dict[str, Any] = {
    "name": "Hall 3",
    "compute": {"server": "dgx-h100", "gpus": 64},
    "fabric": {"generation": "ndr"},
}


def text_of(response: Any) -> str:
    words = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


def small(generation: str) -> LinkList:
    """A network of servers on one switch."""
    nodes = 12 if generation == "hdr" else 8
    values = {"compute": {"server": "custom", "nodes": nodes, "gpus_per_node": 1, "nics_per_node": 1}}
    return link_list(parse_spec({**values, "fabric": {"generation": generation}}, load_catalog()), load_catalog())


def dump_of(case: str) -> io.BytesIO:
    spec = parse_spec(published().designs[case].inputs, load_catalog())
    file = io.BytesIO("".join(ibnetdiscover(cables_of(link_list(spec, load_catalog())))).encode())
    file.name = "fabric-berlin.txt"
    return file


def test_the_start_page_leads_to_every_design_that_there_is_to_start_from(page: Client) -> None:
    content = page.get(reverse("start")).content.decode()
    for sample in SAMPLES:
        assert f"?sample={sample.key}" in content
    for key in published().designs:
        assert f"?published={key}" in content
    for key in workloads():
        assert f"?workload={key}" in content
        assert reverse("workload", args=[key]) in content
    for step in STEPS:
        assert html.escape(step.title) in content


def test_published_against_computed_is_green_row_by_row(page: Client) -> None:
    response = page.get(reverse("published"))
    words = text_of(response)
    n_rows = sum(len(design.rows) for design in published().designs.values())
    assert f"{n_rows} of {n_rows}" in words
    assert response.content.count(b'class="differs"') == 0
    for design in published().designs.values():
        assert design.name in words
        assert f'id="{design.id}"' in response.content.decode()
        assert design.source.title in words
    for slip in published().slips:
        assert slip.why in words
    for one in published().apart:
        assert one.why in words
    for row in part_rows():
        assert row.part in words
        assert row.why in words


def test_published_designs_are_searched_on_their_own_page(page: Client) -> None:
    found = page.get(reverse("published"), {"q": "meta llama"}).text
    assert re.findall(r'<article class="panel published-design" id="([^"]*)"', found) == ["meta-llama3-24k"]
    assert 'id="slips"' not in found
    assert "No published design has all" in page.get(reverse("published"), {"q": "nowhere"}).text


def test_a_row_that_differs_is_shown_as_such(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from designer.pages.start import published as published_page

    def wrong(design: Any, result: Any) -> list[ComparedRow]:
        rows = compared(design, result)
        return [one._replace(computed=None) for one in rows] if design.id == "form-2tier-k36" else rows

    compared = published_page.compared
    monkeypatch.setattr(published_page, "compared", wrong)
    published_page._page.cache_clear()
    try:
        response = page.get(reverse("published"))
        assert response.content.count(b'class="differs"') == len(published().designs["form-2tier-k36"].rows)
    finally:
        published_page._page.cache_clear()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("compute.counts.leaf", "Leaf switches"),
        ("storage.counts.spine", "Storage: spine switches"),
        ("compute.links.node_leaf+compute.links.fabric_manager", "Node–leaf links + fabric-manager links"),
        ("compute.counts.nodes/compute.split.scalable_unit_nodes", "Servers ÷ servers of a unit"),
        ("bom.x", "x, pieces in the bill of materials"),
    ],
)
def test_figures_have_words(name: str, words: str) -> None:
    assert figure_words(name) == words


@pytest.mark.parametrize("query", ["published=dgx-b300-xdr-su4", "workload=llama-3-405b", "sample=roce-1024"])
def test_each_kind_opens_as_an_unsaved_design(page: Client, owner: User, query: str) -> None:
    response = page.get(reverse("design-new") + "?" + query)
    assert response.status_code == 200
    assert "Sample, not saved yet" in text_of(response)
    assert not owner.designs.exists()


def test_an_unknown_name_opens_a_blank_design(page: Client) -> None:
    assert "Not saved yet" in text_of(page.get(reverse("design-new") + "?published=nothing"))


@pytest.mark.parametrize("key", list(workloads()))
def test_a_workload_says_what_a_step_sends(page: Client, key: str) -> None:
    words = text_of(page.get(reverse("workload", args=[key])))
    assert "Gradients" in words
    assert "Reduce-scatter" in words
    assert "an upper bound" not in words or "upper bounds" in words
    assert workloads()[key].source in words


def test_an_unknown_workload_is_not_found(page: Client) -> None:
    assert page.get(reverse("workload", args=["nothing"])).status_code == 404


def test_a_workload_runs_on_a_design_of_ones_own(page: Client, owner: User) -> None:
    address = reverse("workload", args=["llama-3-405b"])
    assert "On a design of yours" not in text_of(page.get(address))
    own = save_design(owner, parse_spec(HALL, load_catalog()))
    assert "On a design of yours" in text_of(page.get(reverse("start")))
    answer = page.get(address, {"design": str(own.pk)})
    by_kind = {row.here.message.kind: row for row in answer.context["rows"]}
    assert by_kind["Gradients"].here.time_us != by_kind["Gradients"].there.time_us
    assert "The layout takes 16,384 GPUs and Hall 3 has 64" in text_of(answer)
    assert "on Hall 3 , InfiniBand NDR" in text_of(answer)


def test_a_variant_for_a_workload_leaves_the_design_as_it_was(page: Client, owner: User, sent: list[str]) -> None:
    own = save_design(owner, parse_spec(HALL, load_catalog()))
    answer = page.post(reverse("workload-variant", args=["llama-3-405b"]), {"design": str(own.pk)})
    variant = own.variants.get()
    assert answer["Location"] == reverse("design", args=[variant.pk])
    given = variant.now.given
    assert (given["compute"]["gpus"], given["workload"]["placement"]) == (16_384, "ordered")
    assert given["compute"]["server"] == "dgx-h100"
    assert own.now.given["compute"]["gpus"] == 64
    assert owner.estimate_jobs.count() == 1


def test_a_workload_too_large_for_a_design_makes_no_variant(page: Client, owner: User) -> None:
    own = save_design(owner, parse_spec(HALL | {"fabric": {"generation": "ndr", "tiers": 1}}, load_catalog()))
    answer = page.post(reverse("workload-variant", args=["llama-3-405b"]), {"design": str(own.pk)}, follow=True)
    assert not own.variants.exists()
    assert answer.redirect_chain[0][0].endswith("#sends")
    assert 'class="message error"' in answer.content.decode()


@pytest.mark.parametrize("asked", ["nothing", "00000000-0000-0000-0000-000000000000"])
def test_a_workload_runs_on_no_design_of_strangers(page: Client, asked: str) -> None:
    assert page.get(reverse("workload", args=["llama-3-405b"]), {"design": asked}).status_code == 404
    assert page.post(reverse("workload-variant", args=["llama-3-405b"]), {"design": asked}).status_code == 404
    stranger = User.objects.create_user("eve")
    theirs = save_design(stranger, parse_spec(HALL, load_catalog()))
    assert page.get(reverse("workload", args=["llama-3-405b"]), {"design": str(theirs.pk)}).status_code == 404


# ---------------------------------------------------------------- designs out of files


@pytest.mark.parametrize("shape", ["pasted", "file", "estimate"])
def test_a_spec_becomes_a_design_with_its_estimate_asked_for(
    page: Client, owner: User, sent: list[str], shape: str
) -> None:
    values = {"spec": SPEC, "fabrics": {}} if shape == "estimate" else SPEC
    text = json.dumps(values)
    data: dict[str, Any] = {"spec": text} if shape != "file" else {"file": io.BytesIO(b"\xef\xbb\xbf" + text.encode())}
    response = page.post(reverse("design-import"), data)
    design = Design.objects.get(owner=owner)
    assert response["Location"] == reverse("design", args=[design.pk])
    assert design.name == "Brought along"
    assert design.now.given["compute"]["nodes"] == 16
    assert owner.estimate_jobs.count() == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "Paste a design as JSON, or choose a file first."),
        ({"spec": "{"}, "is not JSON"),
        ({"spec": "[1]"}, "must be a JSON object"),
        ({"spec": '{"compute": {"nodes": 2}, "compute": {}}'}, "stands twice"),
        ({"spec": '{"compute": {"nodes": 0}, "fabric": {"generation": "ndr"}}'}, "compute.nodes"),
        ({"spec": '{"compute": {"nodes": 4}, "fabric": {"generation": "ndr"}, "colour": "red"}'}, "colour"),
        ({"spec": '{"compute": {"nodes": 999999}, "fabric": {"generation": "ndr", "tiers": 2}}'}, "tier"),
        ({"file": io.BytesIO(b"\xff\xfe\x00x")}, "no UTF-8 text"),
        ({"spec": " " * 10 + "x" * 1_000_001}, "bytes, and a design may have"),
        ({"dump": io.BytesIO(b"hello\n")}, "ibnetdiscover"),
    ],
)
def test_what_is_no_design_is_refused_with_words(page: Client, owner: User, data: dict[str, Any], words: str) -> None:
    response = page.post(reverse("design-import"), data)
    assert response.status_code == 422
    assert words in text_of(response)
    assert not owner.designs.exists()


def test_what_was_pasted_stays_where_it_is_refused(page: Client) -> None:
    assert '{"compute": 7' in html.unescape(
        page.post(reverse("design-import"), {"spec": '{"compute": 7'}).content.decode()
    )


def test_a_dump_is_shown_with_its_nearest_design_and_what_it_cannot_tell(page: Client, owner: User) -> None:
    response = page.post(reverse("design-import"), {"dump": dump_of("dgx-h100-ndr-su1-ufm")})
    words = text_of(response)
    assert "31 servers with 8 ports each at 400 Gb/s." in words
    assert "every count is met" in words
    assert "The model of the servers" in words
    assert "Network of fabric-berlin" in words
    assert not owner.designs.exists(), "nothing is kept before it is requested"


def test_the_nearest_design_of_a_dump_can_be_kept(page: Client, owner: User) -> None:
    content = page.post(reverse("design-import"), {"dump": dump_of("dgx-h100-ndr-su1-ufm")}).content.decode()
    spec = html.unescape(re.search(r'name="spec" value="([^"]*)"', content)[1])
    page.post(reverse("design-import"), {"spec": spec})
    design = Design.objects.get(owner=owner)
    assert design.name == "Network of fabric-berlin"
    assert design.now.spec["compute"]["nodes"] == 31


def test_each_network_of_a_dump_can_be_a_design(page: Client, owner: User) -> None:
    generations = ("hdr", "edr")
    cables = [cable for generation in generations for cable in prefixed(cables_of(small(generation)), f"{generation}-")]
    file = io.BytesIO("".join(ibnetdiscover(cables)).encode())
    file.name = "both.txt"
    response = page.post(reverse("design-import"), {"dump": file})
    assert "Make network 2 a design" in text_of(response)
    for spec in re.findall(r'name="spec" value="([^"]*)"', response.content.decode()):
        page.post(reverse("design-import"), {"spec": html.unescape(spec)})
    made = {design.name: design.now.given["fabric"]["generation"] for design in Design.objects.filter(owner=owner)}
    assert made == {"Network of both": "hdr", "Network of both, network 2": "edr"}


# ---------------------------------------------------------------- the tour


def test_the_tour_is_offered_until_it_is_skipped(page: Client) -> None:
    address = reverse("design-new") + "?sample=superpod-h100"
    assert b"data-tour-offer" in page.get(address).content
    response = page.post(reverse("tour-skip"), {"next": address})
    assert response["Location"] == address
    assert page.cookies[TOUR_COOKIE].value == "done"
    assert page.cookies[TOUR_COOKIE]["max-age"] > 300 * 24 * 3600
    assert b"data-tour-offer" not in page.get(address).content


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org/x", "javascript:alert(1)", ""])
def test_skipping_leads_nowhere_else(page: Client, elsewhere: str) -> None:
    assert page.post(reverse("tour-skip"), {"next": elsewhere})["Location"] == reverse("start")


def test_every_step_points_at_something_of_the_page(page: Client) -> None:
    content = page.get(reverse("design-new") + "?sample=superpod-h100").content.decode()
    assert len(STEPS) == 5
    for step in STEPS:
        last = step.target.split()[-1]
        wanted = {"#": f'id="{last[1:]}"', ".": last[1:], "[": 'type="submit"'}[last[0]]
        assert wanted in content, step.target


@pytest.mark.parametrize("name", ["start", "published", "design-import"])
def test_pages_ask_for_a_sign_in(name: str) -> None:
    assert Client().get(reverse(name)).status_code == 302
