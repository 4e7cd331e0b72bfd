"""The first pages of a report: cover, summary, and the drawing of the fabric."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from reportlab.platypus import Flowable, NextPageTemplate, Paragraph, Spacer, Table, TableStyle

from designer.drawings.overview import part_names, uplink_rate_gbit_s
from designer.exports.pdf.diagram import fabric_drawing
from designer.exports.pdf.grid import Field, Grid, Row, Text
from designer.exports.pdf.page import WIDE, headed, section
from designer.exports.pdf.style import (
    ACCENT_SOFT,
    BODY,
    EYEBROW,
    LANDSCAPE,
    PORTRAIT,
    SMALL,
    SUBTITLE,
    TITLE,
    text_width,
)
from designer.exports.pdf.text import BOLD, markup
from designer.exports.versions import in_words, versions_of
from designer.wording.cost import likely
from designer.wording.findings import worst_first
from designer.wording.headlines import headline
from designer.wording.numbers import (
    count,
    gb_s,
    gbit_s,
    generation_name,
    message_size,
    ratio_to_one,
    total,
    usd,
    usd_range,
    watts,
    words,
)
from estimator.cost.result import Cost
from estimator.findings.finding import Finding
from estimator.performance.result import Performance
from estimator.units import counted

Json = Mapping[str, Any]
MAX_FINDINGS = 60
TIER_WORDS = {1: "one tier", 2: "two tiers", 3: "three tiers"}


def at_least(estimate: Json) -> str:
    """The sign before figures that lack something."""
    return "≥ " if estimate["cost"].get("at_least") else ""


def in_a_sentence(estimate: Json) -> str:
    """What the design is: "1,016 GPUs in 127 NVIDIA DGX H100, on InfiniBand NDR: 32 leaf and 16 spine switches …"."""
    counts, fabric = estimate["fabrics"]["compute"]["counts"], estimate["fabrics"]["compute"]
    server = part_names(estimate).get("node") or "custom servers"
    tiers = [f"{count(counts[tier])} {tier}" for tier in ("leaf", "spine", "core") if counts.get(tier)]
    switches = " and ".join(part for part in (", ".join(tiers[:-1]), tiers[-1]) if part)
    network = generation_name(estimate["spec"]["fabric"]["generation"])
    planes = f", {fabric['planes']} planes" if fabric["planes"] > 1 else ""
    return (
        f"{counted(counts['gpus'], 'GPU')} in {count(counts['nodes'])} {server} on {network}: {switches} switches in "
        f"{TIER_WORDS[fabric['tiers']]}{planes}, {words(fabric['layout'])}."
    )


def key_figures(estimate: Json) -> list[tuple[str, str, str]]:
    """Name, figure and what stands below it; only those that the estimate has."""
    cost, power, exact = estimate["cost"], estimate["power"], at_least(estimate)
    out = []

    def add(name: str, amount: Json | None, note: str = "") -> None:
        if amount:
            out.append((name, exact + usd(amount["typical"]), note or f"{usd_range(amount)}"))

    def add_likely(name: str, key: str, amount: Json | None) -> None:
        """The simulation's middle, where there is one, else the sum at typical prices."""
        drawn = likely(Cost.from_json(cost), key) if amount else None
        add(
            f"{name}, P50" if drawn else name,
            drawn.as_json() if drawn else amount,
            f"P5 to P95: {usd_range(drawn)}" if drawn else "",
        )

    add_likely("Purchase price", "capex_usd", cost["capex_usd"].get("total") or estimate["bom"]["totals_usd"])
    add_likely(f"Total cost over {cost.get('tco_years', '')} years", "tco_usd", cost.get("tco_usd"))
    add_likely("Network", "network_usd", cost["capex_usd"].get("network"))
    add_likely("Total cost a GPU-hour", "usd_per_gpu_hour", cost.get("usd_per_gpu_hour"))
    if top := headline(Performance.from_json(estimate["performance"])):
        out.append(
            (
                f"All-reduce on {count(top.gpus)} GPUs",
                gb_s(top.busbw_gb_s),
                f"busbw at {message_size(top.message_bytes)}; {gb_s(top.low)} to {gb_s(top.high)}",
            )
        )
    if it := power.get("it_w"):
        out.append(("Power of the equipment", exact + watts(it["max"]), f"largest; typical {watts(it['typical'])}"))
    return out


def _figures(estimate: Json, room: float) -> Table:
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


def cover(estimate: Json, kind: str, made: datetime) -> list[Flowable]:
    """The first page: what this is about, its key figures, and what it rests on."""
    room = text_width(PORTRAIT)
    name = str(estimate["spec"].get("name") or "Design without a name")
    rows = [Row([Text(words), Text(value)]) for words, value, _ in versions_of(estimate)]
    return [
        NextPageTemplate("cover"),
        Spacer(1, 78),
        Paragraph(markup(kind, BOLD), EYEBROW),
        Spacer(1, 6),
        Paragraph(markup(name, BOLD), TITLE),
        Spacer(1, 8),
        Paragraph(markup(in_a_sentence(estimate)), SUBTITLE),
        Spacer(1, 26),
        _figures(estimate, room),
        Spacer(1, 26),
        Paragraph(
            markup(
                f"Estimated on {in_words(made)}. Figures are in US dollars; each has a low, a typical and a high end, and the "
                "range stands below it. Before negotiation; see Assumptions for what every figure rests on."
            ),
            BODY,
        ),
        *_missing_prices(estimate),
        Spacer(1, 14),
        Grid([Field("Rests on", 0.22), Field("Version", 0.78)], rows),
    ]


def _missing_prices(estimate: Json) -> list[Flowable]:
    if not estimate["cost"].get("at_least"):
        return []
    unpriced = estimate["bom"].get("unpriced_lines", [])
    lines = f" Lines {', '.join(map(str, unpriced[:20]))} of the bill of materials have none." if unpriced else ""
    return [
        Paragraph(
            markup("≥ means at least: some part has no price or no known power, and is in no figure." + lines), BODY
        )
    ]


def summary(estimate: Json) -> list[Flowable]:
    """Counts of every network, power, findings."""
    return [
        *section("Summary"),
        Paragraph(markup(in_a_sentence(estimate)), BODY),
        *headed("Networks", _networks(estimate)),
        *headed("Power", _power(estimate["power"])),
        *headed("Findings", *_findings([Finding.from_json(one) for one in estimate["findings"]])),
    ]


def _networks(estimate: Json) -> Grid:
    fields = [Field("", 0.24), *(Field(words(name).capitalize(), 0.16, is_number=True) for name in estimate["fabrics"])]
    fabrics = list(estimate["fabrics"].values())

    def row(name: str, cells: list[str]) -> Row:
        return Row([Text(name), *(Text(cell) for cell in cells)])

    rows = [row("Ports joined", [count(fabric["counts"]["endpoints"]) for fabric in fabrics])]
    for tier, name in (("leaf", "Leaf switches"), ("spine", "Spine switches"), ("core", "Core switches")):
        if any(fabric["counts"].get(tier) for fabric in fabrics):
            rows.append(row(name, [count(fabric["counts"].get(tier, 0)) for fabric in fabrics]))
    rows.append(row("Links", [total(fabric["links"]) for fabric in fabrics]))
    rows.append(row("Cables", [total(fabric.get("cables")) for fabric in fabrics]))
    rows.append(row("Transceivers, spares not counted", [total(fabric.get("transceivers")) for fabric in fabrics]))
    built = [
        ratio_to_one(fabric["oversubscription"]["built"]) if fabric["counts"]["spine"] else "–" for fabric in fabrics
    ]
    rows.append(row("Oversubscription as built", built))
    rows.append(row("Injection", [gbit_s(fabric.get("injection_gbit_s")) for fabric in fabrics]))
    rows.append(row("Bisection, one direction", [gbit_s(fabric.get("bisection_gbit_s")) for fabric in fabrics]))
    return Grid(fields, rows)


def _power(power: Json) -> Grid:
    names = {
        "network_w": "Network: switches, transceivers, cables",
        "it_w": "Network and servers",
        "facility_w": f"With cooling, at a PUE of {power.get('pue', '–')}",
    }
    exact = "≥ " if power.get("at_least") else ""
    rows = [
        Row([Text(name), Text(exact + watts(power[key].get("typical"))), Text(exact + watts(power[key].get("max")))])
        for key, name in names.items()
        if power.get(key)
    ]
    return Grid([Field("", 0.5), Field("Typical", 0.25, is_number=True), Field("Maximum", 0.25, is_number=True)], rows)


def _findings(findings: list[Finding]) -> list[Flowable]:
    if not findings:
        return [Paragraph("No check found anything to say.", BODY)]
    severities = {"error": "Error", "warning": "Warning", "info": "Note"}
    rows = [
        Row([Text(severities[item.severity]), Text(item.message, note=item.code)])
        for item in worst_first(findings)[:MAX_FINDINGS]
    ]
    out: list[Flowable] = [Grid([Field("Severity", 0.12), Field("Finding", 0.88)], rows)]
    if len(findings) > MAX_FINDINGS:
        out.append(Paragraph(f"{len(findings) - MAX_FINDINGS:,} more findings are on the design's page.", SMALL))
    return out


def _rates(fabric: Json) -> str:
    """Rate of switch ports, where uplinks have another one both."""
    below, above = gbit_s(fabric["port_rate_gbit_s"]), gbit_s(uplink_rate_gbit_s(fabric))
    return below if below == above else f"{below} (uplinks {above})"


def diagram(estimate: Json) -> list[Flowable]:
    """The compute network on a page of its own."""
    fabric = estimate["fabrics"]["compute"]
    links = {
        "node_leaf": "between servers and leaves",
        "leaf_spine": "between leaves and spines",
        "spine_core": "between spines and cores",
    }
    reported = [f"{count(fabric['links'][key])} {where}" for key, where in links.items() if fabric["links"].get(key)]
    note = (
        f"Links: {', '.join(reported)}, at {_rates(fabric)} a switch port. Where a fabric has more blocks "
        "than fit, a dashed box stands for the ones between."
    )
    return [
        *section("Compute network", WIDE),
        Spacer(1, 10),
        fabric_drawing(estimate, text_width(LANDSCAPE)),
        Spacer(1, 10),
        Paragraph(markup(note), SMALL),
    ]
