"""Comparing a file with a design over REST and on its page: what is found, what is refused, and for whom."""

import html
import re
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator

from designer.models import Design
from designer.services.designs.saving import request_estimate, save_design
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import BASE, Caller, assert_refused, caller
from tests.estimator.asbuilt import fabric_dumps as dumps
from tests.estimator.asbuilt.fabric_dumps import Cable

pytestmark = pytest.mark.django_db
SPEC = {"name": "Check", "compute": {"server": "dgx-h100", "nodes": 31}, "fabric": {"generation": "ndr"}}


@pytest.fixture
def cables() -> list[Cable]:
    catalog = load_catalog()
    return dumps.cables_of(link_list(parse_spec(SPEC, catalog), catalog))


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(SPEC, load_catalog()))


@pytest.fixture
def job(owner: User, sent: list[str]) -> EstimateJob:
    job, _ = request_estimate(owner, parse_spec(SPEC, load_catalog()))
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    return job


def faulty(cables: list[Cable]) -> bytes:
    """A dump with cables 3 and 290 swapped, cable 17 gone and cable 205 listed twice."""
    cables = list(cables)
    dumps.swap(cables, 3, 290)
    return "".join(dumps.ibnetdiscover([*cables[:17], *cables[18:], cables[205]])).encode()


def words(cable: Cable) -> str:
    return f"{cable.a.device} {cable.a.label} – {cable.b.device} {cable.b.label}"


def put(call: Caller, path: str, data: bytes, content_type: str = "application/octet-stream") -> Any:
    return call.client.generic("POST", f"{BASE}/{path}", data=data, content_type=content_type)


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


# ---------------------------------------------------------------- REST


@pytest.mark.parametrize(
    "content_type", ["application/octet-stream", "text/plain", "application/x-www-form-urlencoded"]
)
def test_a_body_is_compared_with_an_estimate(
    content_type: str, call: Caller, job: EstimateJob, cables: list[Cable]
) -> None:
    answer = put(call, f"estimates/{job.pk}/links/compare/", faulty(cables), content_type)
    assert answer.status_code == 200, answer.content
    report = answer.json()
    assert {key: n for key, n in report["totals"].items() if n} == {"swapped": 1, "missing": 1, "doubled": 1}
    assert report["swapped"][0]["message"] == f"{words(cables[3])} and {words(cables[290])} are swapped."
    assert report["missing"][0]["message"] == f"{words(cables[17])} is missing."
    assert report["doubled"][0]["message"] == f"{words(cables[205])} is listed 2 times."
    assert report["spec_hash"] == job.spec_hash
    document = SchemaGenerator().get_schema(request=None, public=True)
    shape = {"$ref": "#/components/schemas/LinkComparison", "components": document["components"]}
    jsonschema.validate(report, shape)


def test_a_form_is_compared_with_a_design_under_mapped_names(call: Caller, design: Design, cables: list[Cable]) -> None:
    def other(name: str) -> str:
        return f"x{dumps.guid(name)}"

    names = {device for cable in cables for device in (cable.a.device, cable.b.device)}
    dump = "".join(dumps.ibnetdiscover(cables, switch_name=other, host_name=other)).encode()
    parts = {
        "file": SimpleUploadedFile("fabric.txt", dump),
        "names": SimpleUploadedFile("names.csv", "".join(f"{other(name)},{name}\n" for name in names).encode()),
    }
    answer = call.client.post(f"{BASE}/designs/{design.pk}/links/compare/?format=ibnetdiscover", parts)
    assert answer.status_code == 200, answer.content
    assert answer.json()["names"]["told_by"] == {"map": len(names)}
    assert answer.json()["matched"] == len(cables)


def test_a_dump_is_answered_as_a_design_for_each_network(call: Caller, cables: list[Cable]) -> None:
    storage = [replace(cable, rate_gbit_s=100) for cable in dumps.prefixed(cables[:20], "st-")]
    data = "".join(dumps.ibnetdiscover([*cables, *storage])).encode()
    answer = put(call, "dumps/", data)
    assert answer.status_code == 200, answer.content
    compute, second = answer.json()["networks"]
    assert (compute["number"], second["number"], second["spec"]["fabric"]["generation"]) == (1, 2, "edr")
    assert put(call, "dumps/?network=2", data).json()["networks"] == [second]
    problems = assert_refused(put(call, "dumps/?network=3", data), 400, "invalid_spec", "network")
    assert "1, 2; 3 was requested" in problems[0]["message"]


def test_servers_can_be_named_where_a_file_says_no_kinds(call: Caller, page: Client) -> None:
    pairs = [(a, b) for a in range(1, 5) for b in range(1, 5)]
    data = ("a_device,a_port,b_device,b_port\n" + "".join(f"x{a},p{b},y{b},p{a}\n" for a, b in pairs)).encode()
    problems = assert_refused(put(call, "dumps/", data), 400, "unreadable_file", "file")
    assert problems[0]["code"] == "no_kinds"
    assert put(call, "dumps/?servers=x*", data).json()["networks"][0]["spec"]["compute"]["nodes"] == 4
    assert_refused(put(call, "dumps/?servers=gpu*", data), 400, "invalid_spec", "servers")
    refused = page.post(reverse("design-import"), {"dump": SimpleUploadedFile("l.csv", data)})
    assert "Name the servers, with a pattern such as gpu*" in text_of(refused)
    shown = page.post(reverse("design-import"), {"dump": SimpleUploadedFile("l.csv", data), "servers": "x*"})
    assert "4 servers with 4 ports each" in text_of(shown)


def test_the_estimate_and_its_design_give_the_same_answer(
    call: Caller, design: Design, job: EstimateJob, cables: list[Cable]
) -> None:
    data = faulty(cables)
    of_design, of_job = (
        put(call, f"{path}/links/compare/", data).json() for path in (f"designs/{design.pk}", f"estimates/{job.pk}")
    )
    assert of_design == of_job


def test_what_cannot_be_compared_is_refused(call: Caller, owner: User, job: EstimateJob, design: Design) -> None:
    path = f"estimates/{job.pk}/links/compare/"
    problems = assert_refused(put(call, path, b"hello\n"), 400, "unreadable_file", "file")
    assert problems[0]["code"] == "no_header"
    assert_refused(put(call, path, b""), 400, "invalid_request", "file")
    assert_refused(put(call, f"{path}?format=dot", b"x"), 400, "invalid_request", "format")
    assert_refused(put(call, f"{path}?fabric=storage", b"x"), 400, "invalid_request", "fabric")
    assert_refused(call.client.post(f"{BASE}/{path}", {"other": "1"}), 400, "invalid_request", "file")
    queued = EstimateJob.objects.create(
        owner=owner, spec_hash="0" * 16, model_version="0", catalog_version="0", spec=SPEC
    )
    assert_refused(put(call, f"estimates/{queued.pk}/links/compare/", b"x"), 409, "not_finished")
    stranger = caller(User.objects.create_user("stranger"))
    for address in (path, f"designs/{design.pk}/links/compare/"):
        assert_refused(put(stranger, address, b"x"), 404, "not_found")
        assert_refused(put(caller(), address, b"x"), 401, "not_authenticated")


def test_a_reader_may_compare_since_nothing_is_stored(owner: User, job: EstimateJob, cables: list[Cable]) -> None:
    assert put(caller(owner, "read"), f"estimates/{job.pk}/links/compare/", faulty(cables)).status_code == 200


def test_a_file_may_be_larger_than_other_bodies_up_to_its_limit(
    call: Caller, job: EstimateJob, cables: list[Cable], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"estimates/{job.pk}/links/compare/"
    padded = faulty(cables) + b"# " + b"x" * 98 + b"\n"
    padded += (b"#" * 99 + b"\n") * (settings.MAX_BODY_BYTES // 100)
    assert len(padded) > settings.MAX_BODY_BYTES
    assert put(call, path, padded).json()["totals"]["missing"] == 1
    parts = {"file": SimpleUploadedFile("fabric.txt", padded)}
    assert call.client.post(f"{BASE}/{path}", parts).json()["totals"]["missing"] == 1
    monkeypatch.setattr(settings, "MAX_LINK_FILE_BYTES", 1_000_000)
    assert_refused(put(call, path, padded), 413, "body_too_large")


# ---------------------------------------------------------------- page


def address(design: Design, job: EstimateJob) -> str:
    return reverse("links-compare", args=[design.pk, job.pk])


def test_the_page_names_each_fault(page: Client, design: Design, job: EstimateJob, cables: list[Cable]) -> None:
    asked = text_of(page.get(address(design, job)))
    assert "Links of the built network" in asked
    assert "What differs" not in asked
    answer = page.post(address(design, job), {"file": SimpleUploadedFile("<b>.txt", faulty(cables)), "format": "auto"})
    assert answer.status_code == 200
    shown = text_of(answer)
    for fault in (f"{words(cables[17])} is missing.", f"{words(cables[205])} is listed 2 times.", "are swapped."):
        assert fault in shown
    assert b"<b>.txt" not in answer.content
    assert f"As designed {len(cables) - 3} of {len(cables)}" in shown


def test_the_page_counts_no_slow_link_as_designed_and_gives_a_spine_both_names(
    page: Client, design: Design, job: EstimateJob, cables: list[Cable]
) -> None:
    spine = next(cable.b.device for cable in cables if cable.b.device.startswith("spine"))
    slow = [replace(cables[0], rate_gbit_s=200), *cables[1:]]
    lost = next(i for i, cable in enumerate(slow) if cable.b.device == spine)
    dump = "".join(dumps.ibnetdiscover([*slow[:lost], *slow[lost + 1 :]], switch_name=lambda name: f"X-{name}"))
    shown = text_of(page.post(address(design, job), {"file": SimpleUploadedFile("dump", dump.encode())}))
    assert f"{len(cables) - 2} of {len(cables)} links are as designed; 1 missing, 1 at a wrong speed." in shown
    assert f"As designed {len(cables) - 2} of {len(cables)}" in shown
    assert f"{spine} ( X-{spine} ) has" in shown


def test_the_page_says_when_all_is_as_designed(
    page: Client, design: Design, job: EstimateJob, cables: list[Cable]
) -> None:
    dump = "".join(dumps.ibnetdiscover(cables)).encode()
    shown = text_of(page.post(address(design, job), {"file": SimpleUploadedFile("dump", dump)}))
    assert f"Built as designed dump , ibnetdiscover dump All {len(cables)} links are as designed." in shown


def test_names_from_a_file_are_shown_as_text(
    page: Client, design: Design, job: EstimateJob, cables: list[Cable]
) -> None:
    strange = replace(cables[0].a, device="<script>alert(1)</script>")
    dump = "".join(dumps.topo([*cables[1:], Cable(strange, replace(cables[0].b, device="l-x"))])).encode()
    answer = page.post(address(design, job), {"file": SimpleUploadedFile("dump", dump)})
    assert b"<script>alert" not in answer.content
    assert "<script>alert(1)</script>" in html.unescape(answer.content.decode())


def test_the_page_refuses_with_words(page: Client, design: Design, job: EstimateJob) -> None:
    answer = page.post(address(design, job), {"file": SimpleUploadedFile("x.txt", b"hello\n")})
    assert answer.status_code == 422
    assert "Give the sheet a header row such as a_device" in text_of(answer)
    assert "Choose a file first." in text_of(page.post(address(design, job), {}))


def test_the_page_is_the_owners_alone(page: Client, design: Design, job: EstimateJob) -> None:
    assert Client().get(address(design, job)).status_code == 302
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.get(address(design, job)).status_code == 404


def test_the_hand_off_tab_leads_to_it(page: Client, design: Design, job: EstimateJob) -> None:
    tab = page.get(reverse("design", args=[design.pk]), {"tab": "handoff"})
    assert address(design, job) in tab.content.decode()
