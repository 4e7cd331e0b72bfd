"""Links between spines and cores of three tiers: core and ports of every link, and the cages that they fill.

One place deals them: the link table, cages and transceivers, failures and diagrams read from here. Ports are those of the
design once it has grown. A core that is bought later leaves its links to those that are there, in turn, on ports beyond
the ones that stay; growing moves these links and no other.
"""

from typing import NamedTuple

import numpy as np

from estimator.fabric.sized import SizedFabric, Wiring
from estimator.units import Column, IntArray


def first_uplink(ports: int, uplinks: int, downlinks: int, links_per_cage: int) -> int:
    """First port of the uplinks: the last ones, moved down to the start of a cage if downlinks leave it free.

    ``downlinks`` are all that there may be, so that growth moves nothing.
    """
    at_end = ports - uplinks
    aligned = at_end - at_end % links_per_cage
    return aligned if aligned >= downlinks else at_end


def first_spine_uplink(wiring: Wiring, links_per_cage: int) -> int:
    """First port of every spine that faces cores."""
    return first_uplink(wiring.spine_ports, wiring.spine_up_most, wiring.spine_ports_down, links_per_cage)


class CoreLinks(NamedTuple):
    """The uplinks of one column's spines, one entry a link: what is alike in all columns, and how they differ.

    A spine that has fewer uplinks than it will have once the design has grown leaves gaps, at its own ports and at the
    cores': ``held`` counts the uplinks that ports are held for, ``held_uplink`` numbers a link among them. ``place`` is
    what spines of the same set hold before this one in column 0, ``step`` how much more each further column puts before
    it, ``total`` what all of them hold. Of the core group's ``cores_held`` cores, ``cores`` are there.
    """

    spine: IntArray
    held: IntArray
    held_uplink: IntArray
    place: IntArray
    step: IntArray
    total: IntArray
    cores: IntArray
    cores_held: IntArray
    first_core: IntArray

    def meets(self, columns: int) -> tuple[Column, Column]:
        """(core, port of the core) of every link, shape (columns or 1, n_links)."""
        column = np.arange(columns)[:, None]
        if not (self.held % self.cores_held).any():
            a_pair = self.held // self.cores_held
            core = self.held_uplink // a_pair
            beyond = core // self.cores * (self.total // self.cores_held)
            port, step = (
                self.place // self.cores_held + self.held_uplink % a_pair + beyond,
                self.step // self.cores_held,
            )
            core = self.first_core + core % self.cores
            return core.astype(np.int32)[None], port.astype(np.int16) + column.astype(np.int16) * step.astype(np.int16)
        turn = self.place + self.held_uplink + column * self.step
        return (self.first_core + turn % self.cores).astype(np.int32), (turn // self.cores).astype(np.int16)


def core_links(wiring: Wiring) -> CoreLinks:
    """The links of one column of one component, those of all pods, one pod after the other."""
    groups, pods, columns = len(wiring.cores), wiring.pods, wiring.columns
    sets = np.arange(groups)
    in_full, in_last = (
        (n - sets + groups - 1) // groups for n in (wiring.spines, wiring.last_spines)
    )  # spines of a set
    pod = np.repeat(np.arange(pods), [wiring.spines] * (pods - 1) + [wiring.last_spines])
    number = np.concatenate([np.tile(np.arange(wiring.spines), pods - 1), np.arange(wiring.last_spines)])
    own_set, is_last = number % groups, pod == pods - 1
    uplinks = np.where(is_last, wiring.last_spine_up, wiring.spine_up)
    held = np.where(is_last, wiring.last_spine_up_held, wiring.spine_up)
    step = np.where(is_last, in_last[own_set], in_full[own_set]) * held
    place = pod * columns * in_full[own_set] * wiring.spine_up + number // groups * held
    total = columns * ((pods - 1) * in_full * wiring.spine_up + in_last * wiring.last_spine_up_held)
    cores, cores_held = np.array(wiring.cores), np.array(wiring.cores_held)
    link = np.repeat(np.arange(len(number)), uplinks)
    uplink = np.arange(len(link)) - np.repeat(np.cumsum(uplinks) - uplinks, uplinks)
    return CoreLinks(
        spine=link,
        held=held[link],
        held_uplink=_held_uplink(uplink, uplinks[link], held[link], cores_held[own_set][link]),
        place=place[link],
        step=step[link],
        total=total[own_set][link],
        cores=cores[own_set][link],
        cores_held=cores_held[own_set][link],
        first_core=(np.cumsum(cores) - cores)[own_set][link],
    )


def _held_uplink(uplink: IntArray, uplinks: IntArray, held: IntArray, cores: IntArray) -> IntArray:
    """Number of a link among those that ports are held for: each core's links come first among the core's."""
    a_pair = np.maximum(uplinks // cores, 1)
    held_a_pair = np.where(uplinks < held, held // cores, a_pair)
    number: IntArray = uplink // a_pair * held_a_pair + uplink % a_pair
    return number


def has_gaps(wiring: Wiring) -> bool:
    """Whether links to cores leave ports between them open, or go beyond them: cages then follow the single ports."""
    return wiring.last_spine_up < wiring.last_spine_up_held or wiring.cores != wiring.cores_held


def may_pair_up(wiring: Wiring, links_per_cage: int) -> bool:
    """Whether the links of a cage between spines and cores all end in one cage on the far side."""
    ups = [wiring.last_spine_up, wiring.last_spine_up_held] + ([wiring.spine_up] if wiring.pods > 1 else [])
    starts_cage = first_spine_uplink(wiring, links_per_cage) % links_per_cage == 0
    return starts_cage and not any(up % (cores * links_per_cage) for cores in set(wiring.cores_held) for up in ups)


def filled_cages(fabric: SizedFabric, links_a_spine_cage: int, links_a_core_cage: int) -> tuple[IntArray, IntArray]:
    """(of every spine, of every core) the cages that links between them fill."""
    wiring = fabric.wiring
    links = core_links(wiring)
    port = first_spine_uplink(wiring, links_a_spine_cage) + links.held_uplink
    of_spine = _cages(links.spine, port, links_a_spine_cage, fabric.n_spine // (fabric.n_components * wiring.columns))
    core, core_port = np.broadcast_arrays(*links.meets(wiring.columns))
    of_core = _cages(core.ravel(), core_port.ravel(), links_a_core_cage, sum(wiring.cores))
    return np.tile(of_spine, fabric.n_components * wiring.columns), np.tile(of_core, fabric.n_components)


def _cages(device: Column, port: Column, links_per_cage: int, n_devices: int) -> IntArray:
    """Cages of each device that its ports fill."""
    cage = port.astype(np.int64) // links_per_cage
    width = int(cage.max()) + 1
    filled = np.zeros(n_devices * width, dtype=bool)
    filled[device * width + cage] = True
    return filled.reshape(n_devices, width).sum(axis=1)
