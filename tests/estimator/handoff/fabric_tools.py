"""OpenSM over a simulated fabric, and Slurm's controller, on what the project exports; both are Debian packages."""

import contextlib
import csv
import os
import re
import shutil
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from estimator.digits import is_whole_number

SWITCHES = ("leaf", "spine", "core")
TAKEN = "ftree tables configured on all switches"
STARTS_S, ROUTES_S = 20, 120

needs_opensm = pytest.mark.skipif(
    not (shutil.which("opensm") and shutil.which("ibsim")),
    reason="OpenSM and ibsim are not installed (Debian: opensm ibsim-utils libumad2sim0; the test command installs them as root)",
)
needs_slurm = pytest.mark.skipif(
    not shutil.which("slurmctld"),
    reason="slurmctld is not installed (Debian: slurmctld; the test command installs it as root)",
)


def rows_of(link_csv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(link_csv.splitlines()))


def one_subnet(rows: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Links of the first plane: each plane is a subnet with a subnet manager of its own."""
    return [row for row in rows if row["plane"] == "1"]


def net_file(rows: Iterable[Mapping[str, str]]) -> str:
    """The fabric as ibsim reads it: every device with its ports in order, and what each is joined to."""
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    ends = [[(row[f"{end}_device"], row[f"{end}_port"]) for end in ("a", "b")] for row in rows]
    for device, port in (end for pair in ends for end in pair):
        numbers[device].setdefault(port, len(numbers[device]) + 1)
    joined: dict[str, dict[int, str]] = defaultdict(dict)
    for pair in ends:
        for (device, port), (other, its_port) in (pair, pair[::-1]):
            joined[device][numbers[device][port]] = f'"{other}"[{numbers[other][its_port]}]'
    out = []
    for device in sorted(joined, key=lambda name: (not name.startswith(SWITCHES), name)):
        kind = "Switch" if device.startswith(SWITCHES) else "Hca"
        lines = [f"[{port}]\t{to}\t\t# lid 0 4xQDR" for port, to in sorted(joined[device].items())]
        out += [f'{kind} {len(lines)} "{device}"', *lines, ""]
    return "\n".join(out)


def opensm_log(rows: list[Mapping[str, str]], folder: Path) -> str:
    """What OpenSM says of one sweep of the fabric with fat-tree routing."""
    with in_fabric(rows, folder) as run:
        return opensm_sweep(run, folder, "-R", "ftree")


def opensm_sweep(run: Callable[..., str], folder: Path, *options: str) -> str:
    """What OpenSM says of one sweep of a fabric that stands."""
    run("opensm", "-o", "-e", *options, "-f", str(folder / "osm.log"))
    return (folder / "osm.log").read_text()


@contextlib.contextmanager
def in_fabric(rows: Sequence[Mapping[str, str]], folder: Path) -> Iterator[Callable[..., str]]:
    """The fabric under ibsim until the block ends; gives what runs a command in it, at the first link's lower end."""
    (folder / "net").write_text(net_file(rows))
    environment = os.environ | {
        "IBSIM_SOCKNAME": f"test-{os.getpid()}-{folder.name}",
        "OSM_TMP_DIR": str(folder),
        "OSM_CACHE_DIR": str(folder),
        "SIM_HOST": rows[0]["a_device"],
    }

    def run(*command: str) -> str:
        made = subprocess.run(
            ["ibsim-run", *command],
            env=environment,
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=ROUTES_S,
        )
        return made.stdout

    with simulated(folder, environment):
        yield run


@contextlib.contextmanager
def simulated(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """ibsim with the fabric of the folder, until the block ends."""
    command = ["ibsim", "-s", "-N", "8192", "-S", "4096", "-P", "400000", "net"]
    with (folder / "sim.log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=folder, env=environment)
        try:
            wait_for(folder / "sim.log", "MaxMcastCap")
            yield
        finally:
            process.kill()
            process.wait()


def wait_for(path: Path, text: str) -> str:
    """The file once it holds the text."""
    for _ in range(STARTS_S * 20):
        found = path.read_text() if path.exists() else ""
        if text in found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{text!r} does not come: {found[-2000:]}")


def free_port() -> int:
    """A port of this machine that nothing listens on: two runs of the tests may stand side by side."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def slurm_log(topology: str, n_nodes: int, folder: Path, cluster: str = "") -> str:
    """What slurmctld says once it has read the topology; ``cluster`` are parts of slurm.conf in place of the plain ones."""
    (folder / "topology.conf").write_text(topology)
    (folder / "state").mkdir()
    width = max(4, len(str(n_nodes)))
    plain = f"""TopologyPlugin=topology/tree
SelectType=select/cons_tres
NodeName=node-[{1:0{width}d}-{n_nodes:0{width}d}] NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES
"""
    (folder / "slurm.conf").write_text(
        f"""ClusterName=test
SlurmctldHost=localhost
AuthType=auth/none
CredType=cred/none
SlurmUser={os.environ.get("USER", "root")}
SlurmctldPort={free_port()}
StateSaveLocation={folder / "state"}
SlurmctldPidFile={folder / "slurmctld.pid"}
SlurmctldLogFile={folder / "slurmctld.log"}
SlurmctldDebug=debug3
ProctrackType=proctrack/pgid
{cluster or plain}"""
    )
    process = subprocess.Popen(
        ["slurmctld", "-D", "-c", "-i", "-f", str(folder / "slurm.conf")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return wait_for(folder / "slurmctld.log", "switch_desc_index[0]")
    finally:
        process.kill()
        process.wait()


def slurm_switches(log: str) -> dict[str, tuple[int, str]]:
    """Switches that slurmctld has read: name → (level, nodes below)."""
    found = re.findall(r"Switch level:(\d+) name:(\S+) nodes:(\S+)", log)
    return {name: (int(level), nodes) for level, name, nodes in found if is_whole_number(level, 3)}
