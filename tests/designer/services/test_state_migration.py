"""Databases of before designs had a current state: it is read from their last revision, or from the edits that came after it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from designer.forms.design import DesignForm
from designer.models import Baseline, Design, Quote
from designer.services.designs.listing import design_rows
from designer.services.designs.state import fresh
from estimator.catalog.loader import load_catalog
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec

BEFORE = [("designer", "0005_sign_in_link_used_at")]
HALL: dict[str, Any] = {"name": "Hall", "compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}


@pytest.mark.django_db(transaction=True)
def test_a_design_of_before_is_what_it_last_was() -> None:
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    try:
        owner = old.get_model("auth", "User").objects.create(username="ada")
        designs = old.get_model("designer", "Design").objects
        plain, edited = (designs.create(owner=owner, name=name) for name in ("Hall", "Edited"))
        for design in (plain, edited):
            for number, gpus in enumerate((1024, 64), 1):
                given = HALL | {"compute": {"server": "dgx-h100", "gpus": gpus}}
                spec = parse_spec(given, load_catalog())
                state = {"given": given, "spec": spec.as_json(), "spec_hash": spec_hash(spec)}
                old.get_model("designer", "DesignRevision").objects.create(design=design, number=number, **state)
        typed = DesignForm(values=HALL).typed()
        for number, (size, figures) in enumerate((("64", {"gpus": 64}), ("128", {"gpus": 128}), ("many", None)), 1):
            old.get_model("designer", "DesignEdit").objects.create(
                design=edited, number=number, step=str(number), typed=typed | {"size": size}, figures=figures
            )
        old.get_model("designer", "Design").objects.filter(pk=edited.pk).update(at=3)
        old.get_model("designer", "Pin").objects.create(owner=owner, design=plain, position=1)
        quote = {
            "name": "Q",
            "file_name": "q.csv",
            "file_sha256": "0",
            "reading": {},
            "result": {},
            "spec": state["spec"],
        }
        versions = {"model_version": "1", "catalog_version": "1"}
        old.get_model("designer", "Quote").objects.create(owner=owner, **quote, **versions)
    finally:
        MigrationExecutor(connection).migrate(newest)
    owner = User.objects.get(username="ada")
    assert {row.name: row.figures.gpus for row in design_rows(owner) if row.figures} == {"Hall": 64, "Edited": 128}
    now = fresh(Design.objects.get(pk=plain.pk))
    assert (now.given, now.spec_hash) == (HALL, spec_hash(parse_spec(HALL, load_catalog())))
    assert [one.name for one in now.revisions.all()] == ["Version 1", "Version 2"]
    assert Design.objects.get(pk=edited.pk).given["compute"]["gpus"] == 128, "the last that could be built"
    assert Baseline.objects.get().given == HALL
    assert Quote.objects.get().design.owner == owner
    client = Client()
    client.force_login(owner)
    shown = client.get(f"/designs/{edited.pk}/")
    assert shown.context["headlines"].gpus == 128
    assert shown.context["problems"]
    assert 'value="many"' in shown.content.decode()
