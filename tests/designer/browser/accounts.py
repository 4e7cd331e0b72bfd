"""Accounts for browser tests, made on the database of a running app, by one process for all processes of a run.

``python -m tests.designer.browser.accounts SOCKET`` answers each line that comes over the socket ("samples", "newcomer" or
"pictured") with a line of JSON (see ``browsing.Accounts``). It ends when the last who asked has gone.
"""

from __future__ import annotations

import json
import os
import socketserver
import sys
import uuid
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import django
from django.conf import settings

from tests.processes import one_at_a_time

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from designer.models import Design
    from estimator.jobs.models import EstimateJob

    Row = TypeVar("Row", Design, EstimateJob)

ASKED = "accounts"  # whoever comes, and the end of the process when all have gone: one at a time


@cache
def template() -> User:
    """Whoever holds the four samples with their estimates, as the app's worker has made them."""
    from django.contrib.auth.models import User

    from designer.services.designs.samples import add_samples
    from tests.designer.showcase import wait_for_estimates

    with one_at_a_time("template"):  # of the app, which all processes share
        user, is_new = User.objects.get_or_create(username="template")
        if is_new:
            add_samples(user)
    wait_for_estimates(user)
    return user


def new_user() -> User:
    from django.contrib.auth.models import User

    return User.objects.create_user(f"reader-{uuid.uuid4().hex[:12]}")


def with_samples() -> dict[str, str]:
    """A copy of the template, signed in: its designs in the order in which they were made, the first one first."""
    from django.test import Client

    user = new_user()
    designs = [copied(design, user) for design in template().designs.order_by("created_at")]
    for job in template().estimate_jobs.defer("result"):
        copied(job, user)
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {"cookie": name, "session": client.cookies[name].value, "first": f"/designs/{designs[0]}/"}


def copied(row: Row, owner: User) -> uuid.UUID:
    """Insert the same row for another owner, within the database: an estimate is long, and need not be read. Its key."""
    from django.db import connection

    table, key, of_whom = row._meta, row._meta.pk, row._meta.get_field("owner")
    new_key = uuid.uuid4()
    new: dict[str | None, Any] = {key.column: key.get_db_prep_save(new_key, connection), of_whom.column: owner.pk}
    others = ", ".join(f'"{field.column}"' for field in table.concrete_fields if field.column not in new)
    names = ", ".join(f'"{name}"' for name in new)
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table.db_table}" ({names}, {others}) SELECT %s, %s, {others} FROM "{table.db_table}" '
            f'WHERE "{key.column}" = %s',
            [*new.values(), key.get_db_prep_save(row.pk, connection)],
        )
    return new_key


def newcomer() -> dict[str, str]:
    """Somebody who has nothing yet, and the link that signs them in."""
    from designer.models import SignInLink

    return {"link": f"/sign-in/{SignInLink.issue(new_user())}/"}


def pictured() -> dict[str, str]:
    """Fill the account of the app's owner in which every page has something to show; addresses by name."""
    from tests.designer.showcase import make

    return make()


KINDS = {"hello": dict[str, str], "samples": with_samples, "newcomer": newcomer, "pictured": pictured}


class Answers(socketserver.StreamRequestHandler):
    """One process of tests, in a thread and with a connection to the database of its own."""

    server: Server

    def handle(self) -> None:
        with self.server.counting:
            self.server.n_asking += 1
        try:
            for line in self.rfile:
                self.wfile.write(json.dumps(KINDS[line.decode().strip()]()).encode() + b"\n")
        finally:
            self.server.leave()


class Server(socketserver.ThreadingUnixStreamServer):
    """Ends when nobody is left. Who comes holds the lock until the first answer, and so is counted before that."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), Answers)
        self.path = path
        self.counting = Lock()
        self.n_asking = 0

    def leave(self) -> None:
        with one_at_a_time(ASKED), self.counting:
            self.n_asking -= 1
            if self.n_asking == 0:
                self.path.unlink()
                os._exit(0)


def main() -> None:
    django.setup()
    with Server(Path(sys.argv[1])) as server:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
