"""The strip of figures that sums a design up: each with its value, a note, and how the last edit moved it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from designer.wording import numbers
from designer.wording.headlines import Headlines, figure_at, headline, is_floor, limit_name
from designer.wording.trays import word_of
from estimator.fabric.result import Counts, RatedNetwork
from estimator.floor.result import RackSystem
from estimator.performance.result import Performance
from estimator.record import Json
from estimator.result import PricedEstimate
from estimator.units import W_PER_KW

GREATER_OR_EQUAL = "≥ "
LETTERS_OF_A_LINE = 16  # of the narrowest cell with a range, with the comma after it


class Beside(NamedTuple):
    """A figure that shares another's place: its change is shown where the other has not moved."""

    key: str
    change: Callable[[Any], str]


class Figure(NamedTuple):
    """One figure of the strip; ``better`` is the sign of a welcome change, 0 where neither way is better."""

    key: str  # of wording/headlines.py
    name: str
    help: str
    shown: Callable[[Any], str]
    change: Callable[[Any], str]
    better: int = 0
    beside: "Beside | None" = None


def _kw(value: Any) -> str:
    return numbers.watts(None if value is None else value * W_PER_KW)


def _change_kw(value: float) -> str:
    text = _kw(value)
    return text if value < 0 else f"+{text}"


def _change_per_hour(value: float) -> str:
    return f"{numbers.change_usd(value)} an hour"


FIGURES = (
    Figure("gpus", "GPUs", "figure.gpus", numbers.count, numbers.change),
    Figure("switches", "Switches", "figure.switches", numbers.count, numbers.change, -1),
    Figure("cables", "Cables", "figure.cables", numbers.count, numbers.change, -1),
    Figure("modules", "Optics", "figure.transceivers", numbers.count, numbers.change, -1),
    Figure("it_kw", "IT power", "figure.it_power", _kw, _change_kw, -1),
    Figure("capex_usd", "P50 price", "figure.purchase", numbers.usd, numbers.change_usd, -1),
    Figure(
        "usd_per_gpu",
        "P50 a GPU",
        "figure.price_per_gpu",
        numbers.usd,
        numbers.change_usd,
        -1,
        Beside("usd_per_gpu_hour", _change_per_hour),
    ),
    Figure("built_ratio", "Oversub.", "figure.oversubscription", numbers.decimal, numbers.change_number, -1),
    Figure("busbw_gb_s", "All-reduce", "figure.all_reduce", numbers.gb_s, numbers.change_gb_s, 1),
    Figure("all_to_all_gb_s", "All-to-all", "figure.all_to_all", numbers.gb_s, numbers.change_gb_s, 1),
)
IN_FULL = {"Optics": "Transceivers", "Oversub.": "Oversubscription (built)"}  # a cell of the strip has no room for it
NAMES = {figure.help: IN_FULL.get(figure.name, figure.name) for figure in FIGURES}


def summary_rows(
    headlines: Headlines,
    moved: Mapping[str, float] | None,
    estimate: PricedEstimate | None,
    against: Mapping[str, float] | None = None,
) -> list[Json]:
    """A row a figure: what it says, and how far it is from the screen before (``moved``) and the baseline (``against``)."""
    notes = _notes(headlines, estimate) if estimate else {}
    return [
        {
            "name": figure.name,
            "help": figure.help,
            "note": notes.get(figure.key, ""),
            "against": _change(figure, against or {}),
        }
        | cell
        for figure, cell in zip(FIGURES, summary_cells(headlines, moved or {}), strict=True)
    ]


def summary_cells(headlines: Headlines, moved: Mapping[str, float]) -> list[Json]:
    """What the strip says of figures that were kept, without notes: for tables of several designs."""
    return [
        {"key": figure.key, "value": _value(figure, headlines), "change": _change(figure, moved)} for figure in FIGURES
    ]


def _value(figure: Figure, headlines: Headlines) -> str:
    """A figure as it is shown: "≥" before one that is only the least, and a dash where nothing is known of it."""
    value = figure_at(headlines, figure.key)
    if figure.key == "built_ratio":
        return numbers.ratio_to_one(headlines.built) if value is not None else "one tier"
    if not is_floor(headlines, figure.key):
        return figure.shown(value)
    return GREATER_OR_EQUAL + figure.shown(value) if value else numbers.MISSING


def _change(figure: Figure, moved: Mapping[str, float]) -> dict[str, str] | None:
    """The change in words, and whether it is welcome; None for none that shows."""
    key, say = figure.key, figure.change
    if not moved.get(key) and figure.beside:
        key, say = figure.beside
    by = moved.get(key)
    text = say(by) if by else ""
    if not by or not text:
        return None
    welcome = by * figure.better
    tone = "better" if welcome > 0 else "worse" if welcome < 0 else "other"
    return {"text": text, "tone": tone, "way": "up" if by > 0 else "down"}


def _nodes_note(n_nodes: int, word: str, racks: RackSystem | None) -> str:
    """ "127 servers", or "144 trays in 8 racks"."""
    nodes = f"{numbers.count(n_nodes)} {word}{'' if n_nodes == 1 else 's'}"
    return f"{nodes} in {numbers.count(racks.racks)} {'rack' if racks.racks == 1 else 'racks'}" if racks else nodes


def _notes(headlines: Headlines, estimate: PricedEstimate) -> dict[str, str]:
    compute, word = estimate.compute, word_of(estimate.spec.compute.server)
    networks = estimate.fabrics.values()
    in_switches = sum(network.transceivers.switch for network in networks if network.transceivers)
    links = sum(network.links.total for network in networks)
    return {
        "gpus": _nodes_note(compute.counts.nodes, word, estimate.racks),
        "switches": _tiers(compute.counts, headlines.switches),
        "cables": f"{numbers.count(links)} links",
        "modules": "no part fits"
        if is_floor(headlines, "modules") and not headlines.modules
        else f"{numbers.count(in_switches)} in switches",
        "it_kw": f"network {numbers.watts(estimate.power.network_w.typical)}",
        "capex_usd": range_note(headlines.capex_usd_low, headlines.capex_usd_high)
        + (", P5 to P95" if headlines.is_simulated else ""),
        "usd_per_gpu": f"{word}s have no price"
        if estimate.cost.network_share is None
        else f"{numbers.usd_small(headlines.usd_per_gpu_hour)} an hour",
        "built_ratio": _ratio_note(compute),
        "busbw_gb_s": _busbw_note(estimate),
        "all_to_all_gb_s": _all_to_all_note(estimate.performance),
    }


def range_note(low: float, high: float) -> str:
    """Both ends on one line, where the narrowest cell of the strip has room for them; else broken after the dash."""
    ends = [numbers.usd(low), numbers.usd(high)]
    ends = list(dict.fromkeys(ends))
    joiner = numbers.WORD_JOINER if len("–".join(ends)) <= LETTERS_OF_A_LINE else ""
    return f"–{joiner}".join(ends)


def _tiers(counts: Counts, n_switches: int) -> str:
    """Switches of each tier, or of the compute network and of the others: two lines of the strip hold no more."""
    if others := n_switches - counts.switches:
        return f"{numbers.count(counts.switches)} compute, {numbers.count(others)} other"
    if counts.core:
        return " + ".join(numbers.count(number) for number in (counts.leaf, counts.spine, counts.core)) + " in 3 tiers"
    tiers = {"leaf": counts.leaf, "spine": counts.spine}
    return " + ".join(f"{numbers.count(number)} {tier}" for tier, number in tiers.items() if number)


def _ratio_note(compute: RatedNetwork) -> str:
    ratio = compute.oversubscription
    if not compute.counts.spine:
        return "one tier has no uplinks"
    leaf = (
        f"fullest leaf, average {numbers.ratio_to_one(ratio.built)}"
        if ratio.worst_leaf != ratio.built
        else "every leaf"
    )
    has_cores = compute.counts.core and ratio.spine_built != "1:1"
    return leaf + (f", spines {numbers.ratio_to_one(ratio.spine_built)}" if has_cores else "")


def _busbw_note(estimate: PricedEstimate) -> str:
    busbw = headline(estimate.performance)
    if busbw is None:
        return "one GPU has nothing to exchange" if estimate.compute.counts.gpus == 1 else "no GPU model"
    beside = (  # the cell has three short lines; the size is the all-to-all's too, which stands to the right
        f"scattered {numbers.gb_s(busbw.random.busbw_gb_s)}"
        if busbw.random and busbw.random.costs
        else numbers.message_size(busbw.message_bytes)
    )
    return f"limit: {busbw.limited_by}, {beside}"


def _all_to_all_note(performance: Performance) -> str:
    found = performance.all_to_all
    return f"limit: {limit_name(found.limited_by)}, {numbers.message_size(found.message_bytes)}" if found else ""
