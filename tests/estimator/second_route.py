"""Designs counted a second time, from their link lists and the catalog's CSV files alone.

Nothing here knows how the program sizes, cables or bills: ``differences`` reads an Estimate, the link list of each of its
fabrics as CSV text, and catalog files, counts ports, devices, links, cables, transceivers, watts and cents afresh, and says
where the two differ. ``python -m tests.estimator.second_route 1000`` runs it over so many random designs, with a
second number from that seed on.
"""

import csv
import io
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[2] / "estimator" / "catalog"
Row = dict[str, str]
TIERS = {
    "node-leaf": "node_leaf",
    "fabric-manager": "fabric_manager",
    "leaf-spine": "leaf_spine",
    "spine-core": "spine_core",
    "leaf-leaf": "leaf_leaf",
}
ENDS = {  # kinds of device at the two ends of a tier, and what the bill calls the transceivers there
    "node_leaf": (("node", "node"), ("leaf", "leaf, to nodes")),
    "fabric_manager": (("manager", "fabric manager"), ("leaf", "leaf, to fabric managers")),
    "leaf_spine": (("leaf", "leaf, to spines"), ("spine", "spine, to leaves")),
    "spine_core": (("spine", "spine, to cores"), ("core", "core, to spines")),
    "leaf_leaf": (("leaf", "leaf, to its pair"), ("leaf", "leaf, to its pair")),
}
SWITCHES = ("leaf", "spine", "core")
SPARES = {
    "switch": ("spare-switches", 1),
    "nic": ("spare-nics", 1),
    "transceiver": ("spare-optics", 2),
    "cable": ("spare-cables", 2),
    "fiber": ("spare-cables", 2),
}

CAPITAL = {"server": "servers", "rack-system": "servers", "rack": "facility", "cooling": "facility"}


@lru_cache(maxsize=32)
def catalog_file(name: str) -> dict[str, list[Row]]:
    """Rows of a catalog file by the value of its first column."""
    found: dict[str, list[Row]] = defaultdict(list)
    with (HERE / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[next(iter(row.values()))].append(row)
    return found


def part(name: str, key: str) -> Row | None:
    """The one row of a part."""
    rows = catalog_file(name).get(key, [])
    return rows[0] if rows else None


def rows_of(text: str) -> list[Row]:
    """Rows of a link list."""
    return list(csv.DictReader(io.StringIO(text)))


def differences(estimate: Mapping[str, Any], lists: Mapping[str, str]) -> list[str]:
    """What an Estimate says and its link lists do not, over all fabrics; ``lists`` are CSV texts by fabric."""
    found: list[str] = []
    watts: dict[str, float] = defaultdict(float)
    for role, fabric in estimate["fabrics"].items():
        one = _Fabric(role, fabric, rows_of(lists[role]), estimate)
        found += [f"{role}: {text}" for text in one.differences()]
        for key, drawn in one.watts().items():
            watts[key] += drawn
    found += _power(estimate, watts)
    found += _money(estimate)
    return found


class _Fabric:
    """One fabric, counted from its rows."""

    def __init__(self, role: str, said: Mapping[str, Any], rows: list[Row], estimate: Mapping[str, Any]) -> None:
        self.role, self.said, self.rows, self.estimate = role, said, rows, estimate
        self.lines = [line for line in estimate["bom"]["lines"] if line["fabric"] == role]
        self.by_tier: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self.by_tier[TIERS[row["tier"]]].append(row)

    def differences(self) -> Iterator[str]:
        yield from self._ports()
        yield from self._devices()
        yield from self._links_and_cables()
        yield from self._media()
        yield from self._cages()
        yield from self._modules()

    def _ports(self) -> Iterator[str]:
        ends = Counter((row[f"{end}_device"], row[f"{end}_port"]) for row in self.rows for end in "ab")
        if twice := [end for end, n in ends.items() if n > 1]:
            yield f"{len(twice)} ports stand on two rows, such as {twice[0]}"
        for tier, rows in self.by_tier.items():
            for end, (kind, _) in zip("ab", ENDS[tier], strict=True):
                limit = self.said["switches"].get(kind, {}).get("radix") if kind in SWITCHES else None
                used = Counter(row[f"{end}_device"] for row in rows)
                share = 8 if kind == "leaf" else 1  # lanes of split ports
                if limit and max(used.values()) > limit * share:
                    yield f"{tier}: {max(used.values())} links at a {kind} of {limit} ports"

    def devices(self, kind: str) -> set[str]:
        """Names of the devices of a kind at ends where such stand."""
        return {
            row[f"{end}_device"]
            for tier, rows in self.by_tier.items()
            for end, (at, _) in zip("ab", ENDS[tier], strict=True)
            if at == kind
            for row in rows
        }

    def _devices(self) -> Iterator[str]:
        for kind in SWITCHES:
            names, said = self.devices(kind), self.said["counts"][kind]
            if len(names) != said:
                yield f"{len(names)} {kind} switches in the list, {said} in the counts"
            part_id = self.said["switches"].get(kind, {}).get("part")
            record = part("switches", part_id) if part_id else None
            boxes = -(-said // int(record["switch_units"] or 1)) if record else said
            billed = sum(
                line["quantity"] for line in self.lines if line["category"] == "switch" and line["use"] == kind
            )
            if billed != boxes:
                yield f"{billed} {kind} boxes on the bill, {boxes} by the list"
        if self.role == "compute":
            nodes = {row["a_device"] for row in self.by_tier["node_leaf"]}
            billed = sum(line["quantity"] for line in self.lines if line["category"] == "server")
            if not len(nodes) == billed == self.said["counts"]["nodes"]:
                yield f"{len(nodes)} nodes in the list, {billed} on the bill, {self.said['counts']['nodes']} in the counts"
        managers = len(self.devices("manager"))
        billed = sum(line["quantity"] for line in self.lines if line["category"] == "management")
        if managers != billed:
            yield f"{managers} fabric managers in the list, {billed} on the bill"

    def _links_and_cables(self) -> Iterator[str]:
        numbers: dict[str, str] = {}
        for tier in ENDS:
            rows = self.by_tier.get(tier, [])
            said = self.said["links"].get(tier, 0)
            if len(rows) != said:
                yield f"{tier}: {len(rows)} links in the list, {said} in the counts"
            cables = _cables(row for row in rows if row["part"])
            if len(cables) != self.said["cables"].get(tier, 0):
                yield f"{tier}: {len(cables)} cables in the list, {self.said['cables'].get(tier, 0)} in the counts"
            for number in cables:
                if numbers.setdefault(number, tier) != tier:
                    yield f"cable {number} is of {tier} and of {numbers[number]}"
            counted = Counter(self._piece(tier, links) for links in cables.values())
            billed: Counter[tuple[str, float]] = Counter()
            for line in self.lines:
                if line["category"] in ("cable", "fiber") and line["tier"] == tier and line["part"]:
                    billed[line["part"], line["length_m"]] += line["quantity"]
            if counted != billed:
                yield f"{tier}: pieces {dict(counted)} in the list, {dict(billed)} on the bill"

    def _media(self) -> Iterator[str]:
        """What a tier's rows are cabled with is what its runs are, transceivers of both ends included."""
        for tier, media in self.said["media"].items():
            runs = [(run["medium"], run["parts"]) for run in media["runs"]]
            said = {(m, p["cable"], p["lower_module"], p["upper_module"]) for m, p in runs}
            keys = ("media", "part", "a_transceiver", "b_transceiver")
            here = {tuple(row[key] or None for key in keys) for row in self.by_tier[tier]}
            for way in sorted(map(str, here ^ said)):
                yield f"{tier}: cabled with {way} by the list alone or by the runs alone"

    def _piece(self, tier: str, links: list[Row]) -> tuple[str, float]:
        """Part and stock length of a cable, from the longest of its links."""
        cable = part("cables", links[0]["part"])
        assert cable
        longest = max(links, key=lambda row: float(row["length_m"]))
        least = [
            float(row["reach_min_m"] or 0)
            for end in "ab"
            if longest[f"{end}_transceiver"] and (row := part("cables", longest[f"{end}_transceiver"]))
        ]
        asked = max(*(float(row["length_m"]) for row in links), *least, 0.0)
        stock = [float(length) for length in cable["lengths_m"].split("|") if length]
        return cable["id"], min(
            (length for length in stock if length >= asked - 0.005), default=math.ceil(asked - 0.005)
        )

    def plugs(self) -> dict[tuple[str, str, str, str], tuple[str, str, str | None, float]]:
        """Every plug in a cage: (kind, device, cage, plug) → (tier nearest the nodes, use, transceiver or None, watts).

        Links of two tiers end in one transceiver where both go over whole fibres; a cable's own end, and a transceiver
        whose fibre splits, are of one tier.
        """
        found: dict[tuple[str, str, str, str], tuple[str, str, str | None, float]] = {}
        for tier, ends in ENDS.items():
            for row in self.by_tier.get(tier, []):
                if not row["part"]:
                    continue
                cable = part("cables", row["part"])
                assert cable
                splits = cable["kind"] == "fiber" and cable["a_count"] != cable["b_count"]
                for end, (kind, use) in zip("ab", ends, strict=True):
                    module = row[f"{end}_transceiver"] or None
                    record = part("cables", module) if module else None
                    own_end = (
                        0.0
                        if cable["kind"] == "fiber"
                        else float(cable["b_power_w" if end == "a" else "a_power_w"] or 0)
                    )
                    watts = float(record["a_power_w"]) if record else own_end
                    plug = module if module and not splits else f"{tier} {cable['id']}"
                    found.setdefault((kind, row[f"{end}_device"], row[f"{end}_cage"], plug), (tier, use, module, watts))
        return found

    def _cages(self) -> Iterator[str]:
        """A cage holds one plug, or an error says that it cannot."""
        held = Counter(key[:3] for key in self.plugs())
        full = [key for key, n in held.items() if n > 1]
        codes = {finding["code"] for finding in self.estimate["findings"] if finding["severity"] == "error"}
        if full and "cage_shared_by_unlike_plugs" not in codes:
            yield f"{len(full)} cages hold two plugs, such as {full[0]}, and no error says so"

    def _modules(self) -> Iterator[str]:
        counted: Counter[tuple[str, str]] = Counter()
        where: Counter[str] = Counter()
        cages: Counter[tuple[str, str]] = Counter()
        for (kind, *_), (tier, use, module, _) in self.plugs().items():
            cages[tier, kind] += 1
            if module:
                counted[module, use] += 1
                where["switch" if kind in SWITCHES else "fabric_manager" if kind == "manager" else "node"] += 1
        billed: Counter[tuple[str, str]] = Counter()
        for line in self.lines:
            if line["category"] == "transceiver":
                billed[line["part"], line["use"]] += line["quantity"]
        if counted != billed:
            yield f"transceivers {dict(counted)} by the list, {dict(billed)} on the bill"
        said = {key: n for key, n in self.said["transceivers"].items() if n}
        if dict(where) != said:
            yield f"transceivers {dict(where)} by the list, {said} in the counts"
        for tier, media in self.said["media"].items():
            known = sum(run["cages"] for run in media["runs"] if run["parts"]["cable"])
            here = sum(cages[tier, kind] for kind in {kind for kind, _ in ENDS[tier]})
            if known != here:
                yield f"{tier}: {here} cages by the list, {known} in the counts"

    def watts(self) -> dict[str, float]:
        """Switches with what is plugged into them, up to their limit, and transceivers in nodes and managers."""
        plugged: dict[tuple[str, str], float] = defaultdict(float)
        out: dict[str, float] = defaultdict(float)
        for (kind, device, *_), (*_, watts) in self.plugs().items():
            plugged[kind, device] += watts
        for (kind, _), watts in plugged.items():
            if kind not in SWITCHES:
                out["node_modules"] += watts
        for kind in SWITCHES:
            part_id = self.said["switches"].get(kind, {}).get("part")
            record = part("switches", part_id) if part_id else None
            for name in self.devices(kind):
                watts = plugged[kind, name]
                if record:
                    units = int(record["switch_units"] or 1)
                    watts = min(float(record["typical_no_optics_w"]) / units + watts, float(record["max_w"]) / units)
                out["switches_with_modules"] += watts
        return out


def _cables(rows: Iterator[Row]) -> dict[str, list[Row]]:
    """Number of every cable → its links; a link of several fibres names them all."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for number in (row["cable"], *(row.get("further_cables") or "").split()):
            found[number].append(row)
    return found


def _power(estimate: Mapping[str, Any], watts: Mapping[str, float]) -> Iterator[str]:
    said = estimate["power"]["parts_w"]
    for key in ("switches_with_modules", "node_modules"):
        if not math.isclose(watts[key], said[key]["typical"], abs_tol=0.06, rel_tol=1e-9):
            yield f"{key} draw {watts[key]:,.1f} W by the list, {said[key]['typical']:,.1f} W in the estimate"
    total = sum(part["typical"] for part in said.values())
    if not math.isclose(total, estimate["power"]["it_w"]["typical"], abs_tol=0.4):
        yield f"parts draw {total:,.1f} W, and IT {estimate['power']['it_w']['typical']:,.1f} W"


def _cents(usd: float) -> int:
    return round(usd * 100)


def _money(estimate: Mapping[str, Any]) -> Iterator[str]:
    """Lines, totals and spares of the bill, and capital cost."""
    bom = estimate["bom"]
    totals: Counter[str] = Counter()
    by_category: dict[str, Counter[str]] = defaultdict(Counter)
    for line in bom["lines"]:
        unit, extended = line["unit_price_usd"], line["extended_price_usd"]
        if unit is None:
            if extended is not None:
                yield f"line {line['line']} has a price and no unit price"
            continue
        for end in ("low", "typical", "high"):
            cents = _cents(unit[end]) * (line["quantity"] + line["spare_quantity"] - line["owned_quantity"])
            totals[end] += cents
            by_category[line["category"]][end] += cents
            if cents != _cents(extended[end]):
                yield f"line {line['line']}: {cents} cents by its unit price, {_cents(extended[end])} on the bill"
    for end, cents in totals.items():
        if cents != _cents(bom["totals_usd"][end]):
            yield f"total {end}: {cents} cents by lines, {bom['totals_usd'][end]} USD on the bill"
    for category, sums in by_category.items():
        said = bom["totals_by_category"][category]
        if {end: _cents(said[end]) for end in sums} != dict(sums):
            yield f"total of {category}: {dict(sums)} cents by lines, {said} on the bill"
    yield from _capital(estimate, by_category)
    yield from _spares(estimate)


def _capital(estimate: Mapping[str, Any], by_category: Mapping[str, Counter[str]]) -> Iterator[str]:
    """What the purchase costs, by servers, network and facility, from the sums of the bill's categories."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for category, amounts in by_category.items():
        sums[CAPITAL.get(category, "network")] += amounts
        sums["total"] += amounts
    for part, said in estimate["cost"]["capex_usd"].items():
        here = {end: sums[part][end] for end in ("low", "typical", "high")}
        if here != {end: _cents((said or {}).get(end, 0)) for end in here}:
            yield f"purchase of {part}: {here} cents by lines, {said} in the cost"


def _spares(estimate: Mapping[str, Any]) -> Iterator[str]:
    """Spares of each part and length: the share asked for, or that of economics.csv with its least."""
    groups: dict[tuple[str | None, float | None], list[Mapping[str, Any]]] = defaultdict(list)
    for line in estimate["bom"]["lines"]:
        if line["category"] in SPARES and line["part"]:
            groups[line["part"], line["length_m"]].append(line)
    asked = estimate["spec"]["economics"]["spares"]
    for (name, _), lines in groups.items():
        row, least = SPARES[lines[0]["category"]]
        record = part("cables", name or "")
        if record and record["kind"] == "aoc":
            row, least = SPARES["transceiver"]
        quantity, share = sum(line["quantity"] for line in lines), asked[row.removeprefix("spare-")]
        economics = part("economics", row)
        assert economics
        due = math.ceil(Fraction(str(economics["typical"] if share is None else share)) * quantity)
        if share is None:
            due = 0 if row == "spare-switches" and quantity <= 8 else max(due, least)
        if (have := sum(line["spare_quantity"] for line in lines)) != due:
            yield f"{have} spares of {name}, {due} by its share"


# ---------------------------------------------------------------- many designs


def main(arguments: Sequence[str], counted: Callable[[dict[str, Any]], list[str]] | None = None) -> None:
    """Run so many random designs that can be built, from a seed on, and print every difference; a hundred requests a seed.

    ``arguments`` are that number, 1000 without one, and the seed. ``counted`` gives the differences of a request; without
    it, those between Estimate and link lists.
    """
    import traceback

    from hypothesis import HealthCheck, Phase, given, seed, settings

    from estimator.errors import EstimatorError
    from tests.estimator.random_designs import requests
    from tests.estimator.test_second_route import both_routes

    n_designs, start = (*map(int, arguments), *(1000, 0)[len(arguments) :])
    count = counted or both_routes
    built, refused, wrong = 0, Counter[str](), 0

    def one(request: dict[str, Any]) -> None:
        nonlocal built, wrong
        try:
            found = count(request)
        except EstimatorError as error:
            refused[error.problems[0].code] += 1
            return
        except Exception:  # noqa: BLE001 - a fault of the program is a difference; the other designs are still to run
            found = [traceback.format_exc(limit=-2)]
        built += 1
        if found:
            wrong += 1
            print(json.dumps(request), *found, sep="\n    ", flush=True)

    while built < n_designs:
        many = settings(
            max_examples=100,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        seed(start)(many(given(requests())(one)))()
        start += 1
        print(f"{built} designs built, {wrong} differ; {refused.total()} refused; next seed {start}", flush=True)
    print(dict(refused.most_common()))


if __name__ == "__main__":
    main(sys.argv[1:3])
