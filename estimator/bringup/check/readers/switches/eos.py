"""Arista EOS: ``show running-config``. Statements: templates of Arista AVD's eos_cli_config_gen, EOS user manual."""

import re
from collections.abc import Iterable
from functools import lru_cache

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.lines import Line, indented
from estimator.bringup.check.texts.spans import bounded, dscps, in_bytes, interfaces, numbers

KIND, SYSTEM = "EOS running-config", "eos"
BY_DEFAULT = (1, 0, 2, 3, 4, 5, 6, 7)  # traffic class of DSCP 0-7, 8-15, …: EOS user manual, quality of service
_MARKS = re.compile(
    r"random-detect ecn minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+)(?: max-mark-probability (\d+))?"
)


def is_mine(text: str) -> bool:
    """Whether it has statements that EOS alone has."""
    return bool(
        re.search(
            r"(?m)^! device: .*EOS|^! Command: show running-config|^\s*(?:service-profile \S|uc-tx-queue \d|qos profile \S|"
            r"priority-flow-control (?:on$|priority \d+ no-drop)|qos map dscp|transceiver qsfp default-mode|"
            r"service routing protocols model)",
            text,
        )
    ) and not re.search(r"(?m)^feature \S", text)


def read(text: str, notes: Notes) -> None:
    """Settings of ports and classes."""
    lines = list(indented(text))
    profiles: dict[str, list[Line]] = {}
    ports: dict[str, list[Line]] = {}
    n_statements = 0
    for line in lines:
        words = line.text.split()
        owner = (line.above[0] if line.above else line.text).split()
        if owner[:2] == ["qos", "profile"] and len(owner) > 2:
            profiles.setdefault(owner[2], []).append(line)
        elif owner[0].lower() == "interface" and (named := _ports_named(" ".join(owner[1:]))):
            bounded(n_statements := n_statements + len(named), line.number)
            for port in named:
                ports.setdefault(port, []).append(line)
        elif not line.above:
            _whole(words, line, notes)
        else:
            _inside(owner, words, line, notes)
    _policies(lines, notes)
    _headroom(lines, notes)
    if ports and notes.device and any(line.text.startswith("router ") for line in lines):
        notes.see("whole", ALL, True, 1)
    for priority, traffic_class in enumerate(BY_DEFAULT):
        for dscp in range(priority * 8, priority * 8 + 8):
            if not any(one.setting == "dscp_class" and one.place == str(dscp) for one in notes.seen):
                notes.see("dscp_class", dscp, traffic_class, 1)
    default_mtu = next(
        (line for line in lines if line.block == "interface defaults" and line.text.startswith("mtu ")), None
    )
    for port, statements in ports.items():
        _port(port, statements, profiles, default_mtu, notes)


@lru_cache(maxsize=1024)
def _ports_named(text: str) -> tuple[str, ...]:
    """Ports of ``Ethernet1/1``, ``Et1/1-4`` and lists; none where it is another kind of interface."""
    if not re.match(r"(?i)et(?:h(?:ernet)?)?\s*\d", text):
        return ()
    return tuple(re.sub(r"(?i)^et(?:h(?:ernet)?)?(?=\d)", "Ethernet", name) for name in interfaces(text))


def _whole(words: list[str], line: Line, notes: Notes) -> None:
    match words:
        case ["hostname", name, *_]:
            notes.device = name
        case ["qos", "map", "dscp", *which, "to", "traffic-class", number]:
            notes.see("dscp_map", ALL, "qos map dscp", line.number)
            for dscp in dscps(" ".join(which)):
                notes.number("dscp_class", dscp, number, line.number)
        case ["qos", "map", "traffic-class", *classes, "to", "uc-tx-queue" | "tx-queue", queue]:
            for one in numbers(" ".join(classes)):
                notes.number("class_queue", one, queue, line.number)
        case ["ip", "hardware", "fib", "load-balance", "distribution", how, *_]:
            notes.see("balancing", ALL, how == "dynamic", line.number)
        case ["load-balance", "cluster"]:
            notes.see("balancing", ALL, True, line.number)
        case ["no", "priority-flow-control", "pause", "watchdog", *_]:
            notes.see("watchdog", ALL, False, line.number)
        case ["priority-flow-control", "pause", "watchdog", "default", "timeout", seconds, *_]:
            notes.see(
                "watchdog",
                ALL,
                float(seconds) > 0 if re.fullmatch(r"\d{1,7}(?:\.\d{0,6})?", seconds) else True,
                line.number,
            )
        case ["priority-flow-control", "all", "off"]:
            notes.see("pfc_all_off", ALL, True, line.number)
        case ["no", "lldp", "run"]:
            notes.see("lldp", ALL, False, line.number)
        case ["lldp", "run"]:
            notes.see("lldp", ALL, True, line.number)
        case ["router", "bgp", number]:
            notes.see("asn", ALL, number, line.number)
        case _:
            pass


def _inside(owner: list[str], words: list[str], line: Line, notes: Notes) -> None:
    """Loopbacks and BGP."""
    match [*owner[:2], *words]:
        case ["interface", name, "ip", "address", address, *_] if name.startswith(("Loopback", "Lo")):
            notes.see("loopback", name, address, line.number)
        case ["interface", name, "ip", "address", address, *_] if name.startswith("Vlan"):
            notes.see("svi", name, address, line.number)
        case ["router", "bgp", "router-id", address]:
            notes.see("router_id", ALL, address, line.number)
        case ["router", "bgp", *rest] if "allowas-in" in rest:
            notes.see("repeats_asn", ALL, True, line.number)
        case _:
            pass


def _policies(lines: list[Line], notes: Notes) -> None:
    """Classes that a policy of quality of service gives to the DSCPs of its class maps."""
    matches: dict[str, tuple[int, ...]] = {}
    for line in lines:
        words, owner = line.text.split(), line.block.split()
        if owner[:1] == ["class-map"] and "dscp" in words[:3] and words[:1] == ["match"]:
            matches[owner[-1]] = matches.get(owner[-1], ()) + dscps(" ".join(words[words.index("dscp") + 1 :]))
        if owner[:1] == ["class"] and words[:2] == ["set", "traffic-class"] and len(words) == 3:
            for dscp in matches.get(owner[-1], ()):
                notes.see("dscp_map", ALL, "policy-map", line.number)
                notes.number("dscp_class", dscp, words[2], line.number)


def _headroom(lines: list[Line], notes: Notes) -> None:
    """Headroom of the profile of queues that is applied: of all ports."""
    applied = {
        line.text.split()[-2] for line in lines if re.match(r"platform \S+ mmu queue profile \S+ apply$", line.text)
    }
    for line in lines:
        owner = line.block.split()
        match line.text.split():
            case ["ingress", "headroom", *unit, size] if "mmu" in owner and owner[-1] in applied:
                found = in_bytes(size, unit[0] if unit else "bytes")
                if found is not None:
                    notes.see("xoff_bytes", ALL, found, line.number)
            case _:
                pass


def _port(port: str, own: list[Line], profiles: dict[str, list[Line]], default_mtu: Line | None, notes: Notes) -> None:
    first = own[0].number
    notes.see("port", port, True, first)
    mtu = next((line for line in own if line.text.startswith("mtu ")), None) or default_mtu
    if mtu:
        notes.number("mtu", port, mtu.text.split()[1], mtu.number)
    elif any(line.text == "no switchport" for line in own):
        notes.see("mtu", port, 1500, first)  # of a routed port: EOS user manual
    switched = next((line for line in own if re.match(r"switchport (?:mode|access|trunk) ", line.text)), None)
    if switched:
        notes.see("trust", port, "cos", switched.number)  # of a switched port that states none: EOS user manual
    used = next((line for line in own if line.text.startswith("service-profile ")), None)
    name = used.text.split()[1] if used else ""
    profile = profiles.get(name, [])
    _flow(port, first, [*profile, *own], used, profile[0].number if profile else None, notes)
    for line in own:
        words = line.text.split()
        match words:
            case ["ip", "address", address, *_] if "/" in address:
                notes.see("address", port, address, line.number)
            case ["speed", *rest]:
                rate = re.search(r"\b(\d{1,4})g", " ".join(rest))
                if rate:
                    notes.see("speed", port, int(rate[1]), line.number)
            case ["flowcontrol", "receive" | "send", "on"]:
                notes.see("global_pause", port, True, line.number)
            case ["shutdown"]:
                notes.see("admin", port, False, line.number)
            case ["no", "lldp", "transmit" | "receive"]:
                notes.see("lldp", port, False, line.number)
            case ["no", "error-correction", "encoding", *_]:
                notes.see("fec", port, "none", line.number)
            case ["error-correction", "encoding", how, *_]:
                notes.see("fec", port, how, line.number)
            case _:
                pass


def _flow(
    port: str, first: int, lines: Iterable[Line], used: Line | None, profile_line: int | None, notes: Notes
) -> None:
    """Flow control, trust and marking of a port, of its profile first."""
    is_on, at = False, used.number if used else first
    priorities: list[int] = []
    off_at: int | None = None
    watched: tuple[bool, int] | None = None
    marked: set[int] = set()
    for line in lines:
        words = line.text.split()
        match words:
            case ["priority-flow-control", "on"] | ["priority-flow-control", "mode", "on"]:
                is_on, off_at = True, None
            case (
                ["no", "priority-flow-control"]
                | ["priority-flow-control", "off"]
                | ["priority-flow-control", "mode", "off"]
            ):
                is_on, off_at = False, line.number
            case ["priority-flow-control", "priority", what, "no-drop"]:
                priorities += numbers(what)
                at = line.number
            case ["priority-flow-control", "priority", what, "drop"] | [
                "no",
                "priority-flow-control",
                "priority",
                what,
                "no-drop",
            ]:
                priorities = [one for one in priorities if one not in numbers(what)]
                off_at = line.number
            case ["priority-flow-control", "pause", "watchdog", *rest] if not rest or rest == ["on"]:
                watched = (True, line.number)
            case ["no", "priority-flow-control", "pause", "watchdog"] | [
                "priority-flow-control",
                "pause",
                "watchdog",
                "off" | "disabled" | "disable",
            ]:
                watched = (False, line.number)
            case ["qos", "trust", how]:
                notes.see("trust", port, how, line.number)
            case ["no", "qos", "trust"]:
                notes.see("trust", port, "none", line.number)
            case ["random-detect", "ecn", *_]:
                queue = numbers(line.block.split()[-1])
                if queue and _marks(queue[0], line, notes):
                    marked.add(queue[0])
                    notes.see("ecn", f"{port}|{queue[0]}", True, line.number)
            case ["bandwidth", "percent", share] if "tx-queue" in line.block:
                for queue_number in numbers(line.block.split()[-1]):
                    notes.number("weight", f"{port}|{queue_number}", share, line.number)
            case ["no", "priority"] if "tx-queue" in line.block:
                for queue_number in numbers(line.block.split()[-1]):
                    notes.see("scheduler", queue_number, "dwrr", line.number)
            case ["priority", "strict"] if "tx-queue" in line.block:
                for queue_number in numbers(line.block.split()[-1]):
                    notes.see("scheduler", queue_number, "strict", line.number)
            case _:
                pass
    line_of_pfc = at if is_on and priorities else off_at or profile_line or at
    notes.see("pfc", port, tuple(dict.fromkeys(priorities)) if is_on else (), line_of_pfc)
    if watched is not None:
        notes.see("watchdog", port, *watched)
    notes.see("marks_here", port, len(marked), profile_line or first)


def _marks(queue: int, line: Line, notes: Notes) -> bool:
    match = _MARKS.search(line.text)
    if not match:
        return False
    low, low_unit, high, high_unit, mark = match.groups()
    for setting, number, unit in (("ecn_min", low, low_unit), ("ecn_max", high, high_unit)):
        size = in_bytes(number, unit)
        if size is not None:
            notes.see(setting, queue, size, line.number)
    if mark:
        notes.number("ecn_mark", queue, mark, line.number)
    return True
