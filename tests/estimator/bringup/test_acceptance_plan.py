"""The gates of a design: what is run, what must come out, how often a line is wrong."""

import math
import random
import subprocess
from pathlib import Path

import pytest

from estimator.bringup.acceptance.design import accepted, design_contract
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.lines import Chances, lines_of, spread_of_band
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.performance.prediction import prediction
from tests.estimator.bringup.sites import FOUR_UNITS, four_units, spec_of

ON_RAILS = [
    "pcie",
    "nvlink",
    "node",
    "link",
    "pair_all_reduce",
    "pair_all_gather",
    "rack",
    "rail",
    "leaf_pair",
    "cluster_all_reduce",
    "cluster_all_gather",
    "cluster_alltoall",
]


def test_gates_go_from_the_slot_to_the_cluster() -> None:
    gates = four_units().gates
    assert [gate.code for gate in gates] == ON_RAILS
    assert {gate.code: gate.results for gate in gates} == {
        "pcie": 128,
        "nvlink": 128,
        "node": 128,
        "link": 64 * 8,
        "pair_all_reduce": 64,
        "pair_all_gather": 64,
        "rack": 32,
        "rail": 8,
        "leaf_pair": 4 * 8,
        "cluster_all_reduce": 1,
        "cluster_all_gather": 1,
        "cluster_alltoall": 1,
    }
    for gate in gates:
        assert gate.pass_at < gate.low < gate.expected <= gate.high <= gate.ceiling, gate.code
        assert gate.fault_at < gate.expected
        assert 0 < gate.false_alarm < (0.015 if gate.code not in ("pcie", "nvlink", "node", "link") else 0.002)
        # the whole cluster has more domains than any published run: its band is wide, and only a calibration narrows it
        assert gate.miss <= (0.2 if gate.code in ("cluster_all_reduce", "cluster_alltoall") else 0.01), gate.code


def test_expected_values_are_the_predictions_of_the_model() -> None:
    contract = four_units()
    for code, gpus, algorithm in (
        ("cluster_all_reduce", 1024, None),
        ("pair_all_gather", 16, "ring"),
        ("node", 8, None),
    ):
        gate = contract.gate(code)
        request = {
            "system": contract.site.system,
            "collective": gate.collective,
            "gpus": [gpus],
            "message_bytes": [gate.bytes],
            "algorithm": algorithm,
        }
        (row,) = prediction(request, load_catalog()).rows
        assert gate.expected == pytest.approx(row.busbw_gb_s, rel=1e-3)
        assert gate.low == pytest.approx(row.busbw_gb_s * row.time_us / row.time_us_high, rel=1e-3)


def test_two_nodes_run_the_ring_as_a_tree_exceeds_the_wire() -> None:
    gate = four_units().gate("pair_all_reduce")
    assert "NCCL_ALGO=RING" in gate.command
    assert gate.high < 8 * 400 / 8 * 1.05
    assert "tree" in str(gate.note)


def test_a_domain_of_many_nodes_has_a_gate_and_one_domain_has_no_network() -> None:
    catalog = load_catalog()
    rack = {"compute": {"server": "gb200-tray", "gpus": 576}, "fabric": {"generation": "ndr"}}
    contract = design_contract(spec_of(rack), catalog)
    domain = contract.gate("domain")
    assert (domain.gpus, domain.nodes, domain.results) == (72, 18, 8)
    assert contract.gate("pair_all_reduce").gpus == 144
    assert any(words.startswith("rack") for words in contract.left_out)
    small = {"compute": {"server": "dgx-h100", "nodes": 1}, "fabric": {"generation": "ndr"}}
    alone = design_contract(spec_of(small), catalog)
    assert [gate.code for gate in alone.gates] == ["pcie", "nvlink", "node"]


def test_amd_runs_rccl_tests_and_hip() -> None:
    spec = {"compute": {"server": "smc-8125gs-mi300x", "nodes": 64}, "fabric": {"generation": "roce-400"}}
    contract = design_contract(spec_of(spec), load_catalog())
    assert contract.gate("pcie").command.startswith("TransferBench p2p")
    assert contract.gate("node").measured_by == "rccl-tests"
    assert "HIP_VISIBLE_DEVICES" in contract.gate("rail").command
    assert "--use_cuda" not in contract.gate("link").command


def test_a_gpu_without_tests_is_refused() -> None:
    spec = {"compute": {"server": "gaudi3-8u", "nodes": 16}, "fabric": {"generation": "roce-400"}}
    with pytest.raises(SpecError) as refused:
        design_contract(spec_of(spec), load_catalog())
    assert [problem.code for problem in refused.value.problems] == ["no_tests"]


@pytest.mark.parametrize("n_results", [1, 3, 8, 64])
def test_lines_are_as_often_wrong_as_they_say(n_results: int) -> None:
    """Drawn by chance: healthy gates fail no more often than stated, and faults are missed about as often."""
    draw = random.Random(20261129)
    model, run, loss = 0.045, 0.02, 0.1
    lines = lines_of(model, run, n_results, loss, Chances(0.01, 0.01))
    n, alarms, missed = 20_000 // n_results, 0, 0
    for _ in range(n):
        site = draw.gauss(0, model)
        spread = run / math.sqrt(lines.repetitions)
        healthy = [site + draw.gauss(0, spread) for _ in range(n_results)]
        alarms += fails(healthy, lines.absolute, lines.of_peers)
        missed += not fails([healthy[0] + math.log(1 - loss), *healthy[1:]], lines.absolute, lines.of_peers)
    assert alarms / n <= lines.false_alarm * 1.2 + 3 * math.sqrt(lines.false_alarm / n)
    assert missed / n <= lines.miss + 0.02
    if n_results < 4:
        assert missed / n >= lines.miss - 0.02


def fails(values: list[float], absolute: float, of_peers: float | None) -> bool:
    middle = sorted(values)[len(values) // 2]
    low = min(values)
    return low < math.log(absolute) or (of_peers is not None and low - middle < math.log(of_peers))


def test_runs_are_repeated_where_one_does_not_tell() -> None:
    assert lines_of(0.04, 0.01, 8, 0.1, Chances(0.002, 0.002)).repetitions == 1
    noisy = lines_of(0.04, 0.04, 8, 0.1, Chances(0.002, 0.002))
    assert noisy.repetitions > 2
    assert noisy.miss <= 0.01
    assert spread_of_band(100.0, 100.0 * math.exp(-1.645 * 0.05)) == pytest.approx(0.05, rel=1e-3)


def test_the_script_runs_every_path_of_every_gate(tmp_path: Path) -> None:
    contract, answer = accepted(
        spec_of({**FOUR_UNITS, "compute": {"server": "dgx-h100", "nodes": 127}}), load_catalog()
    )
    script = tmp_path / "accept.sh"
    script.write_bytes(b"".join(ACCEPTANCE_FORMATS["script"].write(contract, answer)))
    done = subprocess.run(["bash", str(script)], cwd=tmp_path, capture_output=True, text=True, check=True)
    names = [line.split(": ")[0] for line in done.stdout.splitlines()]
    assert len(names) == len(set(names))
    for gate in contract.gates:
        assert sum(name.startswith(f"{gate.code}__") for name in names) == gate.results * gate.repetitions, gate.code
    assert "link__node-0126+node-0127__rail-8__1.log" in names
    only = subprocess.run(
        ["bash", str(script), "list", "rail"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {name.partition("__")[0] for name in only.stdout.split() if "__" in name} == {"rail"}
    assert done.stderr == ""


def test_the_script_runs_commands_and_keeps_their_output(tmp_path: Path) -> None:
    """With stand-ins for the tools: the commands arrive as written, with hosts in the order of the design's nodes."""
    contract, answer = accepted(
        spec_of({"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}), load_catalog()
    )
    (tmp_path / "accept.sh").write_bytes(b"".join(ACCEPTANCE_FORMATS["script"].write(contract, answer)))
    (tmp_path / "hosts.txt").write_text("# hosts\nalpha\nbeta\ngamma\ndelta\n")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool, body in (("mpirun", 'echo "mpirun $*"; cat "$6" 2>/dev/null'), ("far", 'echo "far $*"'), ("sleep", "")):
        (tools / tool).write_text(f"#!/bin/sh\n{body}\n")
        (tools / tool).chmod(0o755)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "SSH": "far"}
    subprocess.run(["bash", "accept.sh", "run", "rail", "link", "pcie"], cwd=tmp_path, env=environment, check=True)
    out = tmp_path / "acceptance-results"
    rail = (out / "rail__rail-3__1.log").read_text()
    assert "-x CUDA_VISIBLE_DEVICES=2 -x NCCL_IB_HCA==mlx5_4" in rail
    assert [line.split()[0] for line in rail.splitlines() if "slots=1" in line] == ["alpha", "beta", "gamma", "delta"]
    link = (out / "link__node-0003+node-0004__rail-8__1.log").read_text()
    assert link.split()[:2] == ["far", "gamma"]
    assert "ib_write_bw -d mlx5_11" in link
    assert link.split()[-1] == "delta"
    assert (out / "pcie__node-0002__1.log").read_text().startswith("far beta nvbandwidth")
    assert not list(out.glob("hosts-*"))
