"""PDF reports of an Estimate, read back by pypdf from their text layer, and held against it row by row.

A row of a report is a run of words: name, figures, and their ranges below. The words that must stand on the pages are put
together here from the Estimate, with figures in digits by rules of this file's own.
"""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from pypdf import PdfReader

from tests.designer.second_route_sheets import KINDS, RANGE, at, in_one_word

Json = Mapping[str, Any]
CENT = 0.01
HEAD_LINES = 3  # of a page: the site, the design's name, the versions
CATEGORIES = {
    "server": "Servers",
    "rack-system": "Rack parts",
    "nic": "NICs",
    "switch": "Switches",
    "management": "Fabric managers",
    "transceiver": "Transceivers",
    "cable": "Cables",
    "fiber": "Fibres",
    "panel": "Patch panels",
    "rack": "Racks",
    "cooling": "Cooling",
}
PURCHASE = {
    "Servers": "capex_usd.servers",
    "Network": "capex_usd.network",
    "Racks and cooling": "capex_usd.facility",
    "Purchase": "capex_usd.total",
}
LATER = {  # left out where there is none
    "Freight and insurance": "one_off_usd.freight",
    "Contingency": "one_off_usd.contingency",
    "Tax and duty": "one_off_usd.tax",
    "Installation": "one_off_usd.install",
    "Network design": "one_off_usd.design",
    "Building": "one_off_usd.building",
    "Electricity": "opex_usd_per_year.electricity",
    "Space": "opex_usd_per_year.space",
    "Support": "opex_usd_per_year.support",
    "Licences": "opex_usd_per_year.licences",
    "Staff": "opex_usd_per_year.staff",
    "Repairs": "opex_usd_per_year.repairs",
}
ALWAYS = {
    "One-off cost": "one_off_usd.total",
    "Outlay in year 0": "outlay_usd",
    "Running cost a year": "opex_usd_per_year.total",
    "The same, not discounted": "tco_undiscounted_usd",
    "Purchase a GPU": "usd_per_gpu",
    "Network a GPU": "network_usd_per_gpu",
    "Total cost a GPU-hour in use": "usd_per_gpu_hour",
    "Network a Gb/s of bisection": "usd_per_gbit_s_bisection",
    "Purchase a GB/s of all-reduce": "usd_per_gb_s_busbw",
    "Total cost a million tokens": "usd_per_million_tokens",
}
CHANCES = {"capex_usd": "Purchase", "tco_usd": "Total cost", "usd_per_gpu_hour": "Total cost a GPU-hour"}
PERCENTILES = ("p5", "p10", "p25", "p50", "p75", "p90", "p95", "mean")


# ---------------------------------------------------------------- figures in digits


def _plain(value: Decimal, places: int) -> str:
    text = f"{abs(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN):,f}"
    return f"−{text}" if value < 0 else text


def dollars(value: float) -> str:
    """To the cent, without cents where there are none."""
    return _plain(Decimal(value), 2).removesuffix(".00")


def span(amount: Json) -> str:
    """Low to high; nothing where they are one."""
    return "" if amount["low"] == amount["high"] else f"{dollars(amount['low'])} to {dollars(amount['high'])}"


def three_digits(value: float) -> str:
    """At least three significant digits, zeros at the end kept."""
    if not value:
        return "0"
    exact = Decimal(value)
    places = 2 - exact.adjusted()
    if exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN).adjusted() > exact.adjusted():
        places -= 1
    return _plain(exact, max(places, 0))


def with_unit(value: float, unit: str) -> str:
    """Watts and the like by the largest step of a thousand."""
    for power, prefix in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if value >= 0.9995 * 10**power:
            return f"{three_digits(value / 10**power)} {prefix}{unit}"
    text = three_digits(value)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def about(value: float) -> str:
    """Dollars to three digits."""
    for power, unit in ((9, "bn"), (6, "M")):
        if value >= 0.9995 * 10**power:
            return f"${three_digits(value / 10**power)} {unit}"
    exact = Decimal(value)
    if 0 < value < 100:
        return f"${_plain(exact, 2)}"
    return f"${_plain(exact.quantize(Decimal(1).scaleb(max(exact.adjusted() - 2, 0)), ROUND_HALF_EVEN), 0)}"


def whole(value: float | None) -> str:
    """Dollars to the dollar, halves up; a dash for nothing."""
    if not value:
        return "–"
    return _plain((Decimal(value) + Decimal("0.5")).to_integral_value(ROUND_FLOOR), 0)


# ---------------------------------------------------------------- pages


class Pages:
    """Words of a report, without what is repeated on every page."""

    def __init__(self, content: bytes) -> None:
        self._pdf = PdfReader(io.BytesIO(content))
        self._outline = [
            (str(item.title), self._pdf.get_destination_page_number(item) or 0)
            for item in self._pdf.outline
            if not isinstance(item, list)
        ]

    def words(self, title: str) -> list[str]:
        """Words of the section of a title, to the one that comes next."""
        (start,) = [number for name, number in self._outline if name == title]
        stop = min((number for _, number in self._outline if number > start), default=len(self._pdf.pages))
        lines = (self._pdf.pages[number].extract_text().splitlines()[HEAD_LINES:] for number in range(start, stop))
        foot = f"of {len(self._pdf.pages)}"
        return [word for page in lines for line in page if not line.strip().endswith(foot) for word in line.split()]


class _Reading:
    """Words in their order. ``missing`` looks for runs of them."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = in_one_word("\n".join(words)).split("\n")
        self.starts: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            self.starts.setdefault(word, []).append(place)

    def after(self, run: str, start: int = 0) -> int:
        """The place after the first such run of words from a place on; -1 where there is none."""
        wanted = in_one_word(run).split()
        for place in self.starts.get(wanted[0], ()):
            if place >= start and self.words[place : place + len(wanted)] == wanted:
                return place + len(wanted)
        return -1

    def missing(self, runs: Sequence[str]) -> Iterator[str]:
        """Those of the runs that do not stand there."""
        yield from (run for run in runs if self.after(run) < 0)


def report_differences(estimate: Json, content: bytes) -> Iterator[str]:
    """Counts, power and bill of the whole report."""
    pages = Pages(content)
    for run in _Reading(pages.words("Summary")).missing([*_counts(estimate), *_power(estimate["power"])]):
        yield f"report: its summary has no {run!r}"
    yield from _bill(estimate, _Reading(pages.words("Bill of materials")))


def cost_differences(estimate: Json, content: bytes) -> Iterator[str]:
    """The report of cost: purchase, one-off and running cost, cash flow, other lifetimes, chances."""
    pages, cost = Pages(content), estimate["cost"]
    for run in _Reading(pages.words("Cost")).missing(list(_cost_rows(estimate))):
        yield f"cost report: no {run!r}"
    for run in _Reading(pages.words("Cash flow")).missing(list(_years(cost))):
        yield f"cost report: its cash flow has no {run!r}"
    for run in _Reading(pages.words("Cost over time and its uncertainty")).missing(
        [*_lifetimes(cost), *_chances(cost)]
    ):
        yield f"cost report: no {run!r}"


def _counts(estimate: Json) -> Iterator[str]:
    fabrics = list(estimate["fabrics"].values())
    rows = {
        name: [fabric["counts"].get(tier, 0) for fabric in fabrics]
        for tier, name in (("leaf", "Leaf switches"), ("spine", "Spine switches"), ("core", "Core switches"))
    }
    rows = {name: counts for name, counts in rows.items() if any(counts)}
    rows["Ports joined"] = [fabric["counts"]["endpoints"] for fabric in fabrics]
    for name, key in (("Links", "links"), ("Cables", "cables"), ("Transceivers, spares not counted", "transceivers")):
        rows[name] = [sum(fabric[key].values()) for fabric in fabrics]
    yield from (f"{name} {' '.join(f'{count:,}' for count in counts)}" for name, counts in rows.items())


def _power(power: Json) -> Iterator[str]:
    least = "≥ " if power.get("at_least") else ""
    names = {"network_w": "Network: switches, transceivers, cables", "it_w": "Network and servers"}
    for key, name in names.items():
        yield f"{name} {least}{with_unit(power[key]['typical'], 'W')} {least}{with_unit(power[key]['max'], 'W')}"


# ---------------------------------------------------------------- bill


def _bill(estimate: Json, read: _Reading) -> Iterator[str]:
    """Every line in the order of its category, the sum of each category, and the total."""
    bom = estimate["bom"]
    has_networks, place, most = len(estimate["fabrics"]) > 1, 0, bom["totals_usd"]
    for category in dict.fromkeys(line["category"] for line in bom["lines"]):
        for line in (line for line in bom["lines"] if line["category"] == category):
            end = _after_line(read, line, has_networks, place)
            if end < 0:
                yield f"report: its bill has no line {line['line']} with {_figures(line)!r}"
            place = max(end, place)
        amount = bom["totals_by_category"].get(category)
        run = f"{CATEGORIES[category]} {_sum(amount)}"
        if amount and most["typical"]:
            run += f" {three_digits(amount['typical'] / most['typical'] * 100)} % of the total"
        if read.after(run, place) < 0:
            yield f"report: its bill has no {run!r} after the lines"
    watts = with_unit(sum(line["power_w"] or 0 for line in bom["lines"]), "W")
    unpriced = any(line["unit_price_usd"] is None for line in bom["lines"])
    name = "Total, at least: lines without a price are not in it" if unpriced else "Total"
    run = f"{name} {'≥ ' if unpriced and most else ''}{_sum(most)} {watts}"
    if read.after(run, place) < 0:
        yield f"report: its bill has no {run!r} at its end"


def _sum(amount: Json | None) -> str:
    return f"{dollars(amount['typical'])} {span(amount)}".strip() if amount else "no price"


def _figures(line: Json) -> str:
    """Quantity, spares, both prices with their ranges, and power, as they stand in one row."""
    spares = f" + {line['spare_quantity']:,} spare" if line["spare_quantity"] else ""
    power = with_unit(line["power_w"], "W") if line["power_w"] else "–"
    spares += f" {line['owned_quantity']:,} already owned" if line["owned_quantity"] else ""
    return f"{line['quantity']:,}{spares} {_sum(line['unit_price_usd'])} {_sum(line['extended_price_usd'])} {power}"


def _after_line(read: _Reading, line: Json, has_networks: bool, start: int) -> int:
    """Number, description, part number, network, use, length and figures of a line, with nothing between them."""
    length = f"{three_digits(line['length_m'])}" if line["length_m"] else ""
    length = f"{length.rstrip('0').rstrip('.') if '.' in length else length} m" if length else ""
    network = f"{line['fabric']} network" if has_networks else ""
    below = ", ".join(part for part in (line["part_number"], network, line["use"], length) if part)
    wanted = _letters(f"{line['description']} {below}")
    figures = in_one_word(_figures(line)).split()
    for place in read.starts.get(str(line["line"]), ()):
        found, end = "", place + 1
        while place >= start and end < len(read.words) and len(found) < len(wanted):
            found += _letters(read.words[end])
            end += 1
        if found == wanted and read.words[end : end + len(figures)] == figures:
            return end + len(figures)
    return -1


def _letters(text: str) -> str:
    """Letters and digits alone: where a long word breaks, and which dash a font has, is no matter of the bill."""
    return "".join(letter for letter in in_one_word(text) if letter.isascii() and letter.isalnum())


# ---------------------------------------------------------------- cost


def _row(name: str, amount: Json | None) -> str:
    return f"{name} {' '.join(dollars(amount[end]) if amount else 'no price' for end in RANGE)}"


def _cost_rows(estimate: Json) -> Iterator[str]:
    cost = estimate["cost"]
    for name, path in PURCHASE.items():
        if path.rpartition(".")[2] in cost["capex_usd"]:
            yield _row(name, at(cost, path))
    yield from (_row(name, at(cost, path)) for name, path in ALWAYS.items() if at(cost, path))
    yield from (_row(name, at(cost, path)) for name, path in LATER.items() if any((at(cost, path) or {}).values()))
    energy = with_unit(cost["energy_kwh_per_year"]["typical"] * 1000, "Wh")
    yield _row(f"Total cost over {cost['tco_years']} years electricity: {energy} a year", cost["tco_usd"])
    spares: dict[tuple[str, str], float] = {}
    for line in estimate["bom"]["lines"]:
        price = line["unit_price_usd"]
        key = (line["fabric"], line["category"])
        spares[key] = spares.get(key, 0) + (round(price["typical"] * 100) * line["spare_quantity"] if price else 0)
    for part in cost["capex_by"]:
        network = part["fabric"].capitalize()
        amount = f"{dollars(part['usd']['typical'])} {span(part['usd'])}".strip()
        yield f"{network} {CATEGORIES[part['category']]} {amount} {dollars(spares[part['fabric'], part['category']] / 100)}"


def _years(cost: Json) -> Iterator[str]:
    flow = cost["cash_flow"]
    kinds = [kind for kind in KINDS if any(row["usd"].get(kind) for row in flow)]
    sums = ("total_usd", "discounted_usd", "cumulative_usd")
    for row in flow:
        amounts = [*(row["usd"].get(kind) for kind in kinds), *(row[key]["typical"] for key in sums)]
        yield f"{row['year']} {' '.join(map(whole, amounts))}"
    totals = [math.fsum(row["usd"].get(kind) or 0 for row in flow) for kind in kinds]
    for key, whole_cost in (("total_usd", "tco_undiscounted_usd"), ("discounted_usd", "tco_usd")):
        added, said = math.fsum(row[key]["typical"] for row in flow), cost[whole_cost]["typical"]
        totals.append(said if abs(added - said) <= CENT * len(flow) else added)  # each year is rounded to a cent
    yield f"Sum {' '.join(whole(round(total, 2)) for total in totals)}"


def _lifetimes(cost: Json) -> Iterator[str]:
    for row in cost["by_years"]:
        hour = row["usd_per_gpu_hour"]
        low, middle, high = (_plain(Decimal(hour[end]), 2) for end in RANGE)
        total = f"{dollars(row['tco_usd']['typical'])} {span(row['tco_usd'])}".strip()
        yield f"{row['years']} {total} {middle} {low} to {high} {dollars(row['residual_usd']['typical'])}"


def _chances(cost: Json) -> Iterator[str]:
    for key, figure in cost["uncertainty"]["figures"].items():
        yield f"{CHANCES[key]} {' '.join(about(figure[name]) for name in PERCENTILES)}"
