"""Pages to start from: samples, published designs compared with their sources, workloads, and designs out of files."""

from typing import IO, TYPE_CHECKING, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.pages.keeping import kept_as_design
from designer.pages.start.published import published_page
from designer.pages.start.tour import STEPS, TOUR_COOKIE, TOUR_DONE, TOUR_SECONDS
from designer.pages.start.workloads import work_card
from designer.services.access import owner_of
from designer.services.designs import samples
from designer.services.designs.from_files import dump_report, sent_text, spec_of_text
from designer.wording.context import Context
from designer.wording.query import LONGEST_SEARCH, words_of
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.published.workloads import workloads

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

SECTION = {"section": "start"}


@login_required
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Ways to a first design."""
    context = {
        "samples": samples.SAMPLES,
        "workloads": [work_card(work) for work in workloads().values()],
        "steps": STEPS,
        "has_designs": owner_of(request).designs.exists(),
    }
    return render(request, "designer/start/start.html", SECTION | context | published_page())


@login_required
@require_safe
def published(request: HttpRequest) -> HttpResponse:
    """Published against computed, row by row; with words of a search the designs that have them."""
    q = request.GET.get("q", "")[:LONGEST_SEARCH].strip()
    context = SECTION | published_page(words_of(q)) | {"q": q, "longest": LONGEST_SEARCH}
    return render(request, "designer/start/published.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_import(request: HttpRequest) -> HttpResponse:
    """Make a design of a spec, pasted or as a file; or of a dump of a network, which is shown first."""
    context: Context = {"text": request.POST.get("spec", ""), "servers": request.POST.get("servers", "")}
    if request.method != "POST":
        return render(request, "designer/start/import.html", SECTION | context)
    try:
        if request.FILES.get("dump"):
            return render(request, "designer/start/import.html", SECTION | context | _dump(request))
        return kept_as_design(request, spec_of_text(sent_text(request)))
    except EstimatorError as error:
        return render(
            request, "designer/start/import.html", SECTION | context | {"problems": error.problems}, status=422
        )


def _dump(request: HttpRequest) -> Context:
    upload = cast("UploadedFile[bytes]", request.FILES["dump"])
    report = dump_report(cast("IO[bytes]", upload), upload.name or "", load_catalog(), request.POST.get("servers", ""))
    return {"report": report}


@login_required
@require_POST
def tour_skip(request: HttpRequest) -> HttpResponse:
    """Never offer the tour again on this browser."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    answer = redirect(back if is_ours else reverse("start"))
    answer.set_cookie(TOUR_COOKIE, TOUR_DONE, max_age=TOUR_SECONDS, samesite="Lax", secure=request.is_secure())
    return answer
