"""Links of a fabric, files of links against it, cabling and racks."""

from designer.api.answers import estimate as answers
from designer.api.calls import call, files_of
from designer.api.components import body, component
from designer.api.negotiation import OCTETS
from designer.api.schema.requests import UPLOAD
from designer.api.serializers import CompareQuery, DumpQuery, FabricQuery, LinksQuery, PageQuery
from estimator.asbuilt.dump import Dump
from estimator.asbuilt.result import LinkComparison
from estimator.handoff.formats import FORMATS
from estimator.record import Json

links_read = call(
    "get_links",
    "Every link of a fabric, port to port",
    files_of(*(form.content_type for form in FORMATS.values())),
    (404, 406, 409, 503),
    description="Streamed, in the form requested: "
    + ", ".join(f"`{key}` ({form.purpose})" for key, form in FORMATS.items()),
    parameters=[LinksQuery],
    tags=["links"],
    is_conditional=True,
)
_COMPARE: Json = {
    "request": {
        "multipart/form-data": component(
            "LinksFile",
            body(
                {
                    "file": UPLOAD,
                    "names": {
                        **UPLOAD,
                        "description": "CSV of two columns: a device's name in the file, in the design.",
                    },
                },
                required=["file"],
            ),
        ),
        OCTETS: UPLOAD,
    },
    "description": "Takes a dump of ibnetdiscover or iblinkinfo, LLDP neighbours, a .topo file, a point-to-point sheet "
    "(CSV or XLSX) or a NetBox cable export, as the body or as the part `file` of a form, and says which links are missing, "
    "extra, swapped, doubled, on a wrong port or at a wrong device. Nothing is stored.",
    "parameters": [CompareQuery],
    "tags": ["links"],
}
links_compare_estimate = call(
    "compare_links_of_estimate",
    "A file of links against an estimate's fabric",
    {200: LinkComparison},
    (403, 404, 409, 413, 503),
    **_COMPARE,
)
links_compare_design = call(
    "compare_links_of_design",
    "A file of links against a design's fabric, as saved last",
    {200: LinkComparison},
    (403, 404, 413, 503),
    **_COMPARE,
)
dump_read = call(
    "read_dump",
    "The networks of a file of links, each as the nearest design",
    {200: Dump},
    (403, 413, 503),
    request={"multipart/form-data": component("DumpFile", body({"file": UPLOAD}, required=["file"])), OCTETS: UPLOAD},
    description="Takes what the comparison of links takes, as the body or as the part `file` of a form. Networks that no switch "
    "joins, such as compute and storage in one dump, are parted; each has a `spec`, which `POST designs/` takes, what the file "
    "says of it, and what the file leaves open. Nothing is stored.",
    parameters=[DumpQuery],
    tags=["links"],
)
cabling_read = call(
    "get_cabling",
    "Links, cables, transceivers and cages by tier, medium, length and part",
    {200: answers.Cabling},
    (404, 409),
    parameters=[FabricQuery],
    tags=["links"],
)
racks_read = call(
    "get_racks",
    "Racks of the floor plan, with what stands in them",
    {200: answers.Racks},
    (404, 409),
    parameters=[PageQuery],
    tags=["links"],
)
