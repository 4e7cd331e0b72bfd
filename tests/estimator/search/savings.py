"""What a search saves on twelve usual requests: the table of docs/search.md, by ``python -m tests.estimator.search.savings``.

The form's default design against the best one with leaf switch, tiers and spread of uplinks left free, or the spread alone
over MANY GPUs, by the network's typical price. Printed is the table; with ``--write`` the document gets it.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from estimator.pipeline import estimate
from estimator.record import Given
from estimator.spec.parse import parse_spec
from tests.estimator.search.brute_force import CATALOG, searched

DOCUMENT = Path(__file__).parents[3] / "estimator" / "docs" / "search.md"
MANY = 10_000
ASKS = [
    ("dgx-h100", "ndr", 64),
    ("dgx-h100", "ndr", 1_024),
    ("dgx-h100", "ndr", 2_048),
    ("dgx-b200", "ndr", 512),
    ("dgx-b200", "ndr", 2_016),
    ("hgx-b200-10u", "roce-400", 1_024),
    ("hgx-h100-8u", "roce-400", 256),
    ("gb300-tray", "xdr", 1_152),
    ("gb300-tray", "xdr", 100_000),
    ("smc-8125gs-mi300x", "roce-400", 128),
    ("smc-8125gs-mi300x", "roce-400", 1_024),
    ("dgx-h100", "ndr", 16_384),
]
HEAD = (
    "| GPUs | server | generation | default, USD | best, USD | less | what is chosen otherwise |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n"
)


@dataclass(frozen=True)
class Saving:
    """One request: its network by default and at best, typical price, and what differs. [USD]"""

    server: str
    generation: str
    gpus: int
    found_gpus: int
    default_usd: float
    best_usd: float
    chosen: str

    @property
    def row(self) -> str:
        """Its line of the table."""
        less = 1 - self.best_usd / self.default_usd
        shares = f"{less:.1%}".replace("%", " %") if less else "0"
        cells = [f"{self.gpus:,}", f"`{self.server}`", self.generation, *(f"{usd:,.0f}" for usd in self.prices), shares]
        return f"| {' | '.join([*cells, self.chosen])} |"

    @property
    def prices(self) -> tuple[float, float]:
        """Default and best."""
        return self.default_usd, self.best_usd


@lru_cache(maxsize=len(ASKS))
def saving(server: str, generation: str, gpus: int) -> Saving:
    """One request, searched."""
    base = {"compute": {"server": server, "gpus": gpus}, "fabric": {"generation": generation}}
    free = ["uplink_spread"] if gpus > MANY else ["leaf_switch", "tiers", "uplink_spread"]
    best = searched({"base": base, "free": free, "top": 1})["designs"][0]
    default = parse_spec(base, CATALOG)
    (made,) = estimate([default], CATALOG, ("bom", "cost"))
    usd = made.cost.capex_usd.network.typical
    figures = best["figures"]
    saved = figures["network_usd"] < usd
    chosen = _chosen(default.as_json(), parse_spec(best["spec"], CATALOG).as_json()) if saved else "nothing"
    return Saving(server, generation, gpus, figures["gpus"], usd, figures["network_usd"], chosen)


def _chosen(default: Given, best: Given) -> str:
    """In which of the free fields the best design differs."""
    words: list[str] = []
    one, other = default["fabric"], best["fabric"]
    if one["leaf_switch"] != other["leaf_switch"]:
        switch: Any = CATALOG.switches[other["leaf_switch"]]
        words.append(f"{switch.vendor} {switch.model}{'' if switch.managed else ', without a subnet manager on board'}")
    if one["uplink_spread"] != other["uplink_spread"]:
        words.append(f"{other['uplink_spread']} uplinks")
    if one["tiers"] != other["tiers"]:
        words.append(f"{other['tiers']} tiers")
    return "; ".join(words)


def table() -> str:
    """The table as the document has it."""
    return HEAD + "".join(f"{saving(*ask).row}\n" for ask in ASKS)


def main(arguments: list[str]) -> None:
    made = table()
    sys.stdout.write(made)
    if arguments == ["--write"]:
        text = DOCUMENT.read_text()
        start = text.index(HEAD.splitlines()[0])
        end = text.index("\n\n", start) + 1
        DOCUMENT.write_text(text[:start] + made + text[end:])


if __name__ == "__main__":
    main(sys.argv[1:])
