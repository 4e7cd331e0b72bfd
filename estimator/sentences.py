"""Sentences that a page prints otherwise than a program reads them: figures in a unit, names of keys.

What is answered as JSON is the plain text, in GB/s and with the keys of a request. The parts stand beside it, so that whoever
prints a page can put figures into the reader's unit and what the page calls a thing in the place of its key.
"""

from dataclasses import replace

from estimator.errors import Part, Sentence

Words = str | Part | Sentence


def said(*pieces: Words) -> Sentence:
    """A sentence of words, figures, and other sentences; neighbouring words are one part."""
    out: list[Part] = []
    for piece in pieces:
        for part in (Part(piece),) if isinstance(piece, str) else (piece,) if isinstance(piece, Part) else piece:
            if out and part.is_plain and out[-1].is_plain:
                out[-1] = replace(out[-1], text=out[-1].text + part.text)
            elif part.text or not part.is_plain:
                out.append(part)
    return tuple(out)


def gb_s(value: float, form: str = ".1f") -> Part:
    """A bandwidth in GB/s."""
    return Part(f"{value:{form}} GB/s", value=round(value, 6), unit="GB/s")


def by_reader(program: str, page: str = "") -> Part:
    """What a program reads, and what a page says in its place."""
    return Part(program, page=page)
