"""Storage and management networks: every port has an address of its network's own subnet, each figure its source."""

import csv
import io
from ipaddress import IPv4Network, ip_address, ip_interface, ip_network

import pytest

from estimator.bringup.plan.facts import chosen
from estimator.bringup.renderings.networks import _subnet, networks
from estimator.bringup.renderings.targets import files_of, targets_of
from estimator.errors import SpecError
from estimator.fabric.devices import LEAF
from estimator.link_list import link_list
from estimator.networks.links import prefix_of
from estimator.spec.network_rules import other_keys
from tests.estimator.bringup.plans import plan_named, plan_of_values
from tests.estimator.bringup.sourced import unsourced

DESIGN = {
    "compute": {"server": "dgx-h100", "nodes": 8},
    "fabric": {"generation": "ndr"},
    "other_fabrics": [
        {"role": "storage", "generation": "roce-200"},
        {"role": "in-band", "generation": "roce-100"},
        {"role": "out-of-band", "generation": "ethernet-1"},
    ],
}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_host_port_of_every_network_has_an_address_of_its_own() -> None:
    plan = plan_of_values(DESIGN)
    files = {file.name: file.text for file in files_of(plan, "networks")}
    assert unsourced([(f"networks/{name}", text) for name, text in files.items()]) == []
    taken: set[str] = set()
    for one in networks(plan):
        made = rows(files[f"{one.key}-addresses.csv"])
        table = link_list(plan.links.spec, plan.links.catalog, one.key).table
        assert len(made) == int((table.a_device < table.devices.first[LEAF]).sum())
        addresses = {row["address"] for row in made}
        assert len(addresses) == len(made)
        assert not addresses & taken
        taken |= addresses
        assert all(ip_interface(row["address"]).network == one.subnet for row in made)
        assert all(ip_address(row["gateway"]) not in {ip_interface(a).ip for a in addresses} for row in made)
        assert all(row["switch"].startswith(prefix_of(one.key)) and row["switch_port"] for row in made)


def test_subnets_do_not_meet_those_of_the_compute_fabric_nor_each_other() -> None:
    found = [one.subnet for one in networks(plan_of_values(DESIGN))]
    own = [ip_network(str(chosen(f"addressing.{what}").value)) for what in ("hosts", "loopbacks")]
    every = [*found, *own]
    assert len(found) == len(other_keys(plan_of_values(DESIGN).links.spec)) == 3
    assert not any(a.overlaps(b) for at, a in enumerate(every) for b in every[at + 1 :])


@pytest.mark.parametrize(
    ("network", "mtu", "flow"),
    [("storage", "9000", "lossless"), ("in-band", "1500", "lossy"), ("out-of-band", "1500", "lossy")],
)
def test_frames_and_classes_follow_the_role(network: str, mtu: str, flow: str) -> None:
    files = {file.name: file.text for file in files_of(plan_of_values(DESIGN), "networks")}
    said = {row["setting"]: row["value"] for row in rows(files["networks.csv"]) if row["network"] == network}
    assert (said["host MTU"], said["class"]) == (mtu, flow)
    assert int(said["switch MTU"]) >= int(mtu)


def test_a_design_of_the_compute_fabric_alone_has_no_such_target() -> None:
    assert "networks" not in targets_of(plan_named("one tier"))
    assert "networks" in targets_of(plan_of_values(DESIGN))


def test_a_network_of_many_ports_has_a_larger_subnet_and_never_leaves_its_range() -> None:
    pool = IPv4Network("10.64.0.0/12")
    assert str(_subnet(pool, 0, 65_532, "storage")) == "10.64.0.0/16"  # its last port is 10.64.255.254
    assert str(_subnet(pool, 0, 65_533, "storage")) == "10.64.0.0/15"
    assert str(_subnet(pool, 0, 79_999, "storage")) == "10.64.0.0/15"
    assert str(_subnet(pool, 2**16, 79_999, "storage")) == "10.66.0.0/15"
    with pytest.raises(SpecError) as error:
        _subnet(pool, 15 * 2**16, 79_999, "storage")
    assert error.value.problems[0].code == "too_many_subnets"
