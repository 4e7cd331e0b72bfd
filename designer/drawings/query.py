"""What an address asks of the fabric tab, and the addresses that the tab's links have."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from designer.drawings.words import MODES
from designer.services.shown_page import ShownPage
from designer.wording.query import MAX_DIGITS, one_of
from estimator.diagrams.failure import MOST_DOWN
from estimator.diagrams.scope import MOST_LETTERS
from estimator.digits import is_whole_number
from estimator.record import Given, Json

TAB = "fabric"
ANCHOR = "fabric"


@dataclass(frozen=True)
class Asked:
    """The state of the tab, whole: which fabric, which part of it, cut how, from which part on, colours, what is down."""

    role: str
    first_role: str
    at: str = ""
    by: str = ""
    start: int = 0
    colour: str = "role"
    down: tuple[str, ...] = field(default=())
    find: str = ""

    def query(self, **changes: Any) -> dict[str, str]:
        """The address's query with some keys changed; another part begins again, and what is usual is left out."""
        if "at" in changes:
            changes = {"by": "", "start": 0, **changes}
        if "fabric" in changes:
            changes = {"at": "", "by": "", "start": 0, "down": (), **changes}
        if "by" in changes:
            changes = {"start": 0, **changes}
        role = changes.get("fabric", self.role)
        down: Sequence[str] = changes.get("down", self.down)
        colour = changes.get("colour", self.colour)
        values: Json = {
            "tab": TAB,
            "fabric": role if role != self.first_role else "",
            **{key: changes.get(key, getattr(self, key)) for key in ("at", "by", "start")},
            "colour": "" if colour == "role" else colour,
            "down": ",".join(down),
        }
        return {key: str(value) for key, value in values.items() if value not in ("", 0, None)}

    def href(self, page: ShownPage, **changes: Any) -> str:
        """The address of the page with some keys changed."""
        return page.link(self.query(**changes), ANCHOR)


def asked_of(query: Given, roles: Sequence[str]) -> Asked:
    """What a query asks for; nonsense reads as the usual."""
    start = str(query.get("start") or "")
    names = [
        name.strip()[: 2 * MOST_LETTERS] for name in str(query.get("down") or "").split(",", MOST_DOWN)[:MOST_DOWN]
    ]
    return Asked(
        role=one_of(query.get("fabric"), roles),
        first_role=roles[0],
        at=_text(query.get("at")),
        by=_text(query.get("by")),
        start=int(start) if is_whole_number(start, MAX_DIGITS) else 0,
        colour=one_of(query.get("colour"), MODES),
        down=tuple(dict.fromkeys(name for name in names if name)),
        find=_text(query.get("find")),
    )


def _text(value: Any) -> str:
    return str(value or "").strip().replace("\0", "")[:MOST_LETTERS]
