"""The fabrics of finished estimates, ready to be drawn: made again from the spec, and kept for the next look.

A finished estimate never changes, so that what was made once holds; a table of 131,072 endpoints takes some megabytes and
hundredths of a second.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from uuid import UUID

from designer.services.link_lists import links_of, refuse_outdated
from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import COMPUTE
from estimator.designs.networks import sized_fabrics, sized_others
from estimator.designs.parts import catalog_of
from estimator.designs.system import system_of
from estimator.diagrams.failure import Impact, system_with
from estimator.diagrams.load import Traffic
from estimator.diagrams.places import Places, places_of
from estimator.fabric.topology import LinkTable, link_table, panels_of
from estimator.jobs.models import EstimateJob
from estimator.networks.links import other_table
from estimator.performance.prediction import prediction
from estimator.record import Given, Json
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

KEPT = 4
USUAL_BYTES = 8 * 2**30


@dataclass(frozen=True)
class Diagram:
    """One fabric of one estimate. ``links`` have cables and port names, and are made only where they are requested."""

    job_id: UUID
    role: str
    spec: DesignSpec
    catalog: Catalog
    table: LinkTable

    @cached_property
    def places(self) -> Places:
        """Where every device belongs."""
        return places_of(self.table)

    @cached_property
    def links(self) -> LinkList:
        """The link list, with cables and port names."""
        return links_of(EstimateJob.objects.defer("result").get(pk=self.job_id), self.role)

    @cached_property
    def system(self) -> Json | None:
        """What predictions of this design start from; None where no GPU is named, or the fabric is not the GPUs'."""
        if self.role != COMPUTE or not self.spec.compute.gpu:
            return None
        return system_of(self.spec, self.table.fabric, self.catalog).as_json()

    def traffic(self, pattern: str) -> Traffic:
        """A pattern as this design's servers take part in it."""
        compute = self.spec.compute
        domain = (compute.scale_up_domain_gpus or 1) / max(compute.gpus_per_node or 1, 1)
        scattered = self.spec.workload.placement == "random"
        return Traffic(pattern, max(domain, 1.0) if self.role == COMPUTE else 1.0, scattered)

    def busbw_with(self, impact: Impact, message_bytes: int, collective: str) -> Json | None:
        """A collective over all servers before and after a loss: GB/s, and the GPUs that are left; None without a GPU."""
        if self.system is None:
            return None
        n_gpus = self.table.fabric.n_gpus
        left = n_gpus - impact.nodes_cut_off * (self.spec.compute.gpus_per_node or 0)
        before = self._busbw(self.system, n_gpus, message_bytes, collective)
        after = None
        if left > 1:
            hurt = system_with(self.system, impact, self.spec.compute.nics_per_node or 1)
            after = self._busbw(hurt, left, message_bytes, collective)
        return {
            "before": before,
            "after": after,
            "gpus": n_gpus,
            "gpus_left": left,
            "message_bytes": message_bytes,
            "share": after / before if before and after else None,
        }

    def _busbw(self, system: Given, n_gpus: int, message_bytes: int, collective: str) -> float | None:
        if n_gpus < 2:
            return None
        used = self.spec.workload.calibration
        request = {"system": dict(system), "collective": collective, "gpus": [n_gpus], "message_bytes": [message_bytes]}
        more = {"calibration": used.model_dump()} if used else {}
        return prediction(request | more, self.catalog).rows[0].busbw_gb_s


def diagram_of(job: EstimateJob, role: str) -> Diagram:
    """One fabric of a finished estimate.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    """
    refuse_outdated(job)
    return _diagram_of(job.pk, role)


@lru_cache(maxsize=KEPT)
def _diagram_of(job_id: UUID, role: str) -> Diagram:
    catalog = load_catalog()
    spec = parse_spec(EstimateJob.objects.defer("result").get(pk=job_id).spec, catalog)
    catalog = catalog_of(spec, catalog)
    _, (fabric,) = sized_fabrics([spec], catalog)
    if role == COMPUTE:
        return Diagram(job_id, role, spec, catalog, link_table(fabric, panels_of(spec, fabric, catalog)))
    (others,) = sized_others([spec], [fabric], catalog)
    one = next(one for one in others if one.key == role)
    return Diagram(job_id, role, spec, catalog, other_table(one, fabric, others, catalog))
