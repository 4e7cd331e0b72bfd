"""The placement in figures, as JSON: groups by kind, the level of links each meets at, and remarks."""

import json
from collections.abc import Iterator

from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import origin
from estimator.workloads.placement.notes import answer_of


def write(job: Job) -> Iterator[str]:
    """One JSON object."""
    yield json.dumps({**answer_of(job.placed).as_json(), **origin(job.links)}, ensure_ascii=False, indent=1) + "\n"
