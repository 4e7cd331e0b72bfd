"""``python -m estimator VERB …``: JSON in, JSON or an export file out, no database. Exit 0 done, 2 refused with the problems.

Every verb says what follows it, and imports what it needs itself, for a fast start.
"""

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from estimator.errors import EstimatorError, Problem, SpecError
from estimator.record import Json

if TYPE_CHECKING:  # a verb loads what it needs
    from estimator.catalog.catalog import Catalog
    from estimator.spec.design import DesignSpec

MAX_INPUT_BYTES = 5_000_000
Run = Callable[[argparse.Namespace], Iterator[bytes]]


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; returns the exit code."""
    try:
        asked = _parser().parse_args(arguments)
        pieces = asked.run(asked)
        first = next(pieces, b"")
    except EstimatorError as error:
        print(json.dumps(error.as_json(), ensure_ascii=False), file=sys.stderr)
        return 2
    try:
        for piece in chain([first], pieces):
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
    except BrokenPipeError:
        pass  # the reader has gone, as with `| head`: nothing is left to say
    return 0


class _Parser(argparse.ArgumentParser):
    """Refuses a wrong command line in the one error shape."""

    def error(self, message: str) -> NoReturn:
        raise SpecError([Problem("", "bad_command", f"{message}. {self.format_usage().strip()}")])


class _Verb(NamedTuple):
    """What a word of the command line runs, and what follows it: names with options of ``add_argument``."""

    run: Run
    purpose: str
    arguments: tuple[tuple[str, Json], ...]


_VERBS: dict[str, _Verb] = {}


def _argument(name: str, **options: Any) -> tuple[str, Json]:
    return name, options


def _verb(purpose: str, *arguments: tuple[str, Json]) -> Callable[[Run], Run]:
    """Make a function a verb of its name."""

    def kept(run: Run) -> Run:
        _VERBS[run.__name__.lstrip("_").replace("_", "-")] = _Verb(run, purpose, arguments)
        return run

    return kept


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m estimator", description="Size, price and predict GPU-cluster networks.")
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
    for name, verb in _VERBS.items():
        added = verbs.add_parser(name, help=verb.purpose)
        added.set_defaults(run=verb.run)
        for argument, options in (*verb.arguments, *([_PARTS] if _SPEC in verb.arguments else [])):
            added.add_argument(argument, **options)
    return parser


_SPEC, _REQUEST = (
    _argument("file", metavar=name, help="a JSON file, or - for standard input") for name in ("SPEC", "REQUEST")
)
_PARTS = _argument("--parts", metavar="FILE", help="JSON of your own parts: switches, nics, servers, cables")
_FABRIC = _argument("--fabric", default="compute", metavar="ROLE", help="compute, or one of the other fabrics by role")


_PHASE = _argument("--phase", type=int, metavar="N", help="of a design with phases: as phase N is built, from 1")


def _format(usual: str, others: str = "another") -> tuple[str, Json]:
    return _argument(
        "--format", default=usual, metavar="FORMAT", help=f"{usual}, or {others} by name; a wrong one lists them"
    )


@_verb(
    "the whole estimate of a design",
    _SPEC,
    _argument("--only", metavar="PARTS", help="counts,links,cables,bom,cost,performance: just those"),
)
def _estimate(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.pipeline import ALL_PARTS, CHANGES, estimate

    parts = ALL_PARTS if asked.only is None else tuple(part.strip() for part in asked.only.split(","))
    unknown = sorted(set(parts) - set(ALL_PARTS))
    if unknown:
        raise SpecError(
            [
                Problem(
                    "--only",
                    "not_a_choice",
                    f"Parts are {', '.join(ALL_PARTS)}, and {', '.join(unknown)} was requested.",
                )
            ]
        )
    catalog = load_catalog()
    (made,) = estimate([_spec_of(asked, catalog)], catalog, (*parts, CHANGES))
    return _json(made.as_json())


@_verb("times of a collective, on a system or on a design", _REQUEST)
def _predict(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.design_prediction import predicted

    return _json(predicted(_read_json(asked.file), load_catalog()))


@_verb("training steps: one layout or the best ones, one request or a list", _REQUEST)
def _train(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.training_request import trained

    return _json(trained(_read_json(asked.file), load_catalog()))


@_verb("serving: what a placement gives, or the best ones, one request or a list", _REQUEST)
def _infer(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.serving_request.answering import served

    return _json(served(_read_json(asked.file), load_catalog()))


@_verb("the best designs for a requirement, and why the others are not", _REQUEST)
def _search(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.pipeline import estimate
    from estimator.search.columns.work import Verbs
    from estimator.search.request import COMMAND_LINE
    from estimator.search.search import search
    from estimator.serving_request.answering import served
    from estimator.training_request import trained

    verbs = Verbs(trained, served)
    return _json(search(_read_json(asked.file), load_catalog(), estimate, COMMAND_LINE, verbs).as_json())


@_verb("figures of a design over values of one or two of its fields", _REQUEST)
def _sweep(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.pipeline import estimate
    from estimator.search.columns.work import Verbs
    from estimator.search.request import COMMAND_LINE
    from estimator.search.sweep import sweep
    from estimator.serving_request.answering import served
    from estimator.training_request import trained

    verbs = Verbs(trained, served)
    return _json(sweep(_read_json(asked.file), load_catalog(), estimate, COMMAND_LINE, verbs).as_json())


@_verb(
    "two to eight designs or offers side by side, with words",
    _argument("files", metavar="SPEC", nargs="+", help="JSON files; one may be - for standard input"),
    _argument("--baseline", metavar="N", default=0, type=int, help="which one, from 0, the others are compared with"),
)
def _compare(asked: argparse.Namespace) -> Iterator[bytes]:
    """A file holds a design, or an item of a comparison: ``{"label", "spec"}`` or ``{"label", "offer"}``."""
    from estimator.catalog.loader import load_catalog
    from estimator.compare.comparison import compare_request
    from estimator.compare.request import MOST

    found = [_read_json(name) for name in asked.files[: MOST + 1]]
    items = [one if isinstance(one, dict) and {"spec", "offer"} & set(one) else {"spec": one} for one in found]
    return _json(compare_request({"items": items, "baseline": asked.baseline}, load_catalog()).as_json())


@_verb(
    "constants of a site from logs of nccl-tests or rccl-tests, and what is wrong",
    _argument(
        "logs",
        metavar="LOG",
        nargs="+",
        help="what the tests, perftest, nvbandwidth or ClusterKit printed; several",
    ),
    _argument("--system", metavar="FILE", help="JSON: keys of a prediction's system that the logs do not say"),
    _argument("--fit-faulty", action="store_true", help="fit logs and use paths that look faulty, too"),
)
def _calibrate(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.calibration.logs.read import MAX_LOG_BYTES
    from estimator.calibration.site_fit import MAX_LOGS, calibrate
    from estimator.catalog.loader import load_catalog

    files = _read_files(asked.logs[: MAX_LOGS + 1], MAX_LOG_BYTES, "Name logs of nccl-tests or rccl-tests.")
    system = _read_json(asked.system) if asked.system else {}
    if asked.fit_faulty and isinstance(system, dict):
        system = {**system, "fit_faulty": True}
    return _json(calibrate(list(files), system, load_catalog()).as_json())


@_verb(
    "the catalog's records",
    _argument("kind", metavar="KIND", nargs="?", help="one kind of record; without it, all kinds"),
)
def _catalog(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.catalog import KINDS
    from estimator.catalog.loader import load_catalog
    from estimator.workloads.models.listing import KIND as MODELS
    from estimator.workloads.models.listing import model_records, models_version

    kinds = (*KINDS, MODELS)
    if asked.kind is not None and asked.kind not in kinds:
        raise SpecError(
            [Problem("KIND", "not_a_choice", f"Kinds are {', '.join(kinds)}, and {asked.kind} was requested.")]
        )
    if asked.kind == MODELS:
        return _json({"version": models_version(), "kind": MODELS, "records": model_records()})
    catalog = load_catalog()
    if asked.kind:
        return _json({"version": catalog.version, "kind": asked.kind, "records": catalog.records(asked.kind)})
    records = {kind: catalog.records(kind) for kind in KINDS}
    return _json({"version": catalog.version, **records, MODELS: model_records()})


@_verb(
    "whether a transceiver or cable goes into a switch, NIC or server, and why not",
    _argument("part", metavar="PART", help="id of a transceiver or cable"),
    _argument("place", metavar="PLACE", help="id of a switch, NIC or server"),
)
def _fit(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.cabling.compatibility import fit_by_id
    from estimator.catalog.loader import load_catalog

    return _json(
        {"part": asked.part, "place": asked.place, **fit_by_id(asked.part, asked.place, load_catalog()).as_json()}
    )


@_verb("the port-to-port list, as a file that other tools read", _SPEC, _format("csv"), _FABRIC, _PHASE)
def _links(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.handoff.formats import format_named
    from estimator.handoff.phases import links_at

    file_format, catalog = format_named(asked.format), load_catalog()
    return file_format.write(links_at(_spec_of(asked, catalog), catalog, asked.fabric, asked.phase))


@_verb(
    "a design that grows: what each phase buys, costs, rewires and leaves unused",
    _SPEC,
    _format("json", "csv, csv-years, csv-cables"),
)
def _phases(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.handoff.phases import phase_format
    from estimator.spec.parse import parse_spec

    file_format, catalog = phase_format(asked.format), load_catalog()
    return file_format.write(parse_spec(_read_json(asked.file), catalog), catalog)


@_verb(
    "files that put the ranks of a layout on a design's links",
    _SPEC,
    _argument("layout", metavar="LAYOUT", help="a JSON file: parallel, layout, or prefill and decode"),
    _format("summary"),
    _argument("--archive", choices=["zip"], help="all files of the placement in one"),
)
def _place(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.handoff.launch.formats import archive, launch_format
    from estimator.handoff.launch.making import placed_job

    file_format, catalog = launch_format(asked.format), load_catalog()
    job = placed_job(_spec_of(asked, catalog), _read_json(asked.layout), catalog)
    return iter([archive(job)]) if asked.archive else file_format.write(job)


@_verb(
    "what the built network must deliver, gate by gate, and whether it does",
    _SPEC,
    _argument(
        "--results", metavar="FILE", nargs="+", default=[], help="logs of the gates' commands, or zip archives of them"
    ),
    _format("json"),
)
def _accept(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.bringup.acceptance.design import accepted
    from estimator.bringup.acceptance.exports.formats import acceptance_format
    from estimator.bringup.acceptance.readers.upload import MAX_FILE_BYTES, MAX_FILES
    from estimator.catalog.loader import load_catalog

    file_format, catalog = acceptance_format(asked.format), load_catalog()
    spec = _spec_of(asked, catalog)
    files = _read_files(asked.results[: MAX_FILES + 1], MAX_FILE_BYTES, "Name results of the gates' commands.")
    contract, answer = accepted(spec, catalog, files)
    return file_format.write(contract, answer)


@_verb(
    "what the devices have to be set to, each value with its source",
    _SPEC,
    _argument("--plan", action="store_true", help="the typed plan as JSON; so too without a target"),
    _argument("--target", metavar="TARGET", help="the main file of a target; a wrong name lists them"),
    _argument("--file", dest="wanted", metavar="NAME", help="another file of the target; a wrong name lists them"),
    _argument("--archive", choices=["zip"], help="all files of the target in one, or of all targets"),
    _argument("--since", metavar="SPEC", help="what is set otherwise than in this earlier state, and why"),
    _argument(
        "--addressing", default="port", metavar="WAY", help="port: a /31 a node port (default); rail: a subnet a leaf"
    ),
    _argument(
        "--data-class",
        default="lossless",
        metavar="CLASS",
        help="lossless: PFC (default); trimming: lossy with packet trimming",
    ),
    _argument(
        "--weeks", type=float, default=6.0, metavar="N", help="of work at the site, for the crews of the checklist (6)"
    ),
)
def _bringup(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.bringup.changes.changes import changed_settings
    from estimator.bringup.plan.choices import choices
    from estimator.bringup.plan.design import plan_of
    from estimator.bringup.renderings.targets import archive, file_of, plan_answer, target_named
    from estimator.catalog.loader import load_catalog

    if asked.target:
        target_named(asked.target)  # refused before the design is worked out
    chosen = choices(asked.addressing, asked.data_class, asked.weeks)
    catalog = load_catalog()
    plan = plan_of(_spec_of(asked, catalog), catalog, chosen)
    if asked.since:
        before = plan_of(_spec_of(asked, catalog, asked.since), catalog, chosen)
        return _json(changed_settings(before, plan).as_json())
    if asked.archive:
        return archive(plan, asked.target)
    if asked.plan or not asked.target:
        return _json(plan_answer(plan).as_json())
    return iter([file_of(plan, asked.target, asked.wanted).text.encode()])


@_verb(
    "what a crew takes into the hall, as a zip: elevations, labels, orders, cables by rack and bundle, HCA map",
    _SPEC,
    _argument("--file", dest="wanted", metavar="NAME", help="one file alone; a wrong name lists them"),
)
def _crew_pack(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.bringup.crew_pack.pack import archive, crew_file, crew_of, written
    from estimator.catalog.loader import load_catalog
    from estimator.spec.parse import parse_spec

    if asked.wanted:
        crew_file(asked.wanted)  # refused before the design is worked out
    catalog = load_catalog()
    crew = crew_of(parse_spec(_read_json(asked.file), catalog), catalog)
    return written(crew, asked.wanted) if asked.wanted else archive(crew)


@_verb(
    "settings that devices have, against the plan and each other",
    _SPEC,
    _argument("files", metavar="FILE", nargs="+", help="what a device printed; leaf-r1-001:FILE says whose it is"),
    _argument("--addressing", default="port", metavar="WAY", help="as of bringup: port (default) or rail"),
    _argument(
        "--data-class", default="lossless", metavar="CLASS", help="as of bringup: lossless (default) or trimming"
    ),
)
def _check_settings(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.bringup.check.check import checked_settings
    from estimator.bringup.check.texts.archives import MAX_ARCHIVE_BYTES
    from estimator.bringup.check.upload import MAX_FILES, owned
    from estimator.bringup.plan.choices import choices
    from estimator.catalog.loader import load_catalog

    chosen = choices(asked.addressing, asked.data_class)
    catalog = load_catalog()
    spec = _spec_of(asked, catalog)
    names = [owned(name, Path(name).exists()) for name in asked.files[: MAX_FILES + 1]]
    contents = _read_files([file for _, file in names], MAX_ARCHIVE_BYTES, "Name files that devices printed.")
    files = (
        (f"{owner}:{name}" if owner else name, data) for (owner, _), (name, data) in zip(names, contents, strict=True)
    )
    return _json(checked_settings(spec, files, catalog, chosen).as_json())


@_verb(
    "the links of a dump, topology, sheet or cable export against the design's",
    _SPEC,
    _argument("links", metavar="FILE", help="ibnetdiscover dump, .topo, CSV or XLSX sheet, NetBox export"),
    _format("auto", "a format"),
    _FABRIC,
    _PHASE,
    _argument("--names", metavar="CSV", help="two columns: a device's name in FILE, its name in the design"),
)
def _compare_links(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.asbuilt.report import compare_links
    from estimator.catalog.loader import load_catalog
    from estimator.handoff.phases import links_at

    catalog = load_catalog()
    links = links_at(_spec_of(asked, catalog), catalog, asked.fabric, asked.phase)
    with _reading("Name a file of links, and with --names one of names."):
        names = Path(asked.names).read_bytes() if asked.names else b""
        with Path(asked.links).open("rb") as file:
            return _json(compare_links(links, file, asked.format, names).as_json())


@_verb(
    "the networks of a dump, topology, sheet or cable export, each as the nearest design",
    _argument(
        "links", metavar="FILE", help="ibnetdiscover or iblinkinfo dump, .topo, CSV or XLSX sheet, NetBox export"
    ),
    _format("auto", "a format"),
    _argument("--network", metavar="N", type=int, help="the design of network N alone, which estimate and links take"),
    _argument(
        "--servers",
        metavar="NAMES",
        default="",
        help="names of servers where FILE does not say which devices are: 'gpu*,login*'",
    ),
)
def _dump(asked: argparse.Namespace) -> Iterator[bytes]:
    """All networks with what the file says of them; with --network nothing but that one's design."""
    from estimator.asbuilt.dump import read_dump
    from estimator.asbuilt.kinds import patterns_of
    from estimator.catalog.loader import load_catalog

    with _reading("Name a file of links."), Path(asked.links).open("rb") as file:
        found = read_dump(
            file, load_catalog(), asked.network, file_format=asked.format, servers=patterns_of(asked.servers)
        )
    return _json(dict(found.networks[0].spec) if asked.network is not None else found.as_json())


@_verb(
    "a vendor's quote against the design's bill of materials",
    _SPEC,
    _argument("quote", metavar="FILE", help="the quote: XLSX, CSV or PDF with text"),
    _argument(
        "--columns",
        metavar="JSON",
        help='which column is what, and what comes off each price in per cent: {"fields": {"quantity": "D", …}, "discount": 30}',
    ),
)
def _quote(asked: argparse.Namespace) -> Iterator[bytes]:
    from estimator.catalog.loader import load_catalog
    from estimator.designs.parts import catalog_of
    from estimator.pipeline import estimate
    from estimator.quotes.check import read_quote, report_of
    from estimator.tables.file import MAX_FILE_BYTES

    catalog = load_catalog()
    spec = _spec_of(asked, catalog)
    columns = _read_json(asked.columns) if asked.columns else None
    ((name, data),) = _read_files([asked.quote], MAX_FILE_BYTES, "Name a quote as XLSX, CSV or PDF.")
    quote = read_quote(data, name, columns)
    (made,) = estimate([spec], catalog, ("bom",))
    own = spec.economics.prices
    rates = own.exchange(catalog) if own else None
    report = report_of(quote, made.bom.lines if made.bom else (), catalog_of(spec, catalog), rates)
    return _json({"columns": [one.as_json() for one in quote.columns], **report.as_json()})


@contextmanager
def _reading(way_out: str) -> Iterator[None]:
    """Refuses a file that cannot be read."""
    try:
        yield
    except OSError as error:
        message = f"{error.filename}: {error.strerror}. {way_out}"
        raise SpecError([Problem("", "cannot_read", message)]) from None


def _read_files(names: list[str], most_bytes: int, way_out: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each file, one at a time; of one that is too big a byte more than the most, for its reader to refuse."""
    for name in names:
        with _reading(way_out), Path(name).open("rb") as file:
            data = file.read(most_bytes + 1)
        yield Path(name).name, data


def _json(answer: Json | list[Json]) -> Iterator[bytes]:
    """One JSON document and the end of its line."""
    yield json.dumps(answer, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _spec_of(asked: argparse.Namespace, catalog: "Catalog", name: str | None = None) -> "DesignSpec":
    """The design of the verb's file, with the own parts of another file behind those that it brings itself."""
    from estimator.spec.parse import parse_spec

    values = _read_json(name or asked.file)
    if asked.parts:
        values = _with_parts(values, _read_json(asked.parts))
    return parse_spec(values, catalog)


def _with_parts(values: Any, parts: Any) -> Any:
    if not isinstance(values, dict):
        return values
    if not isinstance(parts, dict):
        message = 'The file holds an object of lists: {"switches": [], "nics": [], "servers": [], "cables": []}.'
        raise SpecError([Problem("--parts", "wrong_type", message)])
    mine = values.get("own_parts") or {}
    if not isinstance(mine, dict) or not all(isinstance(one, list) for one in (*mine.values(), *parts.values())):
        return {**values, "own_parts": parts}  # refused by the rules of a request
    return {**values, "own_parts": {kind: [*mine.get(kind, ()), *parts.get(kind, ())] for kind in {**mine, **parts}}}


def _read_json(name: str) -> Any:
    """The JSON of a file or of standard input, refused early where it is too big, too deep or no JSON."""
    shown = "Standard input" if name == "-" else name
    if name == "-":
        data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    else:
        ((_, data),) = _read_files([name], MAX_INPUT_BYTES, "Name a JSON file, or - for standard input.")
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


class _NoPlugins(ModuleType):
    """In the place of pydantic's module that looks for plugins."""

    get_plugins = tuple


if __name__ == "__main__":
    # starting makes many objects and next to no garbage: looking for it takes a seventh of the time
    gc.set_threshold(1_000_000)
    # numpy would start a thread for each core as it is imported, and products here are too small for any
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic would load what reads the metadata of installed packages (mail, sockets, archives) to look for plugins, and
    # read that of each: none is wanted. The setting stands for the day on which its module has another name.
    sys.modules["pydantic.plugin._loader"] = _NoPlugins("pydantic.plugin._loader")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    code = main()
    # all is written and nothing is open: taking each object apart would be a tenth of the time
    os._exit(code)
