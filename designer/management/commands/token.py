"""`manage.py token NAME`: a new key to the REST API, alone on standard output."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.models import ApiToken
from designer.services import local_owner


class Command(BaseCommand):
    help = "Prints a new API token. It is shown this once: only its hash is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the token is for")
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default=ApiToken.Scope.READ, help="default: read")
        parser.add_argument("--user", help="whose token it is (default: the local owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["name"]) <= 100:
            raise CommandError("The name of a token has 1 to 100 characters.")
        user = local_owner() if options["user"] is None else User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user named {options['user']}. Create one: manage.py createsuperuser")
        _, key = ApiToken.issue(user, options["name"], options["scope"])
        self.stdout.write(key)
