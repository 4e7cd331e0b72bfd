"""Cumulus Linux: ``nv set`` commands, a script a switch.

Commands: NVUE reference of NVIDIA, "QoS", "Adaptive Routing", "BGP" and "Interface"; RoCE of the Cumulus Linux user guide.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan, SwitchPlan
from estimator.bringup.plan.systems import NVUE
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.switches import common
from estimator.bringup.renderings.target import File

HOW = (
    "Run the lines as they stand, then nv config apply. Cumulus Linux 5.15 and later; before it, write 'enable on' for "
    "'state enabled'."
)


def files(plan: Plan) -> Iterator[File]:
    """A script for every switch."""
    return common.switch_files(plan, NVUE, _switch)


def _switch(plan: Plan, switch: SwitchPlan) -> Iterator[File]:
    page = common.page_of(plan, switch, HOW)
    page.say("Name and loopback")
    page.put(common.name_value(switch), f"nv set system hostname {switch.name}")
    page.put(common.loopback_value(switch), f"nv set interface lo ip address {switch.loopback}/32")
    _ports(switch, page)
    _bgp(switch, page)
    if switch.has_classes:
        _classes(switch, page)
        _flow_control(switch, page)
        _trimming(switch, page)
        _balancing(switch, page)
    else:
        common.put_no_classes(switch, page)
    yield page.file(f"{switch.name}.nvue")


def _ports(switch: SwitchPlan, page: Page) -> None:
    split = common.cages(switch)
    if split:
        page.say("Split cages")
        page.put(
            common.split_value(switch),
            *(f"nv set interface {cage} link breakout {one.parts}x" for cage, one in split.items()),
        )
    mtu = switch.value("mtu.switch_bytes")
    page.say("Ports: the other end, as LLDP shows it")
    page.put(
        common.links_value(switch),
        *(f'nv set interface {one.name} description "{common.described(one)}"' for one in switch.interfaces),
    )
    page.say("Largest frame")
    page.put(mtu, *(f"nv set interface {one.name} link mtu {mtu.value}" for one in switch.interfaces))
    to_nodes = [one for one in switch.interfaces if one.address]
    if to_nodes:
        page.say("Addresses of links to nodes")
        page.put(
            common.addresses_value(switch),
            *(f"nv set interface {one.name} ip address {one.address}" for one in to_nodes),
        )

    if switch.gateway:
        vlan = common.vlan_of(switch)
        page.say("One subnet for the node ports, routed here")
        page.put(
            (common.addresses_value(switch), vlan, mtu),
            f"nv set bridge domain br_default vlan {vlan.value}",
            *(
                f"nv set interface {one.name} bridge domain br_default access {vlan.value}"
                for one in switch.interfaces
                if common.in_subnet(switch, one)
            ),
            f"nv set interface vlan{vlan.value} type svi",
            f"nv set interface vlan{vlan.value} vlan {vlan.value}",
            f"nv set interface vlan{vlan.value} ip address {switch.gateway}",
            f"nv set interface vlan{vlan.value} link mtu {mtu.value}",
        )


def _bgp(switch: SwitchPlan, page: Page) -> None:
    page.say("BGP, unnumbered")
    page.put(common.asn_value(switch), f"nv set router bgp autonomous-system {switch.asn}")
    page.put(common.loopback_value(switch), f"nv set router bgp router-id {switch.loopback}")
    vrf = "nv set vrf default router bgp"
    between = common.fabric_value()
    page.put(
        between,
        "nv set router bgp state enabled",
        f"{vrf} state enabled",
        *(
            f"{vrf} neighbor {one.name} {what}"
            for one in common.uplinks(switch)
            for what in ("remote-as external", "type unnumbered")
        ),
        f"{vrf} address-family ipv4-unicast redistribute connected state enabled",
        f"{vrf} path-selection multipath aspath-ignore enabled",
    )
    paths = switch.value("bgp.multipath")
    page.put(paths, f"{vrf} address-family ipv4-unicast multipaths ebgp {paths.value}")


def _classes(switch: SwitchPlan, page: Page) -> None:
    flow = switch.value("data.flow")
    page.say("RoCE: LLDP then tells hosts of UDP port 4791 with its priority")
    mode = "lossless" if flow.value == "pfc" else "lossy"
    page.put(flow, "nv set qos roce state enabled", f"nv set qos roce mode {mode}")
    page.say("Classes")
    page.put(switch.value("data.dscp"), "nv set qos mapping default-global trust both")
    scheduler = "nv set qos egress-scheduler default-global traffic-class"
    for name in ("data", "cnp", "default"):
        dscp, priority, queue = (switch.value(f"{name}.{what}") for what in ("dscp", "priority", "queue"))
        page.put(
            (dscp, priority), f"nv set qos mapping default-global dscp {dscp.value} switch-priority {priority.value}"
        )
        page.put(
            (priority, queue),
            f"nv set qos egress-queue-mapping default-global switch-priority {priority.value} traffic-class {queue.value}",
        )
        if name == "cnp":
            strict = switch.value("cnp.scheduler")
            page.put((queue, strict), f"{scheduler} {queue.value} mode {strict.value}")
        else:
            share = switch.value(f"{name}.weight_percent")
            page.put(
                (queue, share),
                f"{scheduler} {queue.value} mode dwrr",
                f"{scheduler} {queue.value} bw-percent {share.value}",
            )
    marks, queue = common.marks_of(switch), switch.value("data.queue")
    control = f"nv set qos congestion-control default-global traffic-class {queue.value}"
    page.say("ECN")
    page.put(
        (queue, *common.mark_values(switch)),
        f"{control} ecn enabled",
        f"{control} min-threshold {marks.min_bytes}",
        f"{control} max-threshold {marks.max_bytes}",
        f"{control} probability {marks.mark_percent}",
    )


def _flow_control(switch: SwitchPlan, page: Page) -> None:
    if switch.value("data.flow").value != "pfc":
        return
    longest = common.length_of(common.longest_of(switch))
    page.say("PFC: the system works headroom out from the length of the cable")
    page.put((longest.value, longest.headroom), f"nv set qos roce cable-length {longest.value.value}")
    priority = switch.value("data.priority")
    lengths = {group.headroom.cable_m for group in switch.groups}
    beside = common.unread_syntax(
        "pfc_profiles", "The user guide has PFC profiles of ports, and does not say that they hold beside qos roce"
    )
    for group in switch.groups if len(lengths) > 1 else ():
        length, name = common.length_of(group), f"roce-{group.towards}-{group.speed_gbit_s}"
        page.say(f"Ports towards {group.towards}s at {group.speed_gbit_s} Gb/s")
        page.put(
            (length.value, length.headroom, priority, beside),
            f"nv set qos pfc {name} switch-priority {priority.value}",
            f"nv set qos pfc {name} rx enable",
            f"nv set qos pfc {name} tx enable",
            f"nv set qos pfc {name} cable-length {length.value.value}",
            *(f"nv set interface {one.name} qos pfc profile {name}" for one in group.interfaces),
        )
    detect, action = switch.value("watchdog.detect_ms"), switch.value("watchdog.action")
    poll = switch.value("watchdog.poll_ms")
    page.say("PFC watchdog: it drops while a queue is stuck, and lets go by itself")
    page.put(
        (detect, poll, action),
        f"nv set qos pfc-watchdog polling-interval {poll.value}",
        f"nv set qos pfc-watchdog robustness {int(detect.value) // int(poll.value)}",
        *(f"nv set interface {one.name} qos pfc-watchdog state enable" for one in switch.interfaces),
    )


def _trimming(switch: SwitchPlan, page: Page) -> None:
    common.put_no_trimming(switch, page)
    if not common.trims(switch):
        return
    dscp, priority, queue, size = (switch.value(f"trim.{what}") for what in ("dscp", "priority", "queue", "size_bytes"))
    data, strict = switch.value("data.queue"), switch.value("cnp.scheduler")
    trim = "nv set system forwarding packet-trim"
    page.say("Packet trimming: a full queue of the data cuts packets, which go on in a strict queue of their own")
    page.put(
        (dscp, priority, queue, strict),
        f"nv set qos mapping default-global dscp {dscp.value} switch-priority {priority.value}",
        f"nv set qos egress-queue-mapping default-global switch-priority {priority.value} traffic-class {queue.value}",
        f"nv set qos egress-scheduler default-global traffic-class {queue.value} mode {strict.value}",
    )
    page.put(
        (switch.value("trim.available"), dscp, size, priority, data),
        f"{trim} state enabled",
        f"{trim} remark dscp {dscp.value}",
        f"{trim} size {size.value}",
        f"{trim} switch-priority {priority.value}",
        *(
            f"nv set interface {one.name} packet-trim egress-eligibility traffic-class {data.value}"
            for one in switch.interfaces
        ),
    )


def _balancing(switch: SwitchPlan, page: Page) -> None:
    page.say("Load balancing")
    page.put(
        switch.value("balancing"),
        "nv set router adaptive-routing state enabled",
        *(f"nv set interface {one.name} router adaptive-routing state enabled" for one in common.uplinks(switch)),
    )
