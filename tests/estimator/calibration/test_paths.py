"""Results of single paths: read by line, held to what is healthy, used by predictions."""

import json
import re
from typing import Any

import pytest

from estimator.calibration.paths.healthy import healthy
from estimator.calibration.paths.read import figures_of
from estimator.calibration.result import SiteFit
from estimator.calibration.site_fit import calibrate, parameters_of
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.performance.prediction import PredictedTime, prediction
from estimator.performance.times import design_performance
from estimator.spec.calibration import Calibrated, ConstantRange, calibrated_problems, constants_of
from tests.estimator.bringup.sites import nvbandwidth_text, perftest_text
from tests.estimator.calibration.log_texts import SWEEP, measured_log
from tests.estimator.verbs import run

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
NETWORK, RING, SLOT = (
    float(CONSTANTS.row(name, index).value)
    for name, index in (("network_efficiency", "infiniband"), ("ring_efficiency", "hopper"), ("pcie_x16", "gen5"))
)
SITE: dict[str, Any] = {"gpu": "h100-sxm", "nic_gbit_s": 400, "fabric": "infiniband"}
LATENCY = """                    RDMA_Read Latency Test
 Link type       : {link}
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]
{tag}2       1000          2.31           5.94         {us}              2.37           0.07            2.5
{tag}8388608 1000          200.1          205.94       201.0             202.0          0.07            210.0
"""
REPORT = """===============================
Bandwidth

Minimum bandwidth: 40029 MB/sec node-a, node-b  (5.0% below the avg)
Maximum bandwidth: 42938 MB/sec node-c, node-d
Average bandwidth: {mb_s} MB/sec

===============================
Latency

Minimum latency: 1.429 usec     node-a, node-c
Maximum latency: 1.915 usec     node-b, node-d
Average latency: 1.743 usec
"""


def of(*files: tuple[str, str | bytes], **system: Any) -> SiteFit:
    data = [(name, text.encode() if isinstance(text, str) else text) for name, text in files]
    return calibrate(data, SITE | system, CATALOG)


def latency(us: float, link: str = "IB", tag: str = " ") -> str:
    return LATENCY.format(us=us, link=link, tag=tag)


def test_a_link_sets_the_share_of_the_network_by_what_is_healthy() -> None:
    answer = of(("link.txt", perftest_text(380.0)))
    (read,) = answer.paths
    assert (read.line, read.value, read.unit, read.expected) == (13, 380.0, "Gb/s", pytest.approx(394.0))
    share = answer.parameters["network_efficiency.infiniband"]
    assert share.value == pytest.approx(NETWORK * 380 / 394)
    assert share.low < share.value < share.high
    assert set(read.constants) == set(answer.parameters) == {"network_efficiency.infiniband", "pair_efficiency.network"}


def test_predictions_follow_the_paths_as_measured() -> None:
    asked = {
        "collective": "all_gather",
        "gpus": [64],
        "message_bytes": [2**32],
        "system": {"gpu": "h100-sxm", "fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400},
    }
    plain = prediction(asked, CATALOG).rows[0]
    site = parameters_of(of(("link.txt", perftest_text(370.0))), "site")
    at_site = prediction(asked | {"calibration": site.model_dump()}, CATALOG).rows[0]
    assert at_site.busbw_gb_s / plain.busbw_gb_s == pytest.approx(370 / 394, rel=0.01)
    assert at_site.time_us_low < at_site.time_us < at_site.time_us_high


@pytest.mark.parametrize(
    ("name", "text", "collective", "gpus", "size"),
    [
        ("link.txt", perftest_text(370.0), "all_gather", 64, 2**32),
        ("link.txt", perftest_text(370.0), "alltoall", 64, 2**22),
        ("copies.txt", nvbandwidth_text(host=50.0, peer=360.0, slow=(0, 1)), "all_reduce", 8, 2**32),
        ("lat.txt", LATENCY.format(us=4.4, link="IB", tag=" "), "all_gather", 64, 2**12),
    ],
)
def test_bands_hold_the_ranges_of_paths_and_are_not_narrowed_by_them(
    name: str, text: str, collective: str, gpus: int, size: int
) -> None:
    site = parameters_of(of((name, text)), "site")
    asked = {"collective": collective, "gpus": [gpus], "message_bytes": [size], "system": SITE | {"nics_per_node": 8}}

    def row(**more: Any) -> PredictedTime:
        return prediction(asked | more, CATALOG).rows[0]

    def at_the(end: str) -> float:
        values = {
            name: ends.high if name.startswith("fabric_latency") == (end == "slow") else ends.low
            for name, ends in (site.ranges or {}).items()
        }
        return row(calibration={"name": end, "parameters": values}).time_us

    assert set(site.ranges or ()) == set(site.parameters)
    plain, at_site, slow, fast = row(), row(calibration=site.model_dump()), at_the("slow"), at_the("fast")
    assert fast <= at_site.time_us <= slow
    assert fast < slow
    assert at_site.time_us_high >= slow * (1 - 1e-9)
    assert at_site.time_us_low <= fast * (1 + 1e-9)
    assert at_site.time_us_high / at_site.time_us >= plain.time_us_high / plain.time_us * (1 - 1e-3)


def test_a_design_holds_the_ranges_of_paths_in_its_bands() -> None:
    site = parameters_of(of(("copies.txt", nvbandwidth_text(peer=360.0, slow=(0, 1)))), "site")
    system = SITE | {"nics_per_node": 8}
    without = site.model_copy(update={"ranges": None})
    ranged, bare = (
        design_performance([system], [16], CATALOG, constants_of(CATALOG, one), only_all_reduce=True)[0].all_reduce
        for one in (site, without)
    )
    assert ranged is not None
    assert bare is not None
    assert ranged.time_us == bare.time_us
    inside, large = 0, -1
    assert ranged.time_us_high[inside][large] > 2 * bare.time_us_high[inside][large]
    assert ranged.time_us_low[inside][large] < bare.time_us_low[inside][large]


def test_a_slow_pair_of_gpus_widens_the_band_beyond_the_catalogs() -> None:
    asked = {"collective": "all_reduce", "gpus": [8], "message_bytes": [2**32], "system": {"gpu": "h100-sxm"}}
    even, uneven = (
        prediction(asked | {"calibration": parameters_of(of(("c.txt", text)), "c").model_dump()}, CATALOG).rows[0]
        for text in (nvbandwidth_text(peer=360.0), nvbandwidth_text(peer=360.0, slow=(0, 1)))
    )
    assert even.time_us == uneven.time_us
    assert uneven.time_us_high > 2 * even.time_us_high


def test_a_constant_says_the_measurements_that_it_rests_on() -> None:
    answer = of(("copies.txt", nvbandwidth_text(peer=360.0, slow=(0, 1))), ("a.txt", perftest_text(370.0)))
    behind = answer.parameters["ring_efficiency.hopper"].paths
    assert behind is not None
    assert (behind.figures, behind.measurements, behind.unit) == (1, 56, "1")
    assert (behind.low, behind.high) == (pytest.approx(120 / 387), pytest.approx(360 / 387))
    network = answer.parameters["network_efficiency.infiniband"].paths
    assert network is not None
    assert (network.measurements, network.low) == (1, pytest.approx(370 / 394))


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"ring_efficiency.hopper": {"low": 0.9, "high": 0.95}}, "does not hold its value 0.8"),
        ({"ring_efficiency.hopper": {"low": 0.0, "high": 0.95}}, "must lie above 0"),
        ({"ring_efficiency.hopper": {"low": 0.5, "high": 1e12}}, "1,000,000,000 at most"),
        ({"nvls_fill": {"low": 0.5, "high": 1.0}}, "has a range and no value"),
    ],
)
def test_a_range_that_cannot_be_is_refused_with_a_way_out(ranges: dict[str, Any], words: str) -> None:
    given = Calibrated.model_validate({"name": "x", "parameters": {"ring_efficiency.hopper": 0.8}, "ranges": ranges})
    (problem,) = calibrated_problems(given, CATALOG, "calibration")
    assert problem.field == "calibration.ranges"
    assert re.search(words, problem.message)


def test_a_calibrations_hash_tells_ranges_apart_and_is_as_it_was_without() -> None:
    plain = Calibrated(name="x", parameters={"ring_efficiency.hopper": 0.8})
    ranged = [
        plain.model_copy(update={"ranges": {"ring_efficiency.hopper": ConstantRange(low=low, high=0.9)}})
        for low in (0.7, 0.6)
    ]
    assert len({plain.hash, *(one.hash for one in ranged)}) == 3
    assert "ranges" not in plain.model_dump()
    assert Calibrated.model_validate(json.loads(json.dumps(ranged[0].model_dump()))) == ranged[0]


@pytest.mark.parametrize(("us", "more"), [(1.91, 0.0), (3.91, 1.0), (0.5, -0.705)])
@pytest.mark.parametrize(("link", "fabric"), [("IB", "infiniband"), ("Ethernet", "roce")])
def test_half_of_what_a_read_takes_longer_is_latency_of_the_network(
    us: float, more: float, link: str, fabric: str
) -> None:
    answer = of(("lat.txt", latency(us, link)))
    (read,) = answer.paths
    assert (read.line, read.what) == (4, "ib_read_lat, 2 B")
    (name,) = read.constants
    assert name.startswith(f"fabric_latency.{fabric}")
    row = CONSTANTS.row("fabric_latency", name.partition(".")[2])
    assert answer.parameters[name].value == pytest.approx(float(row.value) + more)


@pytest.mark.parametrize("tag", [" ", "[1,0]<stdout>: ", "2026-11-28T10:00:00Z 00: ", "> "])
def test_rows_are_read_behind_tags(tag: str) -> None:
    assert of(("lat.txt", latency(2.36, tag=tag))).paths[0].value == 2.36


def test_copies_set_links_and_slots_and_say_their_spread() -> None:
    answer = of(("copies.txt", nvbandwidth_text(host=50.0, peer=360.0, slow=(0, 1))))
    host, peer = answer.paths
    assert (host.constants, host.expected) == (["pcie_x16.gen5"], healthy("host_copy", "gen5").value)
    assert answer.parameters["pcie_x16.gen5"].value == pytest.approx(SLOT * 50 / 55.2)
    assert (peer.value, peer.low, peer.line) == (360.0, 120.0, 14)
    assert "ring_efficiency.hopper" in peer.constants
    ring = answer.parameters["ring_efficiency.hopper"]
    assert ring.value == pytest.approx(RING * 360 / (0.86 * 450))
    assert ring.low < RING * 120 / (0.86 * 450) + 1e-9


def test_a_superchips_link_to_its_host_is_shown_and_sets_nothing() -> None:
    answer = of(("copies.txt", nvbandwidth_text(host=300.0, peer=360.0)), gpu="gh200-141")
    host = answer.paths[0]
    assert (host.constants, host.expected) == ([], 315.0)
    assert "superchip" in host.note


def test_the_reports_of_pairs_of_nodes_are_read_in_words_and_as_links() -> None:
    answer = of(("report.txt", REPORT.format(mb_s=42107)), nic_gbit_s=200)
    bandwidth, delay = answer.paths
    assert (bandwidth.line, bandwidth.value, bandwidth.low) == (6, pytest.approx(42.107), pytest.approx(40.029))
    assert (delay.line, delay.value, delay.constants) == (13, 1.743, ["fabric_latency.infiniband"])
    efficiency = answer.parameters["network_efficiency.infiniband"].value
    assert efficiency == pytest.approx(NETWORK * 42.107 / (0.84 * 50), rel=1e-6)
    links = json.dumps({"Links": [[0, 41000.0], [1, 42000.0], [2, 43000.0]]}, indent=1)
    (read,) = of(("bandwidth.json", links), nic_gbit_s=200).paths
    assert (read.line, read.value, read.low, read.high) == (2, 42.0, 41.0, 43.0)


@pytest.mark.parametrize(
    ("name", "text", "system", "words"),
    [
        ("a.txt", perftest_text(180.0), {}, "looks faulty"),
        ("b.txt", perftest_text(390.0), {"nic_gbit_s": 200}, "more than the NIC's"),
        ("c.txt", latency(9.0), {}, "looks faulty"),
        ("d.txt", REPORT.format(mb_s=23000), {"nic_gbit_s": 200}, "--unidirectional"),
        ("e.txt", REPORT.format(mb_s=42107), {"nic_gbit_s": None}, "nic_gbit_s"),
        ("f.txt", nvbandwidth_text(), {"gpu": None}, "names no GPU"),
        ("g.txt", nvbandwidth_text(peer=470.0), {}, "more than the links'"),
        ("h.txt", nvbandwidth_text(peer=26.0), {"gpu": "l40s"}, "no links of their own"),
    ],
)
def test_what_is_not_used_says_why(name: str, text: str | bytes, system: dict[str, Any], words: str) -> None:
    unused = [read for read in of((name, text), **system).paths if not read.constants]
    assert any(words in read.note for read in unused)


def test_a_path_that_looks_faulty_is_used_where_that_is_requested() -> None:
    answer = of(("link.txt", perftest_text(180.0)), fit_faulty=True)
    assert answer.parameters["network_efficiency.infiniband"].value == pytest.approx(NETWORK * 180 / 394)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.txt",
            "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n 65536 5000 nan nan\n",
            "a row of ib_write_bw",
        ),
        ("b.txt", "nvbandwidth Version: v0.8\nRunning host_to_device_memcpy_ce.\nWAIVED\n", "a matrix of copies"),
        ("latency.json", '{"Links": []}', "ClusterKit"),
        ("c.txt", "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n1   9.87\n", "is not read here"),
    ],
)
def test_a_file_without_a_figure_is_refused_with_what_it_lacks(name: str, text: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        of((name, text))
    assert words in refused.value.problems[0].message


MATRIX = """Rank:              0        1        2        3
   0 (node-11):      0.0  83078.1  82928.0  81000.0
   1 (node-8 ):  83078.1      0.0  82000.5      0.0
   2 (node-9 ):  82928.0  82000.5      0.0  83000.0
   3 (node-12):  81000.0      0.0  83000.0      0.0

Minimum bandwidth: 81000.0 MB/s between node-11 and node-12
Average bandwidth: 82401.3 MB/s
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bandwidth.txt", MATRIX),
        ("bandwidth.txt", MATRIX.partition("\n\n")[0]),
        ("run.log", MATRIX),
        ("bandwidth.txt", MATRIX.replace("  8", "8")),  # figures that fill their columns
    ],
)
def test_a_matrix_of_clusterkit_gives_the_middle_of_its_pairs(name: str, text: str) -> None:
    (one,) = figures_of(name, text.encode()) or ()
    assert (one.line, one.value, one.low, one.high, one.n_measured) == (1, pytest.approx(82.928), 81.0, 83.0781, 5)


def test_matrices_of_latency_and_bandwidth_in_one_file_are_two_figures() -> None:
    latency = "Rank:      0     1\n   0 (a):  0.00  1.87\n   1 (b):  1.87  0.00\nAverage latency: 1.87 usec\n"
    found = figures_of("clusterkit.log", (latency + MATRIX).encode()) or ()
    assert [(one.kind, one.value, one.n_measured) for one in found] == [
        ("latency", 1.87, 1),
        ("both_ways", pytest.approx(82.928), 5),
    ]


def test_logs_are_fitted_from_where_paths_stand() -> None:
    job = perftest_text(385.0) + measured_log(gpus=16, nodes=2, rows=SWEEP[20:])
    answer = of(("job.txt", job), nics_per_node=8, fit_faulty=True)
    assert ([one.is_fitted for one in answer.logs], len(answer.paths)) == ([True], 1)
    assert {"network_efficiency.infiniband", "pair_efficiency.network"} < set(answer.parameters)


@pytest.mark.parametrize("size", ["8,388,608", "8 388 608", "8.388.608", "8'388'608"])
@pytest.mark.parametrize("iterations", ["5000", "5,000", "5 000"])
def test_sizes_with_parted_thousands_are_the_largest_as_well(size: str, iterations: str) -> None:
    text = perftest_text(392.0).decode().replace("8388608    5000", f"{size}    {iterations}")
    for tag in ("", "0: ", "[1,0]<stdout>:"):
        (path,) = of(("a.txt", text.replace("\n ", f"\n{tag} "))).paths
        assert (path.what, path.value) == ("ib_write_bw, 8,388,608 B", 392.0)


@pytest.mark.parametrize("mb_s", ["46,742.33", "46742,33", "46'742.33", "46.742,33"])
def test_rates_with_parted_thousands_are_read_whole(mb_s: str) -> None:
    text = perftest_text(392.0).decode().replace("Gb/sec", "MB/sec").replace("392.00", mb_s)
    assert of(("a.txt", text)).paths[0].value == pytest.approx(46742.33 * 8 * 2**20 / 1e9)


def test_the_report_of_clusterkit_may_part_thousands() -> None:
    plain = of(("ck.txt", REPORT.format(mb_s="42107"))).paths
    parted = REPORT.format(mb_s="42,107").replace("40029", "40'029").replace("42938", "42.938")
    assert of(("ck.txt", parted)).paths == plain
    with pytest.raises(SpecError) as error:
        of(("ck.txt", REPORT.format(mb_s="42,107").replace("1.743", "1,743")))
    assert "“1,743” may be 1.743 or 1743" in str(error.value)


def test_the_command_line_takes_paths_and_the_tick(tmp_path: Any) -> None:
    link, system = tmp_path / "link.txt", tmp_path / "system.json"
    link.write_bytes(perftest_text(180.0))
    system.write_text(json.dumps(SITE))
    plain, ticked = (
        json.loads(run("calibrate", link, "--system", system, *more).stdout) for more in ((), ("--fit-faulty",))
    )
    assert plain["parameters"] == {}
    assert ticked["paths"][0]["constants"] == ["network_efficiency.infiniband", "pair_efficiency.network"]
