"""Pages that start work which takes long: as often as over REST, and no more."""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from designer.services.people.limits import wait_s

View = Callable[..., HttpResponse]


def heavy_job(view: View) -> View:
    """A view whose posts take long: one user has the limit of REST's heavy jobs for both together."""

    @wraps(view)
    def limited_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        wait = wait_s(request)
        if wait is None:
            return view(request, *args, **kwargs)
        seconds = max(1, math.ceil(wait))
        answer = render(request, "429.html", {"seconds": seconds}, status=429)
        answer.headers["Retry-After"] = str(seconds)
        return answer

    return limited_view
