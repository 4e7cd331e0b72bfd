"""Firmware of NICs: ``mlxconfig -d DEVICE q``. Names: NVIDIA firmware tools' documentation."""

import re

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "mlxconfig", "host"
LAYERS = {"1": "InfiniBand", "2": "Ethernet"}
_NUMBER = re.compile(r"\((-?\d{1,10})\)$|^(\d{1,10})(?:\(0x[0-9a-fA-F]+\))?$|^(0x[0-9a-fA-F]{1,8})$")
_ROW = re.compile(r"^\s*\*?\s*([A-Z][A-Z0-9_]{2,60})\s+(\S+)(?:\s+(\S+))?(?:\s+(\S+))?\s*$")


def is_mine(text: str) -> bool:
    """Whether it is what mlxconfig prints."""
    return bool(
        re.search(r"(?m)^\s*Device type:|^Configurations:", text)
        and re.search(r"(?m)^\s*\*?\s*[A-Z][A-Z0-9_]{2,60}\s+\S+", text)
    )


def read(text: str, notes: Notes) -> None:
    """Link type, congestion control and PCIe options of each device; with -e the next boot's column counts."""
    device = ""
    columns = 1
    for number, line in enumerate(text.split("\n"), 1):
        named = re.match(r"\s*Device:\s+(\S+)", line)
        if named:
            device = named[1]
        if re.match(r"\s*Configurations:", line):
            columns = max(len(line.split()) - 1, 1)
        row = _ROW.match(line)
        if row:
            cells = [cell for cell in row.groups()[1:] if cell]
            _option(row[1], cells[min(columns, len(cells)) - 1], device, number, notes)


def _option(name: str, text: str, device: str, line: int, notes: Notes) -> None:
    found = _NUMBER.search(text)
    value = found and next(part for part in found.groups() if part is not None)
    if name.endswith(("_P2", "_P3", "_P4")):
        return  # a second port of a NIC is another network's, as far as anybody knows
    stem = re.sub(r"_P\d$", "", name)
    settings = {"CNP_DSCP": "cnp_dscp", "CNP_802P_PRIO": "cnp_priority", "ROCE_CC_PRIO_MASK": "cc_mask"}
    match stem:
        case "LINK_TYPE":
            layer = LAYERS.get(value or "")
            if layer:
                notes.see("link_type", device, layer, line)
            else:
                notes.skip(line, "a link type that is not known")
        case "ATS_ENABLED":
            notes.see("ats", device, value == "1" or text.startswith("True"), line)
        case "CNP_DSCP" | "CNP_802P_PRIO" | "ROCE_CC_PRIO_MASK":
            notes.number(settings[stem], device, value or text, line)
        case _:
            pass
