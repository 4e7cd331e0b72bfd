"""NCCL's and UCX's environment: of the design's own fabric, and as known sites set theirs.

Names and defaults: NVIDIA NCCL user guide, "Environment Variables"; UCX documentation, environment parameters.
"""

from collections.abc import Iterator

from estimator.bringup.plan.facts import facts, is_known
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.handoff.launch.nccl_env import fabric_settings

GUIDE = "NVIDIA NCCL user guide, environment variables"
PREFIX = "nccl."
SITES = {
    "azure-ndv5": "infiniband",
    "azure-a100": "infiniband",
    "together": "infiniband",
    "oci": "ethernet",
    "nscale": "ethernet",
}


def files(plan: Plan) -> Iterator[File]:
    """``/etc/nccl.conf``, UCX's environment, and NCCL's of sites on such a network."""
    yield _nccl(plan)
    yield _ucx(plan)
    for site, protocol in SITES.items():
        if protocol == plan.protocol:
            yield _site(plan, site)


def devices(plan: Plan) -> Value:
    """The NICs of this fabric, in rail order."""
    names = [name for group in plan.nics() for name in group.ports]
    why = "Storage and management NICs carry no collective"
    return worked_out(
        "nccl.NCCL_IB_HCA", ",".join(names), "NICs of the server in the catalog, by their exact names", why
    )


def _nccl(plan: Plan) -> File:
    page = Page(plan, "/etc/nccl.conf of every host, or each line as an environment variable of the job.")
    hca = devices(plan)
    page.say("NICs")
    page.put(hca, f"NCCL_IB_HCA=={hca.value}")
    page.say("Paths")
    for name, value, why in fabric_settings(plan.links):
        page.put(worked_out(PREFIX + name, value, GUIDE, why), f"{name}={value}")
    page.say("Class of the packets")
    if plan.is_ethernet:
        tc = plan.value("data.nccl_tc")
        page.put(tc, f"NCCL_IB_TC={tc.value}")
    _put(plan, page, {})
    return page.file("nccl.conf")


def _put(plan: Plan, page: Page, where: dict[str, str]) -> None:
    for key in facts():
        if key.startswith(PREFIX) and is_known(key, protocol=plan.protocol, **where):
            value = plan.value(key, protocol=plan.protocol, **where)
            page.put(value, f"{key.removeprefix(PREFIX)}={value.value}")


def _site(plan: Plan, site: str) -> File:
    page = Page(plan, f"NCCL's environment as it is set at {site}: a start for machines there, not for this design.")
    page.say("Environment")
    for key in facts():
        rows = [row for row in facts()[key] if row.conditions.get("site") == site]
        if rows and key.startswith(PREFIX):
            value = plan.value(key, protocol=plan.protocol, site=site)
            page.put(value, f"{key.removeprefix(PREFIX)}={value.value}")
    return page.file(f"sites/{site}.conf")


def _ucx(plan: Plan) -> File:
    page = Page(plan, "UCX: set -a; . ucx.env; set +a, or each line as an environment variable of the job.")
    hca = devices(plan)
    page.say("NICs and class of the packets")
    page.put(hca, "UCX_NET_DEVICES=" + ",".join(f"{name}:1" for name in str(hca.value).split(",")))
    if plan.is_ethernet:
        tos, gid = plan.value("data.tos"), plan.value("nccl.NCCL_IB_GID_INDEX", protocol=plan.protocol)
        page.put(tos, f"UCX_IB_TRAFFIC_CLASS={tos.value}")
        page.put(gid, f"UCX_IB_GID_INDEX={gid.value}")
    else:
        level = plan.value("ib.data_sl")
        page.put(level, f"UCX_IB_SL={level.value}")
    return page.file("ucx.env")
