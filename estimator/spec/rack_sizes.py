"""A size given in racks: what does not agree with the server, or with nodes and GPUs given beside it."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem
from estimator.spec.design import Compute
from estimator.units import ceil_div, counted


def rack_problems(compute: Compute, gpus_per_node: int, catalog: Catalog) -> Iterator[Problem]:
    """Racks need a server that comes in them, and agree with what else says the size."""
    if compute.racks is None or compute.server in catalog.racks:
        return
    rack, server = catalog.rack_of(compute.server), catalog.server(compute.server)
    if rack is None:
        yield _no_rack(compute, compute.racks, catalog)
        return
    trays = compute.racks * rack.n_trays
    named = f"{counted(compute.racks, 'rack')} of {rack.n_trays} trays are {counted(trays, 'tray')}"
    if compute.nodes is not None and compute.nodes != trays:
        message = f"{named}, and {counted(compute.nodes, 'tray')} were requested. Give racks, nodes or gpus."
        yield Problem("compute.racks", "contradiction", message, {"compute.racks": compute.racks})
    elif compute.gpus is not None and ceil_div(compute.gpus, gpus_per_node) != trays:
        each = server.gpu_count if server else gpus_per_node
        message = (
            f"{named} with {counted(trays * each, 'GPU')}, and {counted(compute.gpus, 'GPU')} were requested. Give racks, "
            "nodes or gpus."
        )
        yield Problem("compute.racks", "contradiction", message, {"compute.racks": compute.racks})


def _no_rack(compute: Compute, racks: int, catalog: Catalog) -> Problem:
    server = catalog.server(compute.server)
    name = server.model if server else "A custom server"
    trays = ", ".join(catalog.servers[rack.tray_id].model for rack in catalog.racks.values())
    message = f"{name} is no part of a rack that is bought whole: give nodes or gpus. These come in racks: {trays}."
    change = {"compute.nodes": racks * server.per_rack} if server and server.per_rack else None
    return Problem("compute.racks", "no_rack_system", message, change)
