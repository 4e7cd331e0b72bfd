"""Limits of processes: a file of /etc/security/limits.d, or what ``ulimit -a`` prints. Its output: bash manual, ulimit."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "limits", "host"
UNLIMITED = ("unlimited", "infinity", "-1")
_ULIMIT = re.compile(r"max locked memory\s+\(kbytes, -l\)\s+(\S+)")
_SERVICE = re.compile(r"^LimitMEMLOCK\s*=\s*(\S+)")


def is_mine(text: str) -> bool:
    """Whether it is a file of limits, or what ulimit prints."""
    return bool(
        re.search(r"(?m)^[*@\w%-]\S*\s+(?:soft|hard|-)\s+[a-z]+\s+\S+|^max locked memory\s|^LimitMEMLOCK\s*=", text)
    )


def read(text: str, notes: Notes) -> None:
    """Whether memory may be locked without a limit."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.partition("#")[0].strip()
        printed = _ULIMIT.search(line) or _SERVICE.match(line)
        if printed:
            notes.see("memlock", ALL, printed[1].lower(), number)
            continue
        match line.split():
            case [who, "soft" | "hard" | "-" as kind, "memlock", value]:
                notes.see("memlock", f"{who} {kind}", value.lower(), number)
            case [who, "soft" | "hard" | "-" as kind, item, value]:
                notes.see("limit", f"{who} {kind} {item}", value, number)
            case _:
                pass
