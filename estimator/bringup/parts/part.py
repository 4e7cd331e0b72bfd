"""Some switches of a plan: everything that is made of it is made for them alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from estimator.bringup.plan.plan import Plan, SwitchPlan
from estimator.bringup.plan.systems import System


@dataclass(frozen=True)
class PartOfPlan(Plan):
    """A plan whose switches are some of another one's; what it works out once is kept by that one."""

    whole: Plan = field(kw_only=True)
    devices: frozenset[int] = field(kw_only=True)

    def switches(self, system: System, only: Iterable[int] | None = None) -> Iterator[SwitchPlan]:
        """Those of the part, under a system, in the order requested."""
        asked = self.wired.switches if only is None else only
        return self.whole.switches(system, [device for device in asked if device in self.devices])


def part_of(plan: Plan, devices: Iterable[int]) -> PartOfPlan:
    """The plan of these switches, by index; names, addresses and lengths are those that they have in the whole."""
    given = {one.name: getattr(plan, one.name) for one in fields(Plan)}
    return PartOfPlan(**given, whole=plan, devices=frozenset(devices))
