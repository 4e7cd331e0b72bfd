"""OpenSM as its source has it (linux-rdma/opensm): configuration, files of GUIDs, levels of service, partitions, a folder a
subnet.

Formats: opensm(8), doc/QoS_management_in_OpenSM.txt, doc/partition-config.txt.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.reduction import in_switches
from estimator.bringup.renderings.infiniband import guids
from estimator.bringup.renderings.infiniband.subnets import Subnet, routing_engine, subnets
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File

CONFIGURATION, QOS, PARTITIONS = "opensm.conf", "qos-policy.conf", "partitions.conf"
HOME = "/etc/opensm/"
KEYS = (
    ("Sweeps and packets of management", ("sweep_interval", "transaction_timeout", "max_wire_smps", "sm_priority")),
    ("Paths", ("lmc", "connect_roots", "use_ucast_cache", "subnet_timeout")),
    (
        "Lanes and queues",
        ("max_op_vls", "head_of_queue_lifetime", "leaf_head_of_queue_lifetime", "leaf_vl_stall_count", "qos"),
    ),
)
LANES = ("qos_max_vls", "qos_high_limit", "qos_vlarb_high", "qos_vlarb_low", "qos_sl2vl")
MTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}  # InfiniBand architecture specification


def files(plan: Plan) -> Iterator[File]:
    """The configuration of the first subnet, then all else."""
    found = subnets(plan)
    for subnet in found:
        yield configuration(plan, subnet, len(found))
        yield from guids.files(plan, subnet, plan.links.fabric.tiers > 1)
        yield _qos(plan, subnet)
        yield _partitions(plan, subnet)


def configuration(plan: Plan, subnet: Subnet, n_subnets: int) -> File:
    """opensm.conf of one subnet."""
    home = f"{HOME}{subnet.folder}"
    head = [f"opensm -F {home}{CONFIGURATION}; first run guids.sh, which turns names into GUIDs."]
    if n_subnets > 1:
        head.append(
            f"One of {n_subnets} subnets, each with a manager of its own: start with -g and the GUID of its port."
        )
    page = Page(plan, *head)
    page.say("Routing")
    engine = routing_engine(plan)
    page.put(engine, f"routing_engine {engine.value}")
    for file, names in guids.lists(subnet, plan.links.fabric.tiers > 1).items():
        value = guids.setting(file, home, len(names))
        page.put(value, f"{file} {value.value}")
    for title, keys in KEYS:
        page.say(title)
        for key in keys:
            value = plan.value(f"ib.{key}")
            page.put(value, f"{key} {value.value}")
    for key in LANES:
        value = plan.value(f"ib.{key}")
        page.put(value, f"{key} {value.value}")
    if plan.links.counts_on_reduction:
        page.say(
            "SHARP: the design counts on it. linux-rdma's OpenSM has no key of it, and refuses the line; NVIDIA's build takes",
            f"sharp_enabled {in_switches(plan.links).value} here as well. Start sharp_am with sharp_am.cfg beside either.",
        )
    page.say("Files")
    page.put(plan.value("ib.data_sl"), f"qos_policy_file {home}{QOS}")
    page.put(plan.value("ib.partition"), f"partition_config_file {home}{PARTITIONS}")
    return page.file(f"{subnet.folder}{CONFIGURATION}")


def _qos(plan: Plan, subnet: Subnet) -> File:
    page = Page(plan, "Levels of service: one for all, until quality of service is switched on in opensm.conf.")
    page.say("Level of what matches no rule")
    level = plan.value("ib.data_sl")
    page.put(level, "qos-ulps", f"    default : {level.value}", "end-qos-ulps")
    return page.file(f"{subnet.folder}{QOS}")


def _partitions(plan: Plan, subnet: Subnet) -> File:
    page = Page(plan, "Partitions: one for all ports; add those of tenants here, with the port GUIDs of their nodes.")
    page.say("Default partition, with IPoIB at the largest MTU")
    partition, mtu = plan.value("ib.partition"), plan.value("ib.mtu_bytes")
    page.put((partition, mtu), f"Default={partition.value}, ipoib, mtu={MTU_CODES[int(mtu.value)]} : ALL=full;")
    return page.file(f"{subnet.folder}{PARTITIONS}")
