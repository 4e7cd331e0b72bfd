"""The report as the text of docs/validation.md."""

from collections.abc import Sequence

from estimator.calibration.held_out import (
    ANY,
    SHOWN_SETS,
    FlooredErrors,
    NeverSeen,
    Strangers,
    Unmeasured,
    VotedErrors,
    shown_sets,
)
from estimator.calibration.league import Rival
from estimator.calibration.measured import CLASS_LABELS, SIZE_CLASSES, sources
from estimator.calibration.validation.errors import ErrorRow, ErrorSummary
from estimator.calibration.validation.report import TABLES, Refused, report
from estimator.calibration.validation.worst import WorstPoint
from estimator.catalog.catalog import Catalog
from estimator.performance.agreement import by_scale, kept
from estimator.ranges import Range

SIZE_CLASS_HEAD = ["| | " + " | ".join(CLASS_LABELS.values()) + " |", "|---|---|---|---|"]
NOT_TO_TRUST = (
    "1 to 64 MiB, where the library changes algorithm and protocol: real curves dip by up to 40 % around a switch, at other "
    "sizes with every version. One point in ten is out by half.",
    "Below 1 MiB: the floor is the host's and the launcher's. Eight H100 take 13 µs at one provider and over 40 µs at another. "
    "Give a measured floor, or calibrate.",
    "Send-receive over a network: versions of the library open other numbers of channels. Without a version two nodes may have "
    "34 or 44 GB/s, and eight 17 or 26.",
    "One point a run for GB200 and GB300 over several racks, one provider each; no run at all of XDR or 800 Gb/s between nodes, "
    "and none of Rubin, which is taken as Blackwell.",
    "AMD is met in bandwidth of large messages; small and middle ones can take two to four times as long, by set-up of RCCL.",
    "Slingshot: one operator each for A100 and GH200. Alps is 7 to 16 % faster than predicted from 512 MiB on, and on 32 "
    "domains takes up to half longer at 64 to 256 MiB; smaller messages can take two to four times as long, by set-up of "
    "libfabric.",
    "PCIe-only hosts, bridges, V100 and virtual machines (family other): a guess of the right size, often out by half.",
    "Oversubscription, random placement, ECMP, failed links and lossy Ethernet follow from geometry and published claims: no run "
    "that is carried measures them, so their bands are wider and they are never marked as measured.",
    "In-network reduction that fails to start runs at the ring's rate without a word: the band reaches that far.",
    "Machines with a fault (health problem) are slower than predicted by 2 to 15 times. That is the point of a prediction.",
    "More than 64 domains, and other jobs on the same fabric: extrapolated, or left out.",
)


def document(catalog: Catalog) -> str:
    """The text of docs/validation.md."""
    made = report(catalog)
    lines = [
        "# Predictions against published runs",
        "",
        "Written by `python -m estimator.calibration.report`; a test checks that it is what the command writes. The error is",
        "|ln(predicted ÷ measured)|: 0.02 is 2 %, 0.10 is 11 %. Core runs are healthy NCCL runs on NVLink machines over",
        f"InfiniBand, RoCE or EFA: {made.runs} runs of {made.sources} sources and {made.sites} sites, {made.points} points.",
        f"In sample {made.inside:.1%} of them lie inside their bands, with constants and bands of other sites",
        f"{made.held_inside:.1%}.",
        "",
        "## What sites that nobody here has seen find",
        "",
        *_stranger_lines(made.strangers),
        "",
        "## Held out, and in sample",
        "",
        "Cells: *held out* median / nine in ten stay below (share inside the band; points), then *in sample* the same, the",
        "number of sites, and the median width of the bands, their upper over their lower end. Held out: constants and bands",
        "are fitted without the operator who ran the machines, under whatever titles it published; only points of which",
        "another site speaks are counted. The same tables, and a chart of every run, are on the page `/validation/`. How",
        "constants were fitted: [model.md](model.md). `python -m estimator.calibration.global_fit --write` fits all of it again",
        "from the carried runs, in under three minutes of one processor.",
    ]
    for key, title in TABLES.items():
        lines += ["", f"## {title}", "", *_table(made.tables[key])]
    lines += ["", "## One vote a run, or an operator", "", *_vote_lines({"run": made.by_run, "operator": made.by_site})]
    lines += ["", "## Operators that no part of this saw", "", *_split_lines(made.splits)]
    lines += ["", "## Machines that nobody measured", "", *_kind_lines(made.kinds)]
    lines += ["", "## With a measured floor", "", *_floored_lines(made.floored)]
    lines += ["", "## Against other ways to predict", "", *_league_table(made.league)]
    lines += ["", "## Uplinks, against a flow solver", "", *_uplink_lines()]
    lines += ["", "## What is never marked as measured", "", *_refused_lines(made.refused)]
    lines += ["", "## The ten worst core runs", "", *_worst_table(made.worst)]
    lines += ["", "## Where not to trust it", "", *(f"- {words}" for words in NOT_TO_TRUST)]
    lines += ["", "## Sources", "", *(f"- {text}" for text in sources().values())]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[ErrorRow]) -> list[str]:
    def cell(found: ErrorSummary) -> str:
        if not found.points:
            return "–"
        held = (
            f"{found.held_median:.3f} / {found.held_nine_in_ten:.3f} ({found.held_inside:.0%}; {found.held_points})"
            if found.held_points
            else "no other site"
        )
        own = f"{found.median:.3f} / {found.nine_in_ten:.3f} ({found.inside:.0%}; {found.points})"
        return f"{held}, {own}, {found.sites} sites, × {found.width:.2f}"

    return SIZE_CLASS_HEAD + [f"| {row.group} | " + " | ".join(map(cell, row.cells)) + " |" for row in rows]


def _league_table(rows: Sequence[Rival]) -> list[str]:
    return SIZE_CLASS_HEAD + [
        f"| {row.name} | "
        + " | ".join(f"{one.median:.3f} / {one.nine_in_ten:.3f} ({one.points})" for one in row.cells)
        + " |"
        for row in rows
    ]


def _vote_lines(votes: dict[str, list[VotedErrors]]) -> list[str]:
    return [
        "Held out, core runs; the median error of each run or operator, and the mean over them of the share inside the bands.",
        "",
        "| | one vote a | votes | median | nine in ten | inside the band |",
        "|---|---|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {voter} | {row.voters} | {row.median:.3f} | {row.nine_in_ten:.3f} | "
            f"{row.inside:.0%} |"
            for voter, rows in votes.items()
            for row in rows
        ),
    ]


def _stranger_lines(rows: Sequence[Strangers]) -> list[str]:
    def figure(one: Range[float]) -> str:
        return f"{one.typical:.3f} ({one.low:.3f} to {one.high:.3f})"

    def share(one: Range[float]) -> str:
        return f"{one.typical:.0%} ({one.low:.0%} to {one.high:.0%})"

    def off(one: Range[float]) -> str:
        return f"{one.typical - 1:+.0%} ({one.low - 1:+.0%} to {one.high - 1:+.0%})"

    return [
        "A typical set of operators, and within what eight sets in ten lie. Sets of a third of the operators were left out of",
        "all of it, fit, folds, bands and the figures of this page, and compared with what a page of all others said: the errors",
        "are those held out by operator, times how far the sets were off such a page. They are the errors to expect of machines",
        "that nobody here has seen, and the spread is wide: below 64 MiB floors of hosts and launchers, and versions of the",
        "library, are an operator's own, and a set has only a few operators.",
        "",
        "| | half are off by less than | nine in ten by less than | inside the band | sets; operators, points of one |",
        "|---|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {figure(row.median)} | {figure(row.nine_in_ten)} | {share(row.inside)} | "
            f"{row.sets}; {row.sites}, {row.points} |"
            for row in rows
        ),
        "",
        "Sets against what a page of all others said, typical and eight in ten:",
        "",
        *(
            f"- {CLASS_LABELS[row.size_class]}: {off(row.ratio)}, and {row.ratio_by_points - 1:+.0%} weighed by "
            f"points; {row.within_a_fifth:.0%} of sets within a fifth; what nine in ten stay below: {off(row.nine_in_ten_ratio)}."
            for row in rows
        ),
    ]


def _split_lines(rows: Sequence[NeverSeen]) -> list[str]:
    def cell(row: NeverSeen | None) -> str:
        if row is None:
            return "–"
        page = f"{row.page_median:.3f} / {row.page_nine_in_ten:.3f} ({row.page_inside:.0%})"
        return f"{page} → {row.median:.3f} / {row.nine_in_ten:.3f} ({row.inside:.0%}; {row.points}), × {row.width:.2f}"

    return [
        f"The first {SHOWN_SETS} sets one by one. Cells: what a page of all others then says, median / nine in ten (share",
        "inside the band) → what the set finds (points), and the median width of its bands. Not held out are the form",
        "of the terms, where fits start and are bound, and the share of votes that bands leave outside. The statistic was chosen",
        "on other draws of the same operators, and half of these sets were drawn once all was settled; draws overlap, as there",
        "are few operators. `python -m estimator.calibration.never_seen` does it again.",
        "",
        *SIZE_CLASS_HEAD,
        *(
            f"| set {number} | " + " | ".join(map(cell, cells)) + " |"
            for number, cells in enumerate(shown_sets(rows), 1)
        ),
    ]


def kind_cells(rows: Sequence[Unmeasured]) -> dict[tuple[str, str, str], list[Unmeasured | None]]:
    """By GPU generation, network and collective, in the order of SIZE_CLASSES."""
    found = {(row.generation, row.fabric, row.collective, row.size_class): row for row in rows}
    keys = dict.fromkeys((row.generation, row.fabric, row.collective) for row in rows)
    return {key: [found.get((*key, kind)) for kind in SIZE_CLASSES] for key in keys}


def _kind_lines(rows: Sequence[Unmeasured]) -> list[str]:
    def cell(row: Unmeasured | None) -> str:
        if row is None:
            return "–"
        return f"{row.median:.3f} / {row.nine_in_ten:.3f} ({row.inside:.0%}; {row.points}), × {row.width:.2f}"

    return [
        "A GPU generation on a network, or a generation on any, predicted by a fit without any run of it: what is of it alone",
        "is taken from its neighbour, and nothing is marked as measured, so that bands are wider. Cells: median / nine in ten",
        "(share inside the band; points), and the median width of the bands.",
        "",
        *SIZE_CLASS_HEAD,
        *(
            f"| {generation}, {fabric}{'' if collective == ANY else f': {collective}'} | {' | '.join(map(cell, cells))} |"
            for (generation, fabric, collective), cells in kind_cells(rows).items()
        ),
    ]


def _floored_lines(rows: Sequence[FlooredErrors]) -> list[str]:
    return [
        "Held out, of sizes beyond 1 KiB of runs that have shorter ones, with the median time of those given as",
        "`small_message_us`, and without it:",
        "",
        "| | with it | without it | inside the band |",
        "|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {row.median:.3f} / {row.nine_in_ten:.3f} ({row.points}) | "
            f"{row.without_median:.3f} / {row.without_nine_in_ten:.3f} | {row.inside:.0%} |"
            for row in rows
        ),
    ]


def _uplink_lines() -> list[str]:
    fabrics = len({one.case for one in kept()})
    return [
        "No run is published of oversubscribed fabrics, of scattered ranks or of 4,096 GPUs and more. What the model leaves of",
        f"the NICs' rate is compared with max-min fair flows over the links of {fabrics} fabrics that are wired here: leaves",
        "of 1:1 to 8:1, spines of 1:1 to 4:1, two and three tiers, by rail and top of rack, planes, links of two rates, leaves",
        "and pods that are not all alike, failed spines; rings in random order, at the mean time over many orders.",
        "",
        "| pattern | GPUs | fabrics | median difference | largest | of |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row.pattern} | {row.gpus} | {row.fabrics} | {row.middle:.1%} | {row.worst:.1%} | {row.worst_case.words} |"
            for row in by_scale()
        ),
        "",
        "The solver is exact for what it solves: flows between the same two leaves are one class, spines and cores that can be",
        "swapped are one, and rates are those of filling all flows at once (a test compares it with flow by flow on random",
        "fabrics, to 1e-9). What it takes as given: one rail stands for all, as rails share no link; ports of a leaf are alike;",
        "and a leaf's traffic is spread by its own links at either end, as routing that sees congestion everywhere can. Routing",
        "that only sees its own uplinks gets less where leaves have unequal numbers of links to spines, and hashed flows do too.",
        "`python -m estimator.flows.check` solves all of it again in under a minute and a gigabyte.",
    ]


def _refused_lines(rows: Sequence[Refused]) -> list[str]:
    """By collective and domains, with the size classes that fewer than two sites speak of."""
    by: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        words = {0: "no site", 1: "one site"}[row.sites]
        by.setdefault((row.collective, row.domains), []).append(f"{CLASS_LABELS[row.size_class]} ({words})")
    return [
        f"- {collective}, {'one domain' if domains == 'one' else 'several domains'}: {', '.join(kinds)}"
        for (collective, domains), kinds in by.items()
    ]


def _worst_table(rows: Sequence[WorstPoint]) -> list[str]:
    head = [
        "| run | collective | GPUs | message, B | measured, µs | predicted, µs | ln | may be | source |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {row.run} | {row.collective} | {row.gpus} | {row.message_bytes:,} | {row.measured_us:,.1f} | "
        f"{row.predicted_us:,.1f} | {row.error:+.2f} | {row.reason} | {row.source} |"
        for row in rows
    ]
