"""The exports tab: every file that a fabric can be given away as, by who reads it."""

from itertools import groupby

from designer.wording.context import Context
from designer.wording.query import one_of
from estimator.handoff.formats import FORMATS
from estimator.record import Given
from estimator.result import Estimate

A_ROW_A_LINK = ("csv",)  # files whose lines are counted to say how far a download is


def handoff_context(estimate: Estimate, query: Given) -> Context:
    """Formats by group, the fabrics to choose from, and the size of the chosen one."""
    roles = list(estimate.fabrics)
    role = one_of(query.get("fabric"), roles)
    n_links = estimate.fabrics[role].links.total
    return {"role": role, "roles": roles, "format_groups": format_groups(), "n_links": n_links}


def format_groups() -> list[Context]:
    """Every format, under the name of who hands it on, in the order of FORMATS' first of each."""
    order = list(dict.fromkeys(form.group for form in FORMATS.values()))
    items = sorted(FORMATS.items(), key=lambda item: order.index(item[1].group))
    return [
        {
            "name": group,
            "formats": [{"key": key, "format": form, "counts_lines": key in A_ROW_A_LINK} for key, form in members],
        }
        for group, members in groupby(items, key=lambda item: item[1].group)
    ]
