"""Logs for tests: own runs on four H100 (tests/data/logs, nccl-tests 2.19.6), and made ones in the forms that tools print."""

from collections.abc import Sequence
from pathlib import Path

from estimator.calibration.logs.read import ParsedLog, read_logs
from estimator.performance.collectives import BUS_FACTORS

LOGS = Path(__file__).parents[2] / "data" / "logs"
HEAD = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
Row = tuple[int, float]


def table_row(size: int, time_us: float, gpus: int, collective: str = "all_reduce", wrong: str = "0") -> str:
    """A row as the tests print it; bandwidths follow from size and time."""
    algbw = size / time_us / 1e3
    busbw = algbw * float(BUS_FACTORS[collective](gpus))
    half = f"{time_us:>8.5g} {algbw:>7.2f} {busbw:>7.2f} {wrong:>6}"
    redop, root = ("sum", -1) if collective in ("all_reduce", "reduce_scatter") else ("none", -1)
    return f"{size:>12} {size // 4:>13} {'float':>9} {redop:>7} {root:>7} {half} {half}"


def measured_log(
    gpu: str = "NVIDIA H100 80GB HBM3",
    gpus: int = 8,
    rows: Sequence[Row] = (),
    collective: str = "all_reduce",
    nodes: int = 1,
    extra: Sequence[str] = (),
    wrong: str = "0",
) -> bytes:
    """A whole log of one process for each GPU."""
    per_node = gpus // nodes
    ranks = [
        f"#  Rank {i:>2} Group  0 Pid {1000 + i} on  node{i // per_node:02d} device {i % per_node:>2} [0000:{i:02x}:00] {gpu}"
        for i in range(gpus)
    ]
    lines = [
        f"# Collective test starting: {collective}_perf",
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 graph: 0",
        "#",
        "# Using devices",
        *ranks,
        "#",
        *extra,
        HEAD,
        *(table_row(size, time_us, gpus, collective, wrong) for size, time_us in rows),
        "# Out of bounds values : 0 OK",
        "# Avg bus bandwidth    : 1.0",
    ]
    return ("\n".join(lines) + "\n").encode()


SWEEP: list[Row] = [(2**p, 20.0 + 2**p / 300e3) for p in range(3, 34)]


def read_log(name: str, data: bytes) -> ParsedLog:
    """The only run of a file."""
    (log,) = read_logs(name, data)
    return log
