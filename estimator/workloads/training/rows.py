"""Measured training steps (measured/steps.csv) as runs, with where each is from."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.record import Json
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.named import model_of
from estimator.workloads.models.shapes import with_layers
from estimator.workloads.training.runs import Run, full_system, layout_of
from estimator.workloads.training.stack import EAGER

PATH = Path(__file__).with_name("measured") / "steps.csv"
_COUNTS = ("tp", "pp", "cp", "ep", "dp", "micro_batch", "global_batch", "sequence")


@dataclass(frozen=True)
class MeasuredStep:
    """One row: a run and the seconds that a step took."""

    id: str
    source: str
    model: str
    gpu: str
    precision: str
    gpus: int
    run: Run
    step_s: float
    licence: str
    url: str


@cache
def _table() -> tuple[dict[str, str], ...]:
    with PATH.open(newline="") as file:
        return tuple(csv.DictReader(file))


EAGER_PATH = PATH.with_name("eager_steps.csv")
DECODER: Json = {  # that the eager steps train: 2.6 B parameters
    "layers": 24,
    "hidden": 3_072,
    "heads": 24,
    "kv_heads": 8,
    "head_dim": 128,
    "ffn": 8_192,
    "vocab": 32_768,
    "gated": True,
}
DATA_PARALLEL_PATH = PATH.with_name("data_parallel_steps.csv")
SMALL_DECODER: Json = {  # that the data-parallel steps train: the usual shape that has exactly the parameters which the runs name
    "layers": 24,
    "hidden": 2_048,
    "heads": 16,
    "kv_heads": 16,
    "head_dim": 128,
    "ffn": 8_192,
    "vocab": 32_000,
    "gated": False,
}


def eager_steps(catalog: Catalog, constants: ModelConstants) -> Iterator[MeasuredStep]:
    """Own steps of PyTorch without graphs or compiler, on two GPUs (measured/eager_steps.csv)."""
    return _own_steps(EAGER_PATH, DECODER, catalog, constants)


def data_parallel_steps(catalog: Catalog, constants: ModelConstants) -> Iterator[MeasuredStep]:
    """The same of another decoder on up to four GPUs of another kind, which no constant is fitted to."""
    return _own_steps(DATA_PARALLEL_PATH, SMALL_DECODER, catalog, constants)


def _own_steps(path: Path, decoder: Json, catalog: Catalog, constants: ModelConstants) -> Iterator[MeasuredStep]:
    shape = model_of(decoder)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for place, row in enumerate(rows):
        names = ("tp", "pp", "dp", "zero_stage", "micro_batch", "global_batch", "sequence")
        counts: Json = {name: int(row[name]) for name in names}
        yield MeasuredStep(
            id=f"{path.stem}-{place}",
            source=EAGER,
            model=row["mode"],
            gpu=row["gpu"],
            precision="bf16",
            gpus=int(row["gpus"]),
            run=Run(
                system=full_system({"gpu": row["gpu"]}, catalog, constants),
                shape=shape,
                layout=layout_of(**counts, recompute=row["recompute"], sequence_parallel=False),
                precision="bf16",
                framework=EAGER,
                path=row["path"],
            ),
            step_s=float(row["step_s"]),
            licence=row["licence"],
            url=row["source"],
        )


@cache
def measured_pairs() -> frozenset[tuple[str, str]]:
    """Frameworks (sources) and models that have rows."""
    return frozenset((row["source"], row["model"]) for row in _table())


def measured_steps(catalog: Catalog, constants: ModelConstants) -> Iterator[MeasuredStep]:
    """All rows in the order of the file."""
    models = catalog_models()
    for row in _table():
        system = full_system(
            {
                "gpu": row["gpu"],
                "gpus_per_node": int(row["gpus_per_node"]),
                "scale_up_domain_gpus": int(row["scale_up_domain_gpus"]),
                "nics_per_node": int(row["gpus_per_node"]),
                "nic_gbit_s": float(row["nic_gbit_s"]),
                "fabric": "infiniband",
            },
            catalog,
            constants,
        )
        shape = models[row["model"]].shape
        counts: Json = {name: int(row[name]) for name in _COUNTS}
        layout = layout_of(
            **counts,
            virtual_stages=int(row["virtual_stages"] or 1),
            zero_stage=3 if row["fsdp"] else 1,
            recompute=row["recompute"] or None,
        )
        yield MeasuredStep(
            id=row["id"],
            source=row["source"],
            model=row["model"],
            gpu=row["gpu"],
            precision=row["precision"],
            gpus=int(row["gpus"]),
            run=Run(
                system=system,
                shape=with_layers(shape, int(row["layers"])) if row["layers"] else shape,
                layout=layout,
                precision=row["precision"],
                task=row["task"],
                framework=row["source"],
                release=row["release"] or None,
                model=row["model"],
            ),
            step_s=float(row["step_s"]),
            licence=row["licence"],
            url=row["url"],
        )
