"""A client that openapi-python-client generates from the document works: designs, estimates, files, comparisons, two writers."""

from __future__ import annotations

import csv
import importlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator

from designer.config.wsgi import application
from designer.models import ApiToken
from estimator.handoff.formats import FORMATS
from estimator.jobs.tasks import run_estimate
from tests.designer.api_helpers import SPEC

pytestmark = pytest.mark.django_db
PACKAGE = "clusterwright_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The package that the generator makes of the document, on the path of imports."""
    folder = tmp_path_factory.mktemp("generated")
    document = SchemaGenerator().get_schema(request=None, public=True)
    (folder / "schema.json").write_text(json.dumps(document, default=str))
    (folder / "config.yml").write_text("post_hooks: []\n")
    options = ["--path", "schema.json", "--output-path", PACKAGE, "--meta", "none", "--config", "config.yml"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *options, "--fail-on-warning"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = made.stdout + made.stderr
    assert made.returncode == 0, said[:5000]
    assert "arning" not in said, said[:5000]
    compiled = [sys.executable, "-W", "error", "-m", "compileall", "-q", PACKAGE]
    subprocess.run(compiled, cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    yield folder / PACKAGE
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def client(generated: Path, owner: User, sent: list[str]) -> Iterator[Any]:
    """The generated client, signed in, in front of the app without a network between."""
    request_started.disconnect(close_old_connections)  # the test's own connection outlives a request
    request_finished.disconnect(close_old_connections)
    _, key = ApiToken.issue(owner, "generated", "write")
    made = importlib.import_module(PACKAGE).AuthenticatedClient(base_url="http://localhost", token=key)
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(
        transport=httpx.WSGITransport(app=application), base_url="http://localhost", headers=headers
    ) as own:
        yield made.set_httpx_client(own)
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


def call(tag: str, name: str) -> Callable[..., Any]:
    """One call of the generated client, with status and headers beside what was parsed."""
    made: Callable[..., Any] = importlib.import_module(f"{PACKAGE}.api.{tag}.{name}").sync_detailed
    return made


def model(name: str) -> Any:
    return getattr(importlib.import_module(f"{PACKAGE}.models"), name)


def new_design(client: Any, name: str = "Four units", **fabric: Any) -> Any:
    spec = {**SPEC, "fabric": SPEC["fabric"] | fabric}
    body = model("NamedSpec").from_dict({"name": name, "spec": spec})
    made = call("designs", "create_design")(client=client, body=body)
    assert made.status_code == 201
    return made.parsed


def estimate_of(client: Any, design: Any) -> Any:
    """Ask for an estimate, poll its state as a program does, and get it."""
    body = model("DesignReference")(design=design.id)
    asked = call("estimates", "create_estimate")(client=client, body=body)
    assert (asked.status_code, asked.headers["Retry-After"]) == (202, "1")
    pk = asked.parsed.id
    state = call("estimates", "get_estimate_state")(client=client, id=pk)
    assert (state.parsed.state.value, len(state.content) < 1_000) == ("queued", True)
    run_estimate(str(pk))
    state = call("estimates", "get_estimate_state")(client=client, id=pk)
    assert (state.parsed.state.value, state.parsed.progress) == ("succeeded", 1.0)
    return call("estimates", "get_estimate")(client=client, id=pk).parsed


def test_a_design_becomes_an_estimate_with_its_files(client: Any) -> None:
    design = new_design(client)
    assert isinstance(design.spec, model("DesignSpec"))
    assert design.spec.fabric.generation == "ndr"
    job = estimate_of(client, design)
    assert job.result.fabrics["compute"].counts.leaf == 32
    assert job.result.cost.tco_usd.typical > 1e6
    result = call("estimates", "get_estimate_result")(client=client, id=job.id).parsed
    assert result.to_dict() == job.result.to_dict()
    bill = call("estimates", "get_bom")(client=client, id=job.id).parsed
    switches = next(line for line in bill.bom.lines if line.category == "switch")
    assert switches.quantity == 32

    files = {
        form.value: call("estimates", "download_bom")(client=client, id=job.id, format_=form).parsed.payload.read()
        for form in model("DownloadBomFormat")
    }
    assert set(files) == {"csv", "xlsx", "pdf"}
    rows = list(csv.DictReader(io.StringIO(files["csv"].decode())))
    assert len(rows) == len(bill.bom.lines)
    assert openpyxl.load_workbook(io.BytesIO(files["xlsx"])).sheetnames
    assert files["pdf"].startswith(b"%PDF")


def test_links_come_in_every_form(client: Any) -> None:
    job = estimate_of(client, new_design(client))
    forms = list(model("GetLinksFormat"))
    assert {form.value for form in forms} == set(FORMATS)
    for form in forms:
        got = call("links", "get_links")(client=client, id=job.id, format_=form)
        assert got.status_code == 200, (form, got.content[:300])
        assert got.parsed.payload.read() == got.content
        assert len(got.content) > 20


def test_designs_are_compared_and_the_comparison_is_there_in_every_form(client: Any) -> None:
    pair = [new_design(client, "One to one"), new_design(client, "Two to one", oversubscription="2:1")]
    item = model("ComparisonItem")
    body = model("ComparisonRequest")(items=[item(design=design.id) for design in pair], name="Ratios")
    made = call("comparisons", "create_comparison")(client=client, body=body)
    assert made.status_code == 201
    switches = next(figure for figure in made.parsed.result.figures if figure.key == "switches")
    assert [value.typical for value in switches.values][1] < switches.values[0].typical
    starts = {"csv": b"", "xlsx": b"PK", "pdf": b"%PDF"}
    for form in model("DownloadComparisonFormat"):
        file = call("comparisons", "download_comparison")(client=client, id=made.parsed.id, format_=form).parsed
        assert file.payload.read().startswith(starts[form.value])


def test_a_prediction_of_a_design_and_a_preview_are_typed(client: Any) -> None:
    preview = call("estimates", "preview")(client=client, body=model("DesignSpec").from_dict(SPEC)).parsed
    assert preview.fabrics["compute"].counts.switches == 48
    asked = model("DesignPredictionRequest").from_dict({"design": SPEC, "message_bytes": [1 << 30]})
    (row,) = call("predictions", "predict")(client=client, body=asked).parsed.rows
    assert (row.gpus, row.busbw_gb_s > 100) == (1016, True)
    refused = call("estimates", "preview")(
        client=client, body=model("DesignSpec").from_dict({**SPEC, "compute": {"server": "no-such"}})
    )
    assert refused.status_code == 400
    assert refused.parsed.problems[0].code


def test_of_two_programs_neither_loses_an_update(client: Any) -> None:
    design = new_design(client)
    read, update = call("designs", "get_design"), call("designs", "update_design")
    tag = read(client=client, id=design.id).headers["ETag"]
    change = model("DesignChange")
    first = update(client=client, id=design.id, body=change(name="By the first"), if_match=tag)
    assert (first.status_code, first.headers["ETag"] != tag) == (200, True)
    spec = model("DesignSpec").from_dict({"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": SPEC["fabric"]})
    second = update(client=client, id=design.id, body=change(spec=spec), if_match=tag)
    assert (second.status_code, second.parsed.code) == (412, "changed_meanwhile")
    again = read(client=client, id=design.id)
    assert again.parsed.name == "By the first"
    second = update(client=client, id=design.id, body=change(spec=spec), if_match=again.headers["ETag"])
    assert (second.status_code, second.parsed.name, second.parsed.spec.compute.nodes) == (200, "By the first", 64)
    assert read(client=client, id=design.id, if_none_match=second.headers["ETag"]).status_code == 304


def test_a_call_that_is_sent_again_is_done_once(client: Any) -> None:
    body = model("NamedSpec").from_dict({"name": "Once", "spec": SPEC})
    made = [
        call("designs", "create_design")(client=client, body=body, idempotency_key="a-1").parsed.id for _ in range(3)
    ]
    assert len(set(made)) == 1
    assert call("designs", "list_designs")(client=client).parsed.count == 1
