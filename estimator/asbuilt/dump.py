"""A dump of what is built as designs: what command line and REST answer, a design for every network of the file."""

from collections.abc import Mapping, Sequence
from typing import IO, Annotated

from estimator.asbuilt.readers.files import AUTO, MAX_FILE_BYTES, read_links
from estimator.asbuilt.readers.found import FoundLinks
from estimator.asbuilt.to_spec import NAME, DumpDesign, designs_of_dump, network_of
from estimator.catalog.catalog import Catalog
from estimator.record import Given, Record


class DumpFigure(Record):
    """A count of the file, and what the nearest design has."""

    key: str
    in_file: int
    in_design: int


class DumpNetwork(Record):
    """One network of the file, which no switch joins to another, and the design nearest to it."""

    number: int
    """From 1, the network with most links first."""
    spec: Annotated[Given, {"$ref": "#/components/schemas/DesignSpec"}]
    figures: Sequence[DumpFigure]
    differences: int
    """Figures that the design does not meet."""
    reported: Sequence[str]
    """What the file says of it."""
    unreported: Sequence[str]
    """What it leaves open."""


class Dump(Record):
    """What was read of a file of links, and its networks as designs."""

    format: str
    listings: int
    """Lines with a link."""
    devices: int
    dropped_total: int
    dropped_by_reason: Mapping[str, int]
    networks: Sequence[DumpNetwork]


def read_dump(
    file: IO[bytes],
    catalog: Catalog,
    network: int | None = None,
    name: str = NAME,
    file_format: str = AUTO,
    max_bytes: int = MAX_FILE_BYTES,
    servers: Sequence[str] = (),
) -> Dump:
    """Every network of a file as the nearest design.

    Parameters
    ----------
    file : binary file that can seek
    network : one of them alone, from 1; None for all
    name : what the first design is called
    file_format : "auto" or one of readers.files.FORMATS
    max_bytes : the largest file that is read [B]
    servers : patterns of the names of servers, where the file does not say which devices are

    Raises
    ------
    SpecError
        For a network that the file does not have; as UnreadableFile for a file without a network.
    """
    links = read_links(file, file_format, max_bytes)
    found = designs_of_dump(links, catalog, name, servers)
    return _answer(links, found if network is None else (network_of(found, network),))


def _answer(links: FoundLinks, found: Sequence[DumpDesign]) -> Dump:
    return Dump(
        format=links.format,
        listings=len(links),
        devices=len(links.names),
        dropped_total=sum(links.drop_counts.values()),
        dropped_by_reason=links.drop_counts,
        networks=[
            DumpNetwork(
                number=one.counts.number,
                spec=one.spec.as_given(),
                figures=[DumpFigure(key=key, in_file=here, in_design=built) for key, here, built in one.figures],
                differences=len(one.differences),
                reported=one.reported,
                unreported=one.unreported,
            )
            for one in found
        ],
    )
