"""The tables of config_db.json that a patch has, as SONiC's YANG models bound them, restated as a JSON schema.

sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models: sonic-port, -interface, -loopback-interface, -pfcwd,
-port-qos-map, -dscp-tc-map, -tc-queue-map, -tc-priority-group-map, -pfc-priority-queue-map, -scheduler, -wred-profile,
-queue, -buffer-profile, -buffer-pg, -cable-length, -breakout_cfg, -lossless-traffic-pattern, -bgp-global, -bgp-neighbor.
"""

from typing import Any

PORT = "Ethernet[0-9]+"
PREFIX = r"[0-9.]+/(?:31|32)"


def text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def fields(needed: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": needed | more,
        "required": list(needed),
        "additionalProperties": False,
    }


def table(key: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "patternProperties": {f"^(?:{key})$": entry},
        "additionalProperties": False,
        "minProperties": 1,
    }


def numbers(low: int, high: int) -> dict[str, Any]:
    return text("|".join(map(str, range(low, high + 1))))


COUNT, EMPTY = text("[0-9]{1,10}"), {"type": "object"}
QUEUES = {str(one): numbers(0, 7) for one in range(8)}
TABLES = {
    "DEVICE_METADATA": fields(
        {
            "localhost": fields(
                {
                    "hostname": text("[a-z0-9-]{1,63}"),
                    "bgp_asn": text("42[0-9]{8}"),
                    "type": text("LeafRouter|SpineRouter"),
                    "docker_routing_config_mode": text("unified"),
                    "frr_mgmt_framework_config": text("true"),
                }
            )
        }
    ),
    "BREAKOUT_CFG": table(PORT, fields({"brkout_mode": text("[248]x(?:100|200|400)G")})),
    "PORT": table(
        PORT,
        fields(
            {
                "admin_status": text("up"),
                "description": text(".{1,255}"),
                "mtu": text("9216|9100"),
                "speed": text("[1248]00000"),
                "pfc_asym": text("on|off"),
            }
        ),
    ),
    "CABLE_LENGTH": fields({"AZURE": table(PORT, text("[0-9]{1,3}m"))}),
    "LOOPBACK_INTERFACE": table(rf"Loopback0(?:\|{PREFIX})?", EMPTY),
    "INTERFACE": table(
        rf"{PORT}(?:\|{PREFIX})?",
        fields(
            {},
            ipv6_use_link_local_only=text("enable|disable"),
            scope=text("global|local"),
            family=text("IPv4"),
        ),
    ),
    "BGP_GLOBALS": fields(
        {"default": fields({"local_asn": COUNT, "router_id": text("[0-9.]+"), "load_balance_mp_relax": text("true")})}
    ),
    "BGP_GLOBALS_AF": fields({"default|ipv4_unicast": fields({"max_ebgp_paths": numbers(1, 256)})}),
    "ROUTE_REDISTRIBUTE": table(r"default\|connected\|bgp\|ipv4", fields({"metric": COUNT})),
    "BGP_NEIGHBOR": {
        **table(rf"default\|{PORT}", fields({"asn": COUNT, "admin_status": text("true")})),
        "minProperties": 0,
    },
    "BGP_NEIGHBOR_AF": {
        **table(rf"default\|{PORT}\|ipv4_unicast", fields({"admin_status": text("true")})),
        "minProperties": 0,
    },
    "DSCP_TO_TC_MAP": table("[A-Z]+", fields({str(dscp): numbers(0, 7) for dscp in range(64)})),
    "TC_TO_QUEUE_MAP": table("[A-Z]+", fields(QUEUES)),
    "TC_TO_PRIORITY_GROUP_MAP": table("[A-Z]+", fields(QUEUES)),
    "MAP_PFC_PRIORITY_TO_QUEUE": table("[A-Z]+", fields(QUEUES)),
    "PORT_QOS_MAP": table(
        PORT,
        fields(
            {
                "dscp_to_tc_map": text("[A-Z]+"),
                "tc_to_queue_map": text("[A-Z]+"),
                "tc_to_pg_map": text("[A-Z]+"),
                "pfc_to_queue_map": text("[A-Z]+"),
            },
            pfc_enable=text("[0-7](?:,[0-7])?"),
            pfcwd_sw_enable=text("[0-7](?:,[0-7])?"),
        ),
    ),
    "SCHEDULER": table("[A-Z_]+", fields({"type": text("DWRR|WRR|STRICT")}, weight=numbers(1, 100))),
    "WRED_PROFILE": table(
        "[A-Z]+",
        fields(
            {
                "ecn": text("ecn_all"),
                "wred_green_enable": text("true"),
                "green_min_threshold": COUNT,
                "green_max_threshold": COUNT,
                "green_drop_probability": numbers(0, 100),
            }
        ),
    ),
    "QUEUE": table(rf"{PORT}\|[0-7]", fields({"scheduler": text("[A-Z_]+")}, wred_profile=text("[A-Z]+"))),
    "LOSSLESS_TRAFFIC_PATTERN": fields(
        {"AZURE": fields({"mtu": numbers(64, 9216), "small_packet_percentage": numbers(0, 100)})}
    ),
    "VLAN": table("Vlan[0-9]+", fields({"vlanid": numbers(1, 4094)})),
    "VLAN_MEMBER": table(rf"Vlan[0-9]+\|{PORT}", fields({"tagging_mode": text("untagged|tagged")})),
    "VLAN_INTERFACE": table(r"Vlan[0-9]+(?:\|[0-9./]+)?", fields({}, scope=text("global"))),
    "SWITCH_TRIMMING": fields(  # sonic-trimming.yang: size, dscp_value, queue_index
        {"GLOBAL": fields({"size": numbers(1, 9216), "dscp_value": numbers(0, 63), "queue_index": numbers(0, 7)})}
    ),
    "BUFFER_QUEUE": table(rf"{PORT}\|[0-7]", fields({"profile": text("q_lossy_trim_profile")})),
    "BUFFER_PROFILE": table(
        "pg_lossless_[0-9]+_[0-9]+m_profile|q_lossy_trim_profile",
        fields(
            {"pool": text("[a-z_]+"), "size": COUNT, "dynamic_th": text("-?[0-8]")},
            xon=COUNT,
            xoff=COUNT,
            packet_discard_action=text("drop|trim"),
        ),
    ),
    "BUFFER_PG": table(rf"{PORT}\|[0-7]", fields({"profile": text("pg_lossless_[0-9]+_[0-9]+m_profile")})),
    "PFC_WD": {
        "type": "object",
        "properties": {"GLOBAL": fields({"POLL_INTERVAL": numbers(100, 1000)})},
        "required": ["GLOBAL"],
        "patternProperties": {
            f"^{PORT}$": fields(
                {
                    "action": text("drop|forward|alert"),
                    "detection_time": numbers(100, 5000),
                    "restoration_time": numbers(100, 60000),
                }
            )
        },
        "additionalProperties": False,
    },
}
OF_CHOICES = ("SWITCH_TRIMMING", "BUFFER_QUEUE", "VLAN", "VLAN_MEMBER", "VLAN_INTERFACE")
NEEDED = [name for name in TABLES if name not in ("BREAKOUT_CFG", "LOSSLESS_TRAFFIC_PATTERN", *OF_CHOICES)]
SCHEMA = {"type": "object", "properties": TABLES, "required": NEEDED, "additionalProperties": False}
