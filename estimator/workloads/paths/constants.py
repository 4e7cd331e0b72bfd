"""Constants of the ways between GPUs that the model of collectives lacks (workloads/paths/constants.csv)."""

from functools import cache
from pathlib import Path

from estimator.workloads.fitted import Stated, stated_constants


@cache
def path_constants() -> dict[str, Stated]:
    """Each by its name."""
    return stated_constants(Path(__file__).with_name("constants.csv"))
