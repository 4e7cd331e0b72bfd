"""Files that a page sends to be saved."""

from django.http import HttpResponse


def attachment(content: bytes | str, content_type: str, name: str) -> HttpResponse:
    """A file under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
