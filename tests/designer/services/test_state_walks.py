"""Random walks of a design's session against an oracle that recomputes the state: whatever is asked of it, all say the same."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from functools import cache

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.forms.design import DesignForm
from designer.models import Design
from designer.services.comparison_sides import resolved_items
from designer.services.designs.edits import start_state, typed_now
from designer.services.designs.listing import design_rows
from designer.services.designs.saving import save_design
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.jobs import tasks
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import caller
from tests.thorough import THOROUGH

STEPS = 600 if THOROUGH else 100
HALL = {"name": "Hall", "compute": {"server": "dgx-h100", "gpus": 256}, "fabric": {"generation": "ndr"}}
CHANGES = {
    "name": ("Hall", "Hall 2", "", "Annex"),
    "size": ("64", "256", "512", "many", "0", "1000000000"),
    "fabric__oversubscription": ("1:1", "2:1", "3:1", "no"),
    "fabric__tiers": ("auto", "1", "2", "3"),
    "economics__years": ("", "3", "6", "99"),
    "fabric__generation": ("ndr", "xdr", "roce-400"),
}
Texts = dict[str, str]


@cache
def built(text: str) -> tuple[str, int] | None:
    """(what was said, GPUs) of a form's text, recomputed from the rules and the pipeline; None where it cannot be built."""
    form = DesignForm(json.loads(text))
    if not form.is_valid() or form.spec is None:
        return None
    try:
        (result,) = estimate([form.spec], load_catalog(), parts=("counts",))
    except EstimatorError:
        return None
    given = form.spec.as_given() | {"name": form.spec.name}
    return json.dumps(given, sort_keys=True), result.as_json()["fabrics"]["compute"]["counts"]["gpus"]


def plain(typed: Texts) -> Texts:
    return {name: text for name, text in typed.items() if text}


@dataclass
class Oracle:
    """Texts of the form along the steps, and what holds at each."""

    rows: list[tuple[str, Texts, tuple[str, int]]]
    at: int = 0
    number: int = 1  # of the state
    by: list[str] = field(default_factory=list)

    @property
    def typed(self) -> Texts:
        return self.rows[self.at][1]

    @property
    def held(self) -> tuple[str, int]:
        return self.rows[self.at][2]

    def put(self, step: str, typed: Texts, whole: tuple[str, int] | None = None) -> None:
        del self.rows[self.at + 1 :]
        if plain(typed) == plain(self.typed):  # a whole request may leave out what a form says
            self.number += whole is not None and whole != self.held
            self.rows[self.at] = (*self.rows[self.at][:2], whole or self.held)
            return
        held = whole or built(json.dumps(plain(typed), sort_keys=True)) or self.held
        if self.rows[self.at][0] != step:
            self.rows.append(("", {}, held))
            self.at += 1
        self.rows[self.at] = (step, typed, held)
        self.number += 1

    def move(self, by: int) -> None:
        if 0 <= self.at + by < len(self.rows):
            self.at += by
            self.number += 1


@dataclass
class Page:
    """What one open page shows: the number of its state, and the text of its form."""

    client: Client
    key: str
    seen: int
    screen: Texts
    sent: int = 0

    def edit(self, design: Design, oracle: Oracle, name: str, text: str, step: str) -> dict[str, str]:
        """Send one changed field; what was posted, so that it can be sent again."""
        self.sent += 1
        posted = {
            "page": self.key,
            "number": str(self.sent),
            "step": step,
            "base": str(self.seen),
            "fields": json.dumps({name: text}),
            "was": json.dumps({name: self.screen.get(name, "")}),
        }
        there = oracle.typed.get(name, "")
        is_disputed = self.seen != oracle.number and there not in (text, self.screen.get(name, ""))
        answer = self.client.post(reverse("edit", args=[design.pk]), posted)
        assert answer.status_code == (409 if is_disputed else 200)
        if is_disputed:
            self.sent -= 1
        else:
            oracle.put(step, {**oracle.typed, name: text})
        self.look(oracle)
        return posted

    def look(self, oracle: Oracle) -> None:
        self.seen, self.screen = oracle.number, dict(oracle.typed)


def agrees(design: Design, oracle: Oracle, owner: User) -> None:
    now = design.now
    assert plain(typed_now(now) or start_state(now)) == plain(oracle.typed)
    assert (now.state_number, json.dumps(now.given, sort_keys=True)) == (oracle.number, oracle.held[0])
    (row,) = design_rows(owner)
    assert row.figures is not None
    assert (row.figures.gpus, row.figures.spec_hash) == (oracle.held[1], now.spec_hash)
    (side,) = (one.spec for one in resolved_items(owner, [{"design": str(design.pk)}] * 2)[:1])
    assert json.dumps(side, sort_keys=True) == oracle.held[0]


def agrees_on_pages_and_in_files(design: Design, oracle: Oracle, owner: User, client: Client) -> None:
    """The page, its estimate and REST; the worker's part is done here."""
    client.post(reverse("settle", args=[design.pk]))
    job = owner.estimate_jobs.get(spec_hash=design.now.spec_hash, state__in=("queued", "succeeded"))
    if job.state == "queued":
        tasks.run_estimate(str(job.pk))
    shown = client.get(reverse("design", args=[design.pk])).context
    assert shown["job"].spec_hash == shown["spec_hash"] == design.now.spec_hash
    assert shown["result"].compute.counts.gpus == shown["headlines"].gpus == oracle.held[1]
    reported = caller(owner)("GET", f"designs/{design.pk}/").json()
    assert (reported["spec_hash"], json.dumps(reported["given"], sort_keys=True)) == (
        design.now.spec_hash,
        oracle.held[0],
    )


@pytest.mark.django_db
@pytest.mark.parametrize("seed", [1])
def test_two_pages_and_a_program_walk_at_random(owner: User, sent: list[str], seed: int) -> None:
    rng = random.Random(seed)
    design = save_design(owner, parse_spec(HALL, load_catalog()))
    start = start_state(design)
    oracle = Oracle([("start", start, (json.dumps(HALL, sort_keys=True), 256))])
    pages = []
    for key in ("a", "b"):
        client = Client()
        client.force_login(owner)
        pages.append(Page(client, key, 1, dict(start)))
    posted: list[tuple[Page, dict[str, str]]] = []
    step = "s0"
    for number in range(STEPS):
        page = rng.choice(pages)
        action = rng.choices(("edit", "same step", "undo", "redo", "again", "look", "rest"), (9, 3, 4, 3, 2, 2, 1))[0]
        if action in ("edit", "same step"):
            step = step if action == "same step" else f"s{number}.{page.key}"
            name = rng.choice(list(CHANGES))
            posted.append((page, page.edit(design, oracle, name, rng.choice(CHANGES[name]), step)))
        elif action in ("undo", "redo"):
            page.client.post(reverse(action, args=[design.pk]), headers={"Studio": "1"})
            oracle.move(-1 if action == "undo" else 1)
            page.look(oracle)
        elif action == "again" and posted:
            who, what = posted[-1]
            if int(what["number"]) <= who.sent:  # it was kept, and its answer lost
                assert who.client.post(reverse("edit", args=[design.pk]), what).status_code == 200
        elif action == "look":
            page.look(oracle)
        elif action == "rest":
            gpus = 8 * rng.randrange(4, 40)
            change = HALL | {"compute": {"server": "dgx-h100", "gpus": gpus}, "name": "Over REST"}
            whole = json.dumps(change, sort_keys=True), gpus
            assert caller(owner)("PATCH", f"designs/{design.pk}/", {"spec": change}).status_code == 200
            is_valid = built(json.dumps(plain(oracle.typed), sort_keys=True)) is not None
            if oracle.held != whole or not is_valid:
                oracle.put(f"rest {number}", DesignForm(values=change, owner=owner).typed(), whole)
        agrees(design, oracle, owner)
        if number % 30 == 29:
            agrees_on_pages_and_in_files(design, oracle, owner, page.client)
    assert not design.revisions.exists(), "nothing makes a version unasked"
    assert oracle.number > STEPS / 2
