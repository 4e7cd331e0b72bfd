"""Cisco NX-OS: templates with ranges of ports, policies on the system, headroom by queue."""

from estimator.bringup.plan.systems import NXOS
from tests.estimator.bringup.settings.clean import SPINE, switch
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "mixed"
QOS = """\
hardware access-list tcam region ing-racl 0
hardware profile dlb
  mode flowlet
feature bgp
feature lldp
feature telemetry
snmp-server user admin network-admin auth md5 0xSEEDEDAUTH priv 0xSEEDEDPRIV localizedkey
snmp-server community SEEDEDSNMP group network-operator
tacacs-server host 10.250.0.7 key 7 "SEEDEDTAC"
username admin password 5 $5$SEEDEDHASH  role network-admin
priority-flow-control watch-dog-interval on
class-map type qos match-any ROCEv2
  match dscp 24,26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos QOS_CLASSIFICATION
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type network-qos qos_network
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing custom-8q-out-policy
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q6
    bandwidth remaining percent 0
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
system qos
  service-policy type network-qos qos_network
  service-policy type queuing output custom-8q-out-policy
"""


def running(name: str) -> str:
    """``show running-config`` with a header, ports one by one."""
    one = switch(DESIGN, name, NXOS)
    out = ["!Command: show running-config", "!Running configuration last done at: Tue Mar  3 09:11:02 2026", ""]
    out += ["version 10.5(2) Bios:version 01.17", f"switchname {name}", *QOS.splitlines()]
    for port in one.interfaces:
        out += ["", f"interface {port.name}", f"  description {port.peer}", "  priority-flow-control mode on"]
        out += ["  no switchport", "  mtu 9216", "  service-policy type qos input QOS_CLASSIFICATION", "  no shutdown"]
    out += [
        "",
        "interface mgmt0",
        "  ip address 10.250.0.8/24",
        "interface loopback0",
        f"  ip address {one.loopback}/32",
    ]
    out += [
        f"router bgp {one.asn}",
        f"  router-id {one.loopback}",
        "  neighbor 10.0.0.1",
        "    password 3 SEEDEDBGP",
        "line vty",
        "",
    ]
    return "\n".join(out)


def template(name: str) -> str:
    """As automation writes it: ranges, one blank of indentation, the classifying policy on the system."""
    one = switch(DESIGN, name, NXOS)
    last = one.interfaces[-1].name.split("/")[1]
    text = QOS.replace("  ", " ").replace(
        "system qos\n", "system qos\n service-policy type qos input QOS_CLASSIFICATION\n"
    )
    body = " no switchport\n mtu 9216\n priority-flow-control mode on\n no shutdown\n"
    spans = [f"Ethernet1/{cage}/1-2" for cage in range(1, int(last) + 1)]
    ports = "".join(f"interface {', '.join(spans[at : at + 8])}\n{body}" for at in range(0, len(spans), 8))
    return f"hostname {name}\n{text}{ports}"


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "NX-OS, running": (DESIGN, {"spine.txt": running(SPINE)}),
        "NX-OS, a template": (DESIGN, {"n9k.cfg": template(SPINE)}),
    }


R, T = "NX-OS, running", "NX-OS, a template"
SEEDS = [
    Seed("pfc_off", R, "spine.txt", SPINE, "    pause pfc-cos 3\n", "", at="policy-map type network-qos"),
    Seed("pfc_off", R, "spine.txt", SPINE, "pause pfc-cos 3", "pause pfc-cos 4", at="pause pfc-cos 4"),
    Seed(
        "pfc_off",
        R,
        "spine.txt",
        SPINE,
        "  service-policy type network-qos qos_network\n",
        "",
        at="policy-map type network-qos",
    ),
    Seed("pfc_off", R, "spine.txt", SPINE, "mode on", "mode auto", after="interface Ethernet1/2/2"),
    Seed(
        "mtu_small",
        R,
        "spine.txt",
        SPINE,
        "    pause pfc-cos 3\n    mtu 9216\n",
        "    pause pfc-cos 3\n    mtu 1500\n",
        at="    mtu 1500",
    ),
    Seed(
        "mtu_small",
        R,
        "spine.txt",
        SPINE,
        "  mtu 9216\n",
        "",
        after="interface Ethernet1/4/1",
        at="interface Ethernet1/4/1",
    ),
    Seed("data_dscp_lossy", R, "spine.txt", SPINE, "match dscp 24,26", "match dscp 24,27", at="policy-map type qos"),
    Seed("data_dscp_lossy", R, "spine.txt", SPINE, "match dscp 24,26", "match dscp 0x18", at="policy-map type qos"),
    Seed("cnp_lossless", R, "spine.txt", SPINE, "match dscp 24,26", "match dscp 24,26,48", at="set qos-group 3"),
    Seed("cnp_not_strict", R, "spine.txt", SPINE, "    priority level 1", "    bandwidth remaining percent 10"),
    Seed("ecn_off", R, "spine.txt", SPINE, " weight 0 ecn", "", at="    random-detect"),
    Seed("ecn_off", R, "spine.txt", SPINE, "    random-detect[^\n]*\n", "", at="  class type queuing c-out-8q-q3"),
    Seed("ecn_swapped", R, "spine.txt", SPINE, "minimum-threshold 950 kbytes", "minimum-threshold 9 mbytes"),
    Seed("ets_weight_zero", R, "spine.txt", SPINE, "remaining percent 60", "remaining percent 0"),
    Seed(
        "trust_not_dscp",
        R,
        "spine.txt",
        SPINE,
        "  service-policy type qos input QOS_CLASSIFICATION\n",
        "",
        after="interface Ethernet1/5/1",
        at="interface Ethernet1/5/1",
    ),
    Seed(
        "pfc_watchdog_off",
        R,
        "spine.txt",
        SPINE,
        "priority-flow-control watch-dog-interval on\n",
        "",
        at="pause pfc-cos 3",
    ),
    Seed("pfc_watchdog_off", R, "spine.txt", SPINE, "watch-dog-interval on", "watch-dog-interval off"),
    Seed("adaptive_routing_off", R, "spine.txt", SPINE, "hardware profile dlb\n  mode flowlet\n", "", at="!Command"),
    Seed("lldp_off", R, "spine.txt", SPINE, "feature lldp\n", "", at="!Command"),
    Seed(
        "global_pause_on",
        R,
        "spine.txt",
        SPINE,
        "  mtu 9216\n",
        "  mtu 9216\n  flowcontrol receive on\n",
        after="interface Ethernet1/6/1",
        at="flowcontrol",
    ),
    Seed("link_down", R, "spine.txt", SPINE, "  no shutdown", "  shutdown", after="interface Ethernet1/6/1"),
    Seed("mtu_small", T, "n9k.cfg", SPINE, " mtu 9216\n priority", " mtu 1500\n priority"),
    Seed("pfc_off", T, "n9k.cfg", SPINE, "flow-control mode on", "flow-control mode off"),
]
