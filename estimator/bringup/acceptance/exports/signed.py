"""The contract as a paper that two parties sign: gates, lines with their chances, what they rest on, a digest of the gates.

The digest makes it checkable: the gates' JSON that stands behind the paper has the same SHA-256, or it is of other lines.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer
from reportlab.platypus.tables import Table, TableStyle

from estimator.bringup.acceptance.constants import constant, constants
from estimator.bringup.acceptance.digest import gates_sha256
from estimator.bringup.acceptance.exports.heading import chance
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.result import Gate
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import WIDE, About, headed, pdf_bytes, section
from estimator.pdf.style import BODY, EYEBROW, LINE_STRONG, MUTED, PORTRAIT, SMALL, SUBTITLE, TITLE, text_width
from estimator.pdf.text import BOLD, REGULAR, markup
from estimator.units import BITS_PER_BYTE, counted
from estimator.version import MODEL_VERSION
from estimator.wording import NO_BREAK, date_and_time, percent_of

GB_S = "GB/s"
PARTIES = ("Buyer", "Supplier")
BLANKS = ("Company", "Name", "Title", "Place and date", "Signature")
ROW_HEIGHT, SIGNATURE_HEIGHT = 24.0, 44.0
CHECK = (
    'python -m estimator accept SPEC | python -c "import hashlib, json, sys; print(hashlib.sha256(json.dumps('
    "json.load(sys.stdin)['gates'], sort_keys=True, separators=(',', ':')).encode()).hexdigest())\""
)


def write(contract: Contract, made: datetime, *, in_bits: bool = False) -> bytes:
    """The PDF. The same contract and date give the same bytes.

    ``in_bits`` writes what is predicted in GB/s in Gb/s, and beside each line what the command prints there.
    """
    digest = gates_sha256(contract.gates)
    story: list[Flowable] = [
        *_cover(contract, digest, made),
        *_lines(contract, in_bits=in_bits),
        *_commands(contract.gates),
        *_assumptions(contract.gates),
        *_signatures(contract, digest),
    ]
    foot = f"Spec {contract.site.spec_hash} · model {MODEL_VERSION} · gates SHA-256 {digest[:16]}…"
    return pdf_bytes(story, About(contract.site.name, "Acceptance contract", foot, made))


def _cover(contract: Contract, digest: str, made: datetime) -> list[Flowable]:
    site = contract.site
    alarm = constant("site_false_alarm").value
    terms = (
        "Each gate is run by its command, over all its paths, as often as it says; the middle of the repetitions counts. A "
        "path passes that gives at least the gate's line and, where the gate has a line against peers, at least that share of "
        "the middle of the gate's results. A result with wrong data fails. A result above the ceiling did not use the path: it "
        "is run again. The site is accepted when every path of every gate has passed.",
        f"The lines are drawn so that a healthy site fails any of them in {percent_of(alarm)} of cases at most. The chance of "
        "each gate, and the chance that it misses the fault that it is there to find, stand beside its line. On a failure the "
        "next step of the gate is taken, the part is repaired, and the gate is run again as a whole.",
    )
    size = f"{counted(site.n_gpus, 'GPU')} ({site.system['gpu']}) in {counted(site.n_nodes, 'node')}"
    return [
        Spacer(1, 60),
        Paragraph(markup("ACCEPTANCE CONTRACT", BOLD), EYEBROW),
        Paragraph(markup(site.name, BOLD), TITLE),
        Paragraph(markup(f"{size}, {len(contract.gates)} gates. Drawn up {date_and_time(made)}."), SUBTITLE),
        *section("Terms"),
        *(Paragraph(markup(words), BODY) for words in terms),
        *headed("What this paper is of"),
        _facts(
            (
                ("Design, hash of its request", site.spec_hash),
                ("Version of the model", MODEL_VERSION),
                ("Gates, SHA-256", digest),
                ("Left out", " ".join(f"{words[0].upper()}{words[1:]}." for words in contract.left_out) or "nothing"),
            )
        ),
        Spacer(1, 8),
        Paragraph(
            markup("The digest is that of the gates' JSON, keys sorted and without spaces. It is worked out by:"), BODY
        ),
        Paragraph(markup(CHECK), SMALL),
    ]


def _facts(rows: Sequence[tuple[str, str]]) -> Grid:
    return Grid((Field("Fact", 0.28), Field("Value", 0.72)), [Row(list(row)) for row in rows])


def _lines(contract: Contract, *, in_bits: bool) -> list[Flowable]:
    fields = (
        Field("Gate", 0.26),
        Field("Paths", 0.08, is_number=True),
        Field("Expected", 0.15, is_number=True),
        Field("Passes from", 0.15, is_number=True),
        Field("Fault to find", 0.14, is_number=True),
        Field("False alarm", 0.1, is_number=True),
        Field("Fault missed", 0.1, is_number=True),
        Field("Basis", 0.1),
    )
    of = _in_bits if in_bits else _as_printed
    rows = [
        Row(
            [
                Text(gate.title, f"{gate.code}, {counted(gate.gpus, 'GPU')} each"),
                f"{gate.results:,}",
                Text(of(gate, gate.expected), _range(gate, of)),
                Text(of(gate, gate.pass_at), _beside_line(gate, of)),
                of(gate, gate.fault_at),
                chance(gate.false_alarm),
                chance(gate.miss),
                Text("", mark=gate.basis) if gate.basis == "assumption" else gate.basis,
            ]
        )
        for gate in contract.gates
    ]
    intro = (
        "Nine healthy results in ten lie in the range below the expected value. Bus bandwidth as nccl-tests defines it."
    )
    if in_bits and any(gate.unit == GB_S for gate in contract.gates):
        intro += f" Figures are in Gb/s; where the command prints {GB_S}, its line stands in that unit below."
    return [*section("Gates and lines", WIDE), Paragraph(markup(intro), BODY), Grid(fields, rows)]


def _as_printed(gate: Gate, value: float) -> str:
    """A figure of a gate in the unit that its command prints."""
    return f"{value:g}{NO_BREAK}{gate.unit}"


def _in_bits(gate: Gate, value: float) -> str:
    """The same in Gb/s, where that unit is of bytes."""
    return f"{value * BITS_PER_BYTE:g}{NO_BREAK}Gb/s" if gate.unit == GB_S else _as_printed(gate, value)


def _range(gate: Gate, of: Callable[[Gate, float], str]) -> str:
    low, high, ceiling = (of(gate, value).partition(NO_BREAK)[0] for value in (gate.low, gate.high, gate.ceiling))
    return f"{low} to {high}, ceiling {ceiling}"


def _beside_line(gate: Gate, of: Callable[[Gate, float], str]) -> str:
    """What the command prints at the line, where that is another unit, and the line against peers."""
    printed = _as_printed(gate, gate.pass_at)
    beside = [f"printed as {printed}"] if of(gate, gate.pass_at) != printed else []
    if gate.peers_at:
        beside.append(f"and {100 * gate.peers_at:.1f} % of its peers")
    return ", ".join(beside)


def _commands(gates: Sequence[Gate]) -> list[Flowable]:
    fields = (
        Field("Gate", 0.13),
        Field("Command", 0.42),
        Field("Runs", 0.15),
        Field("A fault, and the next step", 0.3),
    )
    rows = [
        Row(
            [
                gate.code,
                Text(gate.command, gate.note or ""),
                Text(counted(gate.repetitions, "run") + " of each path", gate.sizes),
                Text(f"{gate.fault[0].upper()}{gate.fault[1:]}.", f"{gate.on_failure}."),
            ]
        )
        for gate in gates
    ]
    return [*section("Commands", WIDE), Grid(fields, rows)]


def _assumptions(gates: Sequence[Gate]) -> list[Flowable]:
    fields = (
        Field("Figure", 0.2),
        Field("Value", 0.1, is_number=True),
        Field("Low to high", 0.14, is_number=True),
        Field("Basis", 0.12),
        Field("Source", 0.44),
    )
    used = {gate.evidence for gate in gates}
    rows = [
        Row(
            [
                Text(name.replace("_", " "), index),
                f"{row.value:g}",
                f"{row.low:g} to {row.high:g}",
                Text("", mark=row.basis) if row.basis == "assumption" else row.basis,
                row.evidence,
            ]
        )
        for (name, index), row in constants().items()
        if row.evidence in used or not (index or name == "peer_copy")
    ]
    modelled = sorted({gate.evidence for gate in gates if gate.collective})
    intro = f"Collectives are expected from {'; '.join(modelled)}. " if modelled else ""
    return [
        *section("Assumptions and sources"),
        Paragraph(markup(f"{intro}Other figures, their ranges and where they are from:"), BODY),
        Grid(fields, rows),
    ]


def _signatures(contract: Contract, digest: str) -> list[Flowable]:
    words = (
        f"Both parties accept {len(contract.gates)} gates with the SHA-256 {digest} as what the built network must deliver, and "
        "the verdicts of their runs as proof."
    )
    heads = [Paragraph(markup(party, BOLD), BODY) for party in PARTIES]
    blanks = [[Paragraph(markup(blank), SMALL)] * len(PARTIES) for blank in BLANKS]
    heights = [ROW_HEIGHT] * len(BLANKS) + [SIGNATURE_HEIGHT]
    wide = text_width(PORTRAIT) / len(PARTIES)
    block = Table(
        [heads, *blanks],
        colWidths=[wide] * len(PARTIES),
        rowHeights=heights,
        style=TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LINEBELOW", (0, 1), (-1, -1), 0.5, LINE_STRONG),
                ("TEXTCOLOR", (0, 0), (-1, -1), MUTED),
                ("FONT", (0, 0), (-1, -1), REGULAR),
                ("RIGHTPADDING", (0, 0), (0, -1), 18),
            ]
        ),
    )
    return [
        *section("Signatures"),
        KeepTogether([Paragraph(markup(words), BODY), Spacer(1, 14), block]),
    ]
