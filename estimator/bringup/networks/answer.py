"""The networks beside the compute fabric as the plan answers them."""

from estimator.bringup.networks.other import OtherPlan
from estimator.bringup.plan.records import OtherNetwork
from estimator.bringup.plan.value import Value


def answered(network: OtherPlan) -> OtherNetwork:
    """A network as it is answered."""
    values = settings_of(network)
    return OtherNetwork(
        key=network.key,
        protocol=network.protocol,
        switches=len(network.wired.switches),
        systems={key: len(devices) for key, devices in network.by_system().items()},
        host_ports=len(network.places),
        subnet=str(network.subnet),
        leaf_prefix=32 - network.leaf_bits if network.is_ethernet else None,
        host_mtu=int(values["host MTU"].value),
        switch_mtu=int(values["switch MTU"].value),
        flow=str(values["class"].value),
        values=[network.fact("pool"), network.fact("leaf_prefix"), *values.values()],
    )


def settings_of(network: OtherPlan) -> dict[str, Value]:
    """What is set on a network, by what it is called."""
    return {
        "host MTU": network.fact("host_mtu_bytes"),
        "switch MTU": network.switch_mtu,
        "class": network.flow,
    }
