"""A file of links against a fabric, an estimate's or a design's as it is saved; and as designs. Nothing is stored."""

from typing import IO, cast
from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import HeavyJobView, query_of
from designer.api.errors import invalid
from designer.api.parsers import FileParser
from designer.api.resources.designs import designs_of
from designer.api.resources.links import finished_fabric
from designer.api.schema import links as schema
from designer.api.serializers import CompareQuery, DumpQuery
from designer.services.link_lists import links_of
from designer.services.uploads import MAX_NAMES_BYTES, bytes_of
from estimator.asbuilt.dump import read_dump
from estimator.asbuilt.kinds import patterns_of
from estimator.asbuilt.report import compare_links
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.handoff.phases import links_at
from estimator.record import Given, Json
from estimator.spec.parse import parse_spec


def _file_of(request: Request) -> IO[bytes]:
    file = cast("Given", request.data).get("file")
    if file is None or not hasattr(file, "seek"):
        message = "Send the file as the body, or as the part 'file' of a form."
        raise invalid("file", "required", message)
    return cast("IO[bytes]", file)


class DumpsView(HeavyJobView):
    """A file of links as designs, one for each of its networks."""

    parser_classes = [MultiPartParser, FileParser]
    stores_nothing = True

    @schema.dump_read
    def post(self, request: Request) -> Response:
        query = query_of(request, DumpQuery)
        found = read_dump(
            _file_of(request),
            load_catalog(),
            query.get("network"),
            file_format=query["format"],
            max_bytes=settings.MAX_LINK_FILE_BYTES,
            servers=patterns_of(query.get("servers", "")),
        )
        return Response(found.as_json())


class _CompareView(HeavyJobView):
    parser_classes = [MultiPartParser, FileParser]
    stores_nothing = True

    def compare(self, request: Request, query: Json, links: LinkList) -> Response:
        """What the file of the request says of these links."""
        names = bytes_of(cast("Given", request.data).get("names"), "names", MAX_NAMES_BYTES)
        found = compare_links(links, _file_of(request), query["format"], names, settings.MAX_LINK_FILE_BYTES)
        return Response(found.as_json())


class EstimateCompareView(_CompareView):
    """A file against one fabric of a finished estimate."""

    @schema.links_compare_estimate
    def post(self, request: Request, pk: UUID) -> Response:
        query = query_of(request, CompareQuery)
        job, _ = finished_fabric(request, pk, query["fabric"])
        return self.compare(request, query, links_of(job, query["fabric"], query.get("phase")))


class DesignCompareView(_CompareView):
    """A file against one fabric of a design as it is now."""

    @schema.links_compare_design
    def post(self, request: Request, pk: UUID) -> Response:
        query, catalog = query_of(request, CompareQuery), load_catalog()
        spec = parse_spec(get_object_or_404(designs_of(request), pk=pk).given, catalog)
        return self.compare(request, query, links_at(spec, catalog, query["fabric"], query.get("phase")))
