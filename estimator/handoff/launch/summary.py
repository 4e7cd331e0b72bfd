"""The placement in figures, as JSON: groups by kind, the level of links each meets at, and remarks."""

import json
from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import origin
from estimator.workloads.placement.notes import PlacementAnswer, answer_of


class PlacementSummary(PlacementAnswer):
    """A placement on a design: counts, groups and remarks, and what they rest on."""

    spec_hash: str
    model_version: str
    catalog_version: str


def summary_of(job: Job) -> PlacementSummary:
    """A job's placement in figures."""
    stamp = origin(job.links)
    return PlacementSummary(
        **vars(answer_of(job.placed)),
        spec_hash=stamp["spec_hash"],
        model_version=stamp["model_version"],
        catalog_version=stamp["catalog_version"],
    )


def write(job: Job) -> Iterator[str]:
    """One JSON object."""
    yield json.dumps(summary_of(job).as_json(), ensure_ascii=False, indent=1) + "\n"
