"""SHARP, reduction in the switches: what the managers of a subnet are set to, on or off as the design has it."""

from estimator.bringup.plan.value import Value, worked_out
from estimator.cabling.links import LinkList

OF_MANAGER = "ib.sharp."
"""How keys of the aggregation manager begin, which runs where the design counts on it alone."""


def manager(links: LinkList) -> Value:
    """Whether UFM runs the aggregation manager."""
    uses = links.counts_on_reduction
    why = "The design counts on it" if uses else "The design does not count on it: false is also UFM's default"
    source = "workload.in_network_reduction of the design; UFM SDN appliance manual 4.11.0: false by default"
    return worked_out("ib.sharp_enabled", "true" if uses else "false", source, why)


def in_switches(links: LinkList) -> Value:
    """What NVIDIA's build of OpenSM sets in the switches."""
    uses = links.counts_on_reduction
    source = (
        "workload.in_network_reduction of the design; UFM-SDN appliance command reference 4.16.0, SHARP in OpenSM: ignored, "
        "disabled or enabled. Their numbers 0, 1 and 2 were not read at the source"
    )
    why = "gv.cfg starts the aggregation manager" if uses else "gv.cfg starts no aggregation manager"
    return worked_out("ib.sharp_in_switches", 2 if uses else 1, source, why)
