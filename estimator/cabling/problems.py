"""What is reported where no part joins two cages, where a request's own medium does not, and where another one costs less."""

from dataclasses import replace

from estimator.cabling.compatibility import fit_at
from estimator.cabling.ends import Side, TierEnds
from estimator.cabling.media import AUTO, Choice, cheapest_other, choose, options_of
from estimator.cabling.result import Fit
from estimator.cabling.tiers import LEAF_SPINE, SITE_TIERS, site_field
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import PROTOCOL_NAMES
from estimator.errors import Change, Problem
from estimator.units import counted

_KINDS = {
    "copper_patch": "copper",
    "dac": "passive copper cables",
    "acc": "active copper cables",
    "lacc": "active copper cables",
    "aec": "retimed copper cables",
    "aoc": "optical cables",
}
_CHEAPER_BY = 0.8  # of the price of a link: below that a hint is worth a reader's time


def what_is_missing(catalog: Catalog, ends: TierEnds, length_m: float) -> str:
    """Both ends of a tier that nothing joins, and how far the parts that fit reach."""
    question, upper = ends.question, ends.upper
    reach = max((option.most_m for option in options_of(catalog, question)), default=None)
    known = f"parts that fit reach {reach:g} m" if reach else "no part fits both ends at any length"
    place = f"{ends.tier.replace('_', '-')} links of {length_m:g} m"
    cages = f"{upper.cage.links} × {question.rate_gbit_s}G {PROTOCOL_NAMES[question.protocol]} a cage"
    sides = f"{upper.words} ({cages}) to {ends.lower.words}"
    return f"no part in the catalog for {place}: {sides}; {known}"


def refusal(catalog: Catalog, ends: TierEnds, length_m: float, n_links: int) -> Problem | None:
    """Why a medium or a fibre grade that the request names cannot join a tier; None if no part fits these cages at all."""
    question = ends.question
    if question.medium == AUTO and question.fiber_grade is None:
        return None
    if not options_of(catalog, replace(question, medium=AUTO, fiber_grade=None)):
        return None
    asked_medium = question.medium if question.medium != AUTO else None
    asked = " over ".join(text for text in (asked_medium, question.fiber_grade) if text)
    field = f"site.{ends.tier}_medium" if asked_medium else "site.fiber_grade"
    options = options_of(catalog, question)
    links = f"{counted(n_links, 'link')} of {ends.tier.replace('_', '-')}, the longest of {length_m:g} m,"
    way_out = _way_out(catalog, ends, length_m)
    if not options:
        message = f"{links} cannot run over {asked}: no part of it fits both {ends.upper.words} and {ends.lower.words}."
        return Problem(field, "medium_does_not_fit", f"{message} {way_out[0]}", way_out[1])
    reach = max(option.most_m for option in options)
    message = f"{links} cannot run over {asked}: it reaches {reach:g} m, panels included."
    return Problem(field, "reach_exceeded", f"{message} {way_out[0]}", way_out[1])


def _way_out(catalog: Catalog, ends: TierEnds, length_m: float) -> tuple[str, Change | None]:
    question = ends.question
    if question.fiber_grade:
        for grade in ("OM4", "OS2"):
            if choose(catalog, replace(question, fiber_grade=grade), length_m):
                return f"Shorten them, or take {grade} fibre.", {"site.fiber_grade": grade.lower()}
    if choose(catalog, replace(question, medium=AUTO, fiber_grade=None), length_m) is None:
        return "Shorten them: nothing in the catalog reaches as far between these cages.", None
    change: dict[str, str | None] = {f"site.{ends.tier}_medium": AUTO} if question.medium != AUTO else {}
    if question.fiber_grade:
        change["site.fiber_grade"] = None
    return "Shorten them, or leave the medium to the tool.", change


def shared_cage(ends: TierEnds, far: TierEnds, choice: Choice | None, far_choice: Choice | None, n: int) -> Problem:
    """Cages in which the last link of one panel and the first of the next need different plugs."""
    kind = ends.upper.kind
    one, other = (_plug_of(made, end) for made, end in ((choice, ends), (far_choice, far)))
    message = (
        f"On {counted(n, kind)} the last {ends.tier.replace('_', '-')} link and the first {far.tier.replace('_', '-')} "
        f"link share a cage, and one needs {one}, the other {other}: a cage holds one plug. Give each direction "
        f"a multiple of {ends.upper.cage.links} links, or the same medium."
    )
    field = "fabric.leaf_downlinks" if far.tier == LEAF_SPINE else site_field(far.tier)
    return Problem(field, "cage_shared_by_unlike_plugs", message)


def _plug_of(choice: Choice | None, ends: TierEnds) -> str:
    if choice is None:
        return f"a part that the catalog lacks ({ends.tier.replace('_', '-')})"
    return choice.cable.description if choice.upper_module is None else choice.upper_module.description


def cheaper_medium(catalog: Catalog, ends: TierEnds, choice: Choice, length_m: float) -> Problem | None:
    """Another medium of as near a vendor whose typical price a link is well below that of the one chosen."""
    if ends.tier not in SITE_TIERS or ends.question.medium != AUTO:
        return None
    found = cheapest_other(catalog, ends.question, length_m)
    if found is None or found[1] >= found[2] * _CHEAPER_BY:
        return None
    other, other_usd, usd = found
    message = (
        f"{ends.tier.replace('_', '-')} links of {length_m:g} m run over {_said(choice)} at {usd:,.0f} USD a link; "
        f"{_said(other)} typically cost {other_usd:,.0f} USD. The price ranges overlap, so the usual kind was kept: "
        "ask for the other one if your quotations say so."
    )
    field = f"site.{ends.tier}_medium"
    return Problem(field, "cheaper_medium", message[:1].upper() + message[1:], {field: _word(other)})


def _word(choice: Choice) -> str:
    """What a request calls the kind of a choice."""
    return {"lacc": "acc", "copper_patch": "copper"}.get(choice.kind, choice.kind)


def _said(choice: Choice) -> str:
    return f"{choice.medium} transceivers and fibre" if choice.cable.kind == "fiber" else _KINDS[choice.kind]


def mixed_cages(ends: TierEnds, side: Side, n_cages: int) -> Problem:
    """Cages whose links were given different media by hand."""
    message = (
        f"Media set manually leave {counted(n_cages, 'cage')} of {side.words} with two kinds of plug for its "
        f"{ends.tier.replace('_', '-')} links, and both links of a cage end in one transceiver. Set the same medium for all "
        f"links that share these cages, or site.{ends.tier}_medium for the whole tier."
    )
    return Problem("site.set_lengths", "mixed_media_in_cage", message)


def shared_cages_by_link(ends: TierEnds, side: Side, n_cages: int) -> Problem:
    """Cages in which a link of this tier and one of another tier need different plugs."""
    message = (
        f"{counted(n_cages, 'cage')} of {side.words} would hold a {ends.tier.replace('_', '-')} link beside one of another "
        f"tier, and the two need different plugs: a cage holds one. Give each direction a multiple of {side.cage.links} "
        "links, or the same medium and length."
    )
    field = "fabric.leaf_downlinks" if ends.tier == LEAF_SPINE else site_field(ends.tier)
    return Problem(field, "cage_shared_by_unlike_plugs", message)


def fits_of(catalog: Catalog, ends: TierEnds, choice: Choice) -> tuple[Fit | None, Fit | None]:
    """Whether the plugs of a choice go into the upper and the lower place; None where the place is no catalog part."""
    upper, lower = (module or choice.cable for module in (choice.upper_module, choice.lower_module))
    return fit_at(catalog, upper.id, ends.upper.name), fit_at(catalog, lower.id, ends.lower.name)
