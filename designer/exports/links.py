"""A link list as a file to send: its name, and its bytes in pieces that are worth a packet."""

from collections.abc import Iterable, Iterator
from itertools import chain

from django.http import StreamingHttpResponse

from designer.exports.file_names import ZIP_TYPE, design_file_stem
from estimator.handoff.formats import FORMATS, Format

PIECE_BYTES = 65_536


def link_file_name(name: str, digest: str, role: str, form: str, phase: int | None = None) -> str:
    """``dgx-h100-4-units-compute-topo-1a2b3c4d.topo``: design, fabric and format in safe letters, start of the spec's hash."""
    of_phase = f"-phase-{phase}" if phase else ""
    return f"{design_file_stem(name, digest, f'{role}-{form}{of_phase}')}.{FORMATS[form].extension}"


def content_type(form: Format) -> str:
    """The format's media type, with the encoding of its text."""
    return f"{form.content_type}; charset=utf-8" if form.content_type.startswith("text/") else form.content_type


def in_pieces(chunks: Iterator[bytes], size: int = PIECE_BYTES) -> Iterator[bytes]:
    """The same bytes: the first chunk at once, so that a reader sees it begin, the rest in pieces of about ``size``."""
    first = next(chunks, b"")
    if first:
        yield first
    held, n_bytes = [], 0
    for chunk in chunks:
        held.append(chunk)
        n_bytes += len(chunk)
        if n_bytes >= size:
            yield b"".join(held)
            held, n_bytes = [], 0
    if held:
        yield b"".join(held)


def archive_answer(pieces: Iterable[bytes], name: str, digest: str, kind: str) -> StreamingHttpResponse:
    """An archive to save, named after its design and ``kind``. What cannot be written is refused before the answer has begun."""
    written = in_pieces(iter(pieces))
    first = next(written, b"")
    headers = {"Content-Disposition": f'attachment; filename="{design_file_stem(name, digest, kind)}.zip"'}
    return StreamingHttpResponse(chain([first], written), content_type=ZIP_TYPE, headers=headers)
