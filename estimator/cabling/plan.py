"""A sized fabric → cables, fibres and transceivers, tier by tier; and the same link by link.

Links are connections at one port rate; cables are things bought; transceivers serve as many links as their cage carries and
are rounded up for each switch and each direction of its panel. A tier of one length is counted in closed form. Where
lengths differ (a floor plan, lengths set manually) the link table is cabled link by link, in by_link.py.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from estimator.cabling.breakouts import breakout_problems
from estimator.cabling.ends import TierEnds, shared_cages, tier_ends
from estimator.cabling.keys import cable_of_links, numbered
from estimator.cabling.media import Choice, choose, piece_m
from estimator.cabling.problems import cheaper_medium, fits_of, refusal, shared_cage, what_is_missing
from estimator.cabling.runs import BY_DEFAULT, BY_REQUEST, CablePlan, LinkCabling, Plugs, Run, TierCabling
from estimator.cabling.tiers import FABRIC_MANAGER, TIER_NAMES
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import LinkTable
from estimator.spec.design import DesignSpec
from estimator.units import IntArray, ceil_div

if TYPE_CHECKING:
    from estimator.floor.plan import FloorPlan


def cable_plan(
    spec: DesignSpec,
    fabric: SizedFabric,
    catalog: Catalog,
    role: str = COMPUTE,
    table: LinkTable | None = None,
    floor: "FloorPlan | None" = None,
) -> CablePlan:
    """Cables and transceivers of a sized fabric.

    The length of a link is that set manually (``site.set_lengths``), else that of its tier (``site.node_leaf_m`` …), else
    that of the floor plan (``site.plan``), else the catalog's default for the tier. A twin copper cable (two links between
    the same two cages) is taken only where all links of a cage end in one cage on the far side. Splitter cables are
    counted for each leaf, ⌈used links ÷ links a cable⌉. ``table`` saves making the link table where it is at hand;
    ``floor`` is the design's (designs/networks.py makes it), None for lengths without one.

    Raises
    ------
    InfeasibleDesign
        If a medium or fibre grade that the request names does not fit or reach, or a length is set for devices that no
        link joins.
    """
    ends = tier_ends(spec, fabric, catalog, role)
    by_hand = any(entry.fabric == role for entry in spec.site.set_lengths)
    if by_hand or floor is not None:
        from estimator.cabling.by_link import cabled_by_link  # for a fast start: most lengths are those of a tier

        return cabled_by_link(spec, fabric, catalog, role, ends, table, floor)
    choices = {tier.tier: choose(catalog, tier.question, tier.length_m or 0.0) for tier in ends}
    refused = [
        problem
        for tier in ends
        if choices[tier.tier] is None and (problem := refusal(catalog, tier, tier.length_m or 0.0, tier.n_links))
    ]
    if refused:
        raise InfeasibleDesign(refused)
    cages = {tier.tier: [tier.upper.cages, tier.lower.cages] for tier in ends}
    blocked = (*breakout_problems(fabric, catalog), *_share_cages(ends, choices, cages, catalog))
    tiers = tuple(_tier(tier, choices[tier.tier], cages[tier.tier], catalog) for tier in ends)
    hints = [
        cheaper_medium(catalog, tier, choice, tier.length_m or 0.0) for tier in ends if (choice := choices[tier.tier])
    ]
    return CablePlan(tiers, blocked, tuple(hint for hint in hints if hint))


def link_cabling(plan: CablePlan, table: LinkTable) -> LinkCabling:
    """The plan, link by link; ``table`` is that of the fabric the plan was made for."""
    if plan.links is not None:
        return plan.links
    n_links = len(table)
    out = LinkCabling(np.empty(n_links, np.int32), np.empty(n_links, np.float32), np.empty(n_links, np.int16))
    next_cable = 1
    for number, (tier, run) in enumerate(zip(plan.tiers, plan.runs, strict=True)):
        rows = table.rows(TIER_NAMES.index(tier.tier))
        choice = run.choice
        out.run[rows] = number
        out.length_m[rows] = tier.longest_m
        if choice is None or choice.links_per_cable == 1:
            step = choice.cables_per_link if choice else 1
            cable = np.arange(tier.n_links) * step
        else:
            cable = numbered(cable_of_links(table, rows, choice))
        out.cable[rows] = next_cable + cable
        next_cable += tier.n_cables or tier.n_links
    return out


# ---------------------------------------------------------------- closed form


def _tier(ends: TierEnds, choice: Choice | None, cages: list[IntArray], catalog: Catalog) -> TierCabling:
    """One tier of one length."""
    asked = ends.length_m or 0.0
    upper, lower = cages
    run = Run(
        tier=ends.tier,
        choice=choice,
        length_m=piece_m(choice, asked) if choice else asked,
        n_links=ends.n_links,
        n_cables=_n_cables(choice, ends),
        n_upper_cages=int(upper.sum()),
        n_lower_cages=int(lower.sum()),
        missing=None if choice else what_is_missing(catalog, ends, asked),
        fits=fits_of(catalog, ends, choice) if choice else (None, None),
    )
    return TierCabling(
        tier=ends.tier,
        runs=(run,),
        upper=(Plugs(choice.upper_module if choice else None, choice.upper_plug_w if choice else 0.0, upper),),
        lower=(Plugs(choice.lower_module if choice else None, choice.lower_plug_w if choice else 0.0, lower),),
        shortest_m=asked,
        mean_m=asked,
        longest_m=asked,
        length_from=BY_DEFAULT if ends.is_default_length else BY_REQUEST,
        panels=ends.question.panels,
        is_cage_assumed=ends.is_assumed,
    )


def _n_cables(choice: Choice | None, ends: TierEnds) -> int:
    """Cables bought: one for each plug of the lower tier (twin), for each cage of the leaves (splitters), or a link.

    Twin cables counted so equal the sum over pairs of switches, because each pair's links fill whole cables.
    """
    if choice is None:
        return 0
    if choice.is_twin:
        return int(ends.lower.cages.sum())
    if choice.links_per_cable > 1:
        return int(ceil_div(ends.upper.used, choice.links_per_cable).sum())
    return ends.n_links * choice.cables_per_link


def are_alike(one: Choice | None, other: Choice | None, is_upper: bool) -> bool:
    """Links of two tiers may end in one transceiver of a switch: the same transceiver, and straight fibres on both.

    The first tier has the switch at its upper end; ``is_upper`` says that the other one has, too.
    """
    if one is None or other is None or one.upper_module is None:
        return False
    module = other.upper_module if is_upper else other.lower_module
    return one.upper_module == module and one.links_per_cable == other.links_per_cable == 1


def _share_cages(
    all_ends: tuple[TierEnds, ...],
    choices: dict[str, Choice | None],
    cages: dict[str, list[IntArray]],
    catalog: Catalog,
) -> Iterator[Problem]:
    """Count a cage once that links of two tiers share, and tell where what they need in it differs.

    ``cages`` (upper and lower filled cages by tier) is changed in place: a shared cage counts to the tier nearer the nodes.
    So is the choice of fabric managers' links, which follow the medium of the node links that they share cages with.
    """
    for ends, far, shared in shared_cages(all_ends):
        choice = choices[ends.tier]
        is_upper = far.upper.kind == ends.upper.kind
        if far.tier == FABRIC_MANAGER and choice and choice.upper_module:
            alike = choose(catalog, replace(far.question, medium=choice.medium), far.length_m or 0.0)
            choices[far.tier] = alike or choices[far.tier]
        far_choice = choices[far.tier]
        if are_alike(choice, far_choice, is_upper):
            cages[far.tier][0 if is_upper else 1] = cages[far.tier][0 if is_upper else 1] - shared
        else:
            yield shared_cage(ends, far, choice, far_choice, int(shared.sum()))
