"""Networks for ASTRA-sim and SimAI, read as the simulators read them and held against the link list."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml

from estimator.catalog.loader import load_catalog
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.handoff.cases import SPECS, custom, links_of, rows_of, small, text


def tokens_read(written: str, n_header: int) -> tuple[list[str], list[int], list[tuple[int, int, float, float]], str]:
    """(header, switch numbers, links, what is left), taken token by token as the simulators' readers do."""
    words = iter(re.finditer(r"\S+", written))
    header = [next(words)[0] for _ in range(n_header)]
    n_all, n_links = int(header[0]), int(header[4] if n_header == 6 else header[2])
    n_switches = int(header[2]) + int(header[3]) if n_header == 6 else int(header[1])
    switches = [int(next(words)[0]) for _ in range(n_switches)]
    assert all(number < n_all for number in switches)
    links, last = [], 0
    for _ in range(n_links):
        source, target, rate, delay, error = (next(words) for _ in range(5))
        assert (rate[0][-4:], delay[0][-2:], error[0]) == ("Gbps", "ms", "0")
        links.append((int(source[0]), int(target[0]), float(rate[0][:-4]), float(delay[0][:-2])))
        last = error.end()
    return header, switches, links, written[last:]


SIMULATORS = {"astra-sim": 3, "simai": 6}


@pytest.mark.parametrize("format_name", SIMULATORS)
@pytest.mark.parametrize("name", SPECS)
def test_a_simulator_reads_what_the_header_says_and_no_switch_is_idle(name: str, format_name: str) -> None:
    written = text(links_of(name), format_name)
    header, switches, made, rest = tokens_read(written, SIMULATORS[format_name])
    lines = written.splitlines()
    listed = [line for line in lines[2:] if not line.startswith("#")]
    assert len(listed) == len(made)
    assert all(line.startswith("#") for line in rest.strip().splitlines())
    numbers = set(range(int(header[0])))
    assert {end for source, target, *_ in made for end in (source, target)} == numbers  # none without a link
    assert set(switches) == numbers - set(range(int(header[0]) - len(switches)))
    assert len({frozenset(link[:2]) for link in made}) == len(made)  # ns-3 keeps one interface a pair
    assert all(link[0] != link[1] for link in made)


@pytest.mark.parametrize("name", SPECS)
def test_rates_between_simulated_switches_are_the_sums_of_the_links(name: str) -> None:
    links = links_of(name)
    header, _, made, _ = tokens_read(text(links, "simai"), 6)
    gpus = links.fabric.n_nodes * (links.spec.compute.gpus_per_node or 1)
    first = gpus + int(header[2])
    n_fabric = links.fabric.n_leaf + links.fabric.n_spine + links.fabric.n_core
    number = {device: first + at for at, device in enumerate(links.table.devices.names[-n_fabric:])}
    want: Counter[tuple[int, int]] = Counter()
    into_leaves: Counter[int] = Counter()
    for row in rows_of(name):
        if row["tier"] in ("leaf-spine", "spine-core"):
            want[number[row["a_device"]], number[row["b_device"]]] += row["rate_gbit_s"]
        elif row["tier"] == "node-leaf":
            into_leaves[number[row["b_device"]]] += row["rate_gbit_s"]
    got = {(a, b): rate for a, b, rate, _ in made if first <= a < first + n_fabric and first <= b < first + n_fabric}
    assert got == want
    below: Counter[int] = Counter()
    for source, target, rate, _ in made:
        if first <= target < first + n_fabric and not first <= source < first + n_fabric:
            below[target] += round(rate)
    assert below == into_leaves


def counted(compute: dict[str, Any], fabric: dict[str, Any]) -> tuple[list[str], Counter[int], Counter[int]]:
    """Header; links from GPUs to each leaf or scale-up switch; links between switches by their lower end."""
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": compute, "fabric": fabric}, catalog), catalog)
    header, switches, made, _ = tokens_read(text(links, "simai"), 6)
    first = min(switches)
    return (
        header,
        Counter(target for source, target, *_ in made if source < first),
        Counter(source for source, *_ in made if source >= first),
    )


def test_one_host_of_eight_gpus_has_24_links_not_20() -> None:
    """aliyun/SimAI #57: 8 GPUs, 1 NVSwitch, 8 leaves, 1 spine; the generator's header said 20, its list had 24."""
    header, up, above = counted(custom(1, 8), small(64, tiers=2))
    assert header == ["18", "8", "1", "9", "24", "NONE"]
    assert sorted(up.values()) == [1] * 8 + [8]
    assert sum(above.values()) == 8


def test_two_planes_of_two_segments_leave_no_leaf_unused() -> None:
    """aliyun/SimAI #81: 8 GPUs, 2 a host, 2 segments, 2 planes: 16 links of GPUs to 8 leaves, 2 a leaf."""
    header, up, _ = counted(custom(4, 4, 2, nics_per_node=2), small(64, planes=2, scalable_unit_nodes=2, tiers=2))
    nv_switches = int(header[2])
    leaves = {number: n for number, n in up.items() if number >= 8 + nv_switches}
    assert (nv_switches, len(leaves), sum(leaves.values())) == (4, 8, 16)
    assert set(leaves.values()) == {2}


def test_the_header_of_four_units() -> None:
    header, switches, made, notes = tokens_read(text(links_of("four units"), "simai"), 6)
    # 1,016 GPUs, 127 scale-up switches, 48 switches; 1,016 + 1,016 links, and 32 × 16 pairs of leaf and spine
    assert header == ["1191", "8", "127", "48", "2544", "H100"]
    assert switches == list(range(1016, 1191))
    assert "1528 lines are 2040 links" in notes
    rates = Counter(rate for *_, rate, _ in made)
    assert rates == {3600.0: 1016, 400.0: 1016, 800.0: 512}  # 900 GB/s both ways is 3,600 Gb/s one way


def test_delays_are_cable_and_switches_and_where_unknown_the_simulators_own() -> None:
    links = links_of("four units")
    cables = load_catalog().cables
    row = rows_of("four units")[0]
    want_ns = row["length_m"] * cables[row["part"]].latency_ns_per_m + 130 / 2  # a QM9700 takes 130 ns
    _, _, made, _ = tokens_read(text(links, "simai"), 6)
    assert made[1][3] == pytest.approx(want_ns * 1e-6, abs=1e-10)
    assert made[0][3] == 0.000025
    _, _, unknown, _ = tokens_read(text(links_of("odd"), "simai"), 6)
    assert {delay for *_, delay in unknown} == {0.000025, 0.0005}


def test_adapters_that_gpus_share_are_switches_of_a_simulation() -> None:
    links = links_of("shared NICs")  # 10 nodes of 8 GPUs and 4 ports
    header, _, made, notes = tokens_read(text(links, "simai"), 6)
    n_fabric = links.fabric.n_leaf + links.fabric.n_spine
    assert int(header[3]) == n_fabric + 40
    first = 80 + 10 + n_fabric
    assert Counter(target for source, target, *_ in made if target >= first and source < 80) == dict.fromkeys(
        range(first, first + 40), 2
    )
    assert f"{first} is the first NIC" in notes


def test_the_analytical_network_stands_behind_the_ns3_file() -> None:
    notes = text(links_of("four units"), "astra-sim").partition("Analytical backend")[2]
    network = yaml.safe_load("\n".join(line.removeprefix("# ") for line in notes.splitlines()[1:]))
    assert network["topology"] == ["Switch", "Switch"]
    assert network["npus_count"] == [8, 127]
    assert network["bandwidth"] == [450, 50]  # GB/s of one GPU, one way: NVLink 900 / 2, and 400 Gb/s
    assert len(network["latency"]) == 2
    assert "No analytical network" in text(links_of("domains of racks"), "astra-sim")  # 160 GPUs in domains of 72


def test_astra_sim_numbers_network_switches_before_scale_up_switches() -> None:
    """Its ns-3 backend takes a host's first link for its NIC."""
    _, _, made, _ = tokens_read(text(links_of("four units"), "astra-sim"), 3)
    first_of: dict[int, float] = {}
    for source, _, rate, _ in made:
        first_of.setdefault(source, rate)
    assert {first_of[gpu] for gpu in range(1016)} == {400.0}


def test_a_switch_without_links_is_named() -> None:
    links = links_of("one tier")
    devices = links.table.devices
    more = {
        "rail": np.append(devices.rail, 0),
        "plane": np.append(devices.plane, 1),
        "number": np.append(devices.number, devices.n["leaf"] + 1),
    }
    with_one_more = replace(devices, n={**devices.n, "leaf": devices.n["leaf"] + 1}, **more)
    written = text(replace(links, table=replace(links.table, devices=with_one_more)), "simai")
    assert f"Idle, without a link in the design: {with_one_more.names[-1]}" in written
