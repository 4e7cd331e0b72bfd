"""A row a rank: where it is, which NIC it is next to, and its index along each axis. RFC 4180."""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import origin

PLACES = ("rank", "part", "rank_of_part", "node", "gpu", "nics", "rail", "domain", "leaf_group", "pod")


def write(job: Job) -> Iterator[str]:
    """A header, and ranks in order; hash and versions stand in the last columns of the first row."""
    machine, stamp = job.machine, origin(job.links)
    axes = list(dict.fromkeys(axis for part in job.placed.parts for axis in part.coordinates))
    yield ",".join([*PLACES, *axes, *stamp]) + "\n"
    last, rank = list(stamp.values()), 0
    for part in job.placed.parts:
        places, at = part.places, part.coordinates
        columns = [
            column.tolist() for column in (places.node, places.gpu, places.rail, places.domain, places.leaf, places.pod)
        ]
        by_axis = [at[axis].tolist() if axis in at else [""] * part.part.n_ranks for axis in axes]
        rows = zip(*columns, *by_axis, strict=True)
        for of_part, (node, gpu, rail, domain, leaf, pod, *indexes) in enumerate(rows):
            row = [
                rank,
                part.part.name,
                of_part,
                machine.node_names[node],
                gpu,
                " ".join(machine.nics[gpu]),
                rail or "",
                domain + 1,
                machine.leaf_names[leaf],
                pod + 1,
                *indexes,
                *last,
            ]
            yield ",".join(map(str, row)) + "\n"
            last, rank = [""] * len(stamp), rank + 1
