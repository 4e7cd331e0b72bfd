"""The fabric tab: which picture is drawn, what stands around it, and the same picture as a file."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString, mark_safe

from designer.drawings.blocks import draw_view
from designer.drawings.fabrics import USUAL_BYTES, Diagram, diagram_of
from designer.drawings.node import draw_host, draw_node, shown_adapters
from designer.drawings.overview import names_of
from designer.drawings.panel import draw_list, draw_panel
from designer.drawings.query import Asked, asked_of
from designer.drawings.scene import Scene
from designer.drawings.tables import bundle_rows, device_details, port_rows
from designer.drawings.words import HEADS, MODES, axis_name, scope_title
from designer.exports.file_names import design_file_stem
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from estimator.catalog.ports import COMPUTE
from estimator.diagrams.data import MOST_LISTED, fabric_view, listed
from estimator.diagrams.failure import Down, down_of, impact_of
from estimator.diagrams.load import PATTERNS
from estimator.diagrams.node import inside_of
from estimator.diagrams.ports import host_ports_of, panel_of
from estimator.diagrams.scope import Scope, address_of, examples, home_of, near_names, near_parts, scope_of
from estimator.errors import EstimatorError
from estimator.fabric.devices import LEAF, NODE, SWITCH_KINDS
from estimator.jobs.models import EstimateJob
from estimator.record import Given
from estimator.result import PricedEstimate

COLLECTIVES = {"all_reduce": "All-reduce", "alltoall": "All-to-all"}  # whose speed after a loss is reported


@dataclass(frozen=True)
class Picture:
    """A drawn picture with its twin in rows, and the window that it shows of many parts."""

    svg: str
    table: Context
    n_parts: int = 1
    start: int = 0
    step: int = 1
    axes: tuple[str, ...] = ()
    axis: str = ""
    n_glyphs: int = 0


def fabric_context(job: EstimateJob, estimate: PricedEstimate, page: ShownPage, query: Given) -> Context:
    """All that the fabric tab shows."""
    roles = tuple(estimate.fabrics)
    asked = asked_of(query, roles)
    base = {"role": asked.role, "roles": roles, "view": None, "asked": asked}
    try:
        diagram = diagram_of(job, asked.role)
        scope, found = _sought(asked, diagram)
        asked = replace(asked, at=address_of(scope, diagram.places))
        down, unknown = down_of(asked.down, diagram.table.devices)
        scene = scene_of(diagram, asked, down, estimate, lambda **changes: asked.href(page, **changes))
        picture = picture_of(diagram, scene, scope, asked)
    except EstimatorError as error:
        return base | {"cannot": [problem.message for problem in error.problems]}
    return (
        base
        | found
        | {
            "asked": asked,
            "crumbs": _crumbs(scope, diagram),
            "title": scope_title(scope, diagram.places),
            "drawing": _safe(picture.svg),
            "twin": picture.table,
            "n_glyphs": picture.n_glyphs,
            "modes": [
                {"name": name, "query": asked.query(colour=key), "is_on": key == asked.colour}
                for key, name in MODES.items()
            ],
            "cuts": _cuts(picture, asked, diagram),
            "window": _window(picture, asked),
            "fabrics": [
                {"name": role, "query": asked.query(fabric=role), "is_on": role == asked.role} for role in roles
            ],
            "examples": examples(diagram.places),
            "file_query": asked.query(),
            "picture": _picture_name(asked),
            "up": asked.query(at=_parent(scope, diagram)) if asked.at else None,
            "toggle": _toggle(scope, diagram, asked),
            "lost": _lost(diagram, down, unknown, asked, estimate) if asked.colour == "failure" or down else None,
        }
    )


def fabric_file(job: EstimateJob, estimate: PricedEstimate, query: Given) -> tuple[str, str]:
    """(name, SVG) of the picture that a query asks for, as a file: its glyphs are no links, and it has a heading.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    """
    asked = asked_of(query, tuple(estimate.fabrics))
    diagram = diagram_of(job, asked.role)
    scope, _ = _sought(asked, diagram)
    asked = replace(asked, at=address_of(scope, diagram.places))
    down, _ = down_of(asked.down, diagram.table.devices)
    heading = f"{(estimate.spec.name or 'Design')[:60]} · {asked.role} network"
    scene = replace(scene_of(diagram, asked, down, estimate, lambda **_: None), heading=heading)
    svg = picture_of(diagram, scene, scope, asked).svg
    return f"{design_file_stem(job.name, job.spec_hash, _picture_name(asked))}.svg", svg


def _picture_name(asked: Asked) -> str:
    """What a picture shows, for the name of its file: "fabric-compute-node-0042"."""
    return "-".join(filter(None, ["fabric", asked.role, *asked.at.split("/")]))


def found_query(context: Given) -> dict[str, str] | None:
    """The query of what was searched for and found, which names it by its address; None where nothing was searched for."""
    asked = context.get("asked")
    if asked is None or not asked.find or context.get("is_not_found", True):
        return None
    query: dict[str, str] = asked.query()
    return query


def _safe(svg: str) -> SafeString:
    return mark_safe(svg)  # noqa: S308 - every text in it went through escape()


def _sought(asked: Asked, diagram: Diagram) -> tuple[Scope, Context]:
    """The part that is requested, by its address or by what was typed; names like it where there is none such."""
    typed = asked.find or asked.at
    scope = scope_of(typed, diagram.places) or scope_of(typed.replace(" ", "-"), diagram.places)
    if scope is not None:
        return scope, {"find": "", "is_not_found": False, "near": []}
    near = near_parts(typed.replace(" ", "-"), diagram.places) or near_names(typed, diagram.table.devices.names)
    return Scope(), {
        "find": typed,
        "is_not_found": True,
        "near": [{"name": name, "query": asked.query(at=name)} for name in near],
    }


def scene_of(
    diagram: Diagram, asked: Asked, down: Down, estimate: PricedEstimate, href: Callable[..., str | None]
) -> Scene:
    """How the pictures of one address are coloured, and where their glyphs lead."""
    uplinks = estimate.fabrics[asked.role].uplinks
    into = (uplinks.into if uplinks else None) or ""
    return Scene(diagram.places, asked.role, asked.colour, down, part_names(estimate, asked.role), href, into=into)


def part_names(estimate: PricedEstimate, role: str) -> dict[str, str]:
    """Kind of device → what its parts are called; custom parts are left out."""
    ids = {kind: switch.part for kind, switch in estimate.fabrics[role].switches.items()}
    if role == COMPUTE:
        ids[NODE] = estimate.spec.compute.server
    return names_of(ids, estimate)


# ---------------------------------------------------------------- pictures


def picture_of(diagram: Diagram, scene: Scene, scope: Scope, asked: Asked) -> Picture:
    """The picture of a part, of a list, of a switch or of a server."""
    if scope.roster:
        return _list(diagram, scene, scope, asked)
    if scope.device is None:
        return _parts(diagram, scene, scope, asked)
    kind = diagram.table.devices.kind(scope.device)
    return (
        _switch(diagram, scene, scope.device, asked)
        if kind in SWITCH_KINDS
        else _host(diagram, scene, scope.device, asked)
    )


def _parts(diagram: Diagram, scene: Scene, scope: Scope, asked: Asked) -> Picture:
    traffic = diagram.traffic(asked.colour) if asked.colour in PATTERNS else None
    view = fabric_view(diagram.places, scope, asked.by, asked.start, traffic, scene.down, scene.into or None)
    svg, pen = draw_view(scene, view)
    left_out = sum(box.n_parts for box in view.boxes if box.is_rest and box.kind == LEAF)
    step = view.n_parts - left_out  # parts that are drawn
    return Picture(svg, bundle_rows(scene, view), view.n_parts, view.start, step, view.axes, view.axis, pen.n_glyphs)


def _list(diagram: Diagram, scene: Scene, scope: Scope, asked: Asked) -> Picture:
    devices, start, total = listed(diagram.places, scope, asked.start)
    details = device_details(scene, devices.tolist())
    svg, pen = draw_list(scene, devices.tolist(), total, scope_title(scope, diagram.places), details)
    rows = [
        {"name": scene.name(device), "at": scene.name(device), "words": details[device]} for device in devices.tolist()
    ]
    table = {"kind": "devices", "head": HEADS[scope.roster], "rows": rows}
    return Picture(svg, table, total, start, MOST_LISTED, n_glyphs=pen.n_glyphs)


def _switch(diagram: Diagram, scene: Scene, device: int, asked: Asked) -> Picture:
    panel = panel_of(diagram.links, device, asked.start)
    svg, pen = draw_panel(scene, panel, device, scene.part_names.get(panel.kind, "custom switch"))
    ports = [port for cage in panel.cages for port in cage.ports]
    return Picture(
        svg, port_rows(ports, panel.kind), panel.n_cages, panel.start, panel.cages_a_page, n_glyphs=pen.n_glyphs
    )


def _host(diagram: Diagram, scene: Scene, device: int, asked: Asked) -> Picture:
    ports = host_ports_of(diagram.links, device)
    table = port_rows(list(ports), NODE)
    if asked.role != COMPUTE or diagram.table.devices.kind(device) != NODE:
        svg, pen = draw_host(scene, device, ports)
        return Picture(svg, table, n_glyphs=pen.n_glyphs)
    inside = inside_of(diagram.spec, ports, diagram.catalog)
    adapters, start = shown_adapters(inside, asked.start)
    svg, pen = draw_node(scene, device, inside, asked.start)
    return Picture(svg, table, len(inside.adapters), start, max(len(adapters), 1), n_glyphs=pen.n_glyphs)


# ---------------------------------------------------------------- what stands around a picture


def _parent(scope: Scope, diagram: Diagram) -> str:
    """The address one step up; a device's is the smallest part that it is in."""
    if scope.device is not None:
        return address_of(home_of(scope.device, diagram.places), diagram.places)
    return address_of(scope.parent, diagram.places)


def _crumbs(scope: Scope, diagram: Diagram) -> list[dict[str, str]]:
    """The way from the whole fabric down to the picture; the last one is the picture itself."""
    places = diagram.places
    outer = home_of(scope.device, places) if scope.device is not None else scope
    steps = [Scope(outer.on[:n]) for n in range(len(outer.on) + 1)]
    if scope.roster or scope.device is not None:
        steps.append(scope)
    out = []
    for step in steps:
        title = scope_title(
            Scope(step.on[-1:]) if step.on and not step.roster and step.device is None else step, places
        )
        out.append({"title": HEADS[step.roster] if step.roster else title, "at": address_of(step, places)})
    return out


def _toggle(scope: Scope, diagram: Diagram, asked: Asked) -> Context | None:
    """The way to take the switch that is shown down, or to bring it back; None for anything else."""
    if scope.device is None or diagram.table.devices.kind(scope.device) not in SWITCH_KINDS:
        return None
    name = diagram.table.devices.names[scope.device]
    is_down = name in asked.down
    down = [one for one in asked.down if one != name] if is_down else [*asked.down, name]
    return {"is_down": is_down, "query": asked.query(colour="failure", down=down)}


def _cuts(picture: Picture, asked: Asked, diagram: Diagram) -> list[Context]:
    """What can stand side by side; nothing where there is no choice."""
    if len(picture.axes) < 2:
        return []
    return [
        {
            "name": axis_name(axis, diagram.places, many=True).capitalize(),
            "query": asked.query(by=axis),
            "is_on": axis == picture.axis,
        }
        for axis in picture.axes
    ]


def _window(picture: Picture, asked: Asked) -> Context | None:
    """The window before and after this one; None where all parts are shown."""
    if picture.n_parts <= picture.step and not picture.start:
        return None
    before, after = picture.start - picture.step, picture.start + picture.step
    previous = asked.query(start=max(before, 0)) if picture.start else None
    following = asked.query(start=after) if after < picture.n_parts else None
    if previous is None and following is None:
        return None
    return {
        "previous": previous,
        "next": following,
        "first": picture.start + 1,
        "last": min(after, picture.n_parts),
        "n_parts": picture.n_parts,
    }


def _lost(diagram: Diagram, down: Down, unknown: list[str], asked: Asked, estimate: PricedEstimate) -> Context | None:
    """What is down, with the way to bring each back; and what that costs."""
    names = [name for name in asked.down if name not in unknown]
    listed_down = [
        {"name": name, "query": asked.query(down=[other for other in names if other != name])} for name in names
    ]
    out: Context = {
        "down": listed_down,
        "unknown": unknown,
        "none": asked.query(down=()),
        "impact": None,
        "busbw": [],
    }
    if not down:
        return out
    impact = impact_of(diagram.table, down)
    all_reduce = estimate.performance.all_reduce
    message_bytes = all_reduce.message_bytes[-1] if all_reduce and all_reduce.message_bytes else USUAL_BYTES
    predicted = [
        (name, diagram.busbw_with(impact, message_bytes, collective)) for collective, name in COLLECTIVES.items()
    ]
    return out | {"impact": impact, "busbw": [{"name": name, **busbw} for name, busbw in predicted if busbw]}
