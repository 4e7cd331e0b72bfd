"""Residuals of fits that left a site out → the bands that predictions state, and how many sites speak of each cell.

A cell is one or several scale-up domains × a size class × a collective. Every site has nearly one vote, however many runs
it published (VOTE). A collective that few sites speak of leans on all collectives of its domains and size class.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.calibration.measured import SIZE_CLASSES, Run, size_class
from estimator.catalog.constants import ModelConstants
from estimator.performance.bands import DOMAINS, class_weights, is_tree_uncertain
from estimator.performance.collectives import COLLECTIVES
from estimator.units import FloatArray

Key = tuple[str, str]
TAIL = 0.07
"""Votes left outside on each side: with what few sites and the nearest neighbours add, nine in ten stay inside."""
FEW_SITES = {"large": 4, "mid": 4, "small": 0}
"""Up to how many sites may agree by chance. Below 1 MiB not: what all collectives share there are a few slow hosts."""
LEAN = 2.0  # sites that all collectives together count for beside a collective's own
VOTE = 0.8  # power of a site's points that its weight is divided by: 1 is one vote a site, 0 one a point
BANDED = ("core", "inside", "own")  # families that say how wide bands are
HOST_BOUND = 0.5  # share of the host's loop from which a point speaks of hosts
FLOOR_BYTES = 1024  # messages that cost their start alone
BAND_NAMES, FLOOR_NAMES = ("band_low", "band_high"), ("floor_band_low", "floor_band_high")
SITE_NAMES = ("site_band_low", "site_band_high")


@dataclass(frozen=True)
class Residual:
    """One point that was predicted without its site: ln(measured ÷ predicted)."""

    run: Run
    message_bytes: int
    value: float
    is_banded: bool
    """Whether the bands of its cell are of it: not where a ring may run for a tree, nor over racks, which have bands of
    their own (``ring_edge``, ``band_widening``)."""
    host_share: float = 0.0
    """How far a host's loop over its GPUs makes the time: from half on, the point speaks of hosts alone (``host_band``)."""

    @property
    def cell(self) -> tuple[str, str]:
        """(one or several domains, size class)."""
        return DOMAINS[self.run.n_domains > 1], size_class(self.message_bytes)


def is_run_uncertain(run: Run, constants: ModelConstants) -> bool:
    """True where the library may have run a ring or a tree."""
    domain_gpus = run.scale_up_domain_gpus
    nics_per_domain = int(run.system["nics_per_node"]) * domain_gpus / run.gpus_per_node
    ranks = min(run.gpus, domain_gpus)
    return bool(is_tree_uncertain(run.collective, run.n_domains, nics_per_domain, domain_gpus, ranks, constants))


def _is_banded(run: Run, constants: ModelConstants) -> bool:
    over_racks = run.n_domains > 1 and run.scale_up_domain_gpus > run.gpus_per_node
    return run.family in BANDED and not over_racks and not is_run_uncertain(run, constants)


def residuals_of(
    runs: Sequence[Run], errors: Sequence[FloatArray], host_shares: Sequence[FloatArray], constants: ModelConstants
) -> list[Residual]:
    """Points of runs beside ln(predicted ÷ measured) of each, and how far a host's loop makes its time."""
    return [
        Residual(run, size, -error, _is_banded(run, constants), share)
        for run, of_run, shares in zip(runs, errors, host_shares, strict=True)
        for size, error, share in zip(run.message_bytes, of_run.tolist(), shares.tolist(), strict=True)
    ]


def sites_of(runs: Iterable[Run]) -> dict[tuple[str, str, str], set[str]]:
    """Sites with healthy runs by (domains, size class, collective)."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for run in runs:
        for kind in {size_class(size) for size in run.message_bytes}:
            found.setdefault((DOMAINS[run.n_domains > 1], kind, run.collective), set()).add(run.site)
    return found


def weighted_quantiles(values: Sequence[float], sites: Sequence[str], tail: float) -> tuple[float, float]:
    """(low, high) that leave ``tail`` of the votes on each side."""
    of_site = Counter(sites)
    order = np.argsort(values)
    weight = np.array([of_site[site] ** -VOTE for site in sites])[order]
    at = (np.cumsum(weight) - weight / 2) / weight.sum()
    low, high = np.interp([tail, 1 - tail], at, np.array(values)[order]).tolist()
    return min(low, 0.0), max(high, 0.0)


def band_values(residuals: Sequence[Residual]) -> dict[Key, float]:
    """Values of band_low and band_high by cell, from points of which other sites speak too."""
    sites = sites_of({id(one.run): one.run for one in residuals}.values())
    told = [
        one
        for one in residuals
        if one.is_banded and one.host_share < HOST_BOUND and len(sites[*one.cell, one.run.collective]) > 1
    ]
    out: dict[Key, float] = {}
    for domains in DOMAINS:
        for kind in SIZE_CLASSES:
            of_cell = [one for one in told if one.cell == (domains, kind)]
            if not of_cell:
                continue
            every = np.array(_quantiles(of_cell))
            _put(out, f"{domains}.{kind}", every)
            for collective in COLLECTIVES:
                own = [one for one in of_cell if one.run.collective == collective]
                if own:
                    n_sites = len({one.run.site for one in own})
                    leaning = (n_sites * np.array(_quantiles(own)) + LEAN * every) / (n_sites + LEAN)
                    if n_sites <= FEW_SITES[kind]:  # no narrower than all collectives together
                        leaning = np.array([min(leaning[0], every[0]), max(leaning[1], every[1])])
                    _put(out, f"{domains}.{kind}.{collective}", leaning)
    return out | host_band_values(residuals)


def host_band_values(residuals: Sequence[Residual]) -> dict[Key, float]:
    """Value of host_band, from points that a host's loop makes: of any collective and size, as one host is behind all of them.

    A host may be as much faster as slower than those that are known, and few sites are: both sides have one width.
    """
    hosted = [one for one in residuals if one.is_banded and one.host_share >= HOST_BOUND]
    if not hosted:
        return {}
    off = [abs(one.value) for one in hosted]
    _, high = weighted_quantiles(off, [one.run.site for one in hosted], 2 * TAIL)
    return {("host_band", ""): float(f"{np.exp(high):.3g}")}


def floor_band_values(residuals: Sequence[Residual]) -> dict[Key, float]:
    """Values of floor_band_low and floor_band_high by domains and size class: what is left once a run's own floor is known.

    Of runs that have short messages; these say the floor, and longer ones are measured against it.
    """
    left = [one for run in _by_run(residuals) for one in _without_floor(run)]
    out: dict[Key, float] = {}
    for domains in DOMAINS:
        for kind in SIZE_CLASSES:
            of_cell = [one for one in left if one.cell == (domains, kind)]
            if of_cell:
                _put(out, f"{domains}.{kind}", np.array(_quantiles(of_cell)), FLOOR_NAMES)
    return out


def site_band_values(residuals: Sequence[Residual]) -> dict[Key, float]:
    """Values of site_band_low and site_band_high: what is left of a run once other runs of its site have been fitted.

    A site's fit takes away what its runs have in common at a size class; here that is the median of its other runs.
    """
    of_site: dict[tuple[tuple[str, str], str], list[Residual]] = {}
    for one in residuals:
        if one.is_banded:
            of_site.setdefault((one.cell, one.run.site), []).append(one)
    out: dict[Key, float] = {}
    for domains in DOMAINS:
        for kind in SIZE_CLASSES:
            left = [
                replace(one, value=one.value - common)
                for (cell, _), same in of_site.items()
                if cell == (domains, kind)
                for run, common in _common_of_others(same)
                for one in same
                if one.run is run
            ]
            if left:
                _put(out, f"{domains}.{kind}", np.array(_quantiles(left)), SITE_NAMES)
    return out


def _common_of_others(same: Sequence[Residual]) -> list[tuple[Run, float]]:
    """Each run of a site with the median of what its other runs are off by; none of a site with one run."""
    runs = {id(one.run): one.run for one in same}
    others = {key: [one.value for one in same if id(one.run) != key] for key in runs}
    return [(run, float(np.median(others[key]))) for key, run in runs.items() if others[key]]


def _by_run(residuals: Sequence[Residual]) -> list[list[Residual]]:
    found: dict[int, list[Residual]] = {}
    for one in residuals:
        if one.is_banded:
            found.setdefault(id(one.run), []).append(one)
    return list(found.values())


def _without_floor(run: Sequence[Residual]) -> list[Residual]:
    """Longer messages of a run, less what its short ones were off by as far as a message is short; none without short ones."""
    short = [one.value for one in run if one.message_bytes <= FLOOR_BYTES]
    if not short:
        return []
    floor = float(np.median(short))
    return [
        replace(one, value=one.value - floor * float(class_weights(np.array([one.message_bytes]))[0, 0]))
        for one in run
        if one.message_bytes > FLOOR_BYTES
    ]


def _quantiles(residuals: Sequence[Residual]) -> tuple[float, float]:
    return weighted_quantiles([one.value for one in residuals], [one.run.site for one in residuals], TAIL)


def _put(out: dict[Key, float], index: str, ln_band: FloatArray, names: tuple[str, str] = BAND_NAMES) -> None:
    for name, value in zip(names, np.exp(ln_band).tolist(), strict=True):
        out[name, index] = float(f"{value:.3g}")


def site_counts(runs: Iterable[Run]) -> dict[Key, float]:
    """Values of measured_sites by cell, of core runs."""
    core = [run for run in runs if run.family == "core"]
    return {
        ("measured_sites", f"{domains}.{kind}.{collective}"): float(len(sites))
        for (domains, kind, collective), sites in sites_of(core).items()
    }
