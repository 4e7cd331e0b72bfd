"""Tiers of links by name, as keys of an Estimate and of the site have them."""

NODE_LEAF, LEAF_SPINE, SPINE_CORE, FABRIC_MANAGER = "node_leaf", "leaf_spine", "spine_core", "fabric_manager"
LEAF_LEAF = "leaf_leaf"  # within pairs of leaves of storage and management networks
SITE_TIERS = (NODE_LEAF, LEAF_SPINE, SPINE_CORE)  # those with keys of the site
TIERS = (NODE_LEAF, LEAF_SPINE, SPINE_CORE, FABRIC_MANAGER)
TIER_NAMES = (NODE_LEAF, FABRIC_MANAGER, LEAF_SPINE, SPINE_CORE, LEAF_LEAF)  # in the order of fabric.topology.TIERS


def site_field(tier: str) -> str:
    """The key of a tier's length; links of fabric managers and within pairs of leaves have none of their own."""
    return "site" if tier in (FABRIC_MANAGER, LEAF_LEAF) else f"site.{tier}_m"
