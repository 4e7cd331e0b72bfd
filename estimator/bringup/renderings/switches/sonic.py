"""SONiC: a patch of ``config_db.json`` a switch, with the sources of its values beside it.

Tables and fields: YANG models of sonic-net/sonic-buildimage (src/sonic-yang-models/yang-models); BGP as the unified
management framework has it (sonic-bgp-global, sonic-bgp-neighbor).
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Interface, Plan, SwitchPlan
from estimator.bringup.plan.systems import SONIC
from estimator.bringup.plan.value import Value
from estimator.bringup.renderings.sourced import Leaf, json_files
from estimator.bringup.renderings.switches import common
from estimator.bringup.renderings.target import File
from estimator.record import Json

YANG = "sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models"
MAP = common.ROCE
ROLES = {"leaf": "LeafRouter", "spine": "SpineRouter", "core": "SpineRouter"}
MBIT_PER_GBIT = 1000


def files(plan: Plan) -> Iterator[File]:
    """A patch for every switch: ``config load FILE``, then ``config save``."""
    return common.switch_files(plan, SONIC, _switch)


def _switch(plan: Plan, switch: SwitchPlan) -> Iterator[File]:
    tree: Json = {
        "DEVICE_METADATA": _device(switch),
        **_breakouts(switch),
        "PORT": {one.name: _port(switch, one) for one in switch.interfaces},
        "CABLE_LENGTH": {"AZURE": _cables(switch)},
        "LOOPBACK_INTERFACE": _loopback(switch),
        **_interfaces(switch),
        **_subnet(switch),
        **_bgp(switch),
        **(_traffic(switch) if switch.has_classes else {}),
    }
    return json_files(f"{switch.name}.json", tree)


def _traffic(switch: SwitchPlan) -> Json:
    """Classes, queues, buffers, flow control."""
    return {**_maps(switch), **_queues(switch), **_lossless(switch), **_trimming(switch)}


def _leaf(value: Value, written: object = None) -> Leaf:
    """All that config_db.json holds is text."""
    return Leaf(str(value.value if written is None else written), value)


def _on(text: str) -> Leaf:
    return Leaf(text, common.syntax(YANG))


def _device(switch: SwitchPlan) -> Json:
    return {
        "localhost": {
            "hostname": _leaf(common.name_value(switch)),
            "bgp_asn": _leaf(common.asn_value(switch)),
            "type": _on(ROLES[switch.kind]),
            "docker_routing_config_mode": _on("unified"),
            "frr_mgmt_framework_config": _on("true"),
        }
    }


def _breakouts(switch: SwitchPlan) -> Json:
    split = common.split_value(switch)
    cages = {
        cage: {"brkout_mode": _leaf(split, f"{one.parts}x{one.speed_gbit_s}G")}
        for cage, one in common.cages(switch).items()
    }
    return {"BREAKOUT_CFG": cages} if cages else {}


def _port(switch: SwitchPlan, one: Interface) -> Json:
    return {
        "admin_status": _on("up"),
        "description": _leaf(common.links_value(switch), common.described(one)),
        "mtu": _leaf(switch.value("mtu.switch_bytes")),
        "speed": _leaf(common.speed_value(switch), one.speed_gbit_s * MBIT_PER_GBIT),
        "pfc_asym": _on("off"),
    }


def _cables(switch: SwitchPlan) -> Json:
    out: Json = {}
    for group in switch.groups:
        length = _leaf(common.length_of(group).value, f"{group.headroom.cable_m}m")
        out |= {one.name: length for one in group.interfaces}
    return out


def _loopback(switch: SwitchPlan) -> Json:
    value = common.loopback_value(switch)
    return {
        "Loopback0": {"admin_status": _on("up")},
        f"Loopback0|{switch.loopback}/32": {"scope": _leaf(value, "global")},
    }


def _interfaces(switch: SwitchPlan) -> Json:
    to_node, between = common.addresses_value(switch), common.fabric_value()
    out: Json = {}
    for one in switch.interfaces:
        if one.address:
            out[one.name] = {"ipv6_use_link_local_only": _leaf(to_node, "disable")}
            out[f"{one.name}|{one.address}"] = {"scope": _leaf(to_node, "global"), "family": _leaf(to_node, "IPv4")}
        elif not common.in_subnet(switch, one):
            out[one.name] = {"ipv6_use_link_local_only": _leaf(between, "enable")}
    return {"INTERFACE": out} if out else {}


def _subnet(switch: SwitchPlan) -> Json:
    """One subnet for the node ports, routed here; nothing where each has its own."""
    if not switch.gateway:
        return {}
    vlan, to_node = common.vlan_of(switch), common.addresses_value(switch)
    name = f"Vlan{vlan.value}"
    inside = [one.name for one in switch.interfaces if common.in_subnet(switch, one)]
    return {
        "VLAN": {name: {"vlanid": _leaf(vlan)}},
        "VLAN_MEMBER": {f"{name}|{port}": {"tagging_mode": _leaf(vlan, "untagged")} for port in inside},
        "VLAN_INTERFACE": {name: {}, f"{name}|{switch.gateway}": {"scope": _leaf(to_node, "global")}},
    }


def _bgp(switch: SwitchPlan) -> Json:
    between, paths, asn = common.fabric_value(), switch.value("bgp.multipath"), common.asn_value(switch)
    uplinks = common.uplinks(switch)
    return {
        "BGP_GLOBALS": {
            "default": {
                "local_asn": _leaf(asn),
                "router_id": _leaf(common.loopback_value(switch)),
                "load_balance_mp_relax": _leaf(between, "true"),
            }
        },
        "BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": _leaf(paths)}},
        "ROUTE_REDISTRIBUTE": {"default|connected|bgp|ipv4": {"metric": _leaf(between, "0")}},
        "BGP_NEIGHBOR": {
            f"default|{one.name}": {"asn": _leaf(common.peers_value(switch), one.peer_asn), "admin_status": _on("true")}
            for one in uplinks
            if one.peer_asn
        },
        "BGP_NEIGHBOR_AF": {
            f"default|{one.name}|ipv4_unicast": {"admin_status": _leaf(between, "true")}
            for one in uplinks
            if one.peer_asn
        },
    }


def _maps(switch: SwitchPlan) -> Json:
    """Every DSCP is mapped, as the default map has DSCP 26 in a lossy class; a traffic class has the number of its queue."""
    rest, data, cnp = (switch.value(f"{name}.queue") for name in ("default", "data", "cnp"))
    pfc, moved = switch.value("data.priority"), switch.value("sonic.dscp_26_class")
    by_dscp = {switch.value("cnp.dscp").value: _leaf(cnp), switch.value("data.dscp").value: _leaf(moved, data.value)}
    queues = {data.value: _leaf(data), cnp.value: _leaf(cnp)}
    if common.trims(switch):
        trimmed = switch.value("trim.queue")
        by_dscp[switch.value("trim.dscp").value] = queues[trimmed.value] = _leaf(trimmed)
    ports = {
        "dscp_to_tc_map": _leaf(data, MAP),
        "tc_to_queue_map": _leaf(data, MAP),
        "tc_to_pg_map": _leaf(data, MAP),
        "pfc_to_queue_map": _leaf(pfc, MAP),
    }
    if switch.value("data.flow").value == "pfc":
        ports |= {"pfc_enable": _leaf(pfc), "pfcwd_sw_enable": _leaf(pfc)}
    each = common.PRIORITIES
    return {
        "DSCP_TO_TC_MAP": {MAP: {str(dscp): by_dscp.get(dscp, _leaf(rest)) for dscp in common.DSCPS}},
        "TC_TO_QUEUE_MAP": {MAP: {str(one): queues.get(one, _leaf(rest, one)) for one in each}},
        "TC_TO_PRIORITY_GROUP_MAP": {MAP: {str(one): _leaf(pfc) if one == data.value else _leaf(rest) for one in each}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {
            MAP: {str(one): _leaf(data) if one == pfc.value else _leaf(rest, one) for one in each}
        },
        "PORT_QOS_MAP": {one.name: ports for one in switch.interfaces},
    }


def _queues(switch: SwitchPlan) -> Json:
    share, rest, strict = (
        switch.value(key) for key in ("data.weight_percent", "default.weight_percent", "cnp.scheduler")
    )
    marks, (lowest, highest, percent) = common.marks_of(switch), common.mark_values(switch)
    names = ("data", "cnp", "default", *(["trim"] if common.trims(switch) else []))
    queues = {name: switch.value(f"{name}.queue") for name in names}
    profile = {name: f"{MAP}_{name.upper()}" for name in queues}
    entries: Json = {str(queue.value): {"scheduler": _leaf(queue, profile[name])} for name, queue in queues.items()}
    entries[str(queues["data"].value)] |= {"wred_profile": _leaf(lowest, MAP)}
    return {
        "SCHEDULER": {
            profile["data"]: {"type": _leaf(share, "DWRR"), "weight": _leaf(share)},
            profile["default"]: {"type": _leaf(rest, "DWRR"), "weight": _leaf(rest)},
            **{profile[name]: {"type": _leaf(strict, "STRICT")} for name in names if name in ("cnp", "trim")},
        },
        "WRED_PROFILE": {
            MAP: {
                "ecn": _leaf(percent, "ecn_all"),
                "wred_green_enable": _leaf(percent, "true"),
                "green_min_threshold": _leaf(lowest, marks.min_bytes),
                "green_max_threshold": _leaf(highest, marks.max_bytes),
                "green_drop_probability": _leaf(percent),
            }
        },
        "QUEUE": {f"{one.name}|{queue}": entry for one in switch.interfaces for queue, entry in entries.items()},
    }


def _lossless(switch: SwitchPlan) -> Json:
    """Headroom as profiles with bytes, so that it is that of the plan whichever model of buffers the image has."""
    if switch.value("data.flow").value != "pfc":
        return {}
    pfc, packet, small = (
        switch.value(key) for key in ("data.priority", "lossless.packet_bytes", "lossless.small_packet_percent")
    )
    detect, restore, action = (switch.value(f"watchdog.{what}") for what in ("detect_ms", "restore_ms", "action"))
    poll = switch.value("watchdog.poll_ms")
    profiles: Json = {}
    groups: Json = {}
    for group in switch.groups:
        length = common.length_of(group)
        name = f"pg_lossless_{group.speed_gbit_s * MBIT_PER_GBIT}_{group.headroom.cable_m}m_profile"
        profiles[name] = {
            "pool": _on("ingress_lossless_pool"),
            "size": _leaf(length.size),
            "xon": _leaf(length.xon),
            "xoff": _leaf(length.headroom),
            "dynamic_th": _leaf(switch.value("sonic.dynamic_th")),
        }
        groups |= {f"{one.name}|{pfc.value}": {"profile": _leaf(length.value, name)} for one in group.interfaces}
    watched = {"action": _leaf(action), "detection_time": _leaf(detect), "restoration_time": _leaf(restore)}
    pattern = {"LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": _leaf(packet), "small_packet_percentage": _leaf(small)}}}
    is_nvidia = switch.part is not None and switch.part.asic.startswith("Spectrum")
    return {
        **(pattern if is_nvidia else {}),
        "BUFFER_PROFILE": profiles,
        "BUFFER_PG": groups,
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": _leaf(poll)}, **{one.name: watched for one in switch.interfaces}},
    }


def _trimming(switch: SwitchPlan) -> Json:
    """Full queues of the data cut packets, which go on in a queue of their own: sonic-net/SONiC, packet trimming HLD."""
    if not common.trims(switch):
        return {}
    dscp, queue, size, share = (
        switch.value(f"trim.{what}") for what in ("dscp", "queue", "size_bytes", "buffer_dynamic_th")
    )
    how, data = switch.value("trim.available"), switch.value("data.queue")
    profile = {
        "pool": _leaf(how, "egress_lossy_pool"),
        "size": _leaf(how, "0"),
        "dynamic_th": _leaf(share),
        "packet_discard_action": _leaf(how, "trim"),
    }
    return {
        "SWITCH_TRIMMING": {"GLOBAL": {"size": _leaf(size), "dscp_value": _leaf(dscp), "queue_index": _leaf(queue)}},
        "BUFFER_PROFILE": {"q_lossy_trim_profile": profile},
        "BUFFER_QUEUE": {
            f"{one.name}|{data.value}": {"profile": _leaf(data, "q_lossy_trim_profile")} for one in switch.interfaces
        },
    }
