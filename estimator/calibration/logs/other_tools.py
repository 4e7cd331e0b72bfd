"""Which other tool a file is of that holds no table of the tests, so that a refusal says what was sent and where it belongs."""

import re

OSU = "the OSU micro-benchmarks"  # which have collectives, of messages of MPI
_TOOLS = (  # what the tool prints (linux-rdma/perftest, NVIDIA/nvbandwidth, ClusterKit of HPC-X, osu-micro-benchmarks, mpiGraph)
    ("ib_write_bw or another bandwidth test of perftest", re.compile(r"BW average\s*\[|\"BW_average\"")),
    ("ib_read_lat or another latency test of perftest", re.compile(r"t_min\s*\[usec\]|t_avg\s*\[usec\]|\"t_avg\"")),
    ("nvbandwidth", re.compile(r"nvbandwidth Version|unning (?:host|device)_to_(?:host|device)_memcpy")),
    ("ClusterKit", re.compile(r"clusterkit", re.I)),
    (OSU, re.compile(r"# OSU \S+ .{0,60}Test")),
    ("ibnetdiscover", re.compile(r"^switchguid=0x", re.M)),
    ("iblinkinfo", re.compile(r"==\(\s*\d{1,2}X\s")),
)
_SHEET = re.compile(r"^\s{0,20}\"?\d{1,20}\"?[,;]\s?\"?\d{1,20}\"?[,;]\s?\"?[a-z][a-z0-9_]{2,15}\"?[,;]", re.M)
MOST_READ = 200_000  # characters: each of these tools names itself early


def tool_of(text: str) -> str | None:
    """The tool by what it prints; None where it is none that is known here."""
    return next((name for name, pattern in _TOOLS if pattern.search(text[:MOST_READ])), None)


def is_sheet(text: str) -> bool:
    """Whether a text has the rows of the tests in cells that commas or semicolons part."""
    return bool(_SHEET.search(text[:MOST_READ]))
