"""Who uses an installation: on one's own machine one local owner, on a server the users its administrator creates."""

from __future__ import annotations

from django.contrib.auth.models import User

LOCAL_OWNER = "owner"


class UnknownUser(LookupError):
    """No user has this name; the text says how to create one."""


def local_owner() -> User:
    """The one user of an installation on one's own machine. It has no password: `manage.py up` prints its sign-in link."""
    user, created = User.objects.get_or_create(username=LOCAL_OWNER)
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def named_user(name: str | None) -> User:
    """The user of this name; the local owner for None."""
    if name is None:
        return local_owner()
    user = User.objects.filter(username=name).first()
    if user is None:
        raise UnknownUser(f"There is no user named {name}. Create one: python3 manage.py createsuperuser")
    return user
