"""Designs of racks that are bought whole: sizes in racks on the form, eight racks or seven by a click, trays called trays."""

from __future__ import annotations

import html
import io
import re
from datetime import UTC, datetime
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from designer.exports.downloads import bom_pdf, bom_xlsx, cost_xlsx
from designer.forms.design import DesignForm
from designer.models import Design
from designer.pages.result.tabs import KEYS
from designer.services.designs.results import result_of
from estimator.jobs.models import EstimateJob
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db

PARTIAL = {
    "name": "A hall of servers",
    "compute": {"server": "gb300-tray", "gpus": 520},
    "fabric": {"generation": "xdr"},
    "site": {"plan": {}},
}
# what is no word of ours about the design's servers: names of devices, tiers, fields and sources, licences, other servers
NAMES = re.compile(
    r"node-\d+|node-leaf|“[^”]*”|managed node-year|fabric-manager server|A hall of servers|multi-node network setup"
)
HIDDEN = re.compile(
    r"<(script|style)\b.*?</\1>|<(tbody|td|span)\b[^>]* translate=.no.[^>]*>.*?</\2>|<[^>]+>", re.DOTALL
)


@pytest.fixture
def hall(owner: User) -> tuple[Design, EstimateJob]:
    return finished(owner, PARTIAL)


def results_of(page: Client, made: tuple[Design, EstimateJob], tab: str) -> str:
    """The words of the results, without the form beside them."""
    answer = page.get(reverse("estimate-tab", args=[made[0].pk, made[1].pk]), {"tab": tab}).content.decode()
    return html.unescape(HIDDEN.sub(" ", answer))


@pytest.mark.parametrize("tab", [tab for tab in KEYS if tab != "handoff"])
def test_no_tab_calls_a_tray_a_server(page: Client, hall: tuple[Design, EstimateJob], tab: str) -> None:
    words = NAMES.sub("", results_of(page, hall, tab))
    assert "tray" in words.lower()
    assert not re.findall(r".{30}\b(?:servers?|nodes?)\b.{30}", words, re.IGNORECASE)


def test_the_checklist_speaks_of_trays(page: Client, hall: tuple[Design, EstimateJob]) -> None:
    answer = page.get(reverse("checklist", args=[hall[0].pk]), {"day": "all"}).content.decode()
    words = NAMES.sub("", html.unescape(HIDDEN.sub(" ", answer))).replace("Gate node:", "")
    for said in ("Check 18 trays in", "Firmware of trays in", "Settings of trays in", "All GPUs of a tray"):
        assert said in words
    assert not re.findall(r".{30}\b(?:servers?|nodes?)\b.{30}", words, re.IGNORECASE)


def test_a_design_of_servers_keeps_its_words(page: Client, owner: User) -> None:
    words = results_of(page, finished(owner, PARTIAL | {"compute": {"server": "dgx-b300", "nodes": 8}}), "overview")
    assert "Servers" in words
    assert "tray" not in words.lower()


def test_eight_racks_or_seven_is_a_click(page: Client, hall: tuple[Design, EstimateJob]) -> None:
    design, job = hall
    tab = page.get(reverse("design", args=[design.pk]), {"tab": "findings"}).content.decode()
    buttons = re.findall(r'name="choice" value="(\d)">([^<]+)</button>', tab)
    assert buttons == [("1", "8 racks (576 GPUs)"), ("2", "7 racks (504 GPUs)")]
    number = next(n for n, one in enumerate((job.result or {})["findings"], 1) if one["code"] == "rack_partial")
    apply = reverse("design-apply", args=[design.pk, job.pk])
    for wrong in ("0", "3", "x", "²"):
        assert page.post(apply, {"finding": number, "choice": wrong}).status_code == 404
    page.post(apply, {"finding": number, "choice": "2"})
    asked = page.get(reverse("design", args=[design.pk])).content.decode()
    assert re.search(r'<option value="racks"[^>]*selected', asked)
    assert re.search(r'<input[^>]*name="size"[^>]*value="7"', asked)


@pytest.mark.parametrize(
    ("compute", "size", "unit", "given"),
    [
        ({"server": "gb300-tray", "racks": 8}, "8", "racks", {"racks": 8}),
        ({"server": "gb300-tray", "nodes": 144}, "144", "nodes", {"nodes": 144}),
        ({"server": "gb200-tray", "gpus": 576}, "576", "gpus", {"gpus": 576}),
    ],
)
def test_the_form_takes_and_prints_back_racks_trays_and_gpus(
    compute: dict[str, Any], size: str, unit: str, given: dict[str, int]
) -> None:
    form = DesignForm(values={"compute": compute, "fabric": {"generation": "xdr"}})
    typed = form.typed()
    assert (typed["size"], typed["size_unit"]) == (size, unit)
    bound = DesignForm(typed)
    assert bound.is_valid(), bound.errors
    assert {
        key: value for key, value in bound.values()["compute"].items() if key in ("racks", "nodes", "gpus")
    } == given
    options = re.findall(r'<option value="(\w+)"([^>]*)>(\w+)</option>', str(form["size_unit"]))
    assert [(value, name) for value, _, name in options] == [("gpus", "GPUs"), ("nodes", "trays"), ("racks", "racks")]
    assert not any("hidden" in attributes for _, attributes, _ in options)


def test_racks_are_offered_for_trays_alone_and_refused_beside_the_size() -> None:
    form = DesignForm(values={"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}})
    options = dict(re.findall(r'<option value="(\w+)"[^>]*?( hidden|>)', str(form["size_unit"])))
    assert ">servers</option>" in str(form["size_unit"])
    assert options["racks"] == " hidden"
    refused = DesignForm(form.typed() | {"size_unit": "racks"})
    assert not refused.is_valid()
    assert [error.code for error in refused.errors.as_data()["size"]] == ["no_rack_system"]


def test_the_racks_tab_says_what_a_rack_holds_and_how_sure_that_is(
    page: Client, hall: tuple[Design, EstimateJob]
) -> None:
    words = re.sub(r"\s+", " ", results_of(page, hall, "racks"))
    assert "8 racks of NVIDIA GB300 NVL72" in words
    assert "4 of 18 places of the last one are taken" in words
    assert re.search(r"NVLink 5 switch tray, two chips 9 (datasheet|secondary)", words)
    assert re.search(r"Maximum draw 142,000 W secondary", words)


def test_reports_and_workbooks_say_trays(hall: tuple[Design, EstimateJob]) -> None:
    result, made = result_of(hall[1]), datetime(2026, 11, 28, tzinfo=UTC)
    assert result is not None
    for download in (bom_xlsx(result, made), cost_xlsx(result, made)):
        book = openpyxl.load_workbook(io.BytesIO(download.content))
        cells = [
            str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None
        ]
        assert any("Tray" in cell for cell in cells)
        spoken = [cell for cell in cells if re.search(r"\bServers?\b", cell) and not cell.startswith("=")]
        assert not [cell for cell in spoken if not NAMES.search(cell)]
    text = _words_of_pdf(bom_pdf(result, made).content)
    assert "130 NVIDIA GB300 NVL72 compute tray" in text
    assert "A hall of servers" in text
    assert "Trays" in text
    assert "Servers" not in text


def _words_of_pdf(content: bytes) -> str:
    return re.sub(r"\s+", " ", " ".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages))
