"""The catalog of one design: with its own parts in it, and with the NICs that it chooses in its server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from estimator.catalog.catalog import Catalog, PartRecords, with_records
from estimator.spec.own.likeness import Assumed
from estimator.spec.own.nics import equipped
from estimator.spec.own.part import OwnParts
from estimator.spec.own.records import records_of


def seen_by(own: OwnParts | None, server: str | None, nic: str | None, catalog: Catalog) -> Catalog:
    """The catalog as a design with these parts, this server and this NIC sees it: itself where it has none of its own."""
    base = catalog.of_files
    if not nic and not (own and any(own.all())):
        return base
    return _made(base, own.model_dump_json() if own else "", server if nic else None, nic)


@lru_cache(maxsize=64)
def _made(base: Catalog, own_text: str, server: str | None, nic: str | None) -> Catalog:
    """Kept by what they say: what is chosen for a catalog (cables, fits) is kept by the catalog itself."""
    own = records_of(OwnParts.model_validate_json(own_text), base) if own_text else PartRecords()
    made = with_records(base, own)
    return equipped(made, server, nic) if server and nic else made


def assumed_of(own: OwnParts | None, catalog: Catalog) -> Mapping[str, tuple[Assumed, ...]]:
    """Figures that parts of one's own leave out, by their ids, with what is taken instead."""
    return records_of(own, catalog.of_files).assumed if own else {}
