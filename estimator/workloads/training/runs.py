"""Training runs as they are asked for or were measured, and their columns: a run is a system, a model, a layout, a stack."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import complete_system, gpu_facts
from estimator.record import Json
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.paths.host_memory import HOST_MEMORY, SCALE_UP, HostMemoryTimes
from estimator.workloads.training.columns import Layouts, Machine, Machines, Steps, machine_columns
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.stack import features_of

LORA = "lora"
NONE, SELECTIVE, FULL = 0, 1, 2
RECOMPUTE = {None: NONE, "none": NONE, "selective": SELECTIVE, "full": FULL}
EVERYBODY = 2**40  # GPUs that share one copy: all of data and context parallelism


@dataclass(frozen=True)
class Run:
    """One training run; ``system`` has every key of a prediction's, ``layout`` those of ``Layouts`` as plain numbers."""

    system: Json
    shape: ModelShape
    layout: dict[str, int | bool]
    precision: str
    task: str = "pretrain"
    framework: str | None = None
    release: str | None = None
    features: tuple[str, ...] = ()
    factor: float = 1.0
    path: str = SCALE_UP
    """What joins the GPUs of a scale-up domain."""
    model: str = field(default="")


def full_system(system: Json, catalog: Catalog, constants: ModelConstants) -> Json:
    """A request's system with every default in place, and with scale-up domains no smaller than asked."""
    return complete_system(system, gpu_facts(catalog.gpus[system["gpu"]], constants))


def layout_columns(layouts: Sequence[dict[str, Any]]) -> Layouts:
    """Layouts as columns; see ``layout_of``."""
    return Layouts(**{name: np.array([one[name] for one in layouts]) for name in Layouts.__dataclass_fields__})


def layout_of(
    *,
    tp: int = 1,
    pp: int = 1,
    cp: int = 1,
    ep: int = 1,
    dp: int = 1,
    virtual_stages: int | None = None,
    micro_batch: int = 1,
    global_batch: int,
    sequence: int,
    zero_stage: int = 1,
    shard_gpus: int | None = None,
    sequence_parallel: bool = True,
    recompute: str | None = None,
    zero_bubble: bool = False,
) -> dict[str, int | bool]:
    """One layout with its defaults: ZeRO 1, sequence parallelism, no virtual stages, no recompute."""
    return {
        "tp": tp,
        "pp": pp,
        "cp": cp,
        "ep": ep,
        "dp": dp,
        "virtual_stages": virtual_stages or 1,
        "micro_batch": micro_batch,
        "global_batch": global_batch,
        "sequence": sequence,
        "zero_stage": zero_stage,
        "shard_gpus": min(shard_gpus or EVERYBODY, dp * cp),
        "sequence_parallel": sequence_parallel,
        "recompute": RECOMPUTE[recompute],
        "zero_bubble": zero_bubble,
    }


def machine_of(run: Run, catalog: Catalog) -> Machine:
    """The GPU, links and software of a run."""
    gpu = catalog.gpus[run.system["gpu"]]
    nics, per_node = run.system["nics_per_node"], run.system["gpus_per_node"]
    return Machine(
        gpu=gpu,
        domain_gpus=int(run.system["scale_up_domain_gpus"]),
        nic_gbit_s=run.system["nic_gbit_s"] * nics / per_node,
        precision=run.precision,
        is_lora=run.task == LORA,
        has_experts=run.shape.is_moe,
        has_expert_bias=bool(run.shape.experts and run.shape.experts.has_bias),
        framework=run.framework,
        features=features_of(
            run.framework, run.release, run.model or run.shape.id, gpu.id, run.precision, run.features
        ),
        factor=run.factor,
        over_host=run.path == HOST_MEMORY,
    )


def steps_of(runs: Sequence[Run], catalog: Catalog, constants: Constants) -> Steps:
    """Runs as columns, in their order."""
    kinds: dict[ModelShape, int] = {}
    index = np.array([kinds.setdefault(run.shape, len(kinds)) for run in runs])
    machines: Machines = machine_columns([machine_of(run, catalog) for run in runs], constants)
    return Steps(shape_columns(list(kinds)).take(index), layout_columns([run.layout for run in runs]), machines)


class Systems:
    """Group times of systems, one object for each that differs; they keep their tables."""

    def __init__(self, catalog: Catalog, constants: ModelConstants) -> None:
        self._catalog, self._constants = catalog, constants
        self._times: dict[str, GroupTimes] = {}

    def times(self, run: Run) -> GroupTimes:
        """Those of a run's system, by its path."""
        key = self.key(run)
        if key not in self._times:
            kind = HostMemoryTimes if run.path == HOST_MEMORY else GroupTimes
            self._times[key] = kind(run.system, self._catalog, self._constants)
        return self._times[key]

    @staticmethod
    def key(run: Run) -> str:
        """What runs on systems of one kind share."""
        return f"{run.path} {sorted(run.system.items())!r}"
