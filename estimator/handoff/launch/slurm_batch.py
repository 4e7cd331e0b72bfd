"""A Slurm batch script: nodes of the placement, kept together by the block or the tree plugin.

Source: sbatch(1) of Slurm 25.05 (slurm.schedmd.com/sbatch.html): nodes, ntasks-per-node, gpus-per-node, nodelist, exclusive,
switches, segment (24.05 and later, topology/block); distribution in srun(1). A job whose nodes are no multiple of its segment
is never started (SchedMD/slurm@284c3b9, src/plugins/topology/block/eval_nodes_block.c). The topology itself is a file of the
links: ``python -m estimator links SPEC --format slurm-topology-yaml``.
"""

from collections.abc import Iterator

import numpy as np

from estimator.handoff.hostlist import hostlist
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.shell import PROGRAM, STRICT
from estimator.handoff.stamp import comments
from estimator.units import counted, divisors
from estimator.workloads.placement.notes import refuse_uneven
from estimator.workloads.placement.seats import Filling

PORT = 29500
WAIT = "30:00"  # 30 minutes for the switches wanted, after which the job takes what there is


def write(job: Job) -> Iterator[str]:
    """One script; directives stand before the first command, as sbatch wants them."""
    part, _ = job.training("A Slurm batch script")
    refuse_uneven(part, "A Slurm job with tasks a node")
    nodes, each = job.nodes_of(part), part.ranks_per_node
    n_leaf_groups = len(np.unique(job.machine.leaf[part.nodes]))
    segment = segment_of(part.seats.filling, len(nodes))
    yield PROGRAM
    yield (
        f"#SBATCH --job-name={job.name}\n#SBATCH --nodes={len(nodes)}\n#SBATCH --ntasks-per-node={each}\n"
        f"#SBATCH --gpus-per-node={job.machine.gpus_per_node}\n#SBATCH --exclusive\n"
    )
    if job.spans_nodes and segment is None:
        notes = [
            f"No --segment: {len(nodes)} nodes are no multiple of nodes that hold {part.seats.filling.unit} ranks together."
        ]
    elif job.spans_nodes:
        yield f"#SBATCH --segment={segment}\n"
        notes = [f"--segment keeps {segment} nodes at a time in one block of topology/block: a scale-up domain."]
    else:
        yield f"#SBATCH --switches={n_leaf_groups}@{WAIT}\n"
        notes = [f"--switches waits {WAIT} for nodes below {counted(n_leaf_groups, 'leaf group')}, by topology/tree."]
    yield comments(
        job.links,
        *notes,
        "The nodes of the placement, where just these are wanted: remove one # of the next line.",
    )
    yield f"##SBATCH --nodelist={hostlist(nodes)}\n"
    yield STRICT
    yield (
        'MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"\n'
        f"export MASTER_ADDR MASTER_PORT={PORT}\n"
    )
    gpus = part.seats.filling.gpus.tolist()
    if gpus != list(range(job.machine.gpus_per_node)):
        yield f"export CUDA_VISIBLE_DEVICES={','.join(map(str, gpus))}\n"
    yield (
        "# ranks fill a node before the next, as the map has them\n"
        "srun --distribution=block:block --kill-on-bad-exit=1 bash -c '\n"
        '  export RANK="$SLURM_PROCID" LOCAL_RANK="$SLURM_LOCALID" WORLD_SIZE="$SLURM_NTASKS"\n'
        f'  exec python {job.placed.request.script} "$@"\' task "$@"\n'
    )


def segment_of(filling: Filling, n_nodes: int) -> int | None:
    """Nodes of a segment: the most of a domain's that divide the job's and hold whole units of ranks; None where none do."""
    each = len(filling.gpus)
    fitting = [one for one in divisors(n_nodes) if one <= filling.nodes_used and one * each % filling.unit == 0]
    return max(fitting, default=None)
