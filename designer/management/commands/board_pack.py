"""`manage.py board_pack SPEC SPEC…`: two to five options as a paper for a board, without a database."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.exports.comparisons import board_paper
from designer.services.bounded_json import json_object
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import prepare
from estimator.compare.request import MOST
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.record import Json
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec

MAX_INPUT_BYTES = 5_000_000


class Command(BaseCommand):
    help = (
        "Writes a board pack of two to five options, a PDF: recommendation, one page of figures, cost, risks, assumptions. "
        'A file holds a design, or an item of a comparison: {"label", "spec"} or {"label", "offer"}.'
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="SPEC", nargs="+", help="JSON files")
        parser.add_argument("--title", default="", help="default: the options’ names")
        parser.add_argument("--subtitle", default="", help="the line below the title")
        parser.add_argument(
            "--recommended", type=int, metavar="N", help="an option, from 0; default: as the figures say"
        )
        parser.add_argument("--reason", default="", help="why, in your words")
        parser.add_argument("--logo", metavar="FILE", help="PNG or SVG of 500 kB at most")
        parser.add_argument("--out", metavar="FILE", default="-", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            content = _paper(options)
        except EstimatorError as error:
            raise CommandError(error.words(), returncode=2) from error
        if options["out"] == "-":
            sys.stdout.buffer.write(content)
        else:
            Path(options["out"]).write_bytes(content)


def _paper(options: Json) -> bytes:
    items = [_item(json_object(_read(name), name)) for name in options["files"][: MOST + 1]]
    catalog = load_catalog()
    made = prepare({"items": items}, catalog)
    specs = [parse_spec(spec, catalog) if (spec := item.get("spec")) else None for item in items]

    def estimates() -> list[PricedEstimate | None]:
        return [PricedEstimate.of(estimate([spec], catalog)[0]) if spec else None for spec in specs]

    logo = options.get("logo")
    more = {key: options[key] for key in ("subtitle", "recommended", "reason")} | {"logo": _read(logo) if logo else b""}
    title = options.get("title") or " and ".join(made.labels)
    return board_paper(title, more, made.compared(), estimates, datetime.now(UTC))


def _item(values: Json) -> Json:
    return values if {"spec", "offer"} & set(values) else {"spec": values}


def _read(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_INPUT_BYTES + 1)
    except OSError as error:
        raise CommandError(
            f"{name} cannot be read: {error.strerror}. Name a file that is there.", returncode=2
        ) from error
    if len(data) > MAX_INPUT_BYTES:
        raise CommandError(f"{name} is over {MAX_INPUT_BYTES // 10**6} MB; a design is a few kB.", returncode=2)
    return data
