"""A design with its estimate, computed in the process: what pages of results start from."""

from typing import Any

from django.contrib.auth.models import User

from designer.models import Design
from designer.services.designs.saving import request_estimate, save_design
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec


def finished(owner: User, values: dict[str, Any]) -> tuple[Design, EstimateJob]:
    spec = parse_spec(values, load_catalog())
    design = save_design(owner, spec)
    job, _ = request_estimate(owner, spec)
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    assert job.state == EstimateJob.State.SUCCEEDED, job.error
    return design, job
