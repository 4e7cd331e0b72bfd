"""Measured serving runs (``measured/*.csv``) as cases: what a fit is made to and a report is made on.

Rows are deduplicated: the same run stood up to three times in its source, and DeepSeek-R1 and -V3 are one architecture.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.units import MILLI, FloatArray, IntArray
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.serving.batch import BARE_LAYERS, NO_COMMUNICATION, Batches, batches_of
from estimator.workloads.serving.cases import NAMES, Cases, Layouts, Load, Software, columns_of
from estimator.workloads.serving.constants import Constants

MEASURED = Path(__file__).parent / "measured"


@dataclass(frozen=True)
class Run:
    """One measured run: its row, by column."""

    given: dict[str, str]

    def number(self, name: str) -> float:
        """A column as a number; NaN where it is empty."""
        return float(self.given[name] or "nan")

    def text(self, name: str) -> str:
        """A column as it stands."""
        return self.given[name]


@dataclass(frozen=True)
class Runs:
    """Runs of one file, and what was measured. [s]"""

    rows: tuple[Run, ...]
    tpot_s: FloatArray
    ttft_s: FloatArray

    def labels(self, name: str) -> list[str]:
        """One column as it stands."""
        return [row.text(name) for row in self.rows]

    def take(self, index: Sequence[int] | IntArray) -> "Runs":
        """Some of the runs."""
        at = np.asarray(index, dtype=np.int64)
        return Runs(tuple(self.rows[i] for i in at), self.tpot_s[at], self.ttft_s[at])


def measured_runs(name: str) -> Runs:
    """The runs of ``measured/{name}.csv``."""
    rows = tuple(Run(row) for row in table(name))
    return Runs(
        rows,
        np.array([row.number("tpot_ms") for row in rows]) * MILLI,
        np.array([row.number("ttft_ms") for row in rows]) * MILLI,
    )


def table(name: str) -> list[dict[str, str]]:
    """The rows of ``measured/{name}.csv`` as they stand."""
    with (MEASURED / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def cases_of_runs(runs: Runs, catalog: Catalog, constants: Constants, prefix: str = "") -> Cases:
    """Runs as cases; ``prefix`` of the layout's columns: ``prefill_`` or ``decode_`` for one pool of a disaggregated run."""
    models, names = catalog_models(), runs.labels("model")
    distinct = list(dict.fromkeys(names))
    shapes = shape_columns([models[name].shape for name in distinct])
    columns = {name: np.array([row.number(prefix + name) for row in runs.rows]) for name in NAMES}
    load = {name: np.array([row.number(name) for row in runs.rows]) for name in _LOAD}
    return columns_of(
        shapes.take(np.array([distinct.index(name) for name in names], dtype=np.int64)),
        [catalog.gpus[row.text("gpu")] for row in runs.rows],
        [
            Software(
                gpu=row.text("gpu"),
                precision=row.text("precision"),
                framework=row.text("framework"),
                release=row.text("release"),
            )
            for row in runs.rows
        ],
        Layouts(**columns),
        Load(**load, accepted_tokens=np.ones(len(runs.rows))),
        constants,
    )


def batches_of_rows(rows: Sequence[Mapping[str, str]], catalog: Catalog) -> Batches:
    """Rows of ``measured/batch.csv`` as batches."""
    numbers = {name: np.array([float(row[name]) for row in rows]) for name in ("tp", "pp", "batch", "tokens")}
    return batches_of(
        shape_columns([_shape(row) for row in rows]),
        [catalog.gpus[row["gpu"]] for row in rows],
        [row["path"] for row in rows],
        [[BARE_LAYERS] * (row["vocab"] == "0") + [NO_COMMUNICATION] * (row["communicates"] == "no") for row in rows],
        **numbers,
    )


def _shape(row: Mapping[str, str]) -> ModelShape:
    """The decoder of a row, layers alone where it has no vocabulary."""
    hidden, heads, layers = int(row["hidden"]), int(row["heads"]), int(row["layers"])
    dim = hidden // heads
    return ModelShape(
        id="own",
        name="own",
        head_dim=dim,
        value_dim=dim,
        gated=True,
        tied=False,
        context=131_072,
        weights="bf16",
        attention_layers=layers,
        dense_layers=layers,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=int(row["kv_heads"]),
        ffn=int(row["ffn"]),
        vocab=int(row["vocab"]),
    )


_LOAD = ("concurrency", "input_tokens", "output_tokens")
