"""What rows that people own and name have in common."""

import uuid

from django.db import models


class Named(models.Model):
    """A row with a name, newest first. Each kind has its own key of the owner, under its own related name."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
