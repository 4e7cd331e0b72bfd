"""`manage.py team NAME USER…`: the users who share a catalog of own parts."""

from typing import Any

from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.services.accounts import UnknownUser, named_user


class Command(BaseCommand):
    help = "Makes a team of users, who share their own parts; without users, says who is in it. With none left it ends."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the team is called")
        parser.add_argument("users", nargs="*", help="users who join it")
        parser.add_argument("--leave", action="store_true", help="the users leave it instead")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["name"]) <= 100:
            raise CommandError("The name of a team has 1 to 100 characters.")
        try:
            users = [named_user(name) for name in options["users"]]
        except UnknownUser as error:
            raise CommandError(str(error)) from error
        team, _ = Group.objects.get_or_create(name=options["name"])
        if options["leave"]:
            team.user_set.remove(*users)
        else:
            team.user_set.add(*users)
        names = sorted(team.user_set.values_list("username", flat=True))
        if not names:
            team.delete()
        self.stdout.write(", ".join(names) or "Nobody is in this team.")
