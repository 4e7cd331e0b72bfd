"""What a workload gets out of candidates: step time, tokens a second, time per token. Fabrics that are alike are one system.

The answers are those of ``train`` and ``infer`` on the design's own system and all of its GPUs; where a request names no
layout, those of the best one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.designs.system import system_of
from estimator.errors import Problem, SpecError
from estimator.fabric.sized import fabric_of
from estimator.performance.result import BuiltSystem
from estimator.record import Given, Json
from estimator.search.columns.cables import Alike
from estimator.units import FloatArray

TRAIN, INFER = "train", "infer"
OF_DESIGN = ("system", "design", "gpus")  # keys that the candidates give
WORK_FIGURES = ("step_s", "tokens_per_s_per_gpu", "tpot_ms")
_SOME_SYSTEM = {"gpu": "h100-sxm", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
_OF_ONE_KEY = frozenset(
    {
        "unknown_key",
        "unknown_model",
        "unknown_part",
        "wrong_type",
        "missing",
        "not_a_choice",
        "out_of_range",
        "too_deep",
    }
)
_NOTHING = (float("nan"),) * len(WORK_FIGURES)


Verb = Callable[[Any, Catalog], Json | list[Json]]


@dataclass(frozen=True)
class Verbs:
    """``trained`` and ``served``, given to a search as ``estimate`` is: what they load is for workloads alone."""

    train: Verb
    infer: Verb

    def answers(self, kind: str, requests: Sequence[Json], catalog: Catalog) -> list[Json]:
        """Answers in the order of the requests; one that is refused is ``{"code", "problems"}``."""
        made = (self.train if kind == TRAIN else self.infer)(requests, catalog)
        return made if isinstance(made, list) else [made]


def work_problems(kind: str, request: Given, verbs: Verbs, catalog: Catalog) -> list[Problem]:
    """What is wrong with a workload by itself, under ``workload.…``: what the verb says of its keys on some system."""
    where = f"workload.{kind}"
    if taken := [key for key in OF_DESIGN if key in request]:
        message = f"The candidates give {' and '.join(taken)} of the workload. Leave out what they give."
        return [Problem(f"{where}.{taken[0]}", "contradiction", message)]
    if kind == INFER and request.get("mode", "aggregated") != "aggregated":
        message = "A search takes the mode aggregated alone. Leave the key out."
        return [Problem(f"{where}.mode", "not_a_choice", message)]
    (answer,) = verbs.answers(kind, [{**request, "system": _SOME_SYSTEM}], catalog)
    found = [Problem(one["field"], one["code"], one["message"]) for one in answer.get("problems", ())]
    return [one.inside(where) for one in found if one.code in _OF_ONE_KEY]


@dataclass
class Work:
    """A workload with what it gets out of the systems that were met so far.

    ``most`` bounds the systems of one search: each is a prediction of its own.
    """

    kind: str
    request: Json
    verbs: Verbs
    catalog: Catalog
    most: int
    refusal: Problem | None = None
    """Why the first system that the workload does not fit has no figures."""
    _known: dict[tuple[Any, ...], tuple[float, ...]] = field(default_factory=dict)

    def rates(self, systems: Sequence[BuiltSystem], n_gpus: Sequence[int]) -> FloatArray:
        """WORK_FIGURES of some systems, shape (n, 3) [s, tokens/s, ms]; NaN where the workload does not fit.

        Raises
        ------
        SpecError
            If there are more than ``most`` systems.
        """
        keys = [(repr(system), n) for system, n in zip(systems, n_gpus, strict=True)]
        new = {key: at for at, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(new) > self.most:
            message = (
                f"The candidates are more than {self.most:,} different systems to run the workload on, and each takes a "
                "prediction of its own. Give fewer values of sizes and ratios, or leave the workload out."
            )
            raise SpecError([Problem("workload", "too_many_candidates", message)])
        requests = [
            {**self.request, "system": systems[at].as_request(), "gpus": int(n_gpus[at])} for at in new.values()
        ]
        self._known |= zip(new, self._answers(requests), strict=True)
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(WORK_FIGURES))

    def _answers(self, requests: Sequence[Json]) -> list[tuple[float, ...]]:
        answers = self.verbs.answers(self.kind, requests, self.catalog)
        read = _of_training if self.kind == TRAIN else _of_serving
        made = [read(one) for one in answers]
        without = [one for one, rates in zip(answers, made, strict=True) if np.isnan(rates[1])]
        if without and self.refusal is None:
            self.refusal = _refusal(without[0], f"workload.{self.kind}")
        return made


def _refusal(answer: Given, where: str) -> Problem:
    """Why an answer has no figures."""
    problems = answer.get("problems")
    if problems:
        return Problem(f"{where}.{problems[0]['field']}".rstrip("."), problems[0]["code"], problems[0]["message"])
    memory = answer.get("memory_gb_per_gpu") or {}
    needed = f": a GPU needs {memory['total']:.0f} GB" if "total" in memory else ""
    message = (
        f"The workload fits the memory of no candidate's GPUs{needed}. Take more GPUs, or another layout or precision."
    )
    return Problem(where, "does_not_fit", message)


def _of_training(answer: Given) -> tuple[float, ...]:
    layouts = answer.get("layouts")
    best = answer if layouts is None else layouts[0] if layouts else {}
    if "step_s" not in best or not best.get("fits", True):
        return _NOTHING
    return float(best["step_s"]), float(best["tokens_per_s_per_gpu"]), float("nan")


def _of_serving(answer: Given) -> tuple[float, ...]:
    best = answer if "rows" in answer else answer.get("best") or {}
    if not best.get("rows") or not best.get("fits", True):
        return _NOTHING
    row = best["rows"][-1]
    rate, tpot = row.get("tokens_per_s_per_gpu"), row.get("tpot_ms")
    return (float("nan"), *(float("nan") if one is None else float(one) for one in (rate, tpot)))


def no_rates(n: int) -> Mapping[str, FloatArray]:
    """WORK_FIGURES of so many candidates without a workload, or without a GPU that is known."""
    return dict.fromkeys(WORK_FIGURES, np.full(n, np.nan))


def rates_of(found: Alike, table: FloatArray, work: Work, catalog: Catalog) -> Mapping[str, FloatArray]:
    """WORK_FIGURES of candidates of one request, shape (n,); ``table`` has a row of ratios for each (bandwidth.py)."""
    _, first, again = np.unique(table, axis=0, return_index=True, return_inverse=True)
    systems = [system_of(found.spec, fabric_of(found.sizing, int(at), found.spec), catalog) for at in first]
    made = work.rates(systems, found.sizing.asked.gpus[first].tolist())[again.ravel()]
    return {name: made[:, at] for at, name in enumerate(WORK_FIGURES)}
