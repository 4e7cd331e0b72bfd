"""Cumulus Linux: ``nv config show`` as JSON, as YAML or as commands.

Keys: NVUE reference of NVIDIA. What ``qos roce`` sets by itself: Cumulus Linux user guide, RoCE.
"""

import re

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.spans import numbers, ports
from estimator.bringup.check.texts.tree import Path, Tree, json_tree, yaml_tree

KIND, SYSTEM = "nv config show", "nvue"
ON = ("on", "enable", "enabled", "true", "lossless")
ROCE_CLASSES = {3: 3, 6: 6}  # switch priority → traffic class; all others → 0
GLOBAL = "default-global"
DSCPS, LOSSLESS_CLASS, STRICT_CLASS = range(64), 3, 6


def is_mine(text: str) -> bool:
    """Whether it is the configuration of NVUE."""
    head = text[:200_000]
    return bool(
        "nvue-api-version" in head
        or ("nv set " in head and re.search(r"(?m)^nv set \S", head))
        or (
            "swp" in head
            and re.search(r'\binterface"?\s*:', head)
            and re.search(r'\b(?:set|qos|router|vrf)"?\s*:', head)
        )
    )


def read(text: str, notes: Notes) -> None:
    """Settings of ports and classes."""
    tree, root = _tree(text)
    _Nvue(tree, root, notes).read()
    for line in tree.secrets:
        notes.skip(line, "a secret stood here; it was not kept")


def _tree(text: str) -> tuple[Tree, Path]:
    if re.search(r"(?m)^nv set \S", text):
        return _commands(text), ()
    tree = json_tree(text) if text.lstrip()[:1] in "[{" else yaml_tree(text)
    root = next((path for path in tree.nodes if path[-1] == "set" and len(path) <= 3), None)
    if root is None:
        root = next((path[:-1] for path in tree.nodes if path[-1] in ("interface", "qos") and len(path) <= 3), ())
    return tree, root


def _commands(text: str) -> Tree:
    """Every word of a command is a key; its last one is the value of those before it, too."""
    tree = Tree()
    for number, line in enumerate(text.split("\n"), 1):
        words = tuple(line.split()[2:]) if line.startswith("nv set ") else ()
        for size in range(1, len(words)):
            known = tree.nodes.get(words[:size])
            if known is None:
                tree.add(words[:size], None, number)
        if len(words) > 1:
            tree.add(words[:-1], words[-1].strip("'\""), number)
            tree.add(words, None, number)
    return tree


class _Nvue:
    def __init__(self, tree: Tree, root: Path, notes: Notes) -> None:
        self.tree, self.root, self.notes = tree, root, notes

    def read(self) -> None:
        self.notes.device = self.text("system", "hostname")
        self._roce()
        self._maps()
        self._marks()
        self._flow()
        self._routing()
        if self.has("router", "adaptive-routing"):
            self._switch("balancing", ALL, "router", "adaptive-routing")
        for span in self.under("interface"):
            if re.match(r"swp\d", span):
                self._ports(span)
        if not self.has("qos", "roce") and not self.has("qos", "pfc", GLOBAL):
            self._unprofiled()

    def _unprofiled(self) -> None:
        """Ports without flow control where it stands on ports; a port may be in several spans, of which one names its profile."""
        spans = [span for span in self.under("interface") if re.match(r"swp\d", span)]
        profiled = [span for span in spans if self.has("interface", span, "qos", "pfc", "profile")]
        has_one = {port for span in profiled for port in ports(span)}
        for span in spans if has_one else ():
            for port in ports(span):
                if port not in has_one:
                    self.notes.see("pfc", port, (), self.line("interface", span))

    def text(self, *path: str) -> str:
        return self.tree.text(*self.root, *path)

    def line(self, *path: str) -> int:
        return self.tree.line(*self.root, *path)

    def under(self, *path: str) -> list[str]:
        return self.tree.under(*self.root, *path)

    def has(self, *path: str) -> bool:
        return self.tree.get(*self.root, *path) is not None

    def one(self, *path: str) -> str:
        """A value, or the one key of the object in its place."""
        return self.text(*path) or next(iter(self.under(*path)), "")

    def _switch(self, setting: str, place: str, *path: str) -> None:
        """A thing that is on or off, by whichever word this release has; on where it stands without one."""
        for key in ("state", "enable"):
            if self.has(*path, key):
                self.notes.see(setting, place, self.one(*path, key) in ON, self.line(*path, key))
                return
        if self.has(*path) and not self.under(*path):
            self.notes.see(setting, place, True, self.line(*path))

    def _routing(self) -> None:
        """BGP of the default network, loopback, and LLDP."""
        notes = self.notes
        for vrf in (("router", "bgp"), ("vrf", "default", "router", "bgp")):
            for key, setting in (("autonomous-system", "asn"), ("router-id", "router_id")):
                if self.has(*vrf, key):
                    notes.see(setting, ALL, self.one(*vrf, key), self.line(*vrf, key))
        for address in self.under("interface", "lo", "ip", "address"):
            if ":" not in address:
                notes.see("loopback", "lo", address, self.line("interface", "lo", "ip", "address", address))
        for name in self.under("interface"):
            for address in self.under("interface", name, "ip", "address") if re.fullmatch(r"vlan\d+", name) else ():
                notes.see("svi", name, address, self.line("interface", name, "ip", "address", address))
        trim = ("system", "forwarding", "packet-trim")
        if self.has(*trim):
            is_on = self.one(*trim, "state") in ON or self.has(*trim, "profile")
            notes.see("trims", ALL, is_on, self.line(*trim, "state"))
        elif self.one("qos", "roce", "mode") == "lossy-multi-tc":
            notes.see("trims", ALL, True, self.line("qos", "roce", "mode"))
        for at in (("system", "lldp"), ("service", "lldp")):
            self._switch("lldp", ALL, *at)

    def _roce(self) -> None:
        notes, roce = self.notes, ("qos", "roce")
        line = self.line(*roce, "mode") if self.has(*roce, "mode") else self.line(*roce)
        is_on = self.has(*roce) and (self.one(*roce, "enable") or self.one(*roce, "state") or "on") in ON
        mode = (self.text(*roce, "mode") or "lossless") if is_on else "off"
        notes.see("pfc", ALL, (LOSSLESS_CLASS,) if mode == "lossless" else (), line)
        if not is_on:
            notes.see("pfc_off_by", ALL, "qos roce", line)
            return
        notes.see("trust", ALL, "dscp", line)
        notes.see("dscp_map", ALL, "qos roce", line)
        for dscp in DSCPS:
            notes.see("dscp_class", dscp, dscp >> 3, line)
        for priority in range(8):
            notes.see("class_queue", priority, ROCE_CLASSES.get(priority, 0), line)
        notes.see("ecn", LOSSLESS_CLASS, True, line)
        notes.see("scheduler", STRICT_CLASS, "strict", line)
        if self.has(*roce, "cable-length"):
            notes.number("cable_m", ALL, self.text(*roce, "cable-length"), self.line(*roce, "cable-length"))

    def _maps(self) -> None:
        notes, mapping = self.notes, ("qos", "mapping", GLOBAL)
        if self.has(*mapping, "trust"):
            trust = self.text(*mapping, "trust")
            is_dscp = trust in ("l3", "both", "dscp")
            notes.see("trust", ALL, "dscp" if is_dscp else trust, self.line(*mapping, "trust"))
        elif self.has("qos", "pfc") and not any(one.setting == "trust" for one in notes.seen):
            notes.see(
                "trust", ALL, "l2", self.line(*mapping)
            )  # the default: Cumulus Linux user guide, quality of service
        for span in self.under(*mapping, "dscp"):
            for dscp in numbers(span):
                place = (*mapping, "dscp", span, "switch-priority")
                if self.has(*place):
                    notes.number("dscp_class", dscp, self.one(*place), self.line(*place))
        queues = ("qos", "egress-queue-mapping", GLOBAL, "switch-priority")
        for span in self.under(*queues):
            for priority in numbers(span):
                place = (*queues, span, "traffic-class")
                notes.number("class_queue", priority, self.one(*place), self.line(*place))
        classes = ("qos", "egress-scheduler", GLOBAL, "traffic-class")
        for span in self.under(*classes):
            for number in numbers(span):
                place = (*classes, span, "mode")
                if self.has(*place):
                    notes.see("scheduler", number, self.text(*place), self.line(*place))
                share = (*classes, span, "bw-percent")
                if self.has(*share):
                    notes.number("weight", number, self.text(*share), self.line(*share))

    def _marks(self) -> None:
        classes = ("qos", "congestion-control", GLOBAL, "traffic-class")
        if self.has(*classes):
            self.notes.see("marks_here", ALL, len(self.under(*classes)), self.line(*classes))
        for span in self.under(*classes):
            for number in numbers(span):
                place = (*classes, span)
                if self.has(*place, "ecn"):
                    self.notes.see("ecn", number, self.one(*place, "ecn") in ON, self.line(*place, "ecn"))
                for key, setting in (
                    ("min-threshold", "ecn_min"),
                    ("min-threshold-bytes", "ecn_min"),
                    ("max-threshold", "ecn_max"),
                    ("max-threshold-bytes", "ecn_max"),
                    ("probability", "ecn_mark"),
                ):
                    if self.has(*place, key):
                        self.notes.number(setting, number, self.text(*place, key), self.line(*place, key))

    def _flow(self) -> None:
        self._profile(GLOBAL, ALL)
        if any(self.one("qos", "link-pause", GLOBAL, way) in ON for way in ("rx", "tx")):
            self.notes.see("global_pause", ALL, True, self.line("qos", "link-pause", GLOBAL))

    def _profile(self, name: str, place: str) -> None:
        profile = ("qos", "pfc", name)
        if self.has(*profile, "switch-priority"):
            text = self.text(*profile, "switch-priority")
            found = tuple(number for key in self.under(*profile, "switch-priority") for number in numbers(key))
            priorities = tuple(dict.fromkeys((*found, *numbers(text))))
            line = self.line(*profile, "switch-priority")
            for way in ("rx", "tx"):
                if self.has(*profile, way) and self.one(*profile, way) not in ON:
                    priorities, line = (), self.line(*profile, way)
            self.notes.see("pfc", place, priorities, line)
        if self.has(*profile, "cable-length"):
            length = self.line(*profile, "cable-length")
            self.notes.number("cable_m", place, self.text(*profile, "cable-length"), length)
        room, pauses_at = (self.text(*profile, key).removesuffix(" B") for key in ("port-buffer", "xoff-threshold"))
        if all(re.fullmatch(r"\d{1,12}", size) for size in (room, pauses_at)):
            # what is left of the buffer when the pause is sent
            self.notes.see(
                "xoff_bytes", place, max(int(room) - int(pauses_at), 0), self.line(*profile, "xoff-threshold")
            )

    def _ports(self, span: str) -> None:
        at = ("interface", span)
        if self.has(*at, "link", "breakout") and len(self.under(*at, "link")) == 1 and len(self.under(*at)) <= 2:
            return
        for port in ports(span):
            self._port(port, at)

    def _port(self, port: str, at: Path) -> None:
        notes = self.notes
        notes.see("port", port, True, self.line(*at))
        if self.has(*at, "link", "mtu"):
            notes.number("mtu", port, self.text(*at, "link", "mtu"), self.line(*at, "link", "mtu"))
        speed = re.fullmatch(r"(\d{1,4})[gG]", self.text(*at, "link", "speed"))
        if speed:
            notes.see("speed", port, int(speed[1]), self.line(*at, "link", "speed"))
        if self.one(*at, "link", "state") == "down":
            notes.see("admin", port, False, self.line(*at, "link", "state", "down"))
        if self.has(*at, "link", "fec"):
            notes.see("fec", port, self.one(*at, "link", "fec"), self.line(*at, "link", "fec"))
        self._switch("lldp", port, *at, "lldp")
        for address in [*self.under(*at, "ip", "address")]:
            if "/" in address and ":" not in address:
                notes.see("address", port, address, self.line(*at, "ip", "address", address))
        if self.has(*at, "qos", "pfc", "profile"):
            profile = self.one(*at, "qos", "pfc", "profile")
            if self.has("qos", "pfc", profile):
                self._profile(profile, port)
            else:
                line = self.line(*at, "qos", "pfc", "profile")
                notes.see("pfc", port, (), line)
        if self.has(*at, "qos", "link-pause"):
            notes.see("global_pause", port, True, self.line(*at, "qos", "link-pause"))
        if self.has(*at, "qos", "mapping", "profile"):
            trust = self.text("qos", "mapping", self.one(*at, "qos", "mapping", "profile"), "trust")
            if trust:
                line = self.line(*at, "qos", "mapping", "profile")
                notes.see("trust", port, "dscp" if trust in ("l3", "both", "dscp") else trust, line)
        self._switch("watchdog", port, *at, "qos", "pfc-watchdog")
        self._switch("balancing", port, *at, "router", "adaptive-routing")
