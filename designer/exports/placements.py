"""The files that launch a placed job, by the word of each in the address: one of the launch formats, or all in a zip."""

from pathlib import PurePath

from designer.exports.downloads import Download
from designer.exports.file_names import ZIP_TYPE, design_file_stem
from estimator.handoff.launch.formats import LAUNCH_FORMATS, archive, launch_format
from estimator.handoff.launch.job import Job

ZIP = "zip"
PLACEMENT_TYPES = {name: one.content_type for name, one in LAUNCH_FORMATS.items()} | {ZIP: ZIP_TYPE}


def placement_download(job: Job, form: str) -> Download:
    """One of PLACEMENT_TYPES: ``four-units-job-torchrun-1a2b3c4d.sh``.

    Raises
    ------
    SpecError
        For a layout that the format cannot hold.
    """
    spec, digest = job.links.spec, job.links.spec_hash
    if form == ZIP:
        return Download(f"{design_file_stem(spec.name, digest, job.name)}.zip", ZIP_TYPE, archive(job))
    one = launch_format(form)
    file = PurePath(one.file)
    stem = design_file_stem(spec.name, digest, f"{job.name} {file.stem}")
    kind = f"{one.content_type}; charset=utf-8" if one.content_type.startswith("text/") else one.content_type
    return Download(f"{stem}{file.suffix}", kind, b"".join(one.write(job)))
