"""Link lists over REST: every form, its name and tag, what is refused, and that it is sent as it is written."""

import csv
import io
import itertools
import json
import tracemalloc
from typing import Any

import pytest
from django.test import Client

from designer.exports.links import PIECE_BYTES, in_pieces, link_file_name
from designer.services import link_lists
from estimator.cabling.links import COLUMNS
from estimator.handoff.formats import FORMATS
from estimator.jobs.models import EstimateJob
from estimator.jobs.tasks import run_estimate
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db
NO_ID = "00000000-0000-4000-8000-000000000000"


def finished(call: Caller, spec: dict[str, Any]) -> EstimateJob:
    """A worker's part, in this process."""
    job_id = call("POST", "estimates/", spec).json()["id"]
    run_estimate(job_id)
    job = EstimateJob.objects.get(pk=job_id)
    assert job.state == EstimateJob.State.SUCCEEDED, job.error
    return job


@pytest.fixture
def job(call: Caller) -> EstimateJob:
    return finished(call, SPEC)


def rows_of(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


# --- The list ----------------------------------------------------------------------------------------------------
def test_the_csv_has_a_row_a_link_and_agrees_with_the_estimate(call: Caller, job: EstimateJob) -> None:
    response = call("GET", f"estimates/{job.pk}/links/")
    assert (response.status_code, response.streaming) == (200, True)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    rows = rows_of(response)
    assert tuple(rows[0])[: len(COLUMNS)] == COLUMNS
    tiers = [row["tier"] for row in rows]
    links = job.result["fabrics"]["compute"]["links"]
    for tier, n_links in links.items():
        assert tiers.count(tier.replace("_", "-")) == n_links
    ends = [(row[f"{end}_device"], row[f"{end}_port"]) for row in rows for end in "ab"]
    assert len(ends) == len(set(ends)) == 2 * sum(links.values())


def test_the_file_is_named_after_design_fabric_format_and_hash(call: Caller, job: EstimateJob) -> None:
    response = call("GET", f"estimates/{job.pk}/links/?format=topo&fabric=compute")
    expected = f'attachment; filename="four-units-compute-topo-{job.spec_hash[:8]}.topo"'
    assert response["Content-Disposition"] == expected


@pytest.mark.parametrize("name", ['a"b\r\nSet-Cookie: x', "../../etc/passwd", "Ünïts — 中", ""])
def test_a_name_of_any_letters_makes_a_safe_file_name(name: str) -> None:
    made = link_file_name(name, "75e5d072645d35e9", "out-of-band", "csv")
    assert made.endswith("out-of-band-csv-75e5d072.csv")
    assert all(letter.isascii() and (letter.isalnum() or letter in "-_.") for letter in made)
    assert ".." not in made


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_sent_with_its_type(call: Caller, name: str) -> None:
    job = finished(call, SPEC | {"site": {"plan": {}}})  # some formats are about racks
    response = call("GET", f"estimates/{job.pk}/links/?format={name}")
    assert response.status_code == 200, response.content
    assert response["Content-Type"].split(";")[0] == FORMATS[name].content_type
    assert len(b"".join(response.streaming_content)) > 100


def test_a_job_says_where_its_links_are(call: Caller, job: EstimateJob) -> None:
    answer = call("GET", f"estimates/{job.pk}/").json()
    assert answer["links_url"].endswith(f"/api/v1/estimates/{job.pk}/links/")
    assert answer["cabling_url"].endswith(f"/api/v1/estimates/{job.pk}/cabling/")


def test_a_tag_is_of_spec_fabric_and_format_and_answers_304_before_any_link(
    call: Caller, job: EstimateJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = call("GET", f"estimates/{job.pk}/links/")["ETag"]
    assert tag != call("GET", f"estimates/{job.pk}/links/?format=dot")["ETag"]
    monkeypatch.setattr(link_lists, "links_at", None)  # whoever makes links now fails
    for known in (tag, f'"other", W/{tag}', "*"):
        again = call("GET", f"estimates/{job.pk}/links/", **{"If-None-Match": known})
        assert (again.status_code, again["ETag"], again.content) == (304, tag, b"")


def test_head_tells_name_and_type_and_makes_no_link(
    call: Caller, job: EstimateJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_lists, "links_at", None)
    response = call("HEAD", f"estimates/{job.pk}/links/?format=xlsx-p2p")
    assert response.status_code == 200
    assert ".xlsx" in response["Content-Disposition"]
    assert response.content == b""


# --- What is refused ---------------------------------------------------------------------------------------------
def test_an_unknown_format_is_answered_with_all_there_are(call: Caller, job: EstimateJob) -> None:
    (problem,) = assert_refused(
        call("GET", f"estimates/{job.pk}/links/?format=visio"), 400, "invalid_request", "format"
    )
    assert problem["code"] == "invalid_choice"
    assert all(name in problem["message"] for name in FORMATS)


@pytest.mark.parametrize("path", ["links", "cabling"])
def test_an_unknown_fabric_is_answered_with_those_of_the_estimate(call: Caller, job: EstimateJob, path: str) -> None:
    (problem,) = assert_refused(
        call("GET", f"estimates/{job.pk}/{path}/?fabric=storage"), 400, "invalid_request", "fabric"
    )
    assert (problem["code"], "compute" in problem["message"]) == ("invalid_choice", True)


@pytest.mark.parametrize("path", ["links", "cabling"])
@pytest.mark.parametrize(
    ("query", "code"), [("bogus=1", "unknown_parameter"), ("fabric=a&fabric=b", "repeated_parameter")]
)
def test_a_query_is_read_strictly(call: Caller, job: EstimateJob, path: str, query: str, code: str) -> None:
    problems = assert_refused(call("GET", f"estimates/{job.pk}/{path}/?{query}"), 400, "invalid_request")
    assert problems[0]["code"] == code


@pytest.mark.parametrize("path", ["links", "cabling"])
def test_an_estimate_that_has_not_finished_has_no_links(call: Caller, path: str) -> None:
    job_id = call("POST", "estimates/", SPEC).json()["id"]
    assert_refused(call("GET", f"estimates/{job_id}/{path}/"), 409, "not_finished")
    call("POST", f"estimates/{job_id}/cancel/")
    assert_refused(call("GET", f"estimates/{job_id}/{path}/"), 409, "no_result")


@pytest.mark.parametrize("path", ["links", "cabling"])
def test_links_of_others_are_not_there(call: Caller, job: EstimateJob, path: str, django_user_model: Any) -> None:
    other = caller(django_user_model.objects.create_user("eve"))
    assert_refused(other("GET", f"estimates/{job.pk}/{path}/"), 404, "not_found")
    assert_refused(call("GET", f"estimates/{NO_ID}/{path}/"), 404, "not_found")
    assert_refused(Caller(Client())("GET", f"estimates/{job.pk}/{path}/"), 401, "not_authenticated")


@pytest.mark.parametrize("path", ["links", "cabling"])
def test_a_reader_may_read_them_and_nobody_may_post(call: Caller, job: EstimateJob, owner: Any, path: str) -> None:
    assert caller(owner, "read")("GET", f"estimates/{job.pk}/{path}/").status_code == 200
    assert_refused(call("POST", f"estimates/{job.pk}/{path}/", {}), 405, "method_not_allowed")


@pytest.mark.parametrize("column", ["model_version", "catalog_version"])
def test_links_of_another_model_or_catalog_are_not_reported(call: Caller, job: EstimateJob, column: str) -> None:
    EstimateJob.objects.filter(pk=job.pk).update(**{column: "0.0"})
    (problem,) = assert_refused(call("GET", f"estimates/{job.pk}/links/"), 409, "outdated_estimate")
    assert "new estimate" in problem["message"]


def test_a_design_that_a_format_cannot_hold_is_refused_before_the_first_byte(call: Caller) -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "roce-400"}}
    response = call("GET", f"estimates/{finished(call, spec).pk}/links/?format=topo")
    problems = assert_refused(response, 400, response.json()["code"])
    assert "Ethernet" in problems[0]["message"] or "InfiniBand" in problems[0]["message"]


# --- Streaming ---------------------------------------------------------------------------------------------------
def test_pieces_are_the_same_bytes_the_first_at_once_the_rest_worth_a_packet() -> None:
    chunks = [b"head"] + [bytes([k % 251]) * 100 for k in range(5_000)]
    pieces = list(in_pieces(iter(chunks)))
    assert b"".join(pieces) == b"".join(chunks)
    assert pieces[0] == b"head"
    assert all(PIECE_BYTES <= len(piece) < PIECE_BYTES + 100 for piece in pieces[1:-1])
    assert list(in_pieces(iter([]))) == []


def test_no_more_is_made_than_is_taken() -> None:
    taken = itertools.count()
    chunks = (b"x" * PIECE_BYTES for _ in taken)
    pieces = in_pieces(chunks)
    next(pieces)
    next(pieces)
    assert next(taken) <= 3


def test_a_large_list_is_sent_in_little_memory(call: Caller) -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 4_096}, "fabric": {"generation": "xdr"}}
    job = finished(call, spec)
    response = call("GET", f"estimates/{job.pk}/links/")
    stream = iter(response.streaming_content)
    n_bytes = len(next(stream))
    tracemalloc.start()
    n_bytes += sum(len(piece) for piece in stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_bytes > 9_000_000
    assert peak < n_bytes / 3, "a sender that holds the file would hold all of it"


# --- The cabling -------------------------------------------------------------------------------------------------
def test_the_cabling_counts_links_cables_modules_and_cages(call: Caller, job: EstimateJob) -> None:
    answer = call("GET", f"estimates/{job.pk}/cabling/").json()
    assert (answer["spec_hash"], answer["fabric"]) == (job.spec_hash, "compute")
    totals = {key: sum(row[key] for row in answer["rows"]) for key in ("links", "cables", "modules")}
    # DGX SuperPOD H100, 4 units: 1,016 + 4 + 1,024 links, all fibre; 1,536 switch, 508 node and 4 manager transceivers.
    assert totals == {"links": 2_044, "cables": 2_044, "modules": 2_048}
    assert {row["tier"] for row in answer["rows"]} == {"node_leaf", "fabric_manager", "leaf_spine"}
    assert sum(row["cages"] for row in answer["rows"]) == 2_048, "every transceiver has its cage"
    assert len(json.dumps(answer)) < 20_000


# --- The floor ---------------------------------------------------------------------------------------------------
PLANNED = {"compute": {"server": "dgx-h100", "nodes": 40}, "fabric": {"generation": "ndr"}, "site": {"plan": {}}}


def test_racks_come_by_page_with_every_device_in_one_of_them(call: Caller) -> None:
    job = finished(call, PLANNED)
    first = call("GET", f"estimates/{job.pk}/racks/?page_size=5").json()
    assert (first["spec_hash"], len(first["results"])) == (job.spec_hash, 5)
    assert first["next"].endswith("page=2&page_size=5")
    racks = call("GET", f"estimates/{job.pk}/racks/?page_size=200").json()["results"]
    assert first["results"] == racks[:5]
    assert first["count"] == first["floor"]["racks"] == len(racks)
    names = [device["name"] for rack in racks for device in rack["devices"]]
    counts = job.result["fabrics"]["compute"]["counts"]
    assert len(names) == len(set(names)) == counts["nodes"] + counts["switches"]
    assert sum(rack["max_w"] for rack in racks) > 40 * 10_000, "forty servers of 10.2 kW"


def test_a_design_without_a_plan_has_no_racks(call: Caller, job: EstimateJob) -> None:
    (problem,) = assert_refused(call("GET", f"estimates/{job.pk}/racks/"), 409, "no_floor_plan")
    assert "site.plan" in problem["message"]
    queued = call("POST", "estimates/", PLANNED).json()["id"]
    assert_refused(call("GET", f"estimates/{queued}/racks/"), 409, "not_finished")
    assert_refused(call("GET", f"estimates/{finished(call, PLANNED).pk}/racks/?page=99"), 404, "not_found")
