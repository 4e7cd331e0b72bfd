"""What one rack holds: boxes of devices with height, power and weight, and how many nodes share a rack."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from estimator.catalog.catalog import Catalog
from estimator.catalog.rack_records import TRAY, RackBlock
from estimator.catalog.records import Server
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.sized import SizedFabric
from estimator.floor.whole_racks import own_parts
from estimator.spec.design import DesignSpec
from estimator.spec.floor import SitePlan
from estimator.units import W_PER_KW, ceil_div

RACK_UNIT_M = 0.04445  # EIA-310: 1.75 inches
MANAGER_SERVER = "mgmt-node"


@dataclass(frozen=True, slots=True)
class Body:
    """A box of one kind of device; a box may hold several switches. What the catalog does not know counts as 0."""

    name: str
    units: int
    per_box: int
    typical_w: float
    max_w: float
    weight_kg: float

    @property
    def device_units(self) -> int:
        """Height of one device of the box."""
        return max(self.units // self.per_box, 1) if self.units else 0


def bodies_of(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> dict[str, Body]:
    """Boxes by kind of device. A custom switch is as high and heavy as the generation's usual one; of its power, and of a
    custom server's power and weight, nothing is known.
    """
    server = catalog.server(spec.compute.server)
    node = (
        server_body(server)
        if server
        else Body("custom server", int(catalog.floor_defaults["custom_node_rack_units"].value), 1, 0.0, 0.0, 0.0)
    )
    parts = {LEAF: fabric.leaf_switch, SPINE: fabric.spine_switch, CORE: fabric.core_switch}
    switches = {kind: switch_body(part, spec.fabric.generation, catalog) for kind, part in parts.items()}
    return {NODE: node, MANAGER: server_body(catalog.servers[MANAGER_SERVER]), **switches}


def server_body(server: Server) -> Body:
    """A server as a rack sees it."""
    return Body(server.model, server.rack_units, 1, server.typical_w, server.max_w, server.weight_kg or 0.0)


def switch_body(part: str | None, generation: str, catalog: Catalog) -> Body:
    """A switch as a rack sees it; None is a custom one."""
    switch = catalog.switches[part] if part else catalog.default_switch(generation)
    name = switch.model if part else "custom switch"
    watts = (switch.typical_no_optics_w, switch.max_w) if part else (0.0, 0.0)
    return Body(name, switch.rack_units, switch.switch_units, *watts, switch.weight_kg or 0.0)


@dataclass(frozen=True, slots=True)
class Room:
    """What a rack still takes."""

    units: int
    power_w: float
    weight_kg: float
    boxes: int

    def fits(self, bodies: Iterable[Body]) -> int:
        """How many boxes of any of these kinds it takes: the largest of each measure counts."""
        kinds = list(bodies)
        limits = (
            (self.units, max(body.units for body in kinds)),
            (self.power_w, max(body.max_w for body in kinds)),
            (self.weight_kg, max(body.weight_kg for body in kinds)),
        )
        return max(min([self.boxes, *(int(room // each) for room, each in limits if each)]), 0)


def network_room(plan: SitePlan) -> Room:
    """An empty rack for switches; ``plan`` is resolved."""
    units = (plan.rack_units or 0) - (plan.reserved_units or 0)
    return Room(units, (plan.rack_power_kw or 0) * W_PER_KW, plan.rack_weight_kg or 0, plan.switches_per_rack or 1)


def network_fits(plan: SitePlan, bodies: Iterable[Body]) -> int:
    """Boxes of these kinds in a network rack, at least one: a box that breaks a limit stands alone, and is found."""
    return max(network_room(plan).fits(bodies), 1)


@dataclass(frozen=True, slots=True)
class NodeRack:
    """A rack for nodes: their bottom units from the first node up, what else stands there, and leaves above them.

    ``frame_*`` is what a rack that is bought whole draws and weighs beside its nodes. ``fits_by_height`` is the most nodes
    that the height takes; ``is_whole`` racks come with all their trays and are not split.
    """

    bottom_units: tuple[int, ...]
    fixtures: tuple[RackBlock, ...]
    frame_typical_w: float
    frame_max_w: float
    frame_weight_kg: float
    n_leaf_boxes: int
    fits_by_height: int
    is_whole: bool = False

    @property
    def n_nodes(self) -> int:
        """Nodes of a full rack."""
        return len(self.bottom_units)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Places of nodes by height alone, and a whole rack's own power and weight."""

    slots: tuple[int, ...]
    top: int
    fixtures: tuple[RackBlock, ...]
    own: int | None
    typical_w: float = 0.0
    max_w: float = 0.0
    weight_kg: float = 0.0
    is_whole: bool = False


def node_rack(
    spec: DesignSpec, bodies: Mapping[str, Body], catalog: Catalog, block_nodes: int, block_leaves: int
) -> NodeRack:
    """How nodes fill a rack.

    ``block_leaves`` are the leaves that stand in the racks of a full block of ``block_nodes`` nodes; 0 where leaves have
    racks of their own. The most nodes are taken that the server's own figure, height, power and load allow with their share
    of leaves; a number requested is cut by height alone. A rack that is bought whole has all its trays, whatever is asked.
    """
    plan = spec.site.plan
    if plan is None:
        raise ValueError("a floor plan needs site.plan")
    frame, node = _frame(spec, plan, bodies[NODE], catalog), bodies[NODE]
    room = network_room(plan)
    boxes = ceil_div(block_leaves, bodies[LEAF].per_box)
    by_height = len(frame.slots)

    def leaves_beside(n_nodes: int) -> int:
        """Leaf boxes that fit above so many nodes; a number of nodes requested is compared with height alone."""
        units = room.units - max(frame.top, frame.slots[n_nodes - 1] + node.units - 1)
        if plan.nodes_per_rack and not frame.is_whole:
            return Room(units, 1e9, 1e9, room.boxes).fits([bodies[LEAF]])
        power = room.power_w - frame.max_w - n_nodes * node.max_w
        weight = room.weight_kg - frame.weight_kg - n_nodes * node.weight_kg
        return Room(units, power, weight, room.boxes).fits([bodies[LEAF]])

    if frame.is_whole:
        most = by_height
        choices: Iterable[int] = [most]
    elif plan.nodes_per_rack:
        most = min(plan.nodes_per_rack, by_height)
        choices = [most]
    else:
        own = Room(
            by_height * node.units, room.power_w - frame.max_w, room.weight_kg - frame.weight_kg, frame.own or by_height
        )
        most = max(own.fits([node]), 1)
        choices = range(most, 0, -1)
    fit = (n for n in choices if ceil_div(boxes, ceil_div(block_nodes, n)) <= leaves_beside(n))
    n_nodes = next(fit, most)
    n_leaf_boxes = leaves_beside(n_nodes) if block_leaves else 0
    return NodeRack(
        frame.slots[:n_nodes],
        frame.fixtures,
        frame.typical_w,
        frame.max_w,
        frame.weight_kg,
        n_leaf_boxes,
        by_height,
        frame.is_whole,
    )


def _frame(spec: DesignSpec, plan: SitePlan, node: Body, catalog: Catalog) -> _Frame:
    server, whole = catalog.server(spec.compute.server), catalog.rack_of(spec.compute.server)
    if server is None or whole is None:
        room = (plan.rack_units or 0) - (plan.reserved_units or 0)
        slots = tuple(1 + node.units * k for k in range(room // node.units))
        own = server.per_rack if server else int(catalog.floor_defaults["custom_nodes_per_rack"].value)
        return _Frame(slots, 0, (), own)
    slots = tuple(b.first_unit + k for b in whole.blocks if b.holds == TRAY for k in range(0, b.n_units, node.units))
    fixtures = tuple(block for block in whole.blocks if block.holds != TRAY)
    parts = own_parts(whole, server)
    return _Frame(slots, whole.top_unit, fixtures, whole.n_trays, parts.typical_w, parts.max_w, parts.weight_kg, True)
