"""Kueue: the topology's flavor with a queue for jobs of this placement.

Source: Kueue 0.19 (commit ff69552), apis/kueue/v1beta2 and site/static/examples/tas/sample-queues.yaml. The Topology is that
of handoff/kueue.py; the quota is the design's GPUs.
"""

from collections.abc import Iterator

from estimator.handoff.kueue import API_VERSION
from estimator.handoff.kueue import write as topology
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.kubernetes.pods import GPU, level_keys
from estimator.handoff.stamp import slug


def write(job: Job) -> Iterator[str]:
    """Topology, ResourceFlavor, ClusterQueue and LocalQueue. A node belongs to the flavor by the label of the coarsest level."""
    yield from topology(job.links)
    name = slug(job.links.spec.name) or "fabric"
    coarsest, levels = level_keys(job)[0], job.tree
    label = (
        f'    {coarsest}: "{levels.levels[-1].names[0]}"\n'
        if len(levels.levels[-1].names) == 1 and "tier" in coarsest
        else f'    {GPU}.present: "true"\n'
    )
    yield f'---\napiVersion: {API_VERSION}\nkind: ResourceFlavor\nmetadata:\n  name: "{name}"\nspec:\n  nodeLabels:\n{label}'
    yield f'  topologyName: "{name}"\n'
    yield f'---\napiVersion: {API_VERSION}\nkind: ClusterQueue\nmetadata:\n  name: "{name}"\nspec:\n  namespaceSelector: {{}}\n'
    yield f'  resourceGroups:\n    - coveredResources: ["{GPU}"]\n      flavors:\n        - name: "{name}"\n'
    yield f'          resources:\n            - name: "{GPU}"\n              nominalQuota: {job.machine.n_gpus}\n'
    yield f"---\napiVersion: {API_VERSION}\nkind: LocalQueue\nmetadata:\n  namespace: default\n  name: {job.name}\nspec:\n"
    yield f'  clusterQueue: "{name}"\n'
