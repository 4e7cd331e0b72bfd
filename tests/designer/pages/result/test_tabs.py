"""The tabs of a result: what each shows with and without scripts, what it may cost, and what it changes."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.exports.links import link_file_name
from designer.forms.changes import difference, proposal
from designer.models import Design
from designer.pages.result import racks as racks_tab
from designer.pages.result.cabling import tab as cabling_tab
from designer.pages.result.failures import growth_table, part_of
from designer.pages.result.tabs import TABS
from designer.services import link_lists
from designer.services.designs.edits import record, start_state
from designer.services.designs.results import result_of
from designer.services.designs.saving import request_estimate, save_design
from designer.wording.query import Page, page_number, rows_on
from estimator.catalog.loader import load_catalog
from estimator.handoff.formats import FORMATS
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from tests.designer.finished_design import finished

SUPERPOD: dict[str, Any] = {
    "name": "Four units",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
}
PLANNED = SUPERPOD | {"site": {"plan": {}}}
LARGEST: dict[str, Any] = {
    "name": "131,072 endpoints",
    "compute": {"server": "dgx-h100", "nodes": 16_384},
    "fabric": {"generation": "xdr"},
}
PAGE_BYTES = 400_000  # of 131,072 endpoints; their link list has 40,000,000
SHORT = SUPERPOD | {"compute": {"server": "dgx-h100", "gpus": 1_020}}  # rounds up to 128 nodes: no port for a manager

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_floor_is_kept() -> None:
    racks_tab._floor_of.cache_clear()


def words_of(response: Any) -> str:
    text = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(text))


def tab(client: Client, design: Design, **query: str) -> Any:
    return client.get(reverse("design", args=[design.pk]), query)


# --- The tabs themselves -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("item", TABS, ids=lambda item: item.key)
def test_every_tab_has_an_address_and_says_which_is_open(page: Client, owner: User, item: Any) -> None:
    design, _ = finished(owner, SUPERPOD)
    response = tab(page, design, tab=item.key)
    assert response.status_code == 200
    assert response.templates
    current = re.findall(r'<a id="tab-([a-z]+)"[^>]*aria-current="page"', response.content.decode())
    assert current == [item.key]
    for other in TABS:
        assert f'href="/designs/{design.pk}/?tab={other.key}#result"' in response.content.decode()


@pytest.mark.parametrize("asked", ["", "nonsense", "overview' or 1=1", "\u0000"])
def test_an_unknown_tab_is_the_overview(page: Client, owner: User, asked: str) -> None:
    design, _ = finished(owner, SUPERPOD)
    assert 'id="bom"' in tab(page, design, tab=asked).content.decode()


def test_a_script_gets_the_tab_alone_and_the_address_to_show(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    response = page.get(
        reverse("estimate-tab", args=[design.pk, job.pk]),
        {"tab": "cabling", "sort": "-links"},
        headers={"HX-Request": "true"},
    )
    assert response["HX-Push-Url"] == f"/designs/{design.pk}/?tab=cabling&sort=-links"
    text = response.content.decode()
    assert text.lstrip().startswith('<div class="tab-area" id="tabs" data-tab="cabling">')
    assert "design-form" not in text


def test_a_polled_result_opens_the_tab_of_the_pages_address(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    address = f"http://testserver/designs/{design.pk}/?tab=handoff"
    headers = {"HX-Request": "true", "HX-Current-URL": address}
    response = page.get(reverse("estimate-status", args=[design.pk, job.pk]), headers=headers)
    shown = response.content.decode()
    assert 'data-tab="handoff"' in shown
    assert f'href="/designs/{design.pk}/?tab=cabling#crew-pack"' in shown


def test_strangers_and_unfinished_jobs_have_no_tabs(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    stranger = Client()
    stranger.force_login(User.objects.create_user("eve"))
    for name in ("estimate-tab", "estimate-racks"):
        assert stranger.get(reverse(name, args=[design.pk, job.pk])).status_code == 404
        assert Client().get(reverse(name, args=[design.pk, job.pk])).status_code == 302
    for name, arguments in (
        ("design-apply", [design.pk, job.pk]),
        ("floor-plan", [design.pk]),
        ("revision-restore", [design.pk, 1]),
    ):
        assert stranger.post(reverse(name, args=arguments), {"finding": "1"}).status_code == 404
        assert page.get(reverse(name, args=arguments)).status_code == 405
    waiting, _ = request_estimate(owner, parse_spec(PLANNED, load_catalog()))
    assert page.get(reverse("estimate-tab", args=[design.pk, waiting.pk])).status_code == 404
    assert page.get(reverse("estimate-racks", args=[design.pk, waiting.pk])).status_code == 404


@pytest.mark.parametrize("item", TABS, ids=lambda item: item.key)
def test_a_tab_takes_few_queries(page: Client, owner: User, item: Any, django_assert_max_num_queries: Any) -> None:
    design, _ = finished(owner, PLANNED)
    with django_assert_max_num_queries(13):  # one of them for the own parts that the form offers
        tab(page, design, tab=item.key)


def test_an_edit_without_an_estimate_costs_seven_queries_more(
    page: Client, owner: User, django_assert_max_num_queries: Any
) -> None:
    design, _ = finished(owner, PLANNED)
    record(design, start_state(design) | {"name": "Four units, later"}, "name", None)
    # the edit, the one before and the steps left around it, and the newest revision with its estimate, which stands in
    with django_assert_max_num_queries(18):
        assert "Four units, later" in tab(page, design, tab="performance").content.decode()


@pytest.mark.parametrize("key", ["overview", "cabling", "findings", "handoff"])
def test_no_tab_makes_the_link_list_for_a_view(
    page: Client, owner: User, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, _ = finished(owner, SUPERPOD)
    monkeypatch.setattr(link_lists, "links_at", None)
    assert tab(page, design, tab=key).status_code == 200


def test_pages_of_the_largest_design_stay_small(page: Client, owner: User) -> None:
    design, _ = finished(owner, LARGEST | {"site": {"plan": {}}})
    for query in (
        *({"tab": item.key} for item in TABS),
        {"tab": "cabling", "view": "schedule"},
        {"tab": "cabling", "view": "device", "device": "leaf-r1-0001"},
    ):
        response = tab(page, design, **query)
        assert response.status_code == 200
        assert len(response.content) < PAGE_BYTES, query


# --- Cabling -----------------------------------------------------------------------------------------------------
def test_the_cabling_table_adds_up_to_the_published_bill(page: Client, owner: User) -> None:
    design, _ = finished(owner, SUPERPOD)
    text = words_of(tab(page, design, tab="cabling"))
    assert "Total 2,044 2,044 2,048 2,048" in text, "links, cables, transceivers, cages of the four-unit SuperPOD"
    assert "Server to leaf multimode fibre" in text
    assert "Links by length" in text


def test_the_table_sorts_by_every_column_and_says_so(page: Client, owner: User) -> None:
    design, job = finished(owner, PLANNED)
    rows = cabling_tab.cabling_rows(result_of(job).compute)
    assert len(rows) > 3
    for key in cabling_tab.ORDERS[1:]:
        for order in (key, f"-{key}"):
            values = [getattr(row, key) for row in cabling_tab.sorted_cabling(rows, order)[0]]
            values = [value for value in values if value is not None]
            assert values == sorted(values, reverse=order.startswith("-"))
    text = tab(page, design, tab="cabling", sort="-links").content.decode()
    assert re.search(r'aria-sort="descending"><a class="sort" id="sort-links"', text)
    assert "sort=links" in text, "the next click turns it round"


def test_a_device_shows_every_port_and_what_it_goes_to(page: Client, owner: User) -> None:
    design, _ = finished(owner, SUPERPOD)
    response = tab(page, design, tab="cabling", view="device", device="Leaf-R8-004")
    rows = re.findall(r"<tr.*?</tr>", response.content.decode().split('id="device"')[1], flags=re.DOTALL)[1:]
    texts = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]
    assert len(texts) == 64, "a row a port"
    assert texts[0].startswith("1/1/1 node-0097")
    assert sum("node-" in text for text in texts) == 31
    assert sum("spine-" in text for text in texts) == 32
    assert "open" in texts[31], "the port of the server that is not there"
    assert ["31", "+", "32"][0] in words_of(response)


def test_a_node_shows_its_ports_and_a_long_device_comes_in_pages(page: Client, owner: User) -> None:
    design, _ = finished(owner, SUPERPOD)
    text = words_of(tab(page, design, tab="cabling", view="device", device="node-0001"))
    assert "node-0001 8 links" in text
    assert all(f"leaf-r{rail}-001" in text for rail in range(1, 9))
    design, _ = finished(owner, LARGEST)
    first = words_of(tab(page, design, tab="cabling", view="device", device="leaf-r1-0001"))
    assert "1 to 64 of 144" in first
    last = words_of(tab(page, design, tab="cabling", view="device", device="leaf-r1-0001", page="99"))
    assert "129 to 144 of 144" in last


@pytest.mark.parametrize("device", ["leaf-r9", "no-such", "<script>alert(1)</script>", "node-0128"])
def test_an_unknown_device_is_said_so_with_names_like_it(page: Client, owner: User, device: str) -> None:
    design, _ = finished(owner, SUPERPOD)
    response = tab(page, design, tab="cabling", view="device", device=device)
    assert "No device of this fabric is called" in words_of(response)
    assert b"<script>alert" not in response.content
    like = tab(page, design, tab="cabling", view="device", device="leaf-r3")
    assert "leaf-r3-001" in words_of(like)


def test_the_schedule_has_a_row_a_pair_and_all_links(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    links = link_lists.links_of(job, "compute")
    n_pages = cabling_tab.schedule_page(links, 1)["page"].n_pages
    rows = [row for number in range(1, n_pages + 1) for row in cabling_tab.schedule_page(links, number)["page"].rows]
    assert sum(row["links"] for row in rows) == len(links) == 2_044
    assert len(rows) == len({(row["a"], row["b"]) for row in rows}) == 1_016 + 4 + 32 * 16
    assert {row["links"] for row in rows if row["tier"] == "leaf-spine"} == {2}
    text = words_of(tab(page, design, tab="cabling", view="schedule"))
    assert "between each pair of devices" in text
    assert "By racks" not in text


def test_with_a_floor_plan_the_schedule_goes_by_racks(page: Client, owner: User) -> None:
    design, job = finished(owner, PLANNED)
    links, floor = link_lists.links_of(job, "compute"), racks_tab.floor_of(job)
    rows = cabling_tab.schedule_page(links, 1, floor)["page"].rows
    assert rows[0]["a"] == "R01-01"
    assert rows[0]["links"] == 4 * 8, "four servers of eight links, all to the leaves of their unit"
    text = words_of(tab(page, design, tab="cabling", view="schedule"))
    assert "between each pair of racks" in text
    assert "between each pair of devices" in words_of(tab(page, design, tab="cabling", view="schedule", by="devices"))


def test_what_another_catalog_made_says_so_in_place_of_its_links(page: Client, owner: User) -> None:
    design, job = finished(owner, PLANNED)
    EstimateJob.objects.filter(pk=job.pk).update(catalog_version="older")
    for query in ({"tab": "cabling", "view": "schedule"}, {"tab": "racks"}):
        assert tab(page, design, **query).context["job"] is None, "beside today's figures its own are not shown"
        part = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), query)
        assert "Request a new estimate" in words_of(part)
    assert page.get(reverse("estimate-racks", args=[design.pk, job.pk])).status_code == 404


# --- Racks -------------------------------------------------------------------------------------------------------
def test_without_a_plan_one_press_makes_one_and_the_design_has_it(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SUPERPOD)
    assert "No floor plan yet" in words_of(tab(page, design, tab="racks"))
    assert page.get(reverse("estimate-racks", args=[design.pk, job.pk])).status_code == 404
    response = page.post(reverse("floor-plan", args=[design.pk]))
    assert response["Location"] == f"/designs/{design.pk}/?tab=racks#result"
    assert design.now.state_number == 2
    assert design.now.spec["site"]["plan"]["rack_units"] > 0
    assert design.now.given["site"] == {"plan": {}}, "what follows the catalog goes on following it"


def test_racks_are_drawn_four_at_a_time_and_found_by_name(page: Client, owner: User) -> None:
    design, job = finished(owner, PLANNED)
    response = tab(page, design, tab="racks")
    text = words_of(response)
    assert "Racks R01-01 to R01-04" in text
    assert response.content.decode().count("<svg") >= 2
    assert "node-0016" in text
    assert "node-0017" not in text
    for sought, shown in (("spine-001", "spine-001"), ("r02-01", "R02-01"), ("LEAF-R8-004", "leaf-r8-004")):
        assert shown in words_of(tab(page, design, tab="racks", find=sought))
    assert "Neither a rack nor a device" in words_of(tab(page, design, tab="racks", find="R99-01"))
    picture = page.get(reverse("estimate-racks", args=[design.pk, job.pk]), {"page": "2"})
    assert picture["Content-Type"] == "image/svg+xml"
    assert b"R01-05" in picture.content


# --- Findings ----------------------------------------------------------------------------------------------------
def with_change(job: EstimateJob, change: dict[str, Any]) -> None:
    finding = {
        "code": "made_up",
        "severity": "warning",
        "field": "fabric.tiers",
        "message": "Change it.",
        "change": change,
    }
    job.result["findings"].insert(0, finding)
    job.save()


def test_a_change_is_shown_applied_and_taken_back(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SUPERPOD)
    with_change(job, {"compute.nodes": 126, "fabric.layout": "top-of-rack"})
    text = words_of(tab(page, design, tab="findings"))
    assert "Nodes 127 servers 126 servers" in text
    assert "Layout Rail-optimized Top of rack" in text
    assert re.search(r"Findings\s+1\s+to act on", text), "the tab says how many to act on"
    response = page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": "1"}, follow=True)
    assert response.redirect_chain[-1][0] == f"/designs/{design.pk}/?tab=findings#result"
    assert "The design was changed" in words_of(response)
    latest = design.now
    assert (latest.spec["compute"]["nodes"], latest.spec["fabric"]["layout"]) == (126, "top-of-rack")
    assert EstimateJob.objects.filter(spec_hash=latest.spec_hash).exists(), "its estimate is requested"
    assert "Versions" in words_of(response)
    page.post(reverse("undo", args=[design.pk]))
    assert (design.now.state_number, design.now.spec_hash) == (3, job.spec_hash)


def test_a_size_in_servers_takes_the_place_of_one_in_gpus(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SHORT)
    with_change(job, {"compute.nodes": 127})
    page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": "1"})
    assert design.now.given["compute"] == {"server": "dgx-h100", "nodes": 127}


def test_a_change_that_cannot_be_built_is_reported_and_nothing_is_saved(
    page: Client, owner: User, sent: list[str]
) -> None:
    design, job = finished(owner, SUPERPOD)
    for change in ({"fabric.tiers": 1}, {"fabric.oversubscription": "0:1"}):
        with_change(job, change)
        response = page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": "1"}, follow=True)
        assert "Nothing was changed" in words_of(response)
    assert design.now.state_number == 1
    assert EstimateJob.objects.count() == 1


def test_what_proposes_no_change_cannot_be_applied(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    job.result["findings"] = [finding | {"change": None} for finding in job.result["findings"]]
    job.save()
    for number in ("1", "0", "99", "-1", "", "one", "\u0661"):
        response = page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": number})
        assert response.status_code == 404, number
    assert page.post(reverse("revision-restore", args=[design.pk, 7])).status_code == 404


def test_a_finding_about_an_earlier_state_is_not_applied(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SUPERPOD)
    with_change(job, {"compute.nodes": 126})
    save_design(owner, parse_spec(PLANNED, load_catalog()), design)
    response = page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": "1"}, follow=True)
    assert "has changed since this estimate" in words_of(response)
    assert design.now.state_number == 2


def test_real_changes_are_reported_in_the_forms_words() -> None:
    spec = {
        "fabric": {"leaf_switch": "nvidia-qm9700", "splitters": False, "tiers": "auto"},
        "other_fabrics": [{"role": "in-band", "dual_homed": False}],
        "site": {"plan": {"rack_power_kw": 12.5}},
    }
    change = {
        "fabric.leaf_switch": None,
        "fabric.splitters": True,
        "fabric.tiers": 3,
        "other_fabrics.0.dual_homed": True,
        "site.plan.rack_power_kw": 30,
    }
    rows = difference(spec, change, load_catalog())
    assert [(row["before"], row["after"]) for row in rows] == [
        ("QM9700", "automatic"),
        ("no", "yes"),
        ("Automatic: the fewest that fit", "Three: leaves, spines and cores"),
        ("no", "yes"),
        ("12.5 kW", "30 kW"),
    ]
    assert rows[3]["label"] == "In-band network: Dual-homed"


def test_networks_that_a_change_adds_are_named() -> None:
    change = {"other_fabrics": [{"role": "storage"}, {"role": "out-of-band", "racks": 3}]}
    (row,) = difference({"other_fabrics": []}, change, load_catalog())
    assert (row["label"], row["before"], row["after"]) == ("Networks beside compute", "none", "storage, out-of-band")


def test_a_refusal_proposes_what_the_form_can_set(page: Client) -> None:
    typed = {
        "name": "x",
        "compute__server": "dgx-h100",
        "size": "600",
        "size_unit": "nodes",
        "fabric__generation": "ndr",
        "fabric__tiers": "2",
    }
    response = page.post(reverse("edit-new"), typed)
    filled = [json.loads(html.unescape(text)) for text in re.findall(r'data-fill="([^"]+)"', response.content.decode())]
    assert filled, words_of(response)
    after = page.post(reverse("edit-new"), typed | filled[0])
    assert "This cannot be built as requested" not in words_of(after)


def test_a_proposal_sets_sizes_boxes_and_blanks_and_nothing_that_the_form_has_not() -> None:
    made = proposal({"compute.nodes": 12, "fabric.splitters": True, "fabric.leaf_switch": None}, load_catalog())
    assert json.loads(made["fields"]) == {
        "size": "12",
        "size_unit": "nodes",
        "fabric__splitters": True,
        "fabric__leaf_switch": "",
    }
    assert "Leaf switch: automatic" in made["text"]
    assert proposal({"other_fabrics.0.tiers": 2, "fabric.tiers": 3}, load_catalog()) is None
    assert proposal(None, load_catalog()) is proposal({}, load_catalog()) is None


# --- Failures and growth -----------------------------------------------------------------------------------------
def test_what_a_loss_leaves_is_reported_in_parts_of_the_whole(page: Client, owner: User) -> None:
    design, _ = finished(owner, SUPERPOD)
    text = words_of(tab(page, design, tab="findings"))
    # a leaf of 32 servers' ports, of 8 a server; the fabric has 32 leaves, and a rail four of them
    assert "A leaf 32 such 32 ports 7 of 8 all 3 of 4 31 of 32 1:1 stops starts again on all" in text
    assert "A spine 16 such nothing all 15 of 16 15 of 16 15 of 16 1.07:1 goes on" in text
    assert "Two leaves 496 such 64 ports" in text
    assert "Failures to expect" in text
    assert "GPUs H100 80GB SXM5 1,016" in text
    assert re.search(r"NVIDIA QM9700 48 .* 0\.72 .* 0\.48 ", text), "leaves stop a job, spines do not"
    assert "No growth is planned" in text


def test_a_single_switch_stops_everything(page: Client, owner: User) -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr", "layout": "top-of-rack"}}
    design, _ = finished(owner, spec)
    assert re.search(r"A leaf 1 such 4 servers .*? stops", words_of(tab(page, design, tab="findings")))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [("15:16", "15 of 16"), ("1:1", "all"), ("0:1", "none"), ("1023:1024", "1,023 of 1,024"), (None, "–")],
)
def test_fractions_are_reported_as_parts(ratio: str | None, text: str) -> None:
    assert part_of(ratio).replace("\N{NO-BREAK SPACE}", " ") == text


def test_bought_now_and_sized_for_stand_side_by_side(page: Client, owner: User) -> None:
    # the 32 nodes of a 72-node baseline: 8 leaves and 4 spines; with no room to grow 2 spines would do
    spec = {"compute": {"server": "dgx-b300", "nodes": 32}, "fabric": {"generation": "xdr", "grow_to_nodes": 72}}
    design, job = finished(owner, spec)
    text = words_of(tab(page, design, tab="findings"))
    assert "Growth: 32 servers now, ports for 72" in text
    assert "Leaf switches 8 8 8 Spine switches 2 4 4" in text
    assert "Everything bought now stays in use" in text
    growth = result_of(job).growth
    assert growth is not None
    rows = growth_table(growth)
    assert [one.typical for one in rows["prices"][0]["values"]] == sorted(
        one.typical for one in rows["prices"][0]["values"]
    )


# --- Exports -----------------------------------------------------------------------------------------------------
def test_every_format_can_be_fetched_from_its_link(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD)
    response = tab(page, design, tab="handoff")
    links = [html.unescape(link) for link in re.findall(r'href="([^"]+/links/\?[^"]+)"', response.content.decode())]
    assert {re.search(r"format=([a-z0-9-]+)", link)[1] for link in links} == set(FORMATS)
    text = words_of(response)
    assert all(form.label in text and form.purpose in text for form in FORMATS.values())
    assert job.spec_hash in text
    fetched = page.get(links[0])
    assert (fetched.status_code, fetched.streaming) == (200, True)
    assert link_file_name(job.spec["name"], job.spec_hash, "compute", "csv") in fetched["Content-Disposition"]


def test_with_several_fabrics_one_is_chosen_and_the_overview_has_them_all(page: Client, owner: User) -> None:
    design, job = finished(owner, SUPERPOD | {"other_fabrics": [{"role": "storage"}, {"role": "out-of-band"}]})
    text = words_of(tab(page, design))
    assert "All networks" in text
    assert "Out-of-band" in text
    for key in ("cabling", "handoff"):
        response = tab(page, design, tab=key, fabric="storage")
        assert re.search(r'id="fabric-storage"[^>]*aria-current="true"', response.content.decode())
    n_links = sum(job.result["fabrics"]["storage"]["links"].values())
    assert f"{n_links:,} links of the storage fabric" in words_of(response)


# --- Pages of rows -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asked", "n_rows", "expected"),
    [
        (None, 0, (1, 1)),
        ("2", 129, (2, 3)),
        ("3", 129, (3, 3)),
        ("4", 129, (3, 3)),
        ("0", 129, (1, 3)),
        ("-1", 129, (1, 3)),
        ("1e9", 129, (1, 3)),
        ("9" * 400, 129, (1, 3)),
        ("٣", 129, (1, 3)),
        ("", 64, (1, 1)),
    ],
)
def test_nonsense_pages_are_the_first_and_those_past_the_end_the_last(asked: Any, n_rows: int, expected: Any) -> None:
    number, n_pages = page_number(asked, n_rows)
    assert (number, n_pages) == expected
    page = Page([*rows_on(number, n_rows)], number, n_pages, n_rows)
    assert (page.previous is None, page.next is None) == (number == 1, number == n_pages)
    assert page.last <= n_rows


def test_tables_of_the_overviews_cost_scroll_in_their_boxes(page: Client, owner: User) -> None:
    """They are wider than a telephone, and the page is not."""
    design, _ = finished(owner, SUPERPOD)
    content = tab(page, design, tab="overview").content.decode()
    panel = content[content.index('<section class="panel" id="cost"') :].split("</section>")[0]
    assert panel.count("<table") == 2
    assert (
        len(re.findall(r'<div class="table-scroll" tabindex="0" role="group" aria-label="[^"]+">\s*<table', panel)) == 2
    )


def test_a_bill_says_the_planning_range_beside_another_books_price(page: Client, owner: User) -> None:
    """A switch has a planning price of so much a port; none is said twice where that book set the price itself."""
    said = "planning range $32,000 to $64,000"
    design, job = finished(owner, SUPERPOD)
    switches = [line for line in job.result["bom"]["lines"] if line["category"] == "switch"]
    assert tab(page, design, tab="overview").content.decode().count(said) == len(switches) > 0
    design, _ = finished(owner, SUPERPOD | {"economics": {"price_book": "anchors"}})
    assert said not in tab(page, design, tab="overview").content.decode()


def test_the_overview_says_each_finding_once(page: Client, owner: User) -> None:
    """They stand above every tab; the verdict below says how many there are to heed."""
    design, job = finished(owner, {"compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr"}})
    (found, *_) = result_of(job).findings
    shown = html.unescape(tab(page, design, tab="overview").text)
    assert shown.count(f'<span class="finding-line" title="{found.message}"') == 1
    assert "Can be built" in shown
