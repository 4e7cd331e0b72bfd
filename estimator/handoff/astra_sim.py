"""An ASTRA-sim topology: the file of its ns-3 backend, and behind it, as a comment, the analytical backend's."""

from collections.abc import Iterator

import numpy as np

from estimator.cabling.links import LinkList
from estimator.fabric.topology import FABRIC_MANAGER, TIERS
from estimator.handoff.simulated import NS, Simulated
from estimator.handoff.stamp import comments
from estimator.units import BITS_PER_BYTE


def write(links: LinkList) -> Iterator[str]:
    """Header, switch numbers, links. ns-3 reads as many links as the header says; what follows is for people."""
    made = Simulated(links, scale_up_last=True)
    yield f"{made.n_all} {made.n_switches + made.n_scale_up} {len(made.made)}\n"
    yield " ".join(map(str, range(made.n_gpus, made.n_all))) + "\n"
    yield from made.made.lines()
    yield comments(links, *made.notes(), *_analytical(made))


def _analytical(made: Simulated) -> list[str]:
    """The network as one switch a dimension: inside a scale-up domain, and between domains."""
    outside, rest = divmod(made.n_gpus, made.domain_gpus)
    if rest:
        return [f"No analytical network: {made.n_gpus} GPUs are no whole number of domains of {made.domain_gpus}."]
    fabric = made.links.fabric
    a_gpu_gbit_s = fabric.endpoint_rate_gbit_s * fabric.nic_ports_per_node / made.gpus_a_node
    inside_ns = made.constants.value("simulator_latency", "scale_up") / NS
    sizes = ((made.domain_gpus, made.scale_up_gbit_s, inside_ns), (outside, a_gpu_gbit_s, _way_up_ns(made)))
    dimensions = [size for size in sizes if size[0] > 1]
    counts, rates, delays = zip(*dimensions, strict=True) if dimensions else ((), (), ())
    return [
        "Analytical backend (network.yml; GB/s, ns; its switches count a delay twice, up and down):",
        f"topology: [ {', '.join(['Switch'] * len(dimensions))} ]",
        f"npus_count: [ {', '.join(map(str, counts))} ]",
        f"bandwidth: [ {', '.join(f'{rate / BITS_PER_BYTE:.10g}' for rate in rates)} ]",
        f"latency: [ {', '.join(f'{delay:.10g}' for delay in delays)} ]",
    ]


def _way_up_ns(made: Simulated) -> float:
    """Delay from a GPU to the switches at the top: the longest link of each tier."""
    delays, table = made.delays_ns, made.links.table
    tiers = (tier for tier in range(len(TIERS)) if tier != FABRIC_MANAGER)
    return float(sum(np.max(delays[table.rows(tier)], initial=0) for tier in tiers))
