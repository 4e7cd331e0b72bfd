"""Junos: the configuration as set commands or in braces. Statements: Juniper's traffic management guide for QFX."""

import re
from collections import defaultdict
from fnmatch import fnmatchcase
from itertools import pairwise

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.lines import Words, junos
from estimator.bringup.check.texts.spans import DSCP_NAMES, numbers

KIND, SYSTEM = "Junos configuration", "junos"
USUAL_MTU = 1514  # of a port that states none
Entry = tuple[int, Words]


def is_mine(text: str) -> bool:
    """Whether it has statements of Junos in either form."""
    return bool(
        re.search(r"(?m)^\s*set (?:system|interfaces|class-of-service|protocols|version) \S", text)
        or (re.search(r"(?m)^\s*(?:class-of-service|interfaces|system) \{", text) and ";" in text)
    )


def read(text: str, notes: Notes) -> None:
    """Settings of ports and classes."""
    _Junos(_spread(list(junos(text))), notes).read()


def _spread(entries: list[Entry]) -> list[Entry]:
    """Statements of groups that are applied to all, of ranges of ports and of patterns as ``et-*``, for each port."""
    applied = {words[1] for _, words in entries if words[:1] == ("apply-groups",) and len(words) > 1}
    plain = [
        (line, words[2:]) if words[:1] == ("groups",) and len(words) > 2 and words[1] in applied else (line, words)
        for line, words in entries
        if words[:1] != ("groups",) or (len(words) > 2 and words[1] in applied)
    ]
    ports = list(dict.fromkeys(words[1] for _, words in plain if words[:1] == ("interfaces",) and len(words) > 2))
    members = _ranges(plain)
    names = [
        port for port in dict.fromkeys([*ports, *(one for many in members.values() for one in many)]) if _is_port(port)
    ]
    out: list[Entry] = []
    general: list[Entry] = []  # before what stands for one port, which counts more
    for line, words in plain:
        at = 1 if words[:1] == ("interfaces",) else 2 if words[:2] == ("class-of-service", "interfaces") else 0
        if not at or len(words) <= at:
            out.append((line, words))
        elif words[at] == "interface-range" and len(words) > at + 2:
            rest = words[at + 2 :]
            if rest[0] not in ("member", "member-range"):
                general += [(line, (*words[:at], port, *rest)) for port in members.get(words[at + 1], ())]
        elif "*" in words[at]:
            own = (
                names
                if at == 1
                else [name for name in names if ":" in name or not any(n.startswith(f"{name}:") for n in names)]
            )
            wanted = words[at].strip("<>")
            general += [(line, (*words[:at], port, *words[at + 1 :])) for port in own if fnmatchcase(port, wanted)]
        else:
            out.append((line, words))
    return [*general, *out]


def _is_port(name: str) -> bool:
    return re.match(r"(?:et|xe|ge)-\d[\d/:]*$", name) is not None


def _ranges(entries: list[Entry]) -> dict[str, list[str]]:
    """Ports of each interface-range."""
    out: dict[str, list[str]] = defaultdict(list)
    for _, words in entries:
        match words:
            case ("interfaces", "interface-range", name, "member", port):
                out[name].append(port)
            case ("interfaces", "interface-range", name, "member-range", first, "to", last):
                stem, _, low = first.rpartition("/")
                high = last.rpartition("/")[2]
                if re.fullmatch(r"\d{1,4}", low) and re.fullmatch(r"\d{1,4}", high):
                    out[name] += [f"{stem}/{number}" for number in range(int(low), min(int(high), 512) + 1)]
            case _:
                pass
    return out


class _Junos:
    def __init__(self, entries: list[Entry], notes: Notes) -> None:
        self.notes = notes
        self.cos = [(line, words[1:]) for line, words in entries if words[:1] == ("class-of-service",)]
        self.entries = entries
        self.pfc_of: dict[str, int] = {}  # forwarding class → priority, of those without loss
        self.queue_of: dict[str, int] = {}
        self.dscp_of: dict[int, str] = {}
        self.lossy_at: dict[str, int] = {}  # forwarding class → its line, of those that lose

    def read(self) -> None:
        tops = {words[0] for _, words in self.entries}
        if tops >= {"system", "interfaces"} and tops & {"routing-options", "protocols"}:
            self.notes.see("whole", ALL, True, 1)
        self._whole()
        self._classes()
        self._schedulers()
        profiles = self._profiles()
        self._ports(profiles)

    def _whole(self) -> None:
        for line, words in self.entries:
            match words:
                case ("system", "host-name", name):
                    self.notes.device = name
                case ("forwarding-options", "enhanced-hash-key", "ecmp-dlb", *rest):
                    self.notes.see("balancing", ALL, "disable" not in rest, line)
                case ("routing-options", "autonomous-system", number, *_):
                    self.notes.see("asn", ALL, number, line)
                case ("routing-options", "router-id", address):
                    self.notes.see("router_id", ALL, address, line)
                case ("interfaces", "irb", "unit", unit, "family", "inet", "address", address, *_):
                    self.notes.see("svi", f"irb.{unit}", address, line)
                case ("interfaces", "lo0", "unit", _, "family", "inet", "address", address, *_):
                    self.notes.see("loopback", "lo0", address, line)
                case ("protocols", "bgp", *rest) if "loops" in rest:
                    self.notes.see("repeats_asn", ALL, True, line)
                case ("protocols", "lldp", "disable"):
                    self.notes.see("lldp", ALL, False, line)
                case ("protocols", "lldp", "interface", name, *rest):
                    self.notes.see("lldp", ALL if name == "all" else name, "disable" not in rest, line)
                case _:
                    pass

    def _classes(self) -> None:
        lossless: set[str] = set()
        priority: dict[str, int] = {}
        priority_line: dict[str, int] = {}
        first = None
        aliases = {
            words[2]: int(words[3], 2)
            for _, words in self.cos
            if words[:2] == ("code-point-aliases", "dscp") and len(words) > 3 and re.fullmatch(r"[01]{6}", words[3])
        }
        for line, words in self.cos:
            match words:
                case ("forwarding-classes", "class", name, *rest):
                    self._class(name, rest, line, lossless, priority, priority_line)
                case ("classifiers", "dscp", _, "forwarding-class", name, "loss-priority", _, "code-points", *points):
                    first = first or line
                    for point in points:
                        dscp = _dscp(point, aliases)
                        if dscp is None:
                            self.notes.skip(line, "a code point that is neither six bits nor a name that is known")
                        else:
                            self.dscp_of[dscp] = name
                            self.notes.see("dscp_class", dscp, name, line)
                case _:
                    pass
        if first:
            self.notes.see("dscp_map", ALL, "classifiers dscp", first)
        self.lossy_at = {name: line for name, line in self.lossy_at.items() if name not in lossless}
        for name, number in priority.items():
            if name in lossless:
                self.pfc_of[name] = number
                self.notes.see("class_priority", name, number, priority_line[name])

    def _class(
        self,
        name: str,
        rest: list[str],
        line: int,
        lossless: set[str],
        priority: dict[str, int],
        priority_line: dict[str, int],
    ) -> None:
        if "no-loss" in rest:
            lossless.add(name)
        for key, value in pairwise(rest):
            if key == "pfc-priority" and numbers(value):
                priority[name], priority_line[name] = numbers(value)[0], line
            if key == "queue-num" and numbers(value):
                self.lossy_at[name] = line
                self.queue_of[name] = numbers(value)[0]
                self.notes.see("class_queue", name, numbers(value)[0], line)

    def _schedulers(self) -> None:
        queues: dict[str, list[int]] = defaultdict(list)
        fills: dict[str, list[tuple[int, int]]] = defaultdict(list)
        used: dict[str, str] = {}
        marked: dict[str, int] = {}
        begins: dict[str, int] = {}
        shares: dict[str, tuple[str, int]] = {}
        for line, words in self.cos:
            match words:
                case ("scheduler-maps", _, "forwarding-class", name, "scheduler", scheduler):
                    if name in self.queue_of:
                        queues[scheduler].append(self.queue_of[name])
                case ("schedulers", name, "explicit-congestion-notification"):
                    marked[name] = line
                case ("schedulers", name, "priority", how):
                    begins.setdefault(f"{name}|{how}", line)
                case ("schedulers", name, "drop-profile-map", *rest) if rest[-2:-1] == ["drop-profile"]:
                    used[name] = rest[-1]
                case ("drop-profiles", name, "interpolate", "fill-level", *levels):
                    if "drop-probability" in levels:
                        levels = levels[: levels.index("drop-probability")]
                    fills[name] += [(level, line) for level in numbers(",".join(levels))]
                case ("drop-profiles", name, "fill-level", level, "drop-probability", _):
                    fills[name] += [(number, line) for number in numbers(level)]
                case ("schedulers", name, "transmit-rate", "percent", share):
                    shares[name] = (share, line)
                case _:
                    pass
            if words[:1] == ("schedulers",) and len(words) > 1:
                begins.setdefault(words[1], line)
        for name in [
            one for one in begins if "|" not in one and not any(other.startswith(f"{one}|") for other in begins)
        ]:
            begins[f"{name}|low"] = begins[name]  # the priority of one that states none
        for name, line in begins.items():
            scheduler, _, how = name.partition("|")
            for queue in queues.get(scheduler, []):
                if how:
                    self.notes.see("scheduler", queue, how, line)
                else:
                    self.notes.see("ecn", queue, scheduler in marked, marked.get(scheduler, line))
        for name, (share, line) in shares.items():
            for queue in queues.get(name, []):
                self.notes.number("weight", queue, share, line)
        for name, profile in used.items():
            steps = fills.get(profile, [])
            for queue in queues.get(name, []) if len(steps) > 1 else []:
                for end, (fill, line) in (("min", steps[0]), ("max", steps[-1])):
                    self.notes.see(f"ecn_{end}_percent", queue, fill, line)

    def _profiles(self) -> dict[str, dict[str, Entry]]:
        """By profile: the priorities that it pauses and where, its cable and its watchdog."""
        out: dict[str, dict[str, Entry]] = defaultdict(dict)
        for line, words in self.cos:
            match words:
                case ("congestion-notification-profile", name, "input", "dscp", "code-point", point, "pfc", *_):
                    known = out[name].get("pfc", (line, ()))[1]
                    out[name]["pfc"] = (line, (*known, point))
                case ("congestion-notification-profile", name, "input", "ieee-802.1", "code-point", point, "pfc", *_):
                    out[name]["trust"] = (line, ("ieee-802.1", point))
                case ("congestion-notification-profile", name, "input", "cable-length", length, *_):
                    out[name]["cable_m"] = (line, (length,))
                case ("congestion-notification-profile", name, "pfc-watchdog", *_):
                    out[name]["watchdog"] = (line, ())
                case ("congestion-notification-profile", name, *_):
                    out[name].setdefault("begins", (line, ()))
                case _:
                    pass
        return out

    def _ports(self, profiles: dict[str, dict[str, Entry]]) -> None:
        notes = self.notes
        begins: dict[str, int] = {}
        has_mtu: set[str] = set()
        profile_of: dict[str, tuple[int, str]] = {}
        for line, words in self.entries:
            if words[:1] == ("interfaces",) and len(words) > 2 and re.match(r"(?:et|xe|ge)-\d", words[1]):
                port = words[1]
                if words[2] not in ("number-of-sub-ports", "speed") or ":" in port:
                    begins.setdefault(port, line)
                match words[2:]:
                    case ("mtu", size):
                        notes.number("mtu", port, size, line)
                        has_mtu.add(port)
                    case ("speed", rate) if re.fullmatch(r"\d{1,4}[gG]", rate):
                        notes.see("speed", port, int(rate[:-1]), line)
                    case ("disable",):
                        notes.see("admin", port, False, line)
                    case ("gigether-options" | "ether-options", "fec", how):
                        notes.see("fec", port, how, line)
                    case ("unit", _, "family", "inet", "address", address, *_):
                        notes.see("address", port, address, line)
                    case ("ether-options" | "gigether-options", "flow-control", *_):
                        notes.see("global_pause", port, True, line)
                    case ("ether-options" | "gigether-options", "speed", rate) if re.fullmatch(r"\d{1,4}[gG]", rate):
                        notes.see("speed", port, int(rate[:-1]), line)
                    case _:
                        pass
        self._spread_speed(begins)
        trusted: dict[str, tuple[int, str]] = {}
        scheduled: dict[str, int] = {}
        classed: dict[str, int] = {}
        for line, words in self.cos:
            if words[:1] == ("interfaces",) and len(words) > 1:
                classed.setdefault(words[1], line)
        for line, words in self.cos:
            match words:
                case ("interfaces", port, "congestion-notification-profile", name):
                    profile_of[port] = (line, name)
                case ("interfaces", port, "scheduler-map", name):
                    scheduled[port] = line
                case ("interfaces", port, "unit", _, "classifiers", kind, _):
                    trusted[port] = (line, "dscp" if kind.startswith("dscp") else kind)
                case ("interfaces", port, "classifiers", kind, _):
                    trusted[port] = (line, "dscp" if kind.startswith("dscp") else kind)
                case _:
                    pass
        is_whole = any(one.setting == "whole" for one in notes.seen)
        mapped = (line for line, words in self.cos if words[:1] == ("scheduler-maps",) and is_whole)
        mapped_at = next(mapped, None)
        classed_at = next((line for line, words in self.cos if words[:2] == ("classifiers", "dscp")), None)
        for port, line in begins.items():
            notes.see("port", port, True, line)
            if port not in has_mtu:
                notes.see("mtu", port, USUAL_MTU, line)
            if trusted or classed_at:  # what stands on no port at all is one fault, where it is defined
                where, how = trusted.get(port, (line if trusted else classed_at or line, "none"))
                notes.see("trust", port, how, where)
            if (scheduled or mapped_at) and port not in scheduled and port.partition(":")[0] not in scheduled:
                for queue in [one.place for one in notes.seen if one.setting == "ecn" and "|" not in one.place]:
                    notes.see("ecn", f"{port}|{queue}", False, line if scheduled else mapped_at or line)
            self._flow(port, profile_of.get(port), profiles, classed.get(port, line))

    def _spread_speed(self, begins: dict[str, int]) -> None:
        """A speed of a split cage is that of its ports."""
        speeds = [one for one in self.notes.seen if one.setting == "speed" and ":" not in one.place]
        for one in speeds:
            for port in begins:
                if port.partition(":")[0] == one.place and ":" in port:
                    self.notes.see("speed", port, one.value, one.line)

    def _flow(
        self, port: str, used: tuple[int, str] | None, profiles: dict[str, dict[str, Entry]], begins: int
    ) -> None:
        notes = self.notes
        if used is None:
            notes.see("pfc", port, (), begins)
            return
        line, profile = used[0], profiles.get(used[1], {})
        at, points = profile.get("pfc", (profile.get("begins", profile.get("cable_m", (line, ())))[0], ()))
        dscps = [dscp for point in points if (dscp := _dscp(point, {})) is not None]
        paused = {self.pfc_of[name] for dscp in dscps if (name := self.dscp_of.get(dscp, "")) in self.pfc_of}
        # the classifier may have moved the code point: the profile pauses it all the same
        priorities = tuple(sorted(paused or (self.pfc_of.values() if dscps else ())))
        lossy = next((self.lossy_at[name] for one in dscps if (name := self.dscp_of.get(one, "")) in self.lossy_at), at)
        notes.see("pfc", port, priorities, at if priorities else lossy)
        if dscps:
            notes.see("pfc_dscp", port, tuple(dscps), at)
        if "cable_m" in profile:
            notes.number("cable_m", port, profile["cable_m"][1][0], profile["cable_m"][0])
        if "watchdog" in profile:
            notes.see("watchdog", port, True, profile["watchdog"][0])


def _dscp(point: str, aliases: dict[str, int]) -> int | None:
    """A code point as bits, by one of the usual names, or by a name of the configuration's own."""
    if re.fullmatch(r"[01]{6}", point):
        return int(point, 2)
    return aliases.get(point, DSCP_NAMES.get(point.lower()))
