"""A sized design as the system that predictions are made for."""

from fractions import Fraction

from estimator.catalog.catalog import Catalog
from estimator.fabric.ratios import last_pod_of, worst_pod_ratio
from estimator.fabric.sized import SizedFabric
from estimator.performance.result import BuiltSystem
from estimator.spec.design import DesignSpec
from estimator.units import ratio_text


def system_of(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> BuiltSystem:
    """The built design as the ``system`` of a prediction request: ratios are those of the links, not of the request.

    Nothing is failed, NICs have one connection that ECMP hashes, and GPUs pass on what is meant for other rails (PXN), as
    libraries do unless set otherwise.
    """
    compute, is_infiniband = spec.compute, catalog.generations[spec.fabric.generation].protocol == "infiniband"
    nics = compute.nics_per_node or 1
    share = Fraction(fabric.endpoint_rate_gbit_s * fabric.nic_ports_per_node, nics)
    rate = min(share, Fraction(_adapter_rate_gbit_s(spec, catalog) or share))
    # uplinks run at the port rate: slower NICs fill less of them, and leave room for spines and failures
    ratio = fabric.worst_leaf_ratio * rate / share
    last = last_pod_of(fabric)
    return BuiltSystem(
        gpu=compute.gpu,
        gpus_per_node=compute.gpus_per_node,
        scale_up_domain_gpus=compute.scale_up_domain_gpus,
        nics_per_node=nics,
        nic_gbit_s=float(rate),
        fabric="infiniband" if is_infiniband else "roce",
        in_network_reduction=spec.workload.in_network_reduction and is_infiniband,
        oversubscription=ratio_text(ratio),
        nodes_per_leaf=fabric.nodes_per_leaf,
        spine_oversubscription=ratio_text(worst_pod_ratio(fabric)),
        nodes_per_pod=fabric.nodes_per_pod,
        last_pod_from=last.begins if last else None,
        last_pod_nodes=last.nodes if last else None,
        last_pod_oversubscription=ratio_text(last.ratio * rate / share) if last else None,
        planes=spec.fabric.planes,
        pxn=True,
        flows_per_nic=1,
        uplink_gbit_s=float(fabric.uplink_rate_gbit_s)
        if fabric.uplink_rate_gbit_s != fabric.endpoint_rate_gbit_s
        else None,
        failed_nics=0,
        failed_uplinks=0.0,
        placement=spec.workload.placement,
        load_balancing=spec.workload.load_balancing,
        gpudirect=spec.workload.gpudirect,
        stack=spec.workload.stack,
        small_message_us=spec.workload.small_message_us,
        small_message_gpus=_measured_gpus(spec),
    )


def _measured_gpus(spec: DesignSpec) -> int | None:
    """GPUs that a measured small-message time is of: one scale-up domain unless the design says otherwise."""
    if spec.workload.small_message_us is None:
        return None
    return spec.workload.small_message_gpus or max(spec.compute.scale_up_domain_gpus or 2, 2)


def _adapter_rate_gbit_s(spec: DesignSpec, catalog: Catalog) -> int | None:
    """Rate of the server's own ports; None for a custom server, whose NICs are taken to match the fabric."""
    network = catalog.compute_network(spec.compute.server)
    return network.port_rate_gbit_s if network else None
