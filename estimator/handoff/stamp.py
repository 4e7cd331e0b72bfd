"""What every export file says of its origin: the design, its hash and the versions that its numbers rest on."""

import re

from estimator.cabling.links import LinkList


def title(links: LinkList) -> str:
    """The design and the fabric in one line."""
    printable = "".join(sign if sign.isprintable() else " " for sign in links.spec.name)
    name = " ".join(printable.split()) or "Unnamed design"
    return f"{name}, {links.role} fabric"


def origin(links: LinkList) -> dict[str, str]:
    """Spec hash and versions, as keys and values."""
    return {"spec_hash": links.spec_hash, **{f"{name}_version": text for name, text in links.versions.items()}}


def comments(links: LinkList, *more: str, mark: str = "# ") -> str:
    """Title, origin and further lines as comment lines."""
    stamped = ", ".join(f"{name} {text}" for name, text in origin(links).items())
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in (f"Clusterwright: {title(links)}", stamped, *more))


def slug(text: str, joined: str = "-", longest: int = 63) -> str:
    """Lower-case letters and digits, joined: a name that Kubernetes and containerlab take; may be empty."""
    return joined.join(re.findall(r"[a-z0-9]+", text.lower()))[:longest].strip(joined)
