"""Files of zip archives as they are uploaded: unpacked one at a time, never more of one than is read of a file."""

import io
import zipfile
from collections.abc import Iterable, Iterator

from estimator.bringup.check.texts.tree import Unparsed
from estimator.tables.workbook import DAMAGED

ARCHIVE = b"PK\x03\x04"
MAX_ARCHIVE_BYTES = 64_000_000
MOST_MEMBERS = 4_000
_LEFT_OUT = ("__MACOSX/", ".DS_Store")


def unpacked(
    files: Iterable[tuple[str, bytes]], most_bytes: int, refused: list[tuple[str, Unparsed]]
) -> Iterator[tuple[str, bytes]]:
    """Every file, those of archives under their own names with folders; of each ``most_bytes`` and one more at most.

    Why an archive gave nothing, or not all, is added to ``refused``.
    """
    for name, data in files:
        if not data.startswith(ARCHIVE):
            yield name, data
            continue
        owner = name.rpartition(":")[0]
        try:
            for member, content in _members(data, most_bytes):
                yield (f"{owner}:{member}" if owner else member), content
        except DAMAGED as error:
            why = f"It starts as a zip archive and cannot be unpacked: {str(error)[:80]}. Send it unpacked."
            refused.append((name, Unparsed(None, why)))


def _members(data: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(_LEFT_OUT)]
        if len(members) > MOST_MEMBERS:
            raise ValueError(f"it has {len(members):,} files, and {MOST_MEMBERS:,} are the most")
        for one in members:
            if one.filename.endswith(_LEFT_OUT):
                continue
            with archive.open(one) as member:  # no more is unpacked than may be read, whatever its header says
                yield one.filename, member.read(most_bytes + 1)
