"""Calibration of serving on measured runs of the same model, GPU, precision and engine: three rows halve the error.

What is off is mostly common to all rows of a stack; the rest goes with load, with the share of prompts and with TP. A row's
ln(measured ÷ predicted) is explained by these four, each with a prior of its usual size, so that one row moves all and three
rows move slopes a little (Bayesian linear regression).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.units import FloatArray
from estimator.workloads.serving.cases import Cases
from estimator.workloads.serving.serving import Served

SPREADS = np.array([0.2, 0.05, 0.05, 0.05])  # ln-s.d. of each, over groups of the measured runs
NOISE = 0.1  # ln; of a row about them
TTFT_SPREAD, TTFT_NOISE = 0.5, 0.3
USUAL_CONCURRENCY, USUAL_TP = 16.0, 4.0


@dataclass(frozen=True)
class Correction:
    """What predicted times are multiplied by."""

    weights: FloatArray  # (4,)
    ttft_factor: float
    n_rows: int

    def tpot_factor(self, features: FloatArray) -> FloatArray:
        """Factors of cases with these features, (n_cases, 4)."""
        return np.exp(features @ self.weights)


def features_of(
    concurrency: FloatArray, input_tokens: FloatArray, output_tokens: FloatArray, tp: FloatArray
) -> FloatArray:
    """What an error may go with, (n_cases, 4)."""
    columns = np.broadcast_arrays(
        np.ones(1),
        np.log(np.maximum(concurrency, 1.0) / USUAL_CONCURRENCY),
        np.log(input_tokens / output_tokens) / 2,
        np.log2(tp / USUAL_TP),
    )
    return np.stack(columns, axis=-1)


def corrected(served: Served, cases: Cases, correction: Correction) -> Served:
    """Figures with a calibration's factors."""
    load = cases.load
    features = features_of(load.concurrency, load.input_tokens, load.output_tokens, cases.layouts.tp)
    tpot = served.tpot_s * correction.tpot_factor(features)
    ttft = served.ttft_s * correction.ttft_factor
    before = served.ttft_s + load.output_tokens * served.tpot_s
    tokens_s = served.tokens_s * before / (ttft + load.output_tokens * tpot)
    return replace(served, tpot_s=tpot, ttft_s=ttft, tokens_s=tokens_s)


def correction_of(features: FloatArray, off_tpot: FloatArray, off_ttft: Sequence[float]) -> Correction:
    """The correction that rows ask for: ln(measured ÷ predicted) of each, times to first token as far as they are known."""
    precision = features.T @ features / NOISE**2 + np.diag(1 / SPREADS**2)
    weights = np.asarray(np.linalg.solve(precision, features.T @ off_tpot / NOISE**2), dtype=np.float64)
    known = len(off_ttft)
    shrink = known / (known + (TTFT_NOISE / TTFT_SPREAD) ** 2)
    factor = float(np.exp(np.median(off_ttft) * shrink)) if known else 1.0
    return Correction(weights, factor, len(off_tpot))
