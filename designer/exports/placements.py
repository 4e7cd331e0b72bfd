"""The files that launch a placed job, by the word of each in the address: one of the launch formats, or all in a zip."""

from designer.exports.downloads import Download
from designer.exports.file_names import design_file_stem
from estimator.handoff.launch.formats import LAUNCH_FORMATS, archive, launch_format
from estimator.handoff.launch.job import Job

ZIP, ZIP_TYPE = "zip", "application/zip"
PLACEMENT_TYPES = {name: one.content_type for name, one in LAUNCH_FORMATS.items()} | {ZIP: ZIP_TYPE}


def placement_download(job: Job, form: str) -> Download:
    """One of PLACEMENT_TYPES: ``four-units-job-1a2b3c4d-torchrun.sh``.

    Raises
    ------
    SpecError
        For a layout that the format cannot hold.
    """
    stem = design_file_stem(job.links.spec.name, job.links.spec_hash, job.name)
    if form == ZIP:
        return Download(f"{stem}.zip", ZIP_TYPE, archive(job))
    one = launch_format(form)
    kind = f"{one.content_type}; charset=utf-8" if one.content_type.startswith("text/") else one.content_type
    return Download(f"{stem}-{one.file}", kind, b"".join(one.write(job)))
