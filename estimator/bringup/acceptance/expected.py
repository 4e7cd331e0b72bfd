"""What a path must give: the model of collectives for a part of the system, its band, and what the wire can carry at most."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import DEFAULT, ModelConstants
from estimator.performance.bandwidth import LIMITS, SystemColumns, gpu_facts, points_of, system_columns
from estimator.performance.times import algorithm_name, predict_times, system_floors
from estimator.record import Json
from estimator.units import byte_s_to_gb_s

LAUNCH = "process-per-gpu"
ASSUMED = ("ring_efficiency", "nvls_efficiency")  # constants that decide whether a generation of GPUs has been measured


@dataclass(frozen=True)
class Band:
    """A bandwidth with the range of nine healthy readings in ten and what cannot be exceeded, in the unit of the gate."""

    expected: float
    low: float
    high: float
    ceiling: float
    basis: str  # model, calibration, measured, datasheet, assumption
    evidence: str
    algorithm: str | None = None
    limited_by: str | None = None

    @property
    def is_assumed(self) -> bool:
        """Nothing like it has been measured: a value outside is a reason to look, and no proof of a fault."""
        return self.basis == "assumption"


@dataclass(frozen=True)
class Part:
    """GPUs of a site that run one collective: ``system`` has the keys that differ from the site's."""

    collective: str
    n_gpus: int
    algorithm: str | None
    system: tuple[tuple[str, Any], ...] = ()


class Expectations:
    """Bus bandwidths of parts of one system, by the model with the catalog's constants or a site's own.

    Parameters
    ----------
    system : keys of a prediction's system.
    """

    def __init__(self, system: Json, catalog: Catalog, constants: ModelConstants) -> None:
        self.system = system
        self._catalog, self.constants = catalog, constants
        self._floors = system_floors(system_columns([system], catalog, constants), constants)
        facts = gpu_facts(catalog.gpus[system["gpu"]], constants)
        rows = [constants.key(name, facts.generation) for name in ASSUMED]
        is_assumed = any(key and constants.row(*key).basis == "assumption" for key in rows if key and key[1] != DEFAULT)
        given = "calibration" if constants.source else "model"
        self._known: dict[tuple[Part, int], Band] = {}
        self._basis = "assumption" if is_assumed or facts.generation == DEFAULT else given

    def band(self, part: Part, message_bytes: int) -> Band:
        """Bus bandwidth of a part at one message size [GB/s]; kept, as many results are of the same."""
        key = part, message_bytes
        if key not in self._known:
            self._known[key] = self._band(part, message_bytes)
        return self._known[key]

    def _band(self, part: Part, message_bytes: int) -> Band:
        system = {**self.system, **dict(part.system)}
        columns = system_columns([system], self._catalog, self.constants)
        points = points_of(columns, np.array([part.n_gpus]), LAUNCH, self.constants)
        sizes = np.array([[float(message_bytes)]])
        times = predict_times(points, sizes, self.constants, part.collective, part.algorithm, floors=self._floors)
        busbw = float(byte_s_to_gb_s(times.busbw_byte_s[0, 0]))
        time_s = float(times.time_s[0, 0])
        reduces = bool(system.get("in_network_reduction")) and part.algorithm is None
        ceiling = ceiling_gb_s(columns, part.collective, part.n_gpus, reduces)
        return Band(
            expected=busbw,
            low=busbw * time_s / float(times.high_s[0, 0]),
            high=max(busbw, min(busbw * time_s / float(times.low_s[0, 0]), ceiling)),
            ceiling=ceiling,
            basis=self._basis,
            evidence=self.constants.source or "the model of collectives (docs/model.md)",
            algorithm=algorithm_name(int(times.choice[0, 0])),
            limited_by=LIMITS[int(times.limit[0, 0])],
        )


def ceiling_gb_s(columns: SystemColumns, collective: str, n_gpus: int, in_network_reduction: bool) -> float:
    """Bus bandwidth that nothing can exceed, from the bytes that have to pass. [GB/s]

    Of k domains with n GPUs, each domain has to send 2(k − 1)/k · S to reduce and gather (S where switches add), and receive
    (k − 1)/k · S of a gather; of an all-to-all each GPU sends S(n − g)/n to other domains. A GPU has to send S itself.
    Rates are those printed on the parts. So two domains can show up to 2(n − 1)/n times the rate of their NICs.
    """
    domain = int(columns.domain_gpus[0])
    n, k = n_gpus, -(-n_gpus // domain)
    links = float(byte_s_to_gb_s(columns.link_byte_s[0])) or float("inf")
    inside = links * (2 * (n - 1) / n if collective == "all_reduce" else 1.0)
    if k == 1:
        return inside
    wire = float(byte_s_to_gb_s(columns.nics_per_domain[0] * columns.nic_byte_s[0]))
    part = (k - 1) / k
    if collective == "all_reduce":
        across = 2 * (n - 1) / n * (1.0 if in_network_reduction else 1 / (2 * part)) * wire
    elif collective == "alltoall":
        across = (n - 1) / (n - domain) * wire / domain if n > domain else wire
    elif collective in ("all_gather", "reduce_scatter"):
        across = (n - 1) / n / part * wire
    else:
        across = wire
    return min(across, inside) if domain > 1 else across


def scaled(band: Band, factor: float) -> Band:
    """The same band in another unit."""
    return replace(
        band,
        expected=band.expected * factor,
        low=band.low * factor,
        high=band.high * factor,
        ceiling=band.ceiling * factor,
    )
