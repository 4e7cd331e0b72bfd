"""``Idempotency-Key``: a POST sent again, as its answer got lost, is answered as the first time and not done twice."""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from designer.api.errors import refuse
from designer.models import KeptAnswer

KEPT_FOR = timedelta(hours=24)
AT_WORK_FOR = timedelta(minutes=5)  # after that, whoever had begun is taken to have died
MAX_KEPT = 1_000  # of one owner
KEPT_HEADERS = ("Content-Type", "Location", "ETag", "Retry-After")
CHUNK_BYTES = 262_144


class Replayed(Exception):
    """The call was made before: ``answer`` is what it got."""

    def __init__(self, answer: HttpResponse) -> None:
        super().__init__()
        self.answer = answer


def begin(request: Request) -> KeptAnswer | None:
    """Take the key of a POST, before it does anything; None where it has none.

    Raises
    ------
    Replayed
        If the same call was made and answered under this key.
    Refusal
        If the key was used for another call, the first one still runs, or it is no key.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        raise refuse(
            400, "invalid_request", "An Idempotency-Key is 1 to 200 visible ASCII characters.", "Idempotency-Key"
        )
    owner: Any = request.user  # signed in: permissions let nobody else come this far
    kept, now = KeptAnswer.objects.filter(owner=owner), timezone.now()
    kept.filter(created_at__lt=now - KEPT_FOR).delete()
    fingerprint = _fingerprint(request)
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(owner=owner, key=key, fingerprint=fingerprint)
    except IntegrityError:
        first = kept.filter(key=key).first()
    if first is None:  # it failed a moment ago, and gave the key back
        raise _at_work()
    if first.fingerprint != fingerprint:
        raise refuse(
            409,
            "idempotency_key_reused",
            "Another call was made under this key. Make a new key for each call.",
            "Idempotency-Key",
        )
    if first.status is not None:
        headers = {**first.headers, "Idempotency-Replayed": "true"}
        raise Replayed(HttpResponse(first.content.encode(), status=first.status, headers=headers))
    if not kept.filter(pk=first.pk, status=None, created_at__lt=now - AT_WORK_FOR).update(created_at=now):
        raise _at_work()
    return first


def end(row: KeptAnswer, response: HttpResponseBase) -> None:
    """Keep the answer of a call that did something; after a refusal or an error the key may be used again."""
    if not isinstance(response, HttpResponse) or not 200 <= response.status_code < 300:
        row.delete()
        return
    row.status, row.content = response.status_code, response.content.decode()
    row.headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    row.save(update_fields=["status", "content", "headers"])
    kept = KeptAnswer.objects.filter(owner_id=row.owner_id).order_by("-created_at")
    KeptAnswer.objects.filter(pk__in=list(kept.values_list("pk", flat=True)[MAX_KEPT:])).delete()


def _at_work() -> Exception:
    return refuse(
        409,
        "call_in_progress",
        "The first call under this key has not been answered yet. Try again in a second.",
        "Idempotency-Key",
    )


def _fingerprint(request: Request) -> str:
    """What the call is: method, address, and the values of its body. Two forms with the same parts are alike."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    data: Any = request.data
    if isinstance(data, Mapping):
        for name in sorted(data):
            digest.update(f"{name!r}=".encode())
            values = data.getlist(name) if hasattr(data, "getlist") else [data[name]]
            for value in values:
                _add(digest, value)
    else:
        _add(digest, data)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if not hasattr(value, "read"):
        digest.update(json.dumps(value, sort_keys=True, default=str).encode() + b"\n")
        return
    value.seek(0)
    while chunk := value.read(CHUNK_BYTES):
        digest.update(chunk)
    value.seek(0)
    digest.update(b"\n")
