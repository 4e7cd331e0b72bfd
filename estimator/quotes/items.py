"""What a design wants to be offered: lines of its BOM by part and length, and the numbers that vendors give them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from estimator.bom.result import BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Cable
from estimator.quotes.profile import (
    CABLE,
    FIBER,
    MODULE,
    Profile,
    coded_length_m,
    kind_of,
    record_profile,
    text_profile,
)
from estimator.ranges import Range
from estimator.record import Json
from estimator.units import CENTS_PER_USD

MOST_TOKENS = 6  # of a part number written with dashes
SHORTEST = 6  # letters and digits by which a part is known inside other words
_ACCESSORY = frozenset({"for", "für", "fuer", "pour", "para", "per", "voor", "compatible", "fits", "suits", "support"})


@dataclass(slots=True)
class Item:
    """One part at one length, as the design needs it over all its uses and networks."""

    key: str
    category: str
    part: str | None
    part_number: str | None
    description: str
    length_m: float | None
    profile: Profile
    quantity: int = 0
    spare_quantity: int = 0
    unit_cents: Range[int] | None = None
    lines: list[int] = field(default_factory=list)
    fabrics: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    needed_m: float | None = None

    @property
    def whole(self) -> int:
        """Pieces with spares."""
        return self.quantity + self.spare_quantity

    @property
    def text(self) -> str:
        """How the item is called in a sentence."""
        name = self.description if self.part_number is None else f"{self.description} ({self.part_number})"
        return name if self.length_m is None else f"{name}, {self.length_m:g} m"

    def needed(self) -> Json:
        """What a ``NeededItem`` says of it, by name."""
        return {
            "key": self.key,
            "category": self.category,
            "part": self.part,
            "part_number": self.part_number,
            "description": self.description,
            "length_m": self.length_m,
            "quantity": self.quantity,
            "spare_quantity": self.spare_quantity,
            "bom_lines": self.lines,
            "fabrics": self.fabrics,
            "uses": self.uses,
        }


def items_of(bom_lines: Iterable[BomLine], catalog: Catalog) -> list[Item]:
    """The lines of an Estimate's bill of materials as items, in its order."""
    lines = list(bom_lines)
    fibres: dict[tuple[str, str | None], float] = {}
    for line in lines:
        if line.category == FIBER and line.length_m:
            place = line.fabric, line.tier
            fibres[place] = max(fibres.get(place, 0.0), line.length_m)
    items: dict[str, Item] = {}
    for line in lines:
        key = item_key(line)
        item = items.get(key)
        if item is None:
            item = items[key] = _new_item(key, line, catalog)
        spares = min(line.spare_quantity, line.bought)  # what is there already is not for a vendor to offer
        item.quantity += line.bought - spares
        item.spare_quantity += spares
        item.lines.append(line.line)
        item.fabrics += [line.fabric] if line.fabric not in item.fabrics else []
        item.uses += [line.use] if line.use not in item.uses else []
        if line.category == MODULE and (span := fibres.get((line.fabric, line.tier))):
            item.needed_m = max(item.needed_m or 0.0, span)
        if item.unit_cents is None and line.unit_price_usd:
            item.unit_cents = line.unit_price_usd.each(lambda usd: round(usd * CENTS_PER_USD))
    return [item for item in items.values() if item.whole]


def item_key(line: BomLine) -> str:
    """ "fib-mfp7e10@30", "nvidia-qm9700", "rack:Air-cooled rack with two PDUs": equal for lines that one offer may serve."""
    name = line.part or f"{line.category}:{line.description}"
    return name if line.length_m is None else f"{name}@{line.length_m:g}"


def current_key(key: str | None, catalog: Catalog) -> str | None:
    """A key that was kept, with today's id of its part."""
    if key is None:
        return None
    part, at, length = key.partition("@")
    return catalog.current_id(part) + at + length


def _new_item(key: str, line: BomLine, catalog: Catalog) -> Item:
    known = record_profile(line.part, catalog)
    profile = known or text_profile(line.description)
    values = {name: getattr(profile, name) for name in Profile.__dataclass_fields__} | {"kind": line.category}
    if line.length_m is not None and line.category in (CABLE, FIBER):
        values["length_m"] = line.length_m
    return Item(key, line.category, line.part, line.part_number, line.description, line.length_m, Profile(**values))


# ---------------------------------------------------------------- numbers


def plain(number: str) -> str:
    """A part number's letters and digits alone, in capitals."""
    return re.sub(r"[^A-Z0-9]", "", number.upper())


def family_of(number: str) -> str:
    """A cable's number without the length that it ends in: MFP7E10-N030 → MFP7E10N; "" where it ends in none."""
    head, dash, tail = number.upper().rpartition("-")
    if not dash or coded_length_m(number) is None:
        return ""
    found = re.match(r"(\d*[A-Z]+?)?0?\d", tail)
    return plain(head) + (found[1] or "" if found else "")


@dataclass(frozen=True, slots=True)
class Known:
    """What a number stands for: a catalog record, how sure that is, and how the number was understood."""

    part: str
    number: str
    how: str
    confidence: float
    length_m: float | None = None


class Numbers:
    """Numbers and model names of all parts of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._exact: dict[str, tuple[str, str]] = {}
        self._families: dict[str, tuple[str, str]] = {}
        self._bases: dict[str, tuple[str, str] | None] = {}
        self._kinds: dict[str, str] = {}
        for kind, records in (("switch", catalog.switches), ("nic", catalog.nics), ("server", catalog.servers)):
            for record in records.values():
                self._kinds[record.id] = kind
                self._add(record.id, record.part_numbers)
                self._add_model(record.id, record.model)
        for cable in catalog.cables.values():
            self._kinds[cable.id] = {"transceiver": MODULE, "fiber": FIBER}.get(cable.kind, CABLE)
            self._add_cable(cable)
        for old, now in catalog.aliases.items():
            self._exact.setdefault(plain(old), (now, old))
        self._starts = {key[: SHORTEST - 1] for key in (*self._exact, *self._bases)}

    def _add(self, part: str, numbers: Sequence[str]) -> None:
        self._exact.setdefault(plain(part), (part, part))
        for number in numbers:
            self._exact.setdefault(plain(number), (part, number))
            base = plain(number.rpartition("-")[0])
            if len(base) >= SHORTEST and any(c.isdecimal() for c in base):
                self._add_base(base, part, number)

    def _add_base(self, base: str, part: str, number: str) -> None:
        known = self._bases.get(base, (part, number))
        self._bases[base] = (part, number) if known is not None and known[0] == part else None  # of several parts: none

    def _add_model(self, part: str, model: str) -> None:
        for name in re.split(r",\s*", model):
            name = re.sub(r"\b(?:director|rack|rack|compute tray)\b|\d+ ×.*", "", name).strip()
            if len(plain(name)) >= SHORTEST - 1 and any(c.isdecimal() for c in name):
                self._add_base(plain(name), part, name)

    def _add_cable(self, cable: Cable) -> None:
        starts = [number.partition("..")[0] for number in cable.part_numbers]
        self._add(cable.id, starts)
        for number in starts:
            if cable.kind != "transceiver" and (family := family_of(number)):
                self._families.setdefault(family, (cable.id, number))
                self._add_base(plain(number.partition("-")[0]), cable.id, number)

    def by_number(self, number: str) -> Known | None:
        """What a part number as such stands for."""
        if exact := self._exact.get(plain(number)):
            return Known(exact[0], exact[1], "number", 1.0, coded_length_m(number))
        if family := self._families.get(family_of(number)):
            return Known(family[0], family[1], "family", 0.98, coded_length_m(number))
        inside = next(self._inside(number, by_base=False), None)
        if inside:
            return Known(inside.part, inside.number, "suffix", 0.92, inside.length_m)
        if (base := self._bases.get(plain(number))) or (base := self._bases.get(plain(number.rpartition("-")[0]))):
            return Known(base[0], base[1], "base", 0.85)
        return None

    def by_words(self, text: str) -> Known | None:
        """What a description names, unless it is something for that part."""
        kind = kind_of(text)
        if kind in ("service", "accessory"):
            return None
        found = list(self._inside(text, by_base=True))
        return next((one for one in found if self._kinds[one.part] == kind), None) if kind else next(iter(found), None)

    def _inside(self, text: str, by_base: bool) -> Iterator[Known]:
        """Numbers that stand in a text as words of their own, longer ones first."""
        tokens = re.findall(r"[A-Z0-9]+", text.upper())[:80]
        starts = [
            at
            for at in range(len(tokens))
            if "".join(tokens[at : at + 4])[: SHORTEST - 1] in self._starts
            and not (at and tokens[at - 1].lower() in _ACCESSORY)
        ]
        for size in range(MOST_TOKENS, 0, -1):
            for at in starts:
                joined = "".join(tokens[at : at + size])
                if at + size > len(tokens) or len(joined) < SHORTEST - 1:
                    continue
                if exact := self._exact.get(joined):
                    yield Known(exact[0], exact[1], "words", 0.9, coded_length_m(exact[1]))
                elif by_base and (base := self._bases.get(joined)):
                    yield Known(base[0], base[1], "model", 0.8)
        dashed = [word.strip("-") for word in re.split(r"[^A-Z0-9\-]+", text.upper()) if "-" in word] if by_base else []
        for number in dashed[:40]:
            if family := self._families.get(family_of(number)):
                yield Known(family[0], number, "words", 0.88, coded_length_m(number))


@lru_cache(maxsize=2)
def numbers_of(catalog: Catalog) -> Numbers:
    """The numbers of a catalog; catalogs are loaded once."""
    return Numbers(catalog)
