"""The first pages of a report: cover, summary, and the drawing of the fabric."""

from datetime import datetime

from reportlab.platypus import Flowable, NextPageTemplate, Paragraph, Spacer, Table, TableStyle

from designer.drawings.overview import part_names
from designer.exports.pdf.diagram import fabric_drawing
from designer.exports.versions import versions_of
from designer.wording.cost import likely
from designer.wording.findings import sentence, worst_first
from designer.wording.headlines import headline
from designer.wording.names import TIERS
from designer.wording.numbers import (
    count,
    currency_words,
    gb_s,
    gbit_s,
    generation_name,
    message_size,
    ratio_to_one,
    units_sentence,
    usd,
    usd_range,
    watts,
    words,
)
from estimator.cabling.result import SizedNetwork
from estimator.cost.result import Power
from estimator.findings.finding import Finding
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import WIDE, headed, section
from estimator.pdf.style import ACCENT_SOFT, BODY, EYEBROW, LANDSCAPE, PORTRAIT, SMALL, SUBTITLE, TITLE, text_width
from estimator.pdf.text import BOLD, markup
from estimator.ranges import Range
from estimator.result import PricedEstimate
from estimator.units import counted
from estimator.wording import date_and_time

MAX_FINDINGS = 60


def at_least(estimate: PricedEstimate) -> str:
    """The sign before figures that lack something."""
    return "≥ " if estimate.cost.at_least else ""


def in_a_sentence(estimate: PricedEstimate) -> str:
    """What the design is: "1,016 GPUs in 127 NVIDIA DGX H100, on InfiniBand NDR: 32 leaf and 16 spine switches …"."""
    network, counts = estimate.compute, estimate.compute.counts
    server = part_names(estimate).get("node") or "custom servers"
    tiers = [f"{count(n)} {tier}" for tier, n in _switches(network).items() if n]
    switches = " and ".join(part for part in (", ".join(tiers[:-1]), tiers[-1]) if part)
    generation = generation_name(estimate.spec.fabric.generation)
    planes = f", {network.planes} planes" if network.planes > 1 else ""
    return (
        f"{counted(counts.gpus, 'GPU')} in {count(counts.nodes)} {server} on {generation}: {switches} switches in "
        f"{TIERS[network.tiers]}{planes}, {words(network.layout)}."
    )


def _switches(network: SizedNetwork) -> dict[str, int]:
    """Tier → its switches."""
    return {"leaf": network.counts.leaf, "spine": network.counts.spine, "core": network.counts.core}


def key_figures(estimate: PricedEstimate) -> list[tuple[str, str, str]]:
    """Name, figure and what stands below it; only those that the estimate has."""
    cost, watt, exact = estimate.cost, estimate.power.it_w, at_least(estimate)
    out = []

    def add(name: str, key: str, amount: Range[float]) -> None:
        """The simulation's middle, where there is one, else the sum at typical prices."""
        if drawn := likely(cost, key):
            out.append((f"{name}, P50", exact + usd(drawn.typical), f"P5 to P95: {usd_range(drawn)}"))
        else:
            out.append((name, exact + usd(amount.typical), usd_range(amount)))

    add("Purchase price", "capex_usd", cost.capex_usd.total)
    add(f"Total cost over {cost.tco_years} years", "tco_usd", cost.tco_usd)
    add("Network", "network_usd", cost.capex_usd.network)
    add("Total cost a GPU-hour", "usd_per_gpu_hour", cost.usd_per_gpu_hour)
    if top := headline(estimate.performance):
        out.append(
            (
                f"All-reduce on {count(top.gpus)} GPUs",
                gb_s(top.busbw_gb_s),
                f"busbw at {message_size(top.message_bytes)}; {gb_s(top.low)} to {gb_s(top.high)}",
            )
        )
    out.append(("Power of the equipment", exact + watts(watt.max), f"largest; typical {watts(watt.typical)}"))
    return out


def _figures(estimate: PricedEstimate, room: float) -> Table:
    """Key figures, three in a row."""
    cells = [
        [
            Paragraph(markup(name), SMALL),
            Paragraph(f'<font name="{BOLD}" size="13">{markup(figure, BOLD)}</font>', BODY),
            Paragraph(markup(note), SMALL),
        ]
        for name, figure, note in key_figures(estimate)
    ]
    cells += [[]] * (-len(cells) % 3)
    table = Table([cells[k : k + 3] for k in range(0, len(cells), 3)], colWidths=[room / 3] * 3)
    table.setStyle(
        TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("BACKGROUND", (0, 0), (-1, -1), ACCENT_SOFT),
                ("INNERGRID", (0, 0), (-1, -1), 3, "#ffffff"),
                ("LEFTPADDING", (0, 0), (-1, -1), 10),
                ("TOPPADDING", (0, 0), (-1, -1), 8),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ]
        )
    )
    return table


def cover(estimate: PricedEstimate, kind: str, made: datetime) -> list[Flowable]:
    """The first page: what this is about, its key figures, and what it rests on."""
    room = text_width(PORTRAIT)
    rows = [Row([Text(words), Text(value)]) for words, value, _ in versions_of(estimate)]
    return [
        NextPageTemplate("cover"),
        Spacer(1, 78),
        Paragraph(markup(kind, BOLD), EYEBROW),
        Spacer(1, 6),
        Paragraph(markup(estimate.spec.name, BOLD), TITLE),
        Spacer(1, 8),
        Paragraph(markup(in_a_sentence(estimate)), SUBTITLE),
        Spacer(1, 26),
        _figures(estimate, room),
        Spacer(1, 26),
        Paragraph(
            markup(
                f"Estimated on {date_and_time(made)}. Figures are in {currency_words()}; each has a low, a typical and a high "
                "end, and the range stands below it. Before negotiation where a price is no quote; see Assumptions for what "
                "every figure rests on."
                f"{units_sentence()}"
            ),
            BODY,
        ),
        *_missing_prices(estimate),
        Spacer(1, 14),
        Grid([Field("Rests on", 0.22), Field("Version", 0.78)], rows),
    ]


def _missing_prices(estimate: PricedEstimate) -> list[Flowable]:
    if not estimate.cost.at_least:
        return []
    unpriced = estimate.bom.unpriced_lines
    lines = f" Lines {', '.join(map(str, unpriced[:20]))} of the bill of materials have none." if unpriced else ""
    return [
        Paragraph(
            markup("≥ means at least: some part has no price or no known power, and is in no figure." + lines), BODY
        )
    ]


def summary(estimate: PricedEstimate) -> list[Flowable]:
    """Counts of every network, power, findings."""
    return [
        *section("Summary"),
        Paragraph(markup(in_a_sentence(estimate)), BODY),
        *headed("Networks", _networks(estimate)),
        *headed("Power", _power(estimate.power)),
        *headed("Findings", *_findings(estimate.findings)),
    ]


def _networks(estimate: PricedEstimate) -> Grid:
    fields = [Field("", 0.24), *(Field(words(name).capitalize(), 0.16, is_number=True) for name in estimate.fabrics)]
    networks = list(estimate.fabrics.values())

    def row(name: str, cells: list[str]) -> Row:
        return Row([Text(name), *(Text(cell) for cell in cells)])

    rows = [row("Ports joined", [count(one.counts.endpoints) for one in networks])]
    for tier, name in (("leaf", "Leaf switches"), ("spine", "Spine switches"), ("core", "Core switches")):
        if any(switches := [_switches(one)[tier] for one in networks]):
            rows.append(row(name, [count(n) for n in switches]))
    rows.append(row("Links", [count(one.links.total) for one in networks]))
    rows.append(row("Cables", [count(one.cables.total) if one.cables else "–" for one in networks]))
    modules = [count(one.transceivers.total) if one.transceivers else "–" for one in networks]
    rows.append(row("Transceivers, spares not counted", modules))
    built = [ratio_to_one(one.oversubscription.built) if one.counts.spine else "–" for one in networks]
    rows.append(row("Oversubscription as built", built))
    rows.append(row("Injection", [gbit_s(one.injection_gbit_s) for one in networks]))
    rows.append(row("Bisection, one direction", [gbit_s(one.bisection_gbit_s) for one in networks]))
    return Grid(fields, rows)


def _power(power: Power) -> Grid:
    drawn = {
        "Network: switches, transceivers, cables": power.network_w,
        "Network and servers": power.it_w,
        f"With cooling, at a PUE of {power.pue or '–'}": power.facility_w,
    }
    exact = "≥ " if power.at_least else ""
    rows = [
        Row([Text(name), Text(exact + watts(watt.typical)), Text(exact + watts(watt.max))])
        for name, watt in drawn.items()
    ]
    return Grid([Field("", 0.5), Field("Typical", 0.25, is_number=True), Field("Maximum", 0.25, is_number=True)], rows)


def _findings(findings: list[Finding]) -> list[Flowable]:
    if not findings:
        return [Paragraph("No check found anything to say.", BODY)]
    severities = {"error": "Error", "warning": "Warning", "info": "Note"}
    rows = [
        Row([Text(severities[item.severity]), Text(sentence(item.message), note=item.code)])
        for item in worst_first(findings)[:MAX_FINDINGS]
    ]
    out: list[Flowable] = [Grid([Field("Severity", 0.12), Field("Finding", 0.88)], rows)]
    if len(findings) > MAX_FINDINGS:
        out.append(Paragraph(f"{len(findings) - MAX_FINDINGS:,} more findings are on the design's page.", SMALL))
    return out


def _rates(network: SizedNetwork) -> str:
    """Rate of switch ports, where uplinks have another one both."""
    below, above = gbit_s(network.port_rate_gbit_s), gbit_s(network.uplink_rate_gbit_s)
    return below if below == above else f"{below} (uplinks {above})"


def diagram(estimate: PricedEstimate) -> list[Flowable]:
    """The compute network on a page of its own."""
    links = estimate.compute.links
    where = {
        "between servers and leaves": links.node_leaf,
        "between leaves and spines": links.leaf_spine,
        "between spines and cores": links.spine_core,
    }
    reported = [f"{count(n)} {there}" for there, n in where.items() if n]
    note = (
        f"Links: {', '.join(reported)}, at {_rates(estimate.compute)} a switch port. Where a fabric has more blocks "
        "than fit, a dashed box stands for the ones between."
    )
    return [
        *section("Compute network", WIDE),
        Spacer(1, 10),
        fabric_drawing(estimate, text_width(LANDSCAPE)),
        Spacer(1, 10),
        Paragraph(markup(note), SMALL),
    ]
