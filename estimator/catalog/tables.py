"""The CSV tables of the catalog: their columns, how a cell is read, and the error that names file, row and column."""

import csv
import datetime
import hashlib
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from estimator.catalog.currency import CURRENCIES
from estimator.catalog.grades import GRADES
from estimator.catalog.price_choice import BASIS_ORDER
from estimator.catalog.price_records import CHANNELS
from estimator.catalog.rack_records import FRAME, NVLINK_SWITCH, POWER_SHELF, RACK_FIGURES, SCALE_UP_SWITCH, TRAY
from estimator.errors import CatalogError

Parser = Callable[[str], Any]
Row = tuple[int, list[Any]]  # row number in the file (1 is the header) and its parsed values, in the order of COLUMNS

_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9._+-]*").fullmatch
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?").fullmatch


def text(cell: str) -> str:
    """A cell that must say something."""
    if not cell:
        raise ValueError("is empty")
    return cell


def optional_text(cell: str) -> str | None:
    """A cell that may be empty."""
    return cell or None


def identifier(cell: str) -> str:
    """An id: small letters, digits, dots, pluses and dashes."""
    if not _IDENTIFIER(cell):
        raise ValueError(f"{cell!r} is no id: use small letters, digits, '.', '+' and '-'")
    return cell


def date(cell: str) -> str:
    """A year, a month or a day: 2026, 2026-11 or 2026-11-27."""
    if not _DATE(cell):
        raise ValueError(f"{cell!r} is no date: write 2026, 2026-11 or 2026-11-27")
    return cell


def day(cell: str) -> str:
    """A day: 2026-11-27."""
    try:
        if len(cell) == 10 and datetime.date.fromisoformat(cell):
            return cell
    except ValueError:
        pass
    raise ValueError(f"{cell!r} is no day: write 2026-11-27")


def whole(cell: str) -> int:
    """An integer of 0 or more."""
    try:
        value = int(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is no whole number") from None
    if value < 0:
        raise ValueError(f"{value} is below 0")
    return value


def count(cell: str) -> int:
    """An integer of 1 or more."""
    value = whole(cell)
    if value < 1:
        raise ValueError(f"{value} is below 1")
    return value


def signed(cell: str) -> float:
    """A finite number."""
    try:
        value = float(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is no number") from None
    if not math.isfinite(value):
        raise ValueError(f"{cell!r} is not finite")
    return value


def number(cell: str) -> float:
    """A finite number of 0 or more."""
    value = signed(cell)
    if value < 0:
        raise ValueError(f"{cell} is below 0")
    return value


def words(cell: str) -> tuple[str, ...]:
    """Words with ``|`` between; none if the cell is empty."""
    return tuple(cell.split("|")) if cell else ()


def numbers(cell: str) -> tuple[float, ...]:
    """Numbers with ``|`` between."""
    return tuple(number(part) for part in cell.split("|")) if cell else ()


def flag(cell: str) -> bool:
    """``yes`` or ``no``."""
    if cell not in ("yes", "no"):
        raise ValueError(f"{cell!r} is neither yes nor no")
    return cell == "yes"


def optional(parser: Parser) -> Parser:
    """The parser, or None for an empty cell."""
    return lambda cell: parser(cell) if cell else None


def one_of(*allowed: str) -> Parser:
    """One word of a fixed list."""
    known = frozenset(allowed)

    def parse(cell: str) -> str:
        if cell not in known:
            raise ValueError(f"{cell!r} is not one of {', '.join(allowed)}")
        return cell

    return parse


def some_of(*allowed: str) -> Parser:
    """One or more words of a fixed list, with ``|`` between."""
    known = frozenset(allowed)

    def parse(cell: str) -> tuple[str, ...]:
        parts = tuple(cell.split("|"))
        if not known.issuperset(parts):
            raise ValueError(f"{cell!r} is not made of {', '.join(allowed)}")
        return parts

    return parse


basis = one_of("datasheet", "measured", "quote", "list", "analyst", "seed", "assumption")
price_basis = one_of(*BASIS_ORDER)
fact_basis = one_of("datasheet", "vendor-doc", "measured", "library", "secondary", "recalled", "assumption")
status = one_of("available", "announced")
protocol = one_of("infiniband", "ethernet")
protocols = some_of("infiniband", "ethernet")
top = optional(one_of("finned", "flat"))
naming_style = one_of("mlnx-os", "nvos", "cumulus", "eos", "nx-os", "junos", "sonic", "plain")
optional_whole, optional_number, optional_id = optional(whole), optional(number), optional(identifier)

DIAGNOSIS_UNITS = ("score", "times", "share", "ln", "sizes", "NICs", "domains")

COLUMNS: Mapping[str, Mapping[str, Parser]] = {
    "sources": {
        "id": identifier, "title": text, "url": optional_text, "date": optional(date),
        "access": one_of("read", "secondary", "recalled", "planning", "none"),
    },
    "record_sources": {"record_id": identifier, "source_id": identifier},
    "aliases": {"old_id": identifier, "part_id": identifier, "since": date, "note": text},
    "grades": {
        "record_id": identifier, "fields": words, "grade": one_of(*GRADES), "source": identifier, "as_of": date,
    },
    "open_questions": {
        "record_id": identifier, "matters": one_of("order", "figure"), "question": text, "source": identifier,
        "as_of": date,
    },
    "switches": {
        "id": identifier, "vendor": text, "model": text, "part_numbers": words, "generation": text,
        "protocol": protocol, "status": status, "form": one_of("fixed", "modular"), "managed": flag, "roles": words,
        "asic": text, "n_asics": count, "bandwidth_gbit_s": count, "radix": count, "switch_units": count,
        "max_ports": count, "rack_units": count, "weight_kg": optional_number, "weight_basis": optional(fact_basis),
        "airflow": words, "cooling": one_of("air", "liquid"), "psu_count": optional_whole,
        "psu_rating_w": optional_whole, "psu_inlet": optional_text, "typical_no_optics_w": number, "max_w": number,
        "max_optic_cage_w": number, "power_basis": fact_basis, "latency_ns": optional_whole, "note": optional_text,
    },
    "switch_cages": {
        "switch_id": identifier, "position": count, "n_cages": count, "cage": text, "cage_classes": words,
        "cage_rate_gbit_s": count, "lanes": count, "links_per_cage": count, "link_rate_gbit_s": count, "top": top,
    },
    "switch_breakouts": {
        "switch_id": identifier, "name": text, "links_per_cage": count, "link_rate_gbit_s": count, "max_ports": count,
        "note": optional_text,
    },
    "switch_aux_ports": {
        "switch_id": identifier, "name": text, "n_cages": count, "cage": text, "rate_gbit_s": optional_whole,
        "purpose": optional_text,
    },
    "port_naming": {
        "switch_id": identifier, "style": naming_style, "system": text, "cages_per_card": optional(count),
        "first_card": optional_whole, "management_port": optional_text, "topo_type": optional_text,
        "basis": fact_basis, "source": identifier, "as_of": date, "note": optional_text,
    },
    "nics": {
        "id": identifier, "vendor": text, "model": text, "part_numbers": words, "generation": text,
        "protocols": protocols, "status": status, "total_rate_gbit_s": count, "pcie_gen": count, "pcie_lanes": count,
        "pcie_extension": optional_text, "form_factor": text, "is_dpu": flag, "typical_no_optics_w": number,
        "max_w": number, "power_basis": fact_basis, "note": optional_text,
    },
    "nic_ports": {
        "nic_id": identifier, "position": count, "n_cages": count, "cage": text, "cage_classes": words,
        "cage_rate_gbit_s": count, "top": top,
    },
    "nic_modes": {
        "nic_id": identifier, "protocol": protocol, "n_ports": count, "port_rate_gbit_s": count, "basis": fact_basis,
        "source": identifier, "as_of": date, "note": optional_text,
    },
    "rdma_names": {
        "vendor": text, "prefix": text, "basis": fact_basis, "source": identifier, "as_of": date,
        "note": optional_text,
    },
    "pcie_limits": {
        "pcie_gen": count, "pcie_lanes": count, "usable_gbit_s": count, "basis": basis, "source": identifier,
        "as_of": date,
    },
    "gpus": {
        "id": identifier, "vendor": text, "model": text, "architecture": text, "form_factor": text, "status": status,
        "released": optional(date), "bf16_dense_tflops": number, "fp8_dense_tflops": optional_number,
        "fp4_dense_tflops": optional_number, "achievable_bf16_tflops": optional_number,
        "achievable_fp8_tflops": optional_number, "memory_gb": number, "memory_type": text, "memory_tb_s": number,
        "scale_up_link": text, "scale_up_both_ways_gb_s": number, "scale_up_topology": text,
        "scale_up_domain_gpus": count, "pcie_gen": count, "tdp_w": number, "default_scale_out_gbit_s": count,
        "cooling": text, "note": optional_text,
    },
    "servers": {
        "id": identifier, "vendor": text, "model": text, "part_numbers": words,
        "role": one_of("gpu", "gpu_tray", "storage", "management"), "status": status, "gpu_id": optional_id,
        "gpu_count": whole, "scale_up_domain_gpus": whole, "rack_units": count, "weight_kg": optional_number,
        "weight_basis": optional(fact_basis), "cpu": text, "memory_gb": count, "typical_w": number, "max_w": number,
        "power_basis": fact_basis, "psu_count": optional_whole, "psu_rating_w": optional_whole,
        "cooling": one_of("air", "liquid"), "liquid_heat_share": number, "airflow": text, "per_rack": optional_whole,
        "note": optional_text,
    },
    "server_networks": {
        "server_id": identifier, "position": count, "role": text, "nic_id": optional_id, "n_nics": count,
        "ports_per_nic": count, "port_rate_gbit_s": count, "cage": text, "cage_classes": words, "n_cages": count,
        "top": top, "nic_included": flag, "shares_nic_with": optional_text,
    },
    "server_ports": {
        "server_id": identifier, "rail": count, "name": text, "cage": optional_text, "cage_port": optional(count),
        "basis": fact_basis, "source": identifier, "as_of": date, "note": optional_text,
    },
    "cables": {
        "id": identifier, "vendor": text, "part_numbers": words, "description": text,
        "kind": one_of("dac", "acc", "lacc", "aec", "aoc", "transceiver", "fiber", "copper_patch"),
        "optic": optional_text, "protocols": protocols, "generation": text, "status": status,
        "aggregate_gbit_s": optional_whole, "a_connector": text, "a_class": text, "a_count": count,
        "a_rate_gbit_s": optional_whole, "a_top": top, "b_connector": optional_text, "b_class": optional_text,
        "b_count": optional(count), "b_rate_gbit_s": optional_whole, "b_top": top, "lengths_m": numbers,
        "reach_min_m": number, "reach_max_m": number, "reach_om3_m": optional_number,
        "medium": one_of("copper", "multimode", "single-mode"), "fiber_grade": optional_text,
        "fiber_connector": optional_text, "connectors_per_module": optional(count),
        "fibers_per_connector": optional(count), "polish": optional_text, "matching_fiber_ids": words,
        "a_power_w": number, "b_power_w": optional_number, "power_basis": fact_basis, "latency_ns_per_m": number,
        "note": optional_text,
    },
    "connector_fit": {"cage_class": text, "accepts": words, "lanes": count},
    "generations": {
        "id": identifier, "label": text, "protocol": protocol, "port_rate_gbit_s": count, "standard": text,
        "default_switch": identifier, "default_nic": identifier, "note": text,
    },
    "rate_history": {
        "id": identifier, "family": protocol, "name": text, "generation": optional_id, "port_rate_gbit_s": count,
        "lanes": count, "lane_gbit_s": count, "signalling": optional_text, "since": optional(count), "status": status,
        "switch_id": optional_id, "source": identifier, "as_of": date, "basis": fact_basis, "note": text,
    },
    "vendor_units": {
        "server_id": identifier, "generation": identifier, "planes": count, "unit_nodes": count, "owner": text,
        "basis": fact_basis, "source": identifier, "as_of": date, "note": optional_text,
    },
    "default_lengths": {
        "tier": one_of("node_leaf", "leaf_spine", "spine_core", "fabric_manager", "leaf_leaf"), "length_m": number,
        "basis": basis, "source": identifier, "as_of": date, "note": optional_text,
    },
    "floor_defaults": {
        "name": text, "value": number, "unit": text, "basis": basis, "source": identifier, "as_of": date,
        "note": optional_text,
    },
    "fabric_defaults": {
        "name": text, "value": whole, "unit": text, "basis": fact_basis, "source": identifier, "as_of": date,
        "note": optional_text,
    },
    "rack_systems": {
        "id": identifier, "vendor": text, "model": text, "part_numbers": words, "status": status, "tray_id": identifier,
        "cooling": one_of("air", "liquid"), "airflow": text, "note": optional_text,
    },
    "rack_figures": {
        "rack_id": identifier, "name": one_of(*RACK_FIGURES), "value": number, "unit": text, "basis": fact_basis,
        "source": identifier, "as_of": date, "note": optional_text,
    },
    "rack_parts": {
        "id": identifier, "rack_id": identifier, "position": count,
        "holds": one_of(TRAY, NVLINK_SWITCH, SCALE_UP_SWITCH, POWER_SHELF, FRAME), "model": text, "quantity": count,
        "rack_units": count, "price_per_mille": count, "price_basis": price_basis, "basis": fact_basis,
        "source": identifier, "as_of": date, "note": optional_text,
    },
    "rack_layouts": {
        "rack_id": identifier, "position": count, "first_unit": count, "n_units": count,
        "holds": one_of(TRAY, NVLINK_SWITCH, SCALE_UP_SWITCH, POWER_SHELF, "oob-switch"), "basis": basis, "source": identifier,
        "as_of": date, "note": optional_text,
    },
    "prices": {
        "part_id": identifier, "book": one_of("anchors", "street"), "per": one_of("piece", "metre"), "low_cents": whole,
        "typical_cents": whole, "high_cents": whole, "currency": one_of("USD"), "basis": price_basis, "source": identifier,
        "as_of": date, "note": optional_text, "region": optional_text, "min_quantity": count, "valid_from": optional(day),
        "valid_to": optional(day),
    },
    "price_rules": {
        "part_id": identifier, "anchor": optional_id, "units": whole, "unit": text, "optics_part": optional_id,
        "n_optics": whole, "note": optional_text,
    },
    "exchange_rates": {
        "currency": one_of(*CURRENCIES), "usd": number, "as_of": day, "basis": one_of("reference", "assumption"),
        "source": identifier, "note": optional_text,
    },
    "price_evidence": {
        "part_id": optional_id, "item": text, "low_cents": whole, "typical_cents": whole, "high_cents": whole,
        "currency": one_of(*CURRENCIES), "date": date, "quantity": text,
        "condition": one_of("new", "estimate", "list", "used", "grey", "asking", "claim", "model"),
        "grade": one_of("award", "list", "reseller", "analyst", "used"),
        "channel": one_of(*CHANNELS, "used", "model"), "seen_at": text, "quote": optional_text,
        "access": one_of("read", "secondary", "recalled"), "left_out": optional_text, "note": optional_text,
    },
    "price_methods": {
        "part_id": identifier, "method": one_of("pool", "times", "spread", "with-optics", "generation-step"),
        "parts": words, "factor": Fraction, "channels": words, "note": text,
    },
    "economics": {
        "id": identifier,
        "category": one_of("seed-anchor", "facility", "support", "install", "spares", "failure-rate", "cross-check",
                           "finance"),
        "label": text, "unit": text, "low": number, "typical": number, "high": number, "request_key": optional_text,
        "basis": basis, "source": identifier, "as_of": date, "events": optional_whole, "event_units": optional(count),
        "event_days": optional(count), "note": optional_text,
    },
    "model_constants": {
        "name": text, "index": optional_text, "value": signed, "low": signed, "high": signed, "unit": text,
        "basis": basis, "source": optional_text, "evidence": optional_text, "as_of": date,
    },
    "diagnosis": {
        "name": text, "value": number, "unit": one_of(*DIAGNOSIS_UNITS), "basis": basis, "source": text,
        "evidence": text, "as_of": date,
    },
}  # fmt: skip


def column_place(table: str, column: str) -> int:
    """Which value of a row a column is."""
    return list(COLUMNS[table]).index(column)


class Tables:
    """Every table of one folder, read and parsed; ``version`` is a hash of what the files hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        digest = hashlib.sha256()
        self.rows: dict[str, list[Row]] = {}
        for name, columns in COLUMNS.items():
            content = self._content(name)
            digest.update(f"{name} {len(content)}\n".encode() + content)
            self.rows[name] = list(_parsed(f"{name}.csv", content, columns))
        self.version = digest.hexdigest()[:16]

    def _content(self, name: str) -> bytes:
        try:
            return (self.folder / f"{name}.csv").read_bytes()
        except OSError as error:
            message = f"cannot be read from {self.folder}: {error.strerror}"
            raise CatalogError(f"{name}.csv", None, None, message) from error

    def __getitem__(self, name: str) -> list[Row]:
        return self.rows[name]


def _parsed(file: str, content: bytes, columns: Mapping[str, Parser]) -> Iterator[Row]:
    """The rows of one file; CatalogError names the first cell that cannot be read."""
    try:
        cells = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CatalogError(file, None, None, f"is no UTF-8 CSV: {error}") from error
    header = cells[0] if cells else []
    for column in columns:
        if header.count(column) != 1:
            raise CatalogError(file, 1, column, "the column must be there once")
    for column in header:
        if column not in columns:
            raise CatalogError(file, 1, column, f"unknown column; known: {', '.join(columns)}")
    # many cells of a column are alike: sources, days, grades
    readers = [(header.index(column), cache(parse)) for column, parse in columns.items()]
    for number_of_row, row in enumerate(cells[1:], start=2):
        if len(row) != len(header):
            raise CatalogError(file, number_of_row, None, f"has {len(row)} cells where the header has {len(header)}")
        try:
            yield number_of_row, [parse(row[i]) for i, parse in readers]
        except ValueError:
            raise _cell_error(file, number_of_row, row, header, columns) from None


def _cell_error(
    file: str, row: int, cells: list[str], header: list[str], columns: Mapping[str, Parser]
) -> CatalogError:
    for column, cell in zip(header, cells, strict=True):
        try:
            columns[column](cell)
        except ValueError as error:
            return CatalogError(file, row, column, str(error))
    raise AssertionError("a row failed whose cells all parse")
