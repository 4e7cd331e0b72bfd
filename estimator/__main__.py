"""``python -m estimator VERB …``: JSON in, JSON out, no database. Exit 0 done, 2 refused with the problems."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from estimator.errors import EstimatorError, Problem, SpecError

MAX_INPUT_BYTES = 5_000_000


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; returns the exit code."""
    try:
        asked = _parser().parse_args(arguments)
        answer = asked.run(asked)
    except EstimatorError as error:
        print(json.dumps(error.as_json(), ensure_ascii=False), file=sys.stderr)
        return 2
    try:
        json.dump(answer, sys.stdout, ensure_ascii=False, allow_nan=False)
        sys.stdout.write("\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone, as with `| head`: nothing is left to say
    return 0


class _Parser(argparse.ArgumentParser):
    """Refuses a wrong command line in the one error shape."""

    def error(self, message: str) -> NoReturn:
        raise SpecError([Problem("", "bad_command", f"{message}. {self.format_usage().strip()}")])


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m estimator", description="Size, price and predict GPU-cluster networks.")
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
    verb = verbs.add_parser("estimate", help="the whole estimate of a design")
    verb.add_argument("file", metavar="SPEC", help="a JSON file, or - for standard input")
    verb.add_argument("--only", metavar="PARTS", help="counts,links,cables,bom,cost,performance: just those")
    verb.set_defaults(run=_estimate)
    verb = verbs.add_parser("predict", help="times of a collective")
    verb.add_argument("file", metavar="REQUEST", help="a JSON file, or - for standard input")
    verb.set_defaults(run=_predict)
    verb = verbs.add_parser("catalog", help="the catalog's records")
    verb.add_argument("kind", metavar="KIND", nargs="?", help="one kind of record; without it, all kinds")
    verb.set_defaults(run=_catalog)
    return parser


def _estimate(asked: argparse.Namespace) -> dict[str, Any]:
    from estimator.catalog.loader import load_catalog
    from estimator.pipeline import ALL_PARTS, estimate
    from estimator.spec import parse_spec

    parts = ALL_PARTS if asked.only is None else tuple(part.strip() for part in asked.only.split(","))
    unknown = sorted(set(parts) - set(ALL_PARTS))
    if unknown:
        raise SpecError(
            [
                Problem(
                    "--only",
                    "not_a_choice",
                    f"Parts are {', '.join(ALL_PARTS)}, and {', '.join(unknown)} was asked for.",
                )
            ]
        )
    catalog = load_catalog()
    (made,) = estimate([parse_spec(_read_json(asked.file), catalog)], catalog, parts)
    return made.as_json()


def _predict(asked: argparse.Namespace) -> dict[str, Any]:
    from estimator.catalog.loader import load_catalog
    from estimator.prediction import predict

    return predict(_read_json(asked.file), load_catalog())


def _catalog(asked: argparse.Namespace) -> dict[str, Any]:
    from estimator.catalog.loader import KINDS, load_catalog

    if asked.kind is not None and asked.kind not in KINDS:
        raise SpecError(
            [Problem("KIND", "not_a_choice", f"Kinds are {', '.join(KINDS)}, and {asked.kind} was asked for.")]
        )
    catalog = load_catalog()
    if asked.kind:
        return {"version": catalog.version, "kind": asked.kind, "records": catalog.records(asked.kind)}
    return {"version": catalog.version, **{kind: catalog.records(kind) for kind in KINDS}}


def _read_json(name: str) -> Any:
    """The JSON of a file or of standard input, refused early where it is too big, too deep or no JSON."""
    shown = "Standard input" if name == "-" else name
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_INPUT_BYTES + 1)
    except OSError as error:
        raise SpecError(
            [Problem("", "cannot_read", f"{shown}: {error.strerror}. Name a JSON file, or - for standard input.")]
        ) from None
    if len(data) > MAX_INPUT_BYTES:
        raise SpecError(
            [Problem("", "too_large", f"{shown} is over {MAX_INPUT_BYTES // 10**6} MB; a request is a few kB.")]
        )
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise SpecError(
            [Problem("", "too_deep", f"{shown} nests too many objects and lists; a request needs four.")]
        ) from None
    except ValueError as error:
        why = "it has a number of thousands of digits" if "int_max_str_digits" in str(error) else str(error)[:200]
        raise SpecError([Problem("", "not_json", f"{shown} is not JSON: {why}.")]) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


if __name__ == "__main__":
    sys.exit(main())
