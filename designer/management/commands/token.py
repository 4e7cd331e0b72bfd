"""`manage.py token NAME`: a new key to the REST API, alone on standard output; with `--revoke`, the end of that key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from designer.models import ApiToken
from designer.services.accounts import UnknownUser, named_user


class Command(BaseCommand):
    help = "Prints a new API token. It is shown this once: only its hash is kept."
    requires_system_checks = []  # they load every page of the app

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the token is for")
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default=ApiToken.Scope.READ, help="default: read")
        parser.add_argument("--revoke", action="store_true", help="end the tokens of this name instead of making one")
        parser.add_argument("--user", help="whose token it is (default: the local owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["name"]) <= 100:
            raise CommandError("The name of a token has 1 to 100 characters.")
        try:
            user = named_user(options["user"])
        except UnknownUser as error:
            raise CommandError(str(error)) from error
        if options["revoke"]:
            live = ApiToken.objects.filter(owner=user, name=options["name"], revoked_at=None)
            if not live.update(revoked_at=timezone.now()):
                names = ApiToken.objects.filter(owner=user, revoked_at=None).values_list("name", flat=True)
                known = ", ".join(sorted(names)) or "none"
                raise CommandError(f"{user} has no live token named {options['name']}. Live tokens: {known}.")
            return
        _, key = ApiToken.issue(user, options["name"], options["scope"])
        self.stdout.write(key)
