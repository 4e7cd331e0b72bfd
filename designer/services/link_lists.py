"""The link list of a finished estimate: made again from its spec when it is requested, never stored.

The same spec, model and catalog give the same list, so a list is made only where both are still those of the estimate.
"""

import hashlib
from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.handoff.phases import links_at, phase_format
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION


class OutdatedEstimate(EstimatorError):
    """The estimate was made by another model or catalog than today's, and its links can no longer be listed."""

    code = "outdated_estimate"


def is_outdated(job: EstimateJob) -> bool:
    """True if model or catalog have changed since the estimate was made."""
    return (job.model_version, job.catalog_version) != (MODEL_VERSION, load_catalog().version)


def refuse_outdated(job: EstimateJob) -> None:
    """Nothing for an estimate of today's model and catalog.

    Raises
    ------
    OutdatedEstimate
        If one of them has changed since.
    """
    if is_outdated(job):
        message = (
            f"This estimate was made by model {job.model_version} with catalog {job.catalog_version[:12]}, and link lists "
            f"are made by model {MODEL_VERSION} with catalog {load_catalog().version[:12]}. Request a new estimate of the design."
        )
        raise OutdatedEstimate([Problem("", "outdated_estimate", message)])


def links_of(job: EstimateJob, role: str, phase: int | None = None) -> LinkList:
    """The links of one fabric of a finished estimate; ``phase`` names one of its phases, from 1.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    SpecError
        If the design has no such fabric, or no such phase.
    """
    refuse_outdated(job)
    catalog = load_catalog()
    return links_at(parse_spec(job.spec, catalog), catalog, role, phase)


def phase_cables_of(job: EstimateJob) -> Iterator[bytes]:
    """Every cable that a phase of a finished estimate touches, as CSV.

    Raises
    ------
    OutdatedEstimate, SpecError
        As ``links_of``, and where the design has no phases.
    """
    refuse_outdated(job)
    catalog = load_catalog()
    return phase_format("csv-cables").write(parse_spec(job.spec, catalog), catalog)


def entity_tag(job: EstimateJob, *parts: str) -> str:
    """What names one file of an estimate for caches: it changes with spec, model and catalog, and with nothing else."""
    key = "\n".join([job.spec_hash, job.model_version, job.catalog_version, *parts])
    return f'"{hashlib.sha256(key.encode()).hexdigest()[:32]}"'
