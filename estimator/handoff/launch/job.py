"""What files to launch a job are written from: a placed layout with the design's links."""

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.cabling.links import LinkList
from estimator.errors import Problem, SpecError
from estimator.handoff.placement import Placement
from estimator.workloads.placement.machine import Machine
from estimator.workloads.placement.placed import Placed, PlacedPart
from estimator.workloads.placement.request import Layout, Parallel


@dataclass(frozen=True)
class Job:
    """A placed request with the design's links and the groups that schedulers know."""

    links: LinkList
    tree: Placement
    placed: Placed

    @property
    def machine(self) -> Machine:
        """The design, as the placement sees it."""
        return self.placed.machine

    @property
    def name(self) -> str:
        """Name of the job."""
        return self.placed.request.name

    @property
    def spans_nodes(self) -> bool:
        """Whether scale-up domains hold several nodes."""
        return self.machine.domain_nodes > 1

    def training(self, label: str) -> tuple[PlacedPart, Parallel]:
        """The training run; refused where the request serves."""
        part = self.placed.parts[0]
        if not isinstance(part.part.degrees, Parallel):
            raise _wrong_workload(label, "a training run (parallel)", "serves")
        return part, part.part.degrees

    def serving(self, label: str) -> Iterator[tuple[PlacedPart, Layout]]:
        """Parts that serve; refused where the request trains."""
        found = [(part, part.part.degrees) for part in self.placed.parts]
        for part, degrees in found:
            if not isinstance(degrees, Layout):
                raise _wrong_workload(label, "serving (layout, or prefill and decode)", "trains")
            yield part, degrees

    def nodes_of(self, part: PlacedPart) -> list[str]:
        """Names of a part's nodes, in order of their ranks."""
        return [self.machine.node_names[node] for node in part.nodes.tolist()]


@dataclass(frozen=True)
class Worker:
    """One worker of an engine: its nodes and the GPUs of each, in order of its ranks."""

    number: int  # within its part
    nodes: list[str]
    gpus: list[list[int]]  # of each node

    @property
    def is_even(self) -> bool:
        """Whether every node has as many of its ranks."""
        return len({len(of_node) for of_node in self.gpus}) == 1


def workers_of(job: Job, part: PlacedPart) -> Iterator[Worker]:
    """Workers of a part."""
    each, names = part.part.worker_ranks, job.machine.node_names
    nodes, gpus = part.seats.node.reshape(-1, each), part.seats.gpu.reshape(-1, each)
    for number, (of_worker, local) in enumerate(zip(nodes.tolist(), gpus.tolist(), strict=True)):
        by_node: dict[int, list[int]] = {}
        for node, gpu in zip(of_worker, local, strict=True):
            by_node.setdefault(node, []).append(gpu)
        yield Worker(number, [names[node] for node in by_node], list(by_node.values()))


def _wrong_workload(label: str, needed: str, does: str) -> SpecError:
    message = f"{label} is for {needed}, and this layout {does}. Take another format, or the other kind of layout."
    return SpecError([Problem("format", "wrong_workload", message)])


def refuse(message: str, code: str) -> SpecError:
    """A format that cannot hold a layout."""
    return SpecError([Problem("format", code, message)])
