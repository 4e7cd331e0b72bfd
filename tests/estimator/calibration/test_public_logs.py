"""Twenty logs as people have published them, names replaced and tables shortened: each is read whole, or refused with the reason.

Where each stands is named; rows are printed as they are there.
"""

from dataclasses import dataclass

import pytest

from estimator.calibration.logs.read import read_logs
from estimator.errors import SpecError

HEAD = "# nThread 1 nGpus {gpus} minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 graph: 0"
ROWS = """#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
"""


def ranks(hosts: tuple[str, ...], per_host: int, gpu: str, one_process: bool = False) -> str:
    lines = []
    for i in range(len(hosts) * per_host):
        pid = 100 + i // (per_host if one_process else 1)
        host, device = hosts[i // per_host], i % per_host
        lines.append(f"#  Rank {i:>2} Group  0 Pid {pid:>6} on   {host} device {device:>2} [0000:0{device}:00] {gpu}")
    return "# Using devices\n" + "\n".join(lines) + "\n#\n"


@dataclass(frozen=True)
class Published:
    """A log, and what is to be read in it: (collective, GPUs, nodes, rows) of each run, or the code of a refusal."""

    source: str
    text: str
    runs: tuple[tuple[str | None, int | None, int | None, int], ...] = ()
    refused: str = ""
    problem: str = ""


V100 = "Tesla V100-SXM2-16GB"
H100 = "NVIDIA H100 80GB HBM3"
OLD_TWICE = """# nThread 1 nGpus 1 minBytes 1310720000 maxBytes 1310720000 warmup iters: 5 iters: 20 validation: 1
# Using devices
#   Rank  0 Pid   1320 on node-b device  0 [0x00] Tesla V100-SXM2-16GB
#   Rank  0 Pid   2066 on node-a device  0 [0x00] Tesla V100-SXM2-16GB
#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error
  1310720000     327680000     float     sum   3306.7  396.38    0.00  0e+00     0.22  5957818    0.00  0e+00
"""
TWO_OPERATIONS = """ 199680 49920 float max -1 125.8 1.59 2.98 0 125.1 1.60 2.99 0
      200704         50176     float     max      -1    125.3    1.60    3.00      0    124.6    1.61    3.02      0
      196608         49152     float     min      -1    125.5    1.57    2.94      0    124.9    1.57    2.95      0
      197632         49408     float     min      -1    125.4    1.58    2.96      0    124.4    1.59    2.98      0
"""
SOCKETS = """node-a:8756:8756 [0] NCCL INFO Bootstrap : Using eth0:192.0.2.1<0>
node-a:8756:8771 [0] NCCL INFO NET/Socket : Using [0]eth0:192.0.2.1<0> [1]virbr0:192.0.2.9<0>
"""
SMALL = """           8             2     float     sum      -1    19.90    0.00    0.00      0    18.96    0.00    0.00      0
          16             4     float     sum      -1    20.67    0.00    0.00      0    19.10    0.00    0.00      0
          32             8     float     sum      -1    19.16    0.00    0.00      0    18.98    0.00    0.00      0
"""
SPARK = """  1073741824     134217728     float    none      -1  27211.0   39.46   19.73       0  25806.7   41.61   20.80       0
  2147483648     268435456     float    none      -1  50573.4   42.46   21.23       0  48690.4   44.10   22.05       0
"""
H20_ALL_TO_ALL = """ 1048576 32768 float none -1 58.14 18.04 15.78 0 57.87 18.12 15.85 N/A
     2097152         65536     float    none      -1    58.94   35.58   31.14      0    58.10   36.10   31.58    N/A
     4194304        131072     float    none      -1    59.35   70.67   61.84      0    59.23   70.81   61.96    N/A
"""
EFA_ALL_TO_ALL = """ [1,0]<stdout>: 65536 1024 float none -1 122.32 0.54 0.50 0 114.84 0.57 0.54 N/A
        [1,0]<stdout>:      131072 2048 float none -1 129.31 1.01 0.95 0 133.03 0.99 0.92 N/A
        [1,0]<stdout>:      262144 4096 float none -1 161.17 1.63 1.52 0 151.94 1.73 1.62 N/A
        [1,0]<stdout>:      524288 8192 float none -1 212.76 2.46 2.31 0 223.82 2.34 2.20 N/A
"""
UNCHECKED = """ 8 2 float sum -1 45.46 0.00 0.00 N/A 124.9 0.00 0.00 N/A
        2048           512     float     sum      -1    40.60    0.05    0.09    N/A    39.74    0.05    0.10    N/A
"""
FOUR_NICS = """ 2097152 524288 float sum -1 113.2 18.53 18.53 0 93.35 22.46 22.46 0
     4194304       1048576     float     sum      -1    154.4   27.16   27.16      0    153.3   27.37   27.37      0
     8388608       2097152     float     sum      -1    231.4   36.24   36.24      0    227.8   36.83   36.83      0
    16777216       4194304     float     sum      -1    420.5   39.90   39.90      0    419.9   39.95   39.95      0
"""
MI300X = "     8388608       2097152     float     sum      -1    91.10   92.08  161.14      0    94.94   88.36  154.63      0\n"
NODE = """     1048576        262144     float     sum      -1    27.76   37.78   66.11       0    27.49   38.15   66.76       0
     2097152        524288     float     sum      -1    40.66   51.58   90.27       0    40.36   51.97   90.94       0
     4194304       1048576     float     sum      -1    53.24   78.78  137.87       0    52.85   79.36  138.88       0
"""
ZEROS = (
    "           0             0     float     sum      -1     5.30    0.00    0.00      0     4.99    0.00    0.00      0\n"
    * 5
)
BROADCAST = (
    "       32768       8192   float    none       0    37.46    0.87    0.87       0   133.79    0.24    0.24       0\n"
    * 2
)
ONE_LARGE = " 10737418240 2684354560 float sum -1 90330 118.87 222.88 0 91945 116.78 218.96 0\n"
STOPPED = (
    "node-a:2081594:2081611 [0] NCCL INFO comm 0x55f6848de3b0 rank 0 nranks 2 cudaDev 0 busId f000 - Destroy COMPLETE\n"
)
PAIR = "   134217728      33554432     float     sum      -1   5190.8   25.86   25.86      0   5186.6   25.88   25.88      0\n"
EDITED = """# Collective test starting: all_reduce_perf
# Using devices
#  Rank  0 .. Rank  7 on gpu-0001  NVIDIA H100 80GB HBM3
#  Rank  8 .. Rank 15 on gpu-0002  NVIDIA H100 80GB HBM3
"""
TERSE = """# Collective test starting: all_reduce_perf
# Rank 0 Group 0 Pid 10 on node-a device 0 [0000:01:00] NVIDIA H100
# Rank 1 Group 0 Pid 11 on node-b device 0 [0000:01:00] NVIDIA H100
8 2 float sum -1 1.0e1 0.00 0.00 0 11 0.00 0.00 0
16 4 float sum -1 10 0.00 0.00 0 11 0.00 0.00 0
"""
MASKED = "  2147483648      33554432     float none -1 XXXXX XXX.XX XXX.XX N/A XXXXXX XXX.XX XXX.XX N/A\n"
ONE = HEAD.format(gpus=1) + "\n"

LOGS = (
    Published("NVIDIA/nccl-tests#107", OLD_TWICE, ((None, 1, 1, 1),), problem="ran_alone"),
    Published("NVIDIA/nccl-tests#167", TWO_OPERATIONS, (("all_reduce", 16, None, 2),) * 2),
    Published(
        "NVIDIA/nccl-tests#131",
        HEAD.format(gpus=2) + "\n" + ranks(("a",), 2, "GeForce", True) + SOCKETS + SMALL,
        ((None, 2, 1, 3),),
    ),
    Published("NVIDIA/nccl-tests#150", ONE + SMALL, ((None, None, None, 3),)),
    Published(
        "dgx-spark: nccl-tests 2.18.3",
        "# Collective test starting: all_gather_perf\n" + ONE + ranks(("a", "b"), 1, "NVIDIA GB10") + SPARK,
        (("all_gather", 2, 2, 2),),
    ),
    Published(
        "NVIDIA/nccl-tests#314",
        ranks(("a",), 8, "NVIDIA H20-3e", True) + ROWS + H20_ALL_TO_ALL,
        (("alltoall", 8, 1, 3),),
    ),
    Published("bottlerocket-os/bottlerocket-kernel-kit#313", EFA_ALL_TO_ALL, (("alltoall", 16, None, 4),)),
    Published(
        "Azure/aks-rdma-infiniband#30",
        ONE + ranks(("w-0", "w-1"), 8, H100) + "w-1:77:229 [2] NCCL INFO Connected all trees\n" + UNCHECKED,
        ((None, 16, 2, 2),),
    ),
    Published(
        "NVIDIA/nccl-tests#232",
        "$ mpirun -x NCCL_ALGO=Tree -np 2 ./all_reduce_perf -b 2M -e 16G -g 1\n#\n" + ROWS + FOUR_NICS,
        (("all_reduce", 2, None, 4),),
    ),
    Published(
        "ROCm: crickett-hpe/hpc-ai-envs#30",
        HEAD.format(gpus=8)
        + "\n#\nrccl-tests: Version develop:83d38d9\n"
        + ranks(("g1",), 8, "AMD Instinct MI300X", True)
        + MI300X,
        (("all_reduce", 8, 1, 1),),
    ),
    Published("kvcache-ai/Mooncake#3484", NODE, (("all_reduce", 8, None, 3),)),
    Published("NVIDIA/nccl-tests#128", HEAD.format(gpus=4) + "\n" + ZEROS + SMALL, ((None, None, None, 3),)),
    Published(
        "nccl-eBPF: nccl-tests 2.18.0",
        "# Collective test starting: broadcast_perf_mpi\n" + ranks(("lab",), 2, "RTX 5090") + BROADCAST,
        (("broadcast", 2, 1, 2),),
    ),
    Published(
        "oracle: nccl-tests 2.17.6",
        "$ mpirun -n 8 ./build/all_reduce_perf -b 10G -e 10G\n"
        + ONE
        + ranks(("a", "b"), 8, "NVIDIA A100-SXM4-40GB")
        + ONE_LARGE,
        (("all_reduce", 16, 2, 1),),
    ),
    Published(
        "NVIDIA/nccl#1706",
        PAIR + STOPPED + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 8.62002\n#\n",
        (("all_reduce", 2, None, 1),),
    ),
    Published("azcluster: nccl-tests 2.18.3", EDITED + ONE_LARGE, (("all_reduce", 16, None, 1),)),
    Published("gpu-optimizations: nccl-tests 2.20.0", TERSE, (("all_reduce", 2, 2, 2),)),
    Published(
        "NVIDIA/nccl-tests#309",
        "Run-1 Starting command at 2025-05-22 07:36:17\n"
        + ONE
        + ranks(("a", "b"), 8, H100)
        + ONE_LARGE
        + "# Avg bus bandwidth    : 220\nRun-2 Starting command at 2025-05-22 07:39:01\n"
        + ONE
        + ranks(("a", "b"), 8, H100)
        + ONE_LARGE,
        (("all_reduce", 16, 2, 1),) * 2,
    ),
    Published("GoogleCloudPlatform: README with masked figures", "# nThread 1 nGpus 1\n" + MASKED, refused="no_rows"),
    Published(
        "aws/aws-k8s-tester#464",
        "        [1,0]<stdout>:w-0:22:28 [0] NCCL INFO Using network Socket\n" * 3,
        refused="no_rows",
    ),
)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.source)
def test_a_published_log_is_read_whole_or_refused_with_the_reason(log: Published) -> None:
    if log.refused:
        with pytest.raises(SpecError) as error:
            read_logs("log.txt", log.text.encode())
        assert error.value.problems[0].code == log.refused
        return
    found = read_logs("log.txt", log.text.encode())
    assert tuple((one.collective, one.gpus, one.nodes, len(one.rows)) for one in found) == log.runs
    assert [problem.code for one in found for problem in one.problems] == ([log.problem] if log.problem else [])


def test_twenty_logs_are_carried() -> None:
    assert len(LOGS) == len({log.source for log in LOGS}) == 20
