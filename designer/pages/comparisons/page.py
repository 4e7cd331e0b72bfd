"""What the page of a comparison shows: words, the table of figures, aligned lines. Numbers become text here, once."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from designer.models import Comparison, Design
from designer.services.comparison_sides import Source
from designer.services.comparisons import head_of, is_outdated, sources_of
from designer.services.shown_page import ShownPage
from designer.wording.comparison import LETTERS, figure_groups, line_rows, main_figures, total_rows
from designer.wording.context import Context
from designer.wording.names import own_models
from designer.wording.numbers import count, generation_name, words
from designer.wording.query import one_of
from estimator.catalog.loader import load_catalog
from estimator.compare.lines import OFFER
from estimator.compare.request import LEAST
from estimator.compare.result import ComparedItem, ComparisonHead, ComparisonResult, ComparisonSummary

FIGURE_ORDERS = ("group", "weight")  # as in the table of contents; the largest relative difference first
MAIN_FIGURES = ("capex_usd", "network_usd", "switches", "all_to_all_gb_s", "busbw_gb_s", "network_w")
LINE_ORDERS = ("bill", "weight")  # as in a bill of materials; the largest difference in price first


class SideHead(NamedTuple):
    """The head of a column; ``address`` is of the page of the state that it shows, or of its design where that has none."""

    number: int
    letter: str
    label: str
    about: str
    address: str
    has_moved_on: bool
    is_offer: bool
    is_baseline: bool
    n_errors: int
    n_warnings: int

    @property
    def can_open(self) -> bool:
        """Whether the state that it shows has no page, and may become a design of its own."""
        return not self.is_offer and (not self.address or self.has_moved_on)


class Summary(NamedTuple):
    """One side against the baseline in words: the headline in two parts, then sentences."""

    letter: str
    start: str
    said: ComparisonSummary


class Notes(NamedTuple):
    """What was changed for a side."""

    letter: str
    label: str
    notes: list[str]


class ListRow(NamedTuple):
    """A comparison in the list: name, sides, the first headline and how many more there are."""

    pk: UUID
    name: str
    created_at: datetime
    labels: list[str]
    baseline: str
    headline: str
    n_more: int


def page_context(row: Comparison, result: ComparisonResult, query: Mapping[str, str]) -> Context:
    """All that the page shows of a comparison."""
    figures, lines = one_of(query.get("figures"), FIGURE_ORDERS), one_of(query.get("lines"), LINE_ORDERS)
    items = list(zip(LETTERS, result.items, strict=False))
    return {
        "comparison": row,
        "result": result,
        "sides": side_heads(row, result),
        "baseline_label": result.items[row.baseline].label,
        "summaries": [Summary(LETTERS[said.of], said.headline.partition(": ")[0], said) for said in result.summary],
        "main_figures": [main_figures(result, MAIN_FIGURES)],
        "figure_groups": figure_groups(result, figures),
        "figure_order": figures,
        "line_rows": line_rows(result, lines),
        "line_order": lines,
        "totals": total_rows(result),
        "is_outdated": is_outdated(row),
        "can_remove": len(row.specs) > LEAST,
        "notes": [Notes(letter, item.label, item.notes) for letter, item in items if item.notes],
    }


def side_heads(row: Comparison, result: ComparisonResult) -> list[SideHead]:
    """The heads of the columns: letter, name, what each is."""
    sources = sources_of(row)
    named = [source.design for source in sources if source.design]
    designs = {str(one.pk): one for one in Design.objects.filter(owner_id=row.owner_id, pk__in=named)}
    heads = []
    for i, (item, source) in enumerate(zip(result.items, sources, strict=True)):
        address, has_moved_on = _way_to(source, designs.get(source.design or ""))
        heads.append(
            SideHead(
                number=i,
                letter=LETTERS[i],
                label=item.label,
                about=_about(item, own_models(source.spec or {})),
                address=address,
                has_moved_on=has_moved_on,
                is_offer=item.kind == OFFER,
                is_baseline=i == row.baseline,
                n_errors=item.n_errors,
                n_warnings=item.n_warnings,
            )
        )
    return heads


def _about(item: ComparedItem, own: Mapping[str, str]) -> str:
    about = [f"{count(item.gpus)} GPUs"] if item.gpus else []
    if item.kind == OFFER:
        about.append("offer")
    else:
        server = load_catalog().servers.get(item.server or "")
        about += [
            server.model if server else own.get(item.server or "") or words(item.server),
            generation_name(item.generation),
        ]
        if item.own_prices or item.price_book != "anchors":
            about.append(f"prices: {item.own_prices or item.price_book}")
    return ", ".join(about)


def _way_to(source: Source, design: Design | None) -> tuple[str, bool]:
    """The page of the state that a side shows; that of its design, and whether it is another state by now, where it has none."""
    if design is None:
        return "", False
    if source.version is not None and design.revisions.filter(number=source.version).exists():
        return ShownPage(design.pk, source.version).address, False
    return ShownPage(design.pk).address, source.state != design.spec_hash or bool(source.price_book)


# ---------------------------------------------------------------- lists


def list_rows(rows: Iterable[Comparison]) -> list[ListRow]:
    """The list of comparisons."""
    return [_list_row(row, head_of(row)) for row in rows]


def _list_row(row: Comparison, result: ComparisonHead) -> ListRow:
    return ListRow(
        pk=row.pk,
        name=row.name,
        created_at=row.created_at,
        labels=[item.label for item in result.items],
        baseline=result.items[row.baseline].label,
        headline=result.summary[0].headline,
        n_more=len(result.summary) - 1,
    )
