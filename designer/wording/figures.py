"""Figures of an Estimate in words: "compute.counts.leaf" → "Leaf switches"; and what the tables of a result call theirs."""

from designer.wording.numbers import words

WORDS = {
    "tiers": "Tiers",
    "counts.gpus": "GPUs", "counts.nodes": "Servers", "counts.endpoints": "Ports joined", "counts.leaf": "Leaf switches",
    "counts.spine": "Spine switches", "counts.core": "Core switches", "counts.switches": "Switches",
    "links.node_leaf": "Node–leaf links", "links.leaf_spine": "Leaf–spine links", "links.spine_core": "Spine–core links",
    "links.fabric_manager": "Fabric-manager links", "links.leaf_leaf": "Links within pairs",
    "cables.node_leaf": "Node–leaf cables", "cables.leaf_spine": "Leaf–spine cables",
    "transceivers.node": "Transceivers at servers", "transceivers.switch": "Transceivers at switches",
    "transceivers.fabric_manager": "Transceivers at fabric managers", "ports.leaf_down_used": "Leaf ports in use",
    "split.pods": "Pods", "split.nodes_per_leaf": "Servers of a leaf", "split.scalable_unit_nodes": "Servers of a unit",
    "oversubscription.built": "Oversubscription as built", "injection_gbit_s": "Injection bandwidth",
    "uplinks.links": "Uplinks", "attached.uplink": "Ports to uplinks", "attached.endpoint": "Ports to other devices",
    "attached.switch": "Ports to switches", "attached.switch:compute": "Ports to compute switches",
    "attached.switch:storage": "Ports to storage switches", "attached.switch:in-band": "Ports to in-band switches",
    "attached.manager": "Ports to fabric managers", "attached.manager:compute": "Ports to compute managers",
    "attached.pdu": "Ports to PDUs",
}  # fmt: skip
COMPUTE, BILL = "compute", "bom"


def figure_words(name: str, models: dict[str, str] | None = None) -> str:
    """A figure's dotted name in words, its network in front where that is not the compute one.

    ``models`` names parts of the bill of materials.
    """
    if "/" in name:
        over, under = name.split("/")
        return f"{figure_words(over)} ÷ {figure_words(under)[0].lower()}{figure_words(under)[1:]}"
    if "+" in name:
        first, *rest = name.split("+")
        shown = [figure_words(first, models), *(figure_words(part, models).rpartition(": ")[2] for part in rest)]
        return " + ".join([shown[0], *(text[0].lower() + text[1:] for text in shown[1:])])
    network, _, figure = name.partition(".")
    if network == BILL:
        return f"{(models or {}).get(figure, figure)}, pieces in the bill of materials"
    said = WORDS[figure]
    return said if network == COMPUTE else f"{words(network).capitalize()}: {said[0].lower()}{said[1:]}"


# ---------------------------------------------------------------- tables of a result

RESULT_FIGURES: dict[str, dict[str, str]] = {
    "Counts": {
        "counts.servers": "Servers", "counts.leaf": "Leaf switches", "counts.spine": "Spine switches",
        "counts.core": "Core switches", "counts.ports_joined": "Ports joined", "counts.node_leaf": "Node–leaf links",
        "counts.fabric_manager": "Fabric-manager links", "counts.leaf_spine": "Leaf–spine links",
        "counts.spine_core": "Spine–core links", "counts.links": "Links", "counts.open_ports": "Open ports",
        "counts.spine_oversubscription": "Spine oversubscription", "counts.injection": "Injection",
        "counts.bisection": "Bisection",
    },
    "Cost and power": {
        "money.range": "Low, typical, high", "money.likely": "Simulated: P5, P50, P95",
        "money.network": "Network", "money.servers": "Servers’ price",
        "money.facility": "Racks and cooling", "money.one_off": "Freight, installation, contingency",
        "money.electricity": "Electricity a year", "money.network_per_gpu": "Network per GPU",
        "money.network_share": "Network share of price", "power.network": "Network’s power",
        "power.facility": "Power with cooling", "power.maximum": "Maximum power",
    },
    "Bill of materials": {
        "bom.quantity": "Quantity", "bom.unit_price": "Unit price", "bom.price": "Price of a line",
        "bom.power": "Power of a line", "bom.basis": "Basis",
    },
    "Predicted performance": {
        "perf.scattered": "Ranks scattered at random", "perf.evidence": "Evidence", "perf.limited_by": "Limited by",
        "perf.busbw": "Bus bandwidth", "perf.line_share": "Of the line rate", "perf.line_rate": "Line rate",
        "perf.line_rate_of": "Set by", "perf.algorithm": "Algorithm", "perf.half_bandwidth": "Half bandwidth at",
        "perf.small_time": "Time of a small message", "perf.alltoall": "All-to-all", "perf.steps": "What one step more buys",
    },
    "Pictures of the fabric": {
        "fabric_view.load": "Load", "fabric_view.ratio": "Ratio of a bundle", "fabric_view.left": "Links up",
        "fabric_view.rate": "Rate of a link", "fabric_view.together": "Rate together",
        "fabric_view.uplinks_left": "Uplinks of leaves left",
        "fabric_view.core_links_left": "Links to cores left", "fabric_view.after": "Bus bandwidth after a loss",
    },
    "Cabling": {
        "cabling.medium": "Medium", "cabling.length": "Length", "cabling.links": "Links of a run", "cabling.cables": "Cables",
        "cabling.modules": "Transceivers", "cabling.cages": "Cages",
    },
    "Racks": {
        "racks.racks": "Racks", "racks.floor": "Floor", "racks.power": "Most power in a rack", "racks.weight": "Heaviest rack",
    },
    "Findings and failures": {
        "findings.severity": "Findings", "failures.cut_off": "Cut off", "failures.keeps": "What is kept",
        "failures.fullest_leaf": "Fullest leaf", "failures.job": "A job on all servers", "failures.a_year": "Failures a year",
        "failures.stops": "Stops of a job", "failures.any_cause": "Stops of any cause", "failures.rate": "Rate of failure",
        "failures.spares": "Spares and how long they last", "growth.readiness": "Growth",
        "phases.bought": "Phases: bought", "phases.recabled": "Phases: recabled", "phases.stranded": "Phases: stranded",
        "phases.years": "Phases: cost by year",
    },
}  # fmt: skip
RESULT_TITLES = {key: title for block in RESULT_FIGURES.values() for key, title in block.items()}
# Charts and sections of a result, by the ids that they have on the page: what a comment can be about beside figures.
RESULT_PARTS = {
    f"chart.{key}": title
    for key, title in {
        "busbw": "All-reduce by message size",
        "scaling": "All-reduce scaling by GPUs",
        "purchase": "Purchase price by part and network",
        "kinds": "Total cost by kind",
        "cash-flow": "Cash flow by year",
        "years-tco": "Total cost by years",
        "years-hour": "Cost of a GPU-hour by years",
        "book-value": "Depreciation",
        "rent-or-buy": "Rent or buy",
        "draws-capex-usd": "Purchase price: how likely",
        "draws-tco-usd": "Total cost: how likely",
        "draws-usd-per-gpu-hour": "Cost of a GPU-hour: how likely",
        "tornado": "What moves the cost most",
        "lengths": "Links by length",
        "link-levels": "Bandwidth from GPU memory to the core",
        "step-links": "What a step of training sends over which link",
        "decode-links": "What a decode step sends over which link",
        "busbw-by-size": "Bandwidth by message size",
        "time-by-size": "Time by message size",
        "efficiency": "Scaling efficiency",
        "designs": "Designs side by side",
        "run": "Predicted and measured",
        "step-parts": "Where the time of a step goes",
        "serving-front": "Speed for one reader against tokens for all",
    }.items()
} | {
    f"part.{key}": title
    for key, title in {
        "counts": "Counts",
        "cost": "Cost and power",
        "networks": "All networks",
        "bom": "Bill of materials",
        "advice": "InfiniBand or RoCE",
        "assumptions": "Assumptions and sources",
        "phases": "Growth in phases",
        "cost-figures": "Cost figures",
        "cost-where": "Where the money goes",
        "cost-when": "When it is spent",
        "cost-risk": "How sure the cost is",
        "cost-assumptions": "Assumptions of the cost",
        "cost-rent": "Rent or buy",
        "what-if": "What if",
        "by-count": "By GPU count",
        "steps": "What one step more buys",
        "fabric": "Picture of the fabric",
        "cabling": "Cabling",
        "crew-pack": "Crew pack",
        "schedule": "Cable schedule",
        "device": "Cables of a device",
        "floor": "Floor",
        "racks": "Racks",
        "rack-system": "Rack system",
        "findings": "Findings",
        "failures": "Failures",
        "expected": "Failures to expect",
        "growth": "Growth",
        "checklist": "Order of work",
        "acceptance": "Acceptance",
        "settings-there": "Settings of the site",
        "plan": "Settings",
        "paths": "Paths",
        "environment": "Environment of jobs",
        "settings-files": "Files of settings",
        "other-networks": "Other networks",
        "handoff": "Exports",
        "layouts": "Layouts of a training job",
        "training-traffic": "Traffic of a step",
        "pools": "Pools side by side",
        "placements": "Placements of a model",
        "links-of-a-gpu": "Links of a GPU",
        "launch-files": "Files to launch",
        "calibration": "Calibration",
    }.items()
}
