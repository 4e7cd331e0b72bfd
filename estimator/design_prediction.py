"""Predictions of a design: a prediction request that names a DesignSpec in place of a system.

``predicted(request, catalog)`` is the one way in for the command line and the API; without a design it is ``predict``.
"""

from collections.abc import Mapping
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_fabrics
from estimator.errors import Problem, SpecError
from estimator.performance.prediction import predict
from estimator.pipeline import system_of
from estimator.record import Json
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec

DESIGN = "design"


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
    spec = _design_of(request[DESIGN], catalog)
    if spec.compute.gpu is None:
        message = f"{spec.compute.server} names no GPU that is known, so nothing can be predicted. Give compute.gpu."
        raise SpecError([Problem("design.compute.gpu", "missing", message)])
    _, (fabric,) = sized_fabrics([spec], catalog)
    system = {key: value for key, value in system_of(spec, fabric, catalog).as_json().items() if value is not None}
    own = {"calibration": spec.workload.calibration.model_dump()} if spec.workload.calibration else {}
    asked = {key: value for key, value in request.items() if key != DESIGN}
    answer = predict({"gpus": [fabric.n_gpus], **own, **asked, "system": system}, catalog)
    return {**answer, "system": system, "spec_hash": spec_hash(spec)}


def _design_of(values: Any, catalog: Catalog) -> Any:
    """The design; its problems are reported under the request's key."""
    try:
        return parse_spec(values, catalog)
    except SpecError as error:
        raise SpecError(
            [Problem(f"{DESIGN}.{one.field}" if one.field else DESIGN, one.code, one.message) for one in error.problems]
        ) from None
