"""Archives of settings files that are too large for a request: rows that workers take, within what one user may have."""

from hashlib import sha256
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from designer.services.bringup.plans import State, plan_for
from designer.services.designs.saving import TooManyJobs
from estimator.bringup.plan.choices import ChoicesMade
from estimator.bringup.renderings.targets import Size, refuse_too_large, size_of
from estimator.errors import Problem, SpecError
from estimator.jobs.models import ArchiveJob
from estimator.jobs.tasks import send
from estimator.record import IfAny, Record
from estimator.version import MODEL_VERSION

MOST_AT_ONCE_BYTES, MOST_AT_ONCE_FILES = 20_000_000, 2_000
MOST_ACTIVE = 2
KEPT = 4  # ended archives of an owner; older ones go, as each may have hundreds of megabytes


class Asked(NamedTuple):
    """An archive that is wanted, and how large it is going to be."""

    size: Size
    is_large: bool


def asked_archive(state: State, target: str | None) -> Asked:
    """How large an archive is going to be, and whether a worker has to write it.

    Raises
    ------
    EstimatorError
        As ``plan_of``, ``files_of`` and ``refuse_too_large``.
    """
    plan = plan_for(state)
    refuse_too_large(plan, target)
    size = size_of(plan, target)
    return Asked(size, size.n_bytes > MOST_AT_ONCE_BYTES or size.n_files > MOST_AT_ONCE_FILES)


def refuse_large(state: State, target: str | None) -> None:
    """Nothing for an archive that can be sent at once.

    Raises
    ------
    SpecError
        For one that a worker has to write, and as ``asked_archive``.
    """
    size, is_large = asked_archive(state, target)
    if is_large:
        message = (
            f"This archive has {size.n_files:,} files of switches and about {size.n_bytes / 10**6:,.0f} MB, and "
            f"{MOST_AT_ONCE_FILES:,} files and {MOST_AT_ONCE_BYTES / 10**6:,.0f} MB are the most at once. Post the same "
            "parameters to archives/, and a worker writes it."
        )
        raise SpecError([Problem("archive", "too_large", message)])


def request_archive(owner: User, state: State, target: str | None) -> ArchiveJob:
    """The archive as a job: one that is there or on its way, or a new one, sent to workers after the commit.

    Raises
    ------
    EstimatorError
        As ``asked_archive``.
    TooManyJobs
        If the owner has MOST_ACTIVE archives waiting or running.
    """
    asked_archive(state, target)
    key = _key(state, target)
    live = ArchiveJob.objects.filter(owner=owner, key=key, state__in=(*ArchiveJob.ACTIVE, ArchiveJob.State.SUCCEEDED))
    if found := live.first():
        return found
    n_active = ArchiveJob.objects.filter(owner=owner, state__in=ArchiveJob.ACTIVE).count()
    if n_active >= MOST_ACTIVE:
        message = (
            f"{n_active} of your archives are being written, and a user may have {MOST_ACTIVE}. Wait, or cancel one."
        )
        raise TooManyJobs([Problem("", "too_many_jobs", message)])
    with transaction.atomic():
        job, is_new = ArchiveJob.objects.get_or_create(
            owner=owner,
            key=key,
            state__in=(*ArchiveJob.ACTIVE, ArchiveJob.State.SUCCEEDED),
            defaults={
                "spec": state.spec.model_dump(mode="json"),
                "spec_hash": state.spec_hash,
                "choices": state.choices._asdict(),
                "target": target or "",
                "model_version": MODEL_VERSION,
                "catalog_version": state.catalog_version,
            },
        )
        if is_new:
            transaction.on_commit(lambda: send(job))
    _forget_old(owner)
    return job


def _key(state: State, target: str | None) -> str:
    parts = (state.spec_hash, state.catalog_version, MODEL_VERSION, target or "", *map(str, state.choices))
    return sha256("\n".join(parts).encode()).hexdigest()


def _forget_old(owner: User) -> None:
    ended = ArchiveJob.objects.filter(owner=owner).exclude(state__in=ArchiveJob.ACTIVE)
    stale = ended.order_by("-created_at").values_list("pk", flat=True)[KEPT:]
    ArchiveJob.objects.filter(pk__in=list(stale)).delete()


class ArchiveState(Record):
    """An archive that a worker writes, as REST answers it."""

    id: str
    url: str
    state: str
    progress: float
    """Share of its files that are written."""
    n_bytes: int
    """0 until it is whole."""
    target: IfAny[str] = None
    """null where it has all targets."""
    choices: ChoicesMade
    problems: list[str]
    """Why it was not written."""
    file: IfAny[str] = None
    """Address of the archive, once it is whole."""
