"""Kernel: ``sysctl -a`` or a file of /etc/sysctl.d."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "sysctl", "host"
KEPT = ("kernel.numa_balancing", *(f"net.ipv4.conf.all.{key}" for key in ("arp_announce", "arp_ignore", "rp_filter")))
_ROW = re.compile(r"^\s*([a-z0-9_]+(?:[./][A-Za-z0-9_*-]+)+)\s*=\s*(.*)$")


def is_mine(text: str) -> bool:
    """Whether it has keys of the kernel."""
    return bool(re.search(r"(?m)^\s*(?:kernel|vm|net|fs)[./][a-z0-9_]+[\w./*-]*\s*=", text))


def read(text: str, notes: Notes) -> None:
    """The keys that matter here."""
    for number, line in enumerate(text.split("\n"), 1):
        row = _ROW.match(line)
        key = row[1].replace("/", ".") if row else ""
        if row and key in KEPT:
            notes.number(key, ALL, row[2], number)
