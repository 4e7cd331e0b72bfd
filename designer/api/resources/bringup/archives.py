"""Archives of settings files that workers write, over REST: started, followed, cancelled, sent."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, located, owner_of, query_of
from designer.api.errors import refuse
from designer.api.resources.bringup import described
from designer.api.resources.bringup.queries import ArchiveQuery
from designer.api.resources.bringup.states import state_asked
from designer.api.resources.estimates import stopped, when_to_ask
from designer.api.serializers import NoQuery
from designer.exports.links import archive_answer
from designer.services.bringup.archives import ArchiveState, request_archive
from designer.services.bringup.choosing import choices_asked, kind_of
from estimator.jobs.models import ArchiveJob
from estimator.record import Json


class SettingsArchivesView(HeavyJobView):
    """Archives of a design that workers write."""

    @described.archive_create
    def post(self, request: Request, pk: UUID) -> Response:
        query = query_of(request, ArchiveQuery)
        state = state_asked(request, pk, query.get("revision"), query)
        job = request_archive(owner_of(request), state, query.get("target"))
        return located(_answer(request, job), 202, when_to_ask(job))


class SettingsArchiveJobView(ApiView):
    """One archive: how far it is."""

    @described.archive_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(_archives_of(request), pk=pk)
        return Response(_answer(request, job), headers=when_to_ask(job))

    @described.archive_cancel
    def delete(self, request: Request, pk: UUID) -> Response:
        return stopped(request, _archives_of(request), pk, _answer)


class SettingsArchiveFileView(ApiView):
    """One archive, once it is whole."""

    @described.archive_file
    def get(self, request: Request, pk: UUID) -> StreamingHttpResponse:
        query_of(request, NoQuery)
        job = get_object_or_404(_archives_of(request), pk=pk)
        if job.state != ArchiveJob.State.SUCCEEDED:
            raise refuse(409, "not_ready", f"This archive is {job.state}; only one that is whole can be sent.")
        kind = kind_of(choices_asked(job.choices), job.target or "settings")
        return archive_answer(job.content(), job.name, job.spec_hash, kind)


def _archives_of(request: Request) -> QuerySet[ArchiveJob]:
    """The caller's archives."""
    return ArchiveJob.objects.filter(owner_id=request.user.pk)


def _answer(request: Request, job: ArchiveJob) -> Json:
    def address(name: str) -> str:
        return request.build_absolute_uri(reverse(f"api:{name}", kwargs={"pk": job.pk}))

    is_whole = job.state == ArchiveJob.State.SUCCEEDED
    return ArchiveState(
        id=str(job.pk),
        url=address("settings-archive-job"),
        state=job.state,
        progress=job.progress,
        n_bytes=job.n_bytes,
        target=job.target or None,
        choices=choices_asked(job.choices).answer,
        problems=[str(problem.get("message")) for problem in (job.error or {}).get("problems", [])],
        file=address("settings-archive-file") if is_whole else None,
    ).as_json()
