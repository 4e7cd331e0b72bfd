"""What the parts of a design say beside their number: vendors, whether they can be bought yet, the longest cable."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from estimator.bom.lines import CABLE, FIBER, MODULE, SWITCH
from estimator.bom.lines import BomLine as BilledLine
from estimator.bom.result import BomLine
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import GENERIC, maker_of

SET_OF = {"vendors": "vendor_set", "switch_vendors": "switch_vendor_set"}
"""The column of each figure that counts vendors: a bit for each of vendors_of. Limits read it, and it is not answered."""
_OF_NETWORK = (SWITCH, MODULE, CABLE, FIBER)  # NICs come with their servers


@dataclass(frozen=True)
class PartFacts:
    """Of all networks. Vendors have a bit for each entry of ``vendors_of``; vendor-neutral parts have none."""

    vendors: int
    switch_vendors: int
    announced: int
    longest_m: float
    is_managed: bool

    @property
    def figures(self) -> dict[str, float]:
        """Figures by name."""
        return {
            "vendor_set": float(self.vendors),
            "vendors": float(self.vendors.bit_count()),
            "switch_vendor_set": float(self.switch_vendors),
            "switch_vendors": float(self.switch_vendors.bit_count()),
            "announced_parts": float(self.announced),
            "longest_cable_m": self.longest_m,
            "managed": float(self.is_managed),
        }


@lru_cache(maxsize=4)
def vendors_of(catalog: Catalog) -> tuple[str, ...]:
    """Vendors of the catalog's switches, transceivers and cables, by name."""
    vendors = [*(one.vendor for one in catalog.switches.values()), *(one.vendor for one in catalog.cables.values())]
    return tuple(sorted({maker_of(vendor) for vendor in vendors if vendor != GENERIC}))


def part_facts(lines: Iterable[BilledLine | BomLine], catalog: Catalog) -> PartFacts:
    """Of the lines of a bill of materials."""
    vendors, switch_vendors, announced, longest = 0, 0, set(), 0.0
    is_managed = False
    names = vendors_of(catalog)
    for line in lines:
        if line.category not in _OF_NETWORK:
            continue
        longest = max(longest, line.length_m or 0.0)
        part = line.part or ""
        switch = catalog.switches.get(part)
        is_managed |= switch is not None and switch.managed
        record = switch or catalog.cables.get(part)
        if record is None:
            continue
        if record.vendor != GENERIC:
            bit = 1 << names.index(maker_of(record.vendor))
            vendors |= bit
            switch_vendors |= bit * (line.category == SWITCH)
        if record.status != "available":
            announced.add(part)
    return PartFacts(vendors, switch_vendors, len(announced), longest, is_managed)
