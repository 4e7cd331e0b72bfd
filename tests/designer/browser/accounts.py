"""Accounts for browser tests, made on the database of a running app: ``python -m tests.designer.browser.accounts`` answers each
line of its input ("samples" or "newcomer") with a line of JSON (see ``browsing.Accounts``)."""

from __future__ import annotations

import json
import sys
import uuid
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import django
from django.conf import settings

from tests.processes import one_at_a_time

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from designer.models import Design
    from estimator.jobs.models import EstimateJob

    Row = TypeVar("Row", Design, EstimateJob)


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


def main() -> None:
    django.setup()
    kinds = {"samples": with_samples, "newcomer": newcomer}
    for line in sys.stdin:
        sys.stdout.write(json.dumps(kinds[line.strip()]()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
