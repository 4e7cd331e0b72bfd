"""NICs: ``mlnx_qos -i IF``, of several interfaces where the commands stand before. Its output: MLNX_OFED documentation.

``ethtool -a`` beside it is read too, and ``dcb pfc show`` (iproute2, dcb-pfc(8)), which other vendors' NICs have.
"""

import re

from estimator.bringup.check.observation import Notes
from estimator.bringup.check.texts.spans import numbers

KIND, SYSTEM = "mlnx_qos", "host"
_COMMAND = re.compile(r"(?:mlnx_qos\s+-i|dcb\s+pfc\s+show\s+dev)\s+(\S+)")
_DCB = re.compile(r"[0-7]:(?:on|off)")
_PAUSE = re.compile(r"(?i)^Pause parameters for (\S+?):?$")


def is_mine(text: str) -> bool:
    """Whether it is what mlnx_qos, ethtool -a or dcb prints."""
    return bool(
        re.search(r"(?m)^\s*(?:Priority trust state:|PFC configuration:|Pause parameters for |prio-pfc 0:)", text)
    )


def read(text: str, notes: Notes) -> None:
    """Trust, maps, flow control and schedulers of each interface."""
    place, tc, enabled_at = "", "", 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        named = _COMMAND.search(line) or _PAUSE.match(line)
        if named:
            place, tc = named[1], ""
            continue
        if line.startswith("PFC configuration"):
            enabled_at = number
        match line.replace("\t", " ").split():
            case ["Priority", "trust", "state:", how]:
                notes.see("trust", place, how.lower(), number)
            case ["Cable", "len:", metres]:
                notes.number("cable_m", place, metres, number)
            case [prio, *rest] if re.fullmatch(r"prio:[0-7]", prio) and " ".join(rest).startswith("dscp:"):
                for dscp in numbers(" ".join(rest).removeprefix("dscp:")):
                    notes.see("dscp_class", f"{place}|{dscp}", int(prio[5:]), number)
            case ["enabled" | "enabled:", *flags] if enabled_at and len(flags) == 8:
                on = tuple(at for at, flag in enumerate(flags) if flag == "1")
                notes.see("pfc", place, on, number)
            case ["prio-pfc", *flags] if all(_DCB.fullmatch(flag) for flag in flags):
                on = tuple(int(flag[0]) for flag in flags if flag.endswith(":on"))
                notes.see("pfc", place, on, number)
            case ["tc:", one, *_] if numbers(one):
                tc = one
                scheduler = re.search(r"tsa: (\w+)", line)
                share = re.search(r"bw: (\d{1,3})%", line)
                if scheduler:
                    notes.see("scheduler", f"{place}|{tc}", scheduler[1], number)
                if share:
                    notes.number("weight", f"{place}|{tc}", share[1], number)
            case ["priority:", *which] if tc:
                for priority in numbers(" ".join(which)):
                    notes.see("class_queue", f"{place}|{priority}", int(numbers(tc)[0]), number)
            case ["RX:" | "TX:", "on"]:
                notes.see("global_pause", place, True, number)
            case ["RX:", "off"]:
                notes.see("global_pause", place, False, number)
            case _:
                pass
