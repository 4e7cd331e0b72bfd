"""What a target is: the files that one kind of device, manager or scheduler reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from estimator.bringup.plan.plan import ETHERNET, INFINIBAND, Plan
from estimator.bringup.plan.systems import SYSTEMS

BOTH = frozenset({ETHERNET, INFINIBAND})
ROCE, IB = frozenset({ETHERNET}), frozenset({INFINIBAND})
MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "sh": "text/x-shellscript",
}


class File(NamedTuple):
    """One file, by its path inside the target's folder of an archive."""

    name: str
    text: str

    @property
    def content_type(self) -> str:
        """Media type by its extension."""
        return MEDIA_TYPES.get(self.name.rpartition(".")[2], "text/plain")


@dataclass(frozen=True, slots=True)
class Target:
    """One target. ``module`` lies in this package and has ``files(plan)``, which yields its files, the main one first.

    ``system`` is the operating system of switches that it is for: an archive has it where a switch of the design runs it.
    """

    label: str
    purpose: str
    protocols: frozenset[str]
    module: str
    system: str | None = None
    is_of_reduction: bool = False
    """Whether only designs have it that count on reduction in the switches."""
    is_of_others: bool = False
    """Whether it is of the networks beside the compute fabric. Its code has ``names(plan)`` and ``file_named(plan, name)``."""

    def files(self, plan: Plan) -> Iterator[File]:
        """The files, made one by one."""
        made: Iterator[File] = self._module.files(plan)
        return made

    def names(self, plan: Plan) -> list[str]:
        """Names of its files, of a target of other networks."""
        made: list[str] = self._module.names(plan)
        return made

    def file_named(self, plan: Plan, wanted: str) -> File | None:
        """One of its files, of a target of other networks; None where it has none of this name."""
        made: File | None = self._module.file_named(plan, wanted)
        return made

    @property
    def _module(self) -> ModuleType:
        return import_module(f"estimator.bringup.renderings.{self.module}")

    def is_for(self, plan: Plan) -> bool:
        """Whether the design has what the target configures."""
        if plan.protocol not in self.protocols or (self.is_of_others and not plan.links.spec.other_fabrics):
            return False
        if self.is_of_reduction and not plan.links.counts_on_reduction:
            return False
        used = [plan.links.switches[kind] for kind in {plan.wired.kind(device) for device in plan.wired.switches}]
        return self.system is None or any(SYSTEMS[self.system].runs_on(switch) for switch in used)
