"""How often one user may start work that takes long, over REST or from a page.

Counts are kept in the cache that all web processes share.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from redis.exceptions import RedisError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.throttling import SimpleRateThrottle, UserRateThrottle

if TYPE_CHECKING:  # rest_framework.views loads this module while it is being loaded itself
    from django.http import HttpRequest
    from rest_framework.request import Request
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)


class FailOpen(SimpleRateThrottle):
    """Without its cache a throttle cannot count; it lets the request through and says so in the log."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        try:
            return super().allow_request(request, view)
        except (RedisError, OSError) as error:
            logger.warning("Throttle %r is not counting, its cache does not answer: %s", self.scope, error)
            return True


class HeavyJobThrottle(FailOpen, UserRateThrottle):
    """Calls that queue work."""

    scope = "heavy"

    def get_cache_key(self, request: Request, view: APIView) -> Any:
        return None if request.method in SAFE_METHODS else super().get_cache_key(request, view)


def wait_s(request: HttpRequest) -> float | None:
    """Count what a page starts; the seconds to wait first, where the user has started as much as one may in a minute."""
    throttle = HeavyJobThrottle()
    if throttle.allow_request(cast("Request", request), cast("APIView", None)):
        return None
    return throttle.wait() or 1.0
