"""Cisco NX-OS: ``show running-config``. Statements: Nexus 9000 configuration guides, quality of service."""

import re
from collections import Counter
from functools import lru_cache

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.lines import Line, indented
from estimator.bringup.check.texts.spans import bounded, dscps, in_bytes, interfaces, numbers

KIND, SYSTEM = "NX-OS running-config", "nxos"
ROUTED_MTU = 1500  # of a port that states none
OWN_CABLE_M = 100  # that the system reserves for by itself: quality of service guide 10.5, priority flow control
_CLASSIFIES = "service-policy type qos input"
_MARKS = re.compile(
    r"random-detect minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+)(?: drop-probability (\d+))?(.*)"
)


def is_mine(text: str) -> bool:
    """Whether it has statements that NX-OS alone has."""
    return bool(
        re.search(
            r"(?m)^\s*(?:feature (?:bgp|lldp|lacp|interface-vlan|ospf|nxapi)\b|pause pfc-cos \d|set qos-group \d|"
            r"class type (?:network-qos|queuing) |policy-map type (?:qos|network-qos|queuing) |"
            r"service-policy type (?:network-qos|queuing) |"
            r"priority-flow-control (?:mode (?:on|off|auto)|watch-dog))|^!Command: show running-config",
            text,
        )
    ) and not re.search(r"(?m)^! device: .*EOS|^\s*uc-tx-queue \d|^service routing protocols model", text)


def read(text: str, notes: Notes) -> None:
    """Settings of ports and classes."""
    lines = list(indented(text))
    matches: dict[str, list[tuple[int, int]]] = {}
    for line in lines:
        words = line.text.split()
        match words:
            case ["hostname" | "switchname", name]:
                notes.device = name
            case ["match", "dscp", *rest]:
                owner = line.block.split()
                found = dscps(",".join(rest))
                matches.setdefault(owner[-1] if owner else "", []).extend((dscp, line.number) for dscp in found)
            case _:
                pass
    others = _classes(lines, matches, notes)
    _queues(lines, notes)
    if notes.device and re.search(r"(?m)^feature ", text) and re.search(r"(?m)^router ", text):
        notes.see("whole", ALL, True, 1)
    paused = _paused(lines)
    ports: dict[str, list[Line]] = {}
    n_statements = 0
    for line in lines:
        owner = (line.above[0] if line.above else line.text).split()
        named = _ports_named(" ".join(owner[1:])) if owner[0].lower() == "interface" else ()
        bounded(n_statements := n_statements + len(named), line.number)
        for port in named:
            ports.setdefault(port, []).append(line)
        if not named:
            _whole(owner, line.text.split(), line, notes)
    rooms = _rooms(lines)
    classified = any(line.text.startswith(_CLASSIFIES) for line in lines)
    everywhere = any(line.block == "system qos" and line.text.startswith(_CLASSIFIES) for line in lines)
    for port, own in ports.items():
        _port(port, own, paused, notes)
        _room(port, own, rooms, notes)
        used = next((line for line in own if line.text.startswith(_CLASSIFIES)), None)
        for dscp, (group, number) in others.get(_policy_of(used), {}).items() if used else ():
            notes.number("port_class", f"{port}|{dscp}", group, number)
        if classified and not everywhere:
            notes.see("trust", port, "dscp" if used else "none", used.number if used else own[0].number)


@lru_cache(maxsize=1024)
def _ports_named(text: str) -> tuple[str, ...]:
    """Ports of ``Ethernet1/1``, ``ethernet 1/1-4`` and lists; none where it is another kind of interface."""
    if not re.match(r"(?i)eth(?:ernet)?\s*\d", text):
        return ()
    return tuple(re.sub(r"(?i)^eth(?:ernet)?(?=\d)", "Ethernet", name) for name in interfaces(text))


def _whole(owner: list[str], words: list[str], line: Line, notes: Notes) -> None:
    """What holds for the whole switch; of a line inside a block, ``owner`` is the block's outermost."""
    match [*owner[:2], *words] if line.above else words:
        case ["hardware", "profile", "dlb", *_]:
            notes.see("balancing", ALL, True, line.number)
        case ["no", "hardware", "profile", "dlb", *_]:
            notes.see("balancing", ALL, False, line.number)
        case ["priority-flow-control", "watch-dog-interval", how]:
            notes.see("watchdog", ALL, how == "on", line.number)
        case ["feature", "lldp"]:
            notes.see("lldp", ALL, True, line.number)
        case ["no", "feature", "lldp"]:
            notes.see("lldp", ALL, False, line.number)
        case ["router", "bgp", number] if not line.above:
            notes.see("asn", ALL, number, line.number)
        case ["router", "bgp", "router-id", address]:
            notes.see("router_id", ALL, address, line.number)
        case ["router", "bgp", *rest] if "allowas-in" in rest:
            notes.see("repeats_asn", ALL, True, line.number)
        case ["interface", name, "ip", "address", address, *_] if name.startswith("Vlan"):
            notes.see("svi", name, address, line.number)
        case ["interface", name, "ip", "address", address, *_] if name.lower().startswith(("loopback", "lo")):
            notes.see("loopback", name, address, line.number)
        case _:
            pass
    if words[:1] == ["mtu"] and len(words) == 2 and "network-qos" in line.block:
        notes.number("class_mtu", line.block.split()[-1], words[1], line.number)


def _rooms(lines: list[Line]) -> dict[str, dict[str, tuple[int, int]]]:
    """By policy and queue: what a port takes in after a pause, and the line that says so. [B]"""
    out: dict[str, dict[str, tuple[int, int]]] = {}
    for line in lines:
        found = re.match(r"pause buffer-size (\d{1,9}) pause-threshold (\d{1,9})", line.text)
        queue = re.search(r"c-in(?:-8q)?-q(\d)$", line.block)
        if found and queue and len(line.above) > 1:
            policy = out.setdefault(line.above[0].split()[-1], {})
            policy[queue[1]] = (max(int(found[1]) - int(found[2]), 0), line.number)
    return out


def _room(port: str, own: list[Line], rooms: dict[str, dict[str, tuple[int, int]]], notes: Notes) -> None:
    """Headroom of a port, by its policy of the way in; without one the system reserves for OWN_CABLE_M."""
    named = next((line for line in own if line.text.startswith("service-policy type queuing input")), None)
    queues = rooms.get(named.text.split()[-1], {}) if named else {}
    for queue, (size, line) in queues.items():
        notes.see("xoff_bytes", f"{port}|{queue}", size, line)
    if not queues:
        notes.see("cable_m", port, OWN_CABLE_M, named.number if named else own[0].number)


def _policy_of(line: Line) -> str:
    """The policy that a line names to classify what comes in; ``no-stats`` may follow the name."""
    return " ".join(line.text.split()[4:5])


Policy = dict[int, tuple[str, int]]  # by DSCP: the group of its class and the line that gives it


def _classes(lines: list[Line], matches: dict[str, list[tuple[int, int]]], notes: Notes) -> dict[str, Policy]:
    """DSCPs by the group that a policy gives their class; the first class that matches has the packet."""
    policies: dict[str, Policy] = {}
    for line in lines:
        words, owner = line.text.split(), line.block.split()
        if words[:2] == ["set", "qos-group"] and len(words) == 3 and owner[:1] == ["class"]:
            policy = policies.setdefault(line.above[0].split()[-1], {})
            for dscp, _ in matches.get(owner[-1], []):
                policy.setdefault(dscp, (words[2], line.number))
            if owner[-1] == "class-default":
                notes.see("dscp_map", ALL, "class-default", line.number)
    used = Counter(_policy_of(line) for line in lines if line.text.startswith(_CLASSIFIES))
    usual = max(policies, key=lambda name: used[name], default="")
    for dscp, (group, number) in policies.get(usual, {}).items():
        notes.number("dscp_class", dscp, group, number)
    first = next((line.number for line in lines if line.text.startswith("policy-map type qos")), None)
    first = first or next((line.number for line in lines if line.text.startswith("class-map type qos")), 1)
    for dscp in range(64):
        if dscp not in policies.get(usual, {}):
            notes.see("dscp_class", dscp, 0, first)
    return {name: policy for name, policy in policies.items() if name != usual and used[name]}


def _paused(lines: list[Line]) -> tuple[tuple[int, ...], int]:
    """Priorities that the network policy pauses, and the line that says so; the policy has to be that of the system."""
    used = next(
        (line.text.split()[-1] for line in lines if line.text.startswith("service-policy type network-qos")), None
    )
    found: list[int] = []
    at = next((line.number for line in lines if line.text.startswith("policy-map type network-qos")), 1)
    if used is None and any(line.text == "system qos" for line in lines):
        return (), at  # the policy is defined and not applied
    for line in lines:
        words = line.text.split()
        policy = line.above[0].split()[-1] if line.above else ""
        if words[:2] == ["pause", "pfc-cos"] and (used is None or policy == used):
            found += numbers(",".join(words[2:]))
            at = line.number
    return tuple(dict.fromkeys(found)), at


def _queues(lines: list[Line], notes: Notes) -> None:
    for line in lines:
        begins = re.match(r"class type queuing \S*?q-?(\d)$", line.text)
        if begins and "c-in" not in line.text:
            notes.see("queue_at", begins[1], True, line.number)
        queue = re.search(r"\bq-?(\d+)$|q(\d)$", line.block)
        if not line.block.startswith("class type queuing") or not queue:
            continue
        number = queue[1] or queue[2]
        marks = _MARKS.match(line.text)
        if marks:
            low, low_unit, high, high_unit, mark, rest = marks.groups()
            notes.see("ecn", number, "ecn" in rest.split(), line.number)
            for setting, digits, unit in (("ecn_min", low, low_unit), ("ecn_max", high, high_unit)):
                size = in_bytes(digits, unit)
                if size is not None:
                    notes.see(setting, number, size, line.number)
            if mark:
                notes.number("ecn_mark", number, mark, line.number)
        elif line.text.startswith("priority level"):
            notes.see("scheduler", number, "strict", line.number)
        elif line.text.startswith("bandwidth"):
            notes.number("weight", number, line.text.split()[-1], line.number)
            if not line.text.endswith(" 0"):
                notes.see("scheduler", number, "dwrr", line.number)


def _port(port: str, own: list[Line], paused: tuple[tuple[int, ...], int], notes: Notes) -> None:
    first, (priorities, at) = own[0].number, paused
    notes.see("port", port, True, first)
    mode: tuple[bool, int] = (False, first)
    has_mtu = False
    for line in own[1:]:
        match line.text.split():
            case ["mtu", size]:
                notes.number("mtu", port, size, line.number)
                has_mtu = True
            case ["speed", rate] if numbers(rate):
                notes.see("speed", port, numbers(rate)[0] // 1000, line.number)
            case ["priority-flow-control", "mode", how]:
                mode = (how == "on", line.number)
            case ["priority-flow-control", "watch-dog-interval", how]:
                notes.see("watchdog", port, how == "on", line.number)
            case ["flowcontrol", "receive" | "send", "on"]:
                notes.see("global_pause", port, True, line.number)
            case ["ip", "address", address, *_] if "/" in address:
                notes.see("address", port, address, line.number)
            case ["shutdown"]:
                notes.see("admin", port, False, line.number)
            case ["no", "lldp", "transmit" | "receive"]:
                notes.see("lldp", port, False, line.number)
            case ["fec", how]:
                notes.see("fec", port, how, line.number)
            case _:
                pass
    if not has_mtu:
        notes.see("mtu", port, ROUTED_MTU, first)
    is_on, line_of_mode = mode
    notes.see("pfc", port, priorities if is_on else (), at if is_on else line_of_mode)
