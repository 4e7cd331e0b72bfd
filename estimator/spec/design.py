"""The keys of a request: types, bounds, and the words of each (title, description, unit).

JSON Schema, form and refusals read the words from here. Rules that need the catalog, or several keys, are in
rules.py.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from estimator.record import Given, Json
from estimator.spec.calibration import (
    LEAST_SMALL_US,
    MOST_SMALL_GPUS,
    MOST_SMALL_US,
    SMALL_GPUS_WORDS,
    SMALL_MESSAGE_WORDS,
    STACK_WORDS,
    Calibrated,
    Stack,
)
from estimator.spec.checking import Section, empty, left_out, not_true_or_false, quantity
from estimator.spec.economics import Economics
from estimator.spec.fabric import MAX_NODES, Fabric, OtherFabric
from estimator.spec.own.part import OwnParts
from estimator.spec.phases import MOST_PHASES, PHASES_WORDS, PhaseEntry
from estimator.spec.site import Site

Kept = TypeVar("Kept", bound=BaseModel)
MAX_GPUS = 4_194_304
MAX_OTHER_FABRICS = 8
LEFT_OUT_OF_HASH = (("", "phases"), ("", "own_parts"), ("compute", "nic"), ("economics", "owned"))  # section, key


class Compute(Section):
    """The servers that the network joins."""

    server: str | None = Field(
        None,
        max_length=80,
        examples=["dgx-h100", "custom"],
        title="Server",
        description=("The server model. Custom takes the counts given below and needs no part in the catalog."),
    )
    nodes: int | None = quantity(
        "Nodes", "How many servers to connect. Give this or GPUs, not both.", "servers", ge=1, le=MAX_NODES
    )
    gpus: int | None = quantity(
        "GPUs", "How many GPUs are wanted; rounded up to whole servers.", "GPUs", ge=1, le=MAX_GPUS
    )
    racks: int | None = quantity(
        "Racks",
        (
            "How many racks to connect, where the server is a compute tray that comes in whole racks. Give this, nodes or "
            "GPUs."
        ),
        "racks",
        ge=1,
        le=MAX_NODES,
    )
    gpu: str | None = Field(
        None,
        max_length=80,
        examples=["h100-sxm"],
        title="GPU",
        description=("The accelerator: it sets the predicted performance. Default: the server's own."),
    )
    nic: str | None = Field(
        None,
        max_length=80,
        examples=["nvidia-bf3-b3140h"],
        title="Compute NIC",
        description=("The NIC of the compute network, for servers whose NICs are cards. Default: the server's own."),
    )
    gpus_per_node: int | None = quantity(
        "GPUs per node", "Accelerators in one server. Default: the server's own, or 8.", "GPUs", ge=1, le=256
    )
    nics_per_node: int | None = quantity(
        "NICs per node",
        "NICs in one server for this fabric. Default: the server's own, or one for each GPU.",
        "NICs",
        ge=1,
        le=256,
    )
    nic_ports_per_node: int | None = quantity(
        "NIC ports per node",
        "Fabric ports of one server at the port rate. Default: one for each NIC, in each plane the NIC can feed.",
        "ports",
        ge=1,
        le=1024,
    )
    scale_up_domain_gpus: int | None = quantity(
        "Scale-up domain",
        "GPUs joined by NVLink or its like, without the network. Default: the server's own, or the GPUs of a node.",
        "GPUs",
        ge=1,
        le=4096,
    )


class Workload(Section):
    """What the predicted collectives assume about jobs."""

    placement: Literal["ordered", "random"] = Field(
        "ordered",
        title="Placement",
        description=(
            "Ordered: ranks follow the cabling. Random: the scheduler scatters them, so more traffic crosses the "
            "spines."
        ),
    )
    load_balancing: Literal["adaptive", "ecmp", "spray"] = Field(
        "adaptive", title="Load balancing", description=("Adaptive routing, plain ECMP hashing, or packet spray.")
    )
    in_network_reduction: bool = Field(
        False, title="In-network reduction", description=("Switches add up all-reduce data (SHARP); InfiniBand only.")
    )
    gpudirect: bool = Field(
        True, title="GPUDirect", description="NICs read and write GPU memory without the host in between."
    )
    stack: Stack | None = Field(None, title="Stack", description=STACK_WORDS)
    small_message_us: float | None = quantity(
        "Measured small-message time", SMALL_MESSAGE_WORDS, "µs", ge=LEAST_SMALL_US, le=MOST_SMALL_US
    )
    small_message_gpus: int | None = quantity(
        "GPUs of that measurement", SMALL_GPUS_WORDS, "GPUs", ge=2, le=MOST_SMALL_GPUS
    )
    calibration: Calibrated | None = Field(
        None,
        title="Calibration",
        description="A site's own constants of the model, as a calibration found them; null for the catalog's.",
    )


class DesignSpec(Section):
    """One request, checked and complete: a result depends on nothing that is not in here."""

    spec_version: Annotated[Literal[1], not_true_or_false("1")] = Field(1, title="Version of this form of request")
    name: str = Field(
        "",
        min_length=1,
        max_length=200,
        title="Name",
        description="Name of the design. Left out, it is named by what it is: GPUs, generation, oversubscription.",
    )
    compute: Compute = Field(title="Cluster")
    fabric: Fabric = Field(title="Network")
    other_fabrics: list[OtherFabric] = Field(
        default_factory=empty,
        max_length=MAX_OTHER_FABRICS,
        title="Other fabrics",
        description="Storage and management networks of the same servers, each sized by the rules of the compute network.",
    )
    own_parts: OwnParts | None = Field(
        None,
        title="Own parts",
        description="Switches, NICs, servers and cables of one's own that this design may name, each with its figures.",
    )
    site: Site = Field(default_factory=left_out(Site), title="Site")
    economics: Economics = Field(default_factory=left_out(Economics), title="Money")
    workload: Workload = Field(default_factory=left_out(Workload), title="Workload")
    phases: list[PhaseEntry] = Field(
        default_factory=empty, max_length=MOST_PHASES, title="Phases", description=PHASES_WORDS
    )

    _given: Json = PrivateAttr(default_factory=dict)

    def as_json(self) -> Json:
        """The normalized spec: every key with its value. null in the result means 'computed; see the estimate'."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, stored: Given) -> Self:
        """The reverse of ``as_json``, of a spec that was checked before: keys of other versions are left alone.

        What an older version took stays readable where today's bounds would refuse it.
        """
        try:
            return cls.model_validate(stored, extra="ignore")
        except ValidationError:
            return _as_it_was(cls, stored)

    def as_given(self) -> Json:
        """The values as the caller gave them, so that an edited design takes new defaults where nothing was said."""
        given: Json = json.loads(json.dumps(self._given))
        return given


def _as_it_was(kind: type[Kept], stored: Given) -> Kept:
    """A section, and those in it, with nothing checked."""
    fields = kind.model_fields.items()
    return kind.model_construct(
        **{key: _unchecked(field.annotation, stored[key]) for key, field in fields if key in stored}
    )


def _unchecked(hint: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [_unchecked(hint, one) for one in value]
    if not isinstance(value, Mapping):
        return value
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return _as_it_was(hint, value)
    return next((made for part in get_args(hint) if isinstance(made := _unchecked(part, value), BaseModel)), value)


SECTIONS: dict[str, type[Section]] = {
    "compute": Compute,
    "fabric": Fabric,
    "site": Site,
    "economics": Economics,
    "workload": Workload,
}


def spec_json_schema() -> Json:
    """JSON Schema of a request."""
    return DesignSpec.model_json_schema()


def spec_hash(spec: DesignSpec) -> str:
    """SHA-256 of the normalized spec, 16 hexadecimal digits: equal for requests that mean the same.

    Keys of LEFT_OUT_OF_HASH, and the generation of a phase, count where they say something, so that designs from before
    them keep their hashes.
    """
    values = spec.as_json()
    for section, key in LEFT_OUT_OF_HASH:
        holder = values[section] if section else values
        if not holder[key]:
            del holder[key]
    for phase in values.get("phases", ()):
        if phase["generation"] is None:
            del phase["generation"]
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
