"""How layers are spread over the stages of a pipeline: the fullest stage sets the step and the memory.

Layers that do not divide are spread as ``--decoder-last-pipeline-num-layers`` of Megatron-Core does: all stages have the
same number, the last one, which has the head too, what is left. Where two layers more than there are divide evenly,
embedding and head count as one each (its ``--account-for-embedding-in-pipeline-split`` and the same for the loss). Where so
few are left that stages would stand empty, no stage is fuller than the fullest of this spread.
"""

from dataclasses import dataclass

import numpy as np

from estimator.units import BoolArray, IntArray, ceil_div


@dataclass(frozen=True)
class Stages:
    """Layers of a stage, those of all its virtual stages together, shape (n_steps,)."""

    first: IntArray  # beside the embedding
    fullest: IntArray
    last: IntArray  # beside the head
    counts_ends: BoolArray  # embedding and head each in place of a layer


def stages_of(layers: IntArray, pp: IntArray, virtual_stages: IntArray) -> Stages:
    """Layers of the stages of pipelines.

    Parameters
    ----------
    layers, pp, virtual_stages : int arrays that broadcast to shape (n_steps,); of the model, stages, and virtual ones a stage.
    """
    layers, pp, virtual_stages = np.broadcast_arrays(layers, pp, virtual_stages)
    chunks = pp * virtual_stages
    counts_ends = (pp > 2) & ((layers + 2) % chunks == 0)  # two stages are both ends: halves of the layers
    chunk = ceil_div(np.where(counts_ends, layers + 2, layers), chunks)
    fullest = chunk * virtual_stages
    left = np.maximum(layers - chunk * (chunks - 1), 0)
    return Stages(
        first=np.where(counts_ends, fullest - 1, fullest),
        fullest=fullest,
        last=np.where(counts_ends, fullest - 1, fullest - chunk + left),
        counts_ends=counts_ends,
    )


def layers_of_chunks(layers: int, pp: int, virtual_stages: int) -> list[int]:
    """Layers of each virtual stage in the model's order, embedding and head not counted, so that none is fuller than ``fullest``.

    As ``stages_of`` spreads them, or, where that leaves stages empty, the same or one fewer on each, the shorter ones last.
    """
    n_chunks = pp * virtual_stages
    found = stages_of(*(np.array([one]) for one in (layers, pp, virtual_stages)))
    chunk = int(found.fullest[0]) // virtual_stages
    if found.counts_ends[0]:
        return [chunk - 1, *[chunk] * (n_chunks - 2), chunk - 1]
    left = layers - chunk * (n_chunks - 1)
    if left > 0:
        return [*[chunk] * (n_chunks - 1), left]
    each, n_fuller = divmod(layers, n_chunks)
    return [each + (at < n_fuller) for at in range(n_chunks)]
