"""Results of a site become constants of the model, and training, serving and placements follow the paths as measured."""

from functools import lru_cache
from typing import Any

import pytest

from estimator.bringup.acceptance.design import accepted
from estimator.catalog.loader import load_catalog
from estimator.handoff.launch.making import placed_job
from estimator.serving_request.answering import served
from estimator.training_request import trained
from tests.estimator.bringup.sites import nccl_log, nvbandwidth_text, spec_of

DESIGN: dict[str, Any] = {"name": "S", "compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}
TRAINING = {"model": "llama3-70b", "gpus": 128, "parallel": {"global_batch": 256}, "precision": "bf16", "top": 1}
SERVING = {
    "model": "deepseek-v3",
    "precision": "fp8",
    "gpus": 16,
    "layout": {"tp": 16},
    "concurrency": [32],
    "input_tokens": 2048,
    "output_tokens": 256,
}
ONE_NIC = 1 / 8  # of what eight give
BY_HOST = 0.05  # of what NVLink gives: half of what a GPU's own NIC carries


@lru_cache(maxsize=8)
def measured_design(network: float = 1.0, inside: float = 1.0) -> Any:
    """The design with the calibration that results at these shares of the expectation give."""
    catalog = load_catalog()
    contract, _ = accepted(spec_of(DESIGN), catalog)
    by_pair, by_node = (contract.gate(code).expected for code in ("pair_all_gather", "node"))
    files = [
        (f"pair_all_gather__node-{n:04d}+node-{n + 1:04d}__1.log", nccl_log(by_pair * network, 16, 2, "all_gather"))
        for n in range(1, 17, 2)
    ]
    files += [(f"node__node-{n:04d}__1.log", nccl_log(by_node * inside, 8, 1)) for n in range(1, 17)]
    _, answer = accepted(spec_of(DESIGN), catalog, files)
    assert answer.calibration is not None
    return {**DESIGN, "workload": {"calibration": answer.calibration.as_json()}}


def best_layout(design: Any) -> Any:
    (best,) = trained({"design": design, **TRAINING}, load_catalog())["layouts"]  # type: ignore[call-overload]
    return best


def step_s(design: Any, layout: Any) -> Any:
    """Seconds of a step by a layout that another site may have chosen."""
    return trained({"design": design, **TRAINING, "parallel": layout["parallel"]}, load_catalog())["step_s"]  # type: ignore[call-overload]


def test_a_healthy_site_changes_next_to_nothing() -> None:
    plain, measured = best_layout(DESIGN), best_layout(measured_design())
    assert measured["parallel"] == plain["parallel"]
    assert measured["step_s"] == pytest.approx(plain["step_s"], rel=0.005)


def test_the_chosen_layout_changes_where_a_path_is_slower() -> None:
    """One NIC of eight: layers are split inside servers, whose links are still fast. NVLink slower than NICs: none is."""
    sites = [measured_design(**at) for at in ({"network": ONE_NIC}, {"inside": BY_HOST})]
    layouts = [best_layout(site) for site in sites]
    slow_network, slow_links = layouts
    assert slow_network["parallel"]["tp"] > slow_links["parallel"]["tp"] == 1
    for site, own in zip(sites, layouts, strict=True):
        assert step_s(site, own) == pytest.approx(own["step_s"])
        others = [step_s(site, other) for other in (*layouts, best_layout(DESIGN)) if other is not own]
        assert min(others) > 1.02 * own["step_s"]


def test_serving_over_a_slow_network_takes_longer() -> None:
    plain, slow = (
        served({"design": design, **SERVING}, load_catalog())["rows"][0]["tpot_ms"]  # type: ignore[call-overload]
        for design in (DESIGN, measured_design(network=ONE_NIC))
    )
    assert slow > 1.1 * plain


def test_bands_of_steps_and_tokens_hold_the_ranges_of_measured_paths() -> None:
    """Paths that differ widely: the middle stays, and a band reaches as far as the slowest and fastest of them."""
    ranges = {
        "network_efficiency.infiniband": {"low": 0.1, "high": 0.9},
        "pair_efficiency.network": {"low": 0.1, "high": 0.9},
        "fabric_latency.infiniband": {"low": 1.0, "high": 90.0},
    }
    values = {name: 6.0 if name.startswith("fabric") else 0.6 for name in ranges}
    catalog = load_catalog()
    layout = {"parallel": {"tp": 16, "pp": 1, "dp": 8, "global_batch": 128}}
    steps: list[Any] = []
    tokens: list[Any] = []
    for used in ({"parameters": values}, {"parameters": values, "ranges": ranges}):
        design = {**DESIGN, "workload": {"calibration": {"name": "paths", **used}}}
        steps.append(trained({"design": design, **TRAINING, **layout}, catalog))
        answer: Any = served({"design": design, **SERVING}, catalog)
        tokens.append(answer["rows"][0])
    for plain, ranged, figure in ((*steps, "step_s"), (*tokens, "tpot_ms")):
        assert ranged[figure] == plain[figure]
        assert ranged[f"{figure}_high"] > 1.05 * plain[f"{figure}_high"]
        assert ranged[f"{figure}_low"] <= plain[f"{figure}_low"]


def test_requests_of_one_list_keep_their_own_paths() -> None:
    asked = [{"design": design, **TRAINING} for design in (DESIGN, measured_design(network=ONE_NIC), DESIGN)]
    first, slow, last = (answer["layouts"][0]["step_s"] for answer in trained(asked, load_catalog()))
    assert first == last < slow


def test_the_order_of_ranks_follows_the_links_as_measured() -> None:
    layout = {
        "parallel": {"tp": 4, "pp": 2, "dp": 16},
        "traffic": {"dp_bytes": 1e9, "pp_bytes": 2e9, "pp_messages": 8},
    }
    orders = [
        placed_job(spec_of(design), layout, load_catalog()).placed.order
        for design in (DESIGN, measured_design(), measured_design(inside=BY_HOST))
    ]
    assert orders[0] == orders[1] != orders[2]


def test_a_run_that_did_not_use_the_path_sets_no_constant() -> None:
    """Of two nodes above what their NICs carry, and of copies, nothing follows for collectives."""
    catalog = load_catalog()
    _, answer = accepted(
        spec_of(DESIGN), catalog, [("pair_all_gather__node-0001+node-0002__1.log", nccl_log(500, 16, 2, "all_gather"))]
    )
    assert answer.calibration is None
    _, copies = accepted(spec_of(DESIGN), catalog, [("pcie__node-0001__1.log", nvbandwidth_text())])
    assert copies.calibration is None
