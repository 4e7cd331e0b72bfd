"""Accuracy of serving in the open: ``python -m estimator.workloads.serving.report`` writes ``accuracy.csv`` (generated).

Each row is a slice of the measured runs by source, model, GPU, engine or load: how many, and |ln(predicted ÷ measured)| with
the constants as they stand, with each model left out of its own fit, then calibrated by three other runs of the same model,
GPU, precision, engine and release, and of the naive guess. Engines' own all-reduces follow, each GPU left out of the fit.
A digest of the constants and the runs says what the file belongs to. ``ranking.csv`` says how well the same predictions,
each model left out, choose between layouts that were measured side by side.
"""

import csv
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from estimator.catalog.loader import load_catalog
from estimator.units import BoolArray, FloatArray
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.ranking import Ranking, joined, ranking, write_rankings
from estimator.workloads.serving.calibration import correction_of, features_of
from estimator.workloads.serving.cases import NAMES
from estimator.workloads.serving.constants import DATA, serving_constants
from estimator.workloads.serving.fit import Aggregated, Pools, all_reduce_without_own_gpu, errors, without_own_model
from estimator.workloads.serving.rows import MEASURED, Runs, measured_runs, table
from estimator.workloads.serving.serving import aggregated

ACCURACY = Path(__file__).with_name("accuracy.csv")
RANKING = Path(__file__).with_name("ranking.csv")
COLUMNS = (
    "figure",
    "by",
    "value",
    "runs",
    "median",
    "ninth_decile",
    "left_out_median",
    "left_out_ninth_decile",
    "three_rows_median",
    "three_rows_ninth_decile",
    "naive_median",
    "naive_ninth_decile",
)
LOADS = ((1, 4), (5, 16), (17, 64), (65, 10**9))
SLICES = ("source", "model", "gpu", "framework", "precision")
SAME = ("model", "gpu", "precision", "framework", "input_tokens", "output_tokens", "concurrency")
STACK = ("model", "gpu", "precision", "framework", "release")
ALL_REDUCE = "all-reduce of an engine"
ALL_REDUCE_SIZES = (("below 64 KiB", 0, 2**16), ("64 KiB to 1 MiB", 2**16, 2**20), ("1 MiB and more", 2**20, 2**62))
N_CALIBRATING = 3
FEWEST = 3  # layouts of a group in which the first two are no foregone conclusion


def digest() -> str:
    """16 hexadecimal digits of the constants and the runs that a report is made of."""
    files = [DATA, MEASURED / "aggregated.csv", MEASURED / "disaggregated.csv"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def naive_guess(runs: Runs, measured: FloatArray) -> FloatArray:
    """Median of the runs of other models on the same GPU, TP and concurrency; of any TP or concurrency where none is alike."""
    model, gpu, tp = (np.array(runs.labels(name)) for name in ("model", "gpu", "tp"))
    load = np.round(np.log2([row.number("concurrency") for row in runs.rows]))
    out = np.zeros(len(measured))
    for i in range(len(measured)):
        others = model != model[i]
        for alike in (others & (gpu == gpu[i]) & (tp == tp[i]) & (load == load[i]), others & (load == load[i]), others):
            if alike.any():
                out[i] = np.nanmedian(measured[alike])
                break
    return out


def slices(runs: Runs) -> Iterator[tuple[str, str, BoolArray]]:
    """Every slice of the runs: by what, its value, which runs."""
    yield "all", "all", np.ones(len(runs.rows), dtype=bool)
    for name in SLICES:
        labels = np.array(runs.labels(name))
        for value in np.unique(labels):
            yield name, str(value), labels == value
    load = np.array([row.number("concurrency") for row in runs.rows])
    for low, high in LOADS:
        yield (
            "concurrency",
            f"{low} to {high}" if high < LOADS[-1][1] else f"{low} and more",
            (load >= low) & (load <= high),
        )


def after_three_rows(
    runs: Runs, tpot_s: FloatArray, ttft_s: FloatArray, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Both times of each run after three other runs of its stack calibrate, drawn at random; NaN where there are fewer. [s]"""
    random = np.random.default_rng(seed)
    stacks = joined(runs.labels(name) for name in STACK)
    concurrency, inputs, outputs, tp = (
        np.array([row.number(name) for row in runs.rows])
        for name in ("concurrency", "input_tokens", "output_tokens", "tp")
    )
    features = features_of(concurrency, inputs, outputs, tp)
    off_tpot, off_ttft = np.log(runs.tpot_s / tpot_s), np.log(runs.ttft_s / ttft_s)
    out = np.full((2, len(tpot_s)), np.nan)
    for place, stack in enumerate(stacks):
        others = np.flatnonzero((stacks == stack) & (np.arange(len(stacks)) != place))
        if len(others) < N_CALIBRATING:
            continue
        rows = random.choice(others, N_CALIBRATING, replace=False)
        found = correction_of(features[rows], off_tpot[rows], off_ttft[rows][np.isfinite(off_ttft[rows])].tolist())
        out[:, place] = found.tpot_factor(features[place])[()], found.ttft_factor
    return tpot_s * out[0], ttft_s * out[1]


def rows_of(figure: str, runs: Runs, measured: FloatArray, predictions: Sequence[FloatArray]) -> Iterator[list[str]]:
    """Rows of one figure: predicted with the constants, with the model left out, calibrated after that, and guessed."""
    for by, value, own in slices(runs):
        known = own & np.isfinite(measured)
        if not known.any():
            continue
        numbers = []
        for predicted in predictions:
            some = np.isfinite(predicted[known]).any()
            numbers += [f"{one:.3f}" for one in errors(predicted[known], measured[known])] if some else ["", ""]
        yield [figure, by, value, str(int(known.sum())), *numbers]


def rankings(runs: Runs, predicted_s: FloatArray) -> Iterator[tuple[str, Ranking | None]]:
    """How well times per token choose between layouts: over any number of GPUs, and over layouts of as many GPUs.

    Speculation is hidden where a model has layers to draft with and a run does not name its release: such runs are compared
    with runs of the same release alone, and runs without a release with none.
    """
    alike, layouts = (joined(runs.labels(name) for name in names) for names in (SAME, NAMES))
    n_gpus = [row.number("tp") * row.number("pp") * row.number("attention_dp") for row in runs.rows]
    drafts = np.array([catalog_models()[model].shape.mtp > 0 for model in runs.labels("model")])
    releases = np.array(runs.labels("release"))
    known = joined((alike, np.where(drafts, releases, "")))
    all_runs, open_runs = np.ones(len(alike), dtype=bool), ~drafts | (releases != "")
    for name, groups, own, fewest in (
        ("any number of GPUs", alike, all_runs, FEWEST),
        ("any number of GPUs, no hidden speculation", known, open_runs, FEWEST),
        ("equal number of GPUs", joined((alike, n_gpus)), all_runs, 2),
        ("equal number of GPUs, no hidden speculation", joined((known, n_gpus)), open_runs, 2),
    ):
        yield name, ranking(groups[own], layouts[own], runs.tpot_s[own], predicted_s[own], fewest)


def tokens_s_per_gpu(runs: Runs, tpot_s: FloatArray, ttft_s: FloatArray, gpus: FloatArray) -> FloatArray:
    """Output tokens a second and GPU of a closed loop, by Little's law."""
    load, output = (np.array([row.number(name) for row in runs.rows]) for name in ("concurrency", "output_tokens"))
    return load * output / (ttft_s + output * tpot_s) / gpus


def main() -> int:
    """Write the file."""
    catalog, constants = load_catalog(), serving_constants()
    data = Aggregated.of(measured_runs("aggregated"), catalog, constants)
    runs, served = data.runs, aggregated(data.cases)
    tpot, ttft = without_own_model(data, constants)
    calibrated = after_three_rows(runs, tpot, ttft)
    write_rankings(RANKING, rankings(runs, tpot), digest())
    gpus = data.cases.layouts.gpus
    rate = tokens_s_per_gpu(runs, runs.tpot_s, runs.ttft_s, gpus)
    pools = Pools.of(measured_runs("disaggregated"), catalog, constants)
    of_pools = [np.exp(one) for one in pools.figures(constants)]
    with ACCURACY.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, digest()])
        for figure, measured, *predictions in (
            ("time per token", runs.tpot_s, served.tpot_s, tpot, calibrated[0]),
            ("time to first token", runs.ttft_s, served.ttft_s, ttft, calibrated[1]),
            (
                "tokens a second and GPU",
                rate,
                tokens_s_per_gpu(runs, served.tpot_s, served.ttft_s, gpus),
                tokens_s_per_gpu(runs, tpot, ttft, gpus),
                tokens_s_per_gpu(runs, *calibrated, gpus),
            ),
        ):
            writer.writerows(rows_of(figure, runs, measured, [*predictions, naive_guess(runs, measured)]))
    append_pools(pools, of_pools)
    append_all_reduces()
    return 0


def append_pools(pools: Pools, figures: list[FloatArray]) -> None:
    """The rows of disaggregated runs, which have no fit without their model: nearly all are of one."""
    with ACCURACY.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for name, found, measured in zip(
            ("disaggregated time per token", "disaggregated time to first token"),
            figures,
            (pools.runs.tpot_s, pools.runs.ttft_s),
            strict=True,
        ):
            for by, value, own in slices(pools.runs):
                if own.any():
                    numbers = [f"{one:.3f}" for one in errors(found[own], measured[own])]
                    writer.writerow([name, by, value, str(int(own.sum())), *numbers, *[""] * 6])


def append_all_reduces() -> None:
    """The rows of engines' own all-reduces: with the constants, and with each GPU left out of the fit of its family."""
    rows = table("all_reduce")
    predicted, without, measured = all_reduce_without_own_gpu(serving_constants())
    sizes = np.array([float(row["message_bytes"]) for row in rows])
    groups = [("all", "all", np.ones(len(rows), dtype=bool))]
    for name in ("gpu", "framework"):
        labels = np.array([row[name] for row in rows])
        groups += [(name, str(value), labels == value) for value in np.unique(labels)]
    groups += [("bytes", words, (sizes >= low) & (sizes < high)) for words, low, high in ALL_REDUCE_SIZES]
    with ACCURACY.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for by, value, own in groups:
            numbers = [f"{one:.3f}" for one in errors(predicted[own], measured[own])]
            known = own & np.isfinite(without)
            left_out = [f"{one:.3f}" for one in errors(without[known], measured[known])] if known.any() else ["", ""]
            writer.writerow([ALL_REDUCE, by, value, str(int(own.sum())), *numbers, *left_out, *[""] * 4])


if __name__ == "__main__":
    sys.exit(main())
