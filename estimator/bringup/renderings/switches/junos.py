"""Junos OS Evolved on QFX and PTX: set commands, a file a switch.

Statements: Juniper's traffic management guide for QFX (classifiers, congestion-notification-profile, drop-profiles,
shared-buffer, pfc-watchdog), Juniper validated designs for AI clusters (BGP unnumbered, dynamic load balancing).
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Group, Plan, SwitchPlan
from estimator.bringup.plan.systems import JUNOS
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.switches import common
from estimator.bringup.renderings.target import File

HOW = "load set terminal, show | compare, commit confirmed 10."
GUIDE = "Juniper traffic management user guide for QFX; Juniper validated designs for AI clusters"
COS = "set class-of-service"
CLASSES = {"data": "NO-LOSS", "cnp": "CNP", "default": "BEST-EFFORT"}
PRIVATE_ASNS = "4200000000-4294967294"


def files(plan: Plan) -> Iterator[File]:
    """Set commands for every switch."""
    return common.switch_files(plan, JUNOS, _switch)


def _switch(plan: Plan, switch: SwitchPlan) -> Iterator[File]:
    page = common.page_of(plan, switch, HOW)
    page.say("Name")
    page.put(common.name_value(switch), f"set system host-name {switch.name}")
    page.put(switch.value("lldp.enabled"), "set protocols lldp interface all")
    _ports(switch, page)
    _bgp(switch, page)
    if switch.has_classes:
        _classes(switch, page)
        _flow_control(switch, page)
        _buffers(switch, page)
    else:
        common.put_no_classes(switch, page)
    yield page.file(f"{switch.name}.set")


def _ports(switch: SwitchPlan, page: Page) -> None:
    split = common.cages(switch)
    if split:
        page.say("Split cages")
        page.put(
            (common.split_value(switch), common.speed_value(switch)),
            *(
                line
                for cage, one in split.items()
                for line in (
                    f"set interfaces {cage} number-of-sub-ports {one.parts}",
                    f"set interfaces {cage} speed {one.speed_gbit_s}g",
                )
            ),
        )
    mtu = switch.value("mtu.switch_bytes")
    page.say("Ports")
    page.put(
        common.links_value(switch),
        *(f'set interfaces {one.name} description "{common.described(one)}"' for one in switch.interfaces),
    )
    page.put(mtu, *(f"set interfaces {one.name} mtu {mtu.value}" for one in switch.interfaces))
    to_nodes = [one for one in switch.interfaces if one.address]
    if to_nodes:
        page.put(
            common.addresses_value(switch),
            *(f"set interfaces {one.name} unit 0 family inet address {one.address}" for one in to_nodes),
        )
    page.put(
        common.fabric_value(),
        *(
            line
            for one in switch.interfaces
            if not one.address and not common.in_subnet(switch, one)
            for line in (
                f"set interfaces {one.name} unit 0 family inet",
                f"set interfaces {one.name} unit 0 family inet6",
                f"set protocols router-advertisement interface {one.name}.0",
            )
        ),
    )
    if switch.gateway:
        vlan = common.vlan_of(switch)
        page.put(
            (common.addresses_value(switch), vlan, mtu),
            f"set vlans NODES vlan-id {vlan.value}",
            f"set vlans NODES l3-interface irb.{vlan.value}",
            f"set interfaces irb mtu {mtu.value}",
            f"set interfaces irb unit {vlan.value} family inet address {switch.gateway}",
            *(
                f"set interfaces {one.name} unit 0 family ethernet-switching vlan members NODES"
                for one in switch.interfaces
                if common.in_subnet(switch, one)
            ),
        )
    page.put(common.loopback_value(switch), f"set interfaces lo0 unit 0 family inet address {switch.loopback}/32")


def _bgp(switch: SwitchPlan, page: Page) -> None:
    group = "set protocols bgp group FABRIC"
    page.say("BGP, unnumbered")
    page.put(common.loopback_value(switch), f"set routing-options router-id {switch.loopback}")
    page.put(common.asn_value(switch), f"set routing-options autonomous-system {switch.asn}")
    page.put(
        common.peers_value(switch),
        f"set policy-options as-list PRIVATE members {PRIVATE_ASNS}",
        f"{group} peer-as-list PRIVATE",
    )
    page.put(
        common.fabric_value(),
        "set policy-options policy-statement DIRECT from protocol direct",
        "set policy-options policy-statement DIRECT then accept",
        f"{group} type external",
        f"{group} family inet unicast extended-nexthop",
        f"{group} family inet6 unicast",
        f"{group} export DIRECT",
        f"{group} multipath multiple-as",
        f"{group} dynamic-neighbor FABRIC peer-auto-discovery family inet6 ipv6-nd",
        *(
            f"{group} dynamic-neighbor FABRIC peer-auto-discovery interface {one.name}.0"
            for one in common.uplinks(switch)
        ),
    )
    if not switch.has_classes:
        return
    idle = switch.value("balancing.flowlet_idle_us")
    page.say("Load balancing")
    page.put(
        (switch.value("balancing"), idle),
        "set policy-options policy-statement ECMP then load-balance per-packet",
        "set routing-options forwarding-table export ECMP",
        f"set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval {idle.value}",
    )


def _bits(dscp: object) -> str:
    return f"{int(str(dscp)):06b}"


def _classes(switch: SwitchPlan, page: Page) -> None:
    priority, flow = switch.value("data.priority"), switch.value("data.flow")
    page.say("Classes")
    for name, label in CLASSES.items():
        dscp, queue = switch.value(f"{name}.dscp"), switch.value(f"{name}.queue")
        page.put(
            queue,
            f"{COS} forwarding-classes class {label} queue-num {queue.value}",
        )
        page.put(
            dscp,
            f"{COS} classifiers dscp {common.ROCE} forwarding-class {label} loss-priority low code-points {_bits(dscp.value)}",
        )
        if name == "data" and flow.value == "pfc":
            page.put(
                (priority, flow),
                f"{COS} forwarding-classes class {label} no-loss",
                f"{COS} forwarding-classes class {label} pfc-priority {priority.value}",
            )
    marks = common.marks_of(switch)
    page.say("ECN: shares of the queue")
    page.put(
        common.mark_values(switch),
        f"{COS} drop-profiles {common.ROCE} interpolate fill-level {marks.min_fill_percent}",
        f"{COS} drop-profiles {common.ROCE} interpolate fill-level {marks.max_fill_percent}",
        f"{COS} drop-profiles {common.ROCE} interpolate drop-probability 0",
        f"{COS} drop-profiles {common.ROCE} interpolate drop-probability {marks.mark_percent}",
        f"{COS} schedulers {CLASSES['data']} drop-profile-map loss-priority any protocol any drop-profile {common.ROCE}",
        f"{COS} schedulers {CLASSES['data']} explicit-congestion-notification",
    )
    page.say("Shares")
    for name in ("data", "default"):
        share = switch.value(f"{name}.weight_percent")
        page.put(share, f"{COS} schedulers {CLASSES[name]} transmit-rate percent {share.value}")
    page.put(switch.value("cnp.scheduler"), f"{COS} schedulers {CLASSES['cnp']} priority strict-high")
    page.put(
        common.syntax(GUIDE),
        *(
            f"{COS} scheduler-maps {common.ROCE} forwarding-class {label} scheduler {label}"
            for label in CLASSES.values()
        ),
    )


def _flow_control(switch: SwitchPlan, page: Page) -> None:
    page.say("Every port")
    page.put(
        (common.links_value(switch), common.syntax(GUIDE)),
        *(
            line
            for one in switch.interfaces
            for line in (
                f"{COS} interfaces {one.name} scheduler-map {common.ROCE}",
                f"{COS} interfaces {one.name} unit 0 classifiers dscp {common.ROCE}",
            )
        ),
    )
    if switch.value("data.flow").value != "pfc":
        common.put_no_trimming(switch, page)
        return
    for group in switch.groups:
        _profile(switch, page, group)


def _profile(switch: SwitchPlan, page: Page, group: Group) -> None:
    profile = f"{COS} congestion-notification-profile PFC-{group.towards.upper()}-{group.speed_gbit_s}"
    length, mtu, dscp = common.length_of(group), switch.value("mtu.switch_bytes"), switch.value("data.dscp")
    page.say(
        f"PFC towards {group.towards}s at {group.speed_gbit_s} Gb/s: the system works headroom out from length and frame"
    )
    page.put((dscp, mtu), f"{profile} input dscp code-point {_bits(dscp.value)} pfc mru {mtu.value}")
    page.put((length.value, length.headroom), f"{profile} input cable-length {length.value.value}")
    detect, restore, action = (switch.value(f"watchdog.{what}") for what in ("detect_ms", "restore_ms", "action"))
    poll = switch.value("watchdog.poll_ms")
    page.put(
        (detect, restore, action, poll),
        f"{profile} pfc-watchdog poll-interval {poll.value}",
        f"{profile} pfc-watchdog detection {int(detect.value) // int(poll.value)}",
        f"{profile} pfc-watchdog recovery {restore.value}",
    )
    name = profile.rpartition(" ")[2]
    page.put(
        common.links_value(switch),
        *(f"{COS} interfaces {one.name} congestion-notification-profile {name}" for one in group.interfaces),
    )


def _buffers(switch: SwitchPlan, page: Page) -> None:
    if switch.value("data.flow").value != "pfc":
        return  # no class without loss: the system's own shares
    page.say("Shared buffer")
    for side, parts in (("ingress", ("lossless", "lossless-headroom", "lossy")), ("egress", ("lossless", "lossy"))):
        for part in parts:
            share = switch.value(f"junos.{side}_{part.replace('-', '_')}_percent")
            page.put(share, f"{COS} shared-buffer {side} buffer-partition {part} percent {share.value}")
