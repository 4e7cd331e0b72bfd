"""The crew pack of a finished estimate over REST: one archive, or one of its files."""

from collections.abc import Iterator
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from designer.api.base import HeavyJobView, query_of
from designer.api.negotiation import choice_of, file_answer
from designer.api.resources.bringup import described
from designer.api.resources.bringup.queries import CrewPackQuery
from designer.api.resources.estimates import finished_result, jobs_of
from designer.exports.links import archive_answer
from designer.services.link_lists import refuse_outdated
from estimator.bringup.crew_pack.pack import archive, crew_file, crew_of, written
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec

MOST_LINKS = 80_000  # of one answer: half a minute; the command line takes more


class CrewPackView(HeavyJobView):
    """Elevations, labels, orders, cables by rack and by bundle, the HCA map."""

    @described.crew_pack
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        wanted = query_of(request, CrewPackQuery).get("file")
        job = get_object_or_404(jobs_of(request), pk=pk)
        finished_result(job)
        refuse_outdated(job)
        catalog = load_catalog()
        crew = crew_of(parse_spec(job.spec, catalog), catalog, MOST_LINKS)
        crew = crew._replace(in_feet=choice_of(request).in_feet)
        if wanted is None:
            return _archive(archive(crew), crew.name, crew.spec_hash)
        return _file(b"".join(written(crew, wanted)), wanted)


def _archive(pieces: Iterator[bytes], name: str, digest: str) -> StreamingHttpResponse:
    return archive_answer(pieces, name, digest, "crew-pack")


def _file(content: bytes, name: str) -> HttpResponse:
    return file_answer(content, crew_file(name).content_type, name)
