"""The aggregation manager of SHARP: sharp_am.cfg of every subnet of a design that counts on it.

Sources: NVIDIA SHARP documentation 3.1.0 to 3.13.0 (parameters, values; create with sharp_am -c, start with sharp_am -O).
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import worked_out
from estimator.bringup.renderings.infiniband.subnets import Subnet, subnets
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File

CONFIGURATION = "sharp_am.cfg"


def files(plan: Plan) -> Iterator[File]:
    """One file a subnet."""
    for subnet in subnets(plan):
        yield _manager(plan, subnet)


def _manager(plan: Plan, subnet: Subnet) -> File:
    page = Page(
        plan,
        f"/etc/sharp/{CONFIGURATION}: sharp_am -O /etc/sharp/{CONFIGURATION}, beside the subnet manager.",
        "Congestion control cannot be set on the levels of service that sharp_am uses (SHARP 3.6.0, 3371820).",
    )
    page.say("Form")
    page.put(plan.value("ib.sharp.form"))
    page.say("Trees")
    rails = {"layout": plan.links.fabric.layout}
    for key in ("dynamic_tree_allocation", "dynamic_tree_algorithm"):
        value = plan.value(f"ib.sharp.{key}", **rails)
        page.put(value, f"{key} {value.value}")
    trees = worked_out(
        "ib.sharp.max_trees_to_build",
        len(subnet.roots),
        "Highest switches of the subnet; NVIDIA SHARP documentation 3.1.0: at least the number of root switches",
        "With dynamic trees it is the number of skeleton trees",
    )
    page.put(trees, f"max_trees_to_build {trees.value}")
    return page.file(f"{subnet.folder}{CONFIGURATION}")
