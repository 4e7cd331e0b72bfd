"""Kernel line: ``cat /proc/cmdline``, or GRUB's settings. Parameters: Linux, kernel-parameters.txt."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "kernel line", "host"
_IS = re.compile(r"(?m)^(?:BOOT_IMAGE=|GRUB_CMDLINE_LINUX(?:_DEFAULT)?=|[^#\n]*\biommu(?:\.passthrough)?=\S+)")


def is_mine(text: str) -> bool:
    """Whether it is a kernel's command line."""
    return len(text) < 20_000 and _IS.search(text) is not None


def read(text: str, notes: Notes) -> None:
    """Parameters of the IOMMU; a later one of a name counts."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.partition("#")[0]
        for word in re.split(r"[\s'\"]+", line):
            name, _, value = word.partition("=")
            if name in ("iommu", "intel_iommu", "amd_iommu", "iommu.passthrough"):
                notes.see("kernel", name, value.lower(), number)
        if line.strip():
            notes.see("kernel_line", ALL, True, number)
