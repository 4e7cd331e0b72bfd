"""Which other tool a file is of that holds no table of the tests, so that a refusal says what was sent and where it belongs."""

import re

_TOOLS = (  # what the tool prints (linux-rdma/perftest, NVIDIA/nvbandwidth, ClusterKit of HPC-X, osu-micro-benchmarks, mpiGraph)
    ("ib_write_bw or another bandwidth test of perftest", re.compile(r"BW average\s*\[|\"BW_average\"")),
    ("ib_read_lat or another latency test of perftest", re.compile(r"t_min\s*\[usec\]|t_avg\s*\[usec\]|\"t_avg\"")),
    ("nvbandwidth", re.compile(r"nvbandwidth Version|unning (?:host|device)_to_(?:host|device)_memcpy")),
    ("ClusterKit", re.compile(r"clusterkit", re.I)),
    ("the OSU micro-benchmarks", re.compile(r"# OSU \S+ .{0,60}Test")),
    ("ibnetdiscover", re.compile(r"^switchguid=0x", re.M)),
    ("iblinkinfo", re.compile(r"==\(\s*\d{1,2}X\s")),
)
MOST_READ = 200_000  # characters: each of these tools names itself early


def tool_of(text: str) -> str | None:
    """The tool by what it prints; None where it is none that is known here."""
    return next((name for name, pattern in _TOOLS if pattern.search(text[:MOST_READ])), None)
