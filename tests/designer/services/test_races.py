"""Two at the same moment: sweeps, writers of one thing, calls under one key, edits of one design. Nothing is done twice or lost.

On SQLite here, and on PostgreSQL where ``test_crash.py`` runs this file there. Some tests hold a row's lock until everybody
waits for it, which is the worst moment there is; only PostgreSQL shows who waits, so that they skip elsewhere.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from designer.api.resources import designs
from designer.api.resources.own_parts.schema import SWITCH
from designer.forms.design import DesignForm
from designer.models import Calibration, Comparison, Design, KeptAnswer, PriceBook, Quote
from designer.services.comparisons import remove_side
from designer.services.designs.edits import record, start_state, typed_now
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.services.parts.catalog import create_part
from designer.services.prices.books import revise_book
from designer.services.quotes import set_matches
from estimator.errors import SpecError
from estimator.jobs import tasks
from estimator.jobs.models import MAX_ATTEMPTS, RESEND_AFTER, EstimateJob
from tests.designer.api_helpers import SPEC, Caller
from tests.designer.at_once import at_once, held_up
from tests.estimator.quotes.quote_files import HEADER, whole_quote, workbook

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3
KINDS: dict[str, Any] = {"designs": Design, "price-books": PriceBook, "comparisons": Comparison, "quotes": Quote}


# --- Sweeps ------------------------------------------------------------------------------------------------------
@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids that would have gone to the broker, which takes a moment for each."""
    ids: list[str] = []

    def send(args: tuple[str], **_: Any) -> None:
        time.sleep(0.005)
        ids.append(args[0])

    monkeypatch.setattr(tasks.run_estimate, "apply_async", send)
    return ids


def jobs(n: int, **values: Any) -> list[EstimateJob]:
    of_today = {"spec": {}, "model_version": "1", "catalog_version": "1", **values}
    return [EstimateJob.objects.create(spec_hash=f"{number}", **of_today) for number in range(n)]


def left_by_a_dead_process(**values: Any) -> dict[str, Any]:
    ago = timezone.now() - 2 * RESEND_AFTER
    return {"state": EstimateJob.State.RUNNING, "attempts": 1, "lease_until": ago, "sent_at": ago, **values}


def test_sweeps_at_once_send_each_job_once(sent: list[str]) -> None:
    """Beat's, and that of a worker whose turn it is: jobs that were never sent, whose message or whose worker was lost."""
    lost = {"sent_at": timezone.now() - 2 * RESEND_AFTER}
    waiting = [job for values in ({}, lost, left_by_a_dead_process()) for job in _named(values)]
    n_sent = at_once([tasks.sweep] * 4)
    assert sorted(sent) == sorted(str(job.pk) for job in waiting)
    assert sum(n_sent) == len(waiting)


def _named(values: dict[str, Any]) -> list[EstimateJob]:
    return jobs(6, **values, owner=User.objects.create_user(f"user {User.objects.count()}"))


def test_what_the_broker_did_not_take_is_sent_by_the_next_sweep(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = jobs(1, **left_by_a_dead_process())
    with monkeypatch.context() as away:
        away.setattr(tasks, "send", lambda _: False)
        assert tasks.sweep() == 0
    assert tasks.sweep() == 1
    assert sent == [str(job.pk)]


def test_sweeps_at_once_give_a_job_up_once(sent: list[str], caplog: pytest.LogCaptureFixture) -> None:
    jobs(5, **left_by_a_dead_process(attempts=MAX_ATTEMPTS))
    with caplog.at_level(logging.ERROR):
        at_once([tasks.sweep] * 4)
    assert sum("given up" in record.getMessage() for record in caplog.records) == 5
    assert {job.error["code"] for job in EstimateJob.objects.filter(state=EstimateJob.State.FAILED)} == {
        "too_many_attempts"
    }
    assert sent == []


def test_a_worker_that_was_only_slow_keeps_its_job(sent: list[str]) -> None:
    """Its last attempt: its lease has run out, two sweeps see that, and then it goes on."""
    (job,) = jobs(1, **left_by_a_dead_process(attempts=MAX_ATTEMPTS))
    with held_up(EstimateJob.objects.all(), [tasks.sweep] * 2) as sweeps:
        assert job.extend_lease()
    assert [one.result() for one in sweeps] == [0, 0]
    job.refresh_from_db()
    assert (job.state, job.error) == (EstimateJob.State.RUNNING, None)
    assert job.succeed({"made": True})
    assert sent == []


def test_a_job_that_a_dead_process_left_goes_to_one_worker() -> None:
    (job,) = jobs(1, **left_by_a_dead_process())
    claimed = at_once([lambda: EstimateJob.claim(job.pk)] * 6)
    assert sorted(one.attempts for one in claimed if one) == [2]
    late = EstimateJob(pk=job.pk, attempts=1)
    assert not late.succeed({"late": True})


def test_two_of_a_team_that_make_a_part_at_once_do_not_give_one_id() -> None:
    mates = [User.objects.create_user(name) for name in ("ada", "grace")]
    Group.objects.create(name="network").user_set.add(*mates)

    def made_by(mate: User) -> str:
        try:
            return create_part(mate, "switches", SWITCH).key
        except SpecError as error:
            return error.problems[0].code

    with held_up(Group.objects.all(), [partial(made_by, mate) for mate in mates]) as made:
        pass
    assert sorted(one.result() for one in made) == ["id_taken", SWITCH["id"]]


# --- Writers -----------------------------------------------------------------------------------------------------
def made(call: Caller, kind: str) -> str:
    """Address of a new thing of this kind."""
    bodies: dict[str, Any] = {
        "designs": SPEC,
        "price-books": {"name": "Own"},
        "comparisons": {"items": [{"spec": SPEC}, {"spec": SPEC}]},
    }
    if kind == "quotes":
        file = SimpleUploadedFile("quote.xlsx", workbook([HEADER, *whole_quote()]))
        answer = call.client.post("/api/v1/quotes/", {"file": file, "spec": json.dumps(SPEC)})
    else:
        answer = call("POST", f"{kind}/", bodies[kind])
    assert answer.status_code == 201, answer.content
    return f"{kind}/{answer.json()['id']}/"


def again(call: Caller) -> Caller:
    """Another client of the same caller: each thread has its own."""
    return Caller(Client(headers={"Authorization": call.authorization}), call.authorization)


def change(call: Caller, address: str, body: Any, **headers: str) -> Any:
    return again(call)("PATCH", address, body, **headers)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_writers_at_once_one_is_refused(call: Caller, kind: str) -> None:
    address = made(call, kind)
    for number in range(ROUNDS):
        tag = {"If-Match": call("GET", address)["ETag"]}
        names = [f"Round {number}, {who}" for who in ("Ada", "Grace")]
        answers = at_once([partial(change, call, address, {"name": name}, **tag) for name in names])
        assert sorted(answer.status_code for answer in answers) == [200, 412]
        won = next(name for name, answer in zip(names, answers, strict=True) if answer.status_code == 200)
        assert call("GET", address).json()["name"] == won


@pytest.mark.parametrize("kind", KINDS)
def test_of_writers_that_wait_for_a_change_with_its_old_tag_none_undoes_it(call: Caller, kind: str) -> None:
    address = made(call, kind)
    tag = {"If-Match": call("GET", address)["ETag"]}
    late = partial(change, call, address, {"name": "Late"}, **tag)
    gone = partial(again(call), "DELETE", address, **tag)
    with held_up(KINDS[kind].objects.all(), [late, gone]) as waiting:
        KINDS[kind].objects.update(name="First")
    assert [one.result().status_code for one in waiting] == [412, 412]
    assert call("GET", address).json()["name"] == "First"


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_and_a_deletion_at_once_are_one_of_both(call: Caller, kind: str) -> None:
    for _ in range(ROUNDS):
        address = made(call, kind)
        tag = {"If-Match": call("GET", address)["ETag"]}
        changed, deleted = at_once(
            [
                partial(change, call, address, {"name": "Kept"}, **tag),
                partial(again(call), "DELETE", address, **tag),
            ]
        )
        left = call("GET", address)
        if deleted.status_code == 204:
            assert (changed.status_code, left.status_code) == (404, 404)
        else:
            assert (changed.status_code, deleted.status_code, left.json()["name"]) == (200, 412, "Kept")


def test_a_writer_is_answered_before_the_next_ones_turn(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the answer, and the tag in it, would be of a state that this writer never said."""
    address, answered, others = made(call, "designs"), designs._design_json, list[threading.Thread]()

    def next_one() -> None:
        change(call, address, {"name": "Next"})
        connection.close()

    def slowly(request: Any, pk: Any) -> Any:
        if not others:
            others.append(threading.Thread(target=next_one))
            others[0].start()
            others[0].join(2)
        return answered(request, pk)

    monkeypatch.setattr(designs, "_design_json", slowly)
    answer = change(call, address, {"name": "Mine"})
    others[0].join()
    assert answer.json()["name"] == "Mine"
    assert call("GET", address).json()["name"] == "Next"


def test_programs_that_change_name_and_spec_of_a_design_at_once_all_have_their_way(call: Caller) -> None:
    address = made(call, "designs")
    for number in range(ROUNDS):
        body = {"spec": {"fabric": SPEC["fabric"], "compute": {"server": "dgx-h100", "nodes": 64 + number}}}
        answers = at_once([partial(change, call, address, one) for one in ({"name": f"Hall {number}"}, body)])
        assert [answer.status_code for answer in answers] == [200, 200]
        given = Design.objects.get().given
        assert (given["name"], given["compute"]["nodes"]) == (f"Hall {number}", 64 + number)


# --- Forms of pages ----------------------------------------------------------------------------------------------
def row_of(call: Caller, kind: str) -> Any:
    """A new thing of this kind."""
    made(call, kind)
    return KINDS[kind].objects.get()


def post(owner: User, page: str, row: Any, **typed: Any) -> Callable[[], Any]:
    """A form of a page, sent by a browser of its own."""
    return partial(browser(owner).post, reverse(page, args=[row.pk]), typed)


PRICES = [
    {"part": part, "low": 100, "typical": 200, "high": 300, "basis": "quote", "as_of": "2026-11-01"}
    for part in ("nvidia-qm9700", "nvidia-qm9790")
]


def parts_of(book: PriceBook) -> list[str]:
    return [price["part"] for price in book.latest.prices]


def test_matches_of_two_lines_are_both_kept(owner: User, call: Caller) -> None:
    quote = row_of(call, "quotes")
    mine, theirs = (line["id"] for line in quote.result["lines"][:2])
    with held_up(Quote.objects.all(), [post(owner, "quote-match", quote, line=mine, item="")]):
        set_matches(quote, {theirs: None})
    quote.refresh_from_db()
    assert quote.matches == {mine: None, theirs: None}


def test_each_side_that_is_taken_out_of_a_comparison_stays_out(owner: User, call: Caller) -> None:
    items = [{"spec": {**SPEC, "name": f"Hall {number}"}} for number in range(4)]
    assert call("POST", "comparisons/", {"items": items}).status_code == 201
    row = Comparison.objects.get()
    remove = {"do": "remove", "side": "1", "label": "Hall 1"}
    with held_up(Comparison.objects.all(), [post(owner, "comparison-change", row, **remove)] * 2):
        remove_side(row, 3)
    row.refresh_from_db()
    assert [side["label"] for side in row.specs] == ["Hall 0", "Hall 2"]


def test_an_import_keeps_the_price_that_was_added_meanwhile(owner: User, call: Caller) -> None:
    book = row_of(call, "price-books")
    planned = json.dumps({"file_name": "list.csv", "prices": PRICES[:1], "rates": [], "mode": "merge"})
    with held_up(PriceBook.objects.all(), [post(owner, "price-book-apply", book, planned=planned)]):
        revise_book(book, "Added", PRICES[1:])
    assert parts_of(book) == ["nvidia-qm9790", "nvidia-qm9700"]


def test_a_price_that_is_typed_while_another_is_added_stays_in_its_form(owner: User, call: Caller) -> None:
    book = row_of(call, "price-books")
    typed = {"part": "nvidia-qm9700", "typical": "4,321", "currency": "USD", "basis": "quote", "number": "1"}
    save = post(owner, "price-book-save", book, index="new", per="piece", as_of="2026-11-01", **typed)
    with held_up(PriceBook.objects.all(), [save]) as waiting:
        revise_book(book, "Added", PRICES[1:])
    assert parts_of(book) == ["nvidia-qm9790"]
    answer = waiting[0].result()
    assert answer.status_code == 422
    assert "4,321" in answer.content.decode()
    assert "changed meanwhile" in answer.content.decode()


def test_of_forms_of_rates_at_once_one_is_asked(owner: User, call: Caller) -> None:
    book = row_of(call, "price-books")
    rates = {"rate_usd": "1.5", "rate_as_of": "2026-11-01", "rate_source": "Bank", "number": "1"}
    forms = [post(owner, "price-book-rates", book, rate_currency=currency, **rates) for currency in ("EUR", "GBP")]
    answers = at_once(forms)
    assert sorted(answer.status_code for answer in answers) == [302, 422]
    (refused,) = [answer for answer in answers if answer.status_code == 422]
    (kept,) = book.latest.rates
    assert f"they are {kept['currency']} 1.5 of 2026-11-01" in refused.content.decode()


def test_a_book_is_put_into_the_design_as_it_is_by_then(owner: User, call: Caller, design: Design) -> None:
    book = row_of(call, "price-books")
    use = partial(browser(owner).post, reverse("price-book-use"), {"design": str(design.pk), "book": str(book.pk)})
    with held_up(Design.objects.all(), [use]):
        assert edit_inside(design, "economics__pue", "1.4")
    design.refresh_from_db()
    economics = design.given["economics"]
    assert (economics["pue"], economics["prices"]["name"]) == (1.4, "Own")


def test_a_calibration_that_is_deleted_while_it_is_renamed_is_not_there(owner: User) -> None:
    values: Any = {"system": {}, "parameters": {}, "logs": [], "error": {}, "diagnosis": {}, "curves": []}
    row = Calibration.objects.create(owner=owner, name="Old", **values)
    with held_up(Calibration.objects.all(), [post(owner, "calibration-rename", row, name="New")]) as waiting:
        Calibration.objects.all().delete()
    assert waiting[0].result().status_code == 404


# --- Calls under one key -----------------------------------------------------------------------------------------
POSTS: dict[str, tuple[Any, Callable[[], int]]] = {
    "designs": (SPEC, Design.objects.count),
    "price-books": ({"name": "Own"}, PriceBook.objects.count),
    "comparisons": ({"items": [{"spec": SPEC}, {"spec": SPEC}]}, Comparison.objects.count),
    "estimates": (SPEC, EstimateJob.objects.count),
}


@pytest.mark.parametrize("kind", POSTS)
def test_calls_under_one_key_at_once_make_one_thing(call: Caller, sent: list[str], kind: str) -> None:
    body, count = POSTS[kind]
    key = {"Idempotency-Key": "7f1c"}
    post = [partial(again(call), "POST", f"{kind}/", body, **key) for _ in range(6)]
    answers = at_once(post)
    assert count() == 1
    made_by = [answer for answer in answers if answer.status_code in (201, 202)]
    assert made_by
    assert {answer.json()["code"] for answer in answers if answer not in made_by} <= {"call_in_progress"}
    assert {answer.status_code for answer in answers if answer not in made_by} <= {409}
    assert sum("Idempotency-Replayed" not in answer for answer in made_by) == 1
    replayed = post[0]()
    assert (replayed.content, replayed["Idempotency-Replayed"]) == (made_by[0].content, "true")
    assert count() == 1


def test_of_calls_at_once_after_one_that_died_one_begins_anew(call: Caller) -> None:
    key = {"Idempotency-Key": "died"}
    call("POST", "designs/", SPEC, **key)
    Design.objects.all().delete()
    KeptAnswer.objects.update(status=None, created_at=timezone.now() - timedelta(minutes=6))
    answers = at_once([partial(again(call), "POST", "designs/", SPEC, **key) for _ in range(6)])
    assert Design.objects.count() == 1
    assert {answer.status_code for answer in answers} <= {201, 409}


def test_different_calls_under_one_key_at_once_are_one_call(call: Caller) -> None:
    key = {"Idempotency-Key": "two"}
    bodies = [{**SPEC, "name": name} for name in ("First", "Second", "Third", "Fourth")]
    answers = at_once([partial(again(call), "POST", "designs/", body, **key) for body in bodies])
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"idempotency_key_reused"}
    assert Design.objects.count() == 1


# --- Edits -------------------------------------------------------------------------------------------------------
EDITS = {
    "name": "Hall 3",
    "size": "96",
    "economics__years": "6",
    "site__node_leaf_m": "12",
}


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, SAMPLES[0].spec())


def browser(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def edit(client: Client, design: Design, name: str, text: str, page: str, seen: int) -> int:
    """One field changed on a page that shows the design as it was; sent again while too many change it, as pages do."""
    was = start_state(design).get(name, "")
    posted = {
        "step": f"{name}.{page}",
        "base": str(seen),
        "page": page,
        "number": "1",
        "fields": json.dumps({name: text}),
        "was": json.dumps({name: was}),
    }
    while (answer := client.post(reverse("edit", args=[design.pk]), posted)).status_code == 503:
        time.sleep(0.05)
    return answer.status_code


def test_people_who_edit_different_fields_at_once_all_have_their_way(owner: User, design: Design) -> None:
    before, seen = start_state(design), design.state_number
    pages = [partial(edit, browser(owner), design, name, text, f"page-{name}", seen) for name, text in EDITS.items()]
    assert at_once(pages) == [200] * len(EDITS)
    design.refresh_from_db()
    assert typed_now(design) == before | EDITS
    assert design.state_number == seen + len(EDITS)
    assert (design.name, design.given["economics"]["years"]) == ("Hall 3", 6)


def test_of_people_who_edit_one_field_at_once_one_is_asked(owner: User, design: Design) -> None:
    seen = design.state_number
    sizes = ["64", "96", "128"]
    answers = at_once([partial(edit, browser(owner), design, "size", size, size, seen) for size in sizes])
    assert sorted(answers) == [200, 409, 409]
    design.refresh_from_db()
    assert (typed_now(design) or {})["size"] == sizes[answers.index(200)]


def test_an_edit_that_is_sent_twice_at_once_is_one(owner: User, design: Design) -> None:
    seen = design.state_number
    twice = [partial(edit, browser(owner), design, "size", "96", "page", seen) for _ in range(4)]
    assert at_once(twice) == [200] * 4
    design.refresh_from_db()
    assert (design.state_number, design.edits.count()) == (seen + 1, 2)


def test_an_edit_that_waits_for_another_is_merged_into_it(owner: User, design: Design) -> None:
    seen = design.state_number
    mine = partial(edit, browser(owner), design, "economics__years", "6", "mine", seen)
    with held_up(Design.objects.all(), [mine]) as waiting:
        assert edit_inside(design, "economics__pue", "1.4")
    assert waiting[0].result() == 200
    design.refresh_from_db()
    typed = typed_now(design) or {}
    assert (typed["economics__years"], typed["economics__pue"]) == ("6", "1.4")


def edit_inside(design: Design, name: str, text: str) -> bool:
    """An edit in the transaction that holds the row."""
    typed = start_state(design) | {name: text}
    form = DesignForm(typed, owner=design.owner)
    assert form.is_valid(), form.errors
    return record(design, typed, f"{name}.other", form.spec, by="Grace").is_valid
