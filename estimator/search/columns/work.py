"""What a workload gets out of candidates: step time, tokens a second, time per token. Fabrics that are alike are one system.

The answers are those of ``train`` and ``infer`` on the design's own system and all of its GPUs; where a request names no
layout, those of the best one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.designs.system import system_of
from estimator.errors import Problem, SpecError
from estimator.fabric.sized import fabric_of
from estimator.performance.result import BuiltSystem
from estimator.record import Given, Json
from estimator.search.columns.bandwidth import ratio_table, ratios_of
from estimator.search.columns.cables import Alike
from estimator.serving_request.answering import served
from estimator.serving_request.request import ServingRequest, plain
from estimator.spec.checking import validated
from estimator.training_request import Trainer, TrainingRequest
from estimator.units import FloatArray
from estimator.workloads.models.named import model_or_problems

TRAIN, INFER = "train", "infer"
OF_DESIGN = ("system", "design", "gpus")  # keys that the candidates give
WORK_FIGURES = ("step_s", "tokens_per_s_per_gpu", "tpot_ms")
_SOME_SYSTEM = {"gpu": "h100-sxm", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
_NOTHING = (float("nan"),) * len(WORK_FIGURES)


def work_problems(kind: str, request: Given) -> list[Problem]:
    """What is wrong with a workload by itself, under ``workload.…``."""
    where = f"workload.{kind}"
    if taken := [key for key in OF_DESIGN if key in request]:
        message = f"The candidates give {' and '.join(taken)} of the workload. Leave out what they give."
        return [Problem(f"{where}.{taken[0]}", "contradiction", message)]
    given = plain({**request, "system": _SOME_SYSTEM})
    asked: TrainingRequest | ServingRequest | None
    if kind == TRAIN:
        asked, problems = validated(TrainingRequest, given, "a training request")
    else:
        asked, problems = validated(ServingRequest, given, "an inference request")
    if asked is not None:
        problems += model_or_problems(asked.model)[1]
    if kind == INFER and request.get("mode", "aggregated") != "aggregated":
        problems.append(Problem("mode", "not_a_choice", "A search takes the mode aggregated alone. Leave the key out."))
    return [one.inside(where) for one in problems]


@dataclass
class Work:
    """A workload with what it gets out of the systems that were met so far.

    ``most`` bounds the systems of one search: each is a prediction of its own.
    """

    kind: str
    request: Json
    catalog: Catalog
    most: int
    refusal: Problem | None = None
    """Why the first system that the workload does not fit has no figures."""
    _known: dict[tuple[Any, ...], tuple[float, ...]] = field(default_factory=dict)
    _trainer: Trainer | None = None

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
        if self.kind == TRAIN:
            self._trainer = self._trainer or Trainer(self.catalog)
            answers, read = self._trainer.many(requests), _of_training
        else:
            listed = served(requests, self.catalog)
            answers, read = listed if isinstance(listed, list) else [listed], _of_serving
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


def rates_of(found: Alike, work: Work | None, catalog: Catalog) -> Mapping[str, FloatArray]:
    """WORK_FIGURES of candidates of one request, shape (n,); NaN without a workload or a GPU that is known."""
    if work is None or found.spec.compute.gpu is None:
        return dict.fromkeys(WORK_FIGURES, np.full(len(found), np.nan))
    table = ratio_table(ratios_of(found, catalog))
    _, first, again = np.unique(table, axis=0, return_index=True, return_inverse=True)
    systems = [system_of(found.spec, fabric_of(found.sizing, int(at), found.spec), catalog) for at in first]
    made = work.rates(systems, found.sizing.asked.gpus[first].tolist())[again.ravel()]
    return {name: made[:, at] for at, name in enumerate(WORK_FIGURES)}
