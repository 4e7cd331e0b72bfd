"""`manage.py sign_in_link`: a new one-time link for the local owner, or for another user."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from designer.models import SignInLink
from designer.services.accounts import UnknownUser, named_user


class Command(BaseCommand):
    help = (
        "Prints a new link that signs one user in: once, and on this machine again for who runs the server. "
        "An older link of the same user stops working."
    )
    requires_system_checks = []  # they load every page of the app, and `up` waits for the link

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", help="name of the user (default: the local owner)")
        parser.add_argument("--path-only", action="store_true", help="print the link without the server's address")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = named_user(options["user"])
        except UnknownUser as error:
            raise CommandError(str(error)) from error
        path = reverse("sign-in-by-link", urlconf="designer.pages.sign_in", args=[SignInLink.issue(user)])
        self.stdout.write(path if options["path_only"] else f"{_address_of_running_server()}{path}")


def _address_of_running_server() -> str:
    lock = settings.VAR / "up.lock"
    return json.loads(lock.read_text())["url"] if lock.exists() and lock.read_text() else ""
