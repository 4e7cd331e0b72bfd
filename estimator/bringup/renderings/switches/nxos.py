"""Cisco NX-OS on Nexus 9000: a configuration a switch.

Commands: Nexus 9000 NX-OS Quality of Service Configuration Guide 10.5 (priority flow control, network QoS, queuing) and
Unicast Routing Configuration Guide (interface peering by IPv6 link-local addresses).
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Interface, Plan, SwitchPlan
from estimator.bringup.plan.systems import NXOS
from estimator.bringup.plan.value import Value
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.switches import common
from estimator.bringup.renderings.target import File

HOW = "checkpoint before, paste in configure terminal, and rollback running-config where it fails."
GUIDE = "Cisco Nexus 9000 NX-OS configuration guides 10.5"
OTHER_QUEUES = (1, 2, 4, 5, 6, 7)
BYTES_PER_KBYTE = 1000
BREAKOUT = " ".join(("interface", "breakout", "module", "1", "port"))  # of a box without line cards


def files(plan: Plan) -> Iterator[File]:
    """A configuration for every switch."""
    return common.switch_files(plan, NXOS, _switch)


def _switch(plan: Plan, switch: SwitchPlan) -> Iterator[File]:
    page = common.page_of(plan, switch, HOW, mark="! ")
    page.say("Name and features")
    page.put(common.name_value(switch), f"hostname {switch.name}")
    page.put(common.syntax(GUIDE), "feature bgp", "feature lldp")
    if switch.has_classes:
        _classes(switch, page)
        _queues(switch, page)
        _buffers(switch, page)
        _system(switch, page)
    else:
        common.put_no_classes(switch, page)
    _ports(switch, page)
    _bgp(switch, page)
    yield page.file(f"{switch.name}.nxos")


def _classes(switch: SwitchPlan, page: Page) -> None:
    page.say("Classes by DSCP")
    names = ("data", "cnp")
    for name in names:
        dscp = switch.value(f"{name}.dscp")
        page.put(dscp, f"class-map type qos match-all {_class(name)}", f"  match dscp {dscp.value}")
    page.put(common.syntax(GUIDE), f"policy-map type qos {common.ROCE}-IN")
    for name in names:
        queue = switch.value(f"{name}.queue")
        page.put(queue, f"  class {_class(name)}", f"    set qos-group {queue.value}")
    rest = switch.value("default.queue")
    page.put(rest, "  class class-default", f"    set qos-group {rest.value}")
    priority, queue, mtu = (switch.value(key) for key in ("data.priority", "data.queue", "mtu.switch_bytes"))
    page.say("No-drop class and frames")
    page.put(
        (priority, queue, mtu, switch.value("data.flow")),
        f"policy-map type network-qos {common.ROCE}-NETWORK",
        f"  class type network-qos c-8q-nq{queue.value}",
        *([f"    pause pfc-cos {priority.value}"] if _is_lossless(switch) else []),
        f"    mtu {mtu.value}",
        "  class type network-qos c-8q-nq-default",
        f"    mtu {mtu.value}",
    )


def _class(name: str) -> str:
    return f"{common.ROCE}-{name.upper()}"


def _is_lossless(switch: SwitchPlan) -> bool:
    return switch.has_classes and switch.value("data.flow").value == "pfc"


def _queues(switch: SwitchPlan, page: Page) -> None:
    data, cnp = switch.value("data.queue"), switch.value("cnp.queue")
    share, rest, marks = (
        switch.value("data.weight_percent"),
        switch.value("default.weight_percent"),
        common.marks_of(switch),
    )
    weight = switch.value("ecn.weight")
    lowest, highest = (int(end or 0) // BYTES_PER_KBYTE for end in (marks.min_bytes, marks.max_bytes))
    page.say("Queues")
    page.put(common.syntax(GUIDE), f"policy-map type queuing {common.ROCE}-OUT")
    page.put(
        (data, share), f"  class type queuing c-out-8q-q{data.value}", f"    bandwidth remaining percent {share.value}"
    )
    page.put(
        (*common.mark_values(switch), weight),
        f"    random-detect minimum-threshold {lowest} kbytes maximum-threshold {highest} kbytes "
        f"drop-probability {marks.mark_percent} weight {weight.value} ecn",
    )
    page.put(
        (cnp, switch.value("cnp.scheduler")), f"  class type queuing c-out-8q-q{cnp.value}", "    priority level 1"
    )
    unused = [queue for queue in OTHER_QUEUES if queue not in (data.value, cnp.value)]
    page.put(
        rest,
        *(
            line
            for queue in unused
            for line in (f"  class type queuing c-out-8q-q{queue}", "    bandwidth remaining percent 0")
        ),
        "  class type queuing c-out-8q-q-default",
        f"    bandwidth remaining percent {rest.value}",
    )


def _long_groups(switch: SwitchPlan) -> list[tuple[str, common.Length]]:
    """Groups whose cables are longer than the system allows for by itself, with the name of their policy."""
    own = int(switch.value("nxos.own_headroom_m").value)
    if not _is_lossless(switch):
        return []
    return [
        (f"{common.ROCE}-BUFFER-{group.towards.upper()}-{group.speed_gbit_s}", common.length_of(group))
        for group in switch.groups
        if group.headroom.cable_m > own
    ]


def _buffers(switch: SwitchPlan, page: Page) -> None:
    own, queue = switch.value("nxos.own_headroom_m"), switch.value("data.queue")
    if not _is_lossless(switch):
        common.put_no_trimming(switch, page)
        return
    page.say("Headroom: the system reserves its own up to 100 m of cable, and has to be set above")
    for name, length in _long_groups(switch):
        xon, size = int(length.xon.value), int(length.size.value)
        page.put(
            (own, length.value, length.headroom, length.xon, length.size),
            f"policy-map type queuing {name}",
            f"  class type queuing c-in-q{queue.value}",
            f"    pause buffer-size {size} pause-threshold {size - int(length.headroom.value)} resume-threshold {xon // 2}",
        )
    if not _long_groups(switch):
        lengths = [common.length_of(group) for group in switch.groups]
        needs: list[Value] = [value for length in lengths for value in (length.value, length.headroom)]
        page.put((own, *needs))


def _system(switch: SwitchPlan, page: Page) -> None:
    detect, poll = switch.value("watchdog.detect_ms"), switch.value("watchdog.poll_ms")
    page.say("Policies of the whole switch, and the PFC watchdog")
    page.put(
        common.syntax(GUIDE),
        "system qos",
        f"  service-policy type network-qos {common.ROCE}-NETWORK",
        f"  service-policy type queuing output {common.ROCE}-OUT",
    )
    if not _is_lossless(switch):
        return
    form = common.unread_syntax(
        "watchdog", "The guide describes interval and multiplier; public configurations write them in this form"
    )
    page.put(
        (detect, poll, switch.value("watchdog.action"), form),
        "priority-flow-control watch-dog-interval on",
        f"priority-flow-control watch-dog interval {poll.value}",
        f"priority-flow-control watch-dog shutdown-multiplier {int(detect.value) // int(poll.value)}",
    )


def _ports(switch: SwitchPlan, page: Page) -> None:
    links, mtu = common.links_value(switch), switch.value("mtu.switch_bytes")
    to_node, between = common.addresses_value(switch), common.fabric_value()
    loopback, split = common.loopback_value(switch), common.cages(switch)
    page.say("Ports")
    if split:
        page.put(
            common.split_value(switch),
            *(
                f"{BREAKOUT} {cage.rpartition('/')[2]} map {one.speed_gbit_s}g-{one.parts}x"
                for cage, one in split.items()
            ),
        )
    page.put(loopback, "interface loopback0", f"  ip address {switch.loopback}/32")
    policies = {group.towards: name for group, (name, _) in zip(_longer(switch), _long_groups(switch), strict=True)}
    paused = ("  priority-flow-control mode on", "  priority-flow-control watch-dog-interval on")
    values = [common.vlan_of(switch)] if switch.gateway else []
    if values:
        vlan = values[0].value
        page.put(
            (to_node, *values, mtu),
            "feature interface-vlan",
            f"vlan {vlan}",
            f"interface Vlan{vlan}",
            f"  mtu {mtu.value}",
            f"  ip address {switch.gateway}",
            "  no shutdown",
        )
    for one in switch.interfaces:
        buffers = policies.get(one.towards)
        page.put(
            (links, mtu, *values, common.flow_value(switch), to_node if one.address else between),
            f"interface {one.name}",
            f"  description {common.described(one)}",
            *_layer(switch, one),
            f"  mtu {mtu.value}",
            *(paused if _is_lossless(switch) else ()),
            *([f"  service-policy type qos input {common.ROCE}-IN"] if switch.has_classes else []),
            *([f"  service-policy type queuing input {buffers}"] if buffers else []),
            *_address(switch, one),
            "  no shutdown",
        )


def _layer(switch: SwitchPlan, one: Interface) -> list[str]:
    if common.in_subnet(switch, one):
        return ["  switchport", f"  switchport access vlan {common.vlan_of(switch).value}"]
    return ["  no switchport"]


def _address(switch: SwitchPlan, one: Interface) -> list[str]:
    if common.in_subnet(switch, one):
        return []
    return [f"  ip address {one.address}"] if one.address else ["  ip forward", "  ipv6 address use-link-local-only"]


def _longer(switch: SwitchPlan) -> list[common.Group]:
    own = int(switch.value("nxos.own_headroom_m").value)
    if not _is_lossless(switch):
        return []
    return [group for group in switch.groups if group.headroom.cable_m > own]


def _bgp(switch: SwitchPlan, page: Page) -> None:
    paths = switch.value("bgp.multipath")
    page.say("BGP, unnumbered")
    page.put(common.syntax(GUIDE), "route-map CONNECTED permit 10", "  match source-protocol direct")
    page.put(
        (common.asn_value(switch), common.loopback_value(switch)),
        f"router bgp {switch.asn}",
        f"  router-id {switch.loopback}",
    )
    page.put(
        (paths, common.fabric_value()),
        "  bestpath as-path multipath-relax",
        "  address-family ipv4 unicast",
        f"    maximum-paths {paths.value}",
        "    redistribute direct route-map CONNECTED",
    )
    page.put(
        common.peers_value(switch),
        *(
            line
            for one in common.uplinks(switch)
            if one.peer_asn
            for line in (f"  neighbor {one.name}", f"    remote-as {one.peer_asn}", "    address-family ipv4 unicast")
        ),
    )
    if not common.uplinks(switch) or not switch.has_classes:
        return
    page.say("Load balancing: a reload makes it effective")
    idle = switch.value("balancing.flowlet_idle_us")
    page.put(
        (switch.value("balancing"), idle),
        "hardware profile dlb",
        "  mode flowlet",
        f"  flowlet-aging {idle.value}",
        f"  dlb-interface {' , '.join(one.name for one in common.uplinks(switch))}",
    )
