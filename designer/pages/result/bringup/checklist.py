"""The page of a design's checklist: a day at a time, ticked by whoever may edit the design, printed, and as files."""

from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from designer.models import Design
from designer.pages.sending import attachment
from designer.services.access import design_page, design_to_change, design_to_see, name_of, visiting
from designer.services.bringup.checklists import (
    ChangedMeanwhile,
    Seen,
    Ticked,
    as_text,
    checklist_now,
    item_of,
    tick,
    with_ticks,
)
from designer.services.bringup.choosing import weeks_asked
from designer.wording.context import Context
from designer.wording.query import MAX_DIGITS, one_of
from estimator.bringup.checklist.files import CHECKLIST_FORMATS
from estimator.bringup.checklist.result import Checklist, Phase
from estimator.crews.effort import crews
from estimator.digits import is_whole_number
from estimator.errors import EstimatorError
from estimator.record import Given

PAGE, ITEM = "designer/result/bringup/checklist.html", "designer/result/bringup/_item.html"
NEWS = "designer/result/bringup/_news.html"
ALL = "all"
MOST_SHOWN = 1_500  # items of a page; a file has all of them
MOST_DAYS, NEAR = 60, 12  # to choose from; of more of them those that are near


class Progress(NamedTuple):
    """A phase with what is done of it."""

    phase: Phase
    n_done: int
    n_items: int


class Row(NamedTuple):
    """An item with its number in the order of work, which names its place on the page."""

    number: int
    one: Ticked


class Day(NamedTuple):
    """A day to choose; ``is_after_gap`` says that days before it are not listed."""

    number: int
    is_done: bool
    is_after_gap: bool


class Group(NamedTuple):
    """Items of a day that one crew does."""

    title: str
    day: int
    rows: list[Row]


@design_page
@require_safe
def checklist(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The items of a day and crew, or a file of all."""
    design = design_to_see(request, design_id)
    context: Context = {"design": design, "may_tick": visiting(request) != "read"}
    try:
        chosen = weeks_asked(request.GET)
        context |= {"choices": chosen}
        made = checklist_now(design, chosen.weeks)
    except EstimatorError as error:
        return render(request, PAGE, context | {"problems": error.problems}, status=422)
    if file_format := one_of(request.GET.get("format"), ("", *CHECKLIST_FORMATS)):
        return _file(design, made, file_format)
    return render(request, PAGE, context | page_context(design, made, request.GET))


@design_page
@require_safe
def checklist_news(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """What others ticked since a page was loaded, for its polling: items of its day and crew; nothing if nobody did."""
    design = design_to_see(request, design_id)
    seen = Seen.parse(request.GET.get("seen", ""))
    if seen == Seen.of(design):
        return HttpResponse(status=204)
    try:
        chosen = weeks_asked(request.GET)
        context = page_context(design, checklist_now(design, chosen.weeks), request.GET) | {"choices": chosen}
    except EstimatorError:
        return HttpResponse(status=204)  # the page says why when it is loaded again
    rows = [
        row
        for group in context.get("groups", [])
        for row in group.rows
        if row.one.tick and seen.is_before(row.one.tick)
    ]
    context |= {"design": design, "may_tick": visiting(request) != "read", "rows": rows}
    return render(request, NEWS, context)


@design_page
@require_POST
def checklist_tick(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Tick an item or take its tick back: the item as it is then, and for a page without scripts the page again."""
    design = design_to_change(request, design_id)
    code, seen = request.POST.get("item", ""), request.POST.get("version", "")
    shown = {key: request.POST.get(key, "") for key in ("day", "crew")}
    note = ""
    try:
        chosen = weeks_asked(request.POST)
        made = checklist_now(design, chosen.weeks)
        item = item_of(made, code)
        number = int(seen) if is_whole_number(seen, MAX_DIGITS) else 0
        one = tick(design, item, is_done=request.POST.get("done") == "yes", seen=number, by=name_of(request))
    except ChangedMeanwhile as error:
        (one,), note = with_ticks(design, [item]), error.words()
    except EstimatorError as error:
        messages.error(request, error.words())
        return redirect("checklist", design.pk)
    if not request.htmx:  # type: ignore[attr-defined]
        if note:
            messages.warning(request, note)
        query = urlencode({key: value for key, value in shown.items() if value} | chosen.unusual)
        return redirect(f"{reverse('checklist', args=[design.pk])}?{query}#item-{made.items.index(item) + 1}")
    ticked = with_ticks(design, made.items)
    context: Context = {
        "design": design,
        "may_tick": True,
        "one": one,
        "number": made.items.index(item) + 1,
        "note": note,
        "is_answer": True,
        "choices": chosen,
        **shown,
        **progress_of(made, ticked),
    }
    return render(request, ITEM, context)


def page_context(design: Design, made: Checklist, query: Given) -> Context:
    """The items that an address asks for: in hand on a day (the first with something to do) or on any, of a crew or of all."""
    seen = Seen.of(design)
    ticked = with_ticks(design, made.items)
    crew = one_of(query.get("crew"), ("", *(one.code for one in made.crews)))
    of_crew = [Row(number, one) for number, one in enumerate(ticked, start=1) if crew in ("", one.item.crew)]
    day = _day(str(query.get("day") or ""), of_crew, made)
    of_day = [row for row in of_crew if day == ALL or row.one.item.day <= int(day) <= row.one.item.last_day]
    return {
        "checklist": made,
        "seen": seen,
        "crew": crew,
        "day": day,
        "days": _days(of_crew, 0 if day == ALL else int(day)),
        "groups": _groups(of_day[:MOST_SHOWN], None if day == ALL else int(day)),
        "n_hidden": max(len(of_day) - MOST_SHOWN, 0),
        "formats": CHECKLIST_FORMATS,
        **progress_of(made, ticked),
    }


def progress_of(made: Checklist, ticked: list[Ticked]) -> Context:
    """Each phase with what is done of it, and the whole."""
    n_done = sum(one.is_done for one in ticked)
    done_of = dict.fromkeys((phase.code for phase in made.phases), 0)
    for one in ticked:
        done_of[one.item.phase] += one.is_done
    return {
        "progress": [Progress(phase, done_of[phase.code], phase.items) for phase in made.phases],
        "n_done": n_done,
        "n_items": len(ticked),
        "n_changed": sum(one.is_changed for one in ticked),
        "share": n_done / len(ticked) if ticked else 0.0,
    }


def _day(asked: str, rows: list[Row], made: Checklist) -> str:
    if asked == ALL:
        return ALL
    if is_whole_number(asked, MAX_DIGITS) and 1 <= int(asked) <= made.days:
        return asked
    return str(next((row.one.item.day for row in rows if not row.one.is_done), 1))


def _days(rows: list[Row], shown: int) -> list[Day]:
    """Days with work among the rows; of many those near the one that is shown, the first and the last."""
    is_done: dict[int, bool] = {}
    for row in rows:
        for number in range(row.one.item.day, row.one.item.last_day + 1):
            is_done[number] = is_done.get(number, True) and row.one.is_done
    numbers = sorted(is_done)
    if len(numbers) > MOST_DAYS:
        numbers = [number for number in numbers if abs(number - shown) <= NEAR or number in (numbers[0], numbers[-1])]
    gaps = [False, *(after - before > 1 for before, after in pairwise(numbers))]
    return [Day(number, is_done[number], is_gap) for number, is_gap in zip(numbers, gaps, strict=False)]


def _groups(rows: list[Row], day: int | None) -> list[Group]:
    """By day and crew, in the order of the crews; of all days each item on its first."""
    order = {code: number for number, code in enumerate(crews())}
    found: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        found.setdefault((day or row.one.item.day, order[row.one.item.crew]), []).append(row)
    titles = [crew.title for crew in crews().values()]
    return [
        Group(titles[crew], day, of_crew) for (day, crew), of_crew in sorted(found.items(), key=lambda each: each[0])
    ]


def _file(design: Design, made: Checklist, name: str) -> HttpResponse:
    form = CHECKLIST_FORMATS[name]
    content = b"".join(form.write(made, as_text(design, made)))
    return attachment(content, form.content_type, form.file)
