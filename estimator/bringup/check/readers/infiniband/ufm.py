"""UFM: ``gv.cfg``. Sections and keys: UFM manual, configuration of SHARP."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "gv.cfg", "opensm"
_ON = ("true", "1", "yes", "on")


def is_mine(text: str) -> bool:
    """Whether it has sections of UFM."""
    return bool(re.search(r"(?mi)^\s*\[(?:Sharp|UFM|Server|SubnetManager|CSI|FabricAnalysis)\]\s*$", text))


def read(text: str, notes: Notes) -> None:
    """Whether SHARP is on."""
    section = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line.startswith(("#", ";")):
            continue
        head = re.fullmatch(r"\[([^\]]{1,60})\]", line)
        if head:
            section = head[1].lower()
            notes.see("section", section, True, number)
        key, is_set, value = line.partition("=")
        if section == "sharp" and key.strip() == "sharp_enabled" and is_set:
            notes.see("sharp_enabled", ALL, "2" if value.strip().lower() in _ON else "0", number)
