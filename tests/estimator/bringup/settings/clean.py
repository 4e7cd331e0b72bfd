"""Clean sets: what devices of a design print when they are set as planned, written after the vendors' documents.

Nothing here is taken from the program's own files: formats are those of NVUE's, SONiC's, EOS', NX-OS' and Junos' configurations
and of mlnx_qos, ibv_devinfo, ibstat, mlxconfig, show_gids, sysctl, lspci, NCCL, OpenSM and the network operators.
"""

import json
from collections.abc import Callable
from functools import cache
from math import ceil

from estimator.bringup.plan.addressing import host_link
from estimator.bringup.plan.plan import Interface, SwitchPlan
from estimator.bringup.plan.systems import EOS, JUNOS, NVUE, NXOS, SONIC, System
from estimator.fabric.devices import NODE
from tests.estimator.bringup.plans import DESIGNS, plan_named

Files = dict[str, str]
NICS = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]


def switch(design: str, name: str, system: System) -> SwitchPlan:
    """A switch of a design: its ports, cables and addresses."""
    plan = plan_named(design)
    device = next(one for one in plan.wired.switches if plan.wired.name(one) == name)
    return next(plan.switches(system, [device]))


def longest(ports: tuple[Interface, ...]) -> int:
    return ceil(max(port.cable_m for port in ports))


def nvue_tree(one: SwitchPlan) -> list[dict]:
    ports = {
        port.name: {
            "type": "swp",
            "link": {"mtu": 9216, "speed": "400G", "state": {"up": {}}},
            "qos": {"pfc-watchdog": {"state": "enable"}},
            **({"ip": {"address": {port.address: {}}}} if port.address else {}),
            **({} if port.is_to_node else {"router": {"adaptive-routing": {"enable": "on"}}}),
        }
        for port in one.interfaces
    }
    qos = {
        "roce": {"enable": "on", "mode": "lossless", "cable-length": longest(one.interfaces)},
        "mapping": {
            "default-global": {
                "trust": "l3",
                "dscp": {"26": {"switch-priority": {"3": {}}}, "48": {"switch-priority": {"6": {}}}},
            }
        },
        "egress-scheduler": {
            "default-global": {"traffic-class": {"3": {"mode": "dwrr", "bw-percent": 50}, "6": {"mode": "strict"}}}
        },
        "congestion-control": {
            "default-global": {
                "traffic-class": {
                    "3": {"ecn": "enabled", "min-threshold": 150000, "max-threshold": 1501500, "probability": 100}
                }
            }
        },
    }
    user = {"admin": {"hashed-password": "$6$rounds$SEEDEDHASHVALUE", "role": "system-admin"}}
    return [
        {"header": {"model": "SN5600", "nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.13.1"}},
        {
            "set": {
                "interface": {"eth0": {"type": "eth"}, **ports},
                "qos": qos,
                "router": {"adaptive-routing": {"enable": "on"}},
                "system": {"hostname": one.name, "aaa": {"user": user}},
            }
        },
    ]


def nvue(design: str, name: str) -> str:
    return json.dumps(nvue_tree(switch(design, name, NVUE)), indent=2)


def as_yaml(value: object, indent: int = 0) -> str:
    """JSON of strings, numbers and objects as the YAML that NVUE prints."""
    pad, out = "  " * indent, []
    if isinstance(value, list):
        for item in value:
            body = as_yaml(item, indent + 1)
            out.append(pad + "- " + body[len(pad) + 2 :])
        return "".join(out)
    assert isinstance(value, dict)
    for key, item in value.items():
        shown = f"'{key}'" if key[:1].isdecimal() else key
        if isinstance(item, dict | list) and item:
            out.append(f"{pad}{shown}:\n{as_yaml(item, indent + 1)}")
        else:
            out.append(f"{pad}{shown}: {'{}' if item == {} else item}\n")
    return "".join(out)


def sonic(design: str, name: str) -> str:
    one = switch(design, name, SONIC)
    ports = [port.name for port in one.interfaces]
    lengths = {port.name: f"{ceil(port.cable_m)}m" for port in one.interfaces}
    maps = {
        "dscp_to_tc_map": "ROCE",
        "tc_to_queue_map": "ROCE",
        "tc_to_pg_map": "ROCE",
        "pfc_enable": "3",
        "pfcwd_sw_enable": "3",
    }
    need = max(group.headroom.xoff_bytes or 0 for group in one.groups)
    tree = {
        "DEVICE_METADATA": {"localhost": {"hostname": one.name, "hwsku": "Mellanox-SN5600-V256"}},
        "PORT": {port: {"admin_status": "up", "mtu": "9216", "speed": "400000", "lanes": "1,2,3,4"} for port in ports},
        "CABLE_LENGTH": {"AZURE": lengths},
        "INTERFACE": {f"{port.name}|{port.address}": {} for port in one.interfaces if port.address},
        "DSCP_TO_TC_MAP": {"ROCE": {str(dscp): {26: "3", 48: "6"}.get(dscp, "0") for dscp in range(64)}},
        "TC_TO_QUEUE_MAP": {"ROCE": {str(tc): str(tc) for tc in range(8)}},
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {str(tc): "3" if tc == 3 else "0" for tc in range(8)}},
        "PORT_QOS_MAP": dict.fromkeys(ports, maps),
        "SCHEDULER": {"DATA": {"type": "DWRR", "weight": "50"}, "CNP": {"type": "STRICT"}},
        "WRED_PROFILE": {
            "ROCE": {
                "ecn": "ecn_all",
                "green_min_threshold": "166912",
                "green_max_threshold": "282624",
                "green_drop_probability": "5",
            }
        },
        "QUEUE": {
            key: row
            for port in ports
            for key, row in (
                (f"{port}|3", {"scheduler": "DATA", "wred_profile": "ROCE"}),
                (f"{port}|6", {"scheduler": "CNP"}),
            )
        },
        "BUFFER_PROFILE": {
            "pg_lossless_profile": {
                "pool": "ingress_lossless_pool",
                "size": str(need + 19456),
                "xon": "19456",
                "xoff": str(need),
            }
        },
        "BUFFER_PG": {f"{port}|3": {"profile": "pg_lossless_profile"} for port in ports},
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "100"},
            **{port: {"action": "drop", "detection_time": "200", "restoration_time": "400"} for port in ports},
        },
        "TACPLUS": {"global": {"passkey": "SEEDEDTACACSKEY", "auth_type": "login"}},
        "SNMP_COMMUNITY": {"SEEDEDCOMMUNITY": {"TYPE": "RO"}},
    }
    return json.dumps(tree, indent=4)


def eos(design: str, name: str) -> str:
    one = switch(design, name, EOS)
    lines = [
        f"! device: {one.name} (DCS-7060X6-64PE-F, EOS-4.33.1F)",
        "!",
        f"hostname {one.name}",
        "username admin privilege 15 role network-admin secret sha512 $6$SEEDEDHASHVALUE",
        "snmp-server community SEEDEDCOMMUNITY ro",
        "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 3",
        "qos map dscp 48 to traffic-class 7",
        "!",
        "qos profile RDMA",
        "   qos trust dscp",
        "   priority-flow-control on",
        "   priority-flow-control priority 3 no-drop",
        "   priority-flow-control pause watchdog",
        "   !",
        "   uc-tx-queue 3",
        "      random-detect ecn minimum-threshold 500 kbytes maximum-threshold 2500 kbytes max-mark-probability 20",
        "   !",
        "   uc-tx-queue 7",
        "      priority strict",
        "!",
        "ip hardware fib load-balance distribution dynamic",
        "!",
    ]
    for port in one.interfaces:
        lines += [f"interface {port.name}", "   mtu 9214", "   speed forced 400gfull", "   no switchport"]
        lines += [f"   ip address {port.address}"] if port.address else []
        lines += ["   service-profile RDMA", "!"]
    return "\n".join(lines) + "\n"


def nxos(design: str, name: str) -> str:
    one = switch(design, name, NXOS)
    lines = [
        "!Command: show running-config",
        f"hostname {one.name}",
        "feature bgp",
        "username admin password 5 $5$SEEDEDHASHVALUE role network-admin",
        "class-map type qos match-any ROCE",
        "  match dscp 24-31",
        "class-map type qos match-any CNP",
        "  match dscp 48",
        "policy-map type qos IN",
        "  class ROCE",
        "    set qos-group 3",
        "  class CNP",
        "    set qos-group 7",
        "  class class-default",
        "    set qos-group 0",
        "policy-map type network-qos NET",
        "  class type network-qos c-8q-nq3",
        "    mtu 9216",
        "    pause pfc-cos 3",
        "policy-map type queuing OUT",
        "  class type queuing c-out-8q-q3",
        "    bandwidth remaining percent 50",
        "    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn",
        "  class type queuing c-out-8q-q7",
        "    priority level 1",
        "system qos",
        "  service-policy type queuing output OUT",
        "  service-policy type network-qos NET",
        "hardware profile dlb",
        "  mode flowlet",
        "",
    ]
    for port in one.interfaces:
        lines += [f"interface {port.name}", "  mtu 9216", "  speed 400000", "  priority-flow-control mode on"]
        lines += [
            "  priority-flow-control watch-dog-interval on",
            "  service-policy type qos input IN",
            "  no shutdown",
            "",
        ]
    return "\n".join(lines) + "\n"


def junos_set(design: str, name: str) -> str:
    one = switch(design, name, JUNOS)
    cos, length = "set class-of-service", longest(one.interfaces)
    lines = [
        f"set system host-name {one.name}",
        'set system root-authentication encrypted-password "$6$SEEDEDHASHVALUE"',
        "set snmp community SEEDEDCOMMUNITY authorization read-only",
        "set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval 256",
        f"{cos} classifiers dscp RDMA forwarding-class CNP loss-priority low code-points 110000",
        f"{cos} classifiers dscp RDMA forwarding-class NO-LOSS loss-priority low code-points 011010",
        f"{cos} drop-profiles MARK interpolate fill-level 55",
        f"{cos} drop-profiles MARK interpolate fill-level 90",
        f"{cos} forwarding-classes class CNP queue-num 3",
        f"{cos} forwarding-classes class NO-LOSS queue-num 4",
        f"{cos} forwarding-classes class NO-LOSS no-loss",
        f"{cos} forwarding-classes class NO-LOSS pfc-priority 3",
        f"{cos} congestion-notification-profile PFC input cable-length {length}",
        f"{cos} congestion-notification-profile PFC input dscp code-point 011010 pfc",
        f"{cos} congestion-notification-profile PFC pfc-watchdog detection 2",
        f"{cos} scheduler-maps MAP forwarding-class CNP scheduler CNP-S",
        f"{cos} scheduler-maps MAP forwarding-class NO-LOSS scheduler NO-LOSS-S",
        f"{cos} schedulers CNP-S priority strict-high",
        f"{cos} schedulers NO-LOSS-S drop-profile-map loss-priority any protocol any drop-profile MARK",
        f"{cos} schedulers NO-LOSS-S explicit-congestion-notification",
    ]
    for port in one.interfaces:
        lines += [f"set interfaces {port.name} mtu 9216"]
        lines += [f"set interfaces {port.name} unit 0 family inet address {port.address}"] if port.address else []
        lines += [f"{cos} interfaces {port.name} congestion-notification-profile PFC"]
        lines += [f"{cos} interfaces {port.name} unit 0 classifiers dscp RDMA"]
    return "\n".join(lines) + "\n"


def junos_braces(design: str, name: str) -> str:
    """The same in braces."""
    tree: dict = {}
    for line in junos_set(design, name).splitlines():
        at = tree
        for word in line.split()[1:]:
            at = at.setdefault(word, {})
    return _braces(tree, 0)


_WITH_NAME = {
    "class",
    "classifiers",
    "forwarding-class",
    "loss-priority",
    "unit",
    "family",
    "congestion-notification-profile",
    "scheduler-maps",
    "schedulers",
    "drop-profiles",
    "dscp",
    "community",
}


def _braces(tree: dict, depth: int) -> str:
    pad, out = "    " * depth, []
    for word, below in tree.items():
        if (
            word in _WITH_NAME
            and below
            and depth
            and not (word == "congestion-notification-profile" and not any(below.values()))
        ):
            for name, inner in below.items():
                out.append(
                    f"{pad}{word} {name} {{\n{_braces(inner, depth + 1)}{pad}}}\n"
                    if inner
                    else f"{pad}{word} {name};\n"
                )
            continue
        chain, at = [word], below
        while len(at) == 1 and depth:
            ((name, at),) = at.items()
            chain.append(name)
        out.append(
            f"{pad}{' '.join(chain)} {{\n{_braces(at, depth + 1)}{pad}}}\n" if at else f"{pad}{' '.join(chain)};\n"
        )
    return "".join(out)


def mlnx_qos(cable_m: int = 50) -> str:
    out = []
    for number in range(2):
        out += [
            f"# mlnx_qos -i eth{number}",
            "DCBX mode: OS controlled",
            "Priority trust state: dscp",
            "dscp2prio mapping:",
        ]
        for priority in range(8):
            dscps = ",".join(f"{dscp:02d}" for dscp in reversed(range(priority * 8, priority * 8 + 8)))
            out.append(f"\tprio:{priority} dscp:{dscps},")
        out += ["default priority:", "Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,", f"Cable len: {cable_m}"]
        out += [
            "PFC configuration:",
            "\tpriority    0   1   2   3   4   5   6   7",
            "\tenabled     0   0   0   1   0   0   0   0   ",
        ]
        out += ["\tbuffer      0   0   0   1   0   0   0   0   "]
        for tc, how in ((0, "ets, bw: 50%"), (3, "ets, bw: 50%"), (6, "strict")):
            out += [f"tc: {tc} ratelimit: unlimited, tsa: {how}"]
            out += [f"\t priority:  {one}" for one in range(8) if one == tc or (tc == 0 and one not in (3, 6))]
    return "\n".join(out) + "\nPause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n"


def ibv_devinfo(layer: str = "Ethernet") -> str:
    return "\n".join(
        f"hca_id:\t{nic}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.43.1014\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"
        f"\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 (5)\n"
        f"\t\t\tlink_layer:\t\t{layer}\n\t\t\tactive_width:\t\t4X (2)\n\t\t\tactive_speed:\t\t100.0 Gbps (128)\n"
        for nic in NICS
    ).replace(" Gbps", "")


def ibstat() -> str:
    return "".join(
        f"CA '{nic}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
        f"\t\tRate: 400\n\t\tBase lid: 12\n\t\tLink layer: InfiniBand\n"
        for nic in NICS
    )


def mlxconfig(link: str = "ETH(2)") -> str:
    rows = {
        "LINK_TYPE_P1": link,
        "ROCE_CC_PRIO_MASK_P1": "255",
        "CNP_DSCP_P1": "48",
        "CNP_802P_PRIO_P1": "6",
        "ATS_ENABLED": "False(0)",
        "ADVANCED_PCI_SETTINGS": "True(1)",
        "PCI_WR_ORDERING": "force_relax(1)",
    }
    head = "\nDevice #1:\n----------\n\nDevice type:        ConnectX7\nName:               MCX75310AAS-NEA_Ax\n"
    head += "Device:             0000:18:00.0\n\nConfigurations:                                     Next Boot\n"
    return head + "".join(f"        {name:<44}{value}\n" for name, value in rows.items())


def gids(design: str, node: str) -> str:
    plan = plan_named(design)
    device = next(one for one in plan.wired.nodes if plan.wired.name(one) == node)
    labels = plan.links.labels[NODE]
    out = [
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV",
        "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---",
    ]
    for number, port in enumerate(plan.wired.ports(device)):
        nic, address = labels.port(port.port), host_link(port.link).host.partition("/")[0]
        a, b, c, d = map(int, address.split("."))
        local, mapped = (
            f"fe80:0000:0000:0000:5e25:73ff:fe00:{number:04x}",
            f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}",
        )
        out += [f"{nic}\t1\t0\t{local}\t\t\tv1\teth{number}", f"{nic}\t1\t1\t{local}\t\t\tv2\teth{number}"]
        out += [
            f"{nic}\t1\t2\t{mapped}\t{address}  \tv1\teth{number}",
            f"{nic}\t1\t3\t{mapped}\t{address}  \tv2\teth{number}",
        ]
    return "\n".join([*out, f"n_gids_found={4 * len(NICS)}", ""])


SYSCTL = """\
fs.aio-nr = 0
kernel.numa_balancing = 0
net.ipv4.conf.all.arp_announce = 1
net.ipv4.conf.all.arp_ignore = 2
vm.swappiness = 60
"""
LSPCI = """\
15:01.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)
\tCapabilities: [148 v1] Access Control Services
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-
18:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-
\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes
\tCapabilities: [1c0 v1] Address Translation Service (ATS)
\t\tATSCtl:\tEnable-, Smallest Translation Unit: 00
"""


def nccl(*more: str, ethernet: bool = True) -> str:
    roce = ["export NCCL_IB_TC=106", "export NCCL_IB_GID_INDEX=3"] if ethernet else []
    return "\n".join(
        [
            f"export NCCL_IB_HCA={','.join(NICS)}",
            *roce,
            "export NCCL_IB_QPS_PER_CONNECTION=4",
            "export HF_TOKEN=hf_SEEDEDTOKEN",
            *more,
            "",
        ]
    )


def nccl_log() -> str:
    host = "node-0001:4242:4242 [0] NCCL INFO"
    used = " ".join(f"[{number}]{nic}:1/RoCE" for number, nic in enumerate(NICS))
    lines = [
        f"{host} NCCL_IB_TC set by environment to 106.",
        f"{host} NCCL_IB_GID_INDEX set by environment to 3.",
        f"{host} NET/IB : Using {used} [RO]; OOB eth0:10.0.0.1<0>",
    ]
    lines += [f"{host} NET/IB : GPU Direct RDMA Enabled for HCA {number} '{nic}'" for number, nic in enumerate(NICS)]
    return "\n".join([*lines, f"{host} Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA", ""])


NIC_POLICY = """\
apiVersion: configuration.net.nvidia.com/v1alpha1
kind: NicConfigurationTemplate
metadata:
  name: roce
  namespace: nvidia-network-operator
spec:
  nicSelector:
    nicType: "1021"
  template:
    numVfs: 0
    linkType: Ethernet
    pciPerformanceOptimized:
      enabled: true
      maxReadRequest: 4096
    roceOptimized:
      enabled: true
      qos:
        trust: dscp
        pfc: "0,0,0,1,0,0,0,0"
        tos: 0
    gpuDirectOptimized:
      enabled: true
      env: Baremetal
    rawNvConfig:
      - name: ATS_ENABLED
        value: "0"
      - name: CNP_DSCP_P1
        value: "48"
---
apiVersion: nv-ipam.nvidia.com/v1alpha1
kind: IPPool
metadata:
  name: rail-1
spec:
  subnet: 192.168.1.0/24
  perNodeBlockSize: 8
---
apiVersion: nv-ipam.nvidia.com/v1alpha1
kind: IPPool
metadata:
  name: rail-2
spec:
  subnet: 192.168.2.0/24
  perNodeBlockSize: 8
---
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata:
  name: rail-1
spec:
  mtu: 9000
  resourceName: rail1
"""
OPENSM = """\
# guid 0x0000000000000000
m_key 0x00deadbeefseeded
max_op_vls 2
sm_priority 14
sweep_interval 10
routing_engine ar_updn,updn
sharp_enabled 2
qos TRUE
"""
DESIGN_OF_SHARP = {**DESIGNS["InfiniBand"], "workload": {"in_network_reduction": True}}
Set = tuple[str, Callable[[], Files]]
LEAF, SPINE = "leaf-r1-001", "spine-001"
HOST = "node-0001"


def _hosts(design: str) -> Files:
    return {
        f"{HOST}:mlnx_qos.txt": mlnx_qos(),
        f"{HOST}:devinfo.txt": ibv_devinfo(),
        f"{HOST}:mlxconfig.txt": mlxconfig(),
        f"{HOST}:gids.txt": gids(design, HOST),
        f"{HOST}:sysctl.txt": SYSCTL,
        f"{HOST}:lspci.txt": LSPCI,
        "nccl.env": nccl(),
    }


SETS: dict[str, Set] = {
    "Cumulus": (
        "two tiers",
        lambda: {
            f"{LEAF}:nv.json": nvue("two tiers", LEAF),
            f"{SPINE}:nv.json": nvue("two tiers", SPINE),
            **_hosts("two tiers"),
        },
    ),
    "Cumulus as YAML": ("two tiers", lambda: {"nv.yaml": as_yaml(nvue_tree(switch("two tiers", LEAF, NVUE)))}),
    "Cumulus, one tier": ("one tier", lambda: {"nv.json": nvue("one tier", "leaf-001"), "nccl.env": nccl()}),
    "SONiC": (
        "two tiers",
        lambda: {
            "config_db.json": sonic("two tiers", LEAF),
            "spine.json": sonic("two tiers", SPINE),
            "nccl.env": nccl(),
        },
    ),
    "SONiC, three tiers": ("three tiers", lambda: {"config_db.json": sonic("three tiers", "leaf-001")}),
    "Arista": (
        "Arista",
        lambda: {"leaf.cfg": eos("Arista", LEAF), "spine.cfg": eos("Arista", SPINE), f"{HOST}:qos.txt": mlnx_qos()},
    ),
    "mixed": (
        "mixed",
        lambda: {
            "leaf.set": junos_set("mixed", LEAF),
            "spine.cfg": nxos("mixed", SPINE),
            f"{HOST}:qos.txt": mlnx_qos(),
        },
    ),
    "Junos in braces": ("mixed", lambda: {"leaf.conf": junos_braces("mixed", LEAF)}),
    "InfiniBand": (
        "SHARP",
        lambda: {
            "opensm.conf": OPENSM,
            f"{HOST}:ibstat.txt": ibstat(),
            f"{HOST}:mlx.txt": mlxconfig("IB(1)"),
            "nccl.env": nccl("export NCCL_COLLNET_ENABLE=1", ethernet=False),
        },
    ),
    "Kubernetes": ("two tiers", lambda: {"nic.yaml": NIC_POLICY, f"{HOST}:nccl.log": nccl_log()}),
}


@cache
def clean(name: str) -> Files:
    """The files of a clean set by their names."""
    return SETS[name][1]()
