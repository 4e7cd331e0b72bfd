"""The networks of a phase as it is built: the design by itself, at the ports where the most of what is there stays."""

from collections.abc import Sequence

from estimator.cabling.links import LinkList
from estimator.growth.kept_numbers import with_kept_numbers
from estimator.growth.kept_ports import with_kept_ports
from estimator.growth.kept_seats import with_kept_seats
from estimator.growth.kept_switches import with_kept_switches


def in_place(before: Sequence[LinkList], after: Sequence[LinkList]) -> tuple[LinkList, ...]:
    """The networks of a phase; those that the phase before has too keep as many of its cables in place as they can."""
    known = {links.role: links for links in before}
    return tuple(_kept(known[links.role], links) if links.role in known else links for links in after)


def _kept(before: LinkList, after: LinkList) -> LinkList:
    """First who stands where, as only cables between the same two devices can stay, then at which ports, under which label."""
    for keep in (with_kept_seats, with_kept_switches, with_kept_ports, with_kept_numbers):
        after = keep(before, after)
    return after
