"""Traffic that shares a link: who meets whom, and how much slower each is, against a simulation of random starts."""

import numpy as np
import pytest

from estimator.workloads.paths.contention import Flow, slowdowns
from estimator.workloads.paths.hierarchy import LEAF, PCIE, SCALE_UP, SPINE


def test_traffic_alone_on_its_link_is_not_slowed() -> None:
    found = slowdowns([Flow("tp", SCALE_UP, 0.3), Flow("dp", LEAF, 0.2)])
    assert [(one.usual, one.most, one.others) for one in found] == [(1.0, 1.0, ()), (1.0, 1.0, ())]


def test_kinds_that_wait_for_one_another_never_meet() -> None:
    tp, ep, dp = slowdowns([Flow("tp", LEAF, 0.3), Flow("ep", LEAF, 0.2), Flow("dp", LEAF, 0.1)])
    assert tp.others == ep.others == ("dp",)
    assert dp.others == ("tp", "ep")


def test_what_enters_the_network_shares_a_nic_whatever_its_way_beyond() -> None:
    pp, dp, tp = slowdowns([Flow("pp", SPINE, 0.1), Flow("dp", LEAF, 0.2), Flow("tp", PCIE, 0.3)])
    assert pp.others == ("dp",)
    assert dp.others == ("pp",)
    assert tp.others == ()


def test_at_most_all_of_it_meets_the_other() -> None:
    short, long = slowdowns([Flow("pp", LEAF, 0.1), Flow("dp", LEAF, 0.4)])
    assert short.most == pytest.approx(2.0)  # half of the link while the long one is on it
    assert long.most == pytest.approx(1.25)  # waits for as much as the short one has
    assert 1 < short.usual < short.most
    assert 1 < long.usual < long.most


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.05), (0.05, 0.2), (0.15, 0.15)])
def test_the_usual_slowdown_is_that_of_random_starts(first: float, second: float) -> None:
    """Two transfers a step that start at random and share a link equally while both are on it."""
    rng = np.random.default_rng(3)
    taken = []
    for _ in range(20_000):
        starts = np.array([0.5, rng.uniform(0.0, 1.0)])  # of a step of 1; the second may have begun before
        taken.append(_shared_time(starts, np.array([first, second])))
    usual = slowdowns([Flow("pp", LEAF, first), Flow("dp", LEAF, second)])[0].usual
    assert np.mean(taken) / first == pytest.approx(usual, rel=0.06)


def _shared_time(starts: np.ndarray, work: np.ndarray) -> float:
    """Seconds that the first of two transfers takes."""
    left, now = work.astype(float).copy(), float(starts.min())
    while left[0] > 1e-12:
        active = (starts <= now + 1e-12) & (left > 1e-12)
        rate = 1.0 / max(int(active.sum()), 1)
        ends = [now + left[at] / rate for at in range(2) if active[at]] + [at for at in starts.tolist() if at > now]
        step = min(ends) - now
        left -= np.where(active, rate * step, 0.0)
        now += step
    return now - float(starts[0])
