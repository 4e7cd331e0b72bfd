"""Ports: ``ibstat``. Its output: rdma-core, infiniband-diags/ibstat.c."""

import re

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "ibstat", "host"


def is_mine(text: str) -> bool:
    """Whether it is what ibstat prints."""
    return bool(re.search(r"(?m)^CA '[^']+'", text))


def read(text: str, notes: Notes) -> None:
    """State, rate and link layer of the first port of each device."""
    device = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        found = re.match(r"CA '([^']{1,60})'", line)
        if found:
            device = found[1]
        key, _, value = (part.strip() for part in line.partition(":"))
        match key:
            case "State":
                notes.see("state", device, value.lower(), number)
            case "Rate":
                notes.number("rate", device, value, number)
            case "Link layer":
                notes.see("link_layer", device, value, number)
            case _:
                pass
