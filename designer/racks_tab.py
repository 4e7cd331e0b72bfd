"""The racks tab."""

from collections.abc import Mapping
from typing import Any

from estimator.jobs.models import EstimateJob


def racks_context(job: EstimateJob, result: Mapping[str, Any], query: Mapping[str, Any]) -> dict[str, Any]:
    """The floor, and the racks of one page."""
    return {}
