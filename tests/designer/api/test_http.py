"""What HTTP offers programs: Bearer, entity tags, keys of calls, Accept, Retry-After, gzip, small polls."""

import gzip
import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from designer.exports.downloads import PDF_TYPE, XLSX_TYPE
from designer.models import Design, KeptAnswer, PriceBook
from estimator.jobs.models import EstimateJob
from estimator.jobs.tasks import run_estimate
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller
from tests.estimator.quotes.quote_files import HEADER, whole_quote, workbook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def job(call: Caller) -> str:
    pk = call("POST", "estimates/", SPEC).json()["id"]
    run_estimate(pk)
    return str(pk)


def made(call: Caller, kind: str) -> str:
    """Address of a new thing of this kind."""
    bodies: dict[str, Any] = {
        "designs": SPEC,
        "price-books": {"name": "Own"},
        "comparisons": {"items": [{"spec": SPEC}, {"spec": SPEC}]},
    }
    if kind == "quotes":
        parts = {"file": _quote(), "spec": json.dumps(SPEC)}
        pk = call.client.post("/api/v1/quotes/", parts).json()["id"]
    else:
        pk = call("POST", f"{kind}/", bodies[kind]).json()["id"]
    return f"{kind}/{pk}/"


def _quote() -> Any:
    return SimpleUploadedFile("quote.xlsx", workbook([HEADER, *whole_quote()]))


# --- Who calls ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("word", ["Token", "Bearer", "bearer"])
def test_a_token_comes_in_under_either_name(owner: User, word: str) -> None:
    key = caller(owner).authorization.split()[1]
    assert Caller(call_client(f"{word} {key}"))("GET", "designs/").status_code == 200
    assert_refused(Caller(call_client(f"{word} wrong"))("GET", "designs/"), 401, "invalid_token")


def call_client(authorization: str) -> Any:
    return Client(headers={"Authorization": authorization})


# --- Entity tags -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["designs", "price-books", "comparisons", "quotes"])
def test_a_change_is_made_only_to_what_its_author_has_read(call: Caller, kind: str) -> None:
    address = made(call, kind)
    tag = call("GET", address)["ETag"]
    first = call("PATCH", address, {"name": "First"}, **{"If-Match": tag})
    assert first.status_code == 200
    assert first["ETag"] == call("GET", address)["ETag"] != tag
    assert_refused(call("PATCH", address, {"name": "Second"}, **{"If-Match": tag}), 412, "changed_meanwhile")
    assert_refused(call("DELETE", address, **{"If-Match": tag}), 412, "changed_meanwhile")
    assert call("GET", address).json()["name"] == "First"
    weak = f"W/{first['ETag']}"  # as gzip marks it
    assert call("PATCH", address, {"name": "Third"}, **{"If-Match": f'"other", {weak}'}).status_code == 200
    assert call("PATCH", address, {"name": "Fourth"}, **{"If-Match": "*"}).status_code == 200
    assert call("PATCH", address, {"name": "Fifth"}).status_code == 200
    assert call("DELETE", address, **{"If-Match": call("GET", address)["ETag"]}).status_code == 204


POSTS: dict[str, Any] = {
    "designs": ("revisions/", {"name": "Bid 1"}, 201),
    "comparisons": ("refresh/", None, 200),
    "quotes": ("prices/", {"name": "Taken"}, 201),
}


@pytest.mark.parametrize("kind", POSTS)
def test_a_post_to_one_thing_holds_to_what_its_author_has_read(call: Caller, kind: str) -> None:
    address = made(call, kind)
    below, body, status = POSTS[kind]
    tag = call("GET", address)["ETag"]
    assert call("PATCH", address, {"name": "Changed"}).status_code == 200
    before = call("GET", address)
    assert_refused(call("POST", f"{address}{below}", body, **{"If-Match": tag}), 412, "changed_meanwhile")
    assert call("GET", address).content == before.content
    assert PriceBook.objects.count() == 0
    assert call("POST", f"{address}{below}", body, **{"If-Match": before["ETag"]}).status_code == status


def test_prices_are_imported_into_the_book_that_their_author_has_read(call: Caller) -> None:
    address = made(call, "price-books")
    tag = call("GET", address)["ETag"]
    call("PATCH", address, {"name": "Changed"})
    before = call("GET", address)

    def sent(tag: str) -> Any:
        file = SimpleUploadedFile("prices.csv", b"part,price\nnvidia-qm9700,30000\n")
        parts = {"file": file, "source": "Offer 7", "as_of": "2026-11-02"}
        return call.client.post(f"/api/v1/{address}import/", parts, headers={"If-Match": tag})

    assert_refused(sent(tag), 412, "changed_meanwhile")
    assert call("GET", address).content == before.content
    answer = sent(before["ETag"])
    assert (answer.status_code, answer.json()["revision"]) == (200, 2), answer.content


def test_an_estimate_is_stopped_only_as_its_author_has_read_it(call: Caller) -> None:
    pk = call("POST", "estimates/", SPEC).json()["id"]
    tag = call("GET", f"estimates/{pk}/")["ETag"]
    EstimateJob.objects.filter(pk=pk).update(progress=0.5)
    assert_refused(call("POST", f"estimates/{pk}/cancel/", **{"If-Match": tag}), 412, "changed_meanwhile")
    assert call("GET", f"estimates/{pk}/").json()["state"] == "queued"
    now = call("GET", f"estimates/{pk}/")["ETag"]
    assert call("POST", f"estimates/{pk}/cancel/", **{"If-Match": now}).json()["state"] == "cancelled"


# posts of one thing that change nothing of it: they keep nothing, or what they make is a thing of its own
READS_ONLY = ("compare", "what-if", "board-pack", "archives")
# one part of a thing is written, and its body says which version of that part was read: two who tick different items of
# a checklist do not wait for each other, as they would with a tag of the whole
BY_VERSION = {"/api/v1/designs/{id}/checklist/": "ChecklistTick"}


def test_every_write_to_one_thing_says_that_it_takes_if_match() -> None:
    document = Client().get("/api/schema/?format=json").json()
    paths, shapes = document["paths"], document["components"]["schemas"]
    writes = {
        f"{method} {path}": [one["name"] for one in called.get("parameters", [])]
        for path, methods in paths.items()
        for method, called in methods.items()
        if method in ("post", "patch", "put", "delete")
        and "{id}" in path
        and path.rstrip("/").split("/")[-1] not in READS_ONLY
    }
    assert len(writes) >= 14
    without = [write for write, headers in writes.items() if "If-Match" not in headers]
    assert without == [f"patch {path}" for path in BY_VERSION]
    for path, shape in BY_VERSION.items():
        sent = paths[path]["patch"]
        assert sent["requestBody"]["content"]["application/json"]["schema"] == {"$ref": f"#/components/schemas/{shape}"}
        assert "version" in shapes[shape]["properties"]
        assert "409" in sent["responses"]


@pytest.mark.parametrize("kind", ["designs", "price-books", "comparisons", "quotes"])
def test_what_a_caller_has_is_not_sent_again(call: Caller, kind: str) -> None:
    address = made(call, kind)
    tag = call("GET", address)["ETag"]
    same = call("GET", address, **{"If-None-Match": tag})
    assert (same.status_code, same.content, same["ETag"]) == (304, b"", tag)
    call("PATCH", address, {"name": "Another"})
    assert call("GET", address, **{"If-None-Match": tag}).status_code == 200


def test_estimates_lists_and_files_have_tags_too(call: Caller, job: str) -> None:
    paths = (
        "",
        "state/",
        "result/",
        "bom/",
        "bom/file/",
        "bom/?format=pdf",
        "cost/",
        "cabling/",
        "links/",
        "links/?format=dot",
    )
    for path in (*(f"estimates/{job}/{part}" for part in paths), "designs/", "estimates/", "catalog/switches/"):
        tag = call("GET", path)["ETag"]
        assert call("GET", path, **{"If-None-Match": f"W/{tag}"}).status_code == 304, path


@pytest.mark.django_db(transaction=True)
def test_of_many_writers_at_once_none_loses_an_update(owner: User) -> None:
    """Eight writers add a mark each to a note of what is there. Whoever is too late reads again; in the end all marks stand."""
    call = caller(owner)
    address = made(call, "designs")
    call("PATCH", address, {"name": "."})
    refused, start = [], threading.Barrier(8)

    def write(mark: str) -> None:
        mine = Caller(call_client(call.authorization))
        start.wait()
        for _ in range(100):
            read = mine("GET", address)
            name = read.json()["name"] + mark
            answer = mine("PATCH", address, {"name": name}, **{"If-Match": read["ETag"]})
            if answer.status_code == 200:
                break
            refused.append(answer.status_code)
        connection.close()

    threads = [threading.Thread(target=write, args=(mark,)) for mark in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Design.objects.get().name) == sorted(".abcdefgh")
    assert set(refused) <= {412}


# --- Keys of calls -----------------------------------------------------------------------------------------------
def test_a_call_sent_again_under_its_key_is_done_once_and_answered_alike(call: Caller) -> None:
    key = {"Idempotency-Key": "7f1c"}
    first, second = (call("POST", "designs/", SPEC, **key) for _ in range(2))
    assert (second.status_code, second.content, second["Location"]) == (201, first.content, first["Location"])
    assert (second["Idempotency-Replayed"], "Idempotency-Replayed" in first) == ("true", False)
    assert second["ETag"] == first["ETag"] == call("GET", f"designs/{first.json()['id']}/")["ETag"]
    assert Design.objects.count() == 1
    assert call("POST", "designs/", SPEC).json()["id"] != first.json()["id"]


def test_a_form_with_a_file_is_known_again_whatever_parts_it(call: Caller) -> None:
    ids, file = set(), _quote().read()  # made once: a workbook holds the second in which it was made
    for _ in range(2):
        parts = {"file": SimpleUploadedFile("quote.xlsx", file), "spec": json.dumps(SPEC)}
        answer = call.client.post("/api/v1/quotes/", parts, headers={"Idempotency-Key": "q"})
        ids.add(answer.json()["id"])
    assert len(ids) == 1


def test_a_key_is_of_one_call(call: Caller) -> None:
    key = {"Idempotency-Key": "one"}
    call("POST", "designs/", SPEC, **key)
    for path, body in (("designs/", {**SPEC, "name": "Other"}), ("estimates/", SPEC)):
        assert_refused(call("POST", path, body, **key), 409, "idempotency_key_reused")
    assert_refused(call("POST", "designs/", SPEC, **{"Idempotency-Key": "two words"}), 400, "invalid_request")
    assert_refused(call("POST", "designs/", SPEC, **{"Idempotency-Key": "x" * 201}), 400, "invalid_request")


def test_a_key_is_of_one_owner(call: Caller) -> None:
    other = caller(User.objects.create_user("grace"))
    key = {"Idempotency-Key": "same"}
    assert call("POST", "designs/", SPEC, **key).json()["id"] != other("POST", "designs/", SPEC, **key).json()["id"]


def test_a_refused_call_gives_its_key_back(call: Caller) -> None:
    key = {"Idempotency-Key": "again"}
    assert_refused(call("POST", "designs/", {"compute": {}}, **key), 400, "invalid_spec")
    assert call("POST", "designs/", SPEC, **key).status_code == 201


def test_a_call_that_still_runs_is_not_begun_twice_and_one_that_died_is(call: Caller, owner: User) -> None:
    key = {"Idempotency-Key": "busy"}
    first = call("POST", "designs/", SPEC, **key).json()["id"]
    KeptAnswer.objects.update(status=None)  # as while it runs
    assert_refused(call("POST", "designs/", SPEC, **key), 409, "call_in_progress")
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(minutes=6))
    assert call("POST", "designs/", SPEC, **key).json()["id"] != first


def test_an_answer_is_kept_for_a_day(call: Caller) -> None:
    key = {"Idempotency-Key": "old"}
    first = call("POST", "price-books/", {"name": "Own"}, **key).json()["id"]
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert call("POST", "price-books/", {"name": "Own"}, **key).json()["id"] != first
    assert PriceBook.objects.count() == 2


# --- Forms -------------------------------------------------------------------------------------------------------
CSV = "text/csv; charset=utf-8"


@pytest.mark.parametrize(
    ("accept", "query", "kind"),
    [
        ("", "", "application/json"),
        ("*/*", "", "application/json"),
        ("application/json", "", "application/json"),
        ("text/csv", "", CSV),
        (PDF_TYPE, "", PDF_TYPE),
        (XLSX_TYPE, "", XLSX_TYPE),
        ("text/*", "", CSV),
        ("text/csv;q=0.2, application/pdf;q=0.9", "", PDF_TYPE),
        ("text/html, */*;q=0.1", "", "application/json"),
        ("application/json;q=0, text/csv", "", CSV),
        ("text/csv", "?format=pdf", PDF_TYPE),
        ("application/json", "?format=csv", CSV),
        ("application/octet-stream", "?format=csv", "application/octet-stream"),
        ("text/csv", "?format=json", "application/json"),
    ],
)
def test_accept_says_which_form_and_format_goes_before_it(
    call: Caller, job: str, accept: str, query: str, kind: str
) -> None:
    for part in ("bom", "cost"):
        answer = call("GET", f"estimates/{job}/{part}/{query}", **({"Accept": accept} if accept else {}))
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        assert "Accept" in answer["Vary"]


def test_comparisons_books_quotes_and_links_are_negotiated_too(call: Caller, job: str) -> None:
    comparison, book, quote = (made(call, kind) for kind in ("comparisons", "price-books", "quotes"))
    for path, kind in (
        (comparison, PDF_TYPE),
        (comparison, CSV),
        (book, XLSX_TYPE),
        (quote, CSV),
        ("price-books/street/", CSV),
    ):
        assert call("GET", path, Accept=kind.partition(";")[0])["Content-Type"] == kind, path
        assert call("GET", path)["Content-Type"] == "application/json"
    links = call("GET", f"estimates/{job}/links/", Accept="text/vnd.graphviz")
    assert links["Content-Type"].startswith("text/vnd.graphviz")
    assert next(iter(links.streaming_content)).startswith((b"graph", b"//", b"strict"))
    assert call("GET", f"estimates/{job}/links/")["Content-Type"] == CSV


def test_what_accept_takes_no_form_of_is_refused_with_those_there_are(call: Caller, job: str) -> None:
    for path in ("bom/", "bom/file/", "links/"):
        (problem,) = assert_refused(call("GET", f"estimates/{job}/{path}", Accept="image/png"), 406, "not_acceptable")
        assert "text/csv" in problem["message"]


def test_the_file_of_an_address_is_the_one_that_format_gives(call: Caller, job: str) -> None:
    for part in ("bom", "cost"):
        for form in ("csv", "xlsx", "pdf"):
            file = call("GET", f"estimates/{job}/{part}/file/?format={form}")
            assert file.content == call("GET", f"estimates/{job}/{part}/?format={form}").content
            assert file["Content-Disposition"].endswith(f'.{form}"')


# --- Polls -------------------------------------------------------------------------------------------------------
def test_a_poll_is_small_says_when_to_ask_again_and_leads_to_the_result(call: Caller) -> None:
    asked = call("POST", "estimates/", SPEC)
    assert (asked.status_code, asked["Retry-After"]) == (202, "1")
    pk = asked.json()["id"]
    waiting = call("GET", f"estimates/{pk}/state/")
    assert (waiting["Retry-After"], waiting.json()["state"]) == ("1", "queued")
    assert len(waiting.content) < 1_000
    assert call("GET", f"estimates/{pk}/")["Retry-After"] == "1"
    assert_refused(call("GET", f"estimates/{pk}/result/"), 409, "not_finished")
    run_estimate(pk)
    done = call("GET", f"estimates/{pk}/state/")
    assert (done.json()["state"], "Retry-After" in done) == ("succeeded", False)
    result = call.client.get(done.json()["result_url"].removeprefix("http://testserver")).json()
    assert result == call("GET", f"estimates/{pk}/").json()["result"]
    assert set(result) >= {"spec", "fabrics", "bom", "cost"}


def test_json_goes_compressed_to_who_takes_it(call: Caller, job: str) -> None:
    plain = call("GET", f"estimates/{job}/")
    packed = call("GET", f"estimates/{job}/", **{"Accept-Encoding": "gzip"})
    assert (packed["Content-Encoding"], gzip.decompress(packed.content)) == ("gzip", plain.content)
    assert len(packed.content) < len(plain.content) / 3
    tag = packed["ETag"]
    assert call("GET", f"estimates/{job}/", **{"If-None-Match": tag, "Accept-Encoding": "gzip"}).status_code == 304
    file = call("GET", f"estimates/{job}/bom/?format=xlsx", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in file


# --- Predictions -------------------------------------------------------------------------------------------------
def test_a_prediction_takes_a_design_or_the_id_of_one(call: Caller) -> None:
    asked = {"message_bytes": [1 << 30]}
    saved = call("POST", "designs/", SPEC).json()["id"]
    by_spec, by_id = (call("POST", "predictions/", {"design": design, **asked}) for design in (SPEC, saved))
    assert by_spec.status_code == 200, by_spec.content
    assert by_id.json() == by_spec.json()
    assert [row["gpus"] for row in by_id.json()["rows"]] == [1016]
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("POST", "predictions/", {"design": saved, **asked}), 404, "not_found")
    assert_refused(call("POST", "predictions/", {"design": "no id", **asked}), 400, "invalid_request")
    assert_refused(call("POST", "predictions/", {"design": {"compute": {}}, **asked}), 400, "invalid_spec")
