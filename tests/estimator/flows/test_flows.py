"""The flow solver by hand, and the model's uplinks against it on a few of the fabrics whose figures are kept."""

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.flows.check import agreement, cases, kept, model_shares
from estimator.flows.solver import Classes, Loads, fair_rates
from estimator.flows.traffic import all_to_all, fabric_of, ring
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
NEAR = 0.05


def classes(entries: list[tuple[int, int, float]], capacity: list[float], n: int) -> Classes:
    link, of_class, weight = (np.array(column) for column in zip(*entries, strict=True))
    return Classes(Loads(link, of_class, weight.astype(float)), np.array(capacity), n)


def test_flows_share_the_fullest_link_and_the_others_take_what_is_left() -> None:
    """Two flows on a link of 10 and one of them on a link of 2: 2 and 8."""
    found = fair_rates(classes([(0, 0, 1), (0, 1, 1), (1, 1, 1)], [10.0, 2.0], 2))
    np.testing.assert_allclose(found, [8.0, 2.0])


def test_a_class_of_many_flows_loads_a_link_with_all_of_them() -> None:
    np.testing.assert_allclose(fair_rates(classes([(0, 0, 4), (0, 1, 1)], [10.0], 2)), [2.0, 2.0])


def test_flows_without_a_link_have_no_rate() -> None:
    with pytest.raises(ValueError, match="crosses no link"):
        fair_rates(classes([(0, 0, 1)], [10.0], 2))


def test_the_model_is_within_five_per_cent_of_the_solver_on_all_fabrics() -> None:
    rows = kept()
    assert [row.case for row in rows[::2]] == cases()
    assert len(cases()) == 42
    assert max(case.nodes for case in cases()) == 2048
    assert max(abs(row.difference) for row in rows) <= NEAR


def test_the_kept_figures_of_the_model_are_those_of_today_on_all_fabrics() -> None:
    """Without the solver: a change of the model's uplinks shows here, and the comparison with the solver holds for it."""
    rows = kept()
    for at, case in enumerate(cases()):
        for model, row in zip(model_shares(case, CATALOG), rows[2 * at : 2 * at + 2], strict=True):
            assert model == pytest.approx(row.model, abs=1e-3), case
            assert abs(model / row.solver - 1) <= NEAR, case


@pytest.mark.parametrize("at", [0, 9, 22, 28])
def test_kept_figures_are_those_of_model_and_solver(at: int) -> None:
    made = agreement(cases()[at], CATALOG)
    for found, row in zip(made, kept()[2 * at : 2 * at + 2], strict=True):
        assert found.case == row.case
        assert (found.model, found.solver) == pytest.approx((row.model, row.solver), abs=1e-3)


def test_one_rail_has_the_rates_of_all() -> None:
    """Rails of three tiers share no link, so that one of them tells what all get."""
    case = next(case for case in cases() if case.nodes == 256 and case.oversubscription == "2:1")
    fabric = fabric_of(link_list(parse_spec(case.design, CATALOG), CATALOG).table)
    slowest = [float(fair_rates(all_to_all(one, has_rails=True)).min()) for one in (fabric, fabric.one_rail())]
    assert slowest[0] == pytest.approx(slowest[1])
    order = np.random.default_rng(1).permutation(len(fabric.leaf_of))
    slowest = [float(fair_rates(ring(one, order)).min()) for one in (fabric, fabric.one_rail())]
    assert slowest[0] == pytest.approx(slowest[1])
