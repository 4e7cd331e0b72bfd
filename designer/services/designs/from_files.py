"""Designs out of what somebody brings: a spec as JSON, or a dump of a built network."""

import json
from pathlib import PurePath
from typing import IO

from django.conf import settings
from django.http import HttpRequest

from designer.services.bounded_json import UnsoundJson, json_object
from designer.services.uploads import bytes_of
from designer.wording.dropped_lines import by_reason
from designer.wording.figures import figure_words
from estimator.asbuilt.kinds import MOST_PATTERNS, patterns_of
from estimator.asbuilt.readers.files import AUTO, read_links
from estimator.asbuilt.readers.found import KEPT_DROPS
from estimator.asbuilt.to_spec import DumpDesign, designs_of_dump
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.pipeline import estimate
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

MAX_SPEC_BYTES = 1_000_000
MAX_FILE_NAME = 100


def spec_of_text(text: str) -> DesignSpec:
    """The spec of a JSON text: a request, or an Estimate or an answer of the API that holds one under "spec".

    Raises
    ------
    SpecError
        If the text is no sound JSON object, or no design.
    EstimatorError
        If no fabric of its parts meets it.
    """
    try:
        values = json_object(text.encode(), "text")
    except UnsoundJson as error:
        raise SpecError([one.named("spec") for one in error.problems]) from None
    if "compute" not in values and isinstance(values.get("spec"), dict):
        values = values["spec"]
    spec = parse_spec(values, load_catalog())
    estimate([spec], load_catalog(), parts=("counts",))  # what cannot be built is refused before it is saved
    return spec


def dump_report(file: IO[bytes], file_name: str, catalog: Catalog, servers: str = "") -> Json:
    """What a dump says, and for each of its networks the nearest design, how its figures differ, and what stays open.

    ``servers`` are patterns of names, for a file that does not say which devices are servers.

    Raises
    ------
    UnreadableFile
        If the file is no list of links, nothing tells its servers from its switches, or no design comes near it.
    """
    links = read_links(file, AUTO, settings.MAX_LINK_FILE_BYTES)
    name = _name_of(file_name)
    found = designs_of_dump(links, catalog, name, patterns_of(servers[:MOST_PATTERNS]))
    estimate([one.spec for one in found], catalog, ("counts",))  # what cannot be built is refused before it is shown
    return {
        "file_name": file_name,
        "name": name,
        "networks": [_network(one) for one in found],
        "n_listings": len(links),
        "n_devices": len(links.names),
        "dropped": by_reason(links.drops[:KEPT_DROPS], links.drop_counts),
    }


def _network(found: DumpDesign) -> Json:
    """One network of a dump with its nearest design."""
    return {
        "number": found.counts.number,
        "spec_json": json.dumps(found.spec.as_given(), indent=1, ensure_ascii=False),
        "reported": found.reported,
        "unreported": found.unreported,
        "figures": [
            {"words": figure_words(f"compute.{key}"), "found": here, "built": built, "is_same": here == built}
            for key, here, built in found.figures
            if here or built
        ],
        "n_differences": len(found.differences),
    }


def _name_of(file_name: str) -> str:
    """What the design is called: the file's name without its folder and ending."""
    stem = "".join(c for c in PurePath(file_name).stem if c.isprintable())[:MAX_FILE_NAME].strip()
    return f"Network of {stem}" if stem else "Network from a dump"


def sent_text(request: HttpRequest) -> str:
    """The pasted text, or what the file holds.

    Raises
    ------
    SpecError
        If there is neither, the file is too large, or it is no text.
    """
    text = request.POST.get("spec", "")  # with its blank lines, so that the places in problems are those of the field
    data = text.encode() if text.strip() else bytes_of(request.FILES.get("file"), "file", MAX_SPEC_BYTES)
    if not data.strip():
        raise SpecError([Problem("spec", "required", "Paste a design as JSON, or choose a file first.")])
    if len(data) > MAX_SPEC_BYTES:
        message = f"The text has {len(data):,} bytes, and a design may have {MAX_SPEC_BYTES:,}."
        raise SpecError([Problem("spec", "file_too_large", message)])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = (
            "The file is no UTF-8 text. A design is JSON, as “Copy as JSON” or GET /api/v1/designs/{id}/ gives it."
        )
        raise SpecError([Problem("file", "unreadable_text", message)]) from None
