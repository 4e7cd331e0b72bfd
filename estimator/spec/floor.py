"""The keys of ``site.plan``, what stands for those left out, and their rules: what a floor plan is made from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from estimator.errors import Problem
from estimator.record import Json
from estimator.spec.checking import Section
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

    rack_units: int | None = Field(
        None,
        ge=10,
        le=60,
        title="Rack height",
        json_schema_extra={"unit": "U"},
        description="Rack units of every rack.",
    )
    reserved_units: int | None = Field(
        None,
        ge=0,
        le=20,
        title="Units kept free",
        json_schema_extra={"unit": "U"},
        description="At the top of each rack: out-of-band switch, patch panels, horizontal PDU.",
    )
    rack_power_kw: float | None = Field(
        None,
        gt=0,
        le=1_000,
        title="Power of a rack",
        json_schema_extra={"unit": "kW"},
        description="What a rack is fed and cooled for. Default: by the server's cooling.",
    )
    rack_weight_kg: float | None = Field(
        None,
        gt=0,
        le=10_000,
        title="Load of a rack",
        json_schema_extra={"unit": "kg"},
        description="Equipment that rack and floor carry.",
    )
    nodes_per_rack: int | None = Field(
        None,
        ge=1,
        le=96,
        title="Nodes in a rack",
        json_schema_extra={"unit": "nodes"},
        description="Default: what power, height, load and the server's own figure allow.",
    )
    switches_per_rack: int | None = Field(
        None,
        ge=1,
        le=60,
        title="Switches in a network rack",
        json_schema_extra={"unit": "switches"},
        description="At most so many, as every one of their cables has to be reached.",
    )
    racks_per_row: int | None = Field(
        None,
        ge=4,
        le=400,
        title="Racks in a row",
        json_schema_extra={"unit": "racks"},
        description="At most so many. Default: as many as make the floor about as deep as it is wide.",
    )
    rack_pitch_m: float | None = Field(
        None,
        ge=0.3,
        le=5,
        title="Rack pitch",
        json_schema_extra={"unit": "m"},
        description="From the middle of one rack to the middle of the next.",
    )
    row_pitch_m: float | None = Field(
        None,
        ge=1,
        le=20,
        title="Row pitch",
        json_schema_extra={"unit": "m"},
        description="From one row to the next: depth of a rack and an aisle.",
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
    tray_height_m: float | None = Field(
        None,
        ge=0,
        le=20,
        title="Tray above racks",
        json_schema_extra={"unit": "m"},
        description="From the top of the racks up to the cable tray.",
    )
    slack_m: float | None = Field(
        None,
        ge=0,
        le=50,
        title="Slack at each end",
        json_schema_extra={"unit": "m"},
        description="From the port to the side of the rack, and a loop for service.",
    )
    slack_share: float | None = Field(
        None, ge=0, le=1, title="Slack on the way", description="Share of the route that bends and detours add."
    )
    node_leaf_panels: int = Field(
        0,
        ge=0,
        le=4,
        title="Panels, node to leaf",
        json_schema_extra={"unit": "panels"},
        description="Patch panels that every such link passes.",
    )
    leaf_spine_panels: int = Field(
        0,
        ge=0,
        le=4,
        title="Panels, leaf to spine",
        json_schema_extra={"unit": "panels"},
        description="Patch panels that every such link passes.",
    )
    spine_core_panels: int = Field(
        0,
        ge=0,
        le=4,
        title="Panels, spine to core",
        json_schema_extra={"unit": "panels"},
        description="Patch panels that every such link passes.",
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
