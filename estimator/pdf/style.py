"""How a report looks: page, colours, type. Colours are those of the site's light scheme."""

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle

from estimator.pdf.text import BOLD, REGULAR, register_fonts

register_fonts()

PORTRAIT, LANDSCAPE = A4, landscape(A4)
MARGIN = 48.0
TOP, BOTTOM = 62.0, 50.0
TEXT, MUTED = HexColor("#17202a"), HexColor("#55616e")
LINE, LINE_STRONG, SUNKEN = HexColor("#dce1e7"), HexColor("#b9c2cc"), HexColor("#eef1f4")
ACCENT, ACCENT_SOFT = HexColor("#0d5c63"), HexColor("#e1f0ef")
WARNING, WARNING_SOFT = HexColor("#8a5200"), HexColor("#fdf3df")
ERROR, INFO = HexColor("#a8231b"), HexColor("#1f5f99")
CHART = tuple(
    HexColor(colour)
    for colour in (
        "#0d5c63",
        "#b4531b",
        "#5a4fa3",
        "#a3246c",
        "#4a7a1e",
        "#7b8b99",
        "#8fc1bd",
        "#d9a35f",
        "#a89bd9",
        "#c9d0d8",
    )
)


def _style(name: str, size: float, leading: float, font: str = REGULAR, **more: object) -> ParagraphStyle:
    return ParagraphStyle(
        name,
        fontName=font,
        fontSize=size,
        leading=leading,
        textColor=more.pop("color", TEXT),
        alignment=TA_LEFT,
        splitLongWords=1,
        **more,
    )


BODY = _style("body", 8.5, 12.5, spaceAfter=6)
SMALL = _style("small", 7, 9.8, color=MUTED, spaceAfter=4)
TITLE = _style("title", 24, 30, BOLD)
SUBTITLE = _style("subtitle", 10.5, 15.5, color=MUTED)
LEAD = _style("lead", 12, 16, BOLD, spaceAfter=6)
H1 = _style("h1", 15, 19, BOLD, color=ACCENT, spaceAfter=8, keepWithNext=1)
H2 = _style("h2", 10, 13, BOLD, spaceBefore=12, spaceAfter=5)
EYEBROW = _style("eyebrow", 8, 11, BOLD, color=ACCENT)


def text_width(page: tuple[float, float]) -> float:
    """Width between the margins."""
    return page[0] - 2 * MARGIN
