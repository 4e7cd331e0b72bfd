"""Forms of commands as the vendors' documents print them, restated: a line of a configuration has to be one of them.

No parser of these systems installs as a package, so a form stands for each command, with what may stand in its places.
"""

import re

WORD, NAME = r"[A-Za-z][A-Za-z0-9-]*", r"(?:(?:storage|converged|inband|oob)\d*-)?[a-z]+(?:-r\d+)?-\d+"
IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
NUMBER, PERCENT = r"\d+", r"(?:100|\d{1,2})"
TEXT = r"[a-z0-9-]+ [A-Za-z0-9_/:.-]+"
ASN = r"42\d{8}"
PRIORITY, DSCP = r"[0-7]", r"(?:[0-5]?\d|6[0-3])"
SWP, ETH, NX, JUNOS = (
    r"swp\d+(?:s\d)?",
    r"Ethernet\d+/\d+(?:/\d+)?",
    r"Ethernet1/\d+(?:/\d)?",
    r"et-\d+/\d+/\d+(?::\d)?",
)

# NVUE reference of NVIDIA: Set and Unset Commands, pages QoS, Adaptive Routing, BGP, Interface, System
NVUE = [
    rf"nv set system hostname {NAME}",
    rf"nv set interface lo ip address {IPV4}/32",
    r"nv set interface swp\d+ link breakout [248]x",
    rf'nv set interface {SWP} description "{TEXT}"',
    rf"nv set interface {SWP} link mtu {NUMBER}",
    rf"nv set interface {SWP} ip address {IPV4}/31",
    rf"nv set interface {SWP} qos pfc profile {WORD}",
    rf"nv set interface {SWP} qos pfc-watchdog state enable",
    rf"nv set interface {SWP} router adaptive-routing state enabled",
    rf"nv set router bgp autonomous-system {ASN}",
    rf"nv set router bgp router-id {IPV4}",
    r"nv set router bgp state enabled",
    r"nv set vrf default router bgp state enabled",
    rf"nv set vrf default router bgp neighbor {SWP} (?:remote-as external|type unnumbered)",
    r"nv set vrf default router bgp address-family ipv4-unicast redistribute connected state enabled",
    rf"nv set vrf default router bgp address-family ipv4-unicast multipaths ebgp {NUMBER}",
    r"nv set vrf default router bgp path-selection multipath aspath-ignore enabled",
    r"nv set qos roce state enabled",
    r"nv set qos roce mode (?:lossless|lossy)",
    rf"nv set qos roce cable-length {NUMBER}",
    rf"nv set bridge domain br_default vlan {NUMBER}",
    rf"nv set interface {SWP} bridge domain br_default access {NUMBER}",
    rf"nv set interface vlan{NUMBER} (?:type svi|vlan {NUMBER}|ip address {IPV4}/{NUMBER}|link mtu {NUMBER})",
    rf"nv set system forwarding packet-trim (?:state enabled|remark dscp {DSCP}|size {NUMBER}|switch-priority {PRIORITY})",
    rf"nv set interface {SWP} packet-trim egress-eligibility traffic-class {PRIORITY}",
    r"nv set qos mapping default-global trust both",
    rf"nv set qos mapping default-global dscp {DSCP} switch-priority {PRIORITY}",
    rf"nv set qos egress-queue-mapping default-global switch-priority {PRIORITY} traffic-class {PRIORITY}",
    rf"nv set qos egress-scheduler default-global traffic-class {PRIORITY} (?:mode (?:dwrr|strict)|bw-percent {PERCENT})",
    rf"nv set qos congestion-control default-global traffic-class {PRIORITY} ecn enabled",
    rf"nv set qos congestion-control default-global traffic-class {PRIORITY} (?:min|max)-threshold {NUMBER}",
    rf"nv set qos congestion-control default-global traffic-class {PRIORITY} probability {PERCENT}",
    rf"nv set qos pfc {WORD} (?:switch-priority {PRIORITY}|rx enable|tx enable|cable-length {NUMBER})",
    rf"nv set qos pfc-watchdog (?:polling-interval|robustness) {NUMBER}",
    r"nv set router adaptive-routing state enabled",
]

# Arista AVD, templates of eos_cli_config_gen: qos, qos-profiles, priority-flow-control, ethernet-interfaces, router-bgp
EOS = [
    rf"hostname {NAME}",
    r"service routing protocols model multi-agent",
    r"ip routing(?: ipv6 interfaces)?",
    r"ipv6 unicast-routing",
    r"lldp run",
    rf"qos map dscp {DSCP} to traffic-class {PRIORITY}",
    rf"qos map traffic-class {PRIORITY} to uc-tx-queue {PRIORITY}",
    r"priority-flow-control pause watchdog default (?:timeout|recovery-time) \d+(?:\.\d+)?",
    r"priority-flow-control pause watchdog action (?:drop|errdisable)",
    rf"qos profile {WORD}",
    r"   qos trust dscp",
    rf"   uc-tx-queue {PRIORITY}",
    r"      no priority",
    r"      priority strict",
    rf"      bandwidth percent {PERCENT}",
    rf"      random-detect ecn minimum-threshold {NUMBER} bytes maximum-threshold {NUMBER} bytes "
    rf"max-mark-probability {PERCENT} weight (?:1[0-5]|\d)",
    r"      random-detect ecn count",
    r"   priority-flow-control on",
    rf"   priority-flow-control priority {PRIORITY} no-drop",
    r"   priority-flow-control pause watchdog",
    rf"platform trident mmu queue profile {WORD}(?: apply)?",
    rf"   ingress headroom {NUMBER}",
    r"interface Loopback0",
    rf"(?:interface V|v)lan ?{NUMBER}",
    rf"   switchport access vlan {NUMBER}",
    rf"interface {ETH}",
    rf"   description {TEXT}",
    r"   no switchport",
    rf"   mtu {NUMBER}",
    r"   speed (?:100|200|400|800)g-[1248]",
    rf"   ip address {IPV4}/(?:3[12]|2[0-4])",
    r"   ipv6 enable",
    rf"   service-profile {WORD}",
    r"   no shutdown",
    rf"router bgp {ASN}",
    rf"   router-id {IPV4}",
    rf"   maximum-paths {NUMBER} ecmp {NUMBER}",
    r"   no bgp default ipv4-unicast",
    r"   bgp bestpath as-path multipath-relax",
    rf"   neighbor {WORD} peer group",
    rf"   neighbor interface {ETH} peer-group {WORD} remote-as {ASN}",
    r"   redistribute connected",
    r"   address-family ipv4",
    rf"      neighbor {WORD} activate",
    rf"      neighbor {WORD} next-hop address-family ipv6 originate",
    r"ip hardware fib load-balance distribution dynamic",
]

# Cisco Nexus 9000 NX-OS 10.5: QoS guide (classification, network QoS, queuing, PFC), unicast routing guide, DLB as genie has it
NXOS = [
    rf"hostname {NAME}",
    r"feature (?:bgp|lldp|interface-vlan)",
    rf"class-map type qos match-all {WORD}",
    rf"  match dscp {DSCP}",
    rf"policy-map type (?:qos|network-qos|queuing) {WORD}",
    rf"  class (?:{WORD}|class-default)",
    rf"    set qos-group {PRIORITY}",
    rf"  class type network-qos c-8q-nq(?:{PRIORITY}|-default)",
    rf"    pause pfc-cos {PRIORITY}",
    rf"    mtu {NUMBER}",
    r"  class type queuing (?:c-out-8q-q(?:[1-7]|-default)|c-in-q[1-7])",
    rf"    bandwidth remaining percent {PERCENT}",
    r"    priority level 1",
    rf"    random-detect minimum-threshold {NUMBER} kbytes maximum-threshold {NUMBER} kbytes "
    rf"drop-probability {PERCENT} weight (?:1[0-5]|\d) ecn",
    rf"    pause buffer-size {NUMBER} pause-threshold {NUMBER} resume-threshold {NUMBER}",
    r"system qos",
    rf"  service-policy type (?:network-qos|queuing output|qos input|queuing input) {WORD}",
    r"(?:  )?priority-flow-control watch-dog-interval on",
    r"priority-flow-control watch-dog (?:interval (?:1000|[1-9]\d\d)|shutdown-multiplier (?:10|[1-9]))",
    rf"interface breakout module 1 port {NUMBER} map (?:100|200|400)g-[248]x",
    rf"interface (?:loopback0|{NX}|Vlan{NUMBER})",
    rf"vlan {NUMBER}",
    rf"  switchport(?: access vlan {NUMBER})?",
    rf"  ip address {IPV4}/(?:3[12]|2[0-4])",
    rf"  description {TEXT}",
    r"  no switchport",
    rf"  mtu {NUMBER}",
    r"  priority-flow-control mode on",
    r"  ip forward",
    r"  ipv6 address use-link-local-only",
    r"  no shutdown",
    r"route-map CONNECTED permit 10",
    r"  match source-protocol direct",
    rf"router bgp {ASN}",
    rf"  router-id {IPV4}",
    r"  bestpath as-path multipath-relax",
    r"(?:  )?  address-family ipv4 unicast",
    rf"    maximum-paths {NUMBER}",
    r"    redistribute direct route-map CONNECTED",
    rf"  neighbor {NX}",
    rf"    remote-as {ASN}",
    r"hardware profile dlb",
    r"  mode flowlet",
    rf"  flowlet-aging {NUMBER}",
    rf"  dlb-interface {NX}(?: , {NX})*",
]

# Juniper: traffic management guide for QFX, CLI reference (pfc-watchdog), validated designs for AI clusters
_CNP = rf"set class-of-service congestion-notification-profile {WORD}"
JUNOS_SET = [
    rf"set system host-name {NAME}",
    r"set protocols lldp interface all",
    r"set interfaces et-\d+/\d+/\d+ (?:number-of-sub-ports [248]|speed (?:100|200|400|800)g)",
    rf'set interfaces {JUNOS} (?:description "{TEXT}"|mtu {NUMBER})',
    rf"set interfaces {JUNOS} unit 0 family (?:inet|inet6|inet address {IPV4}/31)",
    rf"set vlans NODES (?:vlan-id {NUMBER}|l3-interface irb\.{NUMBER})",
    rf"set interfaces irb (?:mtu {NUMBER}|unit {NUMBER} family inet address {IPV4}/2[0-4])",
    rf"set interfaces {JUNOS} unit 0 family ethernet-switching vlan members NODES",
    rf"set interfaces lo0 unit 0 family inet address {IPV4}/32",
    rf"set protocols router-advertisement interface {JUNOS}\.0",
    rf"set routing-options (?:router-id {IPV4}|autonomous-system {ASN}|forwarding-table export {WORD})",
    rf"set policy-options as-list {WORD} members {ASN}-{ASN}",
    rf"set policy-options policy-statement {WORD} (?:from protocol direct|then accept|then load-balance per-packet)",
    rf"set protocols bgp group {WORD} (?:type external|family inet unicast extended-nexthop|family inet6 unicast)",
    rf"set protocols bgp group {WORD} (?:export {WORD}|multipath multiple-as|peer-as-list {WORD})",
    rf"set protocols bgp group {WORD} dynamic-neighbor {WORD} peer-auto-discovery "
    rf"(?:family inet6 ipv6-nd|interface {JUNOS}\.0)",
    rf"set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval {NUMBER}",
    rf"set class-of-service forwarding-classes class {WORD} (?:queue-num {PRIORITY}|no-loss|pfc-priority {PRIORITY})",
    rf"set class-of-service classifiers dscp {WORD} forwarding-class {WORD} loss-priority low code-points [01]{{6}}",
    rf"set class-of-service drop-profiles {WORD} interpolate (?:fill-level|drop-probability) {PERCENT}",
    rf"set class-of-service schedulers {WORD} drop-profile-map loss-priority any protocol any drop-profile {WORD}",
    rf"set class-of-service schedulers {WORD} explicit-congestion-notification",
    rf"set class-of-service schedulers {WORD} (?:transmit-rate percent {PERCENT}|priority strict-high)",
    rf"set class-of-service scheduler-maps {WORD} forwarding-class {WORD} scheduler {WORD}",
    rf"set class-of-service interfaces {JUNOS} (?:scheduler-map {WORD}|congestion-notification-profile {WORD})",
    rf"set class-of-service interfaces {JUNOS} unit 0 classifiers dscp {WORD}",
    rf"{_CNP} input (?:dscp code-point [01]{{6}} pfc mru {NUMBER}|cable-length {NUMBER})",
    rf"{_CNP} pfc-watchdog (?:poll-interval (?:1|10|100)|detection {NUMBER}|recovery {NUMBER})",
    rf"set class-of-service shared-buffer (?:ingress|egress) buffer-partition "
    rf"(?:lossless|lossless-headroom|lossy) percent {PERCENT}",
]
FORMS = {"nvue": NVUE, "eos": EOS, "nxos": NXOS, "junos": JUNOS_SET}
COMMENT = {"nvue": "#", "eos": "!", "nxos": "!", "junos": "#"}


def strangers(target: str, text: str) -> list[str]:
    """Lines of a configuration that no form takes."""
    form = re.compile("|".join(f"(?:{one})" for one in FORMS[target]))
    lines = (line for line in text.splitlines() if line.strip() and not line.strip().startswith(COMMENT[target]))
    return [line for line in lines if not form.fullmatch(line)]
