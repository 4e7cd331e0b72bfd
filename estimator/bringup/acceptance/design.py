"""A design → its acceptance contract, with verdicts where results are given: the one way in for command line and API."""

from collections.abc import Iterable

from estimator.bringup.acceptance.design_site import site_of
from estimator.bringup.acceptance.expected import Expectations
from estimator.bringup.acceptance.gates import Contract, contract_of
from estimator.bringup.acceptance.judge import judged
from estimator.bringup.acceptance.result import Acceptance
from estimator.catalog.catalog import Catalog
from estimator.designs.parts import catalog_of
from estimator.designs.system import system_of
from estimator.errors import Problem, SpecError
from estimator.link_list import link_list
from estimator.spec.calibration import constants_of
from estimator.spec.design import DesignSpec

Files = Iterable[tuple[str, bytes]]
VENDORS = ("nvidia", "amd")


def design_contract(spec: DesignSpec, catalog: Catalog) -> Contract:
    """The gates of a design as it would be built, with its own calibration where it has one.

    Raises
    ------
    SpecError
        If its GPU is not known, or has no tests that are read here.
    InfeasibleDesign
        If the design cannot be built.
    """
    gpu = spec.compute.gpu
    if gpu is None:
        server = catalog_of(spec, catalog).server(spec.compute.server)
        named = server.model if server else spec.compute.server
        message = f"{named} names no GPU that is known, so nothing can be expected. Give compute.gpu."
        raise SpecError([Problem("compute.gpu", "missing", message)])
    if catalog.gpus[gpu].vendor.lower() not in VENDORS:
        message = (
            f"{gpu} has neither nccl-tests nor rccl-tests, which the gates run. Contracts are of NVIDIA and AMD GPUs."
        )
        raise SpecError([Problem("compute.gpu", "no_tests", message)])
    links = link_list(spec, catalog)
    catalog = links.catalog
    system = system_of(spec, links.fabric, catalog).as_request()
    expectations = Expectations(system, catalog, constants_of(catalog, spec.workload.calibration))
    return contract_of(site_of(links, system), expectations)


def accepted(spec: DesignSpec, catalog: Catalog, files: Files = ()) -> tuple[Contract, Acceptance]:
    """The contract of a design, and its answer: gates, and what the results say of them.

    Parameters
    ----------
    files : names and contents of results: logs of nccl-tests or rccl-tests, output of ib_write_bw and nvbandwidth, zip
        archives of them.

    Raises
    ------
    SpecError
        As ``design_contract``; and if files were given and none holds a result.
    """
    contract = design_contract(spec, catalog)
    return contract, judged(contract, files, catalog)
