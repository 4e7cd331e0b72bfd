"""What AMD's copy tools print, judged by the gate of the slot. Forms: ROCm/TransferBench (p2p), ROCm/rocm_bandwidth_test 2.6."""

from functools import lru_cache

import pytest

from estimator.bringup.acceptance.design import design_contract
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.judge import judged
from estimator.bringup.acceptance.readers import rocm
from estimator.bringup.acceptance.result import GateResult
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from tests.estimator.bringup.sites import nccl_log, spec_of

SITE = {"compute": {"server": "smc-8125gs-mi300x", "nodes": 16}, "fabric": {"generation": "roce-400"}}
HOSTS, GPUS = 2, 8


def transfer_bench(slow: int | None = None, *, separator: str = "", pulled: bool = False) -> str:
    """One direction, with MI300X's published rates; a slow GPU's slot runs at half its lanes."""
    names = [f"CPU {i:02d}" for i in range(HOSTS)] + [f"GPU {i:02d}" for i in range(GPUS)]
    mark = "SRC\\EXE+DST" if pulled else "SRC+EXE\\DST"
    lines = [f"{mark:>12}{separator}" + separator.join(f"{name:>10}" for name in names)]
    for source in names:
        cells = []
        for to in names:
            kinds = source[:3] + to[:3]
            value = {"CPUCPU": 92.2, "CPUGPU": 54.9 if pulled else 41.97, "GPUCPU": 55.23, "GPUGPU": 48.5}[kinds]
            is_slot = kinds == "GPUCPU" or (pulled and kinds == "CPUGPU")
            own = source if source.startswith("GPU") else to
            cells.append(f"{value / 2 if is_slot and slow is not None and own == f'GPU {slow:02d}' else value:10.2f}")
        lines.append(f"  {source}  ->{separator}" + separator.join(cells))
    twice = "\n".join(lines)
    head = "directional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)"
    start = "TransferBench v1.66\nBytes Per Direction 536870912\n"
    return f"{start}Uni{head}\n{twice}\n\nBi{head}\n{twice.replace('55.23', '5.00')}\n"


def bandwidth_test(slow: int | None = None) -> str:
    """Matrix D/D of two hosts and eight GPUs."""
    devices = [f"          Device: {i},  AMD EPYC 9654 96-Core Processor" for i in range(HOSTS)]
    devices += [f"          Device: {HOSTS + i},  AMD Instinct MI300X,  GPU-ab{i},  {i}5:0.0" for i in range(GPUS)]
    n = HOSTS + GPUS

    def cell(a: int, b: int) -> str:
        if a < HOSTS and b < HOSTS:
            return "N/A"
        own = max(a, b) if min(a, b) < HOSTS else -1
        value = 1650.0 if a == b else 48.1 if own < 0 else 56.2 if min(a, b) == 0 else 55.1
        return f"{value / 2 if own == HOSTS + (slow if slow is not None else -9) else value:.3f}"

    rows = "\n\n".join(f"          {a:<10}" + "".join(f"{cell(a, b):<12}" for b in range(n)) for a in range(n))
    numbers = "".join(f"{b:<12}" for b in range(n))
    access = "".join(f"{1:<10}" for _ in range(n))
    return (
        "....\n          RocmBandwidthTest Version: 2.6.0\n\n"
        + "\n".join(devices)
        + "\n\n          Inter-Device Access\n\n"
        f"          D/D       {numbers}\n\n          0         {access}\n\n"
        f"          Unidirectional copy peak bandwidth GB/s\n\n          D/D       {numbers}\n\n{rows}\n\n\n"
        f"          Bidirectional copy peak bandwidth GB/s\n\n          D/D       {numbers}\n\n"
        f"          0         {'1.000       ' * n}\n"
    )


@lru_cache(maxsize=1)
def contract() -> Contract:
    return design_contract(spec_of(SITE), load_catalog())


def judge(text: str) -> GateResult:
    answer = judged(contract(), [("pcie__node-0003__1.log", text.encode())], load_catalog())
    (result,) = [one for one in answer.results if one.gate == "pcie"]
    return result


@pytest.mark.parametrize("text", [transfer_bench(), transfer_bench(separator=","), bandwidth_test()])
def test_a_healthy_slot_passes_though_stores_of_the_host_are_slower(text: str) -> None:
    result = judge(text)
    assert result.verdict == "pass", result.why
    assert result.measured == pytest.approx(
        55.2, abs=1.1
    )  # and not the 42 GB/s of the processor's stores, or a peer's 48
    assert result.where.startswith("node-0003")


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (transfer_bench(5), "GPU to host"),
        (transfer_bench(5, pulled=True), "host to GPU"),
        (bandwidth_test(5), "host to GPU"),
    ],
)
def test_a_slot_at_half_its_lanes_fails_and_is_named(text: str, direction: str) -> None:
    result = judge(text)
    assert result.verdict == "fail"
    assert result.where == f"node-0003, GPU 5, {direction}"
    assert result.measured is not None
    assert result.measured < 29


@pytest.mark.parametrize(
    "text",
    [
        f"Uni{rocm.MATRIX}",
        f"Uni{rocm.MATRIX}\nSRC+EXE\\DST CPU 00 GPU 00\n CPU 00 -> 90 42\n GPU 00 -> nan inf\n",
        f"Uni{rocm.MATRIX}\n  D/D 0 1\n 0 N/A 50\n 1 50 900\n",
        f"Bi{rocm.MATRIX}\nSRC+EXE\\DST CPU 00 GPU 00\n GPU 00 -> 55 1600\n",
        f"Uni{rocm.MATRIX}\nSRC+EXE\\DST " + "CPU 00 " * 90_000 + "\n GPU 00 -> " + "x " * 90_000,
    ],
)
def test_a_text_without_copies_of_a_slot_is_refused(text: str) -> None:
    assert rocm.is_rocm(text)
    with pytest.raises(SpecError) as refused:
        rocm.read("a.log", text)
    assert refused.value.problems[0].code == "no_rows"


def test_rccl_tests_print_what_nccl_tests_do() -> None:
    gate = contract().gate("node")
    assert gate.measured_by == "rccl-tests"
    text = nccl_log(gate.expected, 8, 1).replace(b"nccl", b"rccl")
    answer = judged(contract(), [("node__node-0001__1.log", text)], load_catalog())
    (result,) = [one for one in answer.results if one.gate == "node"]
    assert result.verdict == "pass"
    assert result.measured == pytest.approx(gate.expected, rel=5e-3)
