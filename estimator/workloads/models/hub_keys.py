"""Reading one key of a pasted ``config.json`` after another: its aliases, its type, its bounds; problems are collected."""

import math
from collections.abc import Iterable

from estimator.errors import Problem
from estimator.record import Given
from estimator.spec.checking import kind_of

MOST_LAYERS = 1_000
BOUNDS = {  # most that a key may say; an order above the largest public model
    "layers": MOST_LAYERS,
    "hidden": 262_144,
    "heads": 4_096,
    "kv_heads": 4_096,
    "head_dim": 8_192,
    "ffn": 4_194_304,
    "vocab": 10_000_000,
    "context": 1_000_000_000,
    "experts": 65_536,
    "rank": 262_144,
    "factor": 64,
}


class Keys:
    """A config's values, found under any of several names; ``problems`` has what was wrong with them."""

    def __init__(self, config: Given, field: str) -> None:
        self.config, self.field = config, field
        self.problems: list[Problem] = []

    def whole(self, names: str, bound: str, least: int = 1) -> int | None:
        """The integer under the first of the names (``a|b``) that is there and not null; None where none is."""
        name, value = self.first(names)
        if name is None:
            return None
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            shown = kind_of(value) if isinstance(value, dict | list) else repr(value)[:40]
            self.refuse(name, "wrong_type", f"Must be a whole number, and {shown} was given.")
            return None
        most = BOUNDS[bound]
        if not least <= value <= most:
            given = f"{value:,}" if abs(value) < 10**15 else f"a number of {len(str(abs(value)))} digits"
            self.refuse(name, "out_of_range", f"Must be {least:,} to {most:,}, and {given} was given.")
            return None
        return value

    def needed(self, names: str, bound: str, instead: str = "") -> int:
        """The same, and a problem where none is there."""
        n_before = len(self.problems)
        value = self.whole(names, bound)
        if value is None and len(self.problems) == n_before:
            first, *others = names.split("|")
            also = f" (or {', '.join(others)})" if others else ""
            self.refuse(first, "missing", f"'{first}'{also} is needed and was left out.{instead}")
        return value or 1

    def flag(self, names: str, usual: bool = False) -> bool:
        """True or false under the first of the names that is there."""
        name, value = self.first(names)
        if name is None:
            return usual
        if not isinstance(value, bool):
            self.refuse(name, "wrong_type", f"Must be true or false, and {repr(value)[:40]} was given.")
            return usual
        return value

    def kinds(self, names: str, n_layers: int) -> list[str] | None:
        """A list with a word or number for each layer, as words."""
        name, value = self.first(names)
        if name is None or isinstance(value, int):
            return None
        if not isinstance(value, list) or not all(isinstance(one, str | int) for one in value):
            self.refuse(name, "wrong_type", "Must be a list with an entry for each layer.")
            return None
        if len(value) < n_layers or len(value) > MOST_LAYERS:
            self.refuse(
                name, "wrong_length", f"Has {len(value):,} entries, and the model {n_layers:,} layers: one for each."
            )
            return None
        return [str(one) for one in value[:n_layers]]

    def first(self, names: str) -> tuple[str | None, object]:
        """The first of the names that is there and not null, with its value."""
        return next(
            ((name, self.config[name]) for name in names.split("|") if self.config.get(name) is not None), (None, None)
        )

    def inner(self, name: str) -> "Keys":
        """The object under a key, which shares this one's problems; an empty one where there is none."""
        value = self.config.get(name)
        found = Keys(value if isinstance(value, dict) else {}, f"{self.field}.{name}")
        found.problems = self.problems
        return found

    def present(self, names: Iterable[str]) -> list[str]:
        """Those of the names whose value says something."""
        return [name for name in names if self.config.get(name) not in (None, False, 0, [], {}, "")]

    def refuse(self, name: str, code: str, message: str) -> None:
        """Keep a problem with a key."""
        self.problems.append(Problem(f"{self.field}.{name}" if name else self.field, code, message))
