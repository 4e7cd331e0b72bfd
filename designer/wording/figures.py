"""Figures of an Estimate in words: "compute.counts.leaf" → "Leaf switches"."""

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
