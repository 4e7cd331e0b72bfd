"""What a user reads pages in: currency and units, chosen once."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from designer.models import AccountChoices
from designer.services.access import owner_of
from designer.services.people.choices import choose, rates, row_of
from designer.wording.numbers import significant
from estimator.errors import EstimatorError, Problem

RATE_DIGITS = 6
FIELDS = ("currency", "bandwidth", "length")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Currency and units: shown, and kept where they are sent."""
    owner = owner_of(request)
    problems: Sequence[Problem] = ()
    status = 200
    if request.method == "POST":
        try:
            choose(owner, *(request.POST.get(field, "") for field in FIELDS))
        except EstimatorError as error:
            problems, status = error.problems, 422
        else:
            messages.success(request, "Pages are in these units from now on.")
            return redirect("account")
    offered = [{"rate": rate, "usd": significant(rate.usd, RATE_DIGITS)} for rate in rates().values()]
    named = {rate.source for rate in rates().values()}
    context = {"row": row_of(owner), "offered": offered, "problems": problems, "section": "account"}
    context |= {"one_source": named.pop() if len(named) == 1 else ""}  # a column of one text is none
    kinds = {"bandwidths": AccountChoices.Bandwidth.choices, "lengths": AccountChoices.Length.choices}
    return render(request, "designer/shell/account.html", context | kinds, status=status)
