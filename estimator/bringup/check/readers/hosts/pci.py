"""PCIe: ``lspci -vvv``. Its output: pciutils, ls-caps.c and ls-ecaps.c."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "lspci", "host"
_DEVICE = re.compile(r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ([^:\[]+)[^:]*:")
_VIRTUAL = re.compile(r"Virtio|QEMU|VMware|VirtualBox|Hyper-V|Xen Platform")
_LINK = re.compile(r"Speed ([\d.]+GT/s)|Width (x\d+)")
_NICS = ("Ethernet controller", "Infiniband controller", "InfiniBand controller", "Network controller")


def is_mine(text: str) -> bool:
    """Whether it is what lspci -vvv prints."""
    return bool(re.search(r"(?m)^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ", text)) and "Ctl:" in text


def read(text: str, notes: Notes) -> None:
    """ACS of bridges, read requests and ATS of NICs."""
    device, kind, is_nvidia = "", "", False
    able: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _DEVICE.match(line)
        if found:
            device, kind, able = found[1], found[2].strip(), []
            is_nvidia = "Mellanox" in line or "NVIDIA" in line or "ConnectX" in line
            if _VIRTUAL.search(line):
                notes.see("virtual", ALL, True, number)
        words = line.split()
        if words[:1] == ["ACSCtl:"]:
            notes.see("acs", device, any(word.endswith("+") for word in words[1:]), number)
        if kind in _NICS and is_nvidia:
            size = re.search(r"MaxReadReq (\d{1,5}) bytes", line)
            if size:
                notes.see("max_read_request", device, int(size[1]), number)
            if words[:1] == ["LnkCap:"]:
                able = _LINK.findall(line)
            if words[:1] == ["LnkSta:"]:  # older releases do not say that it is less than it could be
                is_whole = "(downgraded)" not in line and (not able or _LINK.findall(line) == able)
                notes.see("link_whole", device, is_whole, number)
            if words[:1] == ["ATSCtl:"]:
                notes.see("ats", device, "Enable+" in line, number)
