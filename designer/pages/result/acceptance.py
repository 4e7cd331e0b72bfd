"""The page of a design's acceptance contract: its gates, and what uploaded results say of the built network."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from designer.pages.calibrations.page import found_faults
from designer.pages.limiting import heavy_job
from designer.pages.result.job import result_or_404
from designer.pages.sending import attachment
from designer.services.access import design_to_own, job_to_see
from designer.services.shown_page import version_asked
from designer.services.uploads import bytes_of
from designer.wording.context import Context
from designer.wording.numbers import chosen
from designer.wording.query import column_heads, one_of
from estimator.bringup.acceptance.design import accepted
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS, AcceptanceFormat
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.readers.upload import MAX_FILE_BYTES
from estimator.bringup.acceptance.result import Acceptance, Gate, GateResult, Verdict
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec

SHOWN = 200  # results of a table: the rest are counted
WORST_FIRST: tuple[Verdict, ...] = ("fail", "suspect", "pass", "not_run")
VERDICTS: dict[Verdict, str] = {
    "pass": "passed",
    "fail": "failed",
    "suspect": "suspect",
    "not_run": "not run",
}
HEADINGS: dict[Verdict, str] = {
    "pass": "Every gate passed",
    "fail": "The network fails its contract",
    "suspect": "No gate failed, and some results are suspect",
    "not_run": "Nothing failed, and some gates were not run",
}
_IN_ORDER = "code"
ORDERS: dict[str, Callable[[Gate], Any]] = {
    _IN_ORDER: lambda gate: 0,  # as they are run
    "results": lambda gate: gate.results,
    "expected": lambda gate: gate.expected,
    "pass_at": lambda gate: gate.pass_at / gate.expected,
    "fault_at": lambda gate: gate.fault_at / gate.expected,
    "miss": lambda gate: gate.miss,
    "basis": lambda gate: gate.basis,
}


class ShownResult(NamedTuple):
    """A result with its verdict in a word, and its gate's title."""

    result: GateResult
    title: str
    verdict: str
    is_bad: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def acceptance(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The gates, sorted as the address says, or their file; with files, the verdicts."""
    design = design_to_own(request, design_id)
    job = job_to_see(request, design, job_id)
    result_or_404(job)
    context: Context = {"design": design, "job": job, "max_bytes": settings.MAX_LINK_FILE_BYTES}
    context |= version_asked(request, design)
    status, file_format = 200, one_of(request.GET.get("format"), ("", *ACCEPTANCE_FORMATS))
    try:
        if file_format:
            return _file(job, file_format)
        context |= _judged(request, job) if request.method == "POST" else _planned(job, request.GET.get("sort"))
    except EstimatorError as error:
        status, is_file = 422, bool(file_format)
        context |= {"problems": error.problems, "is_file": is_file}
        if request.method == "POST" or is_file:
            context |= _if_any(job)
    return render(request, "designer/result/acceptance/acceptance.html", context, status=status)


def _if_any(job: EstimateJob) -> Context:
    """The gates beside what is wrong with the files; nothing where the design has no contract at all."""
    try:
        return _planned(job, None)
    except EstimatorError:
        return {}


def _planned(job: EstimateJob, order: str | None) -> Context:
    contract, answer = _accepted(job)
    key = (order or "").removeprefix("-")
    key, is_down = (key, str(order).startswith("-")) if key in ORDERS else (_IN_ORDER, False)
    gates = sorted(answer.gates, key=ORDERS[key], reverse=is_down and key != _IN_ORDER)
    if is_down and key == _IN_ORDER:
        gates = gates[::-1]
    heads = column_heads(list(ORDERS), key, is_down)
    return {"answer": answer, "gates": gates, "heads": heads, "is_planned": True, "formats": _formats(contract)}


def _formats(contract: Contract) -> dict[str, AcceptanceFormat]:
    """Files besides the answer itself, those that know the site's GPUs."""
    return {
        key: form
        for key, form in ACCEPTANCE_FORMATS.items()
        if key != "json" and not (form.is_for_nvidia and contract.site.is_amd)
    }


def _judged(request: HttpRequest, job: EstimateJob) -> Context:
    uploads = request.FILES.getlist("results")
    if not uploads:
        raise SpecError(
            [Problem("results", "required", "Choose files first: logs of the gates, or an archive of them.")]
        )
    files = ((str(one.name), bytes_of(one, "results", MAX_FILE_BYTES)) for one in uploads)
    contract, answer = _accepted(job, files)
    results = _shown(answer)
    counted = [(VERDICTS[verdict], sum(one.verdict == verdict for one in answer.results)) for verdict in WORST_FIRST]
    return {
        "answer": answer,
        "gates": answer.gates,
        "formats": _formats(contract),
        "heading": HEADINGS[answer.verdict],
        "counted": counted,
        "results": results[:SHOWN],
        "n_hidden": max(len(results) - SHOWN, 0),
        "faults": found_faults(answer.diagnosis),
    }


def _shown(answer: Acceptance) -> list[ShownResult]:
    """Results that were run, the worst first, then gates without any."""
    titles = {gate.code: gate.title for gate in answer.gates}
    in_order = sorted(answer.results, key=lambda one: WORST_FIRST.index(one.verdict))
    return [
        ShownResult(one, titles[one.gate], VERDICTS[one.verdict], one.verdict in ("fail", "suspect"))
        for one in in_order
    ]


def _file(job: EstimateJob, name: str) -> HttpResponse:
    form = ACCEPTANCE_FORMATS[name]
    contract, answer = _accepted(job)
    return attachment(b"".join(form.write(contract, answer, in_bits=chosen().in_bits)), form.content_type, form.file)


def _accepted(job: EstimateJob, files: Iterable[tuple[str, bytes]] = ()) -> tuple[Contract, Acceptance]:
    return accepted(parse_spec(job.spec, load_catalog()), load_catalog(), files)
