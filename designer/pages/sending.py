"""Files that a page sends to be saved."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from designer.wording.numbers import in_usual_units

View = Callable[..., HttpResponse]


def sends_files(view: View) -> View:
    """A view whose answers are files: units are those of their contract, whoever asks; a PDF has those of a page."""

    @wraps(view)
    def file_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("form") == "pdf":
            return view(request, *args, **kwargs)
        with in_usual_units():
            return view(request, *args, **kwargs)

    return file_view


def attachment(content: bytes | str, content_type: str, name: str) -> HttpResponse:
    """A file under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
