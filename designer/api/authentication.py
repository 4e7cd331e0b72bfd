"""``Authorization: Token …`` or ``Bearer …``: who calls, and with which scope. Pages' own calls come with the session instead."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from designer.models import ApiToken

KEYWORDS = ("Token", "Bearer")
MAX_KEY_LENGTH = 200
LAST_USED_STEP = timedelta(minutes=1)  # a write per request would cost more than the question is worth


class TokenAuthentication(BaseAuthentication):
    """Tokens are made by ``manage.py token``; only their hashes are stored."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's owner and the token; None when the request carries none, so that the session may speak."""
        header = get_authorization_header(request).decode("latin-1").split()
        if not header or header[0].lower() not in map(str.lower, KEYWORDS):
            return None
        if len(header) != 2 or len(header[1]) > MAX_KEY_LENGTH:
            raise AuthenticationFailed("Write the header as 'Authorization: Token ' and the key.", "invalid_token")
        token = ApiToken.find(header[1])
        if token is None:
            raise AuthenticationFailed("This token is unknown or was revoked. Make a new one.", "invalid_token")
        _note_use(token)
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 says about how to come in."""
        return f'{KEYWORDS[0]} realm="api"'


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_STEP:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def scope_of(request: Request) -> str:
    """A session may do what its user may; a token what its scope says."""
    auth: Any = request.auth
    return auth.scope if isinstance(auth, ApiToken) else ApiToken.Scope.WRITE
