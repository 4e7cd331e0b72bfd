"""Predicted bandwidth of candidates on all of their GPUs: systems that differ in ratios alone are one, with columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.designs.system import system_of
from estimator.performance.bandwidth import ANY_NUMBER, complete_system, gpu_facts, points_of, system_columns
from estimator.performance.result import BuiltSystem
from estimator.performance.shares import balance_share
from estimator.performance.times import DESIGN_LAUNCH, predict_times
from estimator.record import Json
from estimator.search.columns.cables import Alike
from estimator.search.columns.kinds import most_of, nodes_per_leaf, nodes_per_pod
from estimator.spec.calibration import constants_of
from estimator.units import FloatArray, IntArray, byte_s_to_gb_s, parse_ratio

COLLECTIVE_OF = {"all_reduce_gb_s": "all_reduce", "all_to_all_gb_s": "alltoall"}
Wanted = tuple[str, int]  # a figure of COLLECTIVE_OF and a message size


@dataclass(frozen=True)
class Ratios:
    """What of a system differs between candidates, shape (n,)."""

    oversubscription: FloatArray
    spine_oversubscription: FloatArray
    nodes_per_leaf: IntArray
    nodes_per_pod: IntArray
    last_pod_from: IntArray
    last_pod_nodes: IntArray
    last_pod_oversubscription: FloatArray
    n_gpus: IntArray


def worst_leaf(found: Alike) -> tuple[IntArray, IntArray]:
    """The oversubscription of the worst leaf of each candidate, as two integers: fed and carried, Gb/s; 1 in one tier."""
    fabric, leaves, n = found.fabric, found.leaves, len(found)
    fed = np.maximum(leaves.endpoints, leaves.positions) * fabric.endpoint_rate_gbit_s
    most = most_of(leaves.of, fed, n)  # all leaves of a design have as many uplinks
    up = found.sizing.uplinks * fabric.uplink_rate_gbit_s
    return np.where(up > 0, most, 1), np.where(up > 0, up, 1)


def worst_pod(found: Alike) -> FloatArray:
    """Oversubscription of the spines of each candidate's worst pod, 1 below three tiers; full pods and the last may differ."""
    sizing = found.sizing
    has_full, has_last = (sizing.tiers == 3) & (sizing.pods > 1), sizing.tiers == 3
    full = sizing.pod_rows * sizing.uplinks / np.maximum(sizing.group_spines * sizing.spine_up, 1)
    last = sizing.last_pod_rows * sizing.uplinks / np.maximum(sizing.last_group_spines * sizing.last_spine_up, 1)
    return np.asarray(np.where(has_last, np.maximum(np.where(has_full, full, 0.0), last), 1.0))


def last_pod(found: Alike, pod: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """As ``ratios.last_pod_of``, of many: (nodes before, nodes, ratio); where there is none, as a system without it."""
    sizing, fabric = found.sizing, found.fabric
    asked, columns = sizing.asked, sizing.leaves.columns
    before = (sizing.pods - 1) * pod
    nodes = asked.nodes - before
    has = (sizing.tiers == 3) & (sizing.pods > 1) & (nodes > 0) & (nodes < pod)
    links = asked.n_components * columns * sizing.last_group_spines * sizing.last_spine_up
    fed = nodes * fabric.nic_ports_per_node * fabric.endpoint_rate_gbit_s
    ratio = np.where(has, fed / np.maximum(links * fabric.uplink_rate_gbit_s, 1), 1.0)
    return np.where(has, before, ANY_NUMBER), np.where(has, nodes, ANY_NUMBER), ratio


def ratios_of(found: Alike, catalog: Catalog) -> Ratios:
    """As ``system_of``, of many."""
    spec, fabric, n = found.spec, found.fabric, len(found)
    share = Fraction(fabric.endpoint_rate_gbit_s * fabric.nic_ports_per_node, spec.compute.nics_per_node or 1)
    slower = Fraction(str(system_of(spec, fabric, catalog).nic_gbit_s)) / share
    fed, up = worst_leaf(found)
    down, above = fed * slower.numerator, up * slower.denominator
    fullest = most_of(found.leaves.of, found.leaves.endpoints, n)
    pod = nodes_per_pod(found.sizing)
    last_from, last_nodes, last_ratio = last_pod(found, pod)
    return Ratios(
        oversubscription=down / above,
        spine_oversubscription=worst_pod(found),
        nodes_per_leaf=nodes_per_leaf(found.sizing, fullest),
        nodes_per_pod=pod,
        last_pod_from=last_from,
        last_pod_nodes=last_nodes,
        last_pod_oversubscription=last_ratio * float(slower),
        n_gpus=found.sizing.asked.gpus,
    )


def ratio_table(ratios: Ratios) -> FloatArray:
    """A row a candidate, its columns those of ``Ratios``."""
    return np.stack([getattr(ratios, name) for name in Ratios.__annotations__], axis=1).astype(np.float64)


def bandwidths(
    groups: Sequence[Alike], wanted: Sequence[Wanted], catalog: Catalog
) -> list[Mapping[Wanted, FloatArray]]:
    """Bus bandwidth of each wanted collective and size on all GPUs, shape (n,) of each group [GB/s]; NaN without a known GPU.

    Groups whose systems differ in ratios alone are predicted together: a prediction takes as long for one row as for many.
    """
    out: list[Mapping[Wanted, FloatArray]] = [dict.fromkeys(wanted, np.full(len(one), np.nan)) for one in groups]
    alike: dict[tuple[str, str], list[tuple[int, FloatArray]]] = {}
    for at, one in enumerate(groups if wanted else ()):
        if one.spec.compute.gpu is not None:
            used = one.spec.workload.calibration
            key = repr(_without_ratios(system_of(one.spec, one.fabric, catalog))), used.hash if used else ""
            alike.setdefault(key, []).append((at, ratio_table(ratios_of(one, catalog))))
    for same in alike.values():
        first = groups[same[0][0]]
        system, calibration = system_of(first.spec, first.fabric, catalog), first.spec.workload.calibration
        few, again = np.unique(np.concatenate([table for _, table in same]), axis=0, return_inverse=True)
        made = _predicted(system, few, wanted, catalog, constants_of(catalog, calibration))
        ends = np.cumsum([len(table) for _, table in same])[:-1]
        parts = {one: np.split(column[again.ravel()], ends) for one, column in made.items()}
        for place, (at, _) in enumerate(same):
            out[at] = {one: columns[place] for one, columns in parts.items()}
    return out


def _without_ratios(system: BuiltSystem) -> BuiltSystem:
    """A system as all those are that differ in what ``Ratios`` has."""
    return system.but(
        oversubscription="",
        spine_oversubscription="",
        nodes_per_leaf=0,
        nodes_per_pod=0,
        last_pod_from=None,
        last_pod_nodes=None,
        last_pod_oversubscription=None,
    )


def of_system(
    system: BuiltSystem, n_gpus: int, wanted: Sequence[Wanted], catalog: Catalog, constants: ModelConstants
) -> dict[Wanted, float]:
    """Bandwidths of one system. [GB/s]"""
    over, spine = (float(parse_ratio(text)) for text in (system.oversubscription, system.spine_oversubscription))
    last = (
        system.last_pod_from or ANY_NUMBER,
        system.last_pod_nodes or ANY_NUMBER,
        float(parse_ratio(system.last_pod_oversubscription or "1:1")),
    )
    row = np.array([[over, spine, system.nodes_per_leaf, system.nodes_per_pod, *last, n_gpus]], dtype=np.float64)
    return {one: float(column[0]) for one, column in _predicted(system, row, wanted, catalog, constants).items()}


def _predicted(
    system: BuiltSystem, table: FloatArray, wanted: Sequence[Wanted], catalog: Catalog, constants: ModelConstants
) -> dict[Wanted, FloatArray]:
    """Bandwidths of one system with the ratios of each row of ``table``, whose columns are those of ``Ratios``."""
    one = system.as_request()
    columns = system_columns([one], catalog, constants).take(np.zeros(len(table), dtype=np.int64))
    columns = replace(
        columns,
        oversubscription=table[:, 0],
        spine_oversubscription=table[:, 1],
        nodes_per_leaf=table[:, 2],
        nodes_per_pod=table[:, 3],
        last_pod_from=table[:, 4],
        last_pod_nodes=table[:, 5],
        last_pod_oversubscription=table[:, 6],
        balance_share=_balance(one, table, catalog, constants),
    )
    points = points_of(columns, table[:, 7].astype(np.int64), DESIGN_LAUNCH, constants)
    out = {}
    for figure, n_bytes in wanted:
        size = np.array([[float(n_bytes)]])
        out[figure, n_bytes] = byte_s_to_gb_s(
            predict_times(points, size, constants, COLLECTIVE_OF[figure]).busbw_byte_s[:, 0]
        )
    return out


def _balance(system: Json, table: FloatArray, catalog: Catalog, constants: ModelConstants) -> FloatArray:
    """Share of their rate that uplinks carry: of hashed flows it depends on the ratio and the nodes below a leaf."""
    full = complete_system(system, gpu_facts(catalog.gpus[system["gpu"]], constants))
    pairs, again = np.unique(table[:, [0, 2]], axis=0, return_inverse=True)
    shares = [balance_share(full | {"nodes_per_leaf": below}, ratio, constants) for ratio, below in pairs.tolist()]
    return np.array(shares)[again.ravel()]
