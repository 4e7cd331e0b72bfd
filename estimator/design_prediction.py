"""Predictions of a design: a prediction request that names a DesignSpec in place of a system.

``predicted(request, catalog)`` is the one way in for the command line and the API; without a design it is ``predict``.
"""

from collections.abc import Mapping
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.performance.prediction import predict
from estimator.pipeline import DESIGN, system_of_design
from estimator.record import Json


def predicted(request: Any, catalog: Catalog) -> Json:
    """Predicted times of a collective, on a system or on a design as it would be built.

    Parameters
    ----------
    request : mapping, the JSON of a prediction request; with ``design``, a DesignSpec, in place of ``system``. Then ``gpus``
        may be left out (all of the design's), and ``calibration`` is the design's own unless one is given.
    catalog : parts, GPUs and constants of the model.

    Returns
    -------
    As ``predict``; of a design with ``system``, what it was predicted as, and ``spec_hash``.

    Raises
    ------
    SpecError
        With every problem of the request, or of the design under ``design.…``.
    InfeasibleDesign
        If the design cannot be built.
    """
    if not isinstance(request, Mapping) or DESIGN not in request:
        return predict(request, catalog)
    if "system" in request:
        message = "A design says what its system is: give one of design and system, and leave the other out."
        raise SpecError([Problem("system", "contradiction", message)])
    built = system_of_design(request[DESIGN], catalog)
    spec, system = built.spec, built.system
    own = {"calibration": spec.workload.calibration.model_dump()} if spec.workload.calibration else {}
    asked = {key: value for key, value in request.items() if key != DESIGN}
    answer = predict({"gpus": [built.n_gpus], **own, **asked, "system": system}, catalog)
    return {**answer, "system": system, "spec_hash": built.spec_hash}
