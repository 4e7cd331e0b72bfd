"""Phases of a design where people and programs meet them: the form, the overview, REST, and the files."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.forms.design import DesignForm
from designer.forms.lines.phases import phases_of_text, text_of_phases
from designer.services.designs.results import result_of
from designer.wording.phases import first_labels, minutes_of, person_hours, phase_rows
from estimator.cabling.bundles import numbers_of
from estimator.growth.result import Phases
from estimator.jobs.models import EstimateJob
from estimator.ranges import Range
from tests.designer.api_helpers import BASE as API
from tests.designer.api_helpers import Caller, assert_refused
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
BASE: dict[str, Any] = {
    "name": "Hall that grows",
    "compute": {"server": "dgx-h100", "nodes": 32},
    "fabric": {"generation": "ndr"},
}
PHASED = BASE | {
    "phases": [
        {"date": "2027-01"},
        {"date": "2027-09-01", "nodes": 128},
        {"date": "2028-06-01", "gpus": 1024, "oversubscription": "2:1"},
    ]
}


def phases_of(job: EstimateJob) -> Phases:
    made = result_of(job)
    assert made
    assert made.phases
    return made.phases


TEXTS = [
    ("2027-03; 2027-10: 64", [{"date": "2027-03"}, {"date": "2027-10", "nodes": 64}]),
    ("2027-03-01;2027-10: 1,024 GPUs;", [{"date": "2027-03-01"}, {"date": "2027-10", "gpus": 1024}]),
    (
        "2027-03; 2028-06: 128 servers 2:1 Second hall",
        [{"date": "2027-03"}, {"date": "2028-06", "nodes": 128, "oversubscription": "2:1", "name": "Second hall"}],
    ),
    ("2027-03; 2028-06: 128 3:2", [{"date": "2027-03"}, {"date": "2028-06", "nodes": 128, "oversubscription": "3:2"}]),
    (
        "2027-03; 2028-06: 64 2:1 XDR Rebuild",
        [
            {"date": "2027-03"},
            {"date": "2028-06", "nodes": 64, "oversubscription": "2:1", "generation": "xdr", "name": "Rebuild"},
        ],
    ),
    (
        "2027-03; 2028-06: 64 RoCE-800",
        [{"date": "2027-03"}, {"date": "2028-06", "nodes": 64, "generation": "roce-800"}],
    ),
    ("soon", [{"date": "soon"}]),
    ("", []),
]


@pytest.mark.parametrize(("text", "entries"), TEXTS)
def test_a_line_of_the_form_is_a_list_of_phases_and_back(text: str, entries: list[Any]) -> None:
    assert phases_of_text(text) == entries
    assert phases_of_text(text_of_phases(entries)) == entries


def test_the_form_takes_phases_and_refuses_wrong_ones_beside_their_field(owner: User) -> None:
    form = DesignForm(DesignForm(values=PHASED, owner=owner).typed(), owner=owner)
    assert form.is_valid(), form.errors
    assert form.spec
    assert [(one.date, one.nodes) for one in form.spec.phases] == [
        ("2027-01-01", None),
        ("2027-09-01", 128),
        ("2028-06-01", 128),
    ]
    typed = DesignForm(values=BASE, owner=owner).typed() | {"phases": "2027-01; 2027-09: 4"}
    wrong = DesignForm(typed, owner=owner)
    assert not wrong.is_valid()
    assert "at least the 32 servers" in wrong.errors["phases"][0]


def test_the_overview_begins_with_the_phases(page: Client, owner: User) -> None:
    design, job = finished(owner, PHASED)
    text = page.get(reverse("design", args=[design.pk])).content.decode()
    result = text[text.index('id="result"') :]
    assert result.index('id="phases"') < result.index('id="counts"')
    section = result[result.index('id="phases"') : result.index('id="counts"')]
    answer = phases_of(job)
    for phase in answer.phases:
        assert phase.name in section
        assert phase.date in section
    assert "192 moved, 0 taken out" in section
    assert answer.phases[1].window_minutes
    assert f"window {minutes_of(answer.phases[1].window_minutes)}" in section
    assert answer.phases[2].stranded_usd.typical > 0
    assert f"{len(answer.phases[2].stranded)} parts" in section
    for year in answer.years:
        assert f'<th scope="row">{year.year}</th>' in section
    addresses = re.findall(r'href="(/api/v1/estimates/[^"]+phases[^"]*)"', section)
    assert [page.get(address.replace("&amp;", "&")).status_code for address in addresses] == [200, 200, 200]
    lists = re.findall(r'href="(/api/v1/estimates/[^"]+links/[^"]*)"', section)
    assert [address.partition("?")[2] for address in lists] == ["phase=1", "phase=2", "phase=3"]
    for address, phase in zip(lists, phases_of(job).phases, strict=True):
        sent = b"".join(page.get(address)).decode()
        assert sent.count("\r\n") - 1 >= phase.counts.nodes * 8
    plain, _ = finished(owner, BASE)
    assert 'id="phases"' not in page.get(reverse("design", args=[plain.pk])).content.decode()


def test_labels_that_a_cell_has_no_room_for_end_at_a_whole_number(page: Client, owner: User) -> None:
    design, job = finished(owner, PHASED)
    section = page.get(reverse("design", args=[design.pk])).content.decode()
    cut = re.findall(r"[0-9][0-9, -]*…", section[section.index('id="phases"') : section.index('id="counts"')])
    assert cut
    recablings = [phase.recabling for phase in phases_of(job).phases if phase.recabling]
    whole = [
        labels
        for recabling in recablings
        for one in recabling.tiers
        for labels in (one.moved_from, one.added_labels, one.removed_labels)
    ]
    for shown in cut:
        kept = numbers_of(shown.removesuffix(", …"))
        assert any(numbers_of(labels)[: len(kept)] == kept for labels in whole), shown
    assert first_labels("1-16, 40") == "1-16, 40"


def test_what_keeps_cables_in_place_is_named_only_where_some_move(page: Client, owner: User) -> None:
    """From 32 to 64 DGX H100 on RoCE 400G spines double and so do the uplinks of each leaf: every cable stays."""
    phases = [{"date": "2027-01"}, {"date": "2027-09", "nodes": 64}]
    hint = "to compare with a design in which nothing moves"
    for generation, is_named in (("roce-400", False), ("ndr", True)):
        design, job = finished(owner, BASE | {"fabric": {"generation": generation}, "phases": phases})
        assert bool(phases_of(job).touched_cables) is is_named
        assert (hint in page.get(reverse("design", args=[design.pk])).content.decode()) is is_named


@pytest.mark.parametrize(
    ("tab", "section", "words"),
    [
        ("cabling", "crew-pack", "It is of the first phase"),
        ("handoff", "handoff", "They are of the first phase"),
    ],
)
def test_files_of_today_say_that_they_are_of_the_first_phase(
    page: Client, owner: User, tab: str, section: str, words: str
) -> None:
    said = []
    for values in (PHASED, BASE):
        design, _ = finished(owner, values)
        text = page.get(reverse("design", args=[design.pk]), {"tab": tab}).content.decode()
        said.append(words in text[text.index(f'id="{section}"') :])
    assert said == [True, False]


def test_a_phase_that_cannot_be_built_has_its_way_out_beside_it(page: Client, owner: User) -> None:
    fixed = {**BASE, "fabric": {"generation": "ndr", "tiers": 2}}
    values = fixed | {"phases": [{"date": "2027-01"}, {"date": "2028-01", "nodes": 512}]}
    design, job = finished(owner, values)
    text = page.get(reverse("design", args=[design.pk])).content.decode()
    section = text[text.index('id="phases"') : text.index('id="counts"')]
    assert "Cannot be built." in section
    (number,) = re.findall(r'name="finding" value="(\d+)"', section)
    assert "Set Tiers: Automatic</button>" in section
    page.post(reverse("design-apply", args=[design.pk, job.pk]), {"finding": number})
    design.refresh_from_db()
    assert design.given["fabric"]["tiers"] == "auto"


def test_rest_has_phases_their_files_and_their_cables(call: Caller, owner: User) -> None:
    _, job = finished(owner, PHASED)
    answer = call("GET", f"estimates/{job.pk}/phases/")
    assert answer.status_code == 200
    assert answer.json()["phases"] == phases_of(job).as_json()
    rows = list(csv.DictReader(io.StringIO(call("GET", f"estimates/{job.pk}/phases/?format=csv").content.decode())))
    bought = sum(float(row["price_usd_typical"]) for row in rows if row["state"] == "bought")
    assert bought == pytest.approx(phases_of(job).bought_usd.typical)
    assert {row["spec_hash"] for row in rows} == {job.spec_hash}
    cables = b"".join(call("GET", f"estimates/{job.pk}/phases/cables/").streaming_content).decode()
    assert cables.count("Phase 2,2027-09-01,moved,") == 192
    built = call("GET", f"estimates/{job.pk}/links/?phase=2&format=topo")
    assert "-phase-2-" in built.headers["Content-Disposition"]
    file = SimpleUploadedFile("built.topo", b"".join(built.streaming_content))
    path = f"{API}/estimates/{job.pk}/links/compare/?phase=2"
    compared = call.client.post(path, {"file": file}).json()
    assert (compared["wrong_port"], compared["moved"], compared["missing"]) == ([], [], [])
    assert call("GET", f"estimates/{job.pk}/links/?phase=9").status_code == 400
    _, plain = finished(owner, BASE)
    assert_refused(call("GET", f"estimates/{plain.pk}/phases/"), 409, "no_phases", "")
    assert_refused(call("GET", f"estimates/{plain.pk}/phases/cables/"), 400, "invalid_spec", "phases")


def test_the_workbook_has_a_sheet_of_each(call: Caller, owner: User) -> None:
    _, job = finished(owner, PHASED)
    book = openpyxl.load_workbook(io.BytesIO(call("GET", f"estimates/{job.pk}/phases/?format=xlsx").content))
    names = ["Phases", "Cost by year", "Bills of materials", "Crews", "Cables by phase"]
    assert book.sheetnames[:5] == names
    answer = phases_of(job)
    phases, years, bills = (list(book[name].iter_rows(min_row=2, values_only=True)) for name in names[:3])
    assert [row[3] for row in phases[:3]] == [phase.gpus for phase in answer.phases]
    assert [row[0] for row in years] == [year.year for year in answer.years]
    assert book["Cost by year"]["E1"].value == "Freight, installation, reserve, low (USD)", "as the page calls it"
    heads = [cell.value for cell in book["Bills of materials"][1]]
    price = heads.index("Price, typical (USD)")
    state = heads.index("State")
    assert sum(row[price] or 0 for row in bills if row[state] == "bought") == pytest.approx(answer.bought_usd.typical)


def test_work_is_said_in_minutes_where_it_is_short_and_in_hours_where_it_is_long(owner: User) -> None:
    assert person_hours(Range(30.0, 60.0, 120.0)) == "60 person-minutes, 30 to 120"
    assert person_hours(Range(600.0, 1200.0, 2400.0)) == "20 person-hours, 10 to 40"
    assert person_hours(Range(0.0, 0.0, 0.0)) == minutes_of(Range(0.0, 0.0, 0.0)) == "–"
    assert minutes_of(Range(600.2, 1200.0, 2400.0)) == "1,200 min, 600 to 2,400"
    _, job = finished(
        owner, BASE | {"phases": PHASED["phases"][:2], "fabric": {"generation": "ndr", "grow_to_nodes": 128}}
    )
    rows = phase_rows(phases_of(job))
    assert [(row.touched, row.how) for row in rows] == [
        ("–", "nothing is in use yet"),
        ("none", "every cable stays"),
    ]


def test_phases_up_to_one_that_cannot_be_built_are_shown_with_the_reason_at_it(page: Client, owner: User) -> None:
    rebuilt = {"date": "2028-06", "nodes": 64, "generation": "roce-800", "name": "Rebuild"}
    given = [{"date": "2027-01"}, {"date": "2027-09", "nodes": 48}, rebuilt, {"date": "2029-01", "nodes": 72}]
    design, job = finished(owner, BASE | {"phases": given})
    assert [one.nodes for one in phases_of(job).phases] == [32, 48]
    section = (
        page.get(reverse("design", args=[design.pk]), {"tab": "overview"}).content.decode().split('id="phases"')[1]
    )
    assert "Growth in 4 phases" in section
    third, fourth = section.split("<tr")[4:6]
    assert "Rebuild" in third
    assert "NICs in use would change their protocol" in third
    assert "Phase 4" in fourth
    assert "NICs in use" not in fourth


def test_a_design_with_phases_is_not_called_one_without_growth(page: Client, owner: User) -> None:
    design, _ = finished(owner, PHASED)
    address = reverse("design", args=[design.pk])
    found, overview = (page.get(address, {"tab": tab}).content.decode() for tab in ("findings", "overview"))
    assert "After a failure" in found
    assert "No growth is planned" not in found
    assert "ports held for" not in overview, "each phase holds ports for its own servers and no more"
    parts = overview.split('class="fabric-parts"')[1]
    assert re.search(r"MQM9700-NS2F.*?\d \+ \d spare</td>", parts), "the sum of the line counts its spares"
