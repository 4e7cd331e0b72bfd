"""A copy of a shared design for whoever looks at it: a design of their own, which the owner's has nothing to do with."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from designer.services.access import design_page, design_to_see, owner_of
from designer.services.designs.variants import copy_of
from estimator.errors import EstimatorError


@design_page
@require_http_methods(["GET", "HEAD", "POST"])
def design_copy(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """What a copy is and whose it will be; by POST the copy, for who is signed in.

    A guest signs in on the way and comes back to this page: the link's right stays with the session.
    """
    row = design_to_see(request, design_id)
    if request.method != "POST":
        return render(request, "designer/design/copy.html", {"section": "designs", "design": row})
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    try:
        made = copy_of(owner_of(request), row)
    except EstimatorError as error:
        messages.error(request, f"This design was not copied: {error.words()}")
        return redirect("design", row.pk)
    messages.success(
        request, f"This is your copy of “{row.name}”. What you change here does not change the shared design."
    )
    return redirect("design", made.pk)
