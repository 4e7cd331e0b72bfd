"""SONiC: ``config_db.json``. Tables and fields: YANG models of sonic-net/sonic-buildimage."""

import re
from collections import Counter

from estimator.bringup.check.observation import ALL, Notes
from estimator.bringup.check.texts.spans import numbers
from estimator.bringup.check.texts.tree import Tree, json_tree

KIND, SYSTEM = "config_db.json", "sonic"
MBIT_PER_GBIT = 1000
_TABLES = r'"(?:PORT_QOS_MAP|DSCP_TO_TC_MAP|DEVICE_METADATA|CABLE_LENGTH|BUFFER_PG|WRED_PROFILE)"\s*:'
_KEYED = {"min": "green_min_threshold", "max": "green_max_threshold", "mark": "green_drop_probability"}


def is_mine(text: str) -> bool:
    """Whether it has tables of SONiC."""
    return text.lstrip()[:1] == "{" and re.search(_TABLES, text) is not None


def read(text: str, notes: Notes) -> None:
    """Settings of ports and classes."""
    tree = json_tree(text)
    notes.device = tree.text("DEVICE_METADATA", "localhost", "hostname")
    _whole(tree, notes)
    _ports(tree, notes)
    _lengths(tree, notes)
    _qos(tree, notes)
    _queues(tree, notes)
    _buffers(tree, notes)
    for line in tree.secrets:
        notes.skip(line, "a secret stood here; it was not kept")


def _name(text: str) -> str:
    """A reference to a row, also as ``[TABLE|row]``."""
    return text.strip("[]").rpartition("|")[2]


def _each(tree: Tree, table: str) -> list[tuple[str, str, str]]:
    """(key, port, number) of rows keyed ``Ethernet0,Ethernet4|3-4``."""
    out = []
    for key in tree.under(table):
        names, _, what = key.partition("|")
        out += [(key, port, str(number)) for port in names.split(",") for number in numbers(what)]
    return out


def _whole(tree: Tree, notes: Notes) -> None:
    """BGP, loopbacks and LLDP."""
    for setting, place in (
        ("asn", ("DEVICE_METADATA", "localhost", "bgp_asn")),
        ("asn", ("BGP_GLOBALS", "default", "local_asn")),
        ("router_id", ("BGP_GLOBALS", "default", "router_id")),
    ):
        if tree.text(*place) not in ("", "None"):
            notes.see(setting, ALL, tree.text(*place), tree.line(*place))
    if tree.get("SWITCH_TRIMMING", "GLOBAL"):
        actions = [("BUFFER_PROFILE", key, "packet_discard_action") for key in tree.under("BUFFER_PROFILE")]
        on = next((place for place in actions if tree.text(*place) == "trim"), None)
        set_at = next((place for place in actions if tree.get(*place)), ("SWITCH_TRIMMING", "GLOBAL"))
        notes.see("trims", ALL, on is not None, tree.line(*(on or set_at)))
    for key in tree.under("VLAN_INTERFACE"):
        name, _, address = key.partition("|")
        if address and ":" not in address:
            notes.see("svi", name, address, tree.line("VLAN_INTERFACE", key))
    for key in tree.under("LOOPBACK_INTERFACE"):
        name, _, address = key.partition("|")
        if address and ":" not in address:
            notes.see("loopback", name, address, tree.line("LOOPBACK_INTERFACE", key))
    for place in (("FEATURE", "lldp", "state"), ("LLDP", "GLOBAL", "enabled"), ("LLDP", "Global", "enabled")):
        if tree.get(*place):
            notes.see(
                "lldp",
                ALL,
                tree.text(*place).lower() not in ("disabled", "always_disabled", "false"),
                tree.line(*place),
            )


def _ports(tree: Tree, notes: Notes) -> None:
    for port in tree.under("PORT"):
        notes.see("port", port, True, tree.line("PORT", port))
        if tree.get("PORT", port, "mtu"):
            notes.number("mtu", port, tree.text("PORT", port, "mtu"), tree.line("PORT", port, "mtu"))
        if tree.text("PORT", port, "admin_status") == "down":
            notes.see("admin", port, False, tree.line("PORT", port, "admin_status"))
        if tree.text("PORT", port, "fec"):
            notes.see("fec", port, tree.text("PORT", port, "fec"), tree.line("PORT", port, "fec"))
        speed = tree.text("PORT", port, "speed")
        if speed:
            line = tree.line("PORT", port, "speed")
            if numbers(speed):
                notes.see("speed", port, numbers(speed)[0] // MBIT_PER_GBIT, line)
            else:
                notes.skip(line, "speed is no whole number here")
    for key in tree.under("INTERFACE"):
        port, _, address = key.partition("|")
        if address and ":" not in address:
            notes.see("address", port, address, tree.line("INTERFACE", key))


def _lengths(tree: Tree, notes: Notes) -> None:
    for name in tree.under("CABLE_LENGTH"):
        for port in tree.under("CABLE_LENGTH", name):
            place = ("CABLE_LENGTH", name, port)
            notes.number("cable_m", port, tree.text(*place).removesuffix("m"), tree.line(*place))


def _qos(tree: Tree, notes: Notes) -> None:
    table = "PORT_QOS_MAP"
    maps: dict[str, Counter[str]] = {
        "dscp_to_tc_map": Counter(),
        "tc_to_queue_map": Counter(),
        "tc_to_pg_map": Counter(),
    }
    masks = any(tree.get(table, key, "pfcwd_sw_enable") for key in tree.under(table))
    unguarded: set[str] = set()  # the watchdog watches no priority of theirs
    for key in tree.under(table):
        for port in key.split(","):
            place = ALL if port == "global" else port
            for field, counts in maps.items():
                if tree.get(table, key, field):
                    counts[_name(tree.text(table, key, field))] += 1
            if place:
                enabled = tree.text(table, key, "pfc_enable")
                line = tree.line(table, key, "pfc_enable")
                notes.see("pfc", place, numbers(enabled), line)
                trusts = bool(tree.text(table, key, "dscp_to_tc_map"))
                notes.see("trust", place, "dscp" if trusts else "none", tree.line(table, key, "dscp_to_tc_map"))
                if tree.get(table, key, "pfcwd_sw_enable") or (masks and numbers(enabled)):
                    guarded = bool(numbers(tree.text(table, key, "pfcwd_sw_enable")))
                    notes.see("watchdog", place, guarded, tree.line(table, key, "pfcwd_sw_enable"))
                    unguarded |= set() if guarded else {place}
    for port in tree.under("PFC_WD"):
        if port != "GLOBAL" and port not in unguarded:
            action = ("PFC_WD", port, "action")
            notes.see("watchdog", port, tree.text(*action) != "alert", tree.line(*action))
    if not tree.under(table):
        notes.see("pfc", ALL, (), tree.line(table) if tree.get(table) else 1)
    _map(tree, notes, "DSCP_TO_TC_MAP", maps["dscp_to_tc_map"], "dscp_class")
    _other_maps(tree, notes, maps["dscp_to_tc_map"])
    _pfc_queues(tree, notes)
    _map(tree, notes, "TC_TO_QUEUE_MAP", maps["tc_to_queue_map"], "class_queue")
    _map(tree, notes, "TC_TO_PRIORITY_GROUP_MAP", maps["tc_to_pg_map"], "class_priority")


def _map(tree: Tree, notes: Notes, table: str, used: Counter[str], setting: str) -> None:
    """The map that most ports have."""
    name = used.most_common(1)[0][0] if used else next(iter(tree.under(table)), "")
    if setting == "dscp_class" and tree.get(table, name):
        notes.see("dscp_map", ALL, name, tree.line(table, name))
    for key in tree.under(table, name):
        notes.number(setting, key, tree.text(table, name, key), tree.line(table, name, key))


def _other_maps(tree: Tree, notes: Notes, used: Counter[str]) -> None:
    """Classes of ports whose map of DSCPs is not that of most."""
    usual = used.most_common(1)[0][0] if used else ""
    for key in tree.under("PORT_QOS_MAP"):
        name = _name(tree.text("PORT_QOS_MAP", key, "dscp_to_tc_map"))
        line = tree.line("PORT_QOS_MAP", key, "dscp_to_tc_map")
        for port in key.split(",") if name and name != usual else ():
            for dscp in tree.under("DSCP_TO_TC_MAP", name):
                notes.number("port_class", f"{port}|{dscp}", tree.text("DSCP_TO_TC_MAP", name, dscp), line)


def _pfc_queues(tree: Tree, notes: Notes) -> None:
    """Queues that stop for a pause of each priority."""
    for table in ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_QUEUE_MAP"):
        for name in tree.under(table):
            for key in tree.under(table, name):
                notes.number("pfc_queue", key, tree.text(table, name, key), tree.line(table, name, key))


def _queues(tree: Tree, notes: Notes) -> None:
    profiles: dict[str, set[str]] = {}
    for key, port, queue in _each(tree, "QUEUE"):
        named = _name(tree.text("QUEUE", key, "wred_profile"))
        line = tree.line("QUEUE", key, "wred_profile") if named else tree.line("QUEUE", key)
        marks = tree.text("WRED_PROFILE", named, "ecn") if named else ""
        is_on = "green" in marks or marks == "ecn_all"  # packets without a meter are green
        at = line if not named else tree.line("WRED_PROFILE", named, "ecn")
        notes.see("ecn", f"{port}|{queue}", is_on, line if is_on else at)
        if named:
            profiles.setdefault(named, set()).add(queue)
        scheduler = _name(tree.text("QUEUE", key, "scheduler"))
        kind = tree.text("SCHEDULER", scheduler, "type")
        if kind:
            notes.see("scheduler", queue, kind.lower(), tree.line("SCHEDULER", scheduler, "type"))
        if tree.get("SCHEDULER", scheduler, "weight"):
            weight = ("SCHEDULER", scheduler, "weight")
            notes.number("weight", f"{port}|{queue}", tree.text(*weight), tree.line(*weight))
    for name, queues in profiles.items():
        for queue in sorted(queues):
            for end, field in _KEYED.items():
                if tree.get("WRED_PROFILE", name, field):
                    place = ("WRED_PROFILE", name, field)
                    notes.number(f"ecn_{end}", queue, tree.text(*place), tree.line(*place))


def _buffers(tree: Tree, notes: Notes) -> None:
    for key, port, group in _each(tree, "BUFFER_PG"):
        profile = _name(tree.text("BUFFER_PG", key, "profile"))
        place = ("BUFFER_PROFILE", profile, "xoff")
        if tree.get(*place):
            notes.number("xoff_bytes", f"{port}|{group}", tree.text(*place), tree.line(*place))
        elif tree.get("BUFFER_PROFILE", profile):
            notes.see("lossy_group", f"{port}|{group}", profile[:60], tree.line("BUFFER_PG", key, "profile"))
