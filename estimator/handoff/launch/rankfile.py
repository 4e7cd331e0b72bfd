"""Open MPI's rankfile: the node and the processor of each rank.

Source: mpirun(1) of Open MPI 5.0, "Mapping, Ranking, and Binding: Oh My!", section Rankfiles: ``rank N=HOST slot=LIST``,
logical processors. GPUs have no name in a rankfile: slot i is the i-th rank of its node, which a launch script gives the
GPU named in the comment of the map.
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import comments


def write(job: Job) -> Iterator[str]:
    """A line a rank, ranks numbered through all parts."""
    yield comments(
        job.links,
        f"mpirun -n {job.placed.n_ranks} --map-by rankfile:file=FILE …  (Open MPI 4: --rankfile FILE)",
        "A slot is a logical core; with several cores a rank, give ranges such as slot=0-7.",
    )
    names, rank = job.machine.node_names, 0
    for part in job.placed.parts:
        before, slot = -1, 0
        for node in part.seats.node.tolist():
            slot = slot + 1 if node == before else 0
            before = node
            yield f"rank {rank}={names[node]} slot={slot}\n"
            rank += 1
