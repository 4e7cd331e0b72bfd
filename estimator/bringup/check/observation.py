"""What a file says: settings with the line that they stand on, and what could not be read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

Priorities = tuple[int, ...]
Seen = str | int | float | bool | Priorities
ALL = ""  # the place of what holds for a whole device


class Observation(NamedTuple):
    """One setting. ``place`` is a port, a class, a queue, a DSCP or a profile; ALL for the whole device."""

    setting: str
    place: str
    value: Seen
    line: int


class Unclear(NamedTuple):
    """What stands on a line and was not read, or None for the whole file."""

    line: int | None
    why: str


@dataclass
class Notes:
    """What a reader writes down while it goes through one file."""

    device: str = ""
    """The name that the file gives its device."""
    seen: list[Observation] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)

    def see(self, setting: str, place: object, value: Seen, line: int) -> None:
        """Write a setting down."""
        self.seen.append(Observation(setting, str(place), value, line))

    def skip(self, line: int | None, why: str) -> None:
        """Write down that a line could not be read."""
        self.unclear.append(Unclear(line, why))

    def number(self, setting: str, place: object, text: object, line: int) -> None:
        """Write a whole number down, or that it is none."""
        digits = str(text).replace(",", "").strip()
        if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", digits):
            self.see(setting, place, int(digits, 16), line)
        elif digits.isascii() and digits.isdecimal() and len(digits) < MOST_DIGITS:
            self.see(setting, place, int(digits), line)
        else:
            self.skip(line, f"{setting} is no whole number here")


MOST_DIGITS = 13


@dataclass(frozen=True)
class Reading:
    """One file as it was read."""

    file: str
    device: str
    kind: str
    seen: tuple[Observation, ...]
    also: tuple[str, ...] = ()
    """Other names that it may have, by folders and the name of its file: of use where ``device`` is none of the design."""

    def all(self, setting: str) -> Iterator[Observation]:
        """Observations of a setting, one a place, in the order of the file: the last counts, as it does for devices."""
        return iter(self._index.get(setting, {}).values())

    def first(self, setting: str, *places: object) -> Observation | None:
        """The observation at the first of the places that has one."""
        found = self._index.get(setting, {})
        return next((found[str(place)] for place in places if str(place) in found), None)

    @cached_property
    def _index(self) -> dict[str, dict[str, Observation]]:
        out: dict[str, dict[str, Observation]] = {}
        for one in self.seen:
            out.setdefault(one.setting, {})[one.place] = one
        return out
