"""What each fault is, in words, and what sets it right on each system."""

from typing import NamedTuple

from estimator.bringup.check.expected import Classes


class Meaning(NamedTuple):
    """A sentence for the message, with {where}, and the commands by system; ``""`` is for all others."""

    text: str
    fixes: dict[str, str]


_HCA = "set NCCL_IB_HCA to every NIC of the fabric: {expected}"
MEANINGS = {
    "mtu_small": Meaning(
        "MTU {found} at {where}: larger packets are dropped or the path falls back to small ones.",
        {
            "nvue": "nv set interface {port} link mtu {mtu}",
            "sonic": "config interface mtu {port} {mtu}",
            "eos": "interface {port}; mtu {mtu}",
            "nxos": "interface {port}; mtu {mtu}",
            "junos": "set interfaces {port} mtu {mtu}",
            "": "ip link set dev {port} mtu {host_mtu}",
        },
    ),
    "port_rate_low": Meaning(
        "{where} runs at {found} and its link is of {expected}.",
        {
            "nvue": "nv set interface {port} link speed {rate}G",
            "sonic": "config interface speed {port} {rate}000",
            "eos": "interface {port}; speed {rate}g",
            "nxos": "interface {port}; speed {rate}000",
            "junos": "set interfaces {port} speed {rate}g",
            "": "clean and reseat both ends of {port}, then mlxlink -d {port} to see which lanes train",
        },
    ),
    "trust_not_dscp": Meaning(
        "{where} trusts {found}, and routed packets carry their class in the DSCP alone: RDMA falls into the default class.",
        {
            "nvue": "nv set qos mapping default-global trust l3",
            "sonic": "config qos reload; PORT_QOS_MAP of {port} needs dscp_to_tc_map",
            "eos": "interface {port}; qos trust dscp",
            "nxos": "interface {port}; service-policy type qos input with match dscp",
            "junos": "set class-of-service interfaces {port} unit 0 classifiers dscp ROCE",
            "": "mlnx_qos -i {port} --trust dscp",
        },
    ),
    "global_pause_on": Meaning(
        "Global pause is on at {where}: it stops every class of the link, CNP too, and PFC does not work beside it.",
        {
            "nvue": "nv unset interface {port} qos link-pause",
            "sonic": "config interface pfc asymmetric {port} off",
            "eos": "interface {port}; flowcontrol receive off; flowcontrol send off",
            "nxos": "interface {port}; flowcontrol receive off; flowcontrol send off",
            "junos": "delete interfaces {port} ether-options flow-control",
            "": "ethtool -A {port} rx off tx off",
        },
    ),
    "pfc_off": Meaning(
        "No PFC for the data class at {where}: a full queue drops RDMA packets.",
        {
            "nvue": "nv set qos roce mode lossless",
            "sonic": "config interface pfc priority {port} {priority} on",
            "eos": "interface {port}; priority-flow-control on; priority-flow-control priority {priority} no-drop",
            "nxos": "interface {port}; priority-flow-control mode on",
            "junos": "set class-of-service interfaces {port} congestion-notification-profile of the data class",
            "": "mlnx_qos -i {port} --pfc {pfc}",
        },
    ),
    "pfc_watchdog_off": Meaning(
        "No PFC watchdog at {where}: one port that is paused for ever can stop the fabric.",
        {
            "nvue": "nv set interface {port} qos pfc-watchdog state enable",
            "sonic": "pfcwd start --action drop {port} 200 --restoration-time 400",
            "eos": "interface {port}; priority-flow-control pause watchdog",
            "nxos": "interface {port}; priority-flow-control watch-dog-interval on",
            "junos": "set class-of-service congestion-notification-profile NAME pfc-watchdog",
        },
    ),
    "headroom_small": Meaning(
        "Headroom at {where} is for {found}, and {expected} is needed: what arrives after a pause is dropped.",
        {
            "nvue": "nv set qos roce cable-length {metres}",
            "sonic": "config interface cable-length {port} {metres}m",
            "eos": "interface {port}; priority-flow-control priority {priority} headroom for {metres} m",
            "nxos": "policy-map type queuing of {port}: pause buffer-size for {metres} m",
            "junos": "set class-of-service congestion-notification-profile NAME input cable-length {metres}",
            "": "mlnx_qos -i {port} --cable_len {metres}",
        },
    ),
    "ecn_off": Meaning(
        "No ECN for the data class at {where}: senders slow down only when PFC has stopped them.",
        {
            "nvue": "nv set qos congestion-control default-global traffic-class {priority} ecn enabled",
            "sonic": "QUEUE of {port}, queue {priority}: wred_profile with ecn ecn_all",
            "eos": "interface {port}; uc-tx-queue {priority}; random-detect ecn minimum-threshold … maximum-threshold …",
            "nxos": "class type queuing c-out-8q-q{priority}; random-detect … ecn",
            "junos": "set class-of-service schedulers NAME explicit-congestion-notification",
        },
    ),
    "data_dscp_lossy": Meaning(
        "{found} at {where}: RDMA packets are dropped when the queue is full.",
        {
            "nvue": "nv set qos mapping default-global dscp {dscp} switch-priority {priority}",
            "sonic": "DSCP_TO_TC_MAP: {dscp} → {priority}",
            "eos": "qos map dscp {dscp} to traffic-class {priority}",
            "nxos": "class-map type qos: match dscp {dscp}; set qos-group {priority}",
            "junos": "set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low code-points {bits}",
            "": "mlnx_qos -i {port} --dscp2prio set,{dscp},{priority}",
        },
    ),
    "cnp_lossless": Meaning(
        "{found} at {where}: the packets that slow senders down are paused together with what they should slow.",
        {
            "nvue": "nv set qos mapping default-global dscp {cnp} switch-priority {cnp_priority}",
            "sonic": "DSCP_TO_TC_MAP: {cnp} → {cnp_priority}; pfc_enable {priority} alone",
            "eos": "qos map dscp {cnp} to a traffic class without no-drop",
            "nxos": "class-map type qos: match dscp {cnp}; set qos-group of a class without pause",
            "junos": "set class-of-service classifiers dscp ROCE forwarding-class CNP loss-priority low code-points {cnp_bits}",
            "": "mlnx_qos -i {port} --dscp2prio set,{cnp},{cnp_priority} --pfc {pfc}",
        },
    ),
    "cnp_not_strict": Meaning(
        "The queue of CNP is not strict at {where} ({found}): it waits behind the data that it should slow down.",
        {"": "give the queue of DSCP {cnp} strict priority"},
    ),
    "ecn_swapped": Meaning(
        "ECN thresholds are swapped at {where} ({found}): marking is all or nothing.",
        {"": "set the lower threshold first"},
    ),
    "ecn_far": Meaning(
        "ECN thresholds at {where} are {found}, over ten times off anything published for the system.",
        {"": "use thresholds of the bring-up plan"},
    ),
    "adaptive_routing_off": Meaning(
        "Load is not balanced by state at {where}: few large flows collide on uplinks.",
        {
            "nvue": "nv set router adaptive-routing state enabled",
            "eos": "ip hardware fib load-balance distribution dynamic",
            "nxos": "hardware profile dlb",
            "junos": "set forwarding-options enhanced-hash-key ecmp-dlb flowlet",
            "": "NCCL_IB_ADAPTIVE_ROUTING=1",
        },
    ),
    "cnp_dscp_differs": Meaning(
        "The NIC sends CNP with {found} at {where}, and switches give {expected} its own queue.",
        {"": "mlxconfig -y -d DEVICE set CNP_DSCP_P1={cnp} CNP_802P_PRIO_P1={cnp_priority}"},
    ),
    "dcqcn_off": Meaning(
        "Congestion control is off for the data class at {where} ({found}).",
        {"": "mlxconfig -y -d DEVICE set ROCE_CC_PRIO_MASK_P1=255"},
    ),
    "link_type_wrong": Meaning(
        "{where} is set to {found}, and the fabric is {expected}.",
        {"": "mlxconfig -y -d DEVICE set LINK_TYPE_P1={link_type}, then reset the firmware"},
    ),
    "link_down": Meaning(
        "{where} is {found}: its rail has no link.",
        {
            "nvue": "nv set interface {port} link state up",
            "sonic": "config interface startup {port}",
            "eos": "interface {port}; no shutdown",
            "nxos": "interface {port}; no shutdown",
            "junos": "delete interfaces {port} disable",
            "": "check the cable of {port} and its switch port",
        },
    ),
    "ats_on": Meaning(
        "Address translation (ATS) is on at {where}: on bare metal it slows GPUDirect.",
        {"": "mlxconfig -y -d DEVICE set ATS_ENABLED=0; in a virtual machine leave it on"},
    ),
    "read_request_small": Meaning(
        "PCIe read requests of {found} at {where} do not fill a fast link.",
        {"": "setpci -s {port} CAP_EXP+8.w=5000:7000"},
    ),
    "acs_on": Meaning(
        "PCIe ACS is on at {where}: traffic between GPU and NIC goes up to the root.",
        {"": "setpci -s {port} ECAP_ACS+0x6.w=0000, at every boot"},
    ),
    "numa_balancing_on": Meaning("The kernel moves pages between sockets.", {"": "sysctl -w kernel.numa_balancing=0"}),
    "tc_not_dscp": Meaning(
        "{where} is {found}, and the lossless class is {expected}: RDMA packets go where they may be dropped.",
        {"": "{port}={tos}"},
    ),
    "gid_of_roce_v1": Meaning(
        "{where} is {found}: RoCE v1 is not routed.",
        {"": "set {port} to an index that show_gids lists as v2, usually 3"},
    ),
    "rdma_off": Meaning("NCCL does not use RDMA: {found}.", {"": "NCCL_IB_DISABLE=0, and NCCL_NET unset"}),
    "sharp_off": Meaning(
        "SHARP is off, and the design counts on switches that add.", {"": "NCCL_COLLNET_ENABLE=1; sharp_enabled TRUE"}
    ),
    "pkey_wrong": Meaning(
        "NCCL uses entry {found} of the partition table, and the fabric has the default partition alone.",
        {"": "NCCL_IB_PKEY=0"},
    ),
    "service_level_wrong": Meaning("The service level of data is {found}, not {expected}.", {"": "NCCL_IB_SL=0"}),
    "nvlink_off": Meaning("{where} is {found}: NCCL leaves NVLink or its switches unused.", {"": "unset {port}"}),
    "hca_missing_rail": Meaning("NCCL runs {found}: rails stay unused.", {"": _HCA}),
    "gpudirect_off": Meaning(
        "GPUDirect RDMA is off: every byte goes through memory of the host.",
        {"": "load nvidia-peermem or use DMA-BUF, and unset NCCL_NET_GDR_LEVEL"},
    ),
    "rail_subnet_doubled": Meaning(
        "{where} is in {found}: hosts answer on the wrong port, and a rail's packets take another rail.",
        {"": "set the address of {port} to {expected}"},
    ),
    "routing_engine_wrong": Meaning(
        "routing_engine is {found}: paths of leaves and spines are not spread evenly or can deadlock.",
        {"": "routing_engine ftree,updn"},
    ),
}
MEANINGS |= {
    "pfc_on": Meaning(
        "{found} at {where}, and the plan trims: a class that is paused is never trimmed, and pauses spread.",
        {
            "nvue": "nv set qos roce mode lossy",
            "sonic": "config interface pfc priority {port} {priority} off",
            "eos": "interface {port}; no priority-flow-control",
            "nxos": "interface {port}; priority-flow-control mode off",
            "junos": "delete class-of-service interfaces {port} congestion-notification-profile",
            "": "mlnx_qos -i {port} --pfc 0,0,0,0,0,0,0,0",
        },
    ),
    "trimming_off": Meaning(
        "Packet trimming is off at {where}: a full queue drops, and senders learn of it by a timeout.",
        {
            "nvue": "nv set system forwarding packet-trim state enabled",
            "sonic": "SWITCH_TRIMMING|GLOBAL, and packet_discard_action trim in the profile of queue {priority}",
        },
    ),
    "data_not_trimmed": Meaning(
        "{found} at {where}, which is not the class that trims.", MEANINGS["data_dscp_lossy"].fixes
    ),
    "address_of_other_port": Meaning(
        "The address of {where} is {found}: a cable or a file was taken for another.",
        {"": "set the address of {port} to {expected}, or change the cables over"},
    ),
    "loopback_doubled": Meaning(
        "The address of {where} itself is {found}: routes to the two are mixed up, and BGP sessions fail.",
        {"": "set it to {expected}"},
    ),
    "asn_doubled": Meaning(
        "The BGP number of {where} is {found}: each drops the other's routes as a loop.",
        {
            "nvue": "nv set router bgp autonomous-system {expected}",
            "sonic": "DEVICE_METADATA, bgp_asn: {expected}",
            "junos": "set routing-options autonomous-system {expected}",
            "": "router bgp {expected}",
        },
    ),
    "arp_flux": Meaning(
        "{where} has several ports in one subnet and {found}: a port answers for another, and traffic arrives on one NIC.",
        {"": "sysctl -w net.ipv4.conf.all.arp_announce=1 net.ipv4.conf.all.arp_ignore=2 net.ipv4.conf.all.rp_filter=2"},
    ),
    "lldp_off": Meaning(
        "No LLDP at {where}: neighbours cannot be compared with the list of links.",
        {
            "nvue": "nv set system lldp state enabled",
            "sonic": "config feature state lldp enabled",
            "eos": "lldp run",
            "nxos": "feature lldp",
            "junos": "set protocols lldp interface all",
        },
    ),
    "fec_wrong": Meaning(
        "Error correction at {where} is {found}: a link of this rate has errors without {expected}.",
        {
            "nvue": "nv set interface {port} link fec rs",
            "sonic": "config interface fec {port} rs",
            "eos": "interface {port}; error-correction encoding reed-solomon",
            "nxos": "interface {port}; fec auto",
            "junos": "delete interfaces {port} gigether-options fec",
        },
    ),
    "ets_weight_zero": Meaning(
        "The class of the data has a share of {found} at {where}: other traffic can starve it.",
        {"": "give the class of DSCP {dscp} the share of the bring-up plan"},
    ),
    "queue_shared": Meaning(
        "At {where}, {found}: pauses and marks of the data meet other traffic.",
        {"": "give priority {priority} its own queue: {expected}"},
    ),
    "link_speed_forced": Meaning(
        "The subnet manager keeps links below their rate: {found}.", {"": "{expected}, then restart the manager"}
    ),
    "sm_priority_same": Meaning(
        "Two subnet managers have priority {found}: the lower GUID decides which is master.",
        {"": "set sm_priority of the one in reserve lower"},
    ),
    "partition_missing": Meaning(
        "A partition leaves ports of nodes out: {found}, and {expected} is needed.",
        {"": "add the port GUID to partitions.conf with =full"},
    ),
    "partition_limited": Meaning(
        "In a partition {found}: nodes do not reach each other.", {"": "ALL=full, or each GUID with =full"}
    ),
    "memlock_limited": Meaning(
        "Locked memory is limited to {found}: RDMA cannot register buffers.",
        {"": "* soft memlock unlimited; * hard memlock unlimited; LimitMEMLOCK=infinity for services"},
    ),
    "iommu_translates": Meaning(
        "The IOMMU translates every access of NICs and GPUs: {found}.",
        {"": "append iommu=pt to GRUB_CMDLINE_LINUX, update-grub, reboot"},
    ),
    "pcie_link_low": Meaning(
        "The PCIe link of {where} is {found}: it cannot feed the port.",
        {"": "reseat the card, then lspci -s {port} -vv, LnkSta beside LnkCap"},
    ),
    "ats_off": Meaning(
        "Address translation (ATS) is off at {where}: in a virtual machine GPUDirect needs it.",
        {"": "mlxconfig -y -d DEVICE set ATS_ENABLED=1, on the host"},
    ),
    "profiles_exclude": Meaning("{where} has {found}, which exclude each other.", {"": "leave {expected} enabled"}),
    "gid_link_local": Meaning("{where} is {found}, which is not routed.", {"": "set {port} to {expected}"}),
    "gid_missing": Meaning(
        "{where} is {found}.", {"": "set {port} to the index that show_gids lists as v2 with an IPv4"}
    ),
    "cross_nic_wrong": Meaning(
        "{where} is {found}, and each rail is a network of its own: connections between rails fail.",
        {"": "{port}={expected}"},
    ),
    "pxn_off": Meaning(
        "{where} is {found}: messages to another rail take the slow way over the spines or the host.",
        {"": "unset {port}"},
    ),
    "timeout_short": Meaning(
        "{where} is {found}: a link that retrains for seconds ends the job.", {"": "{port}={expected}"}
    ),
    "channels_few": Meaning("{where} is {found}: NCCL does not fill the NICs.", {"": "unset {port}"}),
    "bootstrap_wrong": Meaning(
        "{where} is {found}: ranks of other nodes cannot connect.", {"": "set {port} to {expected}"}
    ),
}
MEANINGS["pfc_one_side"] = Meaning(
    "PFC for the data class on one side only, missing at {where}: what one end pauses the other drops.",
    MEANINGS["pfc_off"].fixes,
)
MEANINGS["data_priority_differs"] = Meaning(
    "{found} at {where}: its pauses do not reach the priority that the other end has.",
    MEANINGS["data_dscp_lossy"].fixes,
)


class Said(NamedTuple):
    """A fault in words."""

    message: str
    fix: str


def said(code: str, system: str, where: str, ports: list[str], expected: str, found: str, classes: Classes) -> Said:
    """Message and command of a fault at ports; the command is of the first of them."""
    meaning = MEANINGS[code]
    flags = ",".join("1" if one == classes.data_priority else "0" for one in range(8))
    digits = "".join(
        letter for letter in expected.partition(" m")[0].rpartition(" ")[2] if letter.isascii() and letter.isdecimal()
    )
    rate = "".join(letter for letter in expected.partition(" ")[0] if letter.isascii() and letter.isdecimal())
    words = {
        "where": where,
        "port": ports[0] if ports and ports[0] else "IF",
        "expected": expected,
        "found": found,
        "mtu": classes.mtu_bytes,
        "host_mtu": classes.host_mtu_bytes,
        "rate": rate,
        "metres": digits,
        "priority": classes.data_priority,
        "pfc": flags,
        "dscp": classes.data_dscp,
        "bits": f"{classes.data_dscp:06b}",
        "cnp": classes.cnp_dscp,
        "cnp_bits": f"{classes.cnp_dscp:06b}",
        "cnp_priority": classes.cnp_priority,
        "tos": classes.tos,
        "link_type": "2" if expected == "Ethernet" else "1",
    }
    fix = meaning.fixes.get(system, meaning.fixes.get("", ""))
    return Said(meaning.text.format(**words), fix.format(**words))
