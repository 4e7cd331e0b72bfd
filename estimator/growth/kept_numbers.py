"""Numbers on labels of a phase: a cable that stays keeps its own, and no other cable gets one that was in use before.

A design by itself counts its cables tier by tier, so that a phase with more nodes would give its first uplink the number of a
node's cable, while the label of another cable in the hall still says that number.
"""

from dataclasses import replace

import numpy as np

from estimator.cabling.links import LinkList
from estimator.growth.recabling import cables_of


def with_kept_numbers(before: LinkList, after: LinkList) -> LinkList:
    """A network of a phase, its cables that are new or led elsewhere numbered on from the last of the phase before."""
    was, following = {}, 1
    for cable in cables_of(before):
        was[cable.ends] = cable
        following = max(following, cable.number + cable.pieces)
    numbers = np.zeros(int(after.cabling.cable.max(initial=0)) + 1, after.cabling.cable.dtype)
    for cable in cables_of(after):
        old = was.get(cable.ends)
        if old is not None and old.kind == cable.kind:
            numbers[cable.number] = old.number
        else:
            numbers[cable.number] = following
            following += cable.pieces
    return replace(after, cabling=after.cabling._replace(cable=numbers[after.cabling.cable]))
