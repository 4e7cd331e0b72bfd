"""What may go wrong with each option, and the assumptions that move the result."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import Flowable, KeepTogether, Paragraph

from designer.exports.pdf.charts import tornado
from designer.exports.reports.board.sides import NO_ESTIMATE, drawn_range, has_draws, of_sides
from designer.wording.findings import sentence, worst_first
from designer.wording.numbers import (
    basis_name,
    factor_of,
    percent,
    range_in_unit,
    usd,
)
from designer.wording.phases import not_built_words, recabled_words
from estimator.catalog.currency import USD
from estimator.compare.result import ComparisonResult
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, headed, heading, section
from estimator.pdf.style import BODY, PORTRAIT, SMALL, text_width
from estimator.pdf.text import markup
from estimator.result import PricedEstimate
from estimator.wording import in_sentence

MOST_RISKS, MOST_LEVERS = 12, 8
HEEDED_NOTES = ("prices_old", "other_networks_left_out")  # notes that a board decides by
SEVERITIES = {"error": "Error", "warning": "Warning", "info": "Note"}


def risks(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    out: list[Flowable] = [*section("Risks", UPRIGHT)]
    for name, option in of_sides(result, options):
        if option is None:
            out += headed(name, Paragraph(NO_ESTIMATE, BODY))
            continue
        heed = [one for one in worst_first(option.findings) if one.severity != "info" or one.code in HEEDED_NOTES]
        rows = [
            Row([Text(SEVERITIES[one.severity]), Text(sentence(one.message), note=one.code)])
            for one in heed[:MOST_RISKS]
        ]
        if option.failures and (due := option.failures.expected):
            words = (
                f"{due.failures_per_year.typical:,.0f} parts are expected to fail a year ({due.failures_per_year.low:,.0f} to "
                f"{due.failures_per_year.high:,.0f}), and {due.stops_per_year.typical:,.0f} of them stop a job on all GPUs."
            )
            rows.append(Row([Text("Failures"), Text(words)]))
        if option.phases and len(option.spec.phases) > 1:
            unused = option.phases.stranded_usd.typical
            left = f"Parts bought for {usd(unused)} are of no use in the last phase." if unused else ""
            n_built, n_all = len(option.phases.phases), len(option.spec.phases)
            how_many = f"{n_built} of {n_all}" if n_built < n_all else str(n_all)
            lacks = f"{not_built_words(option)}." if n_built < n_all else ""
            words = f"In {how_many} phases: {in_sentence(recabled_words(option.phases))} {left} {lacks}"
            rows.append(Row([Text("Growth"), Text(words.rstrip())]))
        rows += [Row([Text(kind), Text(words)]) for kind, words in (*_network_risks(option), *_price_risks(option))]
        if option.cost.at_least:
            rows.append(Row([Text("Prices"), Text("Some part has no price: figures are lower bounds.")]))
        if len(heed) > MOST_RISKS:
            rows.append(Row([Text("More"), Text(f"{len(heed) - MOST_RISKS} more findings are on the design’s page.")]))
        grid = Grid([Field("Kind", 0.14), Field("What", 0.86)], rows) if rows else Paragraph("No warnings.", BODY)
        out += headed(name, grid)
    return out


def _network_risks(option: PricedEstimate) -> Iterator[tuple[str, str]]:
    leaf = option.compute.oversubscription
    if leaf.worst_leaf_ratio > 1:
        words = (
            f"The fullest leaf has {leaf.worst_leaf_ratio:.3g} times as much bandwidth to nodes as to spines: GPUs that all "
            f"send past their leaves at once have {percent(1 / leaf.worst_leaf_ratio, 2)} of the port rate."
        )
        yield "Bandwidth", words


def _price_risks(option: PricedEstimate) -> Iterator[tuple[str, str]]:
    """How far the total may rise, and what share of the purchase rests on which basis."""
    if has_draws(option, "tco_usd"):
        _, middle, top = drawn_range(option, "tco_usd")
        yield "Budget", f"One draw in twenty has a total cost above {usd(top)}, {usd(top - middle)} more than the P50."
    shares: dict[str, float] = {}
    for line in option.bom.lines:
        if line.extended_price_usd:
            basis = basis_name(line.price_basis)
            shares[basis] = shares.get(basis, 0.0) + line.extended_price_usd.typical
    whole = sum(shares.values())
    if whole:
        most = sorted(shares.items(), key=lambda item: -item[1])
        words = ", ".join(f"{basis} {percent(paid / whole, 2)}" for basis, paid in most if paid)
        rest = " A firm quote takes the place of each that is none." if set(shares) != {basis_name("quote")} else ""
        yield "Prices", f"What the purchase price rests on, by amount: {words}.{rest}"


def levers(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    """What moves the result, an option after the other."""
    out: list[Flowable] = [*section("Assumptions that move the result", UPRIGHT)]
    room = text_width(PORTRAIT)
    every = [
        end
        for option in options
        if option and option.cost.uncertainty
        for bar in option.cost.uncertainty.tornado[:MOST_LEVERS]
        for end in (bar.tco_low_usd, bar.tco_high_usd)
    ]
    for name, option in of_sides(result, options):
        drawn = option.cost.uncertainty if option else None
        if option is None or drawn is None or not drawn.tornado:
            out += headed(name, Paragraph(NO_ESTIMATE if option is None else "Nothing was drawn.", BODY))
            continue
        bars = drawn.tornado[:MOST_LEVERS]
        cells = [
            (
                f"{bar.label} ({basis_name(bar.basis)})" if bar.basis else bar.label,
                range_in_unit(bar.low, bar.high, bar.unit),
                bar.tco_low_usd,
                bar.tco_high_usd,
            )
            for bar in bars
        ]
        chart = tornado(cells, option.cost.tco_usd.typical, room, "Total cost", usd, every, factor_of(USD))
        out.append(KeepTogether([heading(name), chart]))
    note = (
        "Each bar moves one figure from its low to its high end and leaves the others typical: pale at low, dark at high. The "
        "line is the total cost with every figure typical; half of the draws lie above the P50 of the table, which is higher "
        "where prices can rise by more than they can fall."
    )
    return [*out, Paragraph(markup(note), SMALL)]
