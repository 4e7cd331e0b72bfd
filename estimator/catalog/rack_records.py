"""Records of rack systems: racks that are bought whole, with compute trays, switch trays, power shelves and a frame."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from estimator.catalog.price_records import Price

TRAY, NVLINK_SWITCH, POWER_SHELF, FRAME = "tray", "nvlink-switch", "power-shelf", "frame"
SCALE_UP_SWITCH = "scale-up-switch"  # of other vendors
RACK_FIGURES = (
    "rack_units",
    "width_mm",
    "depth_mm",
    "height_mm",
    "weight_kg",
    "typical_w",
    "max_w",
    "peak_w",
    "liquid_heat_share",
    "shelf_w",
    "switch_tray_w",
    "inlet_max_c",
    "flow_least_l_min",
    "flow_most_l_min",
)
NEEDED_FIGURES = ("rack_units", "typical_w", "max_w", "liquid_heat_share")
PER_MILLE = 1_000  # all parts of a rack together


class RackFigure(NamedTuple):
    """One figure of a rack system with where it comes from."""

    name: str
    value: float
    unit: str
    basis: str
    source: str
    as_of: str
    note: str | None


class RackPart(NamedTuple):
    """Pieces of one kind in a rack; all of them together have ``price_per_mille`` thousandths of the rack's price."""

    id: str
    rack_id: str
    position: int
    holds: str
    model: str
    quantity: int
    rack_units: int
    price_per_mille: int
    price_basis: str
    basis: str
    source: str
    as_of: str
    note: str | None


class RackBlock(NamedTuple):
    """Rack units of a rack that is bought whole: its trays (one a unit), or what stands between them."""

    position: int
    first_unit: int
    n_units: int
    holds: str
    basis: str
    source: str
    as_of: str
    note: str | None


class RackSystem(NamedTuple):
    """A rack that is bought whole; ``tray_id`` is the server that its compute trays are."""

    id: str
    vendor: str
    model: str
    part_numbers: tuple[str, ...]
    status: str
    tray_id: str
    cooling: str
    airflow: str
    note: str | None
    figures: tuple[RackFigure, ...] = ()
    blocks: tuple[RackBlock, ...] = ()
    parts: tuple[RackPart, ...] = ()

    def figure(self, name: str) -> float | None:
        """A figure of the rack; None where none was found."""
        return next((figure.value for figure in self.figures if figure.name == name), None)

    def needed(self, name: str) -> float:
        """One of NEEDED_FIGURES, which loading has checked for."""
        value = self.figure(name)
        if value is None:
            raise ValueError(f"{self.id} has no {name}")
        return value

    @property
    def n_trays(self) -> int:
        """Compute trays of a full rack."""
        return next(part.quantity for part in self.parts if part.holds == TRAY)

    @property
    def top_unit(self) -> int:
        """The highest rack unit that is taken."""
        return max((block.first_unit + block.n_units - 1 for block in self.blocks), default=0)

    @property
    def own_parts(self) -> tuple[RackPart, ...]:
        """What a rack holds beside its compute trays."""
        return tuple(part for part in self.parts if part.holds != TRAY)


def piece_amounts(
    parts: Sequence[RackPart], rack_amount: int, known: Mapping[str, int] | None = None
) -> dict[str, int]:
    """A rack's price → that of one piece of each part, in whole minor units; pieces add up to the rack's price exactly.

    Parts with a price of their own (``known``) keep it, and the others share what is left by their parts of the price,
    rounded down to a piece; the last one takes the remainder. Where nothing is left, they cost nothing.
    """
    out = dict(known or {})
    shared = [part for part in parts if part.id not in out]
    left = max(rack_amount - sum(out[part.id] * part.quantity for part in parts if part.id in out), 0)
    whole = sum(part.price_per_mille for part in shared)
    for part in shared:
        out[part.id] = left * part.price_per_mille // (whole * part.quantity)
    if shared and shared[-1].quantity == 1:
        out[shared[-1].id] += left - sum(out[part.id] * part.quantity for part in shared)
    return out


def part_prices(system: RackSystem, price: Price) -> list[Price]:
    """The prices of a rack's parts that follow from a price of the rack, on the same basis and from the same source."""
    low, typical, high = (piece_amounts(system.parts, cents) for cents in price.cents)
    return [
        price._replace(
            part_id=part.id,
            low_cents=low[part.id],
            typical_cents=typical[part.id],
            high_cents=high[part.id],
            note=share_words(system, part),
            min_quantity=price.min_quantity * part.quantity if price.min_quantity > 1 else 1,
        )
        for part in system.parts
    ]


def share_words(system: RackSystem, part: RackPart) -> str:
    """ "4.5 % of the price of a GB300 NVL72 rack, over 9 pieces: the split is an assumption."."""
    pieces = f", over {part.quantity} pieces" if part.quantity > 1 else ""
    split = "an assumption" if part.price_basis == "assumption" else f"from a {part.price_basis}"
    return f"{part.price_per_mille / 10:g} % of the price of a {system.model} rack{pieces}: the split is {split}."
