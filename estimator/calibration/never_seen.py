"""Operators and platforms that no part of the procedure saw: is what the validation page says what a stranger sees?

``python -m estimator.calibration.never_seen`` draws a third of the operators once for each of SEEDS, does all of the
procedure (fit, folds, bands, held-out figures) on the rest, and compares the figures that the page would have with those
of the third; then it leaves out each platform, a GPU generation on a kind of network, and predicts it as its neighbour.
Fits take the slopes of every constant once (``Slopes``). A few minutes of one processor; it writes
``measured/never_seen.json``, which the page reads.

Fits start, and are bound, where the constants stand, and the form of the terms was chosen with all runs known: neither is
held out.
"""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from estimator.calibration.bands import BAND_NAMES, Residual, band_values, residuals_of, site_counts, sites_of
from estimator.calibration.global_fit import (
    FAMILY_WEIGHTS,
    FOLDS,
    Slopes,
    free_constants,
    held_out,
    predicted_without,
    read_folds,
)
from estimator.calibration.held_out import ANY, NEVER_SEEN, LeftOut, NeverSeen, Unmeasured
from estimator.calibration.measured import CORE, SIZE_CLASSES, Run, measured_runs, size_class
from estimator.calibration.validation.compared import Found, FoundBy, held_by_site, pooled_bands, predicted_runs
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.bands import DOMAINS
from estimator.performance.collectives import COLLECTIVES

SEEDS = range(100, 220)  # 0 to 19 chose the statistic; of these, 140 to 199 were drawn once all was settled
SHARE = 1 / 3  # of the operators, drawn at random, that a split leaves out
NEIGHBOURS = {  # what a generation or a network that nobody measured is taken for
    "ampere": "hopper",
    "hopper": "ampere",
    "blackwell": "hopper",
    "cdna-3": "cdna-4",
    "cdna-4": "cdna-3",
    "infiniband": "roce",
    "roce": "infiniband",
    "efa": "roce",
    "slingshot": "infiniband",
}
Key = tuple[str, str]
Cell = tuple[str, str, str]


def split_of(sites: Iterable[str], seed: int) -> set[str]:
    """The operators that a split leaves out."""
    names = sorted(set(sites))
    return set(np.random.default_rng(seed).choice(names, round(SHARE * len(names)), replace=False).tolist())


def compared_split(runs: Sequence[Run], seed: int, slopes: Slopes, catalog: Catalog) -> list[NeverSeen]:
    """The page's figures of two thirds of the operators beside those of the third, by size class."""
    constants, out = ModelConstants(catalog), split_of((run.site for run in runs), seed)
    rest, new = ([run for run in runs if (run.site in out) is is_out] for is_out in (False, True))
    values = slopes.fit(rest)
    tested = held_out(rest, slopes.fit, catalog)
    shown, _ = held_by_site(rest, tested.found, catalog, constants)
    left = residuals_of(tested.runs, tested.error, tested.host_share, constants)
    seen = predicted_runs(new, catalog, constants.replaced(values | bands_of_others(left, rest, constants)))
    known = sites_of(rest)
    page = _points(rest, shown, {cell: sites for cell, sites in known.items() if len(sites) > 1})
    stranger = _points(new, seen, known)
    return [
        NeverSeen(
            split=seed,
            size_class=kind,
            sites=len({run.site for run, kind_of, *_ in stranger if kind_of == kind}),
            page_points=len(_of(page, kind)),
            **{f"page_{name}": value for name, value in _figures(_of(page, kind)).items()},
            points=len(_of(stranger, kind)),
            **_figures(_of(stranger, kind)),
        )
        for kind in SIZE_CLASSES
        if _of(stranger, kind)
    ]


def bands_of_others(left: Sequence[Residual], runs: Sequence[Run], constants: ModelConstants) -> dict[Key, float]:
    """Bands, and numbers of sites, that rest on some runs alone; what these do not speak of has the bands of its class."""
    found = band_values(left)
    keys = [(name, index) for name in BAND_NAMES for index in constants.indices(name)]
    nobody = {("measured_sites", index): 0.0 for index in constants.indices("measured_sites")}
    return nobody | site_counts(runs) | pooled_bands(keys, found) | found


Point = tuple[Run, str, float, bool, float]  # a run, a size class, |ln|, whether it is inside, the band's width


def _points(runs: Sequence[Run], found: FoundBy, known: dict[Cell, set[str]]) -> list[Point]:
    """Points of core runs of which other sites speak."""
    out: list[Point] = []
    for run in runs:
        if run.family != CORE:
            continue
        one = found[run.name, run.collective]
        for i, size in enumerate(run.message_bytes):
            kind = size_class(size)
            if known.get((DOMAINS[run.n_domains > 1], kind, run.collective), set()) - {run.site}:
                out.append((run, kind, *_point(one, i)))
    return out


def _point(one: Found, i: int) -> tuple[float, bool, float]:
    return abs(float(one.error[i])), bool(one.is_inside[i]), float(one.high_us[i] / one.low_us[i])


def _of(points: Sequence[Point], kind: str) -> list[Point]:
    return [point for point in points if point[1] == kind]


def _figures(points: Sequence[Point]) -> dict[str, float]:
    error, inside, width = (np.array([point[i] for point in points]) for i in (2, 3, 4))
    return {
        "median": float(np.median(error)),
        "nine_in_ten": float(np.quantile(error, 0.9)),
        "inside": float(inside.mean()),
        "width": float(np.median(width)),
    }


# ---------------------------------------------------------------- platforms that nobody measured

Kind = tuple[str, str]  # (GPU generation, network), ANY for all of them


@lru_cache(maxsize=64)
def generation_of(gpu: str, catalog: Catalog) -> str:
    """By the accelerator's catalog id."""
    return ModelConstants(catalog).generation(catalog.gpus[gpu].architecture)


def kind_of(run: Run, catalog: Catalog) -> Kind:
    """GPU generation and network of a run."""
    return generation_of(run.gpu, catalog), run.fabric


def kinds_of(runs: Sequence[Run], catalog: Catalog) -> list[Kind]:
    """Each generation on each network, and each generation of core runs whole."""
    core = {kind_of(run, catalog)[0] for run in runs if run.family == CORE}
    return sorted({kind_of(run, catalog) for run in runs} | {(generation, ANY) for generation in core})


def is_of(run: Run, kind: Kind, catalog: Catalog) -> bool:
    """Whether a run is of a kind."""
    generation, fabric = kind_of(run, catalog)
    return generation == kind[0] and kind[1] in (fabric, ANY)


def as_neighbour(values: dict[Key, float], kind: Kind, known: set[str], catalog: Catalog) -> dict[Key, float]:
    """Constants that are of the kind alone, or of a generation or network that is not ``known``, as the neighbour's."""
    rows = {(row.name, row.index or ""): float(row.value) for row in catalog.constants.values()}
    unknown = {part for part in kind if part in NEIGHBOURS and part not in known}
    out = {}
    for name, index in rows:
        parts = index.split(".")
        swapped = unknown & set(parts) or ({kind[0]} if set(kind) <= set(parts) else set())
        other = name, ".".join(NEIGHBOURS[part] if part in swapped else part for part in parts)
        if swapped and other in rows and not name.startswith(("measured_", "band_")):
            out[name, index] = values.get(other, rows[other])
    return out


def compared_kinds(runs: Sequence[Run], slopes: Slopes, catalog: Catalog) -> list[Unmeasured]:
    """Each kind, and each of its collectives, as a fit without any of its runs predicts them, never marked as measured.

    Bands are those that the kept folds leave of all other runs.
    """
    constants, out = ModelConstants(catalog), []
    kept = predicted_without(runs, read_folds(FOLDS), catalog)
    left = residuals_of(kept.runs, kept.error, kept.host_share, constants)
    nobody = {("measured_sites", index): 0.0 for index in constants.indices("measured_sites")}
    for kind in kinds_of(runs, catalog):
        rest, new = ([run for run in runs if is_of(run, kind, catalog) is is_new] for is_new in (False, True))
        known = {part for run in rest for part in kind_of(run, catalog)}
        values = slopes.fit(rest)
        values |= as_neighbour(values, kind, known, catalog)
        bands = bands_of_others([one for one in left if not is_of(one.run, kind, catalog)], rest, constants)
        found = predicted_runs(new, catalog, constants.replaced(values | bands | nobody))
        out += _cells(kind, new, found)
    return out


def _cells(kind: Kind, runs: Sequence[Run], found: FoundBy) -> list[Unmeasured]:
    """All collectives of a kind together, then each."""
    points = [
        (run, size_class(size), *_point(found[run.name, run.collective], i))
        for run in runs
        for i, size in enumerate(run.message_bytes)
    ]
    out = []
    for collective in (ANY, *COLLECTIVES):
        for name in SIZE_CLASSES:
            of_cell = [point for point in _of(points, name) if collective in (ANY, point[0].collective)]
            if of_cell:
                out.append(
                    Unmeasured(
                        generation=kind[0],
                        fabric=kind[1],
                        collective=collective,
                        size_class=name,
                        sites=len({run.site for run, *_ in of_cell}),
                        points=len(of_cell),
                        **_figures(of_cell),
                    )
                )
    return out


def main() -> int:
    """Both tables anew."""
    catalog = load_catalog()
    runs = [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]
    slopes = Slopes(runs, free_constants(catalog), catalog)
    splits: list[NeverSeen] = []
    for seed in SEEDS:
        found = compared_split(runs, seed, slopes, catalog)
        splits += found
        for row in found:
            print(row)
    kept = LeftOut(splits=splits, kinds=compared_kinds(runs, slopes, catalog))
    NEVER_SEEN.write_text(json.dumps(rounded(kept.as_json()), indent=1) + "\n", encoding="utf-8")
    return 0


def rounded(value: Any) -> Any:
    """Fractions of plain JSON to four figures."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    raise SystemExit(main())
