"""What a design is called that nobody has named: by what it is, such as "2,048 × H100, NDR"."""

import re

from estimator.catalog.catalog import Catalog
from estimator.spec.design import DesignSpec

_EVEN = "1:1"
_BEYOND_A_NAME = re.compile(r" (\d+GB\b|SXM\d*\b|PCIe\b|\().*|^Instinct ")  # memory, form and notes of a GPU's model


def name_of_what_it_is(spec: DesignSpec, catalog: Catalog) -> str:
    """GPUs, what they are, the generation of their network, and its oversubscription where there is one."""
    compute, fabric = spec.compute, spec.fabric
    gpus = (compute.nodes or 0) * (compute.gpus_per_node or 0)
    gpu = catalog.gpus.get(compute.gpu or "")
    what = f"{gpus:,} × {_BEYOND_A_NAME.sub('', gpu.model)}" if gpu else f"{gpus:,} GPUs"
    generation = catalog.generations[fabric.generation].label.removeprefix("InfiniBand ")
    over = "" if fabric.oversubscription == _EVEN else f", {fabric.oversubscription}"
    return f"{what}, {generation}{over}"
