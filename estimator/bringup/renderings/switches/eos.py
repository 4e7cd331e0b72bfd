"""Arista EOS: a configuration a switch, for ``configure replace`` or to be pasted in a session.

Commands: templates of Arista's AVD (qos-profiles, priority-flow-control, platform-trident, router-bgp,
ethernet-interfaces), and the example for 7388 of AMD's guide on networks of GPU clusters.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Interface, Plan, SwitchPlan
from estimator.bringup.plan.systems import EOS
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.switches import common
from estimator.bringup.renderings.target import File

HOW = "In configure session: paste, show session-config diffs, commit timer 00:10:00."
AVD = "Arista AVD, templates of eos_cli_config_gen"
PEERS = "FABRIC"
QUEUES = "platform trident mmu queue profile"
AUTOMATIC = "automatic"


def files(plan: Plan) -> Iterator[File]:
    """A configuration for every switch."""
    return common.switch_files(plan, EOS, _switch)


def _switch(plan: Plan, switch: SwitchPlan) -> Iterator[File]:
    page = common.page_of(plan, switch, HOW, mark="! ")
    page.say("Name and routing")
    page.put(common.name_value(switch), f"hostname {switch.name}")
    page.put(
        common.syntax(AVD),
        "service routing protocols model multi-agent",
        "ip routing",
        "ip routing ipv6 interfaces",
        "ipv6 unicast-routing",
        "lldp run",
    )
    if switch.has_classes:
        _classes(switch, page)
        _profile(switch, page)
        _headroom(switch, page)
    else:
        common.put_no_classes(switch, page)
    _ports(switch, page)
    _bgp(switch, page)
    yield page.file(f"{switch.name}.eos")


def _classes(switch: SwitchPlan, page: Page) -> None:
    page.say("Classes")
    for name in ("data", "cnp", "default"):
        dscp, queue = switch.value(f"{name}.dscp"), switch.value(f"{name}.queue")
        page.put(
            (dscp, queue),
            f"qos map dscp {dscp.value} to traffic-class {queue.value}",
            f"qos map traffic-class {queue.value} to uc-tx-queue {queue.value}",
        )
    if switch.value("data.flow").value != "pfc":
        common.put_no_trimming(switch, page)
        return
    detect, restore, action = (switch.value(f"watchdog.{what}") for what in ("detect_ms", "restore_ms", "action"))
    page.say("PFC watchdog, in seconds")
    page.put(detect, f"priority-flow-control pause watchdog default timeout {int(detect.value) / 1000:g}")
    page.put(restore, f"priority-flow-control pause watchdog default recovery-time {int(restore.value) / 1000:g}")
    page.put(action, f"priority-flow-control pause watchdog action {action.value}")


def _profile(switch: SwitchPlan, page: Page) -> None:
    page.say("Profile of every port")
    page.put(switch.value("data.dscp"), f"qos profile {common.ROCE}", "   qos trust dscp")
    data, share, marks = switch.value("data.queue"), switch.value("data.weight_percent"), common.marks_of(switch)
    weight = switch.value("ecn.weight")
    page.put(
        (data, share), f"   uc-tx-queue {data.value}", "      no priority", f"      bandwidth percent {share.value}"
    )
    page.put(
        (*common.mark_values(switch), weight),
        f"      random-detect ecn minimum-threshold {marks.min_bytes} bytes maximum-threshold {marks.max_bytes} bytes "
        f"max-mark-probability {marks.mark_percent} weight {weight.value}",
        "      random-detect ecn count",
    )
    cnp, strict = switch.value("cnp.queue"), switch.value("cnp.scheduler")
    page.put((cnp, strict), f"   uc-tx-queue {cnp.value}", f"      priority {strict.value}")
    priority, flow = switch.value("data.priority"), switch.value("data.flow")
    if flow.value == "pfc":
        rooms = [common.length_of(group).headroom for group in switch.groups]
        page.put(
            (priority, flow, *rooms),
            "   priority-flow-control on",
            f"   priority-flow-control priority {priority.value} no-drop",
            "   priority-flow-control pause watchdog",
        )


def _headroom(switch: SwitchPlan, page: Page) -> None:
    if switch.value("data.flow").value != "pfc":
        return
    how = switch.value("eos.headroom")
    if how.value == AUTOMATIC:
        page.say("Headroom: the system reserves its own")
        page.put((how, *(common.length_of(group).headroom for group in switch.groups)))
        return
    most = max((common.length_of(group).headroom for group in switch.groups), key=lambda room: int(room.value))
    page.say("Headroom")
    page.put(
        (how, most),
        f"{QUEUES} {common.ROCE}",
        f"   ingress headroom {most.value}",
        "!",
        f"{QUEUES} {common.ROCE} apply",
    )


def _ports(switch: SwitchPlan, page: Page) -> None:
    loopback, mtu, speed = common.loopback_value(switch), switch.value("mtu.switch_bytes"), common.speed_value(switch)
    page.say("Ports")
    page.put(loopback, "interface Loopback0", f"   ip address {switch.loopback}/32")
    links, to_node, between = common.links_value(switch), common.addresses_value(switch), common.fabric_value()
    vlan = common.vlan_of(switch) if switch.gateway else None
    if vlan:
        lines = [
            f"vlan {vlan.value}",
            f"interface Vlan{vlan.value}",
            f"   mtu {mtu.value}",
            f"   ip address {switch.gateway}",
        ]
        page.put((to_node, vlan, mtu), *lines)
    for one in switch.interfaces:
        page.put(
            (links, speed, mtu, *([vlan] if vlan else []), to_node if one.address else between),
            f"interface {one.name}",
            f"   description {common.described(one)}",
            *(
                [f"   switchport access vlan {vlan.value}"]
                if common.in_subnet(switch, one) and vlan
                else ["   no switchport"]
            ),
            f"   mtu {mtu.value}",
            *_speed(switch, one),
            *_address(switch, one),
            *([f"   service-profile {common.ROCE}"] if switch.has_classes else []),
            "   no shutdown",
        )


def _speed(switch: SwitchPlan, one: Interface) -> list[str]:
    """Ports of 1 Gb/s agree on it by themselves."""
    return [f"   speed {one.speed_gbit_s}g-{common.lanes(switch, one)}"] if one.speed_gbit_s > 1 else []


def _address(switch: SwitchPlan, one: Interface) -> list[str]:
    if common.in_subnet(switch, one):
        return []
    return [f"   ip address {one.address}"] if one.address else ["   ipv6 enable"]


def _bgp(switch: SwitchPlan, page: Page) -> None:
    paths = switch.value("bgp.multipath")
    page.say("BGP, unnumbered")
    page.put(
        (common.asn_value(switch), common.loopback_value(switch)),
        f"router bgp {switch.asn}",
        f"   router-id {switch.loopback}",
    )
    page.put(paths, f"   maximum-paths {paths.value} ecmp {paths.value}")
    page.put(
        (common.fabric_value(), common.peers_value(switch)),
        "   no bgp default ipv4-unicast",
        "   bgp bestpath as-path multipath-relax",
        f"   neighbor {PEERS} peer group",
        *(
            f"   neighbor interface {one.name} peer-group {PEERS} remote-as {one.peer_asn}"
            for one in common.uplinks(switch)
            if one.peer_asn
        ),
        "   redistribute connected",
        "   address-family ipv4",
        f"      neighbor {PEERS} activate",
        f"      neighbor {PEERS} next-hop address-family ipv6 originate",
    )
    if not switch.has_classes:
        return
    page.say("Load balancing")
    page.put(switch.value("balancing"), "ip hardware fib load-balance distribution dynamic")
