"""The page of what differs in settings between two versions of a design, or a version and now."""

from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from designer.exports.file_names import design_file_stem
from designer.models import Design
from designer.pages.sending import attachment
from designer.services.access import design_page, design_to_change
from designer.services.bringup.choosing import choices_asked, kind_of
from designer.services.bringup.plans import changes_for, state_of_design
from designer.wording.context import Context
from designer.wording.query import one_of
from estimator.bringup.changes.result import SettingsChanges
from estimator.bringup.changes.table import changes_csv
from estimator.bringup.plan.choices import Choices
from estimator.errors import EstimatorError

PAGE = "designer/result/bringup/changes.html"
NOW = "now"
SHOWN = 300  # rows of the page; the CSV has all
CSV_TYPE = "text/csv; charset=utf-8"


class Side(NamedTuple):
    """A version to choose, or now."""

    key: str
    name: str


@design_page
@require_safe
def settings_changes(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Two sides to choose, and what differs between them; or the file of it."""
    row = design_to_change(request, design_id)
    sides = [Side(NOW, "now"), *(Side(str(one.number), one.name) for one in row.revisions.order_by("-number"))]
    keys = [side.key for side in sides]
    asked_from = one_of(request.GET.get("from"), [*keys[1:2], *keys])
    asked_to = one_of(request.GET.get("to"), keys)
    context: Context = {
        "design": row,
        "sides": sides,
        "asked_from": asked_from,
        "asked_to": asked_to,
    }
    if len(sides) > 1:
        try:
            chosen = choices_asked(request.GET)
            context |= {"choices": chosen}
            found = _between(row, asked_from, asked_to, chosen)
        except EstimatorError as error:
            return render(request, PAGE, context | {"problems": error.problems}, status=422)
        if request.GET.get("format") == "csv":
            name = design_file_stem(row.name, found.after_hash, kind_of(chosen, "settings-changes"))
            return attachment(changes_csv(found), CSV_TYPE, f"{name}.csv")
        context |= {"found": found, "changes": found.changes[:SHOWN]}
        context |= {"n_hidden": max(len(found.changes) - SHOWN, 0), "grown": found.nodes_after - found.nodes_before}
    return render(request, PAGE, context)


def _between(row: Design, before: str, after: str, chosen: Choices) -> SettingsChanges:
    states = [state_of_design(row, None if key == NOW else int(key), chosen) for key in (before, after)]
    return changes_for(*states)
