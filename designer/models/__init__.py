"""Rows that people own and name. Django finds a model where this file imports it; all others import it from here."""

from designer.models.accounts import AccountChoices, ApiToken, KeptAnswer, SignInLink, hash_secret
from designer.models.calibrations import Calibration
from designer.models.comparisons import Comparison
from designer.models.designs import Baseline, Design, DesignEdit, DesignRevision, EditingPage, ShareLink
from designer.models.own_parts import OwnPart, OwnPartRevision
from designer.models.price_books import PriceBook, PriceBookRevision
from designer.models.quotes import Quote, QuoteColumns
from designer.models.remarks import ChecklistTick, Comment
from designer.models.requests import KeptPart

__all__ = [
    "AccountChoices",
    "ApiToken",
    "Baseline",
    "Calibration",
    "ChecklistTick",
    "Comment",
    "Comparison",
    "Design",
    "DesignEdit",
    "DesignRevision",
    "EditingPage",
    "KeptAnswer",
    "KeptPart",
    "OwnPart",
    "OwnPartRevision",
    "PriceBook",
    "PriceBookRevision",
    "Quote",
    "QuoteColumns",
    "ShareLink",
    "SignInLink",
    "hash_secret",
]
