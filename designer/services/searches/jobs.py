"""Searches too large for a request: asked as rows that workers take, within what one user may have."""

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import Design
from designer.services.designs.saving import TooManyJobs
from designer.services.searches.asking import whole_request
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.jobs.models import SearchChunk, SearchJob
from estimator.jobs.tasks import VERBS, send_all
from estimator.record import Given, Json
from estimator.search.request import CHUNK
from estimator.search.search import cuts_of
from estimator.version import MODEL_VERSION

MOST_ACTIVE = 2
KEPT = 20  # ended searches of an owner; older ones go


def request_search(owner: User, asked: Given, design: Design | None) -> SearchJob:
    """A search as a job: its row with a chunk for each range of candidates, sent to workers after the commit.

    Raises
    ------
    SpecError
        With what is wrong with the request, or if it has too many candidates.
    TooManyJobs
        If the owner has MOST_ACTIVE searches waiting or running.
    """
    whole, catalog = whole_request(asked, design), load_catalog()
    cuts = cuts_of(whole, catalog, CHUNK, VERBS)
    n_active = SearchJob.objects.filter(owner=owner, state__in=SearchJob.ACTIVE).count()
    if n_active >= MOST_ACTIVE:
        message = (
            f"{n_active} of your searches are running, and a user may have {MOST_ACTIVE}. Wait for one, or cancel one."
        )
        raise TooManyJobs([Problem("", "too_many_jobs", message)])
    page: Json = {"ask": dict(asked), "design": str(design.pk) if design else ""}
    with transaction.atomic():
        job = SearchJob.objects.create(
            owner=owner,
            request=whole,
            asked=page,
            n_candidates=cuts[-1][1],
            model_version=MODEL_VERSION,
            catalog_version=catalog.version,
        )
        chunks = SearchChunk.objects.bulk_create(SearchChunk(job=job, first=first, last=last) for first, last in cuts)
        transaction.on_commit(lambda: send_all(chunks))
    _forget_old(owner)
    return job


def _forget_old(owner: User) -> None:
    ended = SearchJob.objects.filter(owner=owner).exclude(state__in=SearchJob.ACTIVE)
    stale = ended.order_by("-created_at").values_list("pk", flat=True)[KEPT:]
    SearchJob.objects.filter(pk__in=list(stale)).delete()
