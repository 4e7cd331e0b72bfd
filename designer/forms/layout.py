"""The blocks of the design form: what each asks for at once, what it folds away, and what a fold says of its fields."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django import forms

from designer.forms.keys import PLAN, SIZE, field_name
from designer.forms.lines.owned import OWNED
from designer.forms.networks import ROLE_FIELDS, ROLE_KEYS
from designer.forms.parts.cables import OWN_CABLES, names_in

SWITCH_KEYS = ("fabric.leaf_switch", "fabric.spine_switch", "fabric.core_switch")
DIGEST_FIELDS = 24  # of a fold of more, the rest is named by "…"
AUTOMATIC = "Automatic: "


class Section(NamedTuple):
    """Part of a block: fields that show with it, and fields behind "More"."""

    title: str  # "" where the block has but one
    main: tuple[str, ...]
    more: tuple[str, ...] = ()
    is_open: bool = True


class Group(NamedTuple):
    """One of the five blocks of the form."""

    key: str
    title: str
    sections: tuple[Section, ...]
    is_open: bool = False
    short: str = ""  # its name in the row of links

    @property
    def main(self) -> tuple[str, ...]:
        """Paths of the fields that show with the block."""
        return tuple(path for section in self.sections for path in section.main)

    @property
    def more(self) -> tuple[str, ...]:
        """Paths of the fields that wait behind "More"."""
        return tuple(path for section in self.sections for path in section.more)


GROUPS = (
    Group("compute", "Compute", (
        Section("", ("name", "compute.server", SIZE),
                ("compute.nic", "compute.gpu", "compute.gpus_per_node", "compute.nics_per_node", "compute.nic_ports_per_node",
                 "compute.scale_up_domain_gpus")),), is_open=True),
    Group("fabric", "Fabric", (
        Section("Network",
                ("fabric.generation", "fabric.layout", "fabric.oversubscription", "fabric.tiers", "fabric.planes"),
                ("fabric.rails_per_leaf", "fabric.scalable_unit_nodes", "fabric.pod_nodes",
                 "fabric.spine_oversubscription", "fabric.core_groups", "fabric.uplink_spread",
                 "fabric.uplink_rate_gbit_s", "fabric.splitters")),
        Section("Switches and ports", SWITCH_KEYS,
                ("fabric.leaf_radix", "fabric.spine_radix", "fabric.core_radix", "fabric.leaf_downlinks",
                 "fabric.leaf_uplinks", "fabric.least_spines"), is_open=False),
        Section("Growth and reserve",
                ("fabric.provision", "fabric.grow_to_nodes", "phases", "fabric.reserved.fabric_manager_links"),
                ("fabric.reserved.leaf_ports", "fabric.reserved.spine_ports"), is_open=False),
        Section("Other networks", tuple(ROLE_FIELDS), tuple(ROLE_KEYS), is_open=False),
    ), is_open=True),
    Group("site", "Site and cabling", short="Site", sections=(
        Section("Cables", ("site.node_leaf_m", "site.leaf_spine_m", "site.spine_core_m", OWN_CABLES),
                ("site.fiber_grade", "site.node_leaf_medium", "site.leaf_spine_medium", "site.spine_core_medium")),
        Section("Floor plan", (PLAN,),
                ("site.plan.rack_units", "site.plan.reserved_units", "site.plan.rack_power_kw", "site.plan.rack_weight_kg",
                 "site.plan.nodes_per_rack", "site.plan.switches_per_rack", "site.plan.racks_per_row",
                 "site.plan.rack_pitch_m", "site.plan.row_pitch_m", "site.plan.leaf_placement",
                 "site.plan.spine_placement", "site.plan.tray_height_m", "site.plan.slack_m", "site.plan.slack_share",
                 "site.plan.node_leaf_panels", "site.plan.leaf_spine_panels", "site.plan.spine_core_panels")),
    )),
    Group("money", "Money", (
        Section("Prices and use",
                ("economics.price_book", "economics.years", "economics.utilization",
                 "economics.electricity_usd_per_kwh"),
                ("economics.volume_discount", "economics.cloud_usd_per_gpu_hour", "economics.tokens_per_s_per_gpu")),
        Section("Owned already", (OWNED,)),
        Section("Running cost", ("economics.facility", "economics.pue", "economics.load_factor"),
                ("economics.colocation_usd_per_kw_month", "economics.support_server", "economics.support_switch",
                 "economics.support_other", "economics.warranty_years", "economics.network_licences",
                 "economics.gpu_licences", "economics.staff"), is_open=False),
        Section("Paid once, spares, finance", ("economics.discount_rate", "economics.freight", "economics.contingency"),
                ("economics.sales_tax", "economics.design_labour", "economics.depreciation_years",
                 "economics.residual_value", "economics.spares.switches", "economics.spares.optics",
                 "economics.spares.cables", "economics.spares.nics"), is_open=False),
    )),
    Group("workload", "Workload", (
        Section("", ("workload.placement", "workload.load_balancing", "workload.in_network_reduction",
                     "workload.gpudirect"),
                ("workload.stack", "workload.small_message_us", "workload.small_message_gpus")),)),
)  # fmt: skip


class Range(NamedTuple):
    """The span of a slider beside a field; ``stops`` are its values where they are not evenly spaced."""

    low: float = 0
    high: float = 1
    step: float = 0.01
    stops: tuple[str, ...] = ()

    @property
    def stop_list(self) -> str:
        """The stops as the page's script reads them."""
        return " ".join(self.stops)

    @property
    def last(self) -> float:
        """Where the slider ends."""
        return len(self.stops) - 1 if self.stops else self.high


SHARE, FEW_YEARS, METRES = Range(0, 1, 0.01), Range(1, 15, 1), Range(1, 100, 1)
TENTHS = Range(0, 0.3, 0.005)
RATIOS = Range(stops=("1:1", "4:3", "3:2", "2:1", "3:1", "4:1", "5:1", "7:1"))
RANGES = {
    SIZE: Range(stops=tuple(str(8 * 2**n) for n in range(15))),
    "fabric.oversubscription": RATIOS,
    "fabric.spine_oversubscription": RATIOS,
    "site.node_leaf_m": METRES,
    "site.leaf_spine_m": METRES,
    "site.spine_core_m": Range(1, 500, 1),
    "site.plan.rack_power_kw": Range(5, 200, 1),
    "site.plan.slack_share": TENTHS,
    "economics.years": FEW_YEARS,
    "economics.utilization": Range(0.05, 1, 0.01),
    "economics.electricity_usd_per_kwh": Range(0, 0.5, 0.005),
    "economics.pue": Range(1, 2, 0.01),
    "economics.load_factor": Range(0.05, 1, 0.01),
    "economics.discount_rate": TENTHS,
    "economics.volume_discount": Range(0, 0.6, 0.01),
    "economics.cloud_usd_per_gpu_hour": Range(0.05, 12, 0.05),
    "economics.colocation_usd_per_kw_month": Range(0, 500, 5),
    "economics.support_server": TENTHS,
    "economics.support_switch": TENTHS,
    "economics.support_other": TENTHS,
    "economics.freight": TENTHS,
    "economics.contingency": TENTHS,
    "economics.sales_tax": TENTHS,
    "economics.depreciation_years": FEW_YEARS,
    "economics.residual_value": SHARE,
    "economics.warranty_years": Range(0, 10, 1),
    "economics.spares.switches": TENTHS,
    "economics.spares.optics": TENTHS,
    "economics.spares.cables": TENTHS,
    "economics.spares.nics": TENTHS,
}


def shown_value(field: forms.BoundField) -> str:
    """What a field holds, in the words of the page: its text, else what the blank stands for; "" for neither."""
    value, widget = field.value(), field.field.widget
    if isinstance(widget, forms.CheckboxInput):
        return "yes" if value else "no"
    if isinstance(widget, forms.Select):
        return _choice(widget.choices, "" if value is None else str(value)).removeprefix(AUTOMATIC)
    text = "" if value is None else str(value)
    if field.name == field_name(OWN_CABLES):
        return names_in(text, widget.attrs)
    return text or str(widget.attrs.get("placeholder", ""))


def _choice(choices: Iterable[Any], value: str) -> str:
    for key, label in choices:
        if isinstance(label, list | tuple):
            if found := _choice(label, value):
                return found
        elif str(key) == value:
            return str(label)
    return ""


def digest(fields: Iterable[forms.BoundField]) -> list[dict[str, str]]:
    """Name and present value of the folded fields that have one, for the fold's title."""
    rows = [
        {
            "label": str(field.label),
            "value": shown_value(field),
            "name": field.name,
            "unit": str(vars(field.field).get("unit", "")),
        }
        for field in fields
    ]
    return [row for row in rows if row["value"]][:DIGEST_FIELDS]
