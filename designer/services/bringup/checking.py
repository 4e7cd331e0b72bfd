"""Uploads of settings that are there, bounded as they are taken, and checked. Nothing of them is kept."""

from collections.abc import Iterable
from typing import Protocol

from django.conf import settings

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.result import SettingsCheck
from estimator.bringup.check.texts.archives import MAX_ARCHIVE_BYTES, is_archive
from estimator.bringup.check.upload import MAX_FILE_BYTES, MAX_FILES
from estimator.bringup.plan.plan import Plan
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError

LONGEST_NAME = 200


class Upload(Protocol):
    """A file of a form."""

    name: str | None
    size: int | None

    def read(self, n_bytes: int = ..., /) -> bytes:
        """Its next bytes."""


def checked_uploads(plan: Plan, files: list[tuple[str, Upload]]) -> SettingsCheck:
    """What files of a form say of a plan; ``files`` are (name, file), a name before a colon says whose.

    Raises
    ------
    SpecError
        If there is none, or there are too many, or all are too large.
    """
    refuse_unfit([upload.size or 0 for _, upload in files])
    contents = ((name[:LONGEST_NAME], _content(upload)) for name, upload in files)
    return checked_against(plan, contents, load_catalog())


def _content(upload: Upload) -> bytes:
    """A whole archive; of another file that is too large a byte more than the most, for its reader to say so."""
    first = upload.read(MAX_FILE_BYTES + 1)
    is_more = is_archive(first) and len(first) > MAX_FILE_BYTES
    return first + upload.read(MAX_ARCHIVE_BYTES) if is_more else first


def refuse_unfit(sizes: Iterable[int]) -> None:
    """Nothing for files of these sizes in bytes, before any of them is read.

    Raises
    ------
    SpecError
        As ``checked_uploads``.
    """
    known = list(sizes)
    if not known:
        message = "Choose files first: what the devices printed, a file a device."
        raise SpecError([Problem("files", "required", message)])
    if len(known) > MAX_FILES:
        message = (
            f"{len(known):,} files were sent, and {MAX_FILES:,} are the most at once. Check some devices at a time."
        )
        raise SpecError([Problem("files", "too_many_logs", message)])
    if sum(known) > settings.MAX_LINK_FILE_BYTES:
        message = (
            f"The files have {sum(known) / 2**20:,.1f} MiB, and {settings.MAX_LINK_FILE_BYTES // 2**20} MiB are the most at "
            "once. Check some devices at a time."
        )
        raise SpecError([Problem("files", "too_large", message)])
