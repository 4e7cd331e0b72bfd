"""Saving designs and versions, and requesting their estimates: what pages and REST call for that, with limits and races held."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max

from designer.models import Design, DesignRevision
from designer.services.designs.edits import is_held, take_over
from designer.services.designs.state import hold
from designer.services.labels import checked_label, checked_name
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.jobs.models import EstimateJob
from estimator.jobs.tasks import send
from estimator.spec.design import DesignSpec, spec_hash
from estimator.version import MODEL_VERSION

DRAFTS_KEPT = 30  # finished estimates of states that no design and no version is in any more, for each owner
MAX_NOTE = 2000


class TooManyJobs(EstimatorError):
    """A user has as many estimates waiting or running as one user may have."""

    code = "too_many_jobs"


@transaction.atomic
def save_design(owner: User, spec: DesignSpec, design: Design | None = None, by: str = "") -> Design:
    """Save a request as a new design, or make it the current state of one, as an edit that can be taken back."""
    if design is None:
        design = Design(owner=owner, name=spec.name)
        hold(design, spec)
        design.save()
    elif not is_held(design, spec):
        take_over(design, spec, by=by)
    return design


@transaction.atomic
def save_version(design: Design, name: str = "", note: str = "", by: str = "") -> DesignRevision:
    """Keep the current state under a name, to come back to. "Version 3" where no name is given; ``by`` is who saves it.

    Raises
    ------
    SpecError
        For a name or a note that is too long or holds control characters.
    """
    locked = Design.objects.select_for_update().get(pk=design.pk)
    number = (locked.revisions.aggregate(Max("number"))["number__max"] or 0) + 1
    state = {column: getattr(locked, column) for column in ("given", "spec", "spec_hash")}
    named = checked_name(name) if name.strip() else f"Version {number}"
    said = {"name": named, "note": checked_label("note", note, MAX_NOTE), "by": by[:200]}
    return DesignRevision.objects.create(design=locked, number=number, **said, **state)


def request_draft(owner: User, spec: DesignSpec) -> EstimateJob:
    """The job of a state that a form was in: as ``request_estimate``, but of those that no design and no version has any
    more, only the newest DRAFTS_KEPT stay.

    Raises
    ------
    TooManyJobs
        If the owner has ACTIVE_JOBS_PER_USER jobs waiting or running.
    """
    job, _ = request_estimate(owner, spec, is_draft=True)
    ended = EstimateJob.objects.filter(owner=owner, is_draft=True).exclude(state__in=EstimateJob.ACTIVE)
    for held in (Design.objects.filter(owner=owner), DesignRevision.objects.filter(design__owner=owner)):
        ended = ended.exclude(spec_hash__in=held.values("spec_hash"))
    stale = ended.order_by("-created_at").values_list("pk", flat=True)[DRAFTS_KEPT:]
    EstimateJob.objects.filter(pk__in=list(stale)).delete()
    return job


def request_estimate(owner: User, spec: DesignSpec, *, is_draft: bool = False) -> tuple[EstimateJob, bool]:
    """The owner's job for this spec at today's model and catalog, and whether it is new.

    A job of the same spec and versions that waits, runs or has succeeded is returned as it is. A new one is stored first
    and sent to a worker after the commit; if the broker is away it stays queued and the sweep sends it later.

    Raises
    ------
    TooManyJobs
        If the owner has ACTIVE_JOBS_PER_USER jobs waiting or running.
    """
    key = {
        "owner": owner,
        "spec_hash": spec_hash(spec),
        "model_version": MODEL_VERSION,
        "catalog_version": load_catalog().version,
    }
    live = EstimateJob.objects.filter(**key, state__in=[*EstimateJob.ACTIVE, EstimateJob.State.SUCCEEDED])
    if (job := live.first()) is not None:
        if job.is_draft and not is_draft:  # somebody wants to keep it
            EstimateJob.objects.filter(pk=job.pk).update(is_draft=False)
        return job, False
    _check_room_for_one_more(owner)
    try:
        with transaction.atomic():
            job = EstimateJob.objects.create(**key, spec=spec.as_json(), is_draft=is_draft)
            transaction.on_commit(lambda: send(job))
    except IntegrityError:  # the same request a moment ago, from another tab or process
        return live.get(), False
    return job, True


def _check_room_for_one_more(owner: User) -> None:
    limit = settings.ACTIVE_JOBS_PER_USER
    n_active = EstimateJob.objects.filter(owner=owner, state__in=EstimateJob.ACTIVE).count()
    if n_active >= limit:
        message = (
            f"{n_active} of your estimates are waiting or running, and a user may have {limit}. "
            "Wait until one has finished, or cancel one."
        )
        raise TooManyJobs([Problem(field="", code="too_many_jobs", message=message)])


def cancel_estimate(job: EstimateJob) -> bool:
    """Stop a waiting or running job. False if it had ended before."""
    cancelled = job.cancel()
    job.refresh_from_db()
    return cancelled
