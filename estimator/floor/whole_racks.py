"""Racks that are bought whole: how many a design has, and what they hold, draw and weigh beside their compute trays.

The rule (docs/cost.md): a rack comes whole in switch trays, power shelves and frame; compute trays are bought as many as
asked for. What a rack draws and weighs beyond its trays is its own parts'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from estimator.catalog.rack_records import NVLINK_SWITCH, POWER_SHELF, SCALE_UP_SWITCH, TRAY, RackSystem
from estimator.floor import result
from estimator.units import ceil_div

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog
    from estimator.catalog.records import Server
    from estimator.spec.design import DesignSpec

FIGURE_LABELS = {
    "rack_units": "Height in rack units",
    "width_mm": "Width",
    "depth_mm": "Depth",
    "height_mm": "Height",
    "weight_kg": "Weight",
    "typical_w": "Typical draw",
    "max_w": "Maximum draw",
    "peak_w": "Peak draw",
    "liquid_heat_share": "Heat that liquid takes",
    "shelf_w": "Rating of a power shelf",
    "switch_tray_w": "Draw of a switch tray",
    "inlet_max_c": "Warmest inlet",
    "flow_least_l_min": "Least coolant flow",
    "flow_most_l_min": "Most coolant flow",
}
SWITCH_TRAYS = (NVLINK_SWITCH, SCALE_UP_SWITCH)
MANY = {
    TRAY: "compute trays",
    NVLINK_SWITCH: "NVLink switch trays",
    SCALE_UP_SWITCH: "scale-up switch trays",
    POWER_SHELF: "power shelves",
}


class OwnParts(NamedTuple):
    """What a rack's own parts draw and weigh, compute trays left out."""

    typical_w: float
    max_w: float
    weight_kg: float


class WholeRacks(NamedTuple):
    """The racks of a design whose servers are compute trays."""

    system: RackSystem
    tray: Server
    n_trays: int

    @property
    def n_racks(self) -> int:
        """Racks that are bought: the last one may have free places."""
        return ceil_div(self.n_trays, self.system.n_trays)

    @property
    def n_full(self) -> int:
        """Racks with all their compute trays."""
        return self.n_trays // self.system.n_trays

    @property
    def in_last(self) -> int:
        """Compute trays of the last rack."""
        return self.n_trays - (self.n_racks - 1) * self.system.n_trays

    @property
    def own(self) -> OwnParts:
        """What one rack's own parts draw and weigh."""
        return own_parts(self.system, self.tray)

    @property
    def liquid_w(self) -> float:
        """Heat that liquid takes at most."""
        watts = self.n_trays * self.tray.max_w + self.n_racks * self.own.max_w
        return watts * self.system.needed("liquid_heat_share")

    def shown(self, catalog: Catalog) -> result.RackSystem:
        """``racks`` of the Estimate."""
        own, system = self.own, self.system
        return result.RackSystem(
            system=system.id,
            model=f"{system.vendor} {system.model}",
            racks=self.n_racks,
            full=self.n_full,
            trays=self.n_trays,
            trays_per_rack=system.n_trays,
            trays_in_last=self.in_last,
            gpus_per_rack=system.n_trays * self.tray.gpu_count,
            in_words=", ".join(f"{part.quantity} {MANY[part.holds]}" for part in system.parts if part.holds in MANY),
            holds=[
                result.RackContent(
                    part=part.id,
                    what=part.holds,
                    description=part.model,
                    per_rack=part.quantity,
                    rack_units=part.rack_units,
                    basis=part.basis,
                    source=catalog.source_text(part.source, part.as_of),
                )
                for part in system.parts
            ],
            rack_w=result.Watts(
                typical=round(system.n_trays * self.tray.typical_w + own.typical_w, 1),
                max=round(system.n_trays * self.tray.max_w + own.max_w, 1),
            ),
            own_w=result.Watts(typical=round(own.typical_w, 1), max=round(own.max_w, 1)),
            rack_kg=system.figure("weight_kg"),
            cooling=system.cooling,
            figures=[
                result.RackFigure(
                    name=one.name,
                    label=FIGURE_LABELS[one.name],
                    value=one.value,
                    unit=one.unit,
                    basis=one.basis,
                    source=catalog.source_text(one.source, one.as_of),
                    note=one.note,
                )
                for one in system.figures
            ],
        )


def whole_racks(spec: DesignSpec, n_nodes: int, catalog: Catalog) -> WholeRacks | None:
    """The racks of so many compute trays; None for servers that stand by themselves."""
    system, tray = catalog.rack_of(spec.compute.server), catalog.server(spec.compute.server)
    return WholeRacks(system, tray, n_nodes) if system and tray else None


def own_parts(system: RackSystem, tray: Server) -> OwnParts:
    """A rack less its compute trays.

    A tray's typical draw is distinguished from the rack's: the rack's own parts draw no more typically than at most.
    """
    max_w = max(system.needed("max_w") - system.n_trays * tray.max_w, 0.0)
    typical_w = min(max(system.needed("typical_w") - system.n_trays * tray.typical_w, 0.0), max_w)
    weight_kg = max((system.figure("weight_kg") or 0.0) - system.n_trays * (tray.weight_kg or 0.0), 0.0)
    return OwnParts(typical_w, max_w, weight_kg)
