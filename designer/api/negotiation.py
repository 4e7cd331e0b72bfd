"""Which form of a resource a caller wants: by ``?format=``, or else by Accept."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.http import HttpResponse
from rest_framework.request import Request

from designer.api.errors import refuse
from designer.services.people.choices import chosen_by
from designer.wording.numbers import USUAL, Chosen, reading

JSON, JSON_TYPE = "json", "application/json"
OCTETS = "application/octet-stream"  # any file, for callers who take its bytes as they are


def form_of(request: Request, types: Mapping[str, str], asked: str | None) -> tuple[str, str]:
    """(form, media type of the answer).

    Parameters
    ----------
    types : media type of each form, that of the default first
    asked : the form that the query names; it goes before Accept

    Raises
    ------
    Refusal
        406, where Accept takes none of the types.
    """
    bare = {form: kind.partition(";")[0] for form, kind in types.items()}
    if asked is not None:
        takes_file = bare[asked] != JSON_TYPE and not request.accepts(bare[asked]) and request.accepts(OCTETS)
        return asked, OCTETS if takes_file else types[asked]
    default = next(iter(types))
    if not request.headers.get("Accept", "").strip():
        return default, types[default]
    forms = {bare[form]: form for form in reversed(bare)}
    preferred = request.get_preferred_type(list(dict.fromkeys(bare.values())))
    if preferred is not None:
        return forms[preferred], types[forms[preferred]]
    if default != JSON and request.accepts(OCTETS):
        return default, OCTETS
    raise refuse(
        406,
        "not_acceptable",
        f"Accept takes none of {', '.join(forms)}, and this address has no other. Name one of them, or give ?format=.",
    )


def choice_of(request: Request) -> Chosen:
    """The currency and units that the caller has chosen."""
    return chosen_by(request.user) if isinstance(request.user, User) else USUAL


@contextmanager
def units_of(request: Request, form: str) -> Iterator[None]:
    """The units of a file: of a PDF, which people read, those that the caller has chosen; of others those of the contract."""
    with reading(lambda: choice_of(request) if form == "pdf" else USUAL):
        yield


def file_answer(content: bytes, media_type: str, name: str) -> HttpResponse:
    """A file to save under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Vary": "Accept"}
    return HttpResponse(content, content_type=media_type, headers=headers)
