"""Named calibrations: kept with the logs they came from, given to designs and predictions whole."""

from django.contrib.auth.models import User

from designer.models import Calibration
from designer.services.labels import checked_name
from estimator.calibration.result import Parameter, SiteFit
from estimator.calibration.site_fit import calibrated_as
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.record import Given
from estimator.sentences import said
from estimator.spec.calibration import Calibrated
from estimator.version import MODEL_VERSION

KEPT = ("parameters", "logs", "error", "diagnosis", "curves", "paths")  # each in a column of its own


def save_calibration(owner: User, name: str, system: Given, fit: SiteFit) -> Calibration:
    """Keep what logs have shown, under a name.

    Raises
    ------
    SpecError
        If the name is empty, too long or unreadable, or if no log could be fitted.
    """
    if not fit.parameters:
        problems = [problem for log in fit.logs for problem in log.problems][:3]
        why = [said(" ", problem.parts or problem.message) for problem in problems]
        message = said("No constant could be fitted, so there is nothing to keep.", *why)
        raise SpecError([Problem.saying("log", "nothing_fitted", message)])
    return Calibration.objects.create(
        owner=owner,
        name=checked_name(name),
        system=system,
        **fit.as_json(),
        model_version=MODEL_VERSION,
        catalog_version=load_catalog().version,
    )


def fit_of(calibration: Calibration, has_curves: bool = True) -> SiteFit:
    """What its logs have shown, as it was kept; lists do without the curves."""
    kept = {name: getattr(calibration, name) for name in KEPT if has_curves or name != "curves"}
    return SiteFit.from_json({"curves": [], **kept})


def calibrated_of(calibration: Calibration) -> Calibrated:
    """What a design or a prediction takes of it."""
    parameters = {name: Parameter.from_json(row) for name, row in calibration.parameters.items()}
    return calibrated_as(parameters, calibration.name)
