"""Pages of price books: the list, the catalog's books, your book with its prices, rates, history, import and export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.exports.downloads import Download
from designer.exports.prices import FORMATS, book_file, catalog_contents, template
from designer.forms import price_book as forms
from designer.models import Design, PriceBook, PriceBookRevision
from designer.pages.deleting import delete_or_ask, kept_words
from designer.pages.limiting import heavy_job
from designer.pages.prices.page import (
    BOOK_TITLES,
    BOOK_WORDS,
    catalog_list,
    catalog_rows,
    designs_with_prices,
    history_of,
    list_rows,
    own_rows,
    rate_rows,
    table_of,
    users_of,
)
from designer.pages.sending import attachment, sends_files
from designer.services.access import changing, owned, owner_of
from designer.services.prices.books import (
    create_book,
    describe_book,
    entry_key,
    revise_book,
)
from designer.services.prices.changes import change_words
from designer.services.prices.imports import SHOWN_REFUSED, ImportPlan, plan_import, planned_of, with_discount
from designer.services.revising import revise
from designer.services.uploads import bytes_of
from designer.wording.context import Context
from estimator.bom.price_file import MAX_FILE_BYTES, MAX_ROWS, Defaults, entry_of
from estimator.catalog.currency import CURRENCIES
from estimator.catalog.loader import load_catalog
from estimator.digits import is_whole_number
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.spec.price_book import MAX_PRICES, OwnPrice
from estimator.tables.discounts import percent_text

SECTION = {"section": "prices"}
NEW = "new"


# ---------------------------------------------------------------- list, catalog


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def price_books(request: HttpRequest) -> HttpResponse:
    """The catalog's books and the owner's; a posted name makes a new one."""
    form = forms.BookForm(request.POST if request.method == "POST" else None)
    if form.is_bound:
        with form.refusing():
            return redirect("price-book", create_book(owner_of(request), **form.texts()).pk)
    context = {
        "title": "Price books",
        "rows": list_rows(owner_of(request)),
        "catalog_books": catalog_list(),
        "form": form,
    }
    return render(request, "designer/prices/list.html", SECTION | context, status=422 if form.is_bound else 200)


@login_required
@require_safe
def catalog_book(request: HttpRequest, book: str) -> HttpResponse:
    """One of the catalog's books, read-only: every part's prices with basis, source, date and listings seen."""
    if book not in BOOK_TITLES:
        raise Http404("The catalog has no such book.")
    context = {
        "key": book,
        "title": BOOK_TITLES[book],
        "about": BOOK_WORDS[book],
        "table": table_of(catalog_rows(book), request.GET.dict()),
    }
    return render(request, "designer/prices/catalog.html", SECTION | context)


@login_required
@require_safe
@sends_files
def catalog_export(request: HttpRequest, book: str) -> HttpResponse:
    """One of the catalog's books as a file, to be edited and imported into yours."""
    if book not in BOOK_TITLES:
        raise Http404("The catalog has no such book.")
    contents = catalog_contents(book, BOOK_TITLES[book], load_catalog())
    return _send(book_file(_form_of(request), contents, timezone.now()))


@login_required
@require_safe
@sends_files
def price_template(request: HttpRequest) -> HttpResponse:
    """An empty file with every column, and one example."""
    return _send(book_file(_form_of(request), template(), timezone.now()))


def _form_of(request: HttpRequest) -> str:
    form = request.GET.get("format", "xlsx")
    if form not in FORMATS:
        raise Http404(f"A book is sent as {', '.join(FORMATS)}.")
    return form


def _send(file: Download) -> HttpResponse:
    return attachment(file.content, file.content_type, file.name)


# ---------------------------------------------------------------- one own book


@login_required
@require_safe
def price_book(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Your price book: its prices, one of them open where the address says so, rates, name and designs that use it."""
    book = owned(request, PriceBook, pk)
    return render(request, "designer/prices/book.html", _page(request, book, _asked_edit(request, book)))


def _page(request: HttpRequest, book: PriceBook, editing: forms.PriceForm | None = None, **more: Any) -> Context:
    catalog, latest = load_catalog(), book.latest
    contents = book.contents(latest)
    designs = designs_with_prices(owner_of(request))
    users = users_of(book, designs)
    used = {one.design.pk for one in users}
    context = {
        "book": book,
        "latest": latest,
        "table": table_of(own_rows(contents, catalog), request.GET.dict()),
        "editing": editing,
        "is_new_price": editing is not None and editing["index"].value() == NEW,
        "rates": forms.rate_texts(contents.rates),
        "rate_problems": {},
        "about": forms.BookForm(initial={"name": book.name, "base": book.base, "region": book.region}),
        "currencies": CURRENCIES,
        "catalog_rates": rate_rows(contents, catalog),
        "users": users,
        "hash": contents.hash,
        "others": [design for design in designs if design.pk not in used],
        "base_title": BOOK_TITLES[book.base],
        "n_changes": latest.number - 1,
        "max_prices": MAX_PRICES,
    }
    return SECTION | context | more


def _asked_edit(request: HttpRequest, book: PriceBook) -> forms.PriceForm | None:
    """The form of one price that the address asks for: of a new one, or of an entry of the newest revision."""
    asked, latest = request.GET.get("edit", ""), book.latest
    prices = book.contents(latest).prices
    if asked == NEW:
        return forms.PriceForm(initial={"index": NEW, "number": latest.number} | forms.blank_price())
    if is_whole_number(asked, 5) and int(asked) < len(prices):
        shown = {"index": int(asked), "number": latest.number}
        return forms.PriceForm(initial=shown | forms.texts_of(prices[int(asked)]))
    return None


@login_required
@require_POST
def price_save(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Save one price, new or edited, or delete it; what is wrong stands beside its field and what was typed stays."""
    form = forms.PriceForm(request.POST)
    with changing(request, PriceBook, pk) as book:
        latest = book.latest
        prices = book.contents(latest).prices
        index = form.place(len(prices))
        is_new = index == len(prices)
        with form.refusing():
            _refuse_unseen(form, latest)
            entry = _entry_of(form, prices, index)
            prices = [*prices[:index], entry, *prices[index + 1 :]]
            revise_book(book, f"{'Added' if is_new else 'Changed'} {entry.part}", prices)
            messages.success(request, f"{entry.part} was {'added' if is_new else 'changed'}.")
            return redirect(_back(form, book))
        form.data = request.POST.copy()
        form.data["index"], form.data["number"] = str(NEW if is_new else index), str(latest.number)
        return render(request, "designer/prices/book.html", _page(request, book, form), status=422)


def _refuse_unseen(form: forms.PriceForm, latest: PriceBookRevision) -> None:
    """A price is saved into the revision that its form showed."""
    if form.text("number") != str(latest.number):
        message = (
            f"The book has been changed meanwhile (revision {latest.number}). Your figures are kept here: look at the "
            "table and save again."
        )
        raise SpecError([Problem("", "changed_meanwhile", message)])


def _entry_of(form: forms.PriceForm, prices: Sequence[OwnPrice], index: int) -> OwnPrice:
    """The price that was typed, for a place among the others of a book.

    Raises
    ------
    SpecError
        With what is wrong with it.
    """
    entry, problems = entry_of(form.price(), load_catalog(), Defaults(as_of=forms.today()))
    if entry is None:
        raise SpecError(problems)
    for place, other in enumerate(prices):
        if place != index and entry_key(other) == entry_key(entry):
            message = (
                "The book has a price of this part with the same basis, source, region, quantity, length and first day. Edit "
                "that one, or distinguish them."
            )
            raise SpecError([Problem("part", "price_twice", message)])
    return entry


def _back(form: forms.PriceForm, book: PriceBook) -> str:
    """The page of the book as it was searched and sorted."""
    query = form.text("here")[:400]
    return reverse("price-book", args=[book.pk]) + (f"?{query}" if query else "") + "#prices"


@login_required
@require_POST
def price_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take one price out of the book; history keeps it."""
    form = forms.PriceForm(request.POST)
    with changing(request, PriceBook, pk) as book:
        latest = book.latest
        prices = book.contents(latest).prices
        index = form.place(len(prices))
        if form.text("number") != str(latest.number) or index == len(prices):
            messages.error(
                request, "Nothing was deleted: the book has been changed meanwhile. Look at the table again."
            )
            return redirect(_back(form, book))
        gone = prices[index]
        revise_book(book, f"Deleted {gone.part}", [*prices[:index], *prices[index + 1 :]])
    messages.success(request, f"{gone.part} was deleted. The history keeps it.")
    return redirect(_back(form, book))


@login_required
@require_POST
def price_rates(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Save the book's exchange rates."""
    rows = forms.typed_rates(request.POST)
    rates, places = forms.rates_of(rows)
    try:
        with changing(request, PriceBook, pk) as book:
            _refuse_unseen_rates(book, request.POST.get("number", ""))
            saved = revise_book(book, "Changed exchange rates", rates=rates)
    except EstimatorError as error:
        wrong = forms.rate_messages(error.problems, places)
        return render(
            request, "designer/prices/book.html", _page(request, book, rates=rows, rate_problems=wrong), status=422
        )
    messages.success(request, f"Exchange rates saved as revision {saved.number}.")
    return redirect(reverse("price-book", args=[book.pk]) + "#rates")


def _refuse_unseen_rates(book: PriceBook, number: str) -> None:
    """A form of rates takes the place of those that it showed, not of others that were saved meanwhile."""
    seen = book.revisions.filter(number=int(number)).first() if is_whole_number(number, 9) else None
    if seen is not None and book.contents(seen).rates != (now := book.contents().rates):
        others = ", ".join(f"{rate.currency} {rate.usd:g} of {rate.as_of}" for rate in now) or "none"
        message = (
            f"The rates have been changed meanwhile: they are {others}. Yours are kept here: save again to have them "
            "instead."
        )
        raise SpecError([Problem("", "changed_meanwhile", message)])


@login_required
@require_POST
def price_describe(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Another name, base or region."""
    form = forms.BookForm(request.POST)
    with form.refusing(), changing(request, PriceBook, pk) as book:
        describe_book(book, **form.texts())
        messages.success(request, f"Saved: “{book.name}” over the {BOOK_TITLES[book.base]} book.")
        return redirect("price-book", book.pk)
    return render(
        request, "designer/prices/book.html", _page(request, owned(request, PriceBook, pk), about=form), status=422
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def price_book_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask once, then delete a book. Designs that use it carry its prices and keep them."""
    book = owned(request, PriceBook, pk)
    users = [one.design for one in users_of(book, designs_with_prices(owner_of(request)))]
    words = f"Its prices and history are deleted and cannot be restored.{kept_words(users, 'the prices')}"
    return delete_or_ask(request, book, "prices", "price-book", words)


@login_required
@require_safe
@sends_files
def price_book_export(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The book's newest prices and rates as a file."""
    book = owned(request, PriceBook, pk)
    latest = book.latest
    return _send(book_file(_form_of(request), book.contents(latest), latest.created_at))


# ---------------------------------------------------------------- history


@login_required
@require_safe
def price_book_history(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Every revision, with what it changed."""
    book = owned(request, PriceBook, pk)
    return render(request, "designer/prices/history.html", SECTION | {"book": book, "history": history_of(book)})


@login_required
@require_POST
def price_book_restore(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """Make an old revision's prices and rates the newest ones."""
    try:
        with changing(request, PriceBook, pk) as book:
            old, before = get_object_or_404(book.revisions, number=number), book.latest.number
            saved = revise_book(book, f"Restored revision {number}", old.prices, old.rates)
    except EstimatorError as error:
        messages.error(request, f"Revision {number} cannot be restored: {error.words()}")
        return redirect("price-book-history", pk)
    said = f"Revision {number} is restored as revision {saved.number}."
    messages.success(request, said if saved.number != before else "Nothing was changed: the book says that already.")
    return redirect("price-book", pk)


# ---------------------------------------------------------------- import


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def price_book_import(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Choose a file; then see what it would change before anything is stored."""
    book = owned(request, PriceBook, pk)
    is_sent = request.method == "POST"
    form = forms.ImportForm(
        request.POST if is_sent else None, request.FILES if is_sent else None, initial={"as_of": forms.today()}
    )
    context = SECTION | {"book": book, "form": form, "max_bytes": MAX_FILE_BYTES, "max_rows": MAX_ROWS}
    if not is_sent:
        return render(request, "designer/prices/import.html", context)
    with form.refusing():
        if planned := request.POST.get("planned"):  # from a preview, with another discount
            plan = with_discount(planned_of(planned), book, form.text("discount"))
            another = {"form": forms.ImportForm(initial={"as_of": forms.today()})}
            return render(request, "designer/prices/import.html", context | another | _preview(plan))
        typed = form.texts("basis", "currency", "as_of", "source", "mode", "discount")
        file = form.cleaned_data.get("file")
        if file is None:
            raise SpecError([Problem("file", "missing", "Choose a file of prices, CSV or XLSX.")])
        name = str(file.name)[:200]
        plan = plan_import(book, bytes_of(file, "file", MAX_FILE_BYTES), name, typed)
        return render(request, "designer/prices/import.html", context | _preview(plan))
    return render(request, "designer/prices/import.html", context, status=422)


def _preview(plan: ImportPlan) -> Context:
    """What the page shows of an import before it is stored."""
    less = percent_text(plan.discount) if plan.discount else ""
    refused = [(one, forms.column_label(one.column)) for one in plan.refused[:SHOWN_REFUSED]]
    planned = json.dumps(plan.as_json())
    return {"plan": plan, "file_name": plan.file_name, "planned": planned, "less": less, "refused": refused}


@login_required
@require_POST
def price_book_apply(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Store what an import's preview showed."""
    try:
        planned = planned_of(request.POST.get("planned", ""))
        with changing(request, PriceBook, pk) as book:
            counts = planned.apply(book)
    except EstimatorError as error:
        messages.error(request, f"Nothing was imported: {error.words()}")
        return redirect("price-book-import", pk)
    messages.success(request, f"Imported {planned.file_name}: {change_words(counts)}.")
    return redirect("price-book", pk)


# ---------------------------------------------------------------- designs


@login_required
@require_POST
def price_book_use(request: HttpRequest) -> HttpResponse:
    """Let a design take a book's newest prices, or those of one of the catalog's books alone."""
    wanted = request.POST.get("book", "")
    design = owned(request, Design, request.POST.get("design", ""))
    book = owned(request, PriceBook, wanted) if wanted not in BOOK_TITLES else None
    change = {
        "economics.price_book": book.base if book else wanted,
        "economics.prices": book.snapshot() if book else None,
    }
    return revise(request, design, change, "overview")
