"""What is bought to cable a fabric: runs of like cables, plugs in cages, and the four counts of every tier."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from estimator.cabling.media import Choice
from estimator.cabling.result import CabledTier, CableParts, CableRun, Cables, EndFits, Fit, Lengths, Transceivers
from estimator.cabling.tiers import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SPINE_CORE, TIERS, site_field
from estimator.catalog.records import Cable
from estimator.errors import Problem
from estimator.units import IntArray

if TYPE_CHECKING:
    from estimator.floor.plan import FloorPlan

BY_DEFAULT, BY_REQUEST, BY_PLAN = "default", "request", "plan"


class Run(NamedTuple):
    """Links of one tier over like cables: one choice of parts and one stock length.

    ``choice`` is None where nothing fits and reaches; ``missing`` then says why, and ``length_m`` is the longest of these
    links. A cage counts to the run of its first link. ``n_set`` links have a length that was set manually.
    """

    tier: str
    choice: Choice | None
    length_m: float
    n_links: int
    n_cables: int
    n_upper_cages: int
    n_lower_cages: int
    n_set: int = 0
    missing: str | None = None
    fits: tuple[Fit | None, Fit | None] = (None, None)  # of the upper and the lower plug; None for custom parts

    @property
    def n_upper_modules(self) -> int:
        """Transceivers at the upper ends that count to this run."""
        return self.n_upper_cages if self.choice and self.choice.upper_module else 0

    @property
    def n_lower_modules(self) -> int:
        """Transceivers at the lower ends that count to this run."""
        return self.n_lower_cages if self.choice and self.choice.lower_module else 0

    def answer(self) -> CableRun:
        """Medium, length, parts and the four counts."""
        choice = self.choice
        upper, lower = (choice.upper_module, choice.lower_module) if choice else (None, None)
        return CableRun(
            medium=choice.reported_medium if choice else None,
            length_m=self.length_m,
            links=self.n_links,
            cables=self.n_cables,
            upper_modules=self.n_upper_modules,
            lower_modules=self.n_lower_modules,
            modules=self.n_upper_modules + self.n_lower_modules,
            upper_cages=self.n_upper_cages,
            lower_cages=self.n_lower_cages,
            cages=self.n_upper_cages + self.n_lower_cages,
            set_by_hand=self.n_set,
            fit=EndFits(upper=self.fits[0], lower=self.fits[1]),
            parts=CableParts(
                cable=choice.cable.id if choice else None,
                upper_module=upper.id if upper else None,
                lower_module=lower.id if lower else None,
                cable_name=choice.cable.name if choice else None,
                upper_module_name=upper.name if upper else None,
                lower_module_name=lower.name if lower else None,
            ),
            missing=self.missing,
        )


class Plugs(NamedTuple):
    """Like plugs in the cages of one side: transceivers, or ends of cables (``module`` is None).

    ``counts`` has one entry a switch; nodes and fabric managers have one entry for all of them.
    """

    module: Cable | None
    unit_w: float
    counts: IntArray

    @property
    def n_modules(self) -> int:
        """Transceivers among them."""
        return int(self.counts.sum()) if self.module else 0


class TierCabling(NamedTuple):
    """One tier of links: its runs, and what sits in the cages at both ends.

    Lengths are those requested, before stock lengths; ``length_from`` says what gave them. Each link passes ``panels``
    patch panels.
    """

    tier: str
    runs: tuple[Run, ...]
    upper: tuple[Plugs, ...]
    lower: tuple[Plugs, ...]
    shortest_m: float
    mean_m: float
    longest_m: float
    length_from: str
    panels: int
    is_cage_assumed: bool

    @property
    def choice(self) -> Choice | None:
        """What most of the links run over; None where the catalog has nothing for them."""
        return max(self.runs, key=lambda run: run.n_links).choice

    @property
    def missing(self) -> str | None:
        """What no part of the catalog can join, if any."""
        return next((run.missing for run in self.runs if run.missing), None)

    @property
    def n_links(self) -> int:
        """Links of the tier."""
        return sum(run.n_links for run in self.runs)

    @property
    def n_cables(self) -> int:
        """Cables and fibres bought."""
        return sum(run.n_cables for run in self.runs)

    @property
    def n_set(self) -> int:
        """Links whose length was set manually."""
        return sum(run.n_set for run in self.runs)

    @property
    def n_fibers(self) -> int:
        """Fibres between transceivers: what patch panels are filled with."""
        return sum(run.n_cables for run in self.runs if run.choice and run.choice.cable.kind == "fiber")

    @property
    def upper_plugs(self) -> IntArray:
        """Filled cages by device at the upper ends (for node and manager links: of the leaves)."""
        return _filled(self.upper)

    @property
    def lower_plugs(self) -> IntArray:
        """Filled cages at the lower ends, by switch; one entry for all nodes or managers."""
        return _filled(self.lower)

    @property
    def n_upper_modules(self) -> int:
        """Transceivers in the switches nearer the core."""
        return sum(plugs.n_modules for plugs in self.upper)

    @property
    def n_lower_modules(self) -> int:
        """Transceivers at the other end."""
        return sum(plugs.n_modules for plugs in self.lower)

    def answer(self) -> CabledTier:
        """The tier's four counts, its main medium and parts, and every run."""
        main = max(self.runs, key=lambda run: run.n_links).answer()
        n_upper, n_lower = int(self.upper_plugs.sum()), int(self.lower_plugs.sum())
        return CabledTier(
            links=self.n_links,
            length_m=main.length_m,
            medium=main.medium,
            cables=self.n_cables,
            upper_modules=self.n_upper_modules,
            lower_modules=self.n_lower_modules,
            modules=self.n_upper_modules + self.n_lower_modules,
            upper_cages=n_upper,
            lower_cages=n_lower,
            cages=n_upper + n_lower,
            parts=main.parts,
            missing=self.missing,
            lengths_m=Lengths(
                shortest=round(self.shortest_m, 2),
                mean=round(self.mean_m, 2),
                longest=round(self.longest_m, 2),
                from_=self.length_from,
            ),
            set_by_hand=self.n_set,
            panels_per_link=self.panels,
            runs=[run.answer() for run in self.runs],
        )


def _filled(plugs: tuple[Plugs, ...]) -> IntArray:
    total: IntArray = np.sum([one.counts for one in plugs], axis=0)
    return total


class LinkCabling(NamedTuple):
    """What each link of a link table runs over; columns of shape (n_links,).

    ``cable`` counts from 1; links that share a cable share its number, and a link that takes several has the first of
    them. ``length_m`` is the length requested, ``run`` an index into ``CablePlan.runs``, whose run has the stock length.
    ``is_set`` marks lengths set manually; None where there are none.
    """

    cable: npt.NDArray[np.int32]
    length_m: npt.NDArray[np.float32]
    run: npt.NDArray[np.int16]
    is_set: npt.NDArray[np.bool_] | None = None


class CablePlan(NamedTuple):
    """The cabling of one fabric, one entry for each tier that has links.

    ``blocked`` are things that cannot be built as they stand, ``hints`` what might be done better. ``links`` is the plan
    link by link where lengths differ within a tier, else None; ``floor`` the floor plan, where the request asks for one.
    """

    tiers: tuple[TierCabling, ...]
    blocked: tuple[Problem, ...] = ()
    hints: tuple[Problem, ...] = ()
    links: LinkCabling | None = None
    floor: "FloorPlan | None" = None

    def tier(self, name: str) -> TierCabling | None:
        """One of TIERS, or None if the fabric has no such links."""
        return next((tier for tier in self.tiers if tier.tier == name), None)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs, tier by tier: what ``LinkCabling.run`` counts."""
        return tuple(run for tier in self.tiers for run in tier.runs)

    @property
    def n_switch_modules(self) -> int:
        """Transceivers in switches."""
        between = sum(t.n_lower_modules for t in self.tiers if t.tier in (LEAF_SPINE, SPINE_CORE, LEAF_LEAF))
        return between + sum(t.n_upper_modules for t in self.tiers)

    def n_far_modules(self, tier: str) -> int:
        """Transceivers in nodes (``NODE_LEAF``) or fabric managers (``FABRIC_MANAGER``)."""
        found = self.tier(tier)
        return found.n_lower_modules if found else 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What no part of the catalog can join; the counts stand without it."""
        return tuple(_no_part(tier) for tier in self.tiers if tier.missing)

    @property
    def cables(self) -> Cables:
        """``cables`` of a network in the Estimate."""
        pairs = self.tier(LEAF_LEAF)
        return Cables(
            **{name: tier.n_cables if (tier := self.tier(name)) else 0 for name in TIERS},
            leaf_leaf=pairs.n_cables if pairs else None,
        )

    @property
    def transceivers(self) -> Transceivers:
        """``transceivers`` of a network in the Estimate."""
        return Transceivers(
            node=self.n_far_modules(NODE_LEAF),
            switch=self.n_switch_modules,
            fabric_manager=self.n_far_modules(FABRIC_MANAGER),
        )

    @property
    def media(self) -> dict[str, CabledTier]:
        """``media`` of a network in the Estimate: the parts of each tier."""
        return {tier.tier: tier.answer() for tier in self.tiers}


def _no_part(tier: TierCabling) -> Problem:
    missing = tier.missing or ""
    change = (
        "Change the length or a switch" if "parts that fit reach" in missing else "Take another switch or generation"
    )
    way_out = f"{change}, or add the part to the catalog: until then these cables are neither counted nor priced."
    return Problem(site_field(tier.tier), "no_part_fits", f"{missing[:1].upper()}{missing[1:]}. {way_out}")
