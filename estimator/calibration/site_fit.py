"""The quick fit of the model to a site's own logs: a few constants, priors and bounds, errors before and after.

Only constants that the logs inform are free. The launch floor comes from the smallest messages; the rest is fitted to
ln(predicted ÷ measured) of every size, gently on outliers. docs/calibration.md says how, and what the answer means.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from estimator.calibration.diagnosis import Judged, judged
from estimator.calibration.faults import MEDIUM, OF_SOFTWARE
from estimator.calibration.logged_run import LoggedRun, LogSystem, log_system, run_of, stand_in_run
from estimator.calibration.logs.read import ParsedLog, read_logs
from estimator.calibration.logs.system_words import FIT_FAULTY, collective_word, in_sentences
from estimator.calibration.measured import SIZE_CLASSES, size_class
from estimator.calibration.paths.fit import path_constants
from estimator.calibration.paths.read import PathFigure, figures_of
from estimator.calibration.predictor import Predictor
from estimator.calibration.result import Bounds, Curve, ErrorBySize, Fault, FitErrors, Log, Parameter, SiteFit
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.sentences import by_reader, said
from estimator.spec.calibration import Calibrated, ConstantRange, parameter_key, parameter_name
from estimator.units import FloatArray, s_to_us

MAX_LOGS = 50
MAX_RUNS = 100  # in all of them; a file may hold several
NO_RUN = ("no_rows", "not_a_log")  # why a file holds no run
MAX_PARAMETERS = 6
MAX_OF_SEVERAL = 12
FLOOR_BYTES = 1024  # messages that cost their start alone
SOFTNESS = 0.04  # |ln| beyond which a residual counts less than its square
PRIOR = 0.03  # weight of staying where the constant stood, per bound width
INFORMED = 0.02  # |ln| that a constant must be able to move some size by, from bound to bound, to be free
EFFICIENCY_REACH = 0.08
REACH = 2.0  # a latency or fill may halve or double
AT_BOUND = 0.005  # of the width
NINE_IN_TEN = 1.645  # standard deviations
LEAST_LAUNCH_US = 0.2
LAUNCHES = ("launch", "launch_per_gpu")
EFFICIENCIES = (
    "ring_efficiency",
    "nvls_efficiency",
    "network_efficiency",
    "pair_efficiency",
    "send_efficiency",
    "send_share",
    "collnet_share",
    "pcie_ring_efficiency",
)
LATENCIES = (
    "fabric_latency",
    "latency_factor",
    "ring_fill",
    "tree_fill",
    "nvls_fill",
    "pair_fill",
    "channel_start",
    "half_fill_bytes",
)
CLASS_WEIGHTS = {
    "large": 2.0,
    "mid": 1.0,
    "small": 1.0,
}  # of all sizes of a class together, so that many small ones do not decide
Key = tuple[str, str]


@dataclass(frozen=True)
class FreeConstant:
    """One free constant, in the unit of its row."""

    key: Key
    start: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """From bound to bound."""
        return self.high - self.low


@dataclass(frozen=True)
class Fitted:
    """A fitted constant; ``low`` to ``high`` holds it nine times in ten."""

    constant: FreeConstant
    value: float
    low: float
    high: float
    at_bound: bool

    def reported(self, unit: str) -> Parameter:
        """With what it was before and how far it might go."""
        return Parameter(
            value=self.value,
            low=self.low,
            high=self.high,
            at_bound=self.at_bound,
            unit=unit,
            before=self.constant.start,
            bounds=Bounds(from_=self.constant.low, to=self.constant.high),
        )


def calibrate(files: Iterable[tuple[str, bytes]], system: Any, catalog: Catalog) -> SiteFit:
    """Constants of a site from its logs.

    Parameters
    ----------
    files : names and contents of what nccl-tests or rccl-tests printed, and tools that measure one path (calibration/paths).
    system : mapping, keys of a prediction request's system and of the run, where logs do not say; may be empty.

    Raises
    ------
    SpecError
        If a file is no log, or the system is wrong. A log whose system is not known stands in ``logs`` with its problems.
    """
    asked = log_system(system)
    logs, figures = _read(files)
    by_paths, paths = path_constants(figures, asked, catalog)
    found = [run_of(log, asked, catalog) for log in logs]
    runs = [_possible(run, catalog) if run and not _is_blocked(of_run) else None for run, of_run in found]
    problems = [
        [*of_run, _impossible(given)] if given is not None and run is None and not _is_blocked(of_run) else of_run
        for (given, of_run), run in zip(found, runs, strict=True)
    ]
    usable = [run for run in runs if run is not None]
    stand_ins = [
        stand_in_run(log, asked, catalog) if given is None else None
        for log, (given, _) in zip(logs, found, strict=True)
    ]
    all_judged = [*usable, *(run for run in stand_ins if run is not None)]
    faults, short = judged(all_judged, catalog) if all_judged else Judged([], {})
    left_out = {} if asked.fit_faulty else short | _faulty(faults)
    kept = [run if run is None or run.name not in left_out else None for run in runs]
    problems = [
        [*of_log, _left_out(log, left_out[log.file])] if run is not None and log.file in left_out else of_log
        for log, run, of_log in zip(logs, runs, problems, strict=True)
    ]
    fitted = _fitted([run for run in kept if run is not None], catalog, by_paths) if any(kept) else _NOTHING_FITTED
    return fitted.but(
        parameters={**by_paths, **fitted.parameters},
        logs=[
            _log(log, run, judged_run, of_log, is_fitted=fitted_run is not None)
            for log, run, fitted_run, judged_run, of_log in zip(logs, runs, kept, stand_ins, problems, strict=True)
        ],
        diagnosis=faults,
        paths=paths,
    )


def _faulty(faults: Sequence[Fault]) -> dict[str, Fault]:
    """The likeliest fault of the site of each log that shows one."""
    named: dict[str, Fault] = {}
    for fault in sorted(faults, key=lambda fault: -fault.score):
        if fault.code not in OF_SOFTWARE and fault.score >= MEDIUM:
            for file in fault.files or [fault.file]:
                named.setdefault(file, fault)
    return named


def _left_out(log: ParsedLog, fault: Fault) -> Problem:
    shown = fault.evidence_parts or said(fault.evidence)
    how = by_reader("Set fit_faulty (--fit-faulty of the command line)", f"Tick “{FIT_FAULTY}”")
    found = said(f"{log.file} looks faulty and is left out of the fit: {fault.title}; ", shown)
    return Problem.saying("system.fit_faulty", "faulty_log", said(found, ". ", how, " to fit it all the same."))


def _read(files: Iterable[tuple[str, bytes]]) -> tuple[list[ParsedLog], list[PathFigure]]:
    """(runs of every log, figures of every other file), or the problems of all that are neither."""
    logs: list[ParsedLog] = []
    figures: list[PathFigure] = []
    problems: list[Problem] = []
    for i, (name, data) in enumerate(files):
        if i >= MAX_LOGS or len(logs) > MAX_RUNS:
            most = f"{MAX_LOGS} logs with {MAX_RUNS} runs are the most at once. Send fewer."
            problems.append(Problem("log", "too_many_logs", most))
            break
        read = read_file(name, data)
        logs += read.logs
        figures += read.figures
        problems += read.problems
    if not logs and not figures and not problems:
        problems.append(Problem("log", "missing", "Give at least one log of nccl-tests or rccl-tests."))
    if problems:
        raise SpecError(problems)
    return logs, figures


@dataclass(frozen=True)
class ReadFile:
    """What a file holds: runs, figures of single paths, or why neither."""

    logs: tuple[ParsedLog, ...] = ()
    figures: tuple[PathFigure, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_file(name: str, data: bytes) -> ReadFile:
    """Runs and figures of a file; the output of a job may hold both."""
    figures: tuple[PathFigure, ...] = ()
    refused: tuple[Problem, ...] = ()
    try:
        figures = figures_of(name, data) or ()
    except EstimatorError as error:
        refused = tuple(error.problems)
    try:
        return ReadFile(read_logs(name, data), figures)
    except EstimatorError as error:
        has_only_figures = figures and all(problem.code in NO_RUN for problem in error.problems)
        return ReadFile((), figures, () if has_only_figures else refused or tuple(error.problems))


def _is_blocked(problems: Sequence[Problem]) -> bool:
    return any(problem.code in ("no_network", "ran_alone") for problem in problems)


def _possible(run: LoggedRun, catalog: Catalog) -> LoggedRun | None:
    """The run, if the model has a time for every size of it: the forced algorithm exists there."""
    predictor = Predictor([run], catalog)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = predictor.predicted_s(predictor.constants)
    return run if run.gpus > 1 and bool(np.isfinite(times).all()) else None


def _impossible(run: LoggedRun) -> Problem:
    algorithm = by_reader(run.algorithm, run.algorithm.replace("_", " ")) if run.algorithm else "any algorithm"
    keys = by_reader("gpus, algorithm and fabric", in_sentences("gpus", "algorithm", "fabric"))
    message = said(
        f"{run.name}: the model has no ",
        collective_word(run.collective),
        f" of {run.gpus:,} GPUs by ",
        algorithm,
        " on this system, so the log is not fitted. Two GPUs are the least; look at ",
        keys,
        ".",
    )
    return Problem.saying("system.algorithm", "algorithm_not_available", message)


_NO_ERROR = ErrorBySize(large=None, mid=None, small=None)
_NOTHING_FITTED = SiteFit(
    parameters={}, logs=[], error=FitErrors(before=_NO_ERROR, after=_NO_ERROR), diagnosis=[], curves=[], paths=[]
)


def _log(
    log: ParsedLog, run: LoggedRun | None, judged: LoggedRun | None, problems: Sequence[Problem], *, is_fitted: bool
) -> Log:
    return Log(
        file=log.file,
        rows=len(log.rows),
        dropped=list(log.dropped),
        n_dropped=log.n_dropped,
        collective=run.collective if run else log.collective,
        gpus=run.gpus if run else log.gpus,
        nodes=_nodes(log, run),
        launch=run.launch if run else log.launch,
        gpu_names=list(log.gpu_names),
        library=log.version,
        system=run.system if run else None,
        assumed=list(run.assumed) if run else [],
        problems=list(problems),
        is_fitted=is_fitted,
        judged_as=judged.stand_in if judged else None,
    )


def _nodes(log: ParsedLog, run: LoggedRun | None) -> int | None:
    return log.nodes if log.nodes is not None or run is None else -(-run.gpus // run.gpus_per_node)


def _fitted(runs: Sequence[LoggedRun], catalog: Catalog, known: Mapping[str, Parameter]) -> SiteFit:
    """What the runs give, without the logs and their faults; the fit begins at what is known of paths."""
    predictor = Predictor(runs, catalog)
    before = predictor.errors(predictor.constants)
    predictor.constants = predictor.constants.replaced({parameter_key(name): one.value for name, one in known.items()})
    fitted = fit_runs(predictor)
    used = predictor.constants.replaced({one.constant.key: one.value for one in fitted})
    after = predictor.errors(used)
    rows = predictor.constants
    return SiteFit(
        parameters={parameter_name(one.constant.key): one.reported(rows.row(*one.constant.key).unit) for one in fitted},
        logs=[],
        error=FitErrors(before=errors_by_size(predictor, before), after=errors_by_size(predictor, after)),
        diagnosis=[],
        curves=_curves(predictor, before, after),
        paths=[],
    )


def errors_by_size(predictor: Predictor, errors: FloatArray) -> ErrorBySize:
    """Median |ln(predicted ÷ measured)| by size class; None where no size is of it."""
    classes = np.array([size_class(size) for size in predictor.message_bytes])
    return ErrorBySize(
        **{
            name: float(np.median(np.abs(errors[classes == name]))) if (classes == name).any() else None
            for name in SIZE_CLASSES
        }
    )


def _curves(predictor: Predictor, before: FloatArray, after: FloatArray) -> list[Curve]:
    measured_us = s_to_us(predictor.measured_s)
    times = {
        "measured_us": measured_us,
        "before_us": measured_us * np.exp(before),
        "after_us": measured_us * np.exp(after),
    }
    return [
        Curve(
            file=run.name,
            collective=run.collective,
            gpus=run.gpus,
            message_bytes=list(run.message_bytes),
            **{name: values[predictor.owner == i].tolist() for name, values in times.items()},
        )
        for i, run in enumerate(predictor.runs)
    ]


# ---------------------------------------------------------------- the fit


def fit_runs(predictor: Predictor) -> list[Fitted]:
    """The constants that the runs inform, fitted; in the order of the catalog."""
    from scipy.optimize import least_squares  # for a fast start: scipy takes long to load

    base = predictor.constants
    start_errors = predictor.errors(base)  # and so ``base`` knows which constants were requested
    free = _informed(predictor, [*_launches(predictor, start_errors), *_candidates(base)])
    if not free:
        return []
    low, width = np.array([one.low for one in free]), np.array([one.width for one in free])
    middle = (np.array([one.start for one in free]) - low) / width
    keys = [one.key for one in free]

    weight = _weights(predictor)

    def residuals(x: FloatArray) -> FloatArray:
        constants = base.replaced(dict(zip(keys, (low + x * width).tolist(), strict=True)))
        return np.concatenate([predictor.errors(constants) * weight, PRIOR * (x - middle)])

    x0 = np.clip(middle, 0.01, 0.99)
    found = least_squares(
        residuals,
        x0,
        bounds=(0.0, 1.0),
        loss="soft_l1",
        f_scale=SOFTNESS,
        diff_step=0.01,
        max_nfev=12,
        ftol=1e-4,
        xtol=1e-4,
    )
    spread = _spread(found.jac, found.fun) * width
    values = low + found.x * width
    return [
        Fitted(
            one,
            float(value),
            float(max(value - NINE_IN_TEN * sd, one.low)),
            float(min(value + NINE_IN_TEN * sd, one.high)),
            bool(x < AT_BOUND or x > 1 - AT_BOUND),
        )
        for one, value, sd, x in zip(free, values, spread, found.x, strict=True)
    ]


def _weights(predictor: Predictor) -> FloatArray:
    """Weights of the sizes: the same for all of a class, 1 on average."""
    classes = np.array([size_class(size) for size in predictor.message_bytes])
    weight = np.array([CLASS_WEIGHTS[name] / np.sum(classes == name) for name in classes])
    return np.asarray(np.sqrt(weight * (len(weight) / weight.sum())))


def _spread(jacobian: FloatArray, left: FloatArray) -> FloatArray:
    """Standard deviations from the curvature at the best point and the residuals left, in shares of the bound widths.

    Outliers count whole here, although the fit is gentle on them: they say how well the model holds at this site.
    """
    degrees = max(len(left) - 2 * jacobian.shape[1], 1)  # each constant adds a row of its own
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * float(np.sum(left**2) / degrees)
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0.0)))


def _launches(predictor: Predictor, errors: FloatArray) -> list[FreeConstant]:
    """The launch overhead of each kind of launch, about what the median of the smallest messages leaves for it."""
    base, out = predictor.constants, []
    small = predictor.message_bytes <= FLOOR_BYTES
    missing_s = predictor.measured_s * (1 - np.exp(errors))  # measured − predicted
    for launch in sorted({run.launch for run in predictor.runs}):
        name = "launch_per_gpu" if base.has("launch_per_gpu", launch) else "launch"
        floors = []
        for i, run in enumerate(predictor.runs):
            own = small & (predictor.owner == i)
            if run.launch == launch and own.any():
                share = base.get("launch_share", f"{launch}.{run.collective}", 1.0)
                share *= min(run.gpus, run.gpus_per_node) if name == "launch_per_gpu" else 1
                floors.append(float(s_to_us(np.median(missing_s[own]))) / share)
        start = float(base.row(name, launch).value)
        start = max(start + float(np.median(floors)), LEAST_LAUNCH_US) if floors else start
        out.append(FreeConstant((name, launch), start, start / REACH, start * REACH))
    return out


def _candidates(base: ModelConstants) -> list[FreeConstant]:
    """Constants that the model has requested and that may differ from site to site."""
    out = []
    for row in base.used(frozenset()):
        key = (row.name, row.index or "")
        given = base.given(*key)
        value = float(row.value) if given is None else given
        if row.name in EFFICIENCIES and value > 0 and row.index != "none":
            low, high = min(float(row.low), value * (1 - EFFICIENCY_REACH)), value * (1 + EFFICIENCY_REACH)
            out.append(FreeConstant(key, value, low, max(float(row.high), min(high, 1.0), value * 1.001)))
        elif row.name in LATENCIES and value > 0:
            out.append(
                FreeConstant(key, value, min(float(row.low), value / REACH), max(float(row.high), value * REACH))
            )
    return out


def _informed(predictor: Predictor, candidates: Sequence[FreeConstant]) -> list[FreeConstant]:
    """Those that move some size at all, the strongest first: six of one log, and two more for each further one.

    Never more than a third of the sizes. How far a constant could go counts little: moving many sizes counts.
    """
    base = predictor.constants
    launches = {one.key: one.start for one in candidates if one.key[0] in LAUNCHES}
    most = min(MAX_PARAMETERS + 2 * (len(predictor.runs) - 1), MAX_OF_SEVERAL)
    room = min(most, max(len(set(predictor.message_bytes.tolist())) // 3, 1))
    weight = _weights(predictor)
    strength: dict[Key, float] = {}
    at_start = predictor.errors(base.replaced(launches))
    for one in candidates:
        # the launch is a floor of its own: judged by what it is, others by what they move
        there = 0.0 if one.key[0] in LAUNCHES else one.low
        moved = np.abs(predictor.errors(base.replaced(launches | {one.key: there})) - at_start)
        felt = np.minimum(moved, EFFICIENCY_REACH) * weight
        strength[one.key] = float(np.sqrt(np.sum(felt**2))) if float(moved.max()) > INFORMED else 0.0
    kept = sorted((one for one in candidates if strength[one.key] > 0), key=lambda one: -strength[one.key])[:room]
    return [one for one in candidates if one in kept]


def parameters_of(fit: SiteFit, name: str) -> Calibrated:
    """What a design or a prediction takes of a site's fit, under a name."""
    return calibrated_as(fit.parameters, name)


def calibrated_as(parameters: Mapping[str, Parameter], name: str) -> Calibrated:
    """Constants under a name: values, and the ranges of those that paths set."""
    ranges = {key: ConstantRange(low=one.low, high=one.high) for key, one in parameters.items() if one.paths}
    return Calibrated(name=name, parameters={key: one.value for key, one in parameters.items()}, ranges=ranges or None)


__all__ = ["MAX_LOGS", "LogSystem", "calibrate", "calibrated_as", "fit_runs", "parameters_of"]
