"""How fast logs are read, fitted and diagnosed; run by hand: python3 manage.py test tests/benchmarks.

A log has 0.3 s: the answer to an upload is waited for.
"""

from typing import Any

import pytest

from estimator.calibration.logs.read import read_logs
from estimator.calibration.site_fit import calibrate
from estimator.catalog.loader import load_catalog
from tests.estimator.calibration.log_texts import LOGS, SWEEP, measured_log
from tests.yardstick import in_yardsticks

CATALOG = load_catalog()
NETWORK = {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400}


@pytest.mark.parametrize("name", ["h100x4_all_reduce.txt", "h100x4_sendrecv_g2.txt", "h100x4_all_gather.txt"])
def test_an_own_log(benchmark: Any, name: str) -> None:
    data = (LOGS / name).read_bytes()
    answer = benchmark.pedantic(calibrate, ([(name, data)], {}, CATALOG), rounds=5, warmup_rounds=1)
    assert answer.parameters
    assert in_yardsticks(benchmark.stats.stats.median) < 3


@pytest.mark.parametrize("nodes", [2, 64])
def test_a_log_of_several_nodes(benchmark: Any, nodes: int) -> None:
    data = measured_log(gpus=8 * nodes, nodes=nodes, rows=[(size, time_us * 1.2) for size, time_us in SWEEP])
    answer = benchmark.pedantic(calibrate, ([("log", data)], NETWORK, CATALOG), rounds=5, warmup_rounds=1)
    assert answer.parameters
    assert in_yardsticks(benchmark.stats.stats.median) < 3


def test_a_log_of_twenty_megabytes_is_read(benchmark: Any) -> None:
    data = b"\n".join([b"node00:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"] * 220_000)
    (log,) = benchmark.pedantic(read_logs, ("log", data + b"\n" + measured_log(rows=SWEEP)), rounds=1)
    assert log.n_dropped == 220_000
    assert in_yardsticks(benchmark.stats.stats.median) < 100
