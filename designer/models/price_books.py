"""Price books with their history."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from designer.models.named import Named
from estimator.record import Json
from estimator.spec.price_book import OwnPrices


class PriceBook(Named):
    """A named book of an owner's own prices, over the catalog's. What it holds is in its revisions, newest last."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="price_books")
    base = models.CharField(max_length=20, default="street")  # the catalog's book behind it, for what it does not hold
    region = models.CharField(max_length=40, blank=True)  # the buyer's; empty: prices of every region count
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-created_at"]

    @property
    def latest(self) -> PriceBookRevision:
        """The newest revision; every book has at least one."""
        return self.revisions.order_by("number").reverse()[0]

    def contents(self, revision: PriceBookRevision | None = None) -> OwnPrices:
        """What a revision holds, the newest unless one is given."""
        one = revision or self.latest
        return OwnPrices(name=self.name, prices=one.prices, rates=one.rates, region=self.region or None)

    def snapshot(self) -> Json:
        """What a design takes of the book: all of its newest revision, priced for today."""
        taken = self.contents().model_copy(update={"priced_on": timezone.localdate().isoformat(), "book": str(self.pk)})
        return taken.model_dump(mode="json")


class PriceBookRevision(models.Model):
    """All prices and exchange rates of a book after one change, and what the change was. Rows are added, never changed."""

    book = models.ForeignKey(PriceBook, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    prices = models.JSONField()
    rates = models.JSONField()
    reason = models.CharField(max_length=300)  # "Imported prices.xlsx: 120 prices", "Edited 2 prices"
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["book", "number"]
        constraints = [models.UniqueConstraint(fields=["book", "number"], name="one_price_book_revision_per_number")]

    def __str__(self) -> str:
        return f"{self.book_id} revision {self.number}"
