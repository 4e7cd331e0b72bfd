"""Four designs to start from: each is a published design or a common one, and each shows another side of the matter."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from designer.models import Design, DesignEdit
from designer.services.designs.saving import request_estimate, save_design
from estimator.catalog.loader import load_catalog
from estimator.published.designs import published
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec


@dataclass(frozen=True)
class Sample:
    """One design to start from."""

    key: str
    shape: str
    teaches: str
    source: str
    values: Json

    @property
    def name(self) -> str:
        """Its name in the list of designs."""
        return str(self.values["name"])

    def spec(self) -> DesignSpec:
        """The checked spec."""
        return parse_spec(self.values, load_catalog())


SAMPLES = (
    Sample(
        key="superpod-h100",
        shape="1,016 GPUs · InfiniBand NDR · two tiers",
        teaches="Four scalable units built in full, with one node given up so that the fabric managers have their four ports.",
        source="NVIDIA DGX SuperPOD reference architecture, DGX H100 (RA-11333-001 V11), network fabrics",
        values={
            "name": "DGX H100 SuperPOD, 4 scalable units",
            "compute": {"server": "dgx-h100", "nodes": 127},
            "fabric": {
                "generation": "ndr",
                "leaf_switch": "nvidia-qm9700",
                "scalable_unit_nodes": 32,
                "provision": "full-unit",
                "reserved": {"fabric_manager_links": 4},
            },
        },
    ),
    Sample(
        key="roce-1024",
        shape="1,024 GPUs · Ethernet 400G · two tiers",
        teaches="The same size of cluster on lossless Ethernet: 128-port leaves need far fewer switches.",
        source="Common practice: H100 servers with eight 400G NICs on rail-optimized 800G switches, ports split in two",
        values={
            "name": "1,024 H100 over 400G RoCE",
            "compute": {"server": "hgx-h100-8u", "gpus": 1024},
            "fabric": {"generation": "roce-400", "leaf_switch": "nvidia-sn5600"},
            "economics": {"price_book": "street"},
        },
    ),
    Sample(
        key="dual-plane-b300",
        shape="512 GPUs · Ethernet 2 × 400G · two planes",
        teaches="Each 800G NIC feeds two independent networks, so that a lost plane halves bandwidth and stops no job.",
        source="NVIDIA DGX SuperPOD reference architecture, DGX B300 with Spectrum-4 Ethernet (RA-11337-001), one scalable unit",
        values={
            "name": "DGX B300 unit, dual-plane Ethernet",
            "compute": {"server": "dgx-b300", "nodes": 64},
            "fabric": {
                "generation": "roce-400",
                "leaf_switch": "nvidia-sn5600",
                "planes": 2,
                "scalable_unit_nodes": 64,
            },
        },
    ),
    Sample(
        key="three-tier-h100",
        shape="8,192 GPUs · InfiniBand NDR · three tiers",
        teaches="Past 2,048 endpoints a 64-port fabric needs cores: what the third tier takes, costs and gives.",
        source="NVIDIA DGX SuperPOD reference architecture, DGX H100 (RA-11333-001 V11), table of larger systems",
        values={
            "name": "DGX H100, 32 scalable units",
            "compute": {"server": "dgx-h100", "nodes": 1024},
            "fabric": {"generation": "ndr", "leaf_switch": "nvidia-qm9700", "scalable_unit_nodes": 32, "tiers": 3},
        },
    ),
)
BY_KEY = {sample.key: sample for sample in SAMPLES}


def add_samples(owner: User) -> list[Design]:
    """Add the samples that the owner does not have by name, ask for an estimate of each, and return all four."""
    designs = []
    for sample in SAMPLES:
        design = owner.designs.filter(name=sample.name).first()
        designs.append(design or save_design(owner, sample.spec()))
        request_estimate(owner, sample.spec())
    return designs


def is_first_visit(owner: User) -> bool:
    """True until the owner has made, changed or deleted a design: until then there is no list of their own to land on."""
    if not owner.designs.exists():
        return not owner.estimate_jobs.exists()
    is_own = owner.designs.exclude(name__in=[sample.name for sample in SAMPLES]).exists()
    return not is_own and not DesignEdit.objects.filter(design__owner=owner).exists()


def published_sample(design_id: str) -> Sample | None:
    """A published design as a sample to start from; None where there is none of this id."""
    design = published().designs.get(design_id)
    if design is None:
        return None
    return Sample(design.id, "", design.note, design.source.title, design.inputs)
