"""NCCL: variables as shells, mpirun, srun, Dockerfiles, manifests and ``/etc/nccl.conf`` set them, or a log with NCCL_DEBUG=INFO.

Names: NVIDIA NCCL user guide, environment variables. Lines of logs: NVIDIA/nccl, src/transport/net_ib.
"""

import re

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.secrets import is_secret
from estimator.bringup.check.texts.tree import Unparsed

KIND, SYSTEM = "NCCL", "job"
_VALUE = r"\"[^\"]*\"|'[^']*'|\$\{[^}\s]*\}|(?:(?!,(?:NCCL|UCX)_)[^\s;&|\\)}\]])*"  # up to the next one of a list
_SET = re.compile(rf"(?<![\w$^])((?:NCCL|UCX)_[A-Z0-9_]+)(?:['\"]?\]?[ \t]*=[ \t]*|['\"]?:[ \t]+)({_VALUE})")
_SPACED = re.compile(rf"(?:^\s*(?:ENV|setenv)|-g?env)[ \t]+((?:NCCL|UCX)_[A-Z0-9_]+)[ \t]+({_VALUE})")
_UNSET = re.compile(r"^\s*unset\s+(.*)$")
_NAME, _OF_NAME = (
    re.compile(rf"^\s*(?:-\s+)?['\"]?{key}['\"]?:\s*['\"]?({of})['\"]?,?\s*$")
    for key, of in (("name", "(?:NCCL|UCX)_[A-Z0-9_]+"), ("value", "[^'\"]*"))
)
_ELSE = re.compile(r"^\$\{\w+:?-(.*)\}$")  # a shell's variable with what counts where it is unset
_LOGGED = re.compile(r"\b(NCCL_[A-Z0-9_]+) set (?:by environment |by environment|from .*? )?to (\S+?)\.?$")
_USING = re.compile(r"NET/IB\s*: Using (.*)")
_GDR = re.compile(
    r"GPU Direct RDMA (Enabled|Disabled)(?: for (?:HCA|GPU) (\S+)(?: / HCA \d+)?(?: '([^']+)')?)?", re.IGNORECASE
)
_DEVICE = re.compile(r"\[\d+\](\S+?):(\d+)/(RoCE|IB)")
MOST_TEXT = 200


_ELSEWHERE = "a start for machines there, not for this design"


def is_mine(text: str) -> bool:
    """Whether it has variables or lines of NCCL's log."""
    if "NCCL" not in text and "UCX_" not in text:
        return False
    return "NCCL INFO " in text or any(
        _SET.search(line) or _SPACED.search(line) or _NAME.match(line) for line in _stated(text)
    )


def _stated(text: str) -> list[str]:
    """Lines that are no comments."""
    return [line for line in text.split("\n") if not line.lstrip().startswith(("#", "!", "//"))]


def read(text: str, notes: Notes) -> None:
    """Variables, and what the log says of NICs and GPUDirect.

    Raises
    ------
    Unparsed
        Of the environment of another site, as bring-up writes it beside the design's own.
    """
    if _ELSEWHERE in text[:4000]:
        raise Unparsed(None, "it is how another site sets NCCL, and not this design.")
    named = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("#", "!", "//")):
            continue
        if "NCCL INFO" in line or "NCCL WARN" in line:
            _logged(line, number, notes)
            continue
        value = _OF_NAME.match(line) if named else None
        found = [(named, value[1])] if value else [*_SPACED.findall(line), *_SET.findall(line)]
        for name, text_ in found:
            if not is_secret(name):
                _variable(name, text_.rstrip(","), number, notes)
        name_alone = _NAME.match(line)
        named = name_alone[1] if name_alone else ""
        if unset := _UNSET.match(line):
            notes.seen = [one for one in notes.seen if one.setting != "variable" or one.place not in unset[1].split()]


def _variable(name: str, value: str, number: int, notes: Notes) -> None:
    shown = value.strip().strip("'\"")[:MOST_TEXT]
    shown = default[1] if (default := _ELSE.match(shown)) else shown
    notes.see("variable", name, shown, number)


def _direct(gdr: re.Match[str], number: int, notes: Notes) -> None:
    """A NIC that gives no way to GPU memory; of pairs of GPU and NIC, a GPU that has none at all, as far ones never have."""
    is_on = gdr[1].lower() == "enabled"
    if gdr[3] or not gdr[2]:
        notes.see("gpudirect", gdr[3] or ALL, is_on, number)
        return
    place = f"GPU {gdr[2]}"
    if is_on or not any(one.setting == "gpudirect" and one.place == place for one in notes.seen):
        notes.see("gpudirect", place, is_on, number)


def _logged(line: str, number: int, notes: Notes) -> None:
    logged, using, gdr = _LOGGED.search(line.rstrip()), _USING.search(line), _GDR.search(line)
    if logged:
        _variable(logged[1], logged[2], number, notes)
    if using:
        for device, port, kind in _DEVICE.findall(using[1]):
            notes.see("used_nic", f"{device}:{port}", kind, number)
    if gdr:
        _direct(gdr, number, notes)
    elif "NET/IB" in line and re.search(r"\[send\]|\[receive\]", line):
        known = next((one for one in notes.seen if one.setting == "gpudirect" and one.place == ALL), None)
        if known is None or known.value:
            notes.see("gpudirect", ALL, "GDRDMA" in line, number)
    if "NET/IB" in line and re.search(r"No device found|Failed to open lib", line):
        notes.see("over_sockets", ALL, True, number)
    if "NET/Socket" in line and re.search(r"Using network Socket|NET/Socket : Using|via NET/Socket", line):
        notes.see("over_sockets", ALL, "Using network" in line or "via" in line, number)
