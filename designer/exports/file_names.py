"""What downloaded files are called: of what they are, what they show, and the start of the hash of the state that they show."""

from django.utils.text import slugify

MOST_LETTERS = 80
ZIP_TYPE = "application/zip"


def safe_name(name: str, otherwise: str) -> str:
    """A name in letters that every file system takes."""
    return slugify(name)[:MOST_LETTERS].strip("-") or otherwise


def design_file_stem(name: str, digest: str, what: str) -> str:
    """``four-units-bom-1a2b3c4d``: the design's name, what the file shows of it, the start of the spec's hash."""
    return f"{safe_name(name, 'design')}-{slugify(what)}-{digest[:8]}"


def comparison_file_stem(name: str, what: str = "comparison") -> str:
    """``ndr-and-roce-comparison``: the comparison's name, and what the file shows of it."""
    return f"{safe_name(name, 'designs')}-{slugify(what)}"
