"""Pages of calibrations: the list, logs in, one calibration with its diagnosis, and its use in designs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.forms.asking import NameForm
from designer.forms.calibration import FILES, LABELS, NAME, CalibrationForm, Read, read_logs, suggested_name
from designer.models import Calibration, Design
from designer.pages.calibrations.page import (
    designs_of,
    detail,
    faults_context,
    list_rows,
    log_row,
    measured,
    path_row,
    users_by_hash,
)
from designer.pages.deleting import delete_or_ask, kept_words
from designer.pages.limiting import heavy_job
from designer.services.access import changing, owned, owner_of
from designer.services.calibrations import calibrated_of, save_calibration
from designer.services.labels import checked_name
from designer.services.revising import revise
from designer.services.uploads import bytes_of
from designer.wording.context import Context
from designer.wording.names import COLLECTIVES
from estimator.calibration.logs.read import MAX_LOG_BYTES
from estimator.calibration.result import SiteFit
from estimator.calibration.site_fit import MAX_LOGS, calibrate
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.record import Given

SECTION = {"section": "calibrations"}


@login_required
@require_safe
def calibrations(request: HttpRequest) -> HttpResponse:
    """Every calibration of the owner."""
    context = SECTION | {"title": "Calibrations", "rows": list_rows(owner_of(request))}
    return render(request, "designer/calibrations/list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def calibration_new(request: HttpRequest) -> HttpResponse:
    """Ask for logs; with some, fit the model to them and keep what they show."""
    form = CalibrationForm(request.POST if request.method == "POST" else None)
    if not form.is_bound:
        return render(request, "designer/calibrations/new.html", _form_context(form))
    fit = None
    with form.refusing():
        typed, system, files = form.texts(NAME, *LABELS), form.system(), _files(request)
        name = checked_name(typed[NAME]) if typed[NAME] else ""
        fit = calibrate(files, system, load_catalog())
        if wrong := _wrong_answers(fit, typed):
            raise SpecError(wrong)
        name = name or suggested_name(_fitted_of(read_logs(files, system, load_catalog()), fit), load_catalog())
        return redirect("calibration", _saved(owner_of(request), name, system, fit).pk)
    context = _form_context(form) | {"is_refused": True}
    if fit:
        context |= faults_context(fit.diagnosis)
        context |= {
            "logs": [log_row(log, load_catalog()) for log in fit.logs],
            "paths": [path_row(one) for one in fit.paths or ()],
        }
    return render(request, "designer/calibrations/new.html", context, status=422)


def _fitted_of(read: Read, fit: SiteFit) -> Read:
    """What was read of the logs that were fitted; of all where none was."""
    names = {log.file for log in fit.logs if log.is_fitted}
    return replace(read, logs=[(log, run) for log, run in read.logs if log.file in names or not names])


def _saved(owner: User, name: str, system: Given, fit: SiteFit) -> Calibration:
    """Keep what the logs show; where nothing can be kept, beside each field stands what a log lacked."""
    try:
        return save_calibration(owner, name, system, fit)
    except SpecError as error:
        lacking = [one for log in fit.logs for one in log.problems if not log.is_fitted]
        raise SpecError([*error.problems, *dict.fromkeys(lacking)]) from None


def _files(request: HttpRequest) -> list[tuple[str, bytes]]:
    """Names and contents of the chosen files.

    Raises
    ------
    SpecError
        If there are none, too many, or one is too large.
    """
    parts = [part for part in request.FILES.getlist(FILES) if part.name]
    if not parts:
        raise SpecError([Problem(FILES, "missing", "Choose at least one log.")])
    if len(parts) > MAX_LOGS:
        message = f"{len(parts)} files were chosen, and {MAX_LOGS} are the most at once. Choose fewer."
        raise SpecError([Problem(FILES, "too_many_logs", message)])
    return [(str(part.name)[:200], bytes_of(part, FILES, MAX_LOG_BYTES)) for part in parts]


def _wrong_answers(fit: SiteFit, values: Mapping[str, str]) -> list[Problem]:
    """What cannot be so by a log, where the form says it: those answers are refused, not only remarked on."""
    found = [problem for log in fit.logs for problem in log.problems if problem.code != "assumed"]
    return [one for one in dict.fromkeys(found) if values.get(one.field.removeprefix("system."))]


@login_required
@require_POST
@heavy_job
def calibration_read(request: HttpRequest) -> HttpResponse:
    """What the chosen logs say, and so which fields may stay blank; nothing is stored."""
    form, read = CalibrationForm(request.POST), None
    problems: Sequence[Problem] = ()
    if request.FILES.getlist(FILES):
        try:
            read = read_logs(_files(request), form.system(), load_catalog())
            problems = read.problems
        except EstimatorError as error:
            problems = error.problems
    form = CalibrationForm(request.POST, read)
    form.refuse(problems)
    return render(request, "designer/calibrations/_fields.html", _form_context(form, read) | {"is_live": True})


def _form_context(form: CalibrationForm, read: Read | None = None) -> Context:
    return SECTION | {
        "form": form,
        "read": read,
        "read_rows": [
            {
                "log": log,
                "run": run,
                "collective": COLLECTIVES.get((run.collective if run else log.collective) or ""),
                "gpus": run.gpus if run else log.gpus,
            }
            for log, run in (read.logs if read else ())
        ],
        "read_figures": [(one, measured(one.value, one.unit)) for one in (read.figures if read else ())],
        "max_logs": MAX_LOGS,
        "max_log_bytes": MAX_LOG_BYTES,
        "limits": f"Up to {MAX_LOGS} files of {MAX_LOG_BYTES / 1e6:.0f} MB, "
        f"{settings.MAX_LINK_FILE_BYTES / 1e6:.0f} MB together",
        "max_bytes": settings.MAX_LINK_FILE_BYTES,
    }


@login_required
@require_safe
def calibration(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One calibration: its logs, constants, errors, curves and diagnosis."""
    row = owned(request, Calibration, pk)
    return render(request, "designer/calibrations/calibration.html", _page(request, row))


def _page(request: HttpRequest, row: Calibration) -> Context:
    designs = designs_of(owner_of(request))
    users = users_by_hash(designs).get(calibrated_of(row).hash, [])
    others = [design for design in designs if design not in users]
    context = {"users": users, "others": others, "rename": NameForm(initial={"name": row.name})}
    return SECTION | detail(row, request.GET.get("log")) | context


@login_required
@require_POST
def calibration_rename(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give a calibration another name. Designs that use it keep the name it had."""
    form = NameForm(request.POST)
    with form.refusing(), changing(request, Calibration, pk) as row:
        row.name = checked_name(**form.texts())
        row.save(update_fields=["name"])
        messages.success(request, f"Renamed to “{row.name}”.")
        return redirect("calibration", row.pk)
    context = _page(request, owned(request, Calibration, pk)) | {"rename": form}
    return render(request, "designer/calibrations/calibration.html", context, status=422)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def calibration_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask once, then delete a calibration. Designs that use it carry its values and keep them."""
    row = owned(request, Calibration, pk)
    users = users_by_hash(designs_of(owner_of(request))).get(calibrated_of(row).hash, [])
    words = "Its results are deleted and cannot be restored; the logs were never kept."
    return delete_or_ask(request, row, "calibrations", "calibration", words + kept_words(users, "its values"))


@login_required
@require_POST
def calibration_use(request: HttpRequest) -> HttpResponse:
    """Let a design be predicted with a calibration, or with the catalog's constants where none is named."""
    wanted = request.POST.get("calibration", "")
    design = owned(request, Design, request.POST.get("design", ""))
    used = calibrated_of(owned(request, Calibration, wanted)).model_dump() if wanted else None
    return revise(request, design, {"workload.calibration": used}, "performance")
