"""The port-to-port list as CSV: UTF-8, RFC 4180, one row a link, written as it is made.

The first line is the columns' names. Columns of the file's origin come last and are filled in on the first row alone, as
they would be half of the file on every one.
"""

from collections.abc import Iterator

from estimator.cabling.links import COLUMNS, LinkList, LinkRow
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.stamp import origin


def write(links: LinkList) -> Iterator[str]:
    """Header and first row, then blocks of rows."""
    stamp = origin(links)
    return csv_blocks((*COLUMNS, *stamp), _stamped(safe_rows(links), tuple(stamp.values())))


def _stamped(rows: Iterator[tuple[Cell, ...]], stamp: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
    empty = (None,) * len(stamp)
    for number, row in enumerate(rows):
        yield row + (empty if number else stamp)


def safe_rows(links: LinkList) -> Iterator[LinkRow]:
    """The list's rows without a formula; only labels and names of parts are text that a catalog may spell as it likes."""
    labels = {label for kind in links.labels.values() for column in (kind.cages, *kind.lanes) for label in column}
    labels |= {name for run in links.plan.runs if run.choice for name in run.choice.names if name}
    if all(guarded(label) == label for label in labels):
        yield from links.rows()
    else:
        yield from (LinkRow._make(map(guarded, row)) for row in links.rows())
