"""The subnet manager: ``opensm.conf``. Options: linux-rdma/opensm, osm_subnet.c; SHARP: NVIDIA's build of it."""

import re

from estimator.bringup.check.observation import ALL, Notes

KIND, SYSTEM = "opensm.conf", "opensm"
KEPT = (
    "routing_engine",
    "sharp_enabled",
    "qos",
    "max_op_vls",
    "sm_priority",
    "master_sm_priority",
    "force_link_speed",
    "force_link_speed_ext",
    "root_guid_file",
    "cn_guid_file",
    "m_key",
)


def is_mine(text: str) -> bool:
    """Whether it has options of OpenSM."""
    return bool(
        re.search(
            r"(?m)^\s*(?:routing_engine|max_op_vls|sweep_interval|sm_priority|subnet_timeout|leaf_vl_stall_count|"
            r"root_guid_file|lmc|max_wire_smps|sharp_enabled|qos_max_vls)\s+\S",
            text,
        )
    )


def read(text: str, notes: Notes) -> None:
    """The options that matter here."""
    for number, raw in enumerate(text.split("\n"), 1):
        words = raw.partition("#")[0].split()
        if words[:1] in (
            ["connect_roots"],
            ["use_ucast_cache"],
        ):  # which a written-out configuration has beside the engine
            notes.see("dump", ALL, True, number)
        if len(words) > 1 and words[0] in KEPT:
            notes.see(words[0], ALL, " ".join(words[1:])[:80], number)
