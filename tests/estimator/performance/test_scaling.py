"""How collectives scale: definitions by hand, closed forms, and the design's tables against single predictions."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.bandwidth import LIMITS, system_columns
from estimator.performance.collectives import COLLECTIVES
from estimator.performance.prediction import predict
from estimator.performance.scaling import (
    half_bandwidth,
    line_rates,
    shrunk_bytes,
    significant,
    strong_efficiency,
    weak_efficiency,
)
from estimator.performance.times import design_performance, points_of
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from estimator.units import FloatArray

CATALOG = load_catalog()
H100: dict[str, Any] = {"gpu": "h100-sxm", "nic_gbit_s": 400, "oversubscription": "2:1", "nodes_per_leaf": 4}
MADE = design_performance([H100], [256], CATALOG)[0]
OTHERS = [name for name in COLLECTIVES if name != "all_reduce"]


def rates(system: dict[str, Any], gpus: list[int], collective: str) -> tuple[list[float], list[str]]:
    constants = ModelConstants(CATALOG)
    columns = system_columns([system], CATALOG, constants).take(np.zeros(len(gpus), dtype=np.int64))
    rate, limit = line_rates(points_of(columns, np.array(gpus), "process-per-gpu", constants), collective)
    return (rate / 1e9).tolist(), [LIMITS[i] for i in limit]


def test_efficiencies_are_what_their_names_say() -> None:
    """By hand: T(n0) = 10 s; on four times the GPUs the same message takes 12 s, a quarter of it 4 s."""
    assert weak_efficiency(np.array([[10.0], [12.0]])).tolist() == [[1.0], [10 / 12]]
    strong = strong_efficiency(np.array([8, 32]), np.array([[10.0], [12.0]]), np.array([[10.0], [4.0]]))
    assert strong.tolist() == [[1.0], [8 * 10 / (32 * 4)]]
    assert shrunk_bytes(np.array([8, 32]), np.array([[1024.0]])).tolist() == [[1024.0], [256.0]]


@given(alpha=st.floats(1e-6, 1e-2), rate=st.floats(1e8, 1e12))
def test_half_bandwidth_of_latency_and_bandwidth_is_their_product(alpha: float, rate: float) -> None:
    """T = α + S/B has S½ = α·B [Hockney]; the grid of powers of two is good to 3 per cent of it."""
    sizes: FloatArray = 2.0 ** np.arange(3.0, 48.0)
    found = half_bandwidth((sizes / (alpha + sizes / rate))[None, :], sizes)
    assert found[0] == pytest.approx(alpha * rate, rel=0.03)


def test_half_bandwidth_of_what_starts_high_is_the_first_size() -> None:
    assert half_bandwidth(np.array([[3.0, 4.0]]), np.array([8.0, 16.0])).tolist() == [pytest.approx(8.0)]


@given(st.floats(1e-9, 1e12))
def test_five_digits_stay(value: float) -> None:
    assert significant(np.array([value]))[0] == float(f"{value:.4e}")


def test_line_rates_by_hand() -> None:
    """H100: 900 GB/s both ways is 450 one way; eight NICs of 400 Gb/s are 400 GB/s, one is 50."""
    assert rates(H100, [8, 16, 64], "all_reduce") == ([450.0, 400.0, 400.0], ["NVLink", "NIC", "NIC"])
    assert rates(H100, [8, 16, 64], "sendrecv") == ([450.0, 50.0, 50.0], ["NVLink", "NIC", "NIC"])
    # all-to-all: of 15 parts 8 cross, so that 50 GB/s for those is 93.75 counted over all
    assert rates(H100, [8, 16], "alltoall")[0] == [450.0, pytest.approx(50 * 15 / 8)]
    assert rates({"gpu": "h100-sxm", "scale_up_domain_gpus": 1, "nics_per_node": 8}, [4], "all_gather")[1] == ["NIC"]


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_tables_of_a_design_are_single_predictions(collective: str) -> None:
    table = MADE.curves(collective)
    request = {"system": H100, "collective": collective, "gpus": table.gpus, "message_bytes": table.message_bytes}
    rows = predict(request, CATALOG)["rows"]
    for key in ("time_us", "time_us_low", "time_us_high", "busbw_gb_s"):
        assert np.ravel(getattr(table, key)) == pytest.approx([row[key] for row in rows], rel=1e-4)
    for key in ("limited_by", "algorithm", "protocol"):
        assert np.ravel(getattr(table, key)).tolist() == [row[key] for row in rows]
    assert np.ravel(table.validated).tolist() == [row["validated"] for row in rows]


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_efficiencies_of_a_design_are_ratios_of_predictions(collective: str) -> None:
    efficiency = MADE.efficiency
    n0, n, size = efficiency.gpus[0], efficiency.gpus[-1], efficiency.message_bytes[1]

    def row(gpus: int, message_bytes: int) -> dict[str, Any]:
        request = {"system": H100, "collective": collective, "gpus": [gpus], "message_bytes": [message_bytes]}
        return predict(request, CATALOG)["rows"][0]

    first, last, shrunk = row(n0, size), row(n, size), row(n, size * n0 // n)
    found = efficiency.of[collective]
    assert found.weak[-1][1] == pytest.approx(first["time_us"] / last["time_us"], rel=1e-4)
    assert found.strong[-1][1] == pytest.approx(n0 * first["time_us"] / (n * shrunk["time_us"]), rel=1e-4)
    assert found.collective[-1][1] == pytest.approx(last["busbw_gb_s"] / found.line_rate_gb_s[-1], rel=1e-4)
    assert found.weak[0] == found.strong[0] == [1.0] * 4


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_half_bandwidth_lies_where_busbw_passes_half_of_its_most(collective: str) -> None:
    at = MADE.half_bandwidth_bytes.of[collective][-1]
    request = {
        "system": H100,
        "collective": collective,
        "gpus": [256],
        "message_bytes": [at, MADE.all_reduce.message_bytes[-1]],
    }
    half, most = (row["busbw_gb_s"] for row in predict(request, CATALOG)["rows"])
    assert half == pytest.approx(most / 2, rel=0.1)


def test_one_gpu_scales_nowhere_and_a_batch_is_its_designs() -> None:
    alone, both = design_performance([H100, H100], [1, 256], CATALOG)
    assert (alone.collectives, alone.efficiency, alone.half_bandwidth_bytes) == ({}, None, None)
    assert both == MADE
    json.dumps([alone.as_json(), both.as_json()], allow_nan=False)


def test_the_built_links_make_the_system() -> None:
    """Two planes of 400 Gb/s behind one NIC, leaves of 32 down and 16 up: 2:1 whatever was asked."""
    values = {
        "name": "t",
        "compute": {"gpu": "h100-sxm", "gpus_per_node": 8, "nodes": 64, "nics_per_node": 8, "nic_ports_per_node": 16},
        "fabric": {"generation": "ndr", "planes": 2, "leaf_downlinks": 32, "leaf_uplinks": 16},
    }
    made = estimate([parse_spec(values, CATALOG)], CATALOG, parts=("performance",))[0].performance
    assert made is not None
    system = made.system.as_json()
    assert (system["planes"], system["oversubscription"], system["pxn"]) == (2, "2:1", True)
    assert system["nic_gbit_s"] == 800.0
    assert predict({"system": system, "gpus": [16], "message_bytes": [1024]}, CATALOG)["rows"]
