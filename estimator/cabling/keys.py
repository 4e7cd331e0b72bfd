"""Counting by keys over columns of links, without sorting them: keys are whole numbers from 0 and not far apart."""

import numpy as np

from estimator.cabling.media import Choice
from estimator.fabric.topology import LinkTable
from estimator.units import Column, IntArray


def first_of(key: Column, size: int) -> IntArray:
    """Index of the first entry with each key below ``size``; -1 where there is none."""
    first = np.full(size, -1, np.int64)
    first[key[::-1]] = np.arange(len(key) - 1, -1, -1)  # of repeated keys the last one written stays
    return first


def numbered(key: Column) -> IntArray:
    """Keys as numbers from 0, in the order in which they come."""
    dense = key - key.min()
    first = first_of(dense, int(dense.max()) + 1)[dense]
    opens = first == np.arange(len(dense))
    number: IntArray = (np.cumsum(opens) - 1)[first]
    return number


def longest_by(key: Column, values: Column) -> Column:
    """The largest value of each key."""
    out = np.zeros(int(key.max(initial=0)) + 1, values.dtype)
    np.maximum.at(out, key, values)
    return out


def cage_of_links(table: LinkTable, rows: slice, end: str) -> Column:
    """A number for the cage that each link of some rows has at one end ("a" or "b")."""
    device, cage = getattr(table, f"{end}_device")[rows], getattr(table, f"{end}_cage")[rows]
    key: Column = (device - device.min()) * np.int32(int(cage.max()) + 1) + cage
    return key


def cable_of_links(table: LinkTable, rows: slice, choice: Choice) -> Column:
    """A number for each link of some rows, alike for links that one twin or splitter cable of a choice serves."""
    return cage_of_links(table, rows, "a") if choice.is_twin else _splitters(table, rows, choice.links_per_cable)


def _splitters(table: LinkTable, rows: slice, links_per_cable: int) -> Column:
    """A number for each link of some rows, alike for links that one splitter of their upper cage serves."""
    lane = table.b_lane[rows]
    share = table.fabric.endpoints_per_port if int(lane.max(initial=0)) else 1
    place = table.b_port[rows].astype(np.int32) * np.int32(share) + np.maximum(lane, 1) - 1
    splitter = place // np.int32(links_per_cable)
    device = table.b_device[rows]
    key: Column = (device - device.min()) * np.int32(int(splitter.max(initial=0)) + 1) + splitter
    return key
