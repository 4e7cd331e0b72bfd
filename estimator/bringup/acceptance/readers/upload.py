"""Results as they are uploaded: files and zip archives of them, bounded before anything is read, one at a time."""

import io
import zipfile
from collections.abc import Iterable, Iterator

from estimator.errors import Problem, SpecError
from estimator.tables.workbook import DAMAGED

MAX_FILES = 5_000
MAX_FILE_BYTES = 20_000_000  # as a log of nccl-tests
MAX_ALL_BYTES = 400_000_000  # of all files, unpacked
ARCHIVE = b"PK\x03\x04"


def unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Every file, those of archives too, under its own name without folders; what is too big is a byte too long.

    Raises
    ------
    SpecError
        If there are more than MAX_FILES, or all have more than MAX_ALL_BYTES.
    """
    n_files = n_bytes = 0
    for name, data in _members(files):
        n_files, n_bytes = n_files + 1, n_bytes + len(data)
        if n_files > MAX_FILES:
            message = f"{MAX_FILES:,} files of results are the most at once. Judge some gates at a time."
            raise SpecError([Problem("results", "too_many_logs", message)])
        if n_bytes > MAX_ALL_BYTES:
            message = f"{MAX_ALL_BYTES // 10**6} MB of results are the most at once. Judge some gates at a time."
            raise SpecError([Problem("results", "file_too_large", message)])
        yield name, data


def _members(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for name, data in files:
        if not data.startswith(ARCHIVE):
            yield name, data
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for one in archive.infolist()[: MAX_FILES + 1]:
                    if one.is_dir() or one.filename.startswith("__MACOSX/"):
                        continue
                    with archive.open(one) as member:  # no more is unpacked than may be read, whatever its header says
                        yield one.filename.rpartition("/")[2], member.read(MAX_FILE_BYTES + 1)
        except DAMAGED as error:
            message = f"{name} starts as a zip archive and cannot be unpacked: {str(error)[:80]}. Send it unpacked."
            raise SpecError([Problem("results", "unreadable_archive", message)]) from None
