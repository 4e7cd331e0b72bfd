"""A storage or management network as it was sized."""

from dataclasses import dataclass

from estimator.fabric.columns import Sizing
from estimator.fabric.hosts import Hosts
from estimator.fabric.sized import SizedFabric
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import OtherFabric


@dataclass(frozen=True)
class OtherSized:
    """One network. ``spec`` is the design of its attachments that ``sizing`` has at ``position``.

    ``wired`` is what its link table is made from: as ``fabric``, but with every leaf filled to ``seats`` where endpoints
    are shared out, so that seats beyond a leaf's endpoints are left out of the table.
    """

    key: str
    index: int
    entry: OtherFabric
    spec: DesignSpec
    fabric: SizedFabric
    wired: SizedFabric
    sizing: Sizing
    position: int

    @property
    def hosts(self) -> Hosts:
        """What the network joins."""
        if self.fabric.hosts is None:
            raise ValueError(f"{self.key} joins nothing")
        return self.fabric.hosts
