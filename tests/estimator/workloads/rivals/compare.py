"""aiconfigurator and calculon on the rows that the validation page scores (a maintainer's command); writes workloads/rivals.csv.

    python -m tests.estimator.workloads.rivals.compare [--aiconfigurator PYTHON] [--calculon PYTHON SYSTEMS] [--every N]

PYTHON is an interpreter of an environment with the tool (``pip install aiconfigurator``; calculon is installed from its
repository, github.com/calculon-ai/calculon, whose folder ``systems`` is SYSTEMS, with numpy, pandas and psutil, which it does
not name: the package of that name on PyPI is another). A tool that is not given is written as not installed. Beside each tool
stand the errors of the model, fitted without the model that is predicted, and of the naive guess, on the very rows that the
tool answered.
"""

import argparse
import csv
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from estimator.catalog.loader import load_catalog
from estimator.units import FloatArray
from estimator.workloads.accuracy import RIVALS, Error, RivalRow
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.fit import Aggregated, errors, without_own_model
from estimator.workloads.serving.report import naive_guess
from estimator.workloads.serving.rows import measured_runs
from estimator.workloads.training.constants import training_constants
from estimator.workloads.training.fit import held_out, measured
from estimator.workloads.training.report import naive_errors
from estimator.workloads.training.rows import PATH as STEPS

HERE = Path(__file__).parent
MOST_REASONS = 6
_NUMBERS = re.compile(r"\d[\d.,]*")
_DETAILS = re.compile(r"[({].*|(?<=OOM): .*|perf database error: | for \w+ \{.*")


@dataclass(frozen=True)
class Figure:
    """One figure of the rows: what was measured, what the model says, fitted without each row's own model, and the guess. [s]"""

    name: str
    key: str
    measured_s: FloatArray
    ours_s: FloatArray
    naive_s: FloatArray


def serving_rows() -> list[dict[str, str]]:
    """Rows of aggregated serving, with what a tool has to know of the model."""
    models = catalog_models()
    return [
        row.given | {"is_moe": "yes" if models[row.text("model")].shape.is_moe else "no"}
        for row in measured_runs("aggregated").rows
    ]


def serving_figures() -> list[Figure]:
    """Time per token and to first token."""
    catalog, constants = load_catalog(), serving_constants()
    data = Aggregated.of(measured_runs("aggregated"), catalog, constants)
    tpot, ttft = without_own_model(data, constants)
    return [
        Figure(name, key, of, ours, naive_guess(data.runs, of))
        for name, key, of, ours in (
            ("time per token", "tpot_s", data.runs.tpot_s, tpot),
            ("time to first token", "ttft_s", data.runs.ttft_s, ttft),
        )
    ]


def training_rows() -> list[dict[str, str]]:
    """Rows of training steps, with the shape of the model."""
    models = catalog_models()
    with STEPS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    out = []
    for row in rows:
        shape = models[row["model"]].shape
        own = {name: str(getattr(shape, name)) for name in ("hidden", "ffn", "heads", "head_dim")}
        flags = {"is_moe": "yes" if shape.is_moe else "no", "gated": "yes" if shape.gated else "no"}
        out.append(row | own | flags | {"layers": row["layers"] or str(shape.layers)})
    return out


def training_figures() -> list[Figure]:
    """Seconds of a step."""
    constants = training_constants()
    data = measured(constants)
    ours, naive = (data.step_s * np.exp(off) for off in (held_out(data, constants, "model"), naive_errors(data)))
    return [Figure("time of a training step", "step_s", data.step_s, ours, naive)]


def answers(command: Sequence[str], rows: Sequence[Mapping[str, str]]) -> tuple[str, dict[str, dict[str, object]]]:
    """The tool's version and its answers by row."""
    given = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    first, *rest = (json.loads(line) for line in done.stdout.splitlines())
    return str(first["version"]), {str(one["id"]): one for one in rest}


def compared(
    tool: str,
    version: str,
    found: Mapping[str, dict[str, object]],
    ids: Sequence[str],
    figures: Sequence[Figure],
    every: int = 1,
) -> list[RivalRow]:
    """A row a figure: how many rows the tool was given and answered, and errors on those."""
    asked = np.array([one in found for one in ids])
    why = Counter(_kind(str(one["why"])) for one in found.values() if "why" in one)
    given = [f"one run in {every} was given"] if every > 1 else []
    out = []
    for figure in figures:
        theirs = np.array([float(str(found.get(one, {}).get(figure.key, "nan"))) for one in ids])
        own = np.isfinite(theirs) & np.isfinite(figure.measured_s)
        three = (
            [errors(said[own], figure.measured_s[own]) for said in (theirs, figure.ours_s, figure.naive_s)]
            if own.any()
            else []
        )
        out.append(
            RivalRow(
                tool=tool,
                version=version,
                figure=figure.name,
                runs=int((asked & np.isfinite(figure.measured_s)).sum()),
                answered=int(own.sum()),
                errors=Error(*three[0]) if three else None,
                ours=Error(*three[1]) if three else None,
                naive=Error(*three[2]) if three else None,
                note="; ".join([*given, *(f"{count} × {reason}" for reason, count in why.most_common(MOST_REASONS))]),
            )
        )
    return out


def _kind(reason: str) -> str:
    """A tool's message without what differs from row to row."""
    return _NUMBERS.sub("…", _DETAILS.sub("", reason)).strip(" .")


def not_installed(tool: str, names: Sequence[str]) -> list[RivalRow]:
    """Rows without figures."""
    return [RivalRow(tool, "", name, 0, 0, None, None, None, "not installed") for name in names]


def write(rows: Sequence[RivalRow]) -> None:
    """The generated file."""
    columns = ("tool", "version", "figure", "runs", "answered")
    pairs = ("errors", "ours", "naive")
    with RIVALS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*columns, *(f"{pair}_{end}" for pair in pairs for end in ("median", "ninth_decile")), "note"])
        for row in rows:
            numbers = [f"{one:.3f}" for pair in pairs for one in getattr(row, pair) or ()]
            writer.writerow([*(getattr(row, name) for name in columns), *(numbers or [""] * 6), row.note])


def of_tool(
    tool: str,
    command: Sequence[str] | None,
    rows: list[dict[str, str]],
    figures: Callable[[], list[Figure]],
    names: Sequence[str],
    every: int,
) -> list[RivalRow]:
    """Rows of one tool."""
    if command is None:
        return not_installed(tool, names)
    version, found = answers(command, rows[::every])
    return compared(tool, version, found, [row["id"] for row in rows], figures(), every)


def main(given: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--aiconfigurator", metavar="PYTHON")
    parser.add_argument("--calculon", nargs=2, metavar=("PYTHON", "SYSTEMS"))
    parser.add_argument(
        "--every", type=int, default=1, help="ask aiconfigurator every n-th row alone, which takes a second each"
    )
    asked = parser.parse_args(given)
    serving = [asked.aiconfigurator, str(HERE / "with_aiconfigurator.py")] if asked.aiconfigurator else None
    training = [asked.calculon[0], str(HERE / "with_calculon.py"), asked.calculon[1]] if asked.calculon else None
    write(
        [
            *of_tool(
                "aiconfigurator",
                serving,
                serving_rows(),
                serving_figures,
                ("time per token", "time to first token"),
                asked.every,
            ),
            *of_tool("calculon", training, training_rows(), training_figures, ("time of a training step",), 1),
        ]
    )


if __name__ == "__main__":
    main()
