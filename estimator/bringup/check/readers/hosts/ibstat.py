"""Ports: ``ibstat``. Its output: rdma-core, infiniband-diags/ibstat.c."""

import re

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "ibstat", "host"


def is_mine(text: str) -> bool:
    """Whether it is what ibstat prints."""
    return "CA '" in text and bool(re.search(r"(?m)^CA '[^']+'", text))


def read(text: str, notes: Notes) -> None:
    """State, rate and link layer of the first port of each device."""
    device, port = "", 1
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        found = re.match(r"CA '([^']{1,60})'", line)
        if found:
            device, port = found[1], 1
        at = re.match(r"Port (\d{1,3}):$", line)
        if at:
            port = int(at[1])
        if port > 1:
            continue
        key, _, value = (part.strip() for part in line.partition(":"))
        match key:
            case "State":
                notes.see("state", device, value.lower(), number)
            case "Rate":
                notes.number("rate", device, value.partition(" ")[0], number)
            case "Port GUID" if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", value):
                notes.see("port_guid", device, f"{int(value, 16):#018x}", number)
            case "Link layer":
                notes.see("link_layer", device, value, number)
            case _:
                pass
