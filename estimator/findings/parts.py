"""Findings about the parts that a design buys: announced ones, and questions that only their vendor can settle."""

from collections.abc import Iterator, Sequence

from estimator.bom.lines import BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Switch
from estimator.findings.finding import Finding
from estimator.spec.design import DesignSpec

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
