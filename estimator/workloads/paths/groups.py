"""Times of collectives of parallel groups: ranks of a system that are not all of it, and share its links with others.

A group has ``n_ranks`` GPUs, ``domain_ranks`` of them in each scale-up domain that it touches, and its domains lie
``domains_apart`` from one another. All groups of a kind run at once, so a group has the links and NICs of its own GPUs and
no others: eight data-parallel groups that each have one GPU in every node have one NIC a node each.

The model of collectives answers for a system and message sizes. A search looks at 100,000 layouts of few distinct groups:
each group's times are tabulated once over sizes, and between two sizes of the table time is a line, as most of it is one
(latency and bytes over a bandwidth).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import Points, SystemColumns, points_of, system_columns
from estimator.performance.times import predict_times, system_floors
from estimator.record import Json
from estimator.units import FloatArray, IntArray, ceil_div

GRAPH = "graph"  # collectives of a step are launched ahead of time, or wait behind kernels that are
_STEPS_PER_DOUBLING = 3
_LEAST_EXPONENT, _MOST_EXPONENT = 6, 38  # 64 B to 256 GiB
_SIZES: FloatArray = np.exp2(
    np.arange(_LEAST_EXPONENT * _STEPS_PER_DOUBLING, _MOST_EXPONENT * _STEPS_PER_DOUBLING + 1) / _STEPS_PER_DOUBLING
)


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of layouts: the distinct ones, and which of them each layout has."""

    n_ranks: IntArray  # (n_distinct,)
    domain_ranks: IntArray  # (n_distinct,)
    domains_apart: IntArray  # (n_distinct,)
    index: IntArray  # (n_layouts,), or the shape that the groups were given in

    @property
    def n_domains(self) -> IntArray:
        """Scale-up domains that each distinct group touches: (n_distinct,)."""
        return np.asarray(ceil_div(self.n_ranks, self.domain_ranks))


def groups_of(n_ranks: Any, domain_ranks: Any, domains_apart: Any = 1) -> Groups:
    """Groups of layouts, integers ≥ 1 that broadcast against one another; at most ``n_ranks`` are in one domain."""
    shape = np.broadcast_shapes(np.shape(n_ranks), np.shape(domain_ranks), np.shape(domains_apart))
    ranks, inside, apart = (
        np.broadcast_to(np.asarray(one, dtype=np.int64), shape).ravel()
        for one in (n_ranks, domain_ranks, domains_apart)
    )
    inside = np.minimum(inside, ranks)
    apart = np.where(inside < ranks, apart, 1)  # of one domain there is no next one
    wide = int(inside.max(initial=1)) + 1, int(apart.max(initial=1)) + 1
    code, index = np.unique((ranks * wide[0] + inside) * wide[1] + apart, return_inverse=True)
    above, far = np.divmod(code, wide[1])
    many, few = np.divmod(above, wide[0])
    return Groups(many, few, far, index.reshape(shape))


class GroupTimes:
    """Seconds of collectives of groups on one system; tables are kept, so one object serves many calls.

    Parameters
    ----------
    system : keys of a prediction's system (docs/model.md); what is left out has its default.
    catalog, constants : GPUs, and constants of the model (the catalog's, or a site's own).
    launch : as in a prediction.
    reach_gpus : GPUs that scale-up links join, where fewer than the GPU's own would; PCIe joins the others of a domain.
    """

    def __init__(
        self,
        system: Json,
        catalog: Catalog,
        constants: ModelConstants,
        launch: str = GRAPH,
        reach_gpus: int | None = None,
    ) -> None:
        self.columns: SystemColumns = system_columns([system], catalog, constants)
        self._floors = system_floors(self.columns, constants)  # of the whole system, which was measured
        if reach_gpus is not None:
            reach = np.minimum(self.columns.link_reach_gpus, reach_gpus)
            self.columns = replace(self.columns, link_reach_gpus=reach)
        self.domain_gpus = int(self.columns.domain_gpus[0])
        self._constants = constants
        self._launch = launch
        self._tables: dict[tuple[str, str | None, int, int, int], FloatArray] = {}

    def seconds(self, collective: str, groups: Groups, message_bytes: Any, algorithm: str | None = None) -> FloatArray:
        """Times of one collective of each layout's group.

        Parameters
        ----------
        collective : one of COLLECTIVES; sizes are counted as nccl-tests does (of an all-gather, what each rank has in the
            end; of a reduce-scatter, what it has at first; of an all-to-all, what it sends to all, itself too).
        groups : of the layouts.
        message_bytes : float array that broadcasts against ``groups.index``. [B]
        algorithm : one that is forced, such as ``one_shot`` of serving engines; None for the fastest.

        Returns
        -------
        Seconds, in the broadcast shape: 0 for a group of one rank, and for messages of 0 bytes; infinite where nothing
        joins the group's ranks, or the forced algorithm does not exist there.
        """
        table = self._table(collective, algorithm, groups)
        sizes = np.asarray(message_bytes, dtype=np.float64)
        sizes, index = np.broadcast_arrays(sizes, groups.index)
        at = np.log2(np.maximum(sizes, _SIZES[0])) * _STEPS_PER_DOUBLING - _LEAST_EXPONENT * _STEPS_PER_DOUBLING
        cell = np.minimum(at.astype(np.int64), len(_SIZES) - 2)
        first, second = table[index, cell], table[index, cell + 1]
        # Beyond the largest size the last line goes on; below the smallest all is latency.
        share = (np.maximum(sizes, _SIZES[0]) - _SIZES[cell]) / (_SIZES[cell + 1] - _SIZES[cell])
        with np.errstate(invalid="ignore"):  # of what is infinite
            time_s = np.where(np.isinf(first), np.inf, first + share * (second - first))
        return np.where(sizes > 0, time_s, 0.0)

    def _table(self, collective: str, algorithm: str | None, groups: Groups) -> FloatArray:
        """Times of the distinct groups at the sizes of the table: (n_distinct, n_sizes)."""
        kinds = list(
            zip(groups.n_ranks.tolist(), groups.domain_ranks.tolist(), groups.domains_apart.tolist(), strict=True)
        )
        missing = [kind for kind in kinds if (collective, algorithm, *kind) not in self._tables]
        if missing:
            points = self._points(*zip(*missing, strict=True))
            floors = None if self._floors is None else np.repeat(self._floors, len(missing))
            times = predict_times(points, _SIZES[None, :], self._constants, collective, algorithm, floors=floors)
            self._tables |= {
                (collective, algorithm, *kind): row for kind, row in zip(missing, times.time_s, strict=True)
            }
        return np.array([self._tables[collective, algorithm, *kind] for kind in kinds]).reshape(-1, len(_SIZES))

    def points(self, groups: Groups) -> Points:
        """The distinct groups as points of the model of collectives: arrays of shape (n_distinct,)."""
        return self._points(groups.n_ranks, groups.domain_ranks, groups.domains_apart)

    def _points(self, n_ranks: Any, domain_ranks: Any, domains_apart: Any) -> Points:
        """Groups as systems of their own: a domain has the group's GPUs and their NICs, a leaf as many domains as before."""
        ranks, inside, apart = (np.array(column, dtype=np.int64) for column in (n_ranks, domain_ranks, domains_apart))
        system = self.columns.take(np.zeros(len(ranks), dtype=np.int64))
        inside = np.minimum(inside, system.domain_gpus)
        in_node = np.maximum(inside * system.gpus_per_node // system.domain_gpus, 1)
        per_domain = system.domain_gpus / system.gpus_per_node  # nodes; below 1 where a node has several domains
        spread = (inside / in_node) / (per_domain * np.maximum(apart, 1))  # leaves hold as many of the group's domains
        own = replace(
            system,
            domain_gpus=inside,
            gpus_per_node=in_node,
            nics_per_node=system.nics_per_node * in_node / system.gpus_per_node,
            nodes_per_leaf=system.nodes_per_leaf * spread,
            nodes_per_pod=system.nodes_per_pod * spread,
            last_pod_from=system.last_pod_from * spread,
            last_pod_nodes=system.last_pod_nodes * spread,
            failed_nics=system.failed_nics * in_node / system.gpus_per_node,
        )
        return points_of(own, ranks, self._launch, self._constants)
