"""Watts: worked by hand, capped at a switch's maximum, and never more typical than at most."""

import shutil
from pathlib import Path

import pytest

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import HERE, load_catalog
from estimator.cost.power import design_power, power_of
from tests.estimator.designs import design, superpod_h100


def test_one_switch_by_hand(catalog: Catalog) -> None:
    made = design(catalog, "hgx-h100-8u", 4, "ndr")
    power = power_of(made.spec, made.fabric, made.plan, catalog)
    # switch 747 W + 16 transceivers of 15 W, node side 32 transceivers of 8 W, four servers of 8,300 (10,200) W
    assert power.network_w.as_json() == {"typical": 747 + 16 * 15 + 32 * 8, "max": 1720 + 32 * 8}
    assert power.it_w.as_json() == {"typical": 1243 + 4 * 8300, "max": 1976 + 4 * 10_200}
    assert power.facility_w.as_json() == {
        "typical": pytest.approx(1.3 * 34_443),
        "max": pytest.approx(1.3 * 42_776, abs=0.05),
    }
    assert not power.at_least


def test_the_superpod_adds_its_fabric_managers_modules(catalog: Catalog) -> None:
    made = superpod_h100(catalog)
    power = design_power(made.spec, made.fabric, made.plan, catalog)
    assert power.switches.typical == 48 * (747 + 32 * 15)
    assert power.node_plugs.typical == 508 * 15 + 4 * 8
    assert power.servers.max == 127 * 10_200


def test_each_switch_draws_what_its_own_cages_hold(catalog: Catalog) -> None:
    made = design(catalog, "custom", 18, "edr", tiers=2, leaf_downlinks=18, leaf_uplinks=18)
    assert made.fabric.leaf_down.tolist() == [18] * 8
    assert made.fabric.spine_down.tolist() == [24] * 6
    power = design_power(made.spec, made.fabric, made.plan, catalog)
    assert power.switches.typical == pytest.approx(8 * (136 + 36 * 2.2) + 6 * (136 + 24 * 2.2))
    assert power.switches.max == 14 * 231


def test_a_box_that_holds_two_switches_draws_its_maximum_once(catalog: Catalog) -> None:
    made = design(catalog, "dgx-b300", 9, "xdr", leaf_switch="nvidia-q3200-ra")
    box, spine = catalog.switches["nvidia-q3200-ra"], catalog.switches[str(made.fabric.spine_switch)]
    power = design_power(made.spec, made.fabric, made.plan, catalog)
    assert made.fabric.n_leaf == 8
    assert power.switches.max == 4 * box.max_w + -(-made.fabric.n_spine // spine.switch_units) * spine.max_w


def test_built_in_optics_add_no_watts(catalog: Catalog) -> None:
    """What a switch with optics inside draws holds them already; both sides of leaf-spine links are such."""
    made = design(catalog, "dgx-b300", 64, "xdr", leaf_switch="nvidia-q3450-ld")
    tier = made.plan.tier("leaf_spine")
    assert tier is not None
    assert tier.choice is not None
    assert (tier.choice.upper_plug_w, tier.choice.lower_plug_w) == (0, 0)


def test_a_switch_never_draws_more_than_its_maximum(tmp_path: Path) -> None:
    copy = tmp_path / "catalog"
    shutil.copytree(HERE, copy)
    switches = (copy / "switches.csv").read_text()
    assert ",747,1720," in switches
    (copy / "switches.csv").write_text(switches.replace(",747,1720,", ",747,1000,"))
    tight = load_catalog(copy)
    made = design(tight, "dgx-h100", 32, "ndr")
    power = design_power(made.spec, made.fabric, made.plan, tight)
    assert made.fabric.leaf_down.tolist() == made.fabric.leaf_up.tolist() == [32] * 8
    # 32 transceivers of 15 W would make 1,227 W of a leaf
    assert power.switches.typical == (8 + made.fabric.n_spine) * 1000 == power.switches.max


def test_custom_parts_have_no_known_draw(catalog: Catalog) -> None:
    made = design(catalog, "custom", 4, "ndr")
    power = power_of(made.spec, made.fabric, made.plan, catalog)
    assert power.at_least
    assert power.parts_w["servers"].as_json() == {"typical": 0.0, "max": 0.0}
    assert power.parts_w["nics"].as_json() == {"typical": 32 * 25.0, "max": 32 * 32.0}


def test_the_request_sets_the_pue(catalog: Catalog) -> None:
    made = design(catalog, "hgx-h100-8u", 4, "ndr", economics={"pue": 1.0})
    power = power_of(made.spec, made.fabric, made.plan, catalog)
    assert power.facility_w == power.it_w


@pytest.mark.parametrize("server", ["dgx-h100", "dgx-b300", "gaudi3-8u", "custom"])
@pytest.mark.parametrize("generation", ["hdr", "ndr", "xdr", "roce-400"])
def test_typical_is_never_above_maximum(catalog: Catalog, server: str, generation: str) -> None:
    made = design(catalog, server, 40, generation)
    power = power_of(made.spec, made.fabric, made.plan, catalog)
    for key in ("network_w", "it_w", "facility_w"):
        assert 0 < getattr(power, key).typical <= getattr(power, key).max
