"""A finished estimate as pages, files and pictures read it: typed, whatever model made it."""

from estimator.jobs.models import EstimateJob
from estimator.result import PricedEstimate


def result_of(job: EstimateJob) -> PricedEstimate | None:
    """The Estimate of a finished job; None where it has none. Read again at each call: a page asks once and hands it on."""
    return PricedEstimate.from_json(job.result) if job.result else None
