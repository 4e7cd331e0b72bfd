"""Parts of one's own as a request carries them: whole, so that its result depends on nothing that is not in there."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from estimator.spec.checking import Section, empty, not_true_or_false, quantity

OWN_PREFIX = "own-"  # before the id of every part of one's own: no part of the catalog has it
MAX_OF_A_KIND = 40
MAX_WORDS, MAX_NOTE = 100, 300
LARGEST_PRICE_USD = 100_000_000
LARGEST_REVISION = 1_000_000
MOST_UNITS, MOST_KG, MOST_W = 60, 3_000, 1_000_000

Cage = Literal[
    "RJ45", "SFP+", "SFP28", "QSFP28", "QSFP56", "QSFP112", "QSFP-DD", "QSFP-DD800", "OSFP4", "OSFP8", "MPO-12"
]
Rate = Annotated[
    Literal[1, 10, 25, 40, 50, 100, 200, 400, 800, 1600],
    not_true_or_false("1, 10, 25, 40, 50, 100, 200, 400, 800 or 1600"),
]
Protocol = Literal["infiniband", "ethernet"]
Cooling = Literal["air", "liquid"]
Links = Annotated[Literal[1, 2, 4, 8], not_true_or_false("1, 2, 4 or 8")]
CAGE_WORDS = (
    "The class of opening, as in the catalog. OSFP8 is the twin-port OSFP of eight lanes, OSFP4 the one of four."
)


class OwnPart(Section):
    """What every part has: a name, a revision, a price with where it is from, and what stands beside it."""

    id: str = Field(
        min_length=len(OWN_PREFIX) + 1,
        max_length=60,
        examples=["own-acme-64x800"],
        title="Id",
        description="Begins with own-; then small letters, digits, dots and dashes.",
    )
    revision: int = Field(
        1,
        ge=1,
        le=LARGEST_REVISION,
        title="Revision",
        description="Which state of the part this is: a design keeps the one that it was made with.",
    )
    vendor: str = Field(min_length=1, max_length=MAX_WORDS, title="Vendor", description="The company that sells it.")
    model: str = Field(min_length=1, max_length=MAX_WORDS, title="Model", description="What it is called.")
    part_number: str = Field("", max_length=MAX_WORDS, title="Part number", description="The vendor's, for orders.")
    price_usd: float | None = quantity(
        "Price", "Of one piece. Left out, totals are at least.", "USD", ge=0, le=LARGEST_PRICE_USD
    )
    price_basis: Literal["quote", "list", "listing", "analyst", "assumption"] = Field(
        "assumption", title="Basis of the price", description="What stands behind the price."
    )
    as_of: str | None = Field(
        None, max_length=20, title="Date", description="Day of price and figures, such as 2026-11-02."
    )
    source: str = Field("", max_length=MAX_NOTE, title="Source", description="Who says so: an offer's number, a page.")
    note: str = Field("", max_length=MAX_NOTE, title="Note", description="What a reader should know.")


class OwnBox(OwnPart):
    """A part that stands in a rack."""

    rack_units: int | None = quantity(
        "Height", "Left out, it is assumed as for the part most like it.", "U", ge=1, le=MOST_UNITS
    )
    weight_kg: float | None = quantity("Weight", "Left out, no weight is counted.", "kg", gt=0, le=MOST_KG)
    typical_w: float | None = quantity(
        "Typical power", "Left out, it is assumed as for the part most like it.", "W", ge=0, le=MOST_W
    )
    max_w: float | None = quantity("Largest power", "Left out, it follows from the typical one.", "W", ge=0, le=MOST_W)
    cooling: Cooling = Field("air", title="Cooling", description="Air, or liquid with cold plates.")


class OwnSplit(Section):
    """Another way to use the cages of a switch: more links of a lower rate, or one of the whole rate."""

    links_per_cage: Links = Field(title="Links a cage", description="Links that a cage carries then.")
    port_rate_gbit_s: Rate = Field(
        title="Rate of a link", json_schema_extra={"unit": "Gb/s"}, description="Of each of these links."
    )


class OwnSwitch(OwnBox):
    """A switch of one box; power is without transceivers (typical) and with them (largest)."""

    protocol: Protocol = Field(title="Protocol", description="InfiniBand or Ethernet.")
    ports: int = quantity("Ports", "At the port rate.", "ports", ..., ge=2, le=4_096)
    port_rate_gbit_s: Rate = Field(
        title="Port rate", json_schema_extra={"unit": "Gb/s"}, description="Of one port, one direction."
    )
    links_per_cage: Links = Field(1, title="Ports a cage", description="Two for twin-port cages.")
    cage: Cage = Field(title="Cage", description=CAGE_WORDS)
    splits: list[OwnSplit] = Field(
        default_factory=empty, max_length=8, title="Other rates", description="Other ways to use its cages."
    )
    managed: bool = Field(True, title="Managed", description="Whether it has a system of its own.")
    port_names: Literal["plain", "mlnx-os", "nvos", "cumulus", "eos", "nx-os", "junos", "sonic"] = Field(
        "plain", title="Port names", description="The operating system that names its ports; plain: numbers."
    )
    latency_ns: int | None = quantity("Latency", "From port to port.", "ns", ge=1, le=100_000)


class OwnNic(OwnPart):
    """A NIC on a card; power is without transceivers."""

    protocols: list[Protocol] = Field(
        min_length=1, max_length=2, title="Protocols", description="InfiniBand, Ethernet or both."
    )
    ports: int = quantity("Ports", "Ports of one card.", "ports", 1, ge=1, le=8)
    port_rate_gbit_s: Rate = Field(
        title="Port rate", json_schema_extra={"unit": "Gb/s"}, description="Of one port, one direction."
    )
    cage: Cage = Field(title="Cage", description=CAGE_WORDS)
    pcie_gen: Literal[3, 4, 5, 6, 7] = Field(5, title="PCIe generation", description="Of its host interface.")
    pcie_lanes: Literal[8, 16, 32] = Field(16, title="PCIe lanes", description="Of its host interface.")
    typical_w: float | None = quantity(
        "Typical power", "Left out, it is assumed as for the NIC most like it.", "W", ge=0, le=MOST_W
    )
    max_w: float | None = quantity("Largest power", "Left out, it follows from the typical one.", "W", ge=0, le=MOST_W)


class OwnNetwork(Section):
    """One network of a server: its NICs, and the cages in which their ports come out."""

    role: Literal["compute", "storage", "inband", "oob"] = Field(
        "compute", title="Network", description="What these ports are for."
    )
    nic: str | None = Field(
        None, max_length=80, title="NIC", description="Id of the NIC; left out for ports of the server itself."
    )
    nics: int = quantity("NICs", "NICs in one server.", "NICs", ..., ge=1, le=64)
    ports_per_nic: int = quantity("Ports a NIC", "Ports of each of them.", "ports", 1, ge=1, le=16)
    port_rate_gbit_s: Rate = Field(
        title="Port rate", json_schema_extra={"unit": "Gb/s"}, description="Of one port, one direction."
    )
    cage: Cage = Field(title="Cage", description=CAGE_WORDS)
    cages: int | None = quantity("Cages", "Left out, one for each port.", "cages", ge=1, le=256)
    nics_in_price: bool = Field(
        True,
        title="NICs in the price",
        description="Whether the server's price holds these NICs; else they have a line.",
    )


class OwnServer(OwnBox):
    """A server with GPUs; power is at the supply input, NICs included, transceivers not."""

    gpu: str | None = Field(
        None, max_length=80, title="GPU", description="Id of the accelerator; left out, no collectives are predicted."
    )
    gpus: int = quantity("GPUs", "Accelerators in one server.", "GPUs", ..., ge=1, le=256)
    scale_up_domain_gpus: int | None = quantity(
        "Scale-up domain", "GPUs joined without the network. Left out, those of the server.", "GPUs", ge=1, le=4_096
    )
    cpu: str = Field("", max_length=MAX_WORDS, title="Processors", description="Such as 2x Intel Xeon 8480C.")
    liquid_heat_share: float | None = Field(
        None, ge=0, le=1, title="Heat into liquid", description="Share of the heat; left out, 0.8 where liquid-cooled."
    )
    networks: list[OwnNetwork] = Field(
        min_length=1, max_length=8, title="Networks", description="One of them is for compute; no role twice."
    )


class OwnCable(OwnPart):
    """A cable with its ends fixed on."""

    kind: Literal["dac", "acc", "aec", "aoc"] = Field(
        title="Kind", description="Passive copper, active copper, retimed copper, or active optical."
    )
    protocols: list[Protocol] = Field(
        min_length=1, max_length=2, title="Protocols", description="What it is coded for."
    )
    rate_gbit_s: Rate = Field(
        title="Rate", json_schema_extra={"unit": "Gb/s"}, description="Of its single end, all links together."
    )
    a_cage: Cage = Field(title="Cage of its single end", description=CAGE_WORDS)
    b_cage: Cage = Field(title="Cage of its other ends", description=CAGE_WORDS)
    branches: Links = Field(1, title="Other ends", description="One; two or more for a cable that splits.")
    lengths_m: list[float] = Field(
        min_length=1,
        max_length=40,
        title="Lengths",
        description="Lengths on offer, in metres; it is taken up to the longest.",
    )
    price_per_m_usd: float | None = quantity(
        "Price a metre", "Added to the price of a piece for each metre.", "USD/m", ge=0, le=LARGEST_PRICE_USD
    )
    end_w: float | None = quantity(
        "Power of an end", "Left out, it is assumed as for the cable most like it.", "W", ge=0, le=100
    )


class OwnParts(Section):
    """Parts of one's own that a design may name, kind by kind."""

    switches: list[OwnSwitch] = Field(default_factory=empty, max_length=MAX_OF_A_KIND, title="Switches")
    nics: list[OwnNic] = Field(default_factory=empty, max_length=MAX_OF_A_KIND, title="NICs")
    servers: list[OwnServer] = Field(default_factory=empty, max_length=MAX_OF_A_KIND, title="Servers")
    cables: list[OwnCable] = Field(
        default_factory=empty,
        max_length=MAX_OF_A_KIND,
        title="Cables",
        description="Taken before those of the catalog wherever they fit and reach.",
    )

    def all(self) -> Iterator[tuple[str, int, OwnPart]]:
        """(kind, place in its list, part) of every part."""
        for kind in OWN_KINDS:
            for place, part in enumerate(getattr(self, kind)):
                yield kind, place, part

    def part(self, part_id: str) -> tuple[str, OwnPart] | None:
        """(kind, part) of an id; None where there is none."""
        return next(((kind, part) for kind, _, part in self.all() if part.id == part_id), None)


OWN_KINDS: dict[str, type[OwnPart]] = {
    "switches": OwnSwitch,
    "nics": OwnNic,
    "servers": OwnServer,
    "cables": OwnCable,
}


def is_own(part_id: str | None) -> bool:
    """Whether an id is that of a part of one's own."""
    return (part_id or "").startswith(OWN_PREFIX)
