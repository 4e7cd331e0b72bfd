"""Placements over REST: what the verb ``place`` answers, of a design or of a layout that the workloads tab has found."""

import io
import json
import re
import zipfile
from pathlib import PurePath
from typing import Any

import pytest
from django.contrib.auth.models import User

from estimator.catalog.loader import load_catalog
from estimator.handoff.launch.formats import LAUNCH_FORMATS, launch_format
from estimator.handoff.launch.making import placed_job
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
TRAINING: dict[str, Any] = {"parallel": {"tp": 8, "pp": 2, "dp": 4, "micro_batch": 1, "global_batch": 64}}
SERVING: dict[str, Any] = {"layout": {"tp": 8}, "replicas": 4}


def written(name: str, layout: Any) -> bytes:
    """What the verb prints."""
    catalog = load_catalog()
    return b"".join(launch_format(name).write(placed_job(parse_spec(SPEC, catalog), layout, catalog)))


@pytest.mark.parametrize("layout", [TRAINING, SERVING])
def test_figures_are_those_of_the_verb(call: Caller, layout: Any) -> None:
    response = call("POST", "placements/", {"design": SPEC, **layout})
    assert response.status_code == 200, response.content
    assert response.json() == json.loads(written("summary", layout))


def test_each_file_is_that_of_the_verb(call: Caller) -> None:
    n_files = 0
    for name in LAUNCH_FORMATS:
        for layout in (TRAINING, SERVING):
            response = call("POST", f"placements/file/?format={name}", {"design": SPEC, **layout})
            if response.status_code == 400:
                assert {one["code"] for one in response.json()["problems"]} <= {"wrong_workload", "no_spanning_domain"}
                continue
            n_files += 1
            assert response.content == written(name, layout)
            file = PurePath(launch_format(name).file)
            named = rf'filename="[a-z0-9-]+-job-{file.stem}-[0-9a-f]{{8}}{re.escape(file.suffix)}"'
            assert re.search(named, response["Content-Disposition"])
            assert response["Content-Type"].partition(";")[0] == launch_format(name).content_type
    assert n_files > 15


def test_the_archive_has_every_file_of_the_layout(call: Caller) -> None:
    response = call("POST", "placements/file/?format=zip", {"design": SPEC, **TRAINING, "name": "pretrain"})
    names = zipfile.ZipFile(io.BytesIO(response.content)).namelist()
    assert {"pretrain/torchrun.sh", "pretrain/megatron.sh", "pretrain/ranks.csv", "pretrain/left-out.txt"} <= set(names)
    assert "pretrain/vllm.sh" not in names


def test_a_saved_design_is_named_by_its_id(call: Caller) -> None:
    saved = call("POST", "designs/", SPEC).json()["id"]
    by_spec, by_id = (call("POST", "placements/", {"design": one, **TRAINING}) for one in (SPEC, saved))
    assert by_id.json() == by_spec.json()
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("POST", "placements/", {"design": saved, **TRAINING}), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        (TRAINING, "design", "missing"),
        ({"design": SPEC}, "", "contradiction"),
        ({"design": SPEC, "parallel": {"tp": 8, "dp": 4096}}, "", "layout_too_large"),
        ({"design": SPEC, **TRAINING, "name": "rm -rf /"}, "name", "bad_name"),
        ({"design": SPEC, **TRAINING, "nodes": 4}, "nodes", "unknown_key"),
    ],
)
def test_what_cannot_be_placed_is_refused(call: Caller, body: Any, field: str, code: str) -> None:
    problems = call("POST", "placements/", body).json()["problems"]
    assert (field, code) in [(one["field"], one["code"]) for one in problems]


def test_unknown_formats_are_refused(call: Caller) -> None:
    assert_refused(call("POST", "placements/file/?format=exe", {"design": SPEC, **TRAINING}), 400, "invalid_request")


# --- Of an estimate's tab ------------------------------------------------------------------------------------------
def test_a_layout_of_the_tab_is_placed_on_its_design(call: Caller, owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    asked = "train_model=llama3-8b&batch=1016&serve_model=llama3-70b&concurrency=32"
    tab = call("GET", f"estimates/{job.pk}/workloads/?{asked}").json()
    best = tab["training"]["searched"]["layouts"][0]["parallel"]
    response = call("GET", f"estimates/{job.pk}/placement/?format=summary&{asked}")
    assert response.status_code == 200, response.content
    placed = response.json()
    assert placed["ranks"] == best["tp"] * best["pp"] * best["cp"] * best["dp"]
    assert placed["spec_hash"] == job.spec_hash
    script = call("GET", f"estimates/{job.pk}/placement/?format=megatron&{asked}").content.decode()
    assert f"--tensor-model-parallel-size {best['tp']}" in script
    assert "--global-batch-size 1016" in script
    served = next(one for one in tab["serving"]["searched"]["placements"] if one["is_best"])
    layout = served["placement"]["layout"]
    key = "s" + ".".join(str(layout[name]) for name in ("tp", "pp", "attention_dp", "moe_tp", "ep"))
    of_serving = call("GET", f"estimates/{job.pk}/placement/?format=summary&placed={key}&{asked}").json()
    assert of_serving["ranks"] == served["replicas"] * served["placement"]["gpus"]
    assert_refused(
        call("GET", f"estimates/{job.pk}/placement/?format=torchrun&placed={key}&{asked}"), 400, "invalid_spec"
    )


def test_files_of_the_tab_by_rest(call: Caller, owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    asked = f"estimates/{job.pk}/workloads/?train_model=llama3-8b"
    csv = call("GET", f"{asked}&format=csv&table=traffic")
    assert csv["Content-Type"].startswith("text/csv")
    assert csv.content.startswith(b"rank,model,precision,layout,traffic,path,")
    assert call("GET", f"{asked}&format=xlsx").content[:2] == b"PK"
    assert call("GET", f"estimates/{job.pk}/workloads/file/?table=links").content.startswith(b"code,name,gb_s")
    assert_refused(call("GET", f"{asked}&table=nothing"), 400, "invalid_request")
    assert_refused(call("GET", f"{asked}&batch=many"), 400, "invalid_spec", "batch")
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("GET", asked), 404, "not_found")
