"""Measured runs that the project carries: published nccl-tests and rccl-tests results, and own ones, with their sources.

``measured/runs.csv`` has a row for each run of one collective on one system, ``points.csv`` its out-of-place times. Rows
that a source prints too coarsely (times derived from a rounded bandwidth, below 64 KiB) are not carried, nor single
rows that took more than 1.8 times both of their neighbours.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from estimator.performance.library import library_number
from estimator.record import Json

HERE = Path(__file__).parent / "measured"
MIB = 2**20
CLASS_LABELS = {"large": "≥ 64 MiB", "mid": "1–64 MiB", "small": "< 1 MiB"}
SIZE_CLASSES = tuple(CLASS_LABELS)
CORE = "core"  # healthy NCCL runs on NVLink machines over InfiniBand, RoCE or EFA: what errors are quoted on
_INTEGERS = ("gpus_per_node", "scale_up_domain_gpus", "nics_per_node")
_FLAGS = ("in_network_reduction", "scale_up_reduction")


class OnSystem:
    """A run on a system: what the keys of ``system``, those of a prediction request, say of the machines."""

    gpus: int
    system: Json

    @property
    def gpu(self) -> str:
        """Catalog id of the accelerator."""
        return str(self.system["gpu"])

    @property
    def fabric(self) -> str:
        """Kind of network; "none" where there is none."""
        return str(self.system["fabric"])

    @property
    def gpus_per_node(self) -> int:
        """GPUs of a server."""
        return int(self.system["gpus_per_node"])

    @property
    def scale_up_domain_gpus(self) -> int:
        """GPUs of a scale-up domain."""
        return int(self.system["scale_up_domain_gpus"])

    @property
    def n_domains(self) -> int:
        """Scale-up domains that the run spans."""
        return -(-self.gpus // self.scale_up_domain_gpus)


@dataclass(frozen=True)
class Run(OnSystem):
    """One collective measured on one system; ``message_bytes`` and ``time_us`` line up."""

    name: str
    collective: str
    family: str
    health: str
    source: str
    gpus: int
    system: Json
    algorithm: str | None
    protocol: str | None
    launch: str
    library: str
    """The collective library's version as its source prints it; "" where it does not."""
    site: str
    """Who ran the machines: what is held out together, as one operator's runs under several titles are one witness."""
    message_bytes: tuple[int, ...]
    time_us: tuple[float, ...]

    @property
    def request(self) -> Json:
        """The run as a prediction request."""
        return {
            "system": self.system,
            "collective": self.collective,
            "gpus": [self.gpus],
            "message_bytes": list(self.message_bytes),
            "algorithm": self.algorithm,
            "protocol": self.protocol,
            "launch": self.launch,
        }


def size_class(message_bytes: float) -> str:
    """One of SIZE_CLASSES."""
    return "large" if message_bytes >= 64 * MIB else "mid" if message_bytes >= MIB else "small"


@dataclass(frozen=True)
class Source:
    """Where runs were published: its title, and its place, "" where it has none."""

    id: str
    title: str
    where: str

    def __str__(self) -> str:
        return f"{self.title} ({self.where})" if self.where else self.title


@lru_cache(maxsize=1)
def sources() -> dict[str, Source]:
    """All sources by id, in the order of the table."""
    return {source.id: source for source in (Source(**row) for row in read_table("sources.csv"))}


def read_table(name: str) -> list[dict[str, str]]:
    """Rows of one of the tables."""
    with (HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@lru_cache(maxsize=1)
def measured_runs() -> tuple[Run, ...]:
    """All runs, in the order of the table."""
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in read_table("points.csv"):
        points.setdefault((row["run"], row["collective"]), []).append(
            (int(row["message_bytes"]), float(row["time_us"]))
        )
    return tuple(_run(row, points[row["run"], row["collective"]]) for row in read_table("runs.csv"))


def _run(row: dict[str, str], points: list[tuple[int, float]]) -> Run:
    system: Json = {"gpu": row["gpu"], "fabric": row["fabric"], "nic_gbit_s": float(row["nic_gbit_s"])}
    system |= {key: int(row[key]) for key in _INTEGERS} | {key: row[key] == "yes" for key in _FLAGS}
    system |= {"library": row["library"]} if library_number(row["library"]) else {}
    return Run(
        name=row["run"],
        collective=row["collective"],
        family=row["family"],
        health=row["health"],
        source=row["source"],
        gpus=int(row["gpus"]),
        system=system,
        algorithm=row["algorithm"] or None,
        protocol=row["protocol"] or None,
        launch=row["launch"],
        library=row["library"],
        site=row["site"],
        message_bytes=tuple(size for size, _ in points),
        time_us=tuple(t for _, t in points),
    )
