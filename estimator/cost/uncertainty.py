"""How sure a cost is: draws by chance over price ranges and parameters, and the assumptions that move the total most.

A price or parameter with a range is drawn from a triangle: never outside low and high, most often at typical. Prices of
one vendor move together (VENDOR_CORRELATION), parts of one number entirely; parameters move alone. The same seed gives
the same figures. docs/cost.md, "Uncertainty".
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from estimator.bom.lines import CABLE, FIBER, MANAGEMENT, MODULE, NIC, PANEL, RACK_SYSTEM, SERVER, SWITCH, BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import maker_of
from estimator.cost.inputs import Parameter, Priced
from estimator.cost.model import Money, capital, money
from estimator.cost.result import Histogram, Lever, Likely, Percentiles, Simulated, Uncertainty
from estimator.ranges import Range
from estimator.units import CENTS_PER_USD, FloatArray, IntArray, ceil_div

if TYPE_CHECKING:
    import numpy.typing as npt

DRAWS = 10_000
SEED = 1
VENDOR_CORRELATION = 0.6  # of two parts of one vendor, between their normal scores: docs/cost.md says why
PERCENTILES = (5, 10, 25, 50, 75, 90, 95)
HEADLINE_PERCENTILES = (5, 50, 95)
TORNADO_BARS = 10
HELD = frozenset({"sales-tax"})  # law, not chance: draws take it as typical
HISTOGRAM_BINS = 40
_NAMES = {
    SERVER: "servers",
    RACK_SYSTEM: "rack parts",
    NIC: "NICs",
    SWITCH: "switches",
    MANAGEMENT: "management servers",
    MODULE: "transceivers",
    CABLE: "cables",
    FIBER: "fibres",
    PANEL: "patch panels",
}
_BLOCK = 4_096  # draws at a time
_COLUMNS_KEPT = 512  # columns of at most _BLOCK draws: 4 MB of levels, 4 MB of steps, 16 MB of parameters
_LEVELS = 65_536  # of a uniform number in 16 bits
_STEPS = 1_024  # of a normal score, from -_REACH to _REACH
_REACH = 4.0


class Drawn(NamedTuple):
    """Figures of every draw, in cents: shape (n_draws,)."""

    purchase: FloatArray
    network: FloatArray
    total: FloatArray
    per_gpu_hour: FloatArray


def simulated(drawn: Drawn, n_gpus: int) -> Simulated:
    """``simulated`` of a cost: what is likely of the headline figures, 5 %, half and 95 % of the draws."""
    return Simulated(
        draws=len(drawn.purchase),
        seed=SEED,
        capex_usd=_likely(drawn.purchase),
        network_usd=_likely(drawn.network),
        tco_usd=_likely(drawn.total),
        usd_per_gpu=_likely(drawn.purchase / n_gpus),
        network_usd_per_gpu=_likely(drawn.network / n_gpus),
        usd_per_gpu_hour=_likely(drawn.per_gpu_hour, digits=4),
    )


def _likely(cents: FloatArray, digits: int = 2) -> Likely:
    usd = percentiles(cents, HEADLINE_PERCENTILES) / CENTS_PER_USD
    p5, p50, p95 = (round(value, digits) for value in usd.tolist())
    return Likely(p5=p5, p50=p50, p95=p95)


def uncertainty(
    priced: Priced, catalog: Catalog, draws: int = DRAWS, seed: int = SEED, drawn: Drawn | None = None
) -> Uncertainty:
    """``uncertainty`` of a cost: percentiles, histograms and the tornado."""
    drawn = drawn or draw(priced, catalog, draws, seed)
    figures = {"capex_usd": drawn.purchase, "tco_usd": drawn.total, "usd_per_gpu_hour": drawn.per_gpu_hour}
    digits = {"usd_per_gpu_hour": 4}
    return Uncertainty(
        draws=draws,
        seed=seed,
        vendor_correlation=VENDOR_CORRELATION,
        figures={name: _percentiles(cents, digits.get(name, 2)) for name, cents in figures.items()},
        histogram={name: _histogram(figures[name]) for name in ("capex_usd", "tco_usd")},
        tornado=tornado(priced, catalog),
    )


def _percentiles(cents: FloatArray, digits: int) -> Percentiles:
    usd = percentiles(cents, PERCENTILES) / CENTS_PER_USD
    values = {f"p{rank}": round(value, digits) for rank, value in zip(PERCENTILES, usd.tolist(), strict=True)}
    return Percentiles(**values, mean=round(float(cents.mean()) / CENTS_PER_USD, digits))


def percentiles(values: FloatArray, percents: Sequence[int]) -> FloatArray:
    """Percentiles between neighbouring draws, as ``np.percentile`` has them, which imports ``numpy.ma``: 25 ms of a start."""
    ordered = np.sort(values)
    place = np.asarray(percents) / 100 * (len(ordered) - 1)
    below = np.floor(place).astype(np.int64)
    low, high, share = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)], place - below
    return np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))


def _histogram(cents: FloatArray) -> Histogram:
    counts, edges = np.histogram(cents / CENTS_PER_USD, HISTOGRAM_BINS)
    return Histogram(edges_usd=[round(edge, 2) for edge in edges.tolist()], counts=counts.tolist())


# ---------------------------------------------------------------- draws


def draw(priced: Priced, catalog: Catalog, draws: int, seed: int) -> Drawn:
    """Purchase, total cost and price of a GPU-hour of ``draws`` worlds, in blocks: the first are the same however many."""
    facts, year = priced.facts, priced.facts.years - 1
    groups = price_groups(facts.lines, catalog)
    quantiles = _triangle_tables(priced.unit_cents)
    purchase, network, total, per_hour = (np.empty(draws) for _ in range(4))
    for number, rows in _blocks(draws):
        n = rows.stop - rows.start
        unit_cents = _draw_prices(seed, number, n, quantiles, groups)
        made = money(facts, unit_cents, _draw_parameters(seed, number, n, priced.given))
        purchase[rows], network[rows], total[rows] = made.purchase, made.network, made.total[year]
        per_hour[rows] = made.per_gpu_hour()[year]
    return Drawn(purchase, network, total, per_hour)


def _blocks(draws: int) -> Iterator[tuple[int, slice]]:
    """Numbers of blocks with their draws."""
    for number in range(ceil_div(draws, _BLOCK)):
        yield number, slice(number * _BLOCK, min((number + 1) * _BLOCK, draws))


def draw_purchase(priced: Priced, catalog: Catalog, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """(purchase, network) of ``draw``, which no parameter moves, without what years add to them."""
    groups, quantiles = price_groups(priced.facts.lines, catalog), _triangle_tables(priced.unit_cents)
    purchase, network = np.empty(draws), np.empty(draws)
    for number, rows in _blocks(draws):
        unit_cents = _draw_prices(seed, number, rows.stop - rows.start, quantiles, groups)
        servers, network[rows], facility = capital(priced.facts, unit_cents)
        purchase[rows] = servers + network[rows] + facility
    return purchase, network


class PriceGroups(NamedTuple):
    """Which prices move together: the part of each line and the vendor of each part as numbers from 0, with their names."""

    part_of_line: IntArray
    vendor_of_part: IntArray
    parts: tuple[str, ...]
    vendors: tuple[str, ...]


def price_groups(lines: Sequence[BomLine], catalog: Catalog) -> PriceGroups:
    """Lines of one part have one score, parts of one vendor a common one."""
    names = [line.part or line.description for line in lines]
    parts = {name: number for number, name in enumerate(dict.fromkeys(names))}
    vendor_of = {line.part or line.description: vendor_name(line, catalog) for line in lines}
    vendors = {vendor: number for number, vendor in enumerate(dict.fromkeys(vendor_of.values()))}
    return PriceGroups(
        np.array([parts[name] for name in names], dtype=np.int64),
        np.array([vendors[vendor_of[name]] for name in parts], dtype=np.int64),
        tuple(parts),
        tuple(vendors),
    )


def _stream(seed: int, block: int, kind: str, name: str) -> np.random.PCG64:
    """The draws of one part, vendor or parameter: its own, so that a design with one part more moves no other price."""
    return np.random.PCG64([seed, block, zlib.crc32(f"{kind} {name}".encode())])


def vendor_name(line: BomLine, catalog: Catalog) -> str:
    """Who makes a part; what has no part number stands for itself."""
    part = line.part or ""
    records = (catalog.servers.get(part), catalog.switches.get(part), catalog.nics.get(part), catalog.cables.get(part))
    made = next((record for record in records if record), None)
    return maker_of(made.vendor) if made else line.description


def _draw_prices(seed: int, block: int, n: int, quantiles: FloatArray, groups: PriceGroups) -> FloatArray:
    """Unit prices, shape (n_lines, n): the vendor's score and the part's own, looked up in the line's quantiles.

    Part by part, so that all but the prices stays in the processor's cache. Beyond the last step: that one.
    """
    lines_of: list[list[int]] = [[] for _ in groups.parts]
    for line, part in enumerate(groups.part_of_line.tolist()):
        lines_of[part].append(line)
    out = np.empty((len(groups.part_of_line), n))
    for part, vendor in enumerate(groups.vendor_of_part.tolist()):
        index = _steps_of_part(seed, block, n, groups.parts[part], groups.vendors[vendor]).astype(np.intp)
        for line in lines_of[part]:
            quantiles[line].take(index, out=out[line], mode="clip")
    return out


@lru_cache(maxsize=_COLUMNS_KEPT)
def _steps_of_part(seed: int, block: int, n: int, part: str, vendor: str) -> "npt.NDArray[np.int16]":
    """The step of each draw of a part: no price is in it, so that it serves every design that has the part."""
    own, common = _score_steps()
    score = own.take(_levels(seed, block, n, "part", part)) + common.take(_levels(seed, block, n, "vendor", vendor))
    return _kept(score.astype(np.int16))


@lru_cache(maxsize=_COLUMNS_KEPT)
def _levels(seed: int, block: int, n: int, kind: str, name: str) -> "npt.NDArray[np.uint16]":
    """Uniform numbers in 16 bits: four of each 64 that the stream gives, in a third of the time that a Generator takes."""
    return _kept(_stream(seed, block, kind, name).random_raw(ceil_div(n, 4)).view(np.uint16)[:n])


def _kept(column: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """A column that many designs share: nobody may write into it."""
    column.setflags(write=False)
    return column


@cache
def _score_steps() -> tuple["npt.NDArray[np.float32]", "npt.NDArray[np.float32]"]:
    """What a part's own level and its vendor's add to the number of a step, half a step for rounding included."""
    step = (_STEPS - 1) / (2 * _REACH)
    own = _normal_scores() * ((1 - VENDOR_CORRELATION) ** 0.5 * step) + _STEPS / 2
    return own.astype(np.float32), (_normal_scores() * (VENDOR_CORRELATION**0.5 * step)).astype(np.float32)


@cache
def _normal_scores() -> "npt.NDArray[np.float32]":
    """The normal score of the middle of each level of a 16-bit uniform number."""
    scores = np.linspace(-_REACH - 1, _REACH + 1, 8 * _STEPS)
    return np.interp((np.arange(_LEVELS) + 0.5) / _LEVELS, normal_share(scores), scores).astype(np.float32)


def normal_share(scores: FloatArray) -> FloatArray:
    """Share of normal draws below each score."""
    return 0.5 * (1 + np.array([*map(math.erf, (scores / math.sqrt(2)).tolist())]))


@cache
def _step_shares() -> FloatArray:
    return _kept(normal_share(np.linspace(-_REACH, _REACH, _STEPS)))


def _triangle_tables(ends: FloatArray) -> FloatArray:
    """Quantiles of each line's triangle at the steps of a normal score, shape (n_lines, _STEPS)."""
    shares = _step_shares()
    return triangle_quantile(shares[None, :], ends[:, 0, None], ends[:, 1, None], ends[:, 2, None])


def triangle_quantile(share: FloatArray, low: FloatArray, peak: FloatArray, high: FloatArray) -> FloatArray:
    """The value below which a share of a triangle's draws lie; all three ends alike give that value."""
    width = high - low
    rising = low + np.sqrt(share * width * (peak - low))
    falling = high - np.sqrt((1 - share) * width * (high - peak))
    return np.where(share * width <= peak - low, rising, falling)


def _draw_parameters(seed: int, block: int, n: int, given: Mapping[str, Parameter]) -> dict[str, FloatArray]:
    """Parameters, each alone, shape (n,). What the request gives does not move."""
    return {
        name: np.full(n, one.ends.typical)
        if name in HELD or one.ends.low == one.ends.high
        else _draws_of_parameter(seed, block, n, name, one.ends)
        for name, one in given.items()
    }


@lru_cache(maxsize=_COLUMNS_KEPT)
def _draws_of_parameter(seed: int, block: int, n: int, name: str, ends: Range[float]) -> FloatArray:
    shares = np.random.Generator(_stream(seed, block, "parameter", name)).random(n)
    return _kept(triangle_quantile(shares, *np.array([*ends])[:, None]))


# ---------------------------------------------------------------- tornado


class _Bar(NamedTuple):
    """One assumption at its low and its high end, all others at typical."""

    name: str
    label: str
    unit: str
    low: float
    high: float
    basis: str
    rows: IntArray | None = None  # lines whose price it is; None: a parameter


def tornado(priced: Priced, catalog: Catalog) -> list[Lever]:
    """The assumptions that move the total cost most between their ends, widest first."""
    bars = [*_price_bars(priced, catalog), *_parameter_bars(priced.given)]
    if not bars:
        return []
    unit_cents = np.repeat(priced.unit_cents[:, 1:2], 2 * len(bars), axis=1)
    given = {name: np.full(2 * len(bars), one.ends.typical) for name, one in priced.given.items()}
    for number, bar in enumerate(bars):
        low, high = 2 * number, 2 * number + 1
        if bar.rows is None:
            given[bar.name][[low, high]] = bar.low, bar.high
        else:
            unit_cents[bar.rows, low] = priced.unit_cents[bar.rows, 0]
            unit_cents[bar.rows, high] = priced.unit_cents[bar.rows, 2]
    made: Money = money(priced.facts, unit_cents, given)
    totals = made.total[priced.facts.years - 1].reshape(-1, 2) / CENTS_PER_USD
    order = sorted(range(len(bars)), key=lambda i: -abs(totals[i, 1] - totals[i, 0]))[:TORNADO_BARS]
    return [
        Lever(
            name=bars[i].name,
            label=bars[i].label,
            unit=bars[i].unit,
            low=bars[i].low,
            high=bars[i].high,
            basis=bars[i].basis,
            tco_low_usd=round(float(totals[i, 0]), 2),
            tco_high_usd=round(float(totals[i, 1]), 2),
        )
        for i in order
        if totals[i, 0] != totals[i, 1]
    ]


def _parameter_bars(given: Mapping[str, Parameter]) -> Iterator[_Bar]:
    for one in given.values():
        if one.ends.low != one.ends.high:
            yield _Bar(one.name, one.label, one.unit, one.ends.low, one.ends.high, one.basis)


def _price_bars(priced: Priced, catalog: Catalog) -> Iterator[_Bar]:
    """Prices by category and vendor: what one negotiation is about. Their ends are sums over the bill of materials."""
    groups: dict[tuple[str, str], list[int]] = {}
    for row, line in enumerate(priced.facts.lines):
        groups.setdefault((line.category, vendor_name(line, catalog)), []).append(row)
    bought = priced.facts.capital.sum(axis=0)
    for (category, vendor), rows in groups.items():
        sums = bought[rows] @ priced.unit_cents[rows] / CENTS_PER_USD
        if sums[0] != sums[2]:
            lines = [priced.facts.lines[row] for row in rows]
            label = lines[0].description if vendor == lines[0].description else f"{_NAMES[category]} of {vendor}"
            basis = "assumption" if any(line.is_assumed for line in lines) else str(lines[0].price_basis)
            yield _Bar(
                f"price.{category}.{vendor}",
                f"Prices: {label}",
                "USD",
                float(sums[0]),
                float(sums[2]),
                basis,
                np.array(rows),
            )
