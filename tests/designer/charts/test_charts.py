"""Charts: every spec renders in the real library, says what its table says, and holds no text of a user."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from designer.charts.all_reduce import domain_nics_gb_s, gpu_ticks, performance_charts
from designer.charts.vega import MAX_SERIES, chosen
from designer.services.designs.samples import SAMPLES
from designer.wording.headlines import LIMITS, headline
from estimator.catalog.loader import load_catalog
from estimator.performance import bandwidth
from estimator.performance.result import Performance
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

RENDER = """
import json, sys, vl_convert
for spec in json.load(sys.stdin):
    svg = vl_convert.vegalite_to_svg({**spec, "width": 640}, vl_version="6.4")
    print(json.dumps({"lines": svg.count('aria-roledescription="line mark"'), "length": len(svg), "size": " GiB" in svg}))
"""


def performance_of(values):
    catalog = load_catalog()
    return estimate([parse_spec(values, catalog)], catalog, parts=("counts", "performance"))[0].performance


@pytest.fixture(scope="module")
def performance():
    return performance_of(SAMPLES[0].values)


@pytest.fixture(scope="module")
def charts(performance):
    return performance_charts(performance)


def rendered(specs):
    child = subprocess.run(
        [sys.executable, "-c", RENDER], input=json.dumps(specs), capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    return [json.loads(line) for line in child.stdout.splitlines()]


def test_every_chart_renders_with_a_line_for_each_series(charts):
    for chart, drawn in zip(charts, rendered([chart.spec for chart in charts]), strict=True):
        assert drawn["lines"] == len(chart.legend)
    assert rendered([charts[0].spec])[0]["size"], "message sizes are labelled in powers of two"


def test_one_node_still_makes_charts(charts):
    alone = performance_charts(
        performance_of({"compute": {"server": "dgx-h100", "nodes": 1}, "fabric": {"generation": "ndr"}})
    )
    assert [chart.key for chart in alone] == [chart.key for chart in charts]
    assert all(drawn["length"] > 1000 for drawn in rendered([chart.spec for chart in alone]))


def test_series_are_numbered_and_named_in_the_legend_alone(charts):
    for chart in charts:
        keys = [item.key for item in chart.legend]
        assert keys == [f"s{k}" for k in range(len(keys))]
        assert {row["series"] for row in chart.spec["data"]["values"]} == set(keys)
        assert len(keys) <= MAX_SERIES


def test_a_design_s_name_is_in_no_chart():
    name = "datum.x ? alert(1) : 0"
    charts = performance_charts(performance_of(SAMPLES[0].values | {"name": name}))
    assert name not in json.dumps([asdict(chart) for chart in charts])


def test_the_table_twin_has_every_size_and_every_drawn_series(charts, performance):
    busbw, scaling = charts
    assert len(busbw.table.rows) == len(performance.all_reduce.message_bytes)
    assert len(scaling.table.rows) == len(performance.all_reduce.gpus)
    for chart in charts:
        assert chart.table.columns[1:] == [item.label for item in chart.legend]
        assert all(len(row["cells"]) == len(chart.legend) for row in chart.table.rows)


def test_the_band_holds_the_line(charts):
    for row in charts[0].spec["data"]["values"]:
        assert row["low"] <= row["value"] <= row["high"]


def test_the_headline_is_the_largest_message_on_the_whole_cluster(performance):
    figure, all_reduce = headline(performance), performance.all_reduce
    assert figure.gpus == 1016 == all_reduce.gpus[-1]
    assert figure.busbw_gb_s == all_reduce.busbw_gb_s[-1][-1]
    assert figure.low < figure.busbw_gb_s < figure.high


def test_limits_and_extrapolation_stand_in_the_tooltip_and_in_the_table(charts, performance):
    busbw, all_reduce = charts[0], performance.all_reduce
    last = busbw.table.rows[-1]["cells"][-1]["note"]
    assert all_reduce.limited_by[-1][-1] == "NIC"
    assert not all_reduce.validated[-1][-1]
    assert last.endswith("; NIC, extrapolated")
    assert busbw.table.rows[-1]["cells"][0]["note"].endswith("; NVLink switches (NVLS)")
    (points,) = [layer["data"]["values"] for layer in busbw.spec["layer"] if "data" in layer]
    assert points[-1][busbw.legend[-1].key].endswith("NIC, extrapolated")


def test_the_headline_says_what_scattering_costs_and_how_far_runs_were_measured():
    request = {
        "compute": {"server": "dgx-h100", "gpus": 1024},
        "fabric": {"generation": "ndr", "oversubscription": "4:1"},
    }
    performance = performance_of(request)
    figure, both = headline(performance), performance.all_reduce.both_placements
    assert figure.random.costs
    assert figure.random.loss == pytest.approx(1 - both.random_busbw_gb_s / both.ordered_busbw_gb_s)
    assert figure.measured_gpus == 32


def test_one_gpu_has_nothing_to_exchange_and_no_chart():
    compute = {
        "server": "custom",
        "gpu": "h100-sxm",
        "nodes": 1,
        "gpus_per_node": 1,
        "nics_per_node": 1,
        "nic_ports_per_node": 1,
    }
    performance = performance_of({"compute": compute, "fabric": {"generation": "ndr"}})
    assert performance.all_reduce.gpus == [1]
    assert performance_charts(performance) == []
    assert headline(performance) is None


def test_every_limit_is_said_in_words_or_is_a_kind_of_link():
    links = {"NVLink", "Infinity Fabric", "scale-up links", "PCIe"}
    assert set(LIMITS) | links | {"one GPU: nothing to exchange"} == set(bandwidth.LIMITS)


def test_labels_of_gpu_counts_leave_each_other_room():
    assert gpu_ticks([72, 128, 256, 512, 1024, 1152]) == [72, 128, 256, 512, 1152]
    assert gpu_ticks([8, 16, 512, 1016]) == [8, 16, 512, 1016]
    assert gpu_ticks([8]) == [8]


def test_scaling_is_explained_by_the_domain_that_it_compares_with():
    catalog = load_catalog()
    result = estimate([parse_spec(SAMPLES[0].values, catalog)], catalog, parts=("counts", "performance"))[0]
    assert domain_nics_gb_s(result) == 400, "eight NICs of 400 Gb/s"
    assert result.performance
    note = performance_charts(result.performance, domain_nics_gb_s(result))[1].note
    assert (
        "carry 400\N{NO-BREAK SPACE}GB/s together, so several domains can keep about 85\N{NO-BREAK SPACE}% of that"
        in note
    )
    assert "Two domains can pass 100" in note


@pytest.mark.parametrize("stored", [{}, {"all_reduce": None, "missing": "Name the GPU."}])
def test_without_a_prediction_there_is_no_chart(stored):
    performance = Performance.from_json(stored)
    assert performance_charts(performance) == []
    assert headline(performance) is None


@pytest.mark.parametrize(("n", "limit"), [(1, 5), (5, 5), (11, 5), (100, 8)])
def test_chosen_positions_hold_both_ends(n, limit):
    positions = chosen(range(n), limit)
    assert positions[0] == 0
    assert positions[-1] == n - 1
    assert len(positions) == min(n, limit)
