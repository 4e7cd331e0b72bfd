"""What an unsaved design begins with: blank, a sample, a published design, or the cluster of a workload."""

from collections.abc import Mapping

from designer.services.designs import samples
from designer.services.designs.samples import published_sample
from estimator.catalog.loader import load_catalog
from estimator.published.workloads import workloads
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

NEW_DESIGN = {
    "compute": {"server": "dgx-h100", "gpus": 1024},
    "fabric": {"generation": "ndr"},
}


def asked_sample(query: Mapping[str, str]) -> samples.Sample | None:
    """The sample, published design or cluster of a workload that the address names."""
    if work := workloads().get(query.get("workload", "")):
        return samples.Sample(work.id, "", work.teaches, work.source, work.inputs | {"name": work.name})
    return samples.BY_KEY.get(query.get("sample", "")) or published_sample(query.get("published", ""))


def start_spec(query: Mapping[str, str]) -> DesignSpec:
    """The request that the page of an unsaved design begins with."""
    sample = asked_sample(query)
    return parse_spec(sample.values if sample else NEW_DESIGN, load_catalog())
