"""`manage.py token NAME`: a new key to the REST API, alone on standard output."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.accounts import UnknownUser, named_user
from designer.models import ApiToken


class Command(BaseCommand):
    help = "Prints a new API token. It is shown this once: only its hash is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the token is for")
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default=ApiToken.Scope.READ, help="default: read")
        parser.add_argument("--user", help="whose token it is (default: the local owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["name"]) <= 100:
            raise CommandError("The name of a token has 1 to 100 characters.")
        try:
            user = named_user(options["user"])
        except UnknownUser as error:
            raise CommandError(str(error)) from error
        _, key = ApiToken.issue(user, options["name"], options["scope"])
        self.stdout.write(key)
