"""The keys of ``site.plan``, what stands for those left out, and their rules: what a floor plan is made from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from estimator.errors import Problem
from estimator.record import Json
from estimator.spec.checking import Section, quantity
from estimator.units import W_PER_KW

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog
    from estimator.catalog.records import Server

LeafPlacement = Literal["per-unit", "end-of-row", "middle-of-row", "network-row", "in-rack"]
SpinePlacement = Literal["middle", "network-row", "end-of-row"]
FROM_CATALOG = (
    "rack_units",
    "reserved_units",
    "rack_weight_kg",
    "switches_per_rack",
    "rack_pitch_m",
    "row_pitch_m",
    "tray_height_m",
    "slack_m",
    "slack_share",
)


class SitePlan(Section):
    """Racks, rows and trays: places of all devices and the length of every cable follow from them."""

    rack_units: int | None = quantity("Rack height", "Rack units of every rack.", "U", ge=10, le=60)
    reserved_units: int | None = quantity(
        "Units kept free",
        "At the top of each rack: out-of-band switch, patch panels, horizontal PDU.",
        "U",
        ge=0,
        le=20,
    )
    rack_power_kw: float | None = quantity(
        "Power of a rack", "What a rack is fed and cooled for. Default: by the server's cooling.", "kW", gt=0, le=1_000
    )
    rack_weight_kg: float | None = quantity(
        "Load of a rack", "Equipment that rack and floor carry.", "kg", gt=0, le=10_000
    )
    nodes_per_rack: int | None = quantity(
        "Nodes in a rack", "Default: what power, height, load and the server's own figure allow.", "nodes", ge=1, le=96
    )
    switches_per_rack: int | None = quantity(
        "Switches in a network rack",
        "At most so many, as every one of their cables has to be reached.",
        "switches",
        ge=1,
        le=60,
    )
    racks_per_row: int | None = quantity(
        "Racks in a row",
        "At most so many. Default: as many as make the floor about as deep as it is wide.",
        "racks",
        ge=4,
        le=400,
    )
    rack_pitch_m: float | None = quantity(
        "Rack pitch", "From the middle of one rack to the middle of the next.", "m", ge=0.3, le=5
    )
    row_pitch_m: float | None = quantity(
        "Row pitch", "From one row to the next: depth of a rack and an aisle.", "m", ge=1, le=20
    )
    leaf_placement: LeafPlacement | None = Field(
        None,
        title="Leaves stand",
        description=(
            "Per unit: in the middle of the racks of their scalable unit. End or middle of row: with all leaves of the row. "
            "Network row: with the spines. In rack: above the nodes they serve. Default: in rack for the top-of-rack "
            "layout, else per unit."
        ),
    )
    spine_placement: SpinePlacement = Field(
        "middle",
        title="Spines stand",
        description=(
            "Middle: in rows of their own between the rows they serve. Network row: in rows of their own before them. "
            "End of row: dealt over the ends of the rows. Cores stand in rows of their own."
        ),
    )
    tray_height_m: float | None = quantity(
        "Tray above racks", "From the top of the racks up to the cable tray.", "m", ge=0, le=20
    )
    slack_m: float | None = quantity(
        "Slack at each end", "From the port to the side of the rack, and a loop for service.", "m", ge=0, le=50
    )
    slack_share: float | None = Field(
        None, ge=0, le=1, title="Slack on the way", description="Share of the route that bends and detours add."
    )
    node_leaf_panels: int = quantity(
        "Panels, node to leaf", "Patch panels that every such link passes.", "panels", 0, ge=0, le=4
    )
    leaf_spine_panels: int = quantity(
        "Panels, leaf to spine", "Patch panels that every such link passes.", "panels", 0, ge=0, le=4
    )
    spine_core_panels: int = quantity(
        "Panels, spine to core", "Patch panels that every such link passes.", "panels", 0, ge=0, le=4
    )


def resolved_plan(plan: SitePlan, server: Server | None, layout: str, catalog: Catalog) -> SitePlan:
    """The plan with every default filled in; ``nodes_per_rack`` and ``racks_per_row`` stay None where
    the floor plan computes them.
    """
    update: Json = {
        key: (int if key in _WHOLE else float)(catalog.floor_defaults[key].value)
        for key in FROM_CATALOG
        if getattr(plan, key) is None
    }
    whole = catalog.rack_of(server.id) if server else None
    if plan.rack_power_kw is None:
        cooling = server.cooling if server else "air"
        need_kw = math.ceil(whole.needed("max_w") / W_PER_KW) if whole else 0
        update["rack_power_kw"] = max(catalog.economics[f"rack-kw-{cooling}"].high, need_kw)
    if plan.rack_weight_kg is None:
        update["rack_weight_kg"] = max(update["rack_weight_kg"], math.ceil((whole and whole.figure("weight_kg")) or 0))
    if plan.leaf_placement is None:
        update["leaf_placement"] = "in-rack" if layout == "top-of-rack" else "per-unit"
    return plan.model_copy(update=update)


_WHOLE = ("rack_units", "reserved_units", "switches_per_rack")


def plan_problems(
    plan: SitePlan, server: Server | None, switches: tuple[str | None, ...], catalog: Catalog
) -> Iterator[Problem]:
    """A device that no rack of the plan can hold; ``plan`` is resolved."""
    room = (plan.rack_units or 0) - (plan.reserved_units or 0)
    known = [catalog.switches[part] for part in switches if part and part in catalog.switches]
    heights = {switch.model: switch.rack_units for switch in known}
    if server is None:
        heights["a custom server"] = int(catalog.floor_defaults["custom_node_rack_units"].value)
    else:
        whole = catalog.rack_of(server.id)
        if whole:
            heights[f"a rack of {server.model}"] = whole.top_unit
        else:
            heights[server.model] = server.rack_units
    part, height = max(heights.items(), key=lambda item: item[1])
    if height > room:
        need = height + (plan.reserved_units or 0)
        change = {"site.plan.rack_units": need} if need <= _MOST_UNITS else None
        message = (
            f"{part} is {height} U high, and a rack of {plan.rack_units} U with {plan.reserved_units} U kept free holds "
            f"{max(room, 0)} U. Take racks of {need} U or more, or keep fewer units free."
        )
        yield Problem("site.plan.rack_units", "rack_height_exceeded", message, change)


_MOST_UNITS = 60
