"""More clean sets, as devices in the field print them: spans, defaults, profiles, NICs of other networks, other releases.

Forms after Cumulus Linux' and NVUE's documents, SONiC's default configuration, EOS', NX-OS' and Junos' guides, pciutils,
rdma-core, MLNX_OFED and NCCL; written apart from both the program's renderings and ``clean``.
"""

import json
from functools import cache

from estimator.bringup.plan.systems import EOS, JUNOS, NVUE, NXOS, SONIC
from tests.estimator.bringup.settings.clean import (
    HOST,
    LEAF,
    NICS,
    SPINE,
    Files,
    ibstat,
    ibv_devinfo,
    longest,
    mlnx_qos,
    nccl,
    switch,
)

SECOND = "leaf-r2-001"


def nvue_spans(name: str) -> str:
    """``nv config show -o json`` of a switch where nearly all follows from ``qos roce``, its ports in spans."""
    one = switch("two tiers", name, NVUE)
    every = ",".join(port.name for port in one.interfaces)
    up = ",".join(port.name for port in one.interfaces if not port.is_to_node)
    ports = {
        "eth0": {"ip": {"address": {"dhcp": {}}, "vrf": "mgmt"}, "type": "eth"},
        "lo": {"ip": {"address": {f"{one.loopback}/32": {}}}, "type": "loopback"},
        f"{every}": {"link": {"state": {"up": {}}, "fec": "rs"}, "qos": {"pfc-watchdog": {}}, "type": "swp"},
        f"{up} ": {"router": {"adaptive-routing": {"state": "enabled"}}},
        **{port.name: {"ip": {"address": {port.address: {}}}} for port in one.interfaces if port.address},
    }
    tree = {
        "bridge": {"domain": {"br_default": {"vlan": {"1": {}}}}},
        "interface": ports,
        "qos": {"roce": {"cable-length": longest(one.interfaces)}},
        "router": {
            "adaptive-routing": {"state": "enabled", "profile": "profile-1"},
            "bgp": {"autonomous-system": one.asn, "state": "enabled", "router-id": one.loopback},
        },
        "system": {"hostname": name, "lldp": {"tx-interval": 30}, "timezone": "Etc/UTC"},
        "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp61s0": {"remote-as": "external"}}}}}},
    }
    head = {"header": {"model": "MSN5600", "nvue-api-version": "nvue_v1", "rev-id": 14.0, "version": "5.15.0"}}
    return json.dumps([head, {"set": tree}], indent=2)


def sonic_default(name: str) -> str:
    """SONiC's generated configuration: two lossless classes, names with brackets, headroom by the dynamic model."""
    one = switch("two tiers", name, SONIC)
    ports = [port.name for port in one.interfaces]
    both = ",".join(ports)
    classes = {str(dscp): "1" for dscp in range(64)} | {"26": "3", "3": "3", "4": "4", "46": "5", "48": "6"}
    row = {
        "dscp_to_tc_map": "[DSCP_TO_TC_MAP|AZURE]",
        "pfc_enable": "3,4",
        "pfcwd_sw_enable": "3,4",
        "pfc_to_queue_map": "[MAP_PFC_PRIORITY_TO_QUEUE|AZURE]",
        "tc_to_pg_map": "[TC_TO_PRIORITY_GROUP_MAP|AZURE]",
        "tc_to_queue_map": "[TC_TO_QUEUE_MAP|AZURE]",
    }
    groups = {"0": "0", "1": "0", "2": "0", "3": "3", "4": "4", "5": "0", "6": "0", "7": "7"}
    tree = {
        "BUFFER_PG": {
            f"{both}|3-4": {"profile": "NULL"},
            **{f"{port}|0": {"profile": "ingress_lossy_profile"} for port in ports},
        },
        "BUFFER_POOL": {"ingress_lossless_pool": {"mode": "dynamic", "type": "ingress"}},
        "BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(ports, "300m")},
        "DEVICE_METADATA": {
            "localhost": {
                "buffer_model": "dynamic",
                "hostname": name,
                "hwsku": "ACS-SN5600",
                "platform": "x86_64-nvidia_sn5600-r0",
                "default_pfcwd_status": "enable",
                "bgp_asn": str(one.asn),
            }
        },
        "DSCP_TO_TC_MAP": {"AZURE": classes},
        "FEATURE": {"lldp": {"state": "enabled", "auto_restart": "enabled"}, "telemetry": {"state": "disabled"}},
        "INTERFACE": {port: {} for port in ports}
        | {f"{port.name}|{port.address}": {} for port in one.interfaces if port.address}
        | {f"{port.name}|fc00::{number:x}/126": {} for number, port in enumerate(one.interfaces)},
        "LOOPBACK_INTERFACE": {"Loopback0": {}, f"Loopback0|{one.loopback}/32": {}, "Loopback0|fc00:1::32/128": {}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {str(number): str(number) for number in range(8)}},
        "MGMT_INTERFACE": {"eth0|192.168.0.10/24": {"gwaddr": "192.168.0.1"}},
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}
        | {port: {"action": "drop", "detection_time": "200", "restoration_time": "200"} for port in ports},
        "PORT": {
            port: {"admin_status": "up", "alias": f"etp{number}", "fec": "rs", "index": str(number), "mtu": "9100"}
            | {"lanes": "0,1,2,3", "speed": "400000", "pfc_asym": "off", "tpid": "0x8100"}
            for number, port in enumerate(ports, 1)
        },
        "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"}, **dict.fromkeys(ports, row)},
        "QUEUE": {f"{both}|0-2": {"scheduler": "[SCHEDULER|scheduler.0]"}}
        | {f"{port}|3-4": {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"} for port in ports}
        | {f"{port}|6": {"scheduler": "scheduler.2"} for port in ports},
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
            "scheduler.2": {"type": "STRICT"},
        },
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": groups},
        "TC_TO_QUEUE_MAP": {"AZURE": {str(number): str(number) for number in range(8)}},
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_green",
                "green_drop_probability": "5",
                "green_max_threshold": "2097152",
                "green_min_threshold": "1048576",
                "wred_green_enable": "true",
                "yellow_min_threshold": "1048576",
                "yellow_max_threshold": "2097152",
            }
        },
    }
    return json.dumps(tree, indent=2)


def eos_interfaces(name: str) -> str:
    """Running configuration with quality of service on each port, a policy by class, numbered links between switches."""
    one = switch("Arista", name, EOS)
    lines = [
        "! Command: show running-config",
        f"! device: {name} (DCS-7060X6-64PE, EOS-4.33.2F)",
        "!",
        "! boot system flash:/EOS64-4.33.2F.swi",
        "!",
        "no aaa root",
        "!",
        f"hostname {name}",
        "service routing protocols model multi-agent",
        "!",
        "ip hardware fib load-balance distribution dynamic",
        "!",
        "priority-flow-control pause watchdog default timeout 0.20",
        "priority-flow-control pause watchdog default recovery-time 0.40",
        "priority-flow-control pause watchdog action drop",
        "!",
        "class-map type qos match-any ROCE",
        "   match dscp af31 24 25",
        "!",
        "class-map type qos match-any CNP",
        "   match dscp cs6",
        "!",
        "policy-map type quality-of-service RDMA",
        "   class ROCE",
        "      set traffic-class 3",
        "   class CNP",
        "      set traffic-class 7",
        "!",
        "interface Loopback0",
        f"   ip address {one.loopback}/32",
        "!",
        "interface Management1",
        "   ip address 192.168.0.7/24",
        "!",
    ]
    for port in one.interfaces:
        lower = (port.peer, port.peer_port) if name == SPINE else (name, port.name)
        cage, _, lane = lower[1].removeprefix("Ethernet").partition("/")
        link = f"172.{lower[0].removeprefix('leaf-r').partition('-')[0]}.{cage}.{2 * int(lane) + (name == SPINE)}/31"
        lines += [
            f"interface {port.name}",
            f"   description {port.peer}",
            "   mtu 9214",
            "   speed 400g-4",
            "   error-correction encoding reed-solomon",
            "   no switchport",
            *([f"   ip address {port.address}"] if port.address else [f"   ip address {link}"]),
            "   qos trust dscp",
            "   priority-flow-control on",
            "   priority-flow-control priority 3 no-drop",
            "   service-policy type qos input RDMA",
            "   !",
            "   uc-tx-queue 3",
            "      no priority",
            "      bandwidth percent 50",
            "      random-detect ecn minimum-threshold 2000 segments maximum-threshold 10000 segments "
            "max-mark-probability 20 weight 0",
            "   !",
            "   uc-tx-queue 7",
            "      priority strict",
            "!",
        ]
    lines += [
        f"router bgp {one.asn}",
        f"   router-id {one.loopback}",
        "   neighbor FABRIC peer group",
        "   neighbor FABRIC password 7 SEEDEDPASSWORD",
        "!",
        "end",
    ]
    return "\n".join(lines) + "\n"


def nxos_full() -> str:
    """Running configuration of the spine with more than it needs: statistics, all queues, buffers of the way in."""
    one = switch("mixed", SPINE, NXOS)
    lines = [
        "",
        "!Command: show running-config",
        "!Running configuration last done at: Mon Nov 23 10:00:01 2026",
        "",
        "version 10.5(3) Bios:version 05.52",
        f"hostname {SPINE}",
        "feature nxapi",
        "feature bgp",
        "feature interface-vlan",
        "feature lldp",
        "hardware profile dlb",
        "  mode flowlet",
        "priority-flow-control watch-dog-interval on",
        "class-map type qos match-any CLASS-ROCE",
        "  match dscp af31",
        "class-map type qos match-all CLASS-CNP",
        "  match dscp 48",
        "policy-map type qos QOS_CLASSIFICATION",
        "  class CLASS-ROCE",
        "    set qos-group 3",
        "  class CLASS-CNP",
        "    set qos-group 7",
        "policy-map type network-qos qos_network",
        "  class type network-qos c-8q-nq3",
        "    mtu 9216",
        "    pause pfc-cos 3",
        "  class type network-qos c-8q-nq-default",
        "    mtu 9216",
        "policy-map type queuing custom-8q-out-policy",
        "  class type queuing c-out-8q-q7",
        "    priority level 1",
        "  class type queuing c-out-8q-q6",
        "    bandwidth remaining percent 0",
        "  class type queuing c-out-8q-q3",
        "    bandwidth remaining percent 50",
        "    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn",
        "  class type queuing c-out-8q-q-default",
        "    bandwidth remaining percent 50",
        "system qos",
        "  service-policy type network-qos qos_network",
        "  service-policy type queuing output custom-8q-out-policy",
        "vrf context management",
        "  ip route 0.0.0.0/0 192.168.0.1",
        "interface mgmt0",
        "  vrf member management",
        "  ip address 192.168.0.8/24",
        "interface loopback0",
        f"  ip address {one.loopback}/32",
    ]
    for port in one.interfaces:
        lines += [
            f"interface {port.name}",
            f"  description to {port.peer}",
            "  no switchport",
            "  mtu 9216",
            "  fec auto",
        ]
        lines += ["  priority-flow-control mode on", "  service-policy type qos input QOS_CLASSIFICATION"]
        lines += ["  ip forward", "  ipv6 address use-link-local-only", "  no shutdown"]
    lines += ["interface Ethernet1/64", "  shutdown", f"router bgp {one.asn}", f"  router-id {one.loopback}"]
    return "\n".join(lines) + "\n"


def junos_patterns() -> str:
    """Set commands with names of DSCPs, a group for all ports and patterns."""
    one = switch("mixed", LEAF, JUNOS)
    cos = "set class-of-service"
    lines = [
        "set version 23.4R2-S3-EVO",
        f"set system host-name {LEAF}",
        "set groups FRAMES interfaces <et-*> mtu 9216",
        "set apply-groups FRAMES",
        "set forwarding-options enhanced-hash-key ecmp-dlb flowlet",
        f"{cos} classifiers dscp mydscp forwarding-class CNP loss-priority low code-points cs6",
        f"{cos} classifiers dscp mydscp forwarding-class NO-LOSS loss-priority low code-points [ 011010 af32 ]",
        f"{cos} drop-profiles dp1 interpolate fill-level [ 55 90 ] drop-probability [ 0 100 ]",
        f"{cos} forwarding-classes class CNP queue-num 3",
        f"{cos} forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3",
        f"{cos} congestion-notification-profile cnp input cable-length {longest(one.interfaces) + 10}",
        f"{cos} congestion-notification-profile cnp input dscp code-point 011010 pfc mru 9216",
        f"{cos} congestion-notification-profile cnp output ieee-802.1 code-point 011 flow-control-queue 4",
        f"{cos} congestion-notification-profile cnp pfc-watchdog poll-interval 10",
        f"{cos} interfaces et-* congestion-notification-profile cnp",
        f"{cos} interfaces et-* scheduler-map sm1",
        f"{cos} interfaces et-* unit * classifiers dscp mydscp",
        f"{cos} scheduler-maps sm1 forwarding-class CNP scheduler s2-cnp",
        f"{cos} scheduler-maps sm1 forwarding-class NO-LOSS scheduler s1",
        f"{cos} schedulers s1 drop-profile-map loss-priority any protocol any drop-profile dp1",
        f"{cos} schedulers s1 explicit-congestion-notification",
        f"{cos} schedulers s1 transmit-rate percent 50",
        f"{cos} schedulers s2-cnp priority strict-high",
        "set interfaces em0 unit 0 family inet address 192.168.0.9/24",
        f"set interfaces lo0 unit 0 family inet address {one.loopback}/32",
        "set protocols lldp interface all",
        f"set routing-options router-id {one.loopback}",
        f"set routing-options autonomous-system {one.asn}",
    ]
    for port in one.interfaces:
        family = f"inet address {port.address}" if port.address else "inet6"
        lines += [f"set interfaces {port.name} unit 0 family {family}"]
    return "\n".join(lines) + "\n"


def lspci_all() -> str:
    """``lspci -vvv`` of a host with NICs of storage and management, GPUs at rest and ACS off."""
    out = []
    for number in range(8):
        out += [
            f"{0x18 + number:02x}:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]",
            "\tSubsystem: Mellanox Technologies Device 0041",
            "\tCapabilities: [60] Express (v2) Endpoint, IntMsgNum 0",
            "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0",
            "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-",
            "\t\t\tMaxPayload 512 bytes, MaxReadReq 4096 bytes",
            "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported",
            "\t\tLnkSta:\tSpeed 32GT/s, Width x16",
            "\tCapabilities: [1c0 v1] Address Translation Service (ATS)",
            "\t\tATSCtl:\tEnable-, Smallest Translation Unit: 00",
        ]
    out += [
        "5e:00.0 Ethernet controller: Mellanox Technologies MT2894 Family [ConnectX-6 Lx]",
        "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-",
        "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes",
        "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8",
        "\t\tATSCtl:\tEnable+, Smallest Translation Unit: 00",
        "1b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)",
        "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16",
        "16:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)",
        "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-",
        "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-",
    ]
    return "\n".join(out) + "\n"


def mlxconfig_all(link: str) -> str:
    """``mlxconfig -e q`` of all devices: those of the fabric, a storage NIC with two ports, one of management."""
    other = {"IB(1)": "ETH(2)", "ETH(2)": "IB(1)"}[link]
    out = []
    for number in range(10):
        types = (link, link) if number < 8 else (other, other)
        mask, dscp = ("255", "48") if number < 8 else ("0", "4")
        rows = {
            "LINK_TYPE_P1": types[0],
            "LINK_TYPE_P2": other,
            "ROCE_CC_PRIO_MASK_P1": mask,
            "CNP_DSCP_P1": dscp,
            "CNP_802P_PRIO_P1": "6",
            "ATS_ENABLED": "False(0)",
        }
        out += [
            f"Device #{number + 1}:",
            "----------",
            "",
            "Device type:        ConnectX7",
            "Name:               MCX75310AAS-NEAT_Ax",
            f"Device:             /dev/mst/mt4129_pciconf{number}",
            "",
            "Configurations:                              Default          Current          Next Boot",
            *(f"*       {name:<36}{value:<17}{value:<17}{value}" for name, value in rows.items()),
            "",
        ]
    return "\n".join(out)


def ibstat_all() -> str:
    """Eight ports of the fabric, and a storage NIC whose second port has no cable."""
    storage = "".join(
        f"CA '{nic}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {state}\n\t\tPhysical state: {physical}\n"
        f"\t\tRate: {rate}\n\t\tLink layer: Ethernet\n"
        for nic, state, physical, rate in (("mlx5_1", "Active", "LinkUp", 100), ("mlx5_2", "Down", "Disabled", 40))
    )
    second = "\tPort 2:\n\t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 10\n\t\tLink layer: InfiniBand\n"
    first, *rest = ibstat().split("CA '")[1:]
    return f"CA '{first}{second}" + "".join(f"CA '{one}" for one in rest) + storage


LOG = """\
node-0001:91:91 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to bond0
node-0001:91:91 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.
node-0001:91:91 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
node-0001:91:91 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.
node-0001:91:91 [0] NCCL INFO NET/IB : Using {used} [RO]; OOB bond0:192.168.0.11<0>
node-0001:91:140 [0] NCCL INFO GPU Direct RDMA Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 1 mode Default
node-0001:91:140 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 0 / HCA 7 (distance 8 > 5)
node-0001:91:140 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 1 / HCA 6 (distance 8 > 5)
node-0001:91:140 [1] NCCL INFO GPU Direct RDMA Enabled for GPU 1 / HCA 1 (distance 4 <= 5), read 1 mode Default
node-0001:91:140 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA
node-0001:91:140 [0] NCCL INFO Channel 01/0 : 8[0] -> 7[7] [receive] via NET/IB/1(3)/GDRDMA/Shared
node-0001:91:140 [0] NCCL INFO 16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels
"""
SYSCTL_ALL = """\
abi.vsyscall32 = 1
kernel.numa_balancing = 0
net.ipv4.conf.all.arp_announce = 0
net.ipv4.conf.all.arp_ignore = 0
net.ipv4.conf.all.rp_filter = 1
net.ipv4.conf.eth0.rp_filter = 2
net.ipv4.tcp_rmem = 4096\t131072\t6291456
vm.nr_hugepages = 1024
"""
CMDLINE = (
    "BOOT_IMAGE=/vmlinuz-6.8.0-nvidia root=UUID=ab12 ro intel_iommu=on iommu=pt pci=realloc=off hugepagesz=1G quiet\n"
)
ULIMIT = "core file size (blocks, -c) 0\nmax locked memory           (kbytes, -l) unlimited\nopen files (-n) 1048576\n"
LIMITS = "# RDMA\n*\tsoft\tmemlock\tunlimited\n*\thard\tmemlock\tunlimited\nroot - nofile 1048576\n"
UFM = """\
[Server]
mgmt_interface = eth0
[SubnetManager]
event_plugin_options = (null)
[Sharp]
# sharp_enabled = false
sharp_enabled = true
sharp_allocation_enabled = false
"""
OPENSM_DUMP = """\
#
# DEVICE ATTRIBUTES OPTIONS
#
# The port GUID on which the OpenSM is running
guid 0x946dae0300a12b3c

# M_Key value sent to all ports qualifying all Set(PortInfo)
m_key 0x0000000000000000

# The maximum number of operational VLs on each port
max_op_vls 2

# Force PortInfo:LinkSpeedEnabled on switch ports
force_link_speed 15
force_link_speed_ext 31
lmc 0
sm_priority {priority}
routing_engine ar_ftree,ar_updn,updn
root_guid_file /opt/ufm/files/conf/opensm/root_guid.conf
qos TRUE
sharp_enabled 2
sminfo_polling_timeout 10000
log_file /opt/ufm/files/log/opensm.log
"""


def port_guid(number: int) -> str:
    return f"0x946dae0300a1{number:04x}"


def partitions() -> str:
    """A management partition for all, and a tenant's with the ports of one node."""
    own = ",\n  ".join(f"{port_guid(number)}=full" for number in range(8))
    every = "management=0x7fff, ipoib, sl=0, defmember=full : ALL, ALL_SWITCHES=full, SELF=full;"
    return f"# made by the controller\n{every}\ntenant1=0x0001, ipoib:\n  {own};\n"


def ibstat_guids() -> str:
    """ibstat with the GUIDs of its ports."""
    parts = ibstat().split("\t\tLink layer: InfiniBand\n")
    return "".join(
        f"{part}\t\tPort GUID: {port_guid(number)}\n\t\tLink layer: InfiniBand\n"
        for number, part in enumerate(parts[:-1])
    )


@cache
def field_sets() -> dict[str, tuple[str, Files]]:
    """Design and files by name."""
    used = " ".join(f"[{number}]{nic}:1/RoCE" for number, nic in enumerate(NICS))
    return {
        "Cumulus in spans": ("two tiers", {f"{name}:nv.json": nvue_spans(name) for name in (LEAF, SECOND, SPINE)}),
        "SONiC as it is generated": (
            "two tiers",
            {f"{name}:config_db.json": sonic_default(name) for name in (LEAF, SECOND)},
        ),
        "EOS by port": ("Arista", {f"{name}:run.cfg": eos_interfaces(name) for name in (LEAF, SECOND, SPINE)}),
        "NX-OS and Junos": ("mixed", {"spine.cfg": nxos_full(), "leaf.set": junos_patterns()}),
        "host, RoCE": (
            "two tiers",
            {
                f"{HOST}:lspci.txt": lspci_all(),
                f"{HOST}:mlxconfig.txt": mlxconfig_all("ETH(2)"),
                f"{HOST}:nccl.log": LOG.format(used=used),
                f"{HOST}:sysctl.txt": SYSCTL_ALL,
                f"{HOST}:cmdline.txt": CMDLINE,
                f"{HOST}:ulimit.txt": ULIMIT,
                f"{HOST}:limits.conf": LIMITS,
                f"{HOST}:qos.txt": mlnx_qos(100),
                f"{HOST}:devinfo.txt": ibv_devinfo() + "\t\tport:\t2\n\t\t\tstate:\t\t\tPORT_DOWN (1)\n",
            },
        ),
        "host, InfiniBand": (
            "SHARP",
            {
                f"{HOST}:lspci.txt": lspci_all(),
                f"{HOST}:mlxconfig.txt": mlxconfig_all("IB(1)"),
                f"{HOST}:ibstat.txt": ibstat_all(),
                "nccl.env": nccl("export NCCL_COLLNET_ENABLE=1", "export NCCL_IB_SL=0", ethernet=False),
            },
        ),
        "subnet managers": (
            "SHARP",
            {
                "ufm-1:opensm.conf": OPENSM_DUMP.format(priority=14),
                "ufm-2:opensm.conf": OPENSM_DUMP.format(priority=3),
                "ufm-1:gv.cfg": UFM,
                "ufm-1:partitions.conf": partitions(),
                f"{HOST}:ibstat.txt": ibstat_guids(),
            },
        ),
    }
