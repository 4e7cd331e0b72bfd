"""Parts of shell scripts that run on every node and look up what is theirs."""

from collections.abc import Iterable, Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import comments

PROGRAM = "#!/usr/bin/env bash\n"
STRICT = "set -euo pipefail\n"


def head(job: Job, *notes: str) -> str:
    """First lines of a script."""
    return PROGRAM + comments(job.links, *notes) + STRICT


def host_cases(commands: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Commands by node, all of a node's side by side; a node that has none is refused by the script."""
    by_node: dict[str, list[str]] = {}
    for node, command in commands:
        by_node.setdefault(node, []).append(command)
    yield 'case "$(hostname -s)" in\n'
    for node, of_node in by_node.items():
        yield f"{node})\n" + "".join(f"  {command} &\n" for command in of_node) + "  ;;\n"
    yield '*)\n  echo "$(hostname -s) is no node of this placement" >&2\n  exit 1\n  ;;\nesac\nwait\n'


def visible(gpus: list[int], of_node: int) -> str:
    """GPUs that a process may see, where they are not all of the node's."""
    return "" if gpus == list(range(of_node)) else f"CUDA_VISIBLE_DEVICES={','.join(map(str, gpus))} "
