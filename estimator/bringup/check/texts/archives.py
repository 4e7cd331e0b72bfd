"""Archives as they are uploaded, zip, tar and gzip: unpacked one file at a time, never more of one than is read of a file."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from estimator.bringup.check.texts.tree import Unparsed
from estimator.tables.workbook import DAMAGED

ZIP, GZIP, TAR = b"PK\x03\x04", b"\x1f\x8b", b"ustar"
TAR_AT = 257  # where a tar archive names its form: POSIX.1-2001, pax
MAX_ARCHIVE_BYTES = 64_000_000
MAX_UNPACKED_BYTES = 256_000_000  # of one tar archive, whose files can be reached through those before them alone
MOST_MEMBERS = 4_000
_LEFT_OUT = ("__MACOSX/", ".DS_Store")
_BROKEN = (*DAMAGED, tarfile.TarError)


def unpacked(
    files: Iterable[tuple[str, bytes]], most_bytes: int, refused: list[tuple[str, Unparsed]]
) -> Iterator[tuple[str, bytes]]:
    """Every file, those of archives under their own names with folders; of each ``most_bytes`` and one more at most.

    Why an archive gave nothing, or not all, is added to ``refused``.
    """
    for name, data in files:
        label = _label(data)
        if label is None:
            yield name, data
            continue
        owner = name.rpartition(":")[0]
        try:
            for member, content in _members(name, data, most_bytes):
                yield (f"{owner}:{member}" if owner else member), content
        except _BROKEN as error:
            why = f"It starts as a {label} and cannot be unpacked: {str(error)[:80]}. Send it unpacked."
            refused.append((name, Unparsed(None, why)))


def is_archive(data: bytes) -> bool:
    """Whether an upload is unpacked, by its first bytes."""
    return _label(data) is not None


def _label(data: bytes) -> str | None:
    """What an upload is by its first bytes; None where it is no archive."""
    if data.startswith(ZIP):
        return "zip archive"
    if data.startswith(GZIP):
        return "gzip file"
    return "tar archive" if _is_tar(data) else None


def _is_tar(data: bytes) -> bool:
    return data[TAR_AT : TAR_AT + len(TAR)] == TAR


def _members(name: str, data: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    if data.startswith(ZIP):
        yield from _of_zip(data, most_bytes)
    elif _is_tar(data):
        yield from _of_tar(io.BytesIO(data), most_bytes)
    else:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            is_tar = _is_tar(file.read(TAR_AT + len(TAR)))
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            if is_tar:
                yield from _of_tar(cast("BinaryIO", file), most_bytes)
            else:
                yield name.rpartition(":")[2].removesuffix(".gz"), file.read(most_bytes + 1)


def _of_zip(data: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(_LEFT_OUT)]
        if len(members) > MOST_MEMBERS:
            raise ValueError(f"it has {len(members):,} files, and {MOST_MEMBERS:,} are the most")
        for one in members:
            if one.filename.endswith(_LEFT_OUT):
                continue
            with archive.open(one) as member:  # no more is unpacked than may be read, whatever its header says
                yield one.filename, member.read(most_bytes + 1)


class _Bounded:
    """A stream of which no more than MAX_UNPACKED_BYTES are read: a small gzip file can hold as much as it likes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._left = MAX_UNPACKED_BYTES

    def read(self, size: int) -> bytes:
        """The next bytes."""
        self._left -= size
        if self._left < 0:
            raise ValueError(f"it unpacks to over {MAX_UNPACKED_BYTES // 10**6} MB")
        return self._stream.read(size)


def _of_tar(stream: BinaryIO, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Plain files alone: links, devices and folders are left out, and nothing is written anywhere."""
    with tarfile.open(fileobj=cast("BinaryIO", _Bounded(stream)), mode="r|") as archive:
        for number, one in enumerate(archive, 1):
            if number > MOST_MEMBERS:
                raise ValueError(f"it has over {MOST_MEMBERS:,} files, which are the most")
            name = one.name.removeprefix("./")
            content = archive.extractfile(one) if one.isreg() else None
            if content is not None and not name.startswith(_LEFT_OUT) and not name.endswith(_LEFT_OUT):
                yield name, content.read(most_bytes + 1)
