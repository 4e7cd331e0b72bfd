"""torchrun on every node of a training run: a script that finds its node's rank in the list.

Source: PyTorch documentation, "torchrun (Elastic Launch)": nnodes, node-rank, nproc-per-node, master-addr, master-port. With
the static rendezvous (the default with node-rank), ranks count node by node, as the map has them. Its documentation assumes
as many ranks on every node.
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.launch.shell import head

PORT = 29500


def write(job: Job) -> Iterator[str]:
    """One script for all nodes; arguments go on to the training script."""
    part, _ = job.training("torchrun")
    nodes, counts = job.nodes_of(part), part.ranks_of_nodes.tolist()
    yield head(job, "Run on every node: bash FILE ARGUMENTS…; ranks count node by node in the order of the list.")
    yield "nodes=(\n" + "".join(f"  {node}\n" for node in nodes) + ")\n"
    yield (
        'node_rank=""\nfor at in "${!nodes[@]}"; do\n'
        '  if [ "${nodes[$at]}" = "$(hostname -s)" ]; then node_rank=$at; fi\ndone\n'
        'if [ -z "$node_rank" ]; then\n  echo "$(hostname -s) is no node of this placement" >&2\n  exit 1\nfi\n'
    )
    yield f"nproc={counts[0]}\n"
    if counts[-1] != counts[0]:
        yield "# torchrun documents jobs with as many ranks on every node; here the last has fewer\n"
        yield f'if [ "$node_rank" = {len(nodes) - 1} ]; then nproc={counts[-1]}; fi\n'
    gpus = part.seats.filling.gpus.tolist()
    if gpus != list(range(job.machine.gpus_per_node)):
        yield f"export CUDA_VISIBLE_DEVICES={','.join(map(str, gpus))}\n"
    yield (
        f'exec torchrun --nnodes={len(nodes)} --nproc-per-node="$nproc" --node-rank="$node_rank" \\\n'
        f'  --master-addr={nodes[0]} --master-port={PORT} {job.placed.request.script} "$@"\n'
    )
