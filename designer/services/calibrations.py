"""Named calibrations: kept with the logs they came from, given to designs and predictions whole."""

from typing import Any

from django.contrib.auth.models import User

from designer.models import Calibration
from designer.services.labels import checked_name
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.spec.calibration import Calibrated
from estimator.version import MODEL_VERSION


def save_calibration(owner: User, name: str, system: dict[str, Any], answer: dict[str, Any]) -> Calibration:
    """Keep what logs have shown, under a name.

    Raises
    ------
    SpecError
        If the name is empty, too long or unreadable, or if no log could be fitted.
    """
    if not answer["parameters"]:
        problems = [problem["message"] for log in answer["logs"] for problem in log["problems"]]
        message = f"No constant could be fitted, so there is nothing to keep. {' '.join(problems[:3])}".strip()
        raise SpecError([Problem("log", "nothing_fitted", message)])
    return Calibration.objects.create(
        owner=owner,
        name=checked_name(name),
        system=system,
        parameters=answer["parameters"],
        logs=answer["logs"],
        error=answer["error"],
        diagnosis=answer["diagnosis"],
        curves=answer["curves"],
        model_version=MODEL_VERSION,
        catalog_version=load_catalog().version,
    )


def calibrated_of(calibration: Calibration) -> Calibrated:
    """What a design or a prediction takes of it."""
    values = {name: row["value"] for name, row in calibration.parameters.items()}
    return Calibrated(name=calibration.name, parameters=values)
