"""DesignSpec: what an architect asks for, every rule of a request, and every default printed back.

``parse_spec(values, catalog)`` is the one way in for the command line, the API, the form and stored designs. It finds all
problems in one pass. The words of each key (title, description, unit) live here once: JSON Schema and form read them.
"""

import difflib
import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from estimator.catalog.loader import Catalog
from estimator.errors import Problem, SpecError
from estimator.units import ceil_div, parse_ratio

MAX_ENDPOINTS = 1_048_576
MAX_NODES = 1_048_576
MAX_GPUS = 4_194_304
MAX_RADIX = 2_048
MAX_RATIO_SIDE = 1_024

Generation = Literal["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800"]
Layout = Literal["rail-optimized", "rail-only", "top-of-rack"]


def _checked_ratio(text: str) -> str:
    ratio = parse_ratio(text)
    if max(ratio.numerator, ratio.denominator) > MAX_RATIO_SIDE:
        raise ValueError(f"{text!r} is finer than 1:{MAX_RATIO_SIDE}; use smaller integers")
    return text.strip()


Ratio = Annotated[str, AfterValidator(_checked_ratio)]


def _unit(unit: str) -> dict[str, Any]:
    return {"unit": unit}


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Compute(_Section):
    """The servers that the network joins."""

    server: str | None = Field(None, max_length=80, title="Server", description=(
        "The server model, by its catalog id. 'custom' takes the counts given below and needs no part in the catalog."))
    nodes: int | None = Field(None, ge=1, le=MAX_NODES, title="Nodes", json_schema_extra=_unit("servers"), description=(
        "How many servers to connect. Give this or GPUs, not both."))
    gpus: int | None = Field(None, ge=1, le=MAX_GPUS, title="GPUs", json_schema_extra=_unit("GPUs"), description=(
        "How many GPUs are wanted; rounded up to whole servers."))
    gpu: str | None = Field(None, max_length=80, title="GPU", description=(
        "The accelerator, by its catalog id; it sets the predicted performance. Default: the server's own."))
    gpus_per_node: int | None = Field(None, ge=1, le=256, title="GPUs a node", json_schema_extra=_unit("GPUs"),
                                      description="Accelerators in one server. Default: the server's own, or 8.")
    nics_per_node: int | None = Field(None, ge=1, le=256, title="NICs a node", json_schema_extra=_unit("NICs"), description=(
        "Network adapters in one server for this fabric. Default: the server's own, or one for each GPU."))
    nic_ports_per_node: int | None = Field(
        None, ge=1, le=1024, title="NIC ports a node", json_schema_extra=_unit("ports"), description=(
            "Fabric ports of one server at the port rate. Default: one for each NIC, in each plane the NIC can feed."))
    scale_up_domain_gpus: int | None = Field(
        None, ge=1, le=4096, title="Scale-up domain", json_schema_extra=_unit("GPUs"), description=(
            "GPUs joined by NVLink or its like, without the network. Default: the server's own, or the GPUs of a node."))


class Reserved(_Section):
    """Ports that are kept for something else."""

    fabric_manager_links: int = Field(0, ge=0, le=1024, title="Fabric-manager links", json_schema_extra=_unit("links"),
                                      description="Links of fabric managers (UFM) that take leaf ports beside the nodes.")
    leaf_ports: int = Field(0, ge=0, le=MAX_RADIX, title="Leaf ports kept free", json_schema_extra=_unit("ports a leaf"),
                            description="Ports on every leaf that the design must leave unused.")
    spine_ports: int = Field(0, ge=0, le=MAX_RADIX, title="Spine ports kept free", json_schema_extra=_unit("ports a spine"),
                             description="Ports on every spine that the design must leave unused.")


class Fabric(_Section):
    """The network between the servers."""

    generation: Generation = Field(title="Network generation", description=(
        "InfiniBand EDR (100 Gb/s a port), HDR (200), NDR (400), XDR (800), or RoCE (Ethernet) at 100 to 800 Gb/s a port."))
    leaf_switch: str | None = Field(None, max_length=80, title="Leaf switch", description=(
        "The switch that servers plug into, by catalog id. Default: the usual one of the generation; 'custom' for none."))
    spine_switch: str | None = Field(None, max_length=80, title="Spine switch", description=(
        "The switch that joins the leaves. Default: the leaf switch."))
    core_switch: str | None = Field(None, max_length=80, title="Core switch", description=(
        "The switch that joins the spines in a three-tier network. Default: the spine switch."))
    leaf_radix: int | None = Field(None, ge=2, le=MAX_RADIX, title="Leaf radix", json_schema_extra=_unit("ports"), description=(
        "Ports of a leaf at the port rate. Default: what the switch has."))
    spine_radix: int | None = Field(None, ge=1, le=MAX_RADIX, title="Spine radix", json_schema_extra=_unit("ports"),
                                    description="Ports of a spine at the port rate. Default: what the switch has.")
    core_radix: int | None = Field(None, ge=1, le=MAX_RADIX, title="Core radix", json_schema_extra=_unit("ports"),
                                   description="Ports of a core switch at the port rate. Default: what the switch has.")
    leaf_downlinks: int | None = Field(None, ge=1, le=MAX_RADIX, title="Downlinks a leaf", json_schema_extra=_unit("ports"),
                                       description="Leaf ports towards servers. Default: from the oversubscription.")
    leaf_uplinks: int | None = Field(None, ge=1, le=MAX_RADIX, title="Uplinks a leaf", json_schema_extra=_unit("ports"),
                                     description="Leaf ports towards spines. Default: from the oversubscription.")
    oversubscription: Ratio = Field("1:1", title="Leaf oversubscription", description=(
        "Bandwidth of a leaf towards servers over its bandwidth towards spines. 1:1 never blocks; 3:1 saves switches."))
    spine_oversubscription: Ratio = Field("1:1", title="Spine oversubscription", description=(
        "The same ratio at the spines of a three-tier network."))
    tiers: Literal[1, 2, 3, "auto"] = Field("auto", title="Tiers", description=(
        "Levels of switches: 1 (leaf only), 2 (leaf and spine), 3 (with cores); auto takes the fewest that fit."))
    layout: Layout = Field("rail-optimized", title="Layout", description=(
        "Rail-optimized: NIC number i of every node of a unit goes to leaf i. Rail-only: the rails never meet. "
        "Top-of-rack: leaves are filled in node order."))
    planes: int = Field(1, ge=1, le=16, title="Planes", description=(
        "Independent parallel networks; each NIC has a port in every plane."))
    rails_per_leaf: int = Field(1, ge=1, le=64, title="Rails a leaf", description=(
        "Rails that share one leaf in the rail-optimized layout. 1 gives every rail a leaf of its own."))
    scalable_unit_nodes: int | None = Field(
        None, ge=1, le=MAX_NODES, title="Scalable unit", json_schema_extra=_unit("nodes"), description=(
            "Nodes served by one set of leaves. Default: as many as a leaf's downlinks hold."))
    pod_nodes: int | None = Field(None, ge=1, le=MAX_NODES, title="Pod", json_schema_extra=_unit("nodes"), description=(
        "Three tiers: nodes whose spines form one group. Default: as many as fit."))
    provision: Literal["as-bought", "full-unit"] = Field("as-bought", title="Provision", description=(
        "As bought: sized for the nodes asked for. Full unit: sized for whole scalable units; ports of missing nodes stay open."))
    grow_to_nodes: int | None = Field(None, ge=1, le=MAX_NODES, title="Grow to", json_schema_extra=_unit("nodes"), description=(
        "Spines and cores keep ports for this many nodes, so that growing needs no re-cabling."))
    uplink_spread: Literal["even", "uneven"] = Field("even", title="Uplink spread", description=(
        "Even: every leaf has the same number of links to every spine, as OpenSM's fat-tree routing needs. Uneven saves spines."))
    splitters: bool = Field(False, title="Split leaf ports", description=(
        "Two endpoints at half the port rate share one leaf port through a splitter cable (HDR100, NDR200)."))
    reserved: Reserved = Field(default_factory=lambda: Reserved(), title="Reserved ports")


class Site(_Section):
    """Cable lengths, until a floor plan gives them."""

    node_leaf_m: float | None = Field(None, gt=0, le=10_000, title="Node to leaf", json_schema_extra=_unit("m"), description=(
        "Length of a cable from a server to its leaf. Short ones are copper."))
    leaf_spine_m: float | None = Field(None, gt=0, le=10_000, title="Leaf to spine", json_schema_extra=_unit("m"),
                                       description="Length of a cable from a leaf to a spine.")
    spine_core_m: float | None = Field(None, gt=0, le=10_000, title="Spine to core", json_schema_extra=_unit("m"),
                                       description="Length of a cable from a spine to a core switch.")


class Economics(_Section):
    """Prices and running cost. What is left out is the catalog's own figure, marked as its row marks it."""

    price_book: Literal["anchors", "street"] = Field("anchors", title="Price book", description=(
        "Anchors: default prices per port and adapter. Street: listings, where the catalog has one."))
    years: int = Field(4, ge=1, le=15, title="Years", json_schema_extra=_unit("years"), description="How long the cluster is used.")
    electricity_usd_per_kwh: float | None = Field(None, ge=0, le=10, title="Electricity", json_schema_extra=_unit("USD/kWh"),
                                                  description="Price of electricity.")
    pue: float | None = Field(None, ge=1, le=5, title="PUE", description=(
        "Power of the whole facility over power of its IT equipment."))
    load_factor: float | None = Field(None, gt=0, le=1, title="Load factor", description=(
        "Average draw over the maximum draw."))
    utilization: float | None = Field(None, gt=0, le=1, title="Utilization", description=(
        "Share of the hours in which the GPUs work; it sets the dollars a GPU-hour."))
    discount_rate: float | None = Field(None, ge=0, le=1, title="Discount rate", description="Yearly rate at which later money counts less.")


class Workload(_Section):
    """What the predicted collectives assume about jobs."""

    placement: Literal["ordered", "random"] = Field("ordered", title="Placement", description=(
        "Ordered: ranks follow the cabling. Random: the scheduler scatters them, so more traffic crosses the spines."))
    load_balancing: Literal["adaptive", "ecmp", "spray"] = Field("adaptive", title="Load balancing", description=(
        "Adaptive routing, plain ECMP hashing, or packet spray."))
    in_network_reduction: bool = Field(False, title="In-network reduction", description=(
        "Switches add up all-reduce data (SHARP); InfiniBand only."))
    gpudirect: bool = Field(True, title="GPUDirect", description="NICs read and write GPU memory without the host in between.")


class DesignSpec(_Section):
    """One request, checked and complete: a result depends on nothing that is not in here."""

    spec_version: Literal[1] = Field(1, title="Version of this form of request")
    name: str = Field("Untitled design", min_length=1, max_length=200, title="Name", description="What you call the design.")
    compute: Compute = Field(title="Cluster")
    fabric: Fabric = Field(title="Network")
    other_fabrics: list[dict[str, Any]] = Field(default_factory=list, max_length=0, title="Other fabrics", description=(
        "Storage and management networks. This version sizes the compute network only: leave the list empty."))
    site: Site = Field(default_factory=lambda: Site(), title="Site")
    economics: Economics = Field(default_factory=lambda: Economics(), title="Money")
    workload: Workload = Field(default_factory=lambda: Workload(), title="Workload")

    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The normalized spec: every key with its value. null in the result means 'computed; see the estimate'."""
        return self.model_dump(mode="json")

    def as_given(self) -> dict[str, Any]:
        """The values as the caller gave them, so that an edited design takes new defaults where nothing was said."""
        return json.loads(json.dumps(self._given))  # type: ignore[no-any-return]


SECTIONS: dict[str, type[_Section]] = {"compute": Compute, "fabric": Fabric, "site": Site, "economics": Economics, "workload": Workload}


def spec_json_schema() -> dict[str, Any]:
    """JSON Schema of a request."""
    return DesignSpec.model_json_schema()


def spec_hash(spec: DesignSpec) -> str:
    """SHA-256 of the normalized spec, 16 hexadecimal digits: equal for requests that mean the same."""
    text = json.dumps(spec.as_json(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_spec(values: Any, catalog: Catalog) -> DesignSpec:
    """Check a request and fill in every default.

    Parameters
    ----------
    values : mapping, the JSON of a request (contract: DesignSpec, version 1).
    catalog : parts that ids refer to and defaults come from.

    Raises
    ------
    SpecError
        With every problem found: wrong types, bounds, unknown keys, unknown parts, values that contradict each other.
    """
    if not isinstance(values, Mapping):
        raise SpecError([Problem("", "wrong_type", f"A design is a JSON object, and this is {_kind_of(values)}.")])
    draft, problems = _validate(values)
    if draft is not None:
        resolved, problems = _resolve(draft, catalog, problems)
        if not problems:
            resolved._given.update(json.loads(json.dumps(dict(values))))
            return resolved
    raise SpecError(problems)


def _kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return "empty" if value is None else names.get(type(value), type(value).__name__)


def _validate(values: Mapping[str, Any]) -> tuple[DesignSpec | None, list[Problem]]:
    """Types, bounds and keys. Keys that fail are dropped and the rest checked again, so that later rules see it too."""
    try:
        return DesignSpec.model_validate(dict(values)), []
    except ValidationError as error:
        problems = [_problem_of(item, DesignSpec) for item in error.errors(include_url=False)]
        rest = _without(values, [item["loc"] for item in error.errors(include_url=False)])
    except RecursionError:
        return None, [Problem("", "too_deep", "The request nests objects too deeply; a design has three levels.")]
    try:
        return DesignSpec.model_validate(rest), problems
    except ValidationError:
        return None, problems


def _without(values: Mapping[str, Any], locations: list[tuple[int | str, ...]]) -> dict[str, Any]:
    rest: dict[str, Any] = {k: (_copy(v) if isinstance(v, Mapping) else v) for k, v in values.items()}
    for location in locations:
        holder: Any = rest
        path = [key for key in location if isinstance(key, str)]
        for key in path[:-1]:
            holder = holder.get(key) if isinstance(holder, dict) and key in holder else holder
        if isinstance(holder, dict) and path:
            holder.pop(path[-1], None)
    return rest


def _copy(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: (_copy(v) if isinstance(v, Mapping) else v) for k, v in values.items()}


def _problem_of(item: Any, model: type[BaseModel]) -> Problem:
    """One pydantic error as a Problem in plain words."""
    location = [part for part in item["loc"] if isinstance(part, str)]
    field, kind, context, value = ".".join(location), item["type"], item.get("ctx", {}), item.get("input")
    shown = json.dumps(value, default=str)[:60]
    if kind == "extra_forbidden":
        known = _keys_at(model, location[:-1])
        near = difflib.get_close_matches(location[-1], known, 1)
        hint = f" Did you mean '{near[0]}'?" if near else f" Known keys here: {', '.join(known)}."
        return Problem(field, "unknown_key", f"'{location[-1]}' is not a key of a design.{hint}")
    if kind == "missing":
        return Problem(field, "missing", f"'{location[-1]}' is needed and was left out.")
    limits = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le"), "greater_than": ("above", "gt"),
              "less_than": ("below", "lt")}
    if kind in limits:
        word, key = limits[kind]
        return Problem(field, "out_of_range", f"Must be {word} {context[key]:,}, and {shown} was asked for.")
    if kind == "literal_error":
        return Problem(field, "not_a_choice", f"Must be one of {context['expected']}, and {shown} was given.")
    if kind == "value_error":
        return Problem(field, "not_a_ratio", f"{context['error']}.")
    if kind == "too_long" and field == "other_fabrics":
        return Problem(field, "not_available", "This version sizes the compute network only; leave other_fabrics empty.")
    if kind in ("string_too_long", "string_too_short"):
        return Problem(field, "out_of_range", f"Must have {context.get('min_length', 0)} to "
                       f"{context.get('max_length', 'any number of')} characters, and has {len(value)}.")
    return Problem(field, "wrong_type", f"{item['msg']}, and {shown} ({_kind_of(value)}) was given.")


def _keys_at(model: type[BaseModel], path: list[str]) -> list[str]:
    for key in path:
        annotation = model.model_fields[key].annotation if key in model.model_fields else None
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)


# ---------------------------------------------------------------- defaults and rules that need the catalog


def _resolve(draft: DesignSpec, catalog: Catalog, found: list[Problem]) -> tuple[DesignSpec, list[Problem]]:
    """Fill in what catalog and other keys imply, and check what needs more than one key; problems found before come first."""
    problems = list(found)
    fabric = _resolve_switches(draft.fabric, catalog, problems)
    compute = _resolve_compute(draft.compute, fabric, catalog, problems)
    site = draft.site.model_copy(update={
        key: catalog.default(key) for key in ("node_leaf_m", "leaf_spine_m", "spine_core_m") if getattr(draft.site, key) is None})
    resolved = draft.model_copy(update={"compute": compute, "fabric": fabric, "site": site})
    if not problems:
        _check_counts(resolved, problems)
    return resolved, problems


def _unknown_part(field: str, kind: str, value: str, known: list[str]) -> Problem:
    near = difflib.get_close_matches(value, known, 3, 0.4) or sorted(known)[:5]
    return Problem(field, "unknown_part", f"The catalog has no {kind} '{value[:80]}'. Near it: {', '.join(near)}; or 'custom'.")


def _resolve_compute(compute: Compute, fabric: Fabric, catalog: Catalog, problems: list[Problem]) -> Compute:
    name = compute.server or "custom"
    usable = [key for key, server in catalog.servers.items() if server.gpu_count and server.role != "rack"]
    server = catalog.servers.get(name) if name in usable else None
    if name in catalog.servers and catalog.servers[name].role == "rack":
        trays = [key for key in usable if catalog.servers[key].gpu_id == catalog.servers[name].gpu_id]
        problems.append(Problem("compute.server", "rack_not_node", (
            f"{name} is a whole rack, and its trays are the nodes of a fabric. Use {' or '.join(trays)} with 18 nodes for each rack, "
            "and scalable_unit_nodes 18 for a leaf a rack and rail.")))
    elif server is None and name != "custom":
        problems.append(_unknown_part("compute.server", "GPU server", name, usable))
    if compute.gpu is not None and compute.gpu not in catalog.gpus:
        problems.append(_unknown_part("compute.gpu", "GPU", compute.gpu, list(catalog.gpus)))
    ports = catalog.server_compute_ports(server.id) if server else None
    gpus_per_node = compute.gpus_per_node or (server.gpu_count if server else 8)
    nics = compute.nics_per_node or (ports.n_ports if ports else gpus_per_node)
    per_nic = max(1, min(fabric.planes, ports.port_rate_gbit_s // endpoint_rate(fabric, catalog))) if ports else fabric.planes
    update = {
        "server": name, "gpus_per_node": gpus_per_node, "nics_per_node": nics,
        "gpu": compute.gpu or (server.gpu_id if server else None),
        "nic_ports_per_node": compute.nic_ports_per_node or nics * per_nic,
        "scale_up_domain_gpus": compute.scale_up_domain_gpus or (server.scale_up_domain_gpus if server else gpus_per_node),
        "nodes": compute.nodes if compute.nodes is not None else ceil_div(compute.gpus or 0, gpus_per_node),
    }
    if compute.nodes is None and compute.gpus is None and not any(p.field in ("compute.nodes", "compute.gpus") for p in problems):
        problems.append(Problem("compute.nodes", "missing", "Say how many nodes, or how many GPUs, to connect."))
    elif compute.nodes is not None and compute.gpus is not None and compute.nodes != ceil_div(compute.gpus, gpus_per_node):
        problems.append(Problem("compute.gpus", "contradiction", (
            f"{compute.nodes:,} nodes of {gpus_per_node} GPUs are {compute.nodes * gpus_per_node:,} GPUs, and {compute.gpus:,} "
            "were asked for. Give nodes or gpus, not both.")))
    return compute.model_copy(update=update)


def port_rate(fabric: Fabric, catalog: Catalog) -> int:
    """Port rate of the generation. [Gb/s]"""
    return catalog.generations[fabric.generation].port_rate_gbit_s


def endpoint_rate(fabric: Fabric, catalog: Catalog) -> int:
    """Rate of one endpoint: the port rate, or half of it on split ports. [Gb/s]"""
    return port_rate(fabric, catalog) // (2 if fabric.splitters else 1)


def _resolve_switches(fabric: Fabric, catalog: Catalog, problems: list[Problem]) -> Fabric:
    """Switch and radix of the three tiers: each from its own key, else the tier below, else the generation's usual."""
    update: dict[str, Any] = {}
    generation = catalog.generations[fabric.generation]
    part_below, radix_below = generation.default_switch, None
    for tier in ("leaf", "spine", "core"):
        asked, radix = getattr(fabric, f"{tier}_switch"), getattr(fabric, f"{tier}_radix")
        part = asked or part_below
        has = _ports_of(part, fabric, catalog) if part in catalog.switches else None
        if asked and asked != "custom" and asked not in catalog.switches:
            problems.append(_unknown_part(f"fabric.{tier}_switch", "switch", asked, list(catalog.switches)))
        elif asked and asked != "custom" and has is None:
            problems.append(_wrong_switch(f"fabric.{tier}_switch", asked, fabric, catalog))
        elif asked and has is not None and radix is not None and radix > has:
            problems.append(Problem(f"fabric.{tier}_radix", "radix_over_part", (
                f"{asked} has {has} ports at {generation.port_rate_gbit_s} Gb/s, and {radix} were asked for. "
                f"Ask for {has} or fewer, or name another switch or 'custom'.")))
        if not asked and radix is not None and (has is None or radix > has):
            part = "custom"  # no part was named, and the usual one is too small: the counts stand without a part
        elif not asked and radix is None and part == "custom":
            radix = radix_below
        radix = radix if radix is not None else has
        if radix is None and not problems:
            problems.append(Problem(f"fabric.{tier}_radix", "missing", f"A custom {tier} switch needs its radix: ports at the port rate."))
        update |= {f"{tier}_switch": part, f"{tier}_radix": radix}
        part_below, radix_below = part, radix
    return fabric.model_copy(update=update)


def _ports_of(part: str | None, fabric: Fabric, catalog: Catalog) -> int | None:
    generation = catalog.generations[fabric.generation]
    if part is None or catalog.switches[part].protocol != generation.protocol:
        return None
    ports = catalog.switch_ports(part, generation.port_rate_gbit_s)
    return ports.radix if ports else None


def _wrong_switch(field: str, part: str, fabric: Fabric, catalog: Catalog) -> Problem:
    rate, protocol = port_rate(fabric, catalog), catalog.generations[fabric.generation].protocol
    fits = sorted(key for key in catalog.switches if _ports_of(key, fabric, catalog))
    return Problem(field, "switch_does_not_fit", (
        f"{part} has no {rate} Gb/s {protocol} ports, which {fabric.generation} needs. These have: {', '.join(fits[:6])}."))


def _check_counts(spec: DesignSpec, problems: list[Problem]) -> None:
    """Rules over several keys, once parts and counts are known."""
    compute, fabric = spec.compute, spec.fabric
    assert compute.nodes and compute.nic_ports_per_node and fabric.leaf_radix and fabric.spine_radix
    nodes = max(compute.nodes, fabric.grow_to_nodes or 0)
    endpoints = nodes * compute.nic_ports_per_node
    if endpoints > MAX_ENDPOINTS:
        problems.append(Problem("compute.nodes", "out_of_range", (
            f"{nodes:,} nodes with {compute.nic_ports_per_node} ports are {endpoints:,} endpoints; the limit is {MAX_ENDPOINTS:,}. "
            f"Ask for {MAX_ENDPOINTS // compute.nic_ports_per_node:,} nodes or fewer.")))
    if compute.nic_ports_per_node % fabric.planes:
        problems.append(Problem("fabric.planes", "planes_do_not_divide", (
            f"{compute.nic_ports_per_node} NIC ports a node do not spread over {fabric.planes} planes. "
            f"Use a number of planes that divides {compute.nic_ports_per_node}.")))
    elif fabric.layout == "rail-optimized" and compute.nic_ports_per_node // fabric.planes % fabric.rails_per_leaf:
        problems.append(Problem("fabric.rails_per_leaf", "rails_do_not_divide", (
            f"{compute.nic_ports_per_node // fabric.planes} rails do not spread over leaves of {fabric.rails_per_leaf} rails each.")))
    if fabric.grow_to_nodes is not None and fabric.grow_to_nodes < compute.nodes:
        problems.append(Problem("fabric.grow_to_nodes", "out_of_range", (
            f"Growing to {fabric.grow_to_nodes:,} nodes is fewer than the {compute.nodes:,} asked for. Raise it or leave it out.")))
    _check_ports(fabric, problems)


def _check_ports(fabric: Fabric, problems: list[Problem]) -> None:
    assert fabric.leaf_radix and fabric.spine_radix
    down, up, kept = fabric.leaf_downlinks or 0, fabric.leaf_uplinks or 0, fabric.reserved.leaf_ports
    if down + up + kept > fabric.leaf_radix:
        problems.append(Problem("fabric.leaf_downlinks", "leaf_ports_short", (
            f"{down} downlinks, {up} uplinks and {kept} ports kept free are {down + up + kept} ports, and the leaf has "
            f"{fabric.leaf_radix}. Lower one of them or take a leaf with more ports.")))
    elif kept >= fabric.leaf_radix - 1:
        problems.append(Problem("fabric.reserved.leaf_ports", "leaf_ports_short", (
            f"Keeping {kept} of {fabric.leaf_radix} leaf ports free leaves none to use. Keep {fabric.leaf_radix - 2} or fewer.")))
    if fabric.reserved.spine_ports >= fabric.spine_radix:
        problems.append(Problem("fabric.reserved.spine_ports", "spine_ports_short", (
            f"Keeping {fabric.reserved.spine_ports} of {fabric.spine_radix} spine ports free leaves none to use.")))


def asked_ratio(fabric: Fabric) -> Fraction:
    """Leaf oversubscription asked for: an explicit split of ports says it, else the ratio."""
    if fabric.leaf_downlinks and fabric.leaf_uplinks:
        return Fraction(fabric.leaf_downlinks, fabric.leaf_uplinks)
    return parse_ratio(fabric.oversubscription)
