"""Requests for serving: one placement or a search over them, one request or a list, on a system or on a design.

``served(request, catalog)`` is the one way in for the command line and the API; ``estimator/docs/serving.md`` says what stands
behind the numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.pipeline import DESIGN, calibration_of_design, estimate, system_of_design
from estimator.ranges import Range
from estimator.record import Json
from estimator.serving_request.batches import batch_answer
from estimator.serving_request.placements import Checked, Placements
from estimator.serving_request.request import (
    DISAGGREGATED,
    Calibration,
    ServingRequest,
    as_typed,
    field_of,
    layouts_of,
    load_problems,
    mean_of,
    plain,
    precision_problems,
)
from estimator.serving_request.search import answer_of, listed, looked_at, search_answer, target_of, widest_of
from estimator.spec.calibration import constants_of
from estimator.spec.checking import unknown_part, validated
from estimator.spec.design import DesignSpec
from estimator.workloads.models.named import model_or_problems
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.servers import Rated, ScaleUp, scale_up
from estimator.workloads.serving.calibration import Correction, correction_of, features_of
from estimator.workloads.serving.pools import of_pools
from estimator.workloads.serving.search import nothing_left, of_worker

MAX_REQUESTS = 5_000
WHAT, SERVERS = "a serving request", "compare_servers"
Read = tuple[ServingRequest, ModelShape | None, list[Problem]]


def served(request: Any, catalog: Catalog) -> Json | list[Json]:
    """Figures of serving.

    Parameters
    ----------
    request : the JSON of a request, or a list of them.
    catalog : parts, GPUs and constants of the collectives.

    Returns
    -------
    An answer, or a list of them in the order of the requests; there, one that is refused is ``{"code", "problems"}``.

    Raises
    ------
    SpecError
        Of a single request: every problem found.
    """
    server = Server(catalog)
    if not isinstance(request, Sequence) or isinstance(request, str | bytes):
        return server.answer(request)
    if len(request) > MAX_REQUESTS:
        message = f"{len(request):,} requests were given, and {MAX_REQUESTS:,} is the most at once. Split them."
        raise SpecError([Problem("", "too_many_requests", message)])
    answers: list[Json] = []
    for one in request:
        try:
            answers.append(server.answer(one))
        except EstimatorError as error:
            answers.append(error.as_json())
    return answers


class Built(NamedTuple):
    """A design as a request takes it."""

    spec: DesignSpec
    system: Json
    spec_hash: str
    n_gpus: int
    usd_per_gpu_hour: Range[float] | None  # None where servers have no price
    capex_usd: Range[float] | None


class Server:
    """Answers requests on one catalog; requests on alike systems share their tables of collectives."""

    def __init__(self, catalog: Catalog, network: ModelConstants | None = None) -> None:
        self._catalog = catalog
        self._network = network or ModelConstants(catalog)
        self._calibrated: dict[str, Server] = {}
        self._placements = Placements(catalog, self._network)

    def answer(self, request: Any) -> Json:
        """One answer; SpecError with every problem of the request."""
        if (server := self._on_measured_paths(request)) is not self:
            return server.answer(request)
        try:
            return self._answered(plain(request))
        except SpecError as error:
            raise SpecError(as_typed(error.problems, request)) from None

    def _answered(self, given: Any) -> Json:
        """The answer to a request that ``plain`` has written out."""
        request, built = self._on_design(given)
        answer = self._answer(request, built)
        if built is None:
            return answer
        answer |= {"system": built.system, "spec_hash": built.spec_hash}
        wanted = request.get(SERVERS)
        return answer if not wanted else {**answer, "scale_up": self._scale_up(given, built, wanted).as_json()}

    def _scale_up(self, given: Json, built: Built, wanted: bool | list[str]) -> ScaleUp:
        """The request on each server, in the same design."""
        fixed = {key: value for key, value in given.items() if key not in (DESIGN, SERVERS)}

        def rate(design: Json) -> Rated:
            return self._rated({**fixed, DESIGN: design})

        ids = None if wanted is True else wanted or []
        own = str(built.spec.compute.server)
        return scale_up(given[DESIGN], own, built.n_gpus, ids, rate, self._catalog)

    def _rated(self, request: Json) -> Rated:
        """What a request on a design serves where it serves the most a GPU, its targets kept to."""
        request, built = self._on_design(request)
        if built is None:
            raise ValueError("only a design has a server")
        checked = self._checked(self._read(request), built)._replace(usd_per_gpu_hour=None)
        asked = checked.asked
        if asked.concurrency is None:  # a replica at its own best load, as often as the GPUs have room for it
            target = asked.target.model_copy(update={"tokens_per_s": None})
            asked = asked.model_copy(update={"gpus": None, "target": target, "arrivals_per_s": None})
        checked = checked._replace(asked=asked)
        looked = looked_at(checked, self._placements, built.n_gpus)
        found = looked.pools.found if looked.pools else looked.together
        places = np.flatnonzero(found.meets & (found.total_gpus <= built.n_gpus))
        if not len(places):
            left = nothing_left(found, looked.target, checked.shape)
            raise SpecError([Problem("target", left.reason, left.message)])
        best = int(places[found.tokens_s_per_gpu.ravel()[places].argmax()])
        shown = listed(checked, self._placements, found, best, looked.loads)
        row = max(shown["rows"], key=lambda one: float(one["tokens_per_s"]))
        copies = 1 if asked.gpus else built.n_gpus // int(shown["gpus"])
        pools = asked.mode == DISAGGREGATED
        words = of_pools if pools else of_worker
        return Rated(
            n_gpus=built.n_gpus,
            n_nodes=int(built.spec.compute.nodes or 0),
            words=words(found.layouts[best // len(looked.loads)])[0],
            widest=max(map(widest_of, shown["layout"].values())) if pools else widest_of(shown["layout"]),
            tokens_s=row["tokens_per_s"] * copies,
            band=row["tpot_ms_high"] / row["tpot_ms"],
            usd_per_gpu_hour=built.usd_per_gpu_hour,
            capex_usd=built.capex_usd,
            tpot_ms=row["tpot_ms"],
        )

    def _on_measured_paths(self, request: Any) -> "Server":
        """Who answers a request: where its design carries a site's own constants, one that predicts with those."""
        design = request.get(DESIGN) if isinstance(request, Mapping) else None
        used = None if self._network.source else calibration_of_design(design, self._catalog)
        if used is None:
            return self
        if used.hash not in self._calibrated:
            self._calibrated[used.hash] = Server(self._catalog, constants_of(self._catalog, used))
        return self._calibrated[used.hash]

    def _on_design(self, request: Any) -> tuple[Any, Built | None]:
        """A request that names a design, on the system that it would be built as, and what a GPU-hour of it costs."""
        if not isinstance(request, Mapping) or DESIGN not in request:
            return request, None
        if "system" in request:
            message = "A design says what its system is: give one of design and system, and leave the other out."
            raise SpecError([Problem("system", "contradiction", message)])
        built = system_of_design(request[DESIGN], self._catalog)
        (made,) = estimate([built.spec], self._catalog, ("cost",))
        rate = made.cost.usd_per_priced_gpu_hour if made.cost else None
        capex = made.cost.capex_usd.total if made.cost and rate else None
        asked = {key: value for key, value in request.items() if key != DESIGN}
        return {**asked, "system": built.system}, Built(
            built.spec, built.system, built.spec_hash, built.n_gpus, rate, capex
        )

    def _answer(self, request: Any, built: Built | None) -> Json:
        asked, shape, problems = self._read(request)
        if asked.mode == "batch":
            return batch_answer(asked, shape, problems, self._catalog)
        checked = self._checked((asked, shape, problems), built)
        if asked.layout is None:
            return search_answer(checked, self._placements, built.n_gpus if built else None)
        return answer_of(checked, self._placements).as_json()

    def _read(self, request: Any) -> Read:
        """A request, its model, and the problems that any mode can have."""
        asked, problems = validated(ServingRequest, request, WHAT)
        if asked is None:
            raise SpecError(problems)
        shape, of_model = model_or_problems(asked.model)
        problems += of_model
        if asked.system.gpu not in self._catalog.gpus:
            problems.append(unknown_part("system.gpu", "GPU", asked.system.gpu, self._catalog.gpus))
        return asked, shape, [*problems, *precision_problems(asked), *self._placements.path_problems(asked)]

    def _checked(self, read: Read, built: Built | None) -> Checked:
        """A request that is not of single batches; SpecError with every problem."""
        asked, shape, problems = read
        problems += load_problems(asked, {field_of(one) for one in problems})
        problems += self._server_problems(asked, built)
        layouts, of_layout = layouts_of(asked, shape)
        problems += of_layout
        correction, of_calibration = (None, []) if problems else self._correction(asked.calibration)
        problems += of_calibration
        if problems or shape is None:
            raise SpecError(problems)
        is_least = target_of(asked).tokens_s is not None and asked.concurrency is None
        if built is not None and asked.layout is None and asked.gpus is None and not is_least:
            asked = asked.model_copy(update={"gpus": built.n_gpus})
        usd = built.usd_per_gpu_hour.typical if built and built.usd_per_gpu_hour else None
        return Checked(asked, shape, layouts, correction, usd)

    def _server_problems(self, asked: ServingRequest, built: Built | None) -> list[Problem]:
        """What keeps servers from being compared."""
        wanted = asked.compare_servers
        if not wanted:
            return []
        if built is None or asked.layout is not None:
            message = (
                "Servers are compared in a design, each by its best placement. Give a design, and leave the layout out."
            )
            return [Problem(SERVERS, "contradiction", message)]
        own = built.spec.compute.server
        if own not in self._catalog.servers:
            message = f"The design's server is {own}, of which the catalog has no domain. Name a server of the catalog."
            return [Problem(SERVERS, "not_a_choice", message)]
        ids = [] if wanted is True else wanted
        return [
            unknown_part(SERVERS, "server", one, self._catalog.servers)
            for one in ids
            if one not in self._catalog.servers
        ]

    def _correction(self, calibration: Calibration | None) -> tuple[Correction | None, list[Problem]]:
        """What measured runs correct, and what is wrong with them."""
        if calibration is None:
            return None, []
        rows, problems = [], []
        for place, row in enumerate(calibration.rows):
            given = {key: value for key, value in row.request.items() if key != "calibration"}
            try:
                answer = self.answer(given)
                figures = answer["rows"][0]
                layout = given["layout"].get("decode", given["layout"])
                rows.append((plain(given), figures, layout.get("tp", 1), row))
            except EstimatorError as error:
                problems += [one.inside(f"calibration.rows.{place}.request") for one in error.problems]
            except (KeyError, AttributeError):
                message = "Give a request with a layout and a concurrency: what was measured had both."
                problems.append(Problem(f"calibration.rows.{place}.request", "missing", message))
        if problems:
            return None, problems
        columns = zip(
            *(
                (figures["concurrency"], mean_of(given, "input_tokens"), mean_of(given, "output_tokens"), tp)
                for given, figures, tp, _ in rows
            ),
            strict=True,
        )
        features = features_of(*(np.array(column, dtype=np.float64) for column in columns))
        off = np.log([row.tpot_ms / figures["tpot_ms"] for _, figures, _, row in rows])
        first = [float(np.log(row.ttft_ms / figures["ttft_ms"])) for _, figures, _, row in rows if row.ttft_ms]
        return correction_of(features, off, first), []
