"""The software of a training step: which named features a release has, and whose stack factor holds.

Features decide as much as a layout does (graphs and fused experts: a factor of 1.5 of models with experts). A request
names them; where it does not, features.csv says what the public recipes of a framework's release turn on.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("features.csv")
GRAPHS = "graphs"  # attention, router and preprocessing are launched as graphs
FULL_GRAPHS = "full_graphs"  # the whole iteration is one graph
FUSED_EXPERTS = "fused_experts"  # grouped products and activation function of experts in one kernel
FIXED_CAPACITY = "fixed_capacity"  # fixed expert capacity: shapes are known to the host without waiting
NODE_DISPATCH = "node_dispatch"  # a token crosses to a domain once, whatever number of its experts are there
EP_OVERLAP = "ep_overlap"  # all-to-alls run beside another micro-batch's work
UNFUSED_ATTENTION = "unfused_attention"  # scores are written to memory
FEATURES = (GRAPHS, FULL_GRAPHS, FUSED_EXPERTS, FIXED_CAPACITY, NODE_DISPATCH, EP_OVERLAP, UNFUSED_ATTENTION)
_RELEASE = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True)
class Recipe:
    """What a framework turns on by default; a key that is empty holds for all."""

    framework: str
    models: frozenset[str]
    gpus: frozenset[str]
    precisions: frozenset[str]
    since: tuple[int, ...]
    until: tuple[int, ...]
    features: frozenset[str]

    def holds(self, framework: str, release: tuple[int, ...], model: str, gpu: str, precision: str) -> bool:
        """Whether a run is of this recipe; of an unknown release the newest one is assumed."""
        return (
            framework == self.framework
            and (not self.models or model in self.models)
            and (not self.gpus or gpu in self.gpus)
            and (not self.precisions or precision in self.precisions)
            and (release or (9999,)) >= self.since
            and (not self.until or (release or (9999,)) < self.until)
        )


@cache
def recipes() -> tuple[Recipe, ...]:
    """Rows of features.csv."""
    with PATH.open(newline="") as file:
        return tuple(
            Recipe(
                framework=row["framework"],
                models=frozenset(row["models"].split()),
                gpus=frozenset(row["gpus"].split()),
                precisions=frozenset(row["precisions"].split()),
                since=release_of(row["since"]),
                until=release_of(row["until"]),
                features=frozenset(row["features"].split()),
            )
            for row in csv.DictReader(file)
        )


def release_of(text: str | None) -> tuple[int, ...]:
    """Numbers of a release ("26.02.01 NeMo Container" → (26, 2, 1)); empty where there are none."""
    found = _RELEASE.search(text or "")
    return tuple(int(one or 0) for one in found.groups()) if found else ()


MEGATRON = "megatron"
_RUNS_MEGATRON = re.compile(r"megatron|nemo|dgxc|mlperf|nvidia", re.IGNORECASE)


def family_of(framework: str | None) -> str:
    """``megatron`` for frameworks and sources that run Megatron-Core with Transformer Engine, else empty."""
    return MEGATRON if framework and _RUNS_MEGATRON.search(framework) else ""


EAGER = "pytorch-eager"


def stack_key(framework: str | None) -> str:
    """The index of a framework's own constants: its name, and one for PyTorch without graphs or compiler."""
    return EAGER if framework and "eager" in framework.lower() else framework or ""


def features_of(
    framework: str | None, release: str | None, model: str, gpu: str, precision: str, named: Sequence[str] = ()
) -> frozenset[str]:
    """Named features, else those of the recipes that hold, all together."""
    if named:
        return frozenset(named)
    asked = (framework or "", release_of(release), model, gpu, precision)
    return frozenset().union(*(one.features for one in recipes() if one.holds(*asked)))
