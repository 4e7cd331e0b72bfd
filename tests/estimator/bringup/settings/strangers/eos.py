"""Arista EOS as ``show running-config`` and templates have it: tabs, ranges, upper case, defaults left out."""

from estimator.bringup.plan.systems import EOS
from tests.estimator.bringup.settings.clean import LEAF, SPINE, switch
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "Arista"


def guide(name: str) -> str:
    """After the vendor's deployment guide: one profile a role, thresholds in MB, comments between."""
    one = switch(DESIGN, name, EOS)
    head = f"""\
{name}#show running-config
! Command: show running-config
! device: {name} (DCS-7060X6-64PE-B, EOS-4.34.0F)
!
! boot system flash:/EOS-4.34.0F.swi
!
agent PowerManager shutdown
!
service routing protocols model multi-agent
!
hostname {name}
ip name-server vrf MGMT 10.0.0.53
dns domain dc1.example.net
!
ip hardware fib load-balance distribution dynamic flowset-size 256 inactivity 128
!
ntp authentication-key 1 sha1 7 SEEDEDNTP
snmp-server community SEEDEDSNMP ro
snmp-server user ops grp v3 auth sha SEEDEDAUTH priv aes SEEDEDPRIV
tacacs-server host 10.250.0.7 vrf MGMT key 7 SEEDEDTAC
username admin privilege 15 role network-admin secret sha512 $6$SEEDEDHASH
!
qos map dscp 24 to 31 to traffic-class 3
qos map dscp 48 to traffic-class 6
qos map traffic-class 3 to uc-tx-queue 3
qos map traffic-class 6 to uc-tx-queue 6
!
vlan 10
!
qos profile QOS-ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   tx-queue 3
      bandwidth percent 60
      random-detect ecn minimum-threshold 2 mbytes maximum-threshold 4 mbytes max-mark-probability 100 weight 0
      random-detect ecn count
   !
   tx-queue 6
      priority strict
   !
   tx-queue 0
      no priority
      bandwidth percent 30
!
""".splitlines()
    lines = [*head]
    for port in one.interfaces:
        lines += [f"interface {port.name}", f"   description {port.peer}_{port.peer_port}", "   mtu 9214"]
        lines += ["   speed 400g-4", "   no switchport"]
        lines += [f"   ip address {port.address}"] if port.address else ["   ipv6 enable"]
        lines += ["   service-profile QOS-ROCE", "!"]
    lines += [
        "interface Ethernet65",
        "   shutdown",
        "!",
        "interface Loopback0",
        f"   ip address {one.loopback}/32",
        "!",
    ]
    lines += [f"router bgp {one.asn}", f"   router-id {one.loopback}", "   neighbor UNDERLAY peer group"]
    lines += [
        "   neighbor UNDERLAY password 7 SEEDEDBGP",
        "!",
        "management api http-commands",
        "   no shutdown",
        "!",
        "end",
        "",
    ]
    return "\n".join(lines)


def ranges(name: str) -> str:
    """A template as it is kept in git: ranges of ports, two blanks, everything on the port."""
    one = switch(DESIGN, name, EOS)
    cages = sorted({int(port.name.removeprefix("Ethernet").partition("/")[0]) for port in one.interfaces})
    spans = ",".join(f"{cage}/1,{cage}/5" for cage in cages)
    lines = [
        f"hostname {name}",
        "! quality of service",
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp cs6 to traffic-class 7",
        "load-balance policies",
        "ip hardware fib load-balance distribution dynamic",
        "priority-flow-control pause watchdog default timeout 0.1",
        "qos profile R",
        "  qos trust dscp",
        "  priority-flow-control on",
        "  priority-flow-control priority 3 no-drop",
        "  uc-tx-queue 3",
        "    random-detect ecn minimum-threshold 500 kbytes maximum-threshold 2500 kbytes max-mark-probability 10",
        "  uc-tx-queue 7",
        "    priority strict",
        f"interface Ethernet{spans}",
        "  no switchport",
        "  mtu 9214",
        "  service-profile R",
    ]
    for port in one.interfaces:
        lines += [f"interface {port.name}", f"  ip address {port.address}"] if port.address else []
    return "\n".join(lines) + "\n"


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "EOS, after the guide": (DESIGN, {"leaf.txt": guide(LEAF), "spine.txt": guide(SPINE)}),
        "EOS, a template": (DESIGN, {"leaf.cfg": ranges(LEAF), "spine.cfg": ranges(SPINE)}),
        "EOS, one leaf": (DESIGN, {"running-config": guide(LEAF).replace("\n", "\r\n")}),
    }


G, T, L = "EOS, after the guide", "EOS, a template", "EOS, one leaf"
SEEDS = [
    Seed(
        "data_dscp_lossy", G, "leaf.txt", LEAF, "dscp 24 to 31 to traffic-class 3", "dscp 24 to 31 to traffic-class 1"
    ),
    Seed(
        "data_dscp_lossy",
        G,
        "leaf.txt",
        LEAF,
        "qos map dscp 48",
        "qos map dscp 26 to traffic-class 0\nqos map dscp 48",
        at="qos map dscp 26",
    ),
    Seed("cnp_lossless", G, "leaf.txt", LEAF, "dscp 48 to traffic-class 6", "dscp 48 to traffic-class 3"),
    Seed("trust_not_dscp", G, "leaf.txt", LEAF, "   qos trust dscp\n", "   no qos trust\n"),
    Seed(
        "trust_not_dscp",
        G,
        "leaf.txt",
        LEAF,
        "   no switchport\n",
        "   no switchport\n   qos trust cos\n",
        after="interface Ethernet2/1",
        at="qos trust cos",
    ),
    Seed("pfc_one_side", G, "leaf.txt", LEAF, "   priority-flow-control on\n", "", at="qos profile"),
    Seed("pfc_one_side", G, "leaf.txt", LEAF, "priority 3 no-drop", "priority 4 no-drop"),
    Seed(
        "pfc_one_side",
        G,
        "leaf.txt",
        LEAF,
        "   service-profile QOS-ROCE\n",
        "",
        after="interface Ethernet63/1",
        at="interface Ethernet63/1",
    ),
    Seed("ecn_off", G, "leaf.txt", LEAF, "      random-detect ecn minimum[^\n]*\n", "", at="qos profile"),
    Seed("ecn_swapped", G, "leaf.txt", LEAF, "minimum-threshold 2 mbytes", "minimum-threshold 8000 kbytes"),
    Seed(
        "ecn_far",
        G,
        "leaf.txt",
        LEAF,
        "minimum-threshold 2 mbytes maximum-threshold 4 mbytes",
        "minimum-threshold 2 kbytes maximum-threshold 4 kbytes",
    ),
    Seed("cnp_not_strict", G, "leaf.txt", LEAF, "      priority strict", "      no priority"),
    Seed(
        "pfc_watchdog_off",
        G,
        "leaf.txt",
        LEAF,
        "   priority-flow-control pause watchdog\n",
        "",
        at="priority-flow-control priority 3",
    ),
    Seed("adaptive_routing_off", G, "leaf.txt", LEAF, "ip hardware fib load-balance[^\n]*\n", "", at="leaf-r1-001#"),
    Seed(
        "adaptive_routing_off", L, "running-config", LEAF, "ip hardware fib load-balance[^\n]*\n", "", at="leaf-r1-001#"
    ),
    Seed(
        "mtu_small",
        G,
        "spine.txt",
        SPINE,
        "   mtu 9214\n",
        "",
        after="interface Ethernet3/5",
        at="interface Ethernet3/5",
    ),
    Seed("port_rate_low", G, "leaf.txt", LEAF, "speed 400g-4", "speed 100g-1", after="interface Ethernet4/1"),
    Seed(
        "link_down",
        G,
        "leaf.txt",
        LEAF,
        "   mtu 9214",
        "   shutdown\n   mtu 9214",
        after="interface Ethernet2/5",
        at="   shutdown",
    ),
    Seed(
        "global_pause_on",
        G,
        "leaf.txt",
        LEAF,
        "   mtu 9214",
        "   flowcontrol send on\n   mtu 9214",
        after="interface Ethernet2/5",
        at="   flowcontrol",
    ),
    Seed("ets_weight_zero", G, "leaf.txt", LEAF, "bandwidth percent 60", "bandwidth percent 0"),
    Seed("queue_shared", G, "leaf.txt", LEAF, "traffic-class 3 to uc-tx-queue 3", "traffic-class 3 to uc-tx-queue 0"),
    Seed("lldp_off", G, "leaf.txt", LEAF, "vlan 10", "no lldp run\nvlan 10"),
    Seed("asn_doubled", G, "leaf.txt", LEAF, r"router bgp \d+", "router bgp 4210000002"),
    Seed("mtu_small", T, "leaf.cfg", LEAF, "  mtu 9214", "  mtu 1500"),
    Seed("pfc_one_side", T, "leaf.cfg", LEAF, "  priority-flow-control on", "  no priority-flow-control"),
    Seed("rail_subnet_doubled", T, "leaf.cfg", LEAF, r"10\.128\.0\.16/31", "10.128.0.0/31"),
    Seed("pfc_watchdog_off", T, "leaf.cfg", LEAF, "watchdog default timeout 0.1", "watchdog default timeout 0"),
]
