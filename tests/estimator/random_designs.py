"""Random requests for the second route: every option that moves a cage, a cable, a watt or a cent."""

from typing import Any

from hypothesis import strategies as st

CATALOGED = [
    ("dgx-h100", "ndr"),
    ("dgx-h200", "ndr"),
    ("dgx-b200", "ndr"),
    ("hgx-h100-8u", "ndr"),
    ("dgx-b300", "xdr"),
    ("dgx-b300", "roce-800"),
    ("dgx-b300", "roce-400"),
    ("hgx-h200-8u", "roce-400"),
    ("smc-8125gs-mi300x", "roce-400"),
    ("mi355x-4u-lc", "roce-400"),
    ("dgx-a100-640", "hdr"),
    ("gb200-tray", "ndr"),
    ("gb300-tray", "xdr"),
    ("hgx-b200-10u", "roce-400"),
    ("hgx-b300-9u", "roce-800"),
    ("gaudi3-8u", "roce-200"),
]
GENERATIONS = ["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800"]
ROCE_400_LEAVES = [
    "nvidia-sn5600",
    "arista-7060x6-64pe",
    "juniper-qfx5240-64od",
    "generic-th4-64x400",
    "celestica-ds5000",
]


def _some(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any subset of the options."""
    return st.fixed_dictionaries({}, optional=options)


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A request for a design; not every one can be built."""
    is_custom = draw(st.integers(0, 3)) == 0
    server, generation = (
        ("custom", draw(st.sampled_from(GENERATIONS))) if is_custom else draw(st.sampled_from(CATALOGED))
    )
    nodes = draw(st.one_of(st.integers(1, 40), st.integers(1, 300)))
    compute: dict[str, Any] = {"server": server, "nodes": nodes}
    if is_custom:
        ports = draw(st.sampled_from([1, 2, 4, 8]))
        compute |= {"gpus_per_node": ports, "nics_per_node": ports, "nic_ports_per_node": ports}
    fabric = {"generation": generation, **draw(_fabric(nodes, is_custom))}
    if generation == "roce-400" and draw(st.booleans()):
        fabric["leaf_switch"] = draw(st.sampled_from(ROCE_400_LEAVES))
    request: dict[str, Any] = {"compute": compute, "fabric": fabric}
    if draw(st.integers(0, 2)) == 0:
        request["other_fabrics"] = draw(_others())
    request["site"] = draw(_site())
    if draw(st.integers(0, 3)) == 0:
        request["economics"] = draw(_economics())
    return request


@st.composite
def _economics(draw: st.DrawFn) -> dict[str, Any]:
    """Prices, and what is paid once and every year; parameters by their name, most left to the catalog."""
    spares = _some(switches=_share(), optics=_share(), cables=_share(), nics=_share())
    economics: dict[str, Any] = draw(
        _some(
            spares=spares,
            price_book=st.sampled_from(["street", "anchors", "dealer", "branded"]),
            facility=st.sampled_from(["colocation", "own-building", "existing"]),
            years=st.integers(1, 15),
            volume_discount=st.sampled_from([0.03, 0.25, 1 / 3]),
            network_licences=st.booleans(),
            gpu_licences=st.booleans(),
            staff=st.booleans(),
            design_labour=st.booleans(),
            sales_tax=st.sampled_from([0.0, 0.0825, 0.19]),
            warranty_years=st.sampled_from([0, 1, 5]),
            cloud_usd_per_gpu_hour=st.sampled_from([1.99, 4.5]),
            tokens_per_s_per_gpu=st.sampled_from([77, 500]),
        )
    )
    if draw(st.booleans()):
        economics |= draw(
            _some(
                electricity_usd_per_kwh=st.sampled_from([0.0, 0.085, 0.31]),
                pue=st.sampled_from([1.0, 1.27]),
                load_factor=st.sampled_from([0.5, 1]),
                utilization=st.sampled_from([0.33, 1]),
                discount_rate=st.sampled_from([0.0, 0.07]),
                colocation_usd_per_kw_month=st.sampled_from([0, 129.5]),
                support_server=_share(),
                support_switch=_share(),
                support_other=_share(),
                freight=_share(),
                contingency=_share(),
                depreciation_years=st.sampled_from([1, 3.5, 15]),
                residual_value=_share(),
            )
        )
    return economics


def _share() -> st.SearchStrategy[float]:
    return st.sampled_from([0.0, 0.01, 0.02, 0.05, 0.1, 1.0])


@st.composite
def _fabric(draw: st.DrawFn, nodes: int, is_custom: bool) -> dict[str, Any]:
    fabric: dict[str, Any] = draw(
        _some(
            oversubscription=st.sampled_from(["1:1", "2:1", "3:1", "4:3", "5:3"]),
            spine_oversubscription=st.sampled_from(["1:1", "2:1"]),
            tiers=st.sampled_from([1, 2, 3, 3, 3]),
            layout=st.sampled_from(["rail-optimized", "rail-only", "top-of-rack"]),
            planes=st.sampled_from([1, 2]),
            rails_per_leaf=st.sampled_from([1, 2]),
            scalable_unit_nodes=st.integers(1, 40),
            provision=st.sampled_from(["as-bought", "full-unit"]),
            uplink_spread=st.sampled_from(["even", "uneven"]),
            splitters=st.booleans(),
            least_spines=st.integers(1, 3),
            leaf_downlinks=st.integers(1, 40),
            leaf_uplinks=st.integers(1, 40),
            reserved=_some(
                fabric_manager_links=st.integers(0, 6), leaf_ports=st.integers(0, 5), spine_ports=st.integers(0, 5)
            ),
        )
    )
    for key, odds in (
        ("leaf_downlinks", 3),
        ("leaf_uplinks", 3),
        ("scalable_unit_nodes", 2),
        ("tiers", 2),
        ("rails_per_leaf", 2),
    ):
        if draw(st.integers(0, odds)):
            fabric.pop(key, None)
    if draw(st.integers(0, 3)) == 0:
        fabric["pod_nodes"] = fabric.get("scalable_unit_nodes", 1) * draw(st.integers(1, 6))
    if draw(st.booleans()):
        fabric["grow_to_nodes"] = nodes + draw(st.sampled_from([1, 7, 40, 150, nodes, 7 * nodes]))
    if is_custom and draw(st.booleans()):
        radix = draw(st.sampled_from([8, 12, 16, 36]))
        fabric |= {
            "leaf_radix": radix,
            "spine_radix": draw(st.sampled_from([radix, 8, 16])),
            "core_radix": draw(st.sampled_from([radix, 8, 16])),
        }
    return fabric


def _others() -> st.SearchStrategy[list[dict[str, Any]]]:
    roles = ["storage", "in-band", "converged", "out-of-band"]
    entry = st.fixed_dictionaries(
        {"role": st.sampled_from(roles)},
        optional={
            "dual_homed": st.booleans(),
            "extra_endpoints": st.integers(0, 20),
            "nodes_per_leaf": st.integers(2, 12),
        },
    )
    return st.lists(entry, min_size=1, max_size=3, unique_by=lambda one: one["role"])


@st.composite
def _site(draw: st.DrawFn) -> dict[str, Any]:
    site: dict[str, Any] = {}
    if draw(st.integers(0, 2)) == 0:
        site["plan"] = draw(
            _some(
                leaf_placement=st.sampled_from(["per-unit", "end-of-row", "network-row", "in-rack"]),
                row_pitch_m=st.sampled_from([2.0, 5.0, 20.0]),
                racks_per_row=st.sampled_from([4, 8, 16]),
                node_leaf_panels=st.integers(0, 2),
                leaf_spine_panels=st.integers(0, 2),
                spine_core_panels=st.integers(0, 2),
            )
        )
    lengths = st.sampled_from([1.0, 2.0, 2.5, 3.0, 5.0, 30.0, 60.0, 120.0])
    site |= draw(_some(node_leaf_m=lengths, leaf_spine_m=lengths, spine_core_m=lengths))
    media = st.sampled_from(["auto", "multimode", "single-mode", "copper"])
    if draw(st.integers(0, 4)) == 0:
        site |= draw(_some(node_leaf_medium=media, leaf_spine_medium=media, spine_core_medium=media))
    return site
