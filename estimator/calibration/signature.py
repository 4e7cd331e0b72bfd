"""A logged run in the numbers that faults are found by: its times against the prediction, and against the ring's.

Two nodes are judged by the ring, as trees exceed the wire there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.calibration.faults import Fault
from estimator.calibration.logged_run import NIC_KEYS, LoggedRun
from estimator.calibration.measured import MIB
from estimator.calibration.predictor import Predictor
from estimator.catalog.catalog import Catalog
from estimator.performance.collectives import BUS_FACTORS
from estimator.sentences import Words, said
from estimator.units import FloatArray

LARGE_BYTES, FLOOR_BYTES = 64 * MIB, 1024
N_PLATEAU = 3  # largest sizes that the plateau is taken from


@dataclass(frozen=True)
class Signature:
    """A run in the numbers that faults are found by; ratios are measured ÷ predicted time."""

    run: LoggedRun
    ratio: FloatArray
    busbw_gb_s: FloatArray
    share: (
        float | None
    )  # of the expected bandwidth that the plateau has; on two domains of the ring's; None without one
    slow: float | None  # the plateau's ratio to the fastest algorithm
    floor: float | None  # ratio of messages up to 1 KiB
    mid: float | None  # 1 to 64 MiB
    ring_share: float | None  # of the ring's bandwidth, where several domains ran an all-reduce
    has_links: bool  # GPUs joined by more than PCIe
    limits: Mapping[str, float]  # thresholds and scores (catalog/diagnosis.csv)
    ring_ratio: FloatArray | None = None  # as ``ratio``, for the ring
    near: float | None = None  # ratio of 1 to 8 MiB, the largest three
    far: float | None = None  # the same of 64 KiB to 1 MiB

    def at(self, name: str) -> float:
        """A threshold or score of diagnosis.csv."""
        return self.limits[name]

    @property
    def is_slow(self) -> bool:
        """The plateau takes longer than a sound one may."""
        return self.slow is not None and self.slow > self.at("sound.slow")

    @property
    def n_domains(self) -> int:
        """Scale-up domains of the run."""
        return self.run.n_domains

    @property
    def n_nics(self) -> int:
        """NICs of a node."""
        return int(self.run.system.get("nics_per_node") or self.run.gpus_per_node)

    @property
    def is_guessed(self) -> bool:
        """Neither the log nor the caller says how many NICs of which rate join the nodes: a guess accuses nobody."""
        return self.n_domains > 1 and any(key in self.run.assumed for key in NIC_KEYS)

    @property
    def is_superchip(self) -> bool:
        """The NICs hang on the CPU side of GH200, GB200 and the like."""
        return self.run.gpu.startswith(("gh", "gb"))

    @property
    def is_old_host(self) -> bool:
        """Servers of V100 and P100 have PCIe 3, over which copies through host memory leave less than elsewhere."""
        return self.run.gpu.startswith(("v100", "p100"))

    @property
    def fabric(self) -> str:
        """Kind of network."""
        return str(self.run.system.get("fabric") or "infiniband")

    @property
    def deficit(self) -> float:
        """0 where the plateau is sound, 1 where it is clearly too low."""
        if self.share is None:
            return 0.0
        return float(np.clip((1 / self.share - self.at("sound.slow")) / self.at("deficit.span"), 0.0, 1.0))

    @property
    def n_spikes(self) -> int:
        """Sizes that took several times what their neighbours did, against the prediction."""
        r = self.ratio
        if len(r) < 5:
            return 0
        near = np.array([np.median(r[max(i - 2, 0) : i + 3]) for i in range(len(r))])
        return int(np.sum(r > self.at("spike.times") * near))

    @property
    def collapse(self) -> float:
        """Peak bus bandwidth ÷ that of the largest size; 1 where it still rises."""
        return float(self.busbw_gb_s.max() / self.busbw_gb_s[-1]) if len(self.busbw_gb_s) > 2 else 1.0

    @property
    def n_drops(self) -> int:
        """Sizes above 32 MiB at which bandwidth fell by about a seventh and more."""
        large = self.busbw_gb_s[np.array(self.run.message_bytes) >= LARGE_BYTES / 2]
        return int(np.sum(large[1:] < self.at("drop.share") * large[:-1]))


def signatures_of(runs: Sequence[LoggedRun], catalog: Catalog) -> list[Signature]:
    """Every run with its prediction, and with the ring's where two domains or more reduce."""
    if not runs:
        return []
    ratios = _ratios(runs, catalog)
    ringed = [replace(run, algorithm="ring", protocol=None) for run in runs]
    across = [run.collective == "all_reduce" and run.gpus > run.scale_up_domain_gpus for run in runs]
    by_ring = _ratios([run for run, is_across in zip(ringed, across, strict=True) if is_across], catalog)
    rings, limits = iter(by_ring), limits_of(catalog)
    return [
        _signature(run, ratio, next(rings) if is_across else None, catalog, limits)
        for run, ratio, is_across in zip(runs, ratios, across, strict=True)
    ]


def limits_of(catalog: Catalog) -> dict[str, float]:
    """Thresholds and scores of diagnosis.csv by name."""
    return {name: row.value for name, row in catalog.diagnosis.items()}


def _ratios(runs: Sequence[LoggedRun], catalog: Catalog) -> list[FloatArray]:
    """Measured ÷ predicted times, in the order of ``runs``."""
    if not runs:
        return []
    predictor = Predictor(runs, catalog)
    ratios = np.exp(-predictor.errors(predictor.constants))
    place = {id(run): i for i, run in enumerate(predictor.runs)}
    return [ratios[predictor.owner == place[id(run)]] for run in runs]


def _signature(
    run: LoggedRun, ratio: FloatArray, ring: FloatArray | None, catalog: Catalog, limits: Mapping[str, float]
) -> Signature:
    sizes = np.array(run.message_bytes)
    plateau = plateau_of(sizes)
    slow = float(np.median(ratio[plateau])) if plateau.any() else None
    ring_share = float(1 / np.median(ring[plateau])) if ring is not None and plateau.any() else None
    n_domains = run.n_domains
    share = None if slow is None else 1 / slow
    if (
        ring_share is not None
        and n_domains == 2
        and run.algorithm is None
        and not run.system.get("in_network_reduction")
    ):
        share = ring_share
    gpu = catalog.gpus[run.gpu]
    factor = float(BUS_FACTORS[run.collective](np.array(run.gpus)))
    return Signature(
        run=run,
        ratio=ratio,
        busbw_gb_s=sizes / np.array(run.time_us) / 1e3 * factor,
        share=share,
        slow=slow,
        floor=_median(ratio, sizes <= FLOOR_BYTES),
        mid=_median(ratio, (sizes >= MIB) & (sizes < LARGE_BYTES)),
        ring_share=ring_share,
        has_links=gpu.scale_up_both_ways_gb_s > 0 and "bridge" not in gpu.scale_up_topology.lower(),
        limits=limits,
        ring_ratio=ring,
        near=_median(ratio, _largest((sizes >= MIB) & (sizes < 8 * MIB))),
        far=_median(ratio, _largest((sizes >= MIB // 16) & (sizes < MIB))),
    )


def plateau_of(sizes: Any) -> Any:
    """The largest sizes of 64 MiB and more; below that, of 8 MiB and more."""
    for least in (LARGE_BYTES, 8 * MIB):
        if (sizes >= least).any():
            return (sizes >= least) & (sizes >= sizes[max(len(sizes) - N_PLATEAU, 0)])
    return np.zeros(len(sizes), dtype=bool)


def _largest(where: Any) -> Any:
    """The largest three sizes of those."""
    return where & (np.cumsum(where[::-1])[::-1] <= N_PLATEAU)


def _median(values: FloatArray, where: Any) -> float | None:
    return float(np.median(values[where])) if where.any() else None


def fault_of(signature: Signature, code: str, score: float, evidence: Words, **numbers: float | None) -> Fault:
    """A fault of a run, with the numbers that are known; less sure and said so where the GPU is not."""
    known = {key: round(float(value), 3) for key, value in numbers.items() if value is not None}
    run = signature.run
    if run.stand_in:
        score *= 1.0 if run.gpus_per_node == 1 else signature.at("stand_in.trust")
        evidence = said(evidence, " (the GPU is not known: judged by the NICs' rate and the latency of like systems)")
    return Fault(code, float(score), said(f"{run.name}: ", evidence), run.name, known)


def share_text(share: float) -> str:
    """A share in per cent; below 2 % with two figures, so that it never reads 0 %."""
    return f"{100 * share:.0f} %" if share >= 0.02 else f"{100 * share:.2g} %"
