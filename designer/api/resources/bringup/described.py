"""What calls of bring-up take and answer."""

from designer.api.calls import BODY, call, example, files_of
from designer.api.components import body, component
from designer.api.resources.bringup.queries import (
    ArchiveQuery,
    ChangesQuery,
    ChoicesQuery,
    CrewPackQuery,
    SettingsFileQuery,
    StateQuery,
    TargetQuery,
)
from designer.api.schema.requests import DESIGN, LOG_TEXT, SPEC, UPLOAD
from designer.exports.file_names import ZIP_TYPE
from designer.services.bringup.archives import ArchiveState
from designer.services.bringup.plans import TargetFiles
from estimator.bringup.changes.result import SettingsChanges
from estimator.bringup.check.result import SettingsCheck
from estimator.bringup.check.upload import MAX_FILES
from estimator.bringup.crew_pack.pack import CREW_FILES
from estimator.bringup.plan.records import BringupPlan
from estimator.bringup.renderings.target import MEDIA_TYPES
from estimator.bringup.renderings.targets import TARGETS

TAG = "bring-up"
_TARGETS = ", ".join(f"`{key}` ({one.label}: {one.purpose})" for key, one in TARGETS.items())
plan = call(
    "read_settings_plan",
    "What the devices of a design have to be set to, each value with its source",
    {200: BringupPlan},
    (404, 503),
    parameters=[StateQuery],
    tags=[TAG],
)
files = call(
    "list_settings_files",
    "Names of the files of a target",
    {200: TargetFiles},
    (404, 503),
    parameters=[TargetQuery],
    description=f"Targets: {_TARGETS}.",
    tags=[TAG],
)
file = call(
    "download_settings_file",
    "One settings file",
    files_of("text/plain", *MEDIA_TYPES.values()),
    (404, 503),
    parameters=[SettingsFileQuery],
    tags=[TAG],
)
crew_pack = call(
    "download_crew_pack",
    "What a crew takes into the hall: one zip, or one of its files",
    files_of(ZIP_TYPE, *dict.fromkeys(one.content_type for one in CREW_FILES.values())),
    (404, 409, 503),
    parameters=[CrewPackQuery],
    description="Files: "
    + "; ".join(f"`{name}`: {one.purpose}" for name, one in CREW_FILES.items())
    + ". The zip adds elevations as SVG, and left-out.txt with what the design has not, and why.",
    tags=[TAG],
)
archive = call(
    "download_settings_archive",
    "All settings files of a target or of the design as a zip, streamed",
    files_of(ZIP_TYPE),
    (404, 503),
    parameters=[ArchiveQuery],
    description="Equal designs give equal bytes. One of over 2,000 files of switches, or about 20 MB, is refused: have a "
    "worker write it.",
    tags=[TAG],
)
archive_create = call(
    "create_settings_archive",
    "Have a worker write an archive of settings files",
    {202: ArchiveState},
    (404, 409, 503),
    request=None,
    parameters=[ArchiveQuery],
    description="For archives that are too large to be sent at once; Location says where to look. An archive that is there "
    "or on its way is answered again.",
    tags=[TAG],
)
archive_read = call(
    "read_settings_archive",
    "How far an archive is",
    {200: ArchiveState},
    (404,),
    description="With Retry-After while it is on its way. The last four that ended are kept.",
    tags=[TAG],
)
archive_cancel = call(
    "cancel_settings_archive",
    "Stop an archive that waits or is being written",
    {200: ArchiveState},
    (403, 404, 409, 412),
    request=None,
    tags=[TAG],
)
archive_file = call(
    "download_written_settings_archive",
    "An archive that a worker has written",
    files_of(ZIP_TYPE),
    (404, 409),
    tags=[TAG],
)
changes = call(
    "read_settings_changes",
    "What a later state of a design sets otherwise than an earlier one, and why",
    {200: SettingsChanges},
    (404, 503),
    parameters=[ChangesQuery],
    tags=[TAG],
)
_PRIORITIES = (
    "DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"
    "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0\n"
)
_WHOSE = "A name before a colon says whose: `leaf-r1-001:nv.json`."
check = call(
    "check_settings",
    "What devices are set to, against the plan of a design and each other",
    {200: SettingsCheck},
    (*BODY, 404, 503),
    request={
        "application/json": component(
            "SettingsCheckRequest",
            body(
                {
                    "design": DESIGN,
                    "files": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MAX_FILES,
                        "items": component("LogText", body(LOG_TEXT, required=["file", "text"])),
                        "description": f"What devices printed. {_WHOSE}",
                    },
                },
                required=["design", "files"],
            ),
        ),
        "multipart/form-data": component(
            "SettingsCheckFiles",
            body(
                {
                    "design": {
                        "type": "string",
                        "description": "The design's spec as JSON, or the id of one of yours.",
                    },
                    "files": {
                        "type": "array",
                        "items": UPLOAD,
                        "description": "What devices printed. A part named `leaf-r1-001:` is that device's file.",
                    },
                },
                required=["design", "files"],
            ),
        ),
    },
    parameters=[ChoicesQuery],
    description="Nothing of the files is kept, and secrets in them are neither kept nor shown.",
    examples=[
        example(
            "a host's priorities",
            {"design": SPEC, "files": [{"file": "node-0001:mlnx_qos.txt", "text": _PRIORITIES}]},
        )
    ],
    tags=[TAG],
)
