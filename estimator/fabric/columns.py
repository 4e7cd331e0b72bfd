"""Columns of a batch of requests and of what they come to, and the ports of a leaf and of a spine to both sides.

A column has shape (n_variants,); sizing.py fills them."""

from dataclasses import dataclass
from typing import Self

from estimator.fabric.even_spread import BoolArray
from estimator.units import Columns, IntArray, ceil_div, column_names


@dataclass(frozen=True)
class Asked(Columns):
    """What the specs ask for, as columns: counts and ports, 0 where nothing was said."""

    nodes: IntArray
    grow_nodes: IntArray
    gpus: IntArray
    ports_a_node: IntArray
    planes: IntArray
    n_components: IntArray
    endpoints_a_node: IntArray  # in one component
    rails_a_leaf: IntArray  # 0: leaves are filled in node order
    endpoints_a_port: IntArray
    leaf_ports: IntArray
    spine_ports: IntArray
    core_ports: IntArray
    down: IntArray
    up: IntArray
    ratio_down: IntArray
    ratio_up: IntArray
    spine_ratio_down: IntArray
    spine_ratio_up: IntArray
    tiers: IntArray
    unit_nodes: IntArray
    pod_nodes: IntArray
    full_unit: BoolArray
    uneven: BoolArray
    least_spines: IntArray
    core_groups: IntArray  # 0: as many as need the fewest switches
    manager_links: IntArray
    port_rate_gbit_s: IntArray
    endpoint_rate_gbit_s: IntArray
    uplink_rate_gbit_s: IntArray  # of the links between switches
    down_a_cage: IntArray  # ports of a leaf's cage at the port rate, and at the rate of the uplinks:
    up_a_cage: IntArray  # both 1 where the rates are equal, so that every port counts alone
    cage_links: IntArray  # of a leaf: uplinks begin in a cage of their own
    down_named: BoolArray
    up_named: BoolArray
    grows: BoolArray  # a number of nodes to grow to is named, if only that of today
    symmetric: BoolArray  # OpenSM's fat-tree routing wants all pods alike
    pods_alike: BoolArray  # the last pod, though smaller, has as many spines as the others
    last_pod_even: BoolArray  # it shares its nodes evenly over its leaves: as many as the others have, if symmetric
    pods_of_today: BoolArray  # pods are as large as today's nodes need (size.py)
    leaf_cents: IntArray
    spine_cents: IntArray
    core_cents: IntArray
    link_end_cents: IntArray

    def copy(self) -> Self:
        """Columns of their own, to write choices into."""
        return self.each(lambda column: column.copy())

    def rows(self) -> list[tuple[int, ...]]:
        """The values of each request."""
        return list(zip(*(column.tolist() for column in self.__dict__.values()), strict=True))

    def write(self, rows: IntArray | slice, other: Self) -> None:
        """Put the columns of ``other`` into these rows of a copy."""
        for name in column_names(type(self)):
            getattr(self, name)[rows] = getattr(other, name)


@dataclass(frozen=True)
class Leaves(Columns):
    """The leaf layer of one component, before tiers are chosen; columns."""

    downlinks: IntArray  # leaf ports towards nodes
    uplinks_most: IntArray
    uplinks_needed: IntArray  # for the fullest leaf, at the ratio requested
    capacity: IntArray  # endpoints that a leaf's downlinks hold
    unit_nodes: IntArray  # 0: one unit of all nodes, filled in node order
    columns: IntArray  # leaves that one unit has side by side: one a rail, or a group of rails
    built_nodes: IntArray  # nodes built for: whole units with full_unit
    grown_nodes: IntArray  # the same for the design as it may grow
    fullest: IntArray  # endpoints that the fullest leaf is built for, growth included


@dataclass(frozen=True)
class Sizing:
    """Counts of many designs; columns of shape (n_variants,), over the whole design unless they say otherwise.

    ``tiers`` is 0 where no fabric of these parts meets the request: designs/refusals.py says why and what would work.
    """

    asked: Asked
    leaves: Leaves
    tiers: IntArray
    rows: IntArray  # leaves of one column of one component
    n_leaf: IntArray
    n_spine: IntArray
    n_core: IntArray
    uplinks: IntArray  # of each leaf
    group_spines: IntArray  # spines of a group: of a component (two tiers), of a full pod's group (three)
    last_group_spines: IntArray
    pods: IntArray  # of a component
    pod_rows: IntArray
    last_pod_rows: IntArray
    spine_up: IntArray  # uplinks of a spine in a full pod
    last_spine_up: IntArray
    last_spine_up_held: IntArray  # as last_spine_up, once the design has grown: cores hold ports for as many
    spine_up_most: IntArray  # of any spine of the grown design
    core_groups: IntArray  # of a component
    cores_a_group: IntArray
    grown_last_spines: IntArray  # spines of a group in the last pod of the design as it may grow; 0: all pods are alike
    endpoints: IntArray
    manager_links_placed: IntArray
    links_leaf_spine: IntArray
    links_spine_core: IntArray

    def __len__(self) -> int:
        return len(self.tiers)


def uplinks_for(ports: IntArray, asked: Asked) -> IntArray:
    """Uplinks that carry the traffic of so many ports to nodes at the ratio requested, whatever the rates."""
    return ceil_div(ports * asked.ratio_up * asked.port_rate_gbit_s, asked.ratio_down * asked.uplink_rate_gbit_s)


def downlinks_for(uplinks: IntArray, asked: Asked) -> IntArray:
    """Ports to nodes that so many uplinks serve at the ratio requested."""
    return uplinks * asked.ratio_down * asked.uplink_rate_gbit_s // (asked.ratio_up * asked.port_rate_gbit_s)


def uplinks_beside(ports: IntArray, asked: Asked) -> IntArray:
    """Uplinks for which a leaf has ports when so many face nodes; a cage has ports of one rate."""
    return (asked.leaf_ports - ports) // asked.down_a_cage * asked.up_a_cage


def downlinks_beside(uplinks: IntArray, asked: Asked) -> IntArray:
    """Ports to nodes for which a leaf has room beside so many uplinks."""
    return asked.leaf_ports - ceil_div(uplinks, asked.up_a_cage) * asked.down_a_cage


def downlinks_by_ratio(asked: Asked) -> IntArray:
    """Most ports to nodes for which a leaf has, beside them, the uplinks that the ratio asks for."""
    down = asked.ratio_down * asked.uplink_rate_gbit_s * asked.up_a_cage
    up = asked.ratio_up * asked.port_rate_gbit_s * asked.down_a_cage
    ports: IntArray = asked.leaf_ports * down // (down + up)
    while (short := (uplinks_for(ports, asked) > uplinks_beside(ports, asked)) & (ports > 0)).any():
        ports = ports - short  # uplinks of a rate of their own fill whole cages
    return ports


def spine_downlinks(asked: Asked) -> IntArray:
    """Ports of a three-tier spine that face leaves: its half at 1:1, more above."""
    return asked.spine_ports * asked.spine_ratio_down // (asked.spine_ratio_down + asked.spine_ratio_up)
