"""Findings about racks that are bought whole: a last one with free places."""

from collections.abc import Iterator

from estimator.findings.finding import Finding
from estimator.floor.whole_racks import WholeRacks
from estimator.units import counted


def about_racks(racks: WholeRacks) -> Iterator[Finding]:
    """A last rack with free places, and the whole numbers of racks above and below."""
    each, over = racks.system.n_trays, racks.n_trays % racks.system.n_trays
    if not over:
        return
    gpus = each * racks.tray.gpu_count
    sizes = [f"{counted(n, 'rack')} ({counted(n * gpus, 'GPU')})" for n in (racks.n_racks, racks.n_full) if n]
    full = (
        f"fill {counted(racks.n_full, 'rack')} of {each} and {over} of {each} places"
        if racks.n_full
        else (f"take {over} of {each} places")
    )
    message = (
        f"{counted(racks.n_trays, 'compute tray')} {full} of {'one more, which' if racks.n_full else 'a rack that'} is bought "
        f"whole in switch trays, power shelves and frame: {' or '.join(sizes)}?"
    )
    yield Finding("rack_partial", "warning", "compute.racks", message)
