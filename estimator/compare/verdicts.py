"""Which price differences of a comparison are said: between two technologies only what bom/verdict.py lets stand."""

from collections.abc import Sequence

from estimator.bom.verdict import ADAPTERS, ALL, NETWORK, SWITCHES, PriceVerdict, price_verdict, switch_models
from estimator.bom.verdict_words import verdict_words
from estimator.compare.kept import Kept

MONEY_UNITS = ("usd", "usd_hour")
GROUP_OF = {  # figures that move with the prices of switches and NICs
    "network_usd": NETWORK,
    "network_p50_usd": NETWORK,
    "capex_p50_usd": ALL,
    "tco_p50_usd": ALL,
    "network_usd_per_gpu": NETWORK,
    "usd_per_gbit_s_bisection": NETWORK,
    "switches_usd": SWITCHES,
    "adapters_usd": ADAPTERS,
    "capex_usd": ALL,
    "outlay_usd": ALL,
    "opex_usd_per_year": ALL,
    "tco_usd": ALL,
    "usd_per_gpu": ALL,
    "usd_per_gpu_hour": ALL,
    "usd_per_million_tokens": ALL,
    "usd_per_gb_s_busbw": ALL,
    "same_scope_usd": ALL,
    "run_usd": ALL,
    "served_usd_per_million_tokens": ALL,
}


def are_two_technologies(ours: Kept, theirs: Kept) -> bool:
    """Whether two designs have other generations or other models of switches in their compute network."""
    if ours.spec.fabric.generation != theirs.spec.fabric.generation:
        return True
    return switch_models(ours.bom.lines) != switch_models(theirs.bom.lines)


class Verdicts:
    """Verdicts between the sides of a comparison, by place; an offer is a firm price and has none."""

    def __init__(self, estimates: Sequence[Kept | None]) -> None:
        self._estimates = estimates
        self._known: dict[tuple[int, int], PriceVerdict | None] = {}

    def between(self, side: int, other: int) -> PriceVerdict | None:
        """The verdict of two designs of two technologies; None for any other two sides."""
        if (side, other) not in self._known:
            ours, theirs = self._estimates[side], self._estimates[other]
            is_asked = side != other and ours is not None and theirs is not None and are_two_technologies(ours, theirs)
            self._known[side, other] = (
                price_verdict(ours.bom.lines, theirs.bom.lines) if is_asked and ours and theirs else None
            )
        return self._known[side, other]

    def is_open(self, key: str, unit: str, ours: float, theirs: float, side: int, other: int) -> bool:
        """Whether prices can't show which of two amounts is the lower."""
        verdict = self.between(side, other) if unit in MONEY_UNITS and ours != theirs else None
        if verdict is None or not theirs:
            return False
        return verdict.sign(GROUP_OF.get(key, ""), ours / theirs - 1) == 0

    def words(self, side: int, other: int, labels: Sequence[str]) -> str:
        """The verdict on the network's price in words; nothing where there is none."""
        verdict = self.between(side, other)
        return verdict_words(verdict, labels[side], labels[other]) if verdict else ""
