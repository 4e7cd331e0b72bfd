"""What the generated files of accuracy say of training and serving, as rows of one kind; the reports write the files."""

import csv
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

TRAINING = Path(__file__).with_name("training") / "accuracy.json"
SERVING = Path(__file__).with_name("serving") / "accuracy.csv"
STEP = "time of a training step"


class Error(NamedTuple):
    """|ln(predicted ÷ measured)|: half of the runs are below the first, nine in ten below the second."""

    median: float
    ninth_decile: float


class AccuracyRow(NamedTuple):
    """Errors of one figure over one group of measured runs; None for what was not tried."""

    figure: str
    by: str
    """What the group is one of: all, source, model, gpu, precision, framework, gpus, kind, concurrency."""
    group: str
    runs: int
    fitted: Error
    model_left_out: Error | None
    source_left_out: Error | None
    after_three_rows: Error | None
    naive: Error | None


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
    def error(row: dict[str, str], start: str) -> Error | None:
        median = row[f"{start}median"]
        return Error(float(median), float(row[f"{start}ninth_decile"])) if median else None

    with SERVING.open(newline="", encoding="utf-8") as file:
        return [
            AccuracyRow(
                figure=row["figure"],
                by=row["by"],
                group=row["value"],
                runs=int(row["runs"]),
                fitted=Error(float(row["median"]), float(row["ninth_decile"])),
                model_left_out=error(row, "left_out_"),
                source_left_out=None,
                after_three_rows=None,
                naive=error(row, "naive_"),
            )
            for row in csv.DictReader(file)
        ]
