"""No design has links without cables unless it says so, with a change under which every link has one."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.errors import InfeasibleDesign, SpecError
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.fabric import Generation
from estimator.spec.parse import parse_spec
from tests.thorough import n_examples

CATALOG = load_catalog()
SERVERS = [key for key, server in CATALOG.servers.items() if server.gpu_count and server.role != "rack"] + ["custom"]
GENERATIONS = get_args(Generation)
TIERS = ("node_leaf", "leaf_spine", "spine_core")


def asked(server: str, generation: str, nodes: int = 20, **fabric: Any) -> dict[str, Any]:
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


def made_of(values: dict[str, Any], *more: str) -> dict[str, Any]:
    return estimate([parse_spec(values, CATALOG)], CATALOG, ("counts", "links", "cables", *more))[0].as_json()


def without_cables(made: dict[str, Any]) -> list[str]:
    fabric = made["fabrics"]["compute"]
    return [tier for tier in TIERS if fabric["links"][tier] and not fabric["cables"][tier]]


def check(values: dict[str, Any]) -> None:
    """Either every tier with links has cables, or an error has a change under which it has, in both forms of the request.

    The change is looked for where changes are wanted, as in a result; a preview names the lack alone.
    """
    plain = made_of(values)
    lost = without_cables(plain)
    if not lost:
        return
    made = made_of(values, "changes")
    named = [found for found in plain["findings"] if found["code"] == "no_part_fits"]
    assert not any(found["change"] for found in named)
    assert len(named) == sum(found["code"] == "no_part_fits" for found in made["findings"])
    errors = {found["field"]: found["change"] for found in made["findings"] if found["code"] == "no_part_fits"}
    severities = {found["severity"] for found in made["findings"] if found["code"] == "no_part_fits"}
    assert severities == {"error"}
    for tier in lost:
        change = errors[f"site.{tier}_m"]
        assert change, (values, tier)
        for request in (values, made["spec"]):
            assert tier not in without_cables(made_of(apply_change(request, change))), (request, change)


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("server", SERVERS)
def test_every_server_has_cables_or_a_way_to_them(server: str, generation: str) -> None:
    check(asked(server, generation))


def leaves_of(generation: str) -> list[str]:
    known = CATALOG.generations[generation]
    return [
        key
        for key, switch in CATALOG.switches.items()
        if switch.protocol == known.protocol and CATALOG.switch_ports(key, known.port_rate_gbit_s)
    ]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    generation = draw(st.sampled_from(GENERATIONS))
    fabric: dict[str, Any] = {
        "leaf_switch": draw(st.sampled_from(leaves_of(generation))),
        "splitters": draw(st.booleans()),
        "layout": draw(st.sampled_from(["rail-optimized", "top-of-rack"])),
    }
    if draw(st.booleans()):
        fabric["uplink_rate_gbit_s"] = draw(st.sampled_from([100, 200, 400, 800]))
    return asked(draw(st.sampled_from(SERVERS)), generation, draw(st.integers(2, 90)), **fabric)


@settings(max_examples=n_examples(100), deadline=None)
@given(requests())
def test_any_leaf_and_splitters_too(values: dict[str, Any]) -> None:
    try:
        made_of(values)
    except (SpecError, InfeasibleDesign):
        return  # refused in so many words, which is no design without cables
    check(values)


@settings(max_examples=n_examples(60), deadline=None)
@given(
    server=st.sampled_from(SERVERS),
    role=st.sampled_from(["storage", "in-band", "converged"]),
    generation=st.sampled_from([None, "roce-100", "roce-200", "roce-400", "roce-800", "ndr"]),
    nodes=st.integers(2, 40),
)
def test_networks_beside_compute_too(server: str, role: str, generation: str | None, nodes: int) -> None:
    entry = {"role": role, "extra_endpoints": 8} | ({"generation": generation} if generation else {})
    values = asked(server, "roce-400", nodes) | {"other_fabrics": [entry]}
    try:
        made = made_of(values, "changes")
    except (SpecError, InfeasibleDesign):
        return  # refused in so many words

    def lost(estimate: dict[str, Any]) -> list[str]:
        (other,) = (fabric for key, fabric in estimate["fabrics"].items() if key != "compute")
        return [tier for tier in TIERS if other["links"][tier] and not other["cables"][tier]]

    if lost(made):
        (found,) = [
            f for f in made["findings"] if f["code"] == "no_part_fits" and f["field"].startswith("other_fabrics")
        ]
        assert found["severity"] == "error"
        assert found["change"], values
        for request in (values, made["spec"]):
            assert not lost(made_of(apply_change(request, found["change"]))), found["change"]


def changes_of(values: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    yield from ((found["code"], found["severity"], found["change"]) for found in made_of(values, "changes")["findings"])


def test_a_connectx_8_as_ethernet_is_proposed_as_two_ports_of_400g() -> None:
    """A DGX B300 on RoCE 800G (EXPECTED.md): a warning, and two planes of 400G that build."""
    values = asked("dgx-b300", "roce-800", 64)
    found = {code: (severity, change) for code, severity, change in changes_of(values)}
    severity, change = found["nic_lacks_port_rate"]
    assert severity == "warning"
    assert (change["fabric.generation"], change["fabric.planes"]) == ("roce-400", 2)
    assert change["compute.nic_ports_per_node"] == 16
    mended = made_of(apply_change(values, change))
    assert not without_cables(mended)
    assert mended["fabrics"]["compute"]["injection_gbit_s"] == 64 * 8 * 800  # nothing of the NICs is lost
    assert not {"nic_lacks_port_rate", "nic_rate_unused", "no_part_fits"} & {f["code"] for f in mended["findings"]}


def test_the_message_names_what_the_adapter_is_in_both_protocols() -> None:
    (message,) = [
        f["message"]
        for f in made_of(asked("hgx-b300-9u", "roce-800"), "changes")["findings"]
        if f["code"] == "nic_lacks_port_rate"
    ]
    assert "no 800 Gb/s Ethernet port" in message
    assert "as Ethernet it is 2 × 400 Gb/s, as InfiniBand 1 × 800 Gb/s" in message


def test_an_adapter_with_the_port_is_not_warned_about() -> None:
    for server, generation in (("dgx-b300", "xdr"), ("dgx-h100", "roce-400"), ("hgx-b200-10u", "ndr")):
        assert "nic_lacks_port_rate" not in {code for code, *_ in changes_of(asked(server, generation))}


def test_slow_servers_are_offered_their_own_rate_or_split_ports() -> None:
    values = asked("hgx-b200-10u", "roce-800", 64)
    found = {code: change for code, _, change in changes_of(values)}
    assert found["no_part_fits"]["fabric.generation"] == "roce-400"
    assert found["nic_below_port_rate"] == found["no_part_fits"]
    assert not without_cables(made_of(asked("hgx-b200-10u", "roce-800", 64, splitters=True)))
