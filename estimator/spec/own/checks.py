"""Rules of parts of one's own: names that stay apart from the catalog's, ports that a box can have, dates, known ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from estimator.errors import Problem
from estimator.spec.checking import unknown_part
from estimator.spec.own.part import (
    OWN_PREFIX,
    Cage,
    OwnBox,
    OwnCable,
    OwnNetwork,
    OwnNic,
    OwnPart,
    OwnParts,
    OwnServer,
    OwnSwitch,
)
from estimator.spec.own.records import MOST_GBIT_S, cage_title
from estimator.spec.price_book import is_day

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog

TEXTS = ("vendor", "model", "part_number", "source", "note", "cpu")
LONGEST_COPPER_M, LONGEST_OPTICAL_M = 10, 500
_ID = re.compile(r"own-[a-z0-9][a-z0-9.-]*").fullmatch
_MARKUP = re.compile(r"[<>\x00-\x1f\x7f]")


def own_part_problems(own: OwnParts | None, catalog: Catalog, field: str = "own_parts") -> list[Problem]:
    """Everything that is wrong with parts of one's own, at places such as ``own_parts.switches[0].ports``."""
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for kind, at, part in own.all() if own else ():
        place = f"{field}.{kind}[{at}]"
        problems += part_problems(part, own, catalog, place)
        first = seen.setdefault(part.id, place)
        if first != place:
            message = f"'{part.id}' is the id of {first} already. Give each part an id of its own."
            problems.append(Problem(f"{place}.id", "id_taken", message))
    return problems


def part_problems(part: OwnPart, own: OwnParts | None, catalog: Catalog, place: str) -> Iterator[Problem]:
    """What is wrong with one part; ``own`` are those that it may name."""
    yield from _name_problems(part, catalog, place)
    if isinstance(part, OwnBox | OwnNic):
        yield from _power_problems(part, place)
    if isinstance(part, OwnSwitch):
        yield from _switch_problems(part, place)
    elif isinstance(part, OwnNic):
        yield from _rate_problems(part.port_rate_gbit_s, part.cage, f"{place}.port_rate_gbit_s")
    elif isinstance(part, OwnServer):
        yield from _server_problems(part, own, catalog, place)
    elif isinstance(part, OwnCable):
        yield from _cable_problems(part, place)


def _name_problems(part: OwnPart, catalog: Catalog, place: str) -> Iterator[Problem]:
    shown = part.id[:60]
    if catalog.of_files.part(part.id) is not None or part.id in catalog.aliases:
        message = f"'{shown}' is a part of the catalog. Name yours {OWN_PREFIX}{shown}, so that both stay apart."
        yield Problem(f"{place}.id", "id_taken", message)
    elif not _ID(part.id):
        message = (
            f"'{shown}' is no id of a part of your own: {OWN_PREFIX} first, then small letters, digits, dots and dashes, "
            f"such as {OWN_PREFIX}acme-64x800."
        )
        yield Problem(f"{place}.id", "not_an_id", message)
    for name in TEXTS:
        text = getattr(part, name, "")
        if found := _MARKUP.search(text):
            what = f"'{found[0]}'" if found[0] in "<>" else "a control character"
            message = f"{name} is plain text, and holds {what}. Leave markup, line breaks and control characters out."
            yield Problem(f"{place}.{name}", "not_plain_text", message)
        elif name in ("vendor", "model") and not text.strip():
            yield Problem(f"{place}.{name}", "missing", f"'{name}' is needed and holds nothing but spaces.")
    if part.as_of is not None and not is_day(part.as_of):
        message = f"'{part.as_of[:20]}' is no day of the calendar. Write it as 2026-11-02."
        yield Problem(f"{place}.as_of", "not_a_date", message)


def _power_problems(part: OwnBox | OwnNic, place: str) -> Iterator[Problem]:
    if part.typical_w is not None and part.max_w is not None and part.typical_w > part.max_w:
        message = (
            f"It draws {part.typical_w:,g} W typically and {part.max_w:,g} W at most. Exchange them, or leave one out."
        )
        yield Problem(f"{place}.max_w", "power_not_ascending", message)


def _rate_problems(gbit_s: int, cage: Cage, place: str) -> Iterator[Problem]:
    """A cage of this class carries no more than its lanes do."""
    if gbit_s > (most := MOST_GBIT_S[cage]):
        wider = [one for one, rate in MOST_GBIT_S.items() if rate >= gbit_s]
        way_out = f"Take a cage of {', '.join(wider)}, or" if wider else "Take"
        message = f"A {cage_title(cage)} cage carries at most {most:,} Gb/s, and {gbit_s:,} were given. {way_out} a lower rate."
        yield Problem(place, "rate_above_cage", message)


def _switch_problems(part: OwnSwitch, place: str) -> Iterator[Problem]:
    each = part.links_per_cage
    if part.ports % each:
        below = part.ports // each * each
        message = (
            f"Cages of {each} ports give {below:,} or {below + each:,} ports, and {part.ports:,} were given. Take one of these, "
            "or another number of ports a cage."
        )
        yield Problem(f"{place}.ports", "ports_not_whole_cages", message)
    native = each * part.port_rate_gbit_s
    yield from _rate_problems(native, part.cage, f"{place}.port_rate_gbit_s")
    for at, split in enumerate(part.splits):
        total = split.links_per_cage * split.port_rate_gbit_s
        if total > native:
            message = (
                f"{split.links_per_cage} × {split.port_rate_gbit_s:,} Gb/s are more than the {native:,} Gb/s of a cage. Take "
                "fewer links or a lower rate."
            )
            yield Problem(f"{place}.splits[{at}].port_rate_gbit_s", "rate_above_cage", message)


def _server_problems(part: OwnServer, own: OwnParts | None, catalog: Catalog, place: str) -> Iterator[Problem]:
    if part.gpu is not None and part.gpu not in catalog.gpus:
        yield unknown_part(f"{place}.gpu", "GPU", part.gpu, catalog.gpus, "leave it out")
    domain = part.scale_up_domain_gpus
    if domain is not None and max(domain, part.gpus) % min(domain, part.gpus):
        message = f"{part.gpus} GPUs a server and a scale-up domain of {domain} GPUs: one is no multiple of the other."
        yield Problem(f"{place}.scale_up_domain_gpus", "domain_not_whole", message)
    roles = [one.role for one in part.networks]
    if "compute" not in roles:
        message = (
            f"Its networks are {', '.join(roles)}, and a server joins the cluster by one of the role compute. Add it."
        )
        yield Problem(f"{place}.networks", "no_compute_network", message)
    for at, one in enumerate(part.networks):
        here = f"{place}.networks[{at}]"
        if one.role in roles[:at]:
            yield Problem(
                f"{here}.role", "role_twice", f"A server has one network of the role {one.role}. Merge the two."
            )
        yield from _network_problems(one, own, catalog, here)


def _network_problems(one: OwnNetwork, own: OwnParts | None, catalog: Catalog, place: str) -> Iterator[Problem]:
    ports = one.nics * one.ports_per_nic
    cages = one.cages or ports
    if ports % cages:
        message = f"{ports:,} ports do not fill {cages:,} cages evenly. Take a number of cages that divides the ports."
        yield Problem(f"{place}.cages", "ports_not_whole_cages", message)
    else:
        yield from _rate_problems(ports // cages * one.port_rate_gbit_s, one.cage, f"{place}.port_rate_gbit_s")
    if one.nic is None:
        return
    rate = one.ports_per_nic * one.port_rate_gbit_s
    mine = next((nic for nic in own.nics if nic.id == one.nic), None) if own else None
    listed = None if mine else catalog.nics.get(one.nic)
    total = mine.ports * mine.port_rate_gbit_s if mine else listed.total_rate_gbit_s if listed else None
    if total is None:
        known = [*catalog.nics, *(nic.id for nic in (own.nics if own else ()))]
        yield unknown_part(f"{place}.nic", "NIC", one.nic, known, "leave it out")
    elif rate > total:
        message = f"{one.ports_per_nic} × {one.port_rate_gbit_s:,} Gb/s are more than the {total:,} Gb/s of {one.nic}."
        yield Problem(f"{place}.port_rate_gbit_s", "rate_above_nic", message)


def _cable_problems(part: OwnCable, place: str) -> Iterator[Problem]:
    yield from _rate_problems(part.rate_gbit_s, part.a_cage, f"{place}.rate_gbit_s")
    if part.rate_gbit_s % part.branches:
        message = f"{part.rate_gbit_s:,} Gb/s do not part into {part.branches} ends evenly."
        yield Problem(f"{place}.branches", "rate_not_whole", message)
    else:
        yield from _rate_problems(part.rate_gbit_s // part.branches, part.b_cage, f"{place}.rate_gbit_s")
    most = LONGEST_OPTICAL_M if part.kind == "aoc" else LONGEST_COPPER_M
    for at, length in enumerate(part.lengths_m):
        if not 0 < length <= most:
            message = (
                f"A cable of this kind is above 0 and at most {most} m long, and {length:g} m was given. Take another length or "
                "kind."
            )
            yield Problem(f"{place}.lengths_m[{at}]", "out_of_range", message)
