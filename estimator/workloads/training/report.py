"""Accuracy in the open: errors by source, model, GPU, precision and size, with the naive guess beside (accuracy.json).

    python -m estimator.workloads.training.report        fits with each model and source left out, and writes the file

The naive guess is the median rate of the same GPU and precision on other models. ``fingerprint`` names the constants, rows
and features that the file was made with; a test holds that they are the current ones. ``ranking.csv`` says how well the same
predictions, each model left out, choose between layouts that were measured on as many GPUs.
"""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np

from estimator.record import Json
from estimator.units import FloatArray
from estimator.workloads.paths.host_memory import HOST_MEMORY
from estimator.workloads.ranking import Ranking, joined, ranking, write_rankings
from estimator.workloads.training import constants as constants_file
from estimator.workloads.training import rows as rows_file
from estimator.workloads.training import stack as stack_file
from estimator.workloads.training.answer import model_flops
from estimator.workloads.training.constants import Constants, training_constants
from estimator.workloads.training.fit import Measured, calibrated, fitted, held_out, is_free, measured

PATH = Path(__file__).with_name("accuracy.json")
RANKING = Path(__file__).with_name("ranking.csv")
SAME = ("source", "release", "model", "layers", "gpu", "gpus", "global_batch", "sequence", "precision", "task")
LAYOUT = ("tp", "pp", "cp", "ep", "dp", "virtual_stages", "micro_batch", "fsdp", "recompute")
SIZES = ((1, 8), (9, 64), (65, 512), (513, 10**6))
NINTH = 0.9
FOLDS = 4


def fingerprint() -> str:
    """Of the files that errors depend on."""
    names = (constants_file.PATH, rows_file.PATH, rows_file.EAGER_PATH, rows_file.DATA_PARALLEL_PATH, stack_file.PATH)
    return hashlib.sha256(b"".join(name.read_bytes() for name in names)).hexdigest()[:16]


def naive_errors(data: Measured) -> FloatArray:
    """ln(guessed ÷ measured): the median rate of other models on the same GPU and precision, else on the same GPU."""
    flops = model_flops(data.steps)
    rate = flops / data.step_s / data.steps.layouts.n_gpus
    models, gpus, precisions = (data.column(name) for name in ("model", "gpu", "precision"))
    out = np.full(len(rate), np.nan)
    for place in range(len(rate)):
        others = (gpus == gpus[place]) & (models != models[place])
        alike = others & (precisions == precisions[place])
        if (use := alike if alike.any() else others).any():
            out[place] = np.log(rate[place] / np.median(rate[use]))
    return out


def rankings(data: Measured, predicted_s: FloatArray) -> dict[str, Ranking | None]:
    """How well steps choose between layouts of one batch on as many GPUs, of one release and of any."""
    with rows_file.PATH.open(newline="") as file:
        rows = list(csv.DictReader(file))
    layouts = joined([row[name] for row in rows] for name in LAYOUT)

    def of(names: list[str]) -> Ranking | None:
        return ranking(joined([row[name] for row in rows] for name in names), layouts, data.step_s, predicted_s)

    return {
        "equal number of GPUs, one release": of(list(SAME)),
        "equal number of GPUs, any release": of([name for name in SAME if name != "release"]),
    }


def report(data: Measured, of_models: FloatArray, of_sources: FloatArray) -> Json:
    """The file's content."""
    kinds = {
        "fitted": data.errors(training_constants()),
        "model_left_out": of_models,
        "source_left_out": of_sources,
        "source_left_out_after_three_rows": calibrated(data, of_sources),
        "naive": naive_errors(data),
    }
    is_moe = data.steps.shapes.moe_layers > 0
    n_gpus = data.steps.layouts.n_gpus
    groups = {
        "all": {"all": np.ones(len(is_moe), dtype=bool)},
        "kind": {"dense": ~is_moe, "moe": is_moe},
        "gpus": {f"{low}-{high}": (n_gpus >= low) & (n_gpus <= high) for low, high in SIZES},
    }
    for name in ("source", "model", "gpu", "precision"):
        column = data.column(name)
        groups[name] = {str(one): column == one for one in dict.fromkeys(column)}
    return {
        "fingerprint": fingerprint(),
        "rows": len(data.rows),
        "unit": "percent, of |ln(predicted ÷ measured)|",
        "groups": [
            {"by": by, "group": group, "rows": int(here.sum())}
            | {kind: _figures(errors[here]) for kind, errors in kinds.items()}
            for by, found in groups.items()
            for group, here in found.items()
            if here.any()
        ]
        + own_runs(),
    }


def own_runs() -> list[Json]:
    """Groups of own runs of PyTorch eager: those fitted to, by path, and those of another machine and model."""
    constants = training_constants()
    fitted_to, others = (measured(constants, of) for of in (rows_file.eager_steps, rows_file.data_parallel_steps))
    over_host = np.array([row.run.path == HOST_MEMORY for row in fitted_to.rows])
    groups = {
        "two H200 over NVLink": fitted_to.take(~over_host),
        "two H200 over host memory": fitted_to.take(over_host),
        "up to four H100, not fitted": others,
    }
    errors = {group: data.errors(constants) for group, data in groups.items()}
    errors["two H200, by a fit to the other three quarters of these runs"] = kept_back(fitted_to, constants)
    return [
        {"by": "own", "group": group, "rows": len(found), "fitted": _figures(found)} for group, found in errors.items()
    ]


def kept_back(data: Measured, constants: Constants) -> FloatArray:
    """Errors of own runs that the fit has not seen: every fourth run is kept back, four times."""
    of_fold = np.arange(len(data.rows)) % FOLDS
    out = np.zeros(len(data.rows))
    for fold in range(FOLDS):
        here = of_fold == fold
        out[here] = data.take(here).errors(fitted(data.take(~here), prior_constants(constants), of_eager=True))
    return out


def prior_constants(constants: Constants) -> Constants:
    """Constants as they were before any fit of PyTorch's own: a fit begins at its priors and has seen no run."""
    values = constants.values.copy()
    for place, row in enumerate(constants.rows):
        if is_free(row, of_eager=True):
            values[place] = row.prior
    return constants.replaced(values)


def _figures(errors: FloatArray) -> Json | None:
    off = 100 * np.abs(errors[np.isfinite(errors)])
    if not len(off):
        return None
    bias = 100 * float(np.median(errors[np.isfinite(errors)]))
    return {
        "median": round(float(np.median(off)), 1),
        "ninth_decile": round(float(np.quantile(off, NINTH)), 1),
        "bias": round(bias, 1),
    }


def main() -> None:
    """The command."""
    constants = training_constants()
    data = measured(constants)
    of_models = held_out(data, constants, "model")
    made = report(data, of_models, held_out(data, constants, "source"))
    write_rankings(RANKING, rankings(data, data.step_s * np.exp(of_models)).items(), fingerprint())
    PATH.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
