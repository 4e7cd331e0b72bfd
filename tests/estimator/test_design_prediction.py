"""Predictions of a design are those of the system that it comes to."""

import json
from pathlib import Path
from typing import Any

import pytest

from estimator.catalog.catalog import Catalog
from estimator.design_prediction import predicted
from estimator.errors import EstimatorError
from estimator.performance.prediction import predict
from estimator.pipeline import estimate
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from tests.estimator.verbs import run

DESIGN = {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr", "oversubscription": "2:1"}}
ASKED = {"message_bytes": [1 << 20, 1 << 30], "collective": "alltoall"}


@pytest.mark.parametrize(
    "design",
    [
        DESIGN,
        {
            "compute": {"server": "dgx-b200", "nodes": 300},
            "fabric": {"generation": "roce-400", "layout": "top-of-rack"},
        },
    ],
)
def test_a_design_is_predicted_as_the_system_of_its_estimate(design: dict[str, Any], catalog: Catalog) -> None:
    spec = parse_spec(design, catalog)
    (made,) = estimate([spec], catalog)
    assert made.performance is not None
    answer = predicted({"design": design, **ASKED}, catalog)
    gpus = made.compute.counts.gpus
    system = {key: value for key, value in made.performance.system.as_json().items() if value is not None}
    assert answer["rows"] == predict({"system": system, "gpus": [gpus], **ASKED}, catalog)["rows"]
    assert (answer["system"], answer["spec_hash"]) == (system, spec_hash(spec))
    few = predicted({"design": design, "gpus": [8, 64], **ASKED}, catalog)
    assert [row["gpus"] for row in few["rows"]] == [8, 8, 64, 64]


def test_the_designs_own_calibration_counts_unless_one_is_given(catalog: Catalog) -> None:
    own = {"name": "Hall 3", "parameters": {"network_efficiency.infiniband": 0.5}}
    design = {**DESIGN, "workload": {"calibration": own}}
    slow, plain = predicted({"design": design, **ASKED}, catalog), predicted({"design": DESIGN, **ASKED}, catalog)
    assert slow["calibration"]["name"] == "Hall 3"
    assert slow["rows"][1]["time_us"] > plain["rows"][1]["time_us"]
    assert predicted({"design": design, "calibration": None, **ASKED}, catalog)["rows"] == plain["rows"]


@pytest.mark.parametrize(
    ("request_", "field", "code"),
    [
        ({"design": DESIGN, "system": {"gpu": "h100-sxm"}}, "system", "contradiction"),
        (
            {"design": {"compute": {"server": "dgx-h100", "nodes": 0}, "fabric": {"generation": "ndr"}}},
            "design.compute.nodes",
            "out_of_range",
        ),
        ({"design": 7}, "design", "wrong_type"),
        (
            {
                "design": {
                    "compute": {
                        "server": "custom",
                        "nodes": 8,
                        "gpus_per_node": 8,
                        "nics_per_node": 8,
                        "nic_ports_per_node": 8,
                    },
                    "fabric": {"generation": "ndr"},
                }
            },
            "design.compute.gpu",
            "missing",
        ),
        ({"design": DESIGN, "bogus": 1}, "bogus", "unknown_key"),
    ],
)
def test_what_cannot_be_predicted_is_refused_by_its_key(
    request_: dict[str, Any], field: str, code: str, catalog: Catalog
) -> None:
    with pytest.raises(EstimatorError) as refused:
        predicted({**request_, **ASKED}, catalog)
    assert (field, code) in [(problem.field, problem.code) for problem in refused.value.problems]


def test_the_command_line_takes_a_design(tmp_path: Path, catalog: Catalog) -> None:
    asked = {"design": DESIGN, **ASKED}
    done = run("predict", "-", text=asked)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == predicted(asked, catalog)["rows"]
