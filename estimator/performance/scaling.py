"""Tables of times over GPU counts and message sizes → how a collective scales. Arrays in, arrays out.

Rows are GPU counts n, of which the first is the reference n0; columns are message sizes S as nccl-tests counts them.
docs/model.md, "Scaling", has the definitions.
"""

from typing import Any

import numpy as np

from estimator.performance.bandwidth import NIC, PCIE, Points
from estimator.units import FloatArray, IntArray

DIGITS = 5  # significant, of tables kept for pages: predictions are good to one or two


def line_rates(points: Points, collective: str) -> tuple[FloatArray, IntArray]:
    """The line-rate bound of busbw at each point [B/s], and what sets it (index into LIMITS).

    min(scale-up rate of a GPU, NICs of its domain together), rates as printed on the parts, without efficiency. Exchanges
    between pairs get one GPU's share of the NICs (all-to-all: × (n − 1)/(n − g), as the rest stays in the domain) or one
    NIC (send-receive). Reductions in switches and trees of two domains can pass it: they send fewer bytes than a ring.
    """
    columns, n, g = points.columns, points.n_ranks, points.domain_ranks
    over_pcie = g > columns.link_reach_gpus
    links = columns.link_byte_s * np.minimum(1.0, (g - 1) / np.maximum(columns.mesh_gpus - 1, 1))
    links = np.where(over_pcie, columns.pcie_byte_s, links)
    nics = columns.nics_per_domain * columns.nic_byte_s
    if collective == "alltoall":
        links = links * (n - 1) / np.maximum(g - 1, 1)
        nics = nics / g * (n - 1) / np.maximum(n - g, 1)
    elif collective == "sendrecv":
        nics = nics / np.maximum(np.minimum(columns.nics_per_domain, columns.domain_gpus), 1)
    links, nics = np.where(g > 1, links, np.inf), np.where(points.n_domains > 1, nics, np.inf)
    return np.minimum(links, nics), np.where(nics <= links, NIC, np.where(over_pcie, PCIE, columns.link_limit))


def weak_efficiency(time_s: FloatArray) -> FloatArray:
    """T(n0, S)/T(n, S): the same message on every GPU; times of shape (…, n_counts, n_sizes)."""
    return time_s[..., :1, :] / time_s


def strong_efficiency(n_ranks: Any, time_s: FloatArray, shrunk_s: FloatArray) -> FloatArray:
    """n0·T(n0, S)/(n·T(n, S·n0/n)): one amount of work, shared out over more GPUs.

    Parameters
    ----------
    n_ranks : int array, shape (n_counts,).
    time_s : float array, shape (…, n_counts, n_sizes); the first count is read. [s]
    shrunk_s : the same shape: times of the messages of ``shrunk_bytes``. [s]
    """
    return n_ranks[0] * time_s[..., :1, :] / (n_ranks[:, None] * shrunk_s)


def shrunk_bytes(n_ranks: Any, message_bytes: FloatArray) -> FloatArray:
    """S·n0/n, shape (n_counts, n_sizes). [B]"""
    return message_bytes * n_ranks[0] / n_ranks[:, None]


def half_bandwidth(busbw: FloatArray, message_bytes: FloatArray) -> FloatArray:
    """The smallest size at which busbw reaches half of its plateau, interpolated over ln S [B]; shape (n_counts,).

    The plateau is the most that a row reaches. A row that starts above half of it gets its first size.
    """
    half = busbw.max(axis=1) / 2
    after = np.argmax(busbw >= half[:, None], axis=1)
    before = np.maximum(after - 1, 0)
    rows = np.arange(len(busbw))
    low, high = busbw[rows, before], busbw[rows, after]
    share = np.where(high > low, (half - low) / np.where(high > low, high - low, 1.0), 0.0)
    ln_bytes = np.log(message_bytes)
    return np.exp(ln_bytes[before] + np.maximum(share, 0.0) * (ln_bytes[after] - ln_bytes[before]))


def significant(values: FloatArray, digits: int = DIGITS) -> FloatArray:
    """Values above or at 0, to so many significant digits, as the shortest decimals that say so."""
    exponent = np.floor(np.log10(np.where(values > 0, values, 1.0))) - (digits - 1)
    scale = 10.0 ** np.abs(exponent)
    return np.where(exponent < 0, np.round(values * scale) / scale, np.round(values / scale) * scale)
