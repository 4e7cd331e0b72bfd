"""What the generated files of accuracy say of training and serving, as typed rows; the reports write the files."""

import csv
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from estimator.workloads.ranking import Ranking

TRAINING = Path(__file__).with_name("training") / "accuracy.json"
SERVING = Path(__file__).with_name("serving") / "accuracy.csv"
STEP = "time of a training step"
RANKINGS = {
    "time per token": Path(__file__).with_name("serving") / "ranking.csv",
    STEP: Path(__file__).with_name("training") / "ranking.csv",
}
RIVALS = Path(__file__).with_name("rivals.csv")


class Error(NamedTuple):
    """|ln(predicted ÷ measured)|: half of the runs are below the first, nine in ten below the second."""

    median: float
    ninth_decile: float


class AccuracyRow(NamedTuple):
    """Errors of one figure over one group of measured runs; None for what was not tried."""

    figure: str
    by: str
    """What the group is one of: all, source, model, gpu, precision, framework, gpus, kind, concurrency, own."""
    group: str
    runs: int
    fitted: Error
    model_left_out: Error | None
    source_left_out: Error | None
    after_three_rows: Error | None
    naive: Error | None


class RankingRow(NamedTuple):
    """How well predictions choose between layouts of one kind of group, the predicted model left out of the fit."""

    figure: str
    of: str
    ranking: Ranking


class RivalRow(NamedTuple):
    """One figure of another tool: of the runs that it was given, those that it answered, and errors on these."""

    tool: str
    version: str
    figure: str
    runs: int
    answered: int
    errors: Error | None
    ours: Error | None
    """Of the model, fitted without the model of each run, on the same runs."""
    naive: Error | None
    note: str
    """Why runs were not answered, or that the tool was not installed."""


@cache
def rankings() -> tuple[RankingRow, ...]:
    """Rows of both files ``ranking.csv``."""
    return tuple(
        RankingRow(
            figure,
            row["of"],
            Ranking(
                groups=int(row["groups"]),
                layouts=int(row["layouts"]),
                **{name: float(row[name]) for name in Ranking._fields[2:]},
            ),
        )
        for figure, path in RANKINGS.items()
        for row in _table(path)
    )


@cache
def rivals() -> tuple[RivalRow, ...]:
    """Rows of ``rivals.csv``."""
    return tuple(
        RivalRow(
            tool=row["tool"],
            version=row["version"],
            figure=row["figure"],
            runs=int(row["runs"]),
            answered=int(row["answered"]),
            errors=_error(row, "errors_"),
            ours=_error(row, "ours_"),
            naive=_error(row, "naive_"),
            note=row["note"],
        )
        for row in _table(RIVALS)
    )


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _error(row: dict[str, str], start: str) -> Error | None:
    median = row[f"{start}median"]
    return Error(float(median), float(row[f"{start}ninth_decile"])) if median else None


@cache
def accuracy() -> tuple[AccuracyRow, ...]:
    """Every row of both files, training first, in their order."""
    return (*_training(), *_serving())


def _training() -> list[AccuracyRow]:
    groups = json.loads(TRAINING.read_text(encoding="utf-8"))["groups"]

    def error(group: dict[str, dict[str, float]], name: str) -> Error | None:
        found = group.get(name)
        return Error(found["median"] / 100, found["ninth_decile"] / 100) if found else None

    return [
        AccuracyRow(
            figure=STEP,
            by=group["by"],
            group=group["group"],
            runs=group["rows"],
            fitted=Error(group["fitted"]["median"] / 100, group["fitted"]["ninth_decile"] / 100),
            model_left_out=error(group, "model_left_out"),
            source_left_out=error(group, "source_left_out"),
            after_three_rows=error(group, "source_left_out_after_three_rows"),
            naive=error(group, "naive"),
        )
        for group in groups
    ]


def _serving() -> list[AccuracyRow]:
    return [
        AccuracyRow(
            figure=row["figure"],
            by=row["by"],
            group=row["value"],
            runs=int(row["runs"]),
            fitted=Error(float(row["median"]), float(row["ninth_decile"])),
            model_left_out=_error(row, "left_out_"),
            source_left_out=None,
            after_three_rows=_error(row, "three_rows_"),
            naive=_error(row, "naive_"),
        )
        for row in _table(SERVING)
    ]
