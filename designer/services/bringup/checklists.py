"""The checklist of a design with its ticks. Items come from the current state of the design, ticks from the database.

A tick belongs to an item's code, which stays from state to state; what was to do then is kept beside it, so that a tick of
something else is shown as one. Each row has a number that counts its changes: who ticks says which one they saw.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.db import IntegrityError, transaction
from django.db.models import Max, Sum
from django.utils import timezone

from designer.models import ChecklistTick, Design
from designer.services.bringup.plans import State, state_of
from estimator.bringup.checklist.design import checklist_of
from estimator.bringup.checklist.files import Ticked as TickText
from estimator.bringup.checklist.result import Checklist, Item
from estimator.bringup.plan.choices import WEEKS, Choices
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.record import IfAny, Record
from estimator.spec.parse import parse_spec

US_PER_S = 10**6
LATE_S = 60  # that a tick may take from its time to the database
KEPT = 8  # checklists of a process: one takes about a second to make


class ChangedMeanwhile(EstimatorError):
    """Somebody else changed a tick since it was seen."""

    code = "changed_meanwhile"


class TickState(Record):
    """An item's tick as REST answers it; ``version`` is what the next change of it names."""

    code: str
    done: bool
    by: IfAny[str] = None
    at: IfAny[str] = None
    version: int = 0
    changed: bool = False
    """True if it was ticked when there was something else to do there."""


class TickedChecklist(Checklist):
    """The checklist with the ticks that were made, as REST answers it."""

    ticks: list[TickState]


@dataclass(frozen=True)
class Ticked:
    """An item with its tick, if it ever had one."""

    item: Item
    tick: ChecklistTick | None

    @property
    def is_changed(self) -> bool:
        """Whether it was ticked for something else than there is to do now."""
        return self.tick is not None and self.tick.is_done and self.tick.content != self.item.content

    @property
    def is_done(self) -> bool:
        """Whether it is ticked as it stands now."""
        return self.tick is not None and self.tick.is_done and not self.is_changed

    @property
    def version(self) -> int:
        """Number of the last change; 0 where there was none."""
        return self.tick.version if self.tick else 0

    @property
    def state(self) -> TickState:
        """For REST."""
        tick = self.tick
        return TickState(
            code=self.item.code,
            done=self.is_done,
            by=tick.by if tick else None,
            at=tick.at.isoformat() if tick else None,
            version=self.version,
            changed=self.is_changed,
        )


@lru_cache(maxsize=KEPT)
def checklist_for(state: State) -> Checklist:
    """The checklist of a state; kept, as every tick asks for it.

    Raises
    ------
    EstimatorError
        As ``checklist_of``.
    """
    return checklist_of(state.spec, load_catalog(), state.choices.weeks)


def checklist_now(design: Design, weeks: float = WEEKS) -> Checklist:
    """The checklist of a design's current state, to be done in so many weeks.

    Raises
    ------
    EstimatorError
        As ``checklist_of``.
    """
    return checklist_for(state_of(parse_spec(design.spec, load_catalog()), Choices(weeks=weeks)))


def with_ticks(design: Design, items: Iterable[Item]) -> list[Ticked]:
    """Items with their ticks, in their order."""
    ticks = {tick.item: tick for tick in design.ticks.all()}
    return [Ticked(item, ticks.get(item.code)) for item in items]


@dataclass(frozen=True)
class Seen:
    """What somebody has seen of a design's ticks: how many changes there were, and when the last of them was made."""

    n_changes: int
    at_us: int
    """Microseconds since 1970; 0 where there was none."""

    @classmethod
    def of(cls, design: Design) -> "Seen":
        """All there are now. Taken before ticks are read, so that none falls between."""
        found = design.ticks.aggregate(n=Sum("version"), at=Max("at"))
        latest = found.get("at")
        return cls(found.get("n") or 0, round(latest.timestamp() * US_PER_S) if latest else 0)

    @classmethod
    def parse(cls, text: str) -> "Seen":
        """As ``str`` writes it; nothing where it is nonsense."""
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,17})", text, flags=re.ASCII)
        return cls(int(match[1]), int(match[2])) if match else cls(0, 0)

    def __str__(self) -> str:
        return f"{self.n_changes}-{self.at_us}"

    def is_before(self, tick: ChecklistTick) -> bool:
        """Whether a tick may have been made since: one that was written late bears an earlier time."""
        return tick.at.timestamp() * US_PER_S >= self.at_us - LATE_S * US_PER_S


def as_text(design: Design, checklist: Checklist) -> TickText:
    """For files: whether an item is done, who ticked it and when."""
    ticked = {one.item.code: one for one in with_ticks(design, checklist.items)}

    def text(code: str) -> tuple[str, str, str]:
        one = ticked[code]
        done = "yes" if one.is_done else "changed" if one.is_changed else "no"
        return done, one.tick.by if one.tick else "", one.tick.at.isoformat() if one.tick else ""

    return text


def item_of(checklist: Checklist, code: str) -> Item:
    """An item by its code.

    Raises
    ------
    SpecError
        If the checklist has none of this code.
    """
    found = next((item for item in checklist.items if item.code == code), None)
    if found is None:
        message = (
            f"The checklist has no item {code[:80]!r}. Its items are those of the design as it is now: load it again."
        )
        raise SpecError([Problem("item", "no_such_item", message)])
    return found


def tick(design: Design, item: Item, *, is_done: bool, seen: int, by: str) -> Ticked:
    """Tick an item, or take its tick back.

    Parameters
    ----------
    seen : the ``version`` that was shown; 0 where the item had no tick.
    by : who does it, as others see it.

    Raises
    ------
    ChangedMeanwhile
        If somebody else has changed it since; nothing is written then.
    """
    values = {"content": item.content, "is_done": is_done, "by": by[:200], "at": timezone.now()}
    if seen == 0:
        try:
            with transaction.atomic():
                return Ticked(item, ChecklistTick.objects.create(design=design, item=item.code, version=1, **values))
        except IntegrityError:
            pass  # somebody was first: said below
    elif ChecklistTick.objects.filter(design=design, item=item.code, version=seen).update(**values, version=seen + 1):
        return Ticked(item, ChecklistTick.objects.get(design=design, item=item.code))
    now = design.ticks.filter(item=item.code).first()
    words = (
        f"{now.by} {'ticked' if now.is_done else 'took back'} “{item.title}” on {now.at:%-d %B at %H:%M} UTC"
        if now
        else f"“{item.title}” has no tick any more"
    )
    message = f"{words}, after this page was loaded. Nothing was changed: it is shown as it is now."
    raise ChangedMeanwhile([Problem("version", ChangedMeanwhile.code, message)])
