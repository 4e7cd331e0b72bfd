"""What the parts of a cost are called in files, in the order in which they are listed."""

from designer.wording.names import BOUGHT, RUNNING

TOTAL = "total"
CAPEX_NAMES = {**BOUGHT, TOTAL: "Purchase"}
ONE_OFF_NAMES = {
    "freight": "Freight and insurance",
    "contingency": "Contingency",
    "tax": "Tax and duty",
    "install": "Installation",
    "design": "Network design",
    "building": "Building",
    TOTAL: "One-off cost",
}
RUNNING_NAMES = {**RUNNING, TOTAL: "Running cost a year"}
FIGURE_NAMES = {"capex_usd": "Purchase", "tco_usd": "Total cost", "usd_per_gpu_hour": "Total cost a GPU-hour"}
