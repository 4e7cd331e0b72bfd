"""Findings about the parts that a design buys: announced ones, and questions that only their vendor can settle."""

from collections.abc import Iterator, Sequence

from estimator.bom.lines import BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Switch
from estimator.findings.finding import Finding
from estimator.spec.design import DesignSpec
from estimator.spec.own.likeness import Assumed
from estimator.spec.own.overlay import assumed_of

ANNOUNCED = "announced"
_SWITCH_KEYS = ("leaf_switch", "spine_switch", "core_switch")


def part_findings(spec: DesignSpec, lines: Sequence[BomLine], catalog: Catalog) -> Iterator[Finding]:
    """What an architect should know of the parts on a bill of materials, each part once."""
    for part in dict.fromkeys(line.part for line in lines if line.part):
        kind, record = catalog.part(part) or ("", None)
        name = str(getattr(record, "model", None) or getattr(record, "description", part))
        if getattr(record, "status", None) == ANNOUNCED:
            yield _announced(spec, part, name, record, catalog)
        for question in catalog.questions_of(part):
            if question.matters == "order":
                yield Finding("part_question", "warning", _key_of(spec, part, kind), f"{name}: {question.question}")


def own_findings(spec: DesignSpec, lines: Sequence[BomLine], catalog: Catalog) -> Iterator[Finding]:
    """What is assumed of parts of one's own, of a NIC that was chosen, and which parts are there already."""
    assumed = assumed_of(spec.own_parts, catalog)
    for part in dict.fromkeys(line.part for line in lines if line.part in assumed):
        name = _name_of(part or "", catalog)
        if found := [_figure_words(one, one.value) for one in assumed[part or ""] if one.value is not None]:
            message = f"{name} is a part of your own without all figures. Assumed: {'; '.join(found)}. Give them."
            yield Finding("own_part_assumed", "info", "own_parts", message)
        if missing := [_FIGURES[one.field] for one in assumed[part or ""] if one.value is None]:
            message = f"{name} is a part of your own, and no total counts what is not known of it: {', '.join(missing)}. Give it."
            yield Finding("own_part_unknown", "warning" if _POWER in missing else "info", "own_parts", message)
    server, nic = catalog.server(spec.compute.server), catalog.nics.get(spec.compute.nic or "")
    if server and nic and (own := catalog.of_files.compute_network(server.id)) and own.nic_id not in (None, nic.id):
        comes_with = catalog.nics[own.nic_id or ""].model
        message = (
            f"{server.model} comes with {own.n_nics} × {comes_with}, and {nic.model} was chosen. That its vendor sells it so, at "
            "a price and power that differ by those of the cards, is assumed. Ask the vendor."
        )
        yield Finding("nic_choice_assumed", "info", "compute.nic", message)
    if held := [line for line in lines if line.owned_quantity]:
        named = "; ".join(f"{line.owned_quantity:,} × {line.description}" for line in held[:_NAMED])
        more = f" and {len(held) - _NAMED} more lines" if len(held) > _NAMED else ""
        message = f"Already owned, so that their purchase is in no total: {named}{more}. Power, cabling and support count them."
        yield Finding("parts_owned", "info", "economics.owned", message)
    needed = {line.part for line in lines}
    for at, one in enumerate(spec.economics.owned):
        if catalog.current_id(one.part) not in needed:
            message = f"{_name_of(one.part, catalog)} is owned already, and this design needs none. Take it out."
            yield Finding("owned_not_used", "info", f"economics.owned[{at}].part", message)


_NAMED = 3
_POWER = "typical power"
_FIGURES = {
    "typical_w": _POWER,
    "max_w": "largest power",
    "rack_units": "height",
    "weight_kg": "weight",
    "end_w": "power of an end",
    "liquid_heat_share": "share of heat into liquid",
}


def _figure_words(one: Assumed, value: float) -> str:
    like = f" as for {one.like}" if one.like else ""
    return f"{_FIGURES[one.field]} {value:,g}{f' {one.unit}' if one.unit else ''}{like}"


def _name_of(part: str, catalog: Catalog) -> str:
    record = (catalog.part(part) or ("", None))[1]
    return str(getattr(record, "model", None) or getattr(record, "description", part))


def _announced(spec: DesignSpec, part: str, name: str, record: object, catalog: Catalog) -> Finding:
    sold = _usual(spec, catalog) if isinstance(record, Switch) else None
    instead = f"{sold}, which is on sale" if sold else "one that is on sale"
    message = (
        f"{name} is announced and cannot be ordered yet: its figures are promised or assumed, and it may have no price. "
        f"Take {instead}, or ask the vendor for a date."
    )
    return Finding("announced_part", "warning", _key_of(spec, part, (catalog.part(part) or ("",))[0]), message)


def _usual(spec: DesignSpec, catalog: Catalog) -> str | None:
    usual = catalog.default_switch(spec.fabric.generation)
    return None if usual.status == ANNOUNCED else usual.model


def _key_of(spec: DesignSpec, part: str, kind: str) -> str:
    """The key of the request that brings a part in."""
    if kind == "servers":
        return "compute.server"
    keys = [key for key in _SWITCH_KEYS if getattr(spec.fabric, key) == part]
    return f"fabric.{keys[0]}" if keys else "site" if kind == "cables" else "fabric.generation"
