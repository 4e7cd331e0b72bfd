"""Who may call: nobody unknown, and no reader where something would be stored."""

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from designer.api.authentication import scope_of
from designer.models import ApiToken


class TokenMayWrite(BasePermission):
    """A token of scope read may only call what stores nothing: safe methods and views that say so."""

    code = "read_only_token"
    message = "This token may only read. Make one that may write: 'manage.py token NAME --scope write'."

    def has_permission(self, request: Request, view: APIView) -> bool:
        stores_nothing = request.method in SAFE_METHODS or getattr(view, "stores_nothing", False)
        return stores_nothing or scope_of(request) == ApiToken.Scope.WRITE
