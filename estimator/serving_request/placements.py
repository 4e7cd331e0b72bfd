"""Figures of one placement, of one kind of worker or of two pools, under the loads of a request."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.serving_request.request import DISAGGREGATED, ServingRequest, loads_of, replicas_of, software_of
from estimator.units import GIGA, FloatArray
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.inside import NVLINK, PCIE, has_links, inside_node
from estimator.workloads.serving.answer import (
    Placement,
    Setting,
    communication_share,
    limited_by,
    memory_record,
    served_links,
    served_rows,
)
from estimator.workloads.serving.calibration import Correction, corrected
from estimator.workloads.serving.cases import NAMES, OTHER, Cases, Layouts, Load, columns_of, family_of, framework_named
from estimator.workloads.serving.check import layout_notes, path_note
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.serving import Served, aggregated, concurrency_at, disaggregated

MEASURED_FAMILIES = ("hopper", "blackwell")


class Checked(NamedTuple):
    """A request without problems, with what measured runs of its stack correct and what a GPU-hour costs."""

    asked: ServingRequest
    shape: ModelShape
    layouts: list[dict[str, int]]
    correction: Correction | None
    usd_per_gpu_hour: float | None


class Placements:
    """Placements on one catalog; those on alike systems share their tables of collectives."""

    def __init__(self, catalog: Catalog, network: ModelConstants) -> None:
        self._catalog, self._network = catalog, network
        self._constants = serving_constants()
        self._fabrics: dict[str, Fabric] = {}
        self._ends = tuple(Placements(catalog, end) for end in network.ends() or ())

    def answer(self, checked: Checked) -> Placement:
        """The placement of a request, with as many copies as there are GPUs for."""
        if checked.asked.mode == DISAGGREGATED:
            return self._pools(checked)
        return self._worker(checked)

    def cases(self, checked: Checked, layout: Mapping[str, int], loads: FloatArray) -> Cases:
        """A worker under each load."""
        asked, one = checked.asked, np.ones(1)
        tokens = {name: np.array([getattr(asked, name).mean_tokens]) for name in ("input_tokens", "output_tokens")}
        spread = np.array([1 + asked.input_tokens.variation**2])
        return columns_of(
            shape_columns([checked.shape]),
            [self._catalog.gpus[asked.system.gpu]],
            [software_of(asked)],
            Layouts(**{name: np.array([float(layout[name])]) for name in NAMES}),
            Load(concurrency=loads.astype(np.float64), accepted_tokens=one, queue_spread=spread, **tokens),
            self._constants,
        )

    def fabric(self, asked: ServingRequest) -> Fabric:
        """What joins the GPUs; tables of collectives are made once for each system and path."""
        given = _given(asked)
        key = repr((sorted(given.items()), asked.path))
        if key not in self._fabrics:
            inside = inside_node(given, self._catalog, self._network, asked.path)
            self._fabrics[key] = Fabric.of(inside, inside.times(self._catalog, self._network))
        return self._fabrics[key]

    def path_problems(self, asked: ServingRequest) -> list[Problem]:
        """A path that the GPUs do not have, or that single batches were not measured on."""
        if asked.mode == "batch" and asked.path == PCIE:
            message = "Single batches were measured over nvlink and host_memory. Use one of these, or mode aggregated."
            return [Problem("path", "not_modelled", message)]
        if asked.path != NVLINK or asked.system.gpu not in self._catalog.gpus or asked.mode == "batch":
            return []
        if has_links(_given(asked), self._catalog, self._network):
            return []
        name = self._catalog.gpus[asked.system.gpu].model
        message = f"No scale-up links join GPUs of {name}. Leave path out, or use pcie or host_memory."
        return [Problem("path", "no_such_path", message)]

    def _worker(self, checked: Checked) -> Placement:
        """An aggregated placement."""
        asked, (layout,) = checked.asked, checked.layouts
        cases = self.cases(checked, layout, np.ones(1))
        gpus = int(cases.layouts.gpus[0])
        replicas = replicas_of(asked, gpus)
        fabric = self.fabric(asked)
        loads, keeps_up = loads_of(asked) / replicas, True
        if asked.arrivals_per_s is not None:
            load, keeps_up = concurrency_at(cases, asked.arrivals_per_s / replicas, fabric)
            loads = np.array([load])
        cases = self.cases(checked, layout, loads)
        setting = self._setting(checked, cases, (gpus, replicas), fabric)
        figures, *ends = (aggregated(cases, one) for one in (fabric, *self._end_fabrics(asked)))
        placement = self._placement(checked, cases, figures, setting, fabric, ends)
        if not keeps_up:
            most = placement.rows[0].tokens_per_s / asked.output_tokens.mean_tokens
            note = (
                f"{asked.arrivals_per_s:g} requests a second are more than this placement serves: {most:.3g} at most. Use "
                "more GPUs."
            )
            placement = placement.but(notes=[*(placement.notes or []), note])
        return placement

    def _pools(self, checked: Checked) -> Placement:
        """A disaggregated placement."""
        asked, pools, one = checked.asked, checked.layouts, np.ones(1)
        gpus = sum(int(self.cases(checked, pool, one).layouts.gpus[0]) * pool["workers"] for pool in pools)
        replicas = replicas_of(asked, gpus)
        fabric, loads = self.fabric(asked), loads_of(asked) / replicas
        of_prefill, of_decode = (self.cases(checked, pool, loads) for pool in pools)
        prefills, decodes = (np.array([float(pool["workers"])]) for pool in pools)
        figures, *ends = (
            disaggregated(of_prefill, of_decode, prefills, decodes, one) for one in (fabric, *self._end_fabrics(asked))
        )
        settings = [self._setting(checked, of, (gpus, replicas), fabric) for of in (of_prefill, of_decode)]
        widest = max(settings, key=lambda one: one.widest)
        setting = replace(settings[1], crosses=widest.crosses, widest=widest.widest)
        return self._placement(checked, of_decode, figures, setting, fabric, ends)

    def _setting(self, checked: Checked, cases: Cases, size: tuple[int, int], fabric: Fabric) -> Setting:
        """What holds for every load of a placement of ``size``: GPUs of a replica, replicas."""
        layout, asked = cases.layouts, checked.asked
        widest = int(np.maximum(layout.tp * layout.attention_dp, layout.expert_ranks).max())
        family = family_of(self._catalog.gpus[asked.system.gpu])
        is_measured = family in MEASURED_FAMILIES and framework_named(asked.stack.framework) != OTHER
        is_measured = is_measured and fabric.inside is None
        return Setting(*size, widest > fabric.links_gpus, checked.usd_per_gpu_hour, is_measured, widest)

    def _end_fabrics(self, asked: ServingRequest) -> list[Fabric]:
        """What joins the GPUs at the ends of measured ranges of paths; none where no path was measured."""
        return [end.fabric(asked) for end in self._ends]

    def _placement(
        self,
        checked: Checked,
        cases: Cases,
        figures: Served,
        setting: Setting,
        fabric: Fabric,
        ends: Sequence[Served],
    ) -> Placement:
        """The answer of one placement; ``ends`` are its figures at the ends of measured ranges of paths."""
        if not np.isfinite(figures.tpot_s + figures.ttft_s).all():
            message = (
                f"Nothing joins the {setting.gpus} GPUs of this layout beyond their scale-up domain. Give a fabric, or a layout "
                "within the domain."
            )
            raise SpecError([Problem("system.fabric", "no_network", message)])
        memory = figures.memory
        if checked.correction is not None:
            figures, *ends = (corrected(one, cases, checked.correction) for one in (figures, *ends))
            setting = replace(setting, is_calibrated=True)
        pools, workers = figures.handover, checked.layouts[-1].get("workers", 1)
        notes = [checked.shape.own_note] if checked.shape.own_note else []
        notes += [note for one in checked.layouts for note in layout_notes(checked.shape, one)]
        if setting.crosses:
            notes.append(path_note(setting.widest, fabric, float(communication_share(figures)[-1])))
        missing = float(max(one.missing_bytes[0] for one in (memory, pools.memory if pools else memory)))
        return Placement(
            rows=served_rows(figures, cases.load.concurrency, setting, cases, self._constants, ends),
            gpus=setting.gpus * setting.replicas,
            replicas=setting.replicas,
            memory_gb_per_gpu=memory_record(memory),
            fits=bool(figures.fits.all()),
            max_concurrency=int(memory.max_sequences[0]) * workers * setting.replicas,
            crosses_scale_up_domain=setting.crosses,
            path=fabric.path_of(setting.widest),
            limited_by=limited_by(figures, cases),
            links=served_links(cases, figures, fabric, workers),
            cache_crosses_scale_up_domain=bool(pools.crosses.any()) if pools else None,
            missing_gb_per_gpu=missing / GIGA if missing > 0 else None,
            notes=notes or None,
        )


def _given(asked: ServingRequest) -> Json:
    return {key: value for key, value in asked.system.model_dump().items() if value is not None}
