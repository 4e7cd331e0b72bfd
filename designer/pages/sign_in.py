"""Signing in: by password, guarded against guessing, or by the one-time link that `manage.py up` prints.

The link signs in whoever opens it first, and after that only programs of the person who runs the server, on the same machine
(services/same_person.py): what leaked opens nothing, and one's second browser works. Looking at it without opening it, as
HEAD and a browser's prefetch do, uses nothing up.
"""

from __future__ import annotations

import hashlib
import logging

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from designer.models import SignInLink
from designer.services.same_person import is_same_person

logger = logging.getLogger(__name__)

MAX_FAILURES = 10
FAILURE_WINDOW_S = 600


def _failures_key(request: HttpRequest) -> str:
    who = f"{request.POST.get('username', '').lower()}\n{request.META.get('REMOTE_ADDR', '')}"
    return f"sign-in-failures:{hashlib.sha256(who.encode()).hexdigest()}"


class SignInView(LoginView):
    """The sign-in page. After ten wrong passwords, a name from one address waits ten minutes."""

    template_name = "designer/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if self._failures() >= MAX_FAILURES:
            form = self.get_form()
            form.cleaned_data = {}
            form.add_error(None, "Too many wrong passwords for this name. Wait ten minutes, then try again.")
            return self.render_to_response(self.get_context_data(form=form), status=429)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        key = _failures_key(self.request)
        try:
            cache.add(key, 0, FAILURE_WINDOW_S)
            cache.incr(key)
        except Exception:  # each cache has its own errors, and none of them may lock the owner out
            logger.warning("The cache does not answer; wrong passwords are not counted", exc_info=True)
        return super().form_invalid(form)

    def _failures(self) -> int:
        try:
            return int(cache.get(_failures_key(self.request), 0))
        except Exception:  # each cache has its own errors, and none of them may lock the owner out
            logger.warning("The cache does not answer; wrong passwords are not counted", exc_info=True)
            return 0


@never_cache
@require_safe
def sign_in_by_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Sign the link's user in and show the first page. A used link still takes a signed-in person there."""
    if request.method == "HEAD" or _is_ahead_of_time(request):
        return HttpResponse(status=200 if request.method == "HEAD" else 503)
    user = SignInLink.redeem(secret, again=is_same_person(request))
    if user is not None:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    elif not request.user.is_authenticated:
        return render(
            request, "designer/sign_in.html", {"form": AuthenticationForm(request), "link_is_spent": True}, status=403
        )
    return HttpResponseRedirect("/")


def _is_ahead_of_time(request: HttpRequest) -> bool:
    """Whether a browser asks before anybody has clicked. It drops an answer of 503 and asks again when somebody does."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"))
    return any("prefetch" in purpose.lower() or "preview" in purpose.lower() for purpose in purposes)


# Apart from all others, and with whole paths: the command that prints a sign-in link loads these alone.
urlpatterns = [
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("sign-in/<str:secret>/", sign_in_by_link, name="sign-in-by-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
]
