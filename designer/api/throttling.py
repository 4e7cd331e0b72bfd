"""How often one caller may call. Counts are kept in the cache that all web processes share."""

from rest_framework.throttling import AnonRateThrottle, UserRateThrottle

from designer.services.people.limits import FailOpen


class UserThrottle(FailOpen, UserRateThrottle):
    """All calls of one user."""


class AnonymousThrottle(FailOpen, AnonRateThrottle):
    """Calls of nobody, by address: all of them are refused, and guessing tokens gets slow."""
