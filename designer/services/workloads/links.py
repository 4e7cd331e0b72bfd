"""An estimated design as workloads see it: the ``system`` of a request, and its links level by level."""

from typing import NamedTuple

from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import CONVERGED, IN_BAND
from estimator.cost.reliability import ANY_CAUSE, job_stops
from estimator.ranges import Range
from estimator.record import Json
from estimator.result import PricedEstimate
from estimator.spec.calibration import constants_of
from estimator.workloads.paths.hierarchy import LinkLevel, link_levels
from estimator.workloads.placement.machine import nodes_of_domain


class OnDesign(NamedTuple):
    """What a workload runs on: a system, its GPUs, and what an hour of one costs where that is known."""

    system: Json
    gpus: int
    usd_per_gpu_hour: Range[float] | None
    stops_per_gpu_year: Range[float]


def on_design(estimate: PricedEstimate) -> OnDesign:
    """An estimated design as workloads take it."""
    gpus, expected = estimate.compute.counts.gpus, estimate.failures.expected if estimate.failures else None
    stops = job_stops(expected, gpus, load_catalog()).per_gpu_year if expected else usual_stops()
    return OnDesign(system_keys(estimate), gpus, estimate.cost.usd_per_priced_gpu_hour, stops)


def usual_stops() -> Range[float]:
    """Stops a GPU and year where nothing is known of a design's own parts."""
    return load_catalog().economics[ANY_CAUSE].ends


def levels_of_design(estimate: PricedEstimate) -> list[LinkLevel]:
    """Every level of links that the estimated design has; none where its GPU is not known."""
    system = estimate.performance.system
    if system is None or system.gpu is None:
        return []
    catalog = load_catalog()
    constants = constants_of(catalog, estimate.spec.workload.calibration)
    return link_levels(
        system_keys(estimate), estimate.compute.counts.gpus, catalog, constants, _ethernet_gbit_s(estimate)
    )


def system_keys(estimate: PricedEstimate) -> Json:
    """The estimated design as the ``system`` of a request."""
    system = estimate.performance.system
    return system.as_request() if system else {}


def domain_nodes_of(estimate: PricedEstimate) -> int:
    """Nodes of a scale-up domain of the estimated design; 1 where nothing is known of it."""
    system = estimate.performance.system
    return nodes_of_domain(system.scale_up_domain_gpus or 1, system.gpus_per_node or 1) if system else 1


def _ethernet_gbit_s(estimate: PricedEstimate) -> float | None:
    """What a node has on its in-band network, else on a converged one; None where the design has neither."""
    for key in (IN_BAND, CONVERGED):
        if network := estimate.fabrics.get(key):
            return float(network.endpoint_rate_gbit_s * (network.ports_per_node or 1))
    return None
