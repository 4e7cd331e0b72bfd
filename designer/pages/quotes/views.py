"""Pages of quotes: the list, a file in, its columns, its report, matches by hand, and what is done with its prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.exports.quotes import FORMATS, quote_file
from designer.forms.quotes import QuoteForm, TakeForm, as_typed, match_of, posted_columns
from designer.models import Design, PriceBook, Quote
from designer.pages.deleting import delete_or_ask
from designer.pages.limiting import heavy_job
from designer.pages.quotes.page import (
    columns_context,
    list_rows,
    report_context,
)
from designer.pages.sending import attachment, sends_files
from designer.services.access import changing, owned, owner_of
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.designs.state import spec_of
from designer.services.quotes import (
    create_quote,
    design_of,
    offer_of,
    refresh,
    set_columns,
    set_discount,
    set_matches,
    take_into_book,
)
from designer.services.uploads import bytes_of
from designer.wording.context import Context
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.quotes.check import kept_quote
from estimator.tables.discounts import given_percent, percent_text
from estimator.tables.file import MAX_FILE_BYTES

SECTION = {"section": "quotes"}


# ---------------------------------------------------------------- list, a file in


@login_required
@require_safe
def quotes(request: HttpRequest) -> HttpResponse:
    """Every quote of the owner."""
    return render(
        request, "designer/quotes/list.html", SECTION | {"title": "Quotes", "rows": list_rows(owner_of(request))}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def quote_new(request: HttpRequest) -> HttpResponse:
    """A form for a quote and the design it is for; read it and compare it with the design."""
    owner = owner_of(request)
    designs = owner.designs.only("pk", "name")
    context: Context = {
        "designs": designs,
        "limits": f"XLSX, CSV or a PDF with text, of up to {MAX_FILE_BYTES / 1e6:.0f} MB, 100,000 rows and 20,000 lines",
    }
    if request.method != "POST":
        form = QuoteForm(designs, initial={"design": request.GET.get("design")})
        return render(request, "designer/quotes/new.html", SECTION | context | {"form": form})
    form = QuoteForm(designs, request.POST, request.FILES)
    with form.refusing():
        typed = form.texts("design", "vendor", "name")
        design = _design_of(request, typed.pop("design"))
        file = form.cleaned_data.get("file")
        if file is None:
            raise SpecError([Problem("file", "missing", "Choose the vendor's file.")])
        data = bytes_of(file, "file", MAX_FILE_BYTES)
        quote = create_quote(owner, spec_of(design), data, str(file.name), **typed, may_ask=True, design=design)
        return redirect("quote" if quote.is_confirmed else "quote-columns", quote.pk)
    return render(request, "designer/quotes/new.html", SECTION | context | {"form": form}, status=422)


def _design_of(request: HttpRequest, design: str) -> Design:
    if not design:
        raise SpecError([Problem("design", "missing", "Choose the design that the quote is for.")])
    return owned(request, Design, design)


# ---------------------------------------------------------------- the report


@login_required
@require_safe
def quote(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What a quote has, lacks and costs beside its design."""
    row = owned(request, Quote, pk)
    if not row.result:
        return redirect("quote-columns", row.pk)
    return render(request, "designer/quotes/quote.html", _page(request, row))


def _page(request: HttpRequest, row: Quote) -> Context:
    owner = owner_of(request)
    others = owner.quotes.exclude(pk=row.pk).exclude(result={}).only("pk", "name").order_by("-created_at")
    return (
        SECTION
        | report_context(row, request.GET.dict())
        | {
            "books": owner.price_books.only("pk", "name"),
            "others": others,
            "take": TakeForm(
                initial={"name": row.vendor or row.name, "as_of": timezone.localdate().isoformat(), "book": ""}
            ),
        }
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def quote_columns(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Which column is what, with the first rows; said once, it is remembered for sheets of the same header."""
    row = owned(request, Quote, pk)
    if request.method != "POST":
        return render(request, "designer/quotes/columns.html", SECTION | columns_context(row))
    posted = request.POST.dict()
    typed = None
    try:
        with changing(request, Quote, pk) as row:
            read = kept_quote(row.reading)
            asked = posted_columns(cast("Mapping[str, str]", posted), read)
            typed = as_typed(asked, read)
            if "show" in posted:
                return render(request, "designer/quotes/columns.html", SECTION | columns_context(row, typed))
            set_columns(row, [one.as_json() for one in asked])
    except EstimatorError as error:
        row.refresh_from_db()
        context = columns_context(row, typed, [problem.message for problem in error.problems])
        return render(request, "designer/quotes/columns.html", SECTION | context, status=422)
    messages.success(
        request, "The quote was read with these columns. They are remembered for sheets with the same header."
    )
    return redirect("quote", row.pk)


@login_required
@require_POST
@heavy_job
def quote_discount(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Let a discount that the file states come off its prices, or no longer."""
    given = request.POST.get("percent", "")
    try:
        percent = given_percent(given, "discount")
        with changing(request, Quote, pk) as row:
            set_discount(row, given, request.POST.get("sheet"))
    except EstimatorError as error:
        messages.error(request, f"Nothing was changed: {error.words()}")
    else:
        said = f"{percent_text(percent)} was taken off the prices" if percent else "The prices are as the file has them"
        messages.success(request, f"{said}, and the report was regenerated.")
    return redirect("quote", pk)


@login_required
@require_POST
def quote_match(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Say what a line is: a part of the design, nothing in it, or what the program finds."""
    line = request.POST.get("line", "")
    try:
        with changing(request, Quote, pk) as row:
            set_matches(row, {line: match_of(request.POST.get("item", ""))})
    except EstimatorError as error:
        messages.error(request, f"Nothing was changed: {error.words()}")
    else:
        messages.success(request, "The match was changed, and the report was regenerated.")
    query = request.POST.get("here", "")
    return redirect(f"{reverse('quote', args=[pk])}{'?' + query if query else ''}#lines")


@login_required
@require_POST
@heavy_job
def quote_refresh(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Hold the quote against the design as it is now."""
    try:
        with changing(request, Quote, pk) as row:
            refresh(row)
    except EstimatorError as error:
        messages.error(request, f"The report could not be regenerated: {error.words()}")
    else:
        messages.success(request, "The report was regenerated, against the design as it is now.")
    return redirect("quote", pk)


@login_required
@require_POST
def quote_prices(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take the quote's prices into a book of the owner's, or a new one."""
    row = owned(request, Quote, pk)
    form = TakeForm(request.POST)
    chosen = form.text("book")
    book = owned(request, PriceBook, chosen) if chosen else None
    with form.refusing():
        taken, n_prices, n_skipped = take_into_book(row, book, form.text("name"), form.text("as_of"))
        left = f" {n_skipped} lines gave none." if n_skipped else ""
        messages.success(
            request, f"{n_prices} prices were taken into “{taken.name}”, each with the quote as its source.{left}"
        )
        return redirect("price-book", taken.pk)
    return render(request, "designer/quotes/quote.html", _page(request, row) | {"take": form}, status=422)


@login_required
@require_POST
def quote_compare(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Compare the quote with its design, and with another quote where one is chosen."""
    row = owned(request, Quote, pk)
    chosen = request.POST.get("other", "")
    design = design_of(row)
    items = [{"design": str(design.pk)} if design else {"spec": row.spec}, offer_of(row)]
    if chosen:
        items.append(offer_of(owned(request, Quote, chosen)))
    try:
        made = create_comparison(owner_of(request), resolved_items(owner_of(request), items))
    except EstimatorError as error:
        messages.error(request, f"They could not be compared: {error.words()}")
        return redirect(reverse("quote", args=[row.pk]) + "#use")
    return redirect("comparison", made.pk)


@login_required
@require_safe
@sends_files
def quote_export(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The report as a file."""
    row = owned(request, Quote, pk)
    form = request.GET.get("format", "csv")
    if form not in FORMATS or not row.result:
        raise Http404(f"A report is sent as {', '.join(FORMATS)}.")
    file = quote_file(row, form)
    return attachment(file.content, file.content_type, file.name)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quote_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask once, then delete a quote. Prices that were taken from it stay in their books."""
    words = (
        "What was read, its report and the matches set manually are deleted. Prices that were taken from it stay in their "
        "books, and comparisons keep their figures."
    )
    return delete_or_ask(request, owned(request, Quote, pk), "quotes", "quote", words)
