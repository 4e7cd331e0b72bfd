"""The keys of ``site``: cable lengths and media, one for each tier, those of a floor plan, and those set manually."""

from typing import Literal

from pydantic import Field

from estimator.spec.checking import Section, empty, quantity
from estimator.spec.floor import SitePlan

Medium = Literal["auto", "copper", "dac", "acc", "aec", "aoc", "multimode", "single-mode"]
FiberGrade = Literal["om3", "om4", "os2"]
MAX_SET_LENGTHS = 20_000


class SetLength(Section):
    """A length that was measured or decided: of all links between two devices, or of the one link between two ports."""

    a: str = Field(
        min_length=1,
        max_length=60,
        examples=["leaf-r1-001"],
        title="One device",
        description="Name of a device, as in the link list.",
    )
    b: str = Field(
        min_length=1,
        max_length=60,
        examples=["spine-001"],
        title="Other device",
        description="Name of the device at the other end.",
    )
    a_port: str | None = Field(
        None,
        max_length=60,
        title="Port of one device",
        description="Port as the link list prints it. Give both or neither.",
    )
    b_port: str | None = Field(
        None, max_length=60, title="Port of the other device", description="Port at the other end."
    )
    fabric: str = Field(
        "compute",
        min_length=1,
        max_length=40,
        title="Fabric",
        description="The network that the two devices belong to.",
    )
    length_m: float = Field(
        gt=0,
        le=10_000,
        title="Length",
        json_schema_extra={"unit": "m"},
        description="Length from plug to plug, patch panels included.",
    )
    medium: Medium | None = Field(
        None, title="Medium", description="What these links run over. Default: as for the other links of the tier."
    )


class Site(Section):
    """Cable lengths and media."""

    node_leaf_m: float | None = quantity(
        "Node to leaf", "Length of a cable from a server to its leaf. Short ones are copper.", "m", gt=0, le=10_000
    )
    leaf_spine_m: float | None = quantity(
        "Leaf to spine", "Length of a cable from a leaf to a spine.", "m", gt=0, le=10_000
    )
    spine_core_m: float | None = quantity(
        "Spine to core", "Length of a cable from a spine to a core switch.", "m", gt=0, le=10_000
    )
    node_leaf_medium: Medium = Field(
        "auto",
        title="Medium, node to leaf",
        description=(
            "Automatic: by length, rate, cages and cost. Copper: passive (DAC), active (ACC) or retimed (AEC). AOC: optical "
            "cables. Multimode and single-mode: transceivers and fibre."
        ),
    )
    leaf_spine_medium: Medium = Field(
        "auto", title="Medium, leaf to spine", description="The same choice for links from leaves to spines."
    )
    spine_core_medium: Medium = Field(
        "auto", title="Medium, spine to core", description="The same choice for links from spines to cores."
    )
    fiber_grade: FiberGrade | None = Field(
        None,
        title="Fibre grade",
        description=(
            "Fibre of the building: multimode OM3 or OM4, or single-mode OS2. Links between transceivers run over it and no "
            "other. Default: what the transceivers are made for."
        ),
    )
    set_lengths: list[SetLength] = Field(
        default_factory=empty,
        max_length=MAX_SET_LENGTHS,
        title="Lengths set manually",
        description=(
            "Measured lengths by pair of devices or ports. They stay when the design is computed again and go into "
            "the bill of materials; a later entry replaces an earlier one."
        ),
    )
    plan: SitePlan | None = Field(
        None,
        title="Floor plan",
        description=(
            "Racks, rows and trays: lengths come from the place of every device. What is left out is the catalog's; without "
            "a plan each tier has one length."
        ),
    )
