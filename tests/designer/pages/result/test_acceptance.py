"""The page of the acceptance contract: gates, results with their verdicts, what is refused, and for whom."""

import io
import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from designer.models import AccountChoices, Design
from designer.services.designs.saving import request_estimate, save_design
from designer.wording.numbers import NO_BREAK_SPACE, computed
from estimator.bringup.acceptance.design import accepted
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from tests.designer.pages.result.test_asbuilt import text_of
from tests.estimator.bringup.sites import GIB, nccl_log, spec_of

pytestmark = pytest.mark.django_db
SPEC = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
AMD = {"name": "B", "compute": {"server": "smc-8125gs-mi300x", "nodes": 8}, "fabric": {"generation": "roce-400"}}
UNKNOWN = {
    "name": "Own",
    "compute": {"server": "custom", "nodes": 16, "gpus_per_node": 8, "nics_per_node": 8},
    "fabric": {"generation": "ndr"},
}


def estimated(owner: User, values: object) -> tuple[Design, EstimateJob]:
    spec = parse_spec(values, load_catalog())
    design = save_design(owner, spec)
    job, _ = request_estimate(owner, spec)
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    return design, job


@pytest.fixture
def address(owner: User, sent: list[str]) -> str:
    design, job = estimated(owner, SPEC)
    return reverse("acceptance", args=[design.pk, job.pk])


def rails(slow: int) -> list[SimpleUploadedFile]:
    return [
        SimpleUploadedFile(f"rail__rail-{r}__1.log", nccl_log(43.0 if r == slow else 48.0, 64, 64, size=4 * GIB))
        for r in range(1, 9)
    ]


def test_the_page_shows_every_gate_and_sorts_them(page: Client, address: str) -> None:
    shown = text_of(page.get(address))
    for words in ("Host and GPU, PCIe 5.0 x16", "The whole cluster", "One rail", "ib_write_bw -d HCA"):
        assert words in shown
    # a node that is 10 % down can lie above its line: the page says what it is found against
    assert re.search(r"10.0.% below its peers", shown)
    assert re.search(r"40.0.% below expected", shown)
    by_expected = page.get(address, {"sort": "-expected"}).content.decode()
    assert by_expected.index("All GPUs of a node") < by_expected.index("Host and GPU")
    assert 'aria-sort="descending"' in by_expected
    assert page.get(address, {"sort": "nonsense"}).status_code == 200
    script = page.get(address, {"format": "script"})
    assert script.content.startswith(b"#!/usr/bin/env bash")
    assert 'filename="accept.sh"' in script["Content-Disposition"]


def test_every_file_that_knows_the_gpus_is_offered(page: Client, address: str, owner: User, sent: list[str]) -> None:
    shown = page.get(address).content.decode()
    for name in ACCEPTANCE_FORMATS.keys() - {"json"}:
        assert f'href="{address}?format={name}"' in shown
    pdf = page.get(address, {"format": "pdf"})
    assert pdf.content.startswith(b"%PDF-")
    assert pdf["Content-Type"] == "application/pdf"
    design, job = estimated(owner, AMD)
    of_amd = reverse("acceptance", args=[design.pk, job.pk])
    shown = page.get(of_amd).content.decode()
    assert "?format=azure-nhc" in shown
    assert "?format=nvcre" not in shown
    refused = page.get(of_amd, {"format": "nvcre"})
    assert refused.status_code == 422
    assert "The file was not written" in text_of(refused)
    assert "All GPUs of a node" in text_of(refused)


def test_results_are_judged_and_the_slow_part_named(page: Client, address: str) -> None:
    answer = page.post(address, {"results": rails(slow=5)})
    assert answer.status_code == 200
    shown = text_of(answer)
    assert "The network fails its contract" in shown
    assert re.search(r"Rail 5 at (89|90)(\.\d)? % of its peers", shown)
    assert "Failed 1" in shown
    assert "network_efficiency.infiniband" in shown


def test_predictions_follow_the_chosen_unit_and_what_a_command_prints_stays(
    page: Client, address: str, owner: User
) -> None:
    in_bytes = text_of(page.get(address))
    node = next(gate for gate in accepted(spec_of(SPEC), load_catalog())[0].gates if gate.code == "node")
    assert f"{computed(node.expected)} GB/s" in in_bytes.replace(NO_BREAK_SPACE, " ")
    assert "printed as" not in in_bytes
    AccountChoices.objects.create(user=owner, bandwidth=AccountChoices.Bandwidth.BITS)
    shown = text_of(page.get(address)).replace(NO_BREAK_SPACE, " ")
    expected, line = (f"{computed(8 * value)} Gb/s" for value in (node.expected, node.pass_at))
    assert expected in shown
    assert f"{line} printed as {computed(node.pass_at)} GB/s" in shown
    assert f"{computed(node.expected)} GB/s" not in shown
    judged = text_of(page.post(address, {"results": rails(slow=5)})).replace(NO_BREAK_SPACE, " ")
    assert re.search(r"43\.0 GB/s [\d,.]+ Gb/s printed as [\d.]+ GB/s", judged), (
        "measured as printed, expected as chosen"
    )
    pdf = page.get(address, {"format": "pdf"}).content
    paper = " ".join(" ".join(one.extract_text() for one in PdfReader(io.BytesIO(pdf)).pages).split())
    for words in (
        f"{8 * node.expected:g} Gb/s",
        f"ceiling {8 * node.ceiling:g}",
        f"{8 * node.pass_at:g} Gb/s printed as {node.pass_at:g} GB/s",
        "Figures are in Gb/s; where the command prints GB/s, its line stands in that unit below.",
    ):
        assert words in paper.replace(NO_BREAK_SPACE, " "), words
    script = page.get(address, {"format": "script"}).content
    AccountChoices.objects.all().delete()
    assert page.get(address, {"format": "script"}).content == script, "what programs read is in the tools' units"


def test_names_of_files_are_shown_as_text(page: Client, address: str) -> None:
    strange = SimpleUploadedFile("<script>alert(1).log", b"nothing")
    answer = page.post(address, {"results": [*rails(slow=0), strange]})
    assert b"<script>alert" not in answer.content
    assert "1 file without a result" in text_of(answer)


def test_uploads_without_results_are_refused_with_words(page: Client, address: str) -> None:
    answer = page.post(address, {"results": SimpleUploadedFile("a.bin", bytes(range(256)) * 9)})
    assert answer.status_code == 422
    assert "a.bin is binary" in text_of(answer)
    assert "One rail" in text_of(answer)  # the gates are still there
    assert "Choose files first" in text_of(page.post(address, {}))


def test_a_design_without_a_known_gpu_has_no_contract(page: Client, owner: User, sent: list[str]) -> None:
    design, job = estimated(owner, UNKNOWN)
    answer = page.get(reverse("acceptance", args=[design.pk, job.pk]))
    assert answer.status_code == 422
    assert "This design has no contract" in text_of(answer)


def test_the_page_is_the_owners_alone(page: Client, address: str) -> None:
    assert Client().get(address).status_code == 302
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.get(address).status_code == 404


def test_the_workloads_tab_leads_to_it(page: Client, owner: User, sent: list[str]) -> None:
    design, job = estimated(owner, SPEC)
    tab = page.get(reverse("design", args=[design.pk]), {"tab": "workloads"})
    assert reverse("acceptance", args=[design.pk, job.pk]) in tab.content.decode()
