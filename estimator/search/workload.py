"""The workload of a search or a sweep: what is wrong with it, and the figures that need one."""

from collections.abc import Iterable

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem
from estimator.search.columns.work import INFER, TRAIN, Verbs, Work, work_problems
from estimator.search.figures import OF_WORKLOAD
from estimator.search.request import Bounds, Workload

_NEEDED = {"step_s": TRAIN, "tpot_ms": INFER}  # the others are of either


def workload_problems(
    workload: Workload | None, named: Iterable[tuple[str, str]], verbs: Verbs | None, catalog: Catalog
) -> list[Problem]:
    """Figures without the workload that they are of, and what is wrong with one; ``named`` are (figure, where it is named)."""
    asked = [(name, where) for name, where in named if name in OF_WORKLOAD]
    if workload is None:
        message = '{} is of a workload. Give one, such as {{"train": {{"model": "llama3-70b"}}}} under \'workload\'.'
        return [Problem(where, "missing", message.format(name)) for name, where in asked]
    if (workload.train is None) == (workload.infer is None):
        return [Problem("workload", "contradiction", "A workload is 'train' or 'infer': give one of the two.")]
    kind, request = (TRAIN, workload.train) if workload.train is not None else (INFER, workload.infer)
    wrong = [(name, where) for name, where in asked if _NEEDED.get(name, kind) != kind]
    return [
        *(
            Problem(where, "missing", f"{name} is of '{_NEEDED[name]}', and the workload has '{kind}'.")
            for name, where in wrong
        ),
        *(work_problems(kind, request or {}, verbs, catalog) if verbs else ()),
    ]


def work_of(workload: Workload | None, verbs: Verbs | None, catalog: Catalog, bounds: Bounds) -> Work | None:
    """A workload to be run on candidates."""
    if workload is None:
        return None
    if verbs is None:
        raise ValueError("a workload needs the verbs that it is run by")
    kind, request = (TRAIN, workload.train) if workload.train is not None else (INFER, workload.infer)
    return Work(kind, dict(request or {}), verbs, catalog, bounds.systems)
