"""What the tables of a result call their figures, by the key of their help: block of the help page → key → title."""

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
