"""How far the model's uplinks are from a flow solver on fabrics of every kind: the figures that pages and documents state.

``python -m estimator.flows.check`` solves the fabrics and writes agreement.csv.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from estimator.record import Json

AGREEMENT = Path(__file__).parent / "agreement.csv"
GPUS_A_NODE = 8
SCALES = (
    (2_048, "up to 2,048"),
    (16_384, "up to 16,384"),
    (40_000, "32,768"),
    (80_000, "65,536"),
    (10**9, "about 100,000"),
)
LAYOUTS = {"rail-optimized": "by rail", "top-of-rack": "top of rack"}
PATTERNS = ("all-to-all", "ring, random order")
COLUMNS = (
    "nodes",
    "server",
    "generation",
    "layout",
    "planes",
    "tiers",
    "oversubscription",
    "spine_oversubscription",
    "uplink_gbit_s",
    "failed_spines",
    "pattern",
    "model",
    "solver",
)


@dataclass(frozen=True)
class Case:
    """One fabric, with spines that have failed."""

    nodes: int
    server: str
    generation: str
    oversubscription: str
    layout: str = "rail-optimized"
    planes: int = 1
    tiers: int = 2
    spine_oversubscription: str = "1:1"
    failed_spines: int = 0
    uplink_gbit_s: int | None = None  # as the links to nodes

    @property
    def gpus(self) -> int:
        """GPUs of the fabric."""
        return self.nodes * GPUS_A_NODE

    @property
    def design(self) -> Json:
        """The design that it is a fabric of."""
        fabric: Json = {
            "generation": self.generation,
            "oversubscription": self.oversubscription,
            "layout": self.layout,
            "planes": self.planes,
            "tiers": self.tiers,
        }
        if self.tiers == 3:
            fabric |= {"spine_oversubscription": self.spine_oversubscription}
        if self.uplink_gbit_s:
            fabric |= {"uplink_rate_gbit_s": self.uplink_gbit_s}
        return {"compute": {"server": self.server, "nodes": self.nodes}, "fabric": fabric}

    @property
    def words(self) -> str:
        """The fabric in words."""
        parts = [
            f"{self.gpus:,} GPUs",
            self.generation,
            LAYOUTS[self.layout],
            f"{self.tiers} tiers",
            f"leaves {self.oversubscription}",
            f"spines {self.spine_oversubscription}" if self.tiers == 3 else "",
            f"{self.planes} planes" if self.planes > 1 else "",
            f"uplinks of {self.uplink_gbit_s} Gb/s" if self.uplink_gbit_s else "",
            f"{self.failed_spines} failed spine" + ("s" if self.failed_spines > 1 else "")
            if self.failed_spines
            else "",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Agreement:
    """Share of the NICs' rate that a pattern gets: as the model has it, and as the solver finds it."""

    case: Case
    pattern: str
    model: float
    solver: float

    @property
    def difference(self) -> float:
        """model ÷ solver − 1."""
        return self.model / self.solver - 1.0


class Scale(NamedTuple):
    """Fabrics of about one size under one pattern: how far the model is from the solver."""

    pattern: str
    gpus: str
    fabrics: int
    middle: float
    worst: float
    worst_case: Case


def write(rows: Iterable[Agreement], path: Path = AGREEMENT) -> None:
    """The figures as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for row in rows:
            of_case = [getattr(row.case, name) for name in COLUMNS[:10]]
            out.writerow([*of_case, row.pattern, f"{row.model:.4f}", f"{row.solver:.4f}"])


@lru_cache(maxsize=1)
def kept() -> tuple[Agreement, ...]:
    """The figures of ``agreement.csv``."""
    out = []
    with AGREEMENT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            case = Case(
                nodes=int(row["nodes"]),
                server=row["server"],
                generation=row["generation"],
                oversubscription=row["oversubscription"],
                layout=row["layout"],
                planes=int(row["planes"]),
                tiers=int(row["tiers"]),
                spine_oversubscription=row["spine_oversubscription"],
                failed_spines=int(row["failed_spines"]),
                uplink_gbit_s=int(row["uplink_gbit_s"]) if row["uplink_gbit_s"] else None,
            )
            out.append(Agreement(case, row["pattern"], float(row["model"]), float(row["solver"])))
    return tuple(out)


def by_scale() -> list[Scale]:
    """The kept figures by pattern and size."""
    groups: dict[tuple[str, str], list[Agreement]] = {}
    for one in kept():
        size = next(words for most, words in SCALES if one.case.gpus <= most)
        groups.setdefault((one.pattern, size), []).append(one)
    out = []
    for pattern in PATTERNS:
        for _, size in SCALES:
            rows = groups.get((pattern, size), [])
            if rows:
                worst = max(rows, key=lambda one: abs(one.difference))
                middle = median(abs(one.difference) for one in rows)
                out.append(Scale(pattern, size, len(rows), middle, abs(worst.difference), worst.case))
    return out
