"""Fit of the constants of serving to the measured rows: ``python -m estimator.workloads.serving.fit`` (maintainers).

Constants are fitted in stages, each with those before it held: engines' collectives, time per token (aggregated), time to
first token, disaggregated pools, own runs of single batches. A stage minimizes ln(predicted ÷ measured) under a loss that
grows with the square root for outliers, and under each constant's prior: narrow priors on efficiencies keep a fit from
explaining one model's software with another's arithmetic. Rows weigh less where a source has many of a model.
"""

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.units import MICRO, MILLI, FloatArray, gbit_s_to_byte_s
from estimator.workloads.serving.batch import decode_s, prefill_s
from estimator.workloads.serving.cases import Cases, family_of
from estimator.workloads.serving.collectives import engine_all_reduce_s, exchange_of
from estimator.workloads.serving.constants import DATA, Constants, serving_constants
from estimator.workloads.serving.rows import Runs, batches_of_rows, cases_of_runs, measured_runs, table
from estimator.workloads.serving.serving import aggregated, disaggregated

NOISE = 0.15  # ln; below it an error counts by its square
PRIOR_WEIGHT = 3.0  # of a constant one s.d. off its prior, against one row that is NOISE off
TTFT_WEIGHT = 0.3  # of a time to first token of pools, beside a time per token
FEW = -0.15  # power of the number of rows alike that each is weighted by
TPOT_NAMES = (
    "memory_efficiency_dense",
    "memory_efficiency_expert",
    "decode_efficiency_dense",
    "decode_efficiency_expert",
    "prefill_efficiency_dense",
    "prefill_efficiency_expert",
    "prefill_size_dense",
    "prefill_size_expert",
    "attention_efficiency",
    "kv_efficiency",
    "layer_s",
    "moe_layer_s",
    "block_scale_layer_s",
    "step_s",
    "sequence_s",
    "request_s",
    "prefill_layer_s",
    "overlap_power",
    "prefill_share",
    "all_reduce_wait",
    "expert_wait",
    "expert_imbalance",
    "untuned_experts",
    "usual_accepted_tokens",
    "stack",
)
TTFT_NAMES = ("first_token_s", "first_token_layer_s", "queue_share", "burst_share")
POOL_NAMES = (
    "disaggregated_stack",
    "disaggregated_first_token_s",
    "pool_prefill_share",
    "pool_exchange_share",
)


COVERED = 0.9  # of rows, that a stated band holds
BATCH_WEIGHT = 6.0  # own runs repeat within a few per cent
_ALL_REDUCE = ("ranks", "message_bytes", "time_us")
_DISPATCH = ("nodes", "hidden", "top_k", "tokens_per_rank", "time_us")
Predicted = Callable[[Constants], FloatArray]


@dataclass(frozen=True)
class Stage:
    """What one stage fits: names, what it predicts (ln seconds), what was measured, and weights of the rows."""

    names: tuple[str, ...]
    predicted: Predicted
    measured: FloatArray
    weights: FloatArray


def fitted(constants: Constants, stage: Stage, rounds: int = 15, start: FloatArray | None = None) -> Constants:
    """The constants with those of a stage moved to where the rows and their priors agree best."""
    from scipy.optimize import least_squares  # seconds to import, and only maintainers fit

    places = [i for i, row in enumerate(constants.rows) if row.name in stage.names and row.spread > 0]
    prior = np.log([constants.rows[i].prior for i in places])
    spread = np.array([constants.rows[i].spread for i in places])

    def moved(x: FloatArray) -> Constants:
        values = constants.values.copy()
        values[places] = np.exp(prior + x * spread)
        return constants.with_values(values)

    def residuals(x: FloatArray) -> FloatArray:
        off = (stage.predicted(moved(x)) - stage.measured) / NOISE
        soft = np.sign(off) * np.sqrt(2 * (np.sqrt(1 + off**2) - 1))
        return np.concatenate([stage.weights * soft, PRIOR_WEIGHT * x])

    first = (np.log(constants.values[places]) - prior) / spread if start is None else start
    return moved(least_squares(residuals, first, max_nfev=rounds).x)


def weights_of(runs: Runs) -> FloatArray:
    """Weights of rows: many alike count less each; their mean square is 1."""
    labels = ["|".join(one) for one in zip(*(runs.labels(name) for name in ("model", "gpu", "framework")), strict=True)]
    _, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    weights = counts[inverse].astype(np.float64) ** FEW
    return np.asarray(weights / np.sqrt((weights**2).mean()))


@dataclass(frozen=True)
class Aggregated:
    """Aggregated runs with their cases, made once: only values of constants change in a fit."""

    runs: Runs
    cases: Cases

    @classmethod
    def of(cls, runs: Runs, catalog: Catalog, constants: Constants) -> "Aggregated":
        """Cases of runs."""
        return cls(runs, cases_of_runs(runs, catalog, constants))

    def under(self, constants: Constants) -> Cases:
        """The cases with other constants; accepted tokens of known releases are among them."""
        places = self.cases.constants.with_values(constants.values)
        return self.cases.with_constants(places)


def tpot_stage(data: Aggregated) -> Stage:
    """Time per token of aggregated runs."""
    return Stage(
        TPOT_NAMES,
        lambda constants: np.log(aggregated(data.under(constants)).tpot_s),
        np.log(data.runs.tpot_s),
        weights_of(data.runs),
    )


def ttft_stage(data: Aggregated) -> Stage:
    """Time to first token of the same runs; all that time per token depends on is held."""
    known = np.isfinite(data.runs.ttft_s)
    return Stage(
        TTFT_NAMES,
        lambda constants: np.log(aggregated(data.under(constants)).ttft_s)[known],
        np.log(data.runs.ttft_s[known]),
        weights_of(data.runs)[known],
    )


@dataclass(frozen=True)
class Pools:
    """Disaggregated runs with the cases of both pools."""

    runs: Runs
    prefill: Cases
    decode: Cases
    workers: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, runs: Runs, catalog: Catalog, constants: Constants) -> "Pools":
        """Cases of the runs whose workers lie in one scale-up domain each."""
        inside = [
            max(row.number("prefill_tp"), row.number("decode_tp")) <= catalog.gpus[row.text("gpu")].scale_up_domain_gpus
            for row in runs.rows
        ]
        runs = runs.take(np.flatnonzero(inside))
        prefill, decode = (cases_of_runs(runs, catalog, constants, pool) for pool in ("prefill_", "decode_"))
        workers = [np.array([row.number(f"{pool}_workers") for row in runs.rows]) for pool in ("prefill", "decode")]
        return cls(runs, prefill, decode, (workers[0], workers[1]))

    def figures(self, constants: Constants) -> tuple[FloatArray, FloatArray]:
        """ln of time per token and of time to first token."""
        prefill, decode = (
            one.with_constants(one.constants.with_values(constants.values)) for one in (self.prefill, self.decode)
        )
        served = disaggregated(prefill, decode, *self.workers)
        return np.log(served.tpot_s), np.log(served.ttft_s)


def joint_stage(data: Aggregated, pools: Pools) -> Stage:
    """Time per token of aggregated and disaggregated runs, by all that either depends on."""
    return Stage(
        TPOT_NAMES + POOL_NAMES,
        lambda constants: np.concatenate([np.log(aggregated(data.under(constants)).tpot_s), *pools.figures(constants)]),
        np.log(np.concatenate([data.runs.tpot_s, pools.runs.tpot_s, pools.runs.ttft_s])),
        np.concatenate([weights_of(data.runs), weights_of(pools.runs), TTFT_WEIGHT * weights_of(pools.runs)]),
    )


def pool_stage(data: Pools) -> Stage:
    """Both times of disaggregated runs, by the constants that only pools have."""
    return Stage(
        POOL_NAMES,
        lambda constants: np.concatenate(data.figures(constants)),
        np.concatenate([np.log(data.runs.tpot_s), np.log(data.runs.ttft_s)]),
        np.concatenate([weights_of(data.runs), TTFT_WEIGHT * weights_of(data.runs)]),
    )


def without_own_model(data: Aggregated, constants: Constants, key: str = "model") -> tuple[FloatArray, FloatArray]:
    """Times per token and to first token of every run, predicted by a fit to the runs of other models alone. [s]"""
    labels = np.array(data.runs.labels(key))
    tpot, ttft = np.zeros(len(labels)), np.zeros(len(labels))
    catalog = load_catalog()
    for label in np.unique(labels):
        own = labels == label
        others = Aggregated.of(data.runs.take(np.flatnonzero(~own)), catalog, constants)
        found = fitted(fitted(constants, tpot_stage(others), rounds=6), ttft_stage(others), rounds=6)
        left_out = Aggregated.of(data.runs.take(np.flatnonzero(own)), catalog, found)
        served = aggregated(left_out.cases)
        tpot[own], ttft[own] = served.tpot_s, served.ttft_s
    return tpot, ttft


def errors(predicted: FloatArray, measured: FloatArray) -> tuple[float, float]:
    """Median and ninth decile of |ln(predicted ÷ measured)| where both are known."""
    known = np.isfinite(predicted) & np.isfinite(measured)
    off = np.abs(np.log(predicted[known] / measured[known]))
    return float(np.median(off)), float(np.quantile(off, 0.9))


def collective_stages() -> list[Stage]:
    """Engines' all-reduces, and dispatch and combine of experts, by GPU family."""
    return [_all_reduce_stage(), _dispatch_stage()]


def _all_reduce_stage() -> Stage:
    rows = table("all_reduce")
    constants, catalog = serving_constants(), load_catalog()
    names = ("one_shot_s", "one_shot_rank_s", "one_shot_byte_s", "two_shot_s", "two_shot_byte_s")
    index = [f"{family_of(catalog.gpus[row['gpu']])}.{row['framework']}" for row in rows]
    picked = constants.picked(dict.fromkeys(names, index))
    ranks, sizes, time_us = (np.array([float(row[name]) for row in rows]) for name in _ALL_REDUCE)

    def predicted(values: Constants) -> FloatArray:
        return np.log(engine_all_reduce_s(picked.with_values(values.values), sizes, ranks))

    return Stage(names, predicted, np.log(time_us * MICRO), np.ones(len(rows)))


def all_reduce_without_own_gpu(constants: Constants) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Engines' all-reduces by the constants, by a fit without any row of their own GPU, and as measured. [s]

    The fit without it knows other GPUs of its family; NaN for the only one of a family, of which nobody else speaks.
    """
    rows, stage = table("all_reduce"), _all_reduce_stage()
    catalog, gpus = load_catalog(), np.array([row["gpu"] for row in table("all_reduce")])
    families = np.array([family_of(catalog.gpus[row["gpu"]]) for row in rows])
    without = np.full(len(rows), np.nan)
    for gpu in np.unique(gpus):
        own = gpus == gpu
        if np.isin(families[~own], families[own]).any():
            found = fitted(constants, replace(stage, weights=np.where(own, 0.0, stage.weights)), start=None)
            without[own] = np.exp(stage.predicted(found))[own]
    return np.exp(stage.predicted(constants)), without, np.exp(stage.measured)


def _dispatch_stage() -> Stage:
    rows = table("dispatch")
    constants, catalog = serving_constants(), load_catalog()
    names = ("dispatch_s", "dispatch_byte_s", "nic_efficiency")
    picked = constants.picked({name: [family_of(catalog.gpus[row["gpu"]]) for row in rows] for name in names})
    nodes, hidden, top_k, tokens, time_us = (np.array([float(row[name]) for row in rows]) for name in _DISPATCH)
    nic_byte_s = np.array([catalog.gpus[row["gpu"]].default_scale_out_gbit_s for row in rows]) * gbit_s_to_byte_s(1)

    def predicted(values: Constants) -> FloatArray:
        return np.log(
            exchange_of(picked.with_values(values.values), tokens * top_k * hidden, 8.0 * nodes, nodes, nic_byte_s)
        )

    return Stage(names, predicted, np.log(time_us * MICRO), np.ones(len(rows)))


def batch_stage() -> Stage:
    """Own runs of single batches."""
    rows = table("batch")
    decodes = np.array([row["phase"] == "decode" for row in rows])
    batches = batches_of_rows(rows, load_catalog())
    names = tuple({row.name for row in serving_constants().rows if row.name.startswith("batch_")})

    def predicted(constants: Constants) -> FloatArray:
        return np.log(np.where(decodes, decode_s(batches, constants), prefill_s(batches, constants)))

    measured = np.array([float(row["ms"]) for row in rows]) * MILLI
    return Stage(names, predicted, np.log(measured), np.full(len(rows), BATCH_WEIGHT))


def main() -> int:
    """Fit all constants and write them; prints errors by stage."""
    began, catalog, constants = perf_counter(), load_catalog(), serving_constants()
    for stage in collective_stages():
        constants = fitted(constants, stage, start=None)
        print("collectives", errors(np.exp(stage.predicted(constants)), np.exp(stage.measured)))
    data = Aggregated.of(measured_runs("aggregated"), catalog, constants)
    pools = Pools.of(measured_runs("disaggregated"), catalog, constants)
    constants = fitted(fitted(constants, tpot_stage(data)), pool_stage(pools))
    constants = fitted(fitted(constants, joint_stage(data, pools)), ttft_stage(data))
    served, of_pools = aggregated(data.under(constants)), pools.figures(constants)
    print("aggregated", errors(served.tpot_s, data.runs.tpot_s), errors(served.ttft_s, data.runs.ttft_s))
    for figure, measured in zip(of_pools, (pools.runs.tpot_s, pools.runs.ttft_s), strict=True):
        print("disaggregated", errors(np.exp(figure), measured))
    stage = batch_stage()
    constants = fitted(constants, stage, rounds=60)
    print("batch", errors(np.exp(stage.predicted(constants)), np.exp(stage.measured)))
    print(f"fit {perf_counter() - began:.0f} s")
    tpot, ttft = without_own_model(data, constants)
    print("one model left out", errors(tpot, data.runs.tpot_s), errors(ttft, data.runs.ttft_s))
    write_constants(with_bands(constants, data, tpot, ttft))
    print(f"in all {perf_counter() - began:.0f} s")
    return 0


def with_bands(constants: Constants, data: Aggregated, tpot: FloatArray, ttft: FloatArray) -> Constants:
    """The bands that nine rows in ten stay within, each model predicted without its own rows."""
    values = constants.values.copy()
    is_moe = np.broadcast_to(data.cases.is_moe, tpot.shape)
    for name, off in (
        ("tpot_band_dense", np.log(tpot / data.runs.tpot_s)[~is_moe]),
        ("tpot_band_moe", np.log(tpot / data.runs.tpot_s)[is_moe]),
        ("ttft_band", np.log(ttft / data.runs.ttft_s)),
    ):
        values[constants.place(name)] = np.quantile(np.abs(off[np.isfinite(off)]), COVERED)
    return constants.with_values(values)


def write_constants(constants: Constants) -> None:
    """``constants.csv`` with the values as they are now."""
    with DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "index", "value", "unit", "prior", "spread", "basis", "evidence"])
        for row, value in zip(constants.rows, constants.values, strict=True):
            shown = [f"{number:.6g}" for number in (value, row.prior, row.spread)]
            writer.writerow([row.name, row.index, shown[0], row.unit, *shown[1:], row.basis, row.evidence])


if __name__ == "__main__":
    sys.exit(main())
