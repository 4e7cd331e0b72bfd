"""Open MPI's hostfile: a node a line, with as many slots as it has ranks.

Source: Open MPI 5.0 documentation, "Scheduling processes across hosts" (docs.open-mpi.org, launching-apps/scheduling.html);
orte_hosts(7).
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import comments


def write(job: Job) -> Iterator[str]:
    """Nodes in order of their ranks: ``mpirun --hostfile FILE --map-by slot`` numbers ranks as the map has them."""
    yield comments(job.links, f"mpirun -n {job.placed.n_ranks} --hostfile FILE --map-by slot …")
    for part in job.placed.parts:
        for node, n_ranks in zip(job.nodes_of(part), part.ranks_of_nodes.tolist(), strict=True):
            yield f"{node} slots={n_ranks}\n"
