"""The page that takes what devices are set to and says what disagrees. Nothing of the files is kept.

An answer is signed and packed into the page's own form, which filters it, sorts it and makes files of it: it lies nowhere else,
and no secret is in it.
"""

import json
from typing import NamedTuple, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from designer.exports.file_names import design_file_stem
from designer.pages.result.job import result_or_404
from designer.pages.sending import attachment
from designer.services.access import design_to_own, job_to_see
from designer.services.bringup.checking import Upload, checked_uploads
from designer.services.bringup.choosing import choices_asked
from designer.services.bringup.plans import plan_for, state_of_job
from designer.services.shown_page import version_asked
from designer.wording.context import Context
from designer.wording.query import one_of
from estimator.bringup.check.result import SettingFinding, SettingsCheck, Unread
from estimator.bringup.check.table import findings_csv
from estimator.bringup.check.upload import MAX_FILE_BYTES, MAX_FILES
from estimator.bringup.plan.choices import Choices
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob

PAGE = "designer/result/bringup/check.html"
SALT, KEPT_S = "settings-check", 86_400
MOST_PACKED_BYTES = settings.MAX_BODY_BYTES - 100_000  # the form has a filter, too
MOST_PACKED = 8_192  # findings, hops or lines, once they do not all fit
SHOWN, LONGEST_SEARCH = 500, 80  # rows of a table; a file has all
SEVERITIES = {"": "All", "error": "Errors", "warning": "Warnings", "info": "Notes"}
ORDERS = {"": "Worst first", "device": "Device", "cost": "What it costs", "kind": "Kind"}
FORMATS = ("", "csv", "json")


class Shown(NamedTuple):
    """What of an answer is shown: findings of a severity and of devices with a part of a name, in an order."""

    severity: str
    device: str
    order: str

    @classmethod
    def of(cls, given: QueryDict) -> "Shown":
        """As a form says."""
        device = given.get("device", "").strip()[:LONGEST_SEARCH]
        return cls(one_of(given.get("severity"), SEVERITIES), device, one_of(given.get("order"), ORDERS))

    def findings(self, answer: SettingsCheck) -> list[SettingFinding]:
        """Those findings; the answer has the worst first."""
        wanted = self.device.lower()
        found = [
            one
            for one in answer.findings
            if self.severity in ("", one.severity) and wanted in f"{one.device} {one.file}".lower()
        ]
        match self.order:
            case "device":
                return sorted(found, key=lambda one: (one.device, one.file, one.line))
            case "cost":
                return sorted(found, key=_lost, reverse=True)
            case "kind":
                return sorted(found, key=lambda one: one.code)
        return found


def _lost(finding: SettingFinding) -> float:
    """Share of the figure that a finding costs; nothing where the model does not say."""
    return 1 - finding.cost.to / finding.cost.from_ if finding.cost else 0.0


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings_check(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Request files; with them, or with an answer that the page holds, its findings or a file of them."""
    design = design_to_own(request, design_id)
    job = job_to_see(request, design, job_id)
    result_or_404(job)
    context: Context = {"design": design, "job": job, "max_files": MAX_FILES, "max_file_mb": MAX_FILE_BYTES // 10**6}
    context |= {"max_all_bytes": settings.MAX_LINK_FILE_BYTES}
    context |= version_asked(request, design)
    status = 200
    if request.method != "POST":
        try:
            context |= {"choices": choices_asked(request.GET)}
        except EstimatorError as error:
            return render(request, PAGE, context | {"problems": error.problems}, status=422)
    if request.method == "POST":
        try:
            chosen = choices_asked(request.POST)
            context |= {"choices": chosen}
            answer = _answer(request, job, chosen)
        except EstimatorError as error:
            context |= {"problems": error.problems}
            status = 422
        else:
            shown = Shown.of(request.POST)
            if file_format := one_of(request.POST.get("format"), FORMATS):
                return _file(job, answer, shown, file_format)
            context |= _shown_context(*_kept(answer, job), shown)
    return render(request, PAGE, context, status=status)


def _answer(request: HttpRequest, job: EstimateJob, chosen: Choices) -> SettingsCheck:
    """What was packed into the page, or what new files say."""
    if packed := request.POST.get("kept"):
        try:
            return SettingsCheck.from_json(signing.loads(packed, salt=_salt(job), max_age=KEPT_S))
        except signing.BadSignature:
            message = "This answer is over a day old, or is not as it was sent. Check the files again."
            raise SpecError([Problem("kept", "invalid", message)]) from None
    files = request.FILES.getlist("files")
    owner = request.POST.get("owner", "").strip()[:LONGEST_SEARCH]
    named = [(f"{owner}:{one.name}" if owner else str(one.name), cast("Upload", one)) for one in files]
    return checked_uploads(plan_for(state_of_job(job, chosen)), named)


def _salt(job: EstimateJob) -> str:
    """An answer holds for its own design."""
    return f"{SALT}-{job.pk}"


def _kept(answer: SettingsCheck, job: EstimateJob) -> tuple[SettingsCheck, str]:
    """An answer and the same packed: as much of it as a form may send back, the worst findings first, and what was left out."""
    kept, most = answer, MOST_PACKED
    while len(packed := signing.dumps(kept.as_json(), salt=_salt(job), compress=True)) > MOST_PACKED_BYTES:
        most //= 2
        kept = answer.but(findings=answer.findings[:most], paths=answer.paths[:most], unread=_first(answer, most))
    return kept, packed


def _first(answer: SettingsCheck, most: int) -> list[Unread]:
    why = (
        f"The answer is too long for a page: it has the first {most:,} of {len(answer.findings):,} findings, of "
        f"{len(answer.paths):,} hops and of {len(answer.unread):,} lines that were not read. Check fewer files at a time."
    )
    return [Unread(file="all files", line=None, why=why), *answer.unread[:most]]


def _shown_context(answer: SettingsCheck, packed: str, shown: Shown) -> Context:
    findings = shown.findings(answer)
    counts = {key: sum(one.severity == key for one in answer.findings) for key in SEVERITIES if key}
    return {
        "answer": answer,
        "shown": shown,
        "findings": findings[:SHOWN],
        "n_hidden": max(len(findings) - SHOWN, 0),
        "n_found": len(findings),
        "counts": [(SEVERITIES[key], number) for key, number in counts.items()],
        "paths": answer.paths[:SHOWN],
        "n_lossy": sum(one.lossless is False for one in answer.paths),
        "unread": answer.unread[:SHOWN],
        "n_unread_hidden": max(len(answer.unread) - SHOWN, 0),
        "severities": SEVERITIES,
        "orders": ORDERS,
        "kept": packed,
    }


def _file(job: EstimateJob, answer: SettingsCheck, shown: Shown, file_format: str) -> HttpResponse:
    """The findings that are shown, all of them, as a file."""
    some = answer.but(findings=shown.findings(answer))
    stem = design_file_stem(job.name, job.spec_hash, "settings-check")
    if file_format == "csv":
        return attachment(findings_csv(some), "text/csv; charset=utf-8", f"{stem}.csv")
    text = json.dumps(some.as_json(), ensure_ascii=False, indent=2) + "\n"
    return attachment(text, "application/json", f"{stem}.json")
