"""UFM: the part of opensm.conf that NVIDIA's bring-up procedure sets, and what gv.cfg says of SHARP.

Sources: NVIDIA InfiniBand cluster bring-up procedure, UFM configuration; UFM SDN appliance manual 4.11.0, additional
configuration.
"""

from collections.abc import Iterator

from estimator.bringup.plan import reduction
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.infiniband import guids
from estimator.bringup.renderings.infiniband.subnets import Subnet, routing_engine, subnets
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File

HOME = "/opt/ufm/files/conf/opensm/"
KEYS = (
    "max_op_vls",
    "qos",
    "qos_policy_file",
    "suppress_sl2vl_mad_status_errors",
    "override_create_mcg_sl",
    "qos_max_vls",
    "qos_high_limit",
    "qos_vlarb_high",
    "qos_vlarb_low",
    "qos_sl2vl",
)


def files(plan: Plan) -> Iterator[File]:
    """opensm.conf, GUIDs and gv.cfg of every subnet: an UFM each."""
    for subnet in subnets(plan):
        yield _opensm(plan, subnet)
        yield from guids.files(plan, subnet, plan.links.fabric.tiers > 1)
        yield _gv(plan, subnet)


def _opensm(plan: Plan, subnet: Subnet) -> File:
    page = Page(
        plan,
        f"Set these keys in {HOME}opensm.conf and leave the others of it: ufm_ha_cluster stop, edit, ufm_ha_cluster start.",
        f"Files of GUIDs are made by guids.sh and lie in {HOME}.",
    )
    page.say("Routing; NVIDIA's OpenSM has adaptive variants of these engines, whose names its release notes state")
    engine = routing_engine(plan)
    page.put(engine, f"routing_engine {engine.value}")
    for file, names in guids.lists(subnet, plan.links.fabric.tiers > 1).items():
        value = guids.setting(file, HOME, len(names))
        page.put(value, f"{file} {value.value}")
    page.say("As the bring-up procedure has it")
    for key in KEYS:
        value = plan.value(f"ib.{key}", manager="ufm")
        page.put(value, f"{key} {value.value}")
    page.say("SHARP in the switches")
    value = reduction.in_switches(plan.links)
    page.put(value, f"sharp_enabled {value.value}")
    return page.file(f"{subnet.folder}opensm.conf")


def _gv(plan: Plan, subnet: Subnet) -> File:
    page = Page(plan, "Set this key in /opt/ufm/files/conf/gv.cfg and leave the others of it.")
    page.say("Aggregation manager")
    value = reduction.manager(plan.links)
    page.put(value, "[Sharp]", f"sharp_enabled = {value.value}")
    return page.file(f"{subnet.folder}gv.cfg")
