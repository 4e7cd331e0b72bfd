"""What a search found as a file: a row a design with all its figures, what it rests on beside them."""

import hashlib
import json
from datetime import datetime

from designer.charts.search import ON_FRONT, OTHERS, PRESENT, axes_of_front
from designer.exports.csv import csv_bytes
from designer.exports.downloads import CSV_TYPE, PDF_TYPE, XLSX_TYPE, Download
from designer.exports.file_names import design_file_stem
from designer.exports.pdf.charts import Points
from designer.exports.reports.found import FoundPaper, found_report
from designer.exports.reports.found import FoundRow as PaperRow
from designer.exports.tables import ANY, COUNT, MONEY, Cell, Column, Table
from designer.exports.xlsx import xlsx_bytes
from designer.pages.explore.page import FoundRow, found_page, ways_out
from designer.wording.findings import sentence
from designer.wording.numbers import usd_range
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.search.figures import FIGURES, Figure
from estimator.search.result import FoundDesign, Search
from estimator.version import MODEL_VERSION
from estimator.wording import in_sentence

FOUND_FILES = ("csv", "xlsx", "json", "pdf")
JSON_TYPE = "application/json"
_COUNTED = ("switches", "links", "cables", "transceivers", "racks", "RU", "tiers", "nodes", "GPUs", "vendors", "parts")


def found_table(found: Search) -> Table:
    """A row a design: rank, what the request left open, figures with the ends of their prices, why it is not the best."""
    paths = list(found.designs[0].values) if found.designs else []
    columns = (
        Column("rank", "Rank", width=6, number_format=COUNT),
        Column("is_on_front", "On the front", width=9),
        Column("is_tied", "Tied with the best", width=9),
        *(Column(path, path, width=22) for path in paths),
        *(one for figure in FIGURES.values() for one in _columns(figure)),
        Column("wins", "Best in this share of the draws", width=11, number_format=ANY),
        Column("on_front_share", "On the front in this share", width=11, number_format=ANY),
        *(
            Column(f"regret_{end}", f"More than the best of a draw, {words}", "USD", 14, MONEY)
            for end, words in (("p5", "5 % of draws"), ("p50", "half of them"), ("p95", "95 %"))
        ),
        Column("lost_on", "Behind the best on", width=22),
        Column("lost_by", "By", width=12, number_format=ANY),
        Column("alike", "Further designs with these figures", width=12, number_format=COUNT),
    )
    rows = tuple(_row(found, at, one, paths) for at, one in enumerate(found.designs))
    return Table("Found designs", columns, rows, frozen_columns=1)


def _columns(figure: Figure) -> tuple[Column, ...]:
    form = MONEY if figure.unit == "USD" else COUNT if figure.unit in _COUNTED else ANY
    one = Column(figure.name, figure.title, figure.unit, 14, form)
    if not figure.is_money:
        return (one,)
    ends = (Column(f"{figure.name}_{end}", f"{figure.title}, {end}", figure.unit, 14, form) for end in ("low", "high"))
    return (one, *ends)


def _row(found: Search, at: int, one: FoundDesign, paths: list[str]) -> tuple[Cell, ...]:
    cells: list[Cell] = [one.rank, at in found.front, at in found.undecided, *(one.values[path] for path in paths)]
    for figure in FIGURES.values():
        cells.append(one.figures[figure.name])
        if figure.is_money:
            ends = one.ranges_usd.get(figure.name)
            cells += [ends.low, ends.high] if ends else [None, None]
    chance = one.chance
    cells += [chance.wins, chance.on_front] if chance else [None, None]
    cells += [chance.regret.p5, chance.regret.p50, chance.regret.p95] if chance else [None, None, None]
    return (*cells, *((one.lost_on.figure, one.lost_on.by) if one.lost_on else (None, None)), one.alike)


def request_table(asked: Given) -> Table:
    """The request, a row a key."""
    columns = (Column("key", "Key", width=14), Column("value", "Value", width=90))
    return Table("Request", columns, tuple((key, json.dumps(value)) for key, value in asked.items()))


def found_download(form: str, name: str, asked: Given, found: Search, created: datetime) -> Download:
    """A file of what was found; its name ends with the start of the request's hash."""
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    stem = design_file_stem(name, digest, "found")
    if form == "json":
        text = json.dumps({"request": dict(asked), "answer": found.as_json()}, indent=2, ensure_ascii=False)
        return Download(f"{stem}.json", JSON_TYPE, text.encode())
    if form == "pdf":
        foot = f"request {digest[:16]} · model {MODEL_VERSION} · catalog {load_catalog().version}"
        return Download(f"{stem}.pdf", PDF_TYPE, found_report(_paper(name, asked, found, foot), created))
    if form == "csv":
        provenance = (name, digest, MODEL_VERSION, load_catalog().version)
        return Download(f"{stem}.csv", CSV_TYPE, csv_bytes(found_table(found), provenance))
    return Download(f"{stem}.xlsx", XLSX_TYPE, xlsx_bytes([found_table(found), request_table(asked)], name, created))


# ---------------------------------------------------------------- the paper


def _paper(name: str, asked: Given, found: Search, foot: str) -> FoundPaper:
    """What the page says of an answer, for print."""
    pareto = asked.get("pareto", [])
    page = found_page(found, pareto, load_catalog())
    axes = axes_of_front(pareto, found.objective)
    better = [
        f"{figure.title} {by} {'more' if figure.is_more else 'less'}, and no worse otherwise: {design}"
        + (f" (better in {share} of the draws of prices)" if share else "")
        for figure, by, design, share in page.regret
    ]
    return FoundPaper(
        name=f"{name}, found" if found.present else "Found designs",
        foot=foot,
        looked_at=_looked_at(found),
        said=(
            ("Better than the present design", better),
            ("How sure the prices are", page.chance),
            ("What binds", page.binding),
            ("What would make a design possible", [sentence(way.words) for way in ways_out(found, asked)]),
        ),
        axes=axes,
        points=_points(found, axes),
        heads=[head.title.replace("Oversubscription", "Oversub.") for head in page.heads],
        rows=[_paper_row(row) for row in page.rows],
        is_drawn=found.draws is not None,
        request=asked,
    )


def _looked_at(found: Search) -> str:
    best = f"Best is {in_sentence(FIGURES[found.objective].title)}. "
    return (
        f"{best}{found.looked_at:,} combinations were looked at, {found.built:,} can be built, {found.feasible:,} meet the "
        "limits."
    )


def _paper_row(row: FoundRow) -> PaperRow:
    notes = [*(["on the front"] if row.is_on_front else []), *([f"and {row.alike:,} alike"] if row.alike else [])]
    cells = [(cell.text, usd_range(cell.ends) if cell.ends else "") for cell in row.cells]
    behind = row.lost, f"for {row.bought}" if row.bought else ""
    return PaperRow(str(row.rank), row.name, ", ".join(notes), cells, (row.wins.text, row.wins.ends or ""), behind)


def _points(found: Search, axes: tuple[str, str]) -> list[Points]:
    """The front, the other designs of the list, and the present one."""
    on_front = set(found.front)
    sides: tuple[list[tuple[float, float]], ...] = ([], [], [])
    every = [(int(at not in on_front), one.figures) for at, one in enumerate(found.designs)]
    every += [(2, found.present.figures)] if found.present else []
    for side, figures in every:
        x, y = (figures[name] for name in axes)
        if x is not None and y is not None:
            sides[side].append((x, y))
    names = (ON_FRONT, OTHERS, PRESENT)
    return [Points(name, at, is_stepped=at is sides[0]) for name, at in zip(names, sides, strict=True)]
