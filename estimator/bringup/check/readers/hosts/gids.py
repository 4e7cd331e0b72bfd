"""GIDs: ``show_gids`` of MLNX_OFED."""

import re

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "show_gids", "host"
_ROW = re.compile(
    r"^(\S{1,40})\s+(\d{1,2})\s+(\d{1,3})\s+((?:[0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4})\s+(?:(\d{1,3}(?:\.\d{1,3}){3})\s+)?(?:RoCE\s*)?(v[12])\b"
)


def is_mine(text: str) -> bool:
    """Whether it is what show_gids prints."""
    return bool(re.search(r"(?m)^DEV\s+PORT\s+INDEX\s+GID", text)) or _ROW_ANYWHERE.search(text) is not None


_ROW_ANYWHERE = re.compile(_ROW.pattern, re.MULTILINE)


def read(text: str, notes: Notes) -> None:
    """Version and IPv4 of each index."""
    for number, line in enumerate(text.split("\n"), 1):
        row = _ROW.match(line.strip())
        if row:
            device, _, index, _, address, version = row.groups()
            notes.see("gid_version", f"{device}|{index}", version, number)
            if address and version == "v2":
                notes.see("nic_address", device, address, number)
            if version == "v2":
                notes.see("gid_is_local", f"{device}|{index}", row[4].lower().startswith("fe80"), number)
        elif line.strip() and not re.match(r"^(DEV\b|-+|n_gids_found)", line.strip()):
            notes.skip(number, "it is no row of show_gids")
