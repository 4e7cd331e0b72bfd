"""The order of ranks: Megatron-LM's default, unless the model of collectives finds the other one faster.

The two orders that Megatron-LM has (its default, and --use-tp-pp-dp-mapping) differ in what lies next to a tensor-parallel
group: data-parallel copies or pipeline stages. Which is better depends on the bytes of each and on the links, so another
order than the default is taken only where both are known.
"""

from collections.abc import Callable

from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.placement.grid import DP, PP
from estimator.workloads.placement.machine import Machine
from estimator.workloads.placement.placed import Placed, placed_on
from estimator.workloads.placement.request import DEFAULT, PIPELINES_CLOSE, PlacementRequest, Traffic

LEAST_GAIN = 0.02  # of the time: below it the order that everybody knows is better


def best_placed(machine: Machine, request: PlacementRequest, times: Callable[[], GroupTimes]) -> Placed:
    """A checked request on a design, in the order requested or in the faster one.

    ``times`` gives times of collectives on the design; it is called where orders have to be compared.

    Raises
    ------
    SpecError
        If the design is too small for it.
    """
    if request.order != "auto":
        return placed_on(machine, request, request.order)
    default = placed_on(machine, request, DEFAULT)
    if request.traffic is None or request.parallel is None:
        return default
    other = placed_on(machine, request, PIPELINES_CLOSE)
    model = times()
    its_s, other_s = (exchange_s(one, request.traffic, model) for one in (default, other))
    return other if other_s < its_s * (1 - LEAST_GAIN) else default


def exchange_s(placed: Placed, traffic: Traffic, times: GroupTimes) -> float:
    """Seconds a step of gradients summed and activations passed on, one after the other, by the slowest group of each."""
    total_s = 0.0
    for one in placed.parts:
        for crossing in one.crossings:
            if crossing.kind == DP:
                total_s += float(times.seconds("all_reduce", crossing.groups(), traffic.dp_bytes).max())
            elif crossing.kind == PP:
                each = traffic.pp_bytes / traffic.pp_messages
                total_s += traffic.pp_messages * float(times.seconds("sendrecv", crossing.groups(), each).max())
    return total_s
