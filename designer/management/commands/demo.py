"""`manage.py demo`: sample designs to look at."""

from typing import Any

from django.core.management.base import BaseCommand

from designer.services.accounts import local_owner
from designer.services.designs.samples import add_samples


class Command(BaseCommand):
    """Add the sample designs, and their estimates, to the local owner's list."""

    help = "Put the four samples on the local owner's list of designs, and estimate them."

    def handle(self, *args: Any, **options: Any) -> None:
        """Add what is missing; a second run adds nothing."""
        for design in add_samples(local_owner()):
            self.stdout.write(design.name)
