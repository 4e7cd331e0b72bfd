"""How far predicted training steps and serving are from published runs, how well layouts are chosen, and other tools beside."""

from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from estimator.workloads.accuracy import AccuracyRow, accuracy, rankings, rivals

BY = {
    "source": "By source",
    "kind": "Dense models and mixtures of experts",
    "model": "By model",
    "gpu": "By GPU",
    "precision": "By precision",
    "framework": "By framework",
    "gpus": "By GPUs of the job",
    "concurrency": "By requests at once",
    "bytes": "By message",
    "own": "Own runs of PyTorch eager, one GPU to four",
}


class Part(NamedTuple):
    """One figure: its errors over all runs, and tables of groups."""

    name: str
    overall: AccuracyRow
    tables: list[tuple[str, list[AccuracyRow]]]


@login_required
@require_safe
def workload_validation(request: HttpRequest) -> HttpResponse:
    """Errors in tables, the naive guess beside them."""
    context = {
        "section": "validation",
        "parts": parts(),
        "overall": [part.overall for part in parts()],
        "rankings": rankings(),
        "rivals": rivals(),
    }
    return render(request, "designer/reading/workload_validation.html", context)


def parts() -> list[Part]:
    """Each figure with its tables, in the order of the files; what is grouped by nothing is its overall row."""
    rows = accuracy()
    return [
        Part(
            name=name[:1].upper() + name[1:],
            overall=next(row for row in rows if row.figure == name and row.by == "all"),
            tables=[
                (title, mine)
                for by, title in BY.items()
                if (mine := [row for row in rows if row.figure == name and row.by == by])
            ],
        )
        for name in dict.fromkeys(row.figure for row in rows)
    ]
