"""A SimAI topology file, as its generator lays it out: docs/handoff.md, "Simulators"."""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.simulated import Simulated
from estimator.handoff.stamp import comments

UNKNOWN_GPU = "NONE"


def write(links: LinkList) -> Iterator[str]:
    """Header, switch numbers, links. SimAI reads as many links as the header says; what follows is for people."""
    made = Simulated(links, scale_up_last=False)
    counts = (made.n_all, made.domain_gpus, made.n_scale_up, made.n_switches, len(made.made))
    yield f"{' '.join(map(str, counts))} {_gpu(links)}\n"
    yield " ".join(map(str, range(made.n_gpus, made.n_all))) + "\n"
    yield from made.made.lines()
    yield comments(links, *made.notes())


def _gpu(links: LinkList) -> str:
    """The GPU in SimAI's spelling (A100, H100 …): the first word of the model."""
    gpu = links.catalog.gpus.get(links.spec.compute.gpu or "")
    return gpu.model.split()[0] if gpu else UNKNOWN_GPU
