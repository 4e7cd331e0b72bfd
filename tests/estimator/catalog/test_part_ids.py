"""An id says nothing that its row denies, and a former id still finds its part wherever one was kept."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from estimator.bom.price_file import part_names
from estimator.catalog.aliases import renamed
from estimator.catalog.loader import load_catalog
from estimator.catalog.records import Cable, Gpu, Nic, Server, Switch
from estimator.quotes.items import current_key, numbers_of
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from estimator.spec.price_book import OwnPrices, own_price_problems

CATALOG = load_catalog()
KINDS = ("switches", "nics", "gpus", "servers", "cables")
PARTS = [record for kind in KINDS for record in getattr(CATALOG, kind).values()]
OF_NO_MAKER = ("fib", "gen", "generic")


def plain(text: str) -> str:
    """Letters and digits alone, small."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def denials(record: Any) -> Iterator[str]:
    """What the words of an id say and the row denies."""
    words = record.id.split("-")
    reader = {Server: _of_server, Nic: _of_nic, Switch: _of_switch, Cable: _of_cable, Gpu: _of_gpu}[type(record)]
    for word in words:
        yield from (f"{word}: {says} {has}" for says, has in reader(word, record) if says != has)
    if isinstance(record, Switch | Cable) and words[0] not in OF_NO_MAKER:
        named = plain(record.model if isinstance(record, Switch) else "") + plain(" ".join(record.part_numbers))
        for word in words[1:]:
            if re.search(r"\d", word) and plain(word) not in named:
                yield f"{word}: not in the model or part numbers"


def _of_server(word: str, server: Server) -> Iterator[tuple[Any, Any]]:
    if units := re.fullmatch(r"(\d+)u", word):
        yield int(units[1]), server.rack_units
    if word in ("air", "lc"):
        yield {"air": "air", "lc": "liquid"}[word], server.cooling
    if gpus := re.fullmatch(r"(\d+)x", word):
        yield int(gpus[1]), server.gpu_count
    if domain := re.fullmatch(r"nvl(\d+)", word):
        yield int(domain[1]), server.scale_up_domain_gpus
    if word == "tray":
        yield "gpu_tray", server.role
    model = CATALOG.gpus[server.gpu_id].id.split("-")[0] if server.gpu_id else None
    families = {key.split("-")[0] for key in CATALOG.gpus} | {"rubin"}
    if word in families:
        yield word, model
    if word == "rtxpro":
        yield "rtx-pro-6000-se", server.gpu_id


def _of_nic(word: str, nic: Nic) -> Iterator[tuple[Any, Any]]:
    rates = {port.cage_rate_gbit_s for port in nic.ports}
    if rate := re.fullmatch(r"(\d+)g", word):
        yield {int(rate[1])}, rates
    if re.fullmatch(r"\d{3,4}", word):
        yield int(word), nic.total_rate_gbit_s
    if ports := re.fullmatch(r"(\d)p", word):
        yield int(ports[1]), sum(port.n_cages for port in nic.ports)
    if re.fullmatch(r"edr|hdr(100)?|ndr(200)?|xdr", word):
        yield word.upper(), nic.generation
    if word in ("osfp", "qsfp112"):
        yield word.upper(), nic.ports[0].cage


def _of_switch(word: str, switch: Switch) -> Iterator[tuple[Any, Any]]:
    cages = max(switch.cages, key=lambda cage: cage.n_cages)
    if ports := re.fullmatch(r"(\d+)x(\d{3,})", word):
        yield (int(ports[1]), int(ports[2])), (cages.n_cages, cages.cage_rate_gbit_s)
    if rate := re.fullmatch(r"(\d+)g", word):
        yield int(rate[1]), cages.cage_rate_gbit_s


def _of_cable(word: str, cable: Cable) -> Iterator[tuple[Any, Any]]:
    if rate := re.fullmatch(r"(\d+)g", word):
        yield int(rate[1]), cable.aggregate_gbit_s
    if split := re.fullmatch(r"([24])x(\d+)", word):
        yield (int(split[1]), int(split[2])), (cable.b_count, cable.b_rate_gbit_s)
    if word in ("dac", "aoc", "aec", "acc"):
        yield word, cable.kind
    if re.fullmatch(r"(\dx?)?[dslfz]r\d?", word) and cable.kind == "transceiver":
        of_eight = {"sr8": "2xsr4", "dr8": "2xdr4", "lr8": "2xlr4"}
        optic = plain(cable.optic or "").replace("linear", "").replace("lpo", "")
        yield True, optic in (word, of_eight.get(word), f"2x{word.removeprefix('2')}")
    if word in ("om3", "om4", "os2"):
        yield word.upper(), cable.fiber_grade
    if word in ("mpo12", "mpo16", "mmc12"):
        yield True, word in (plain(cable.fiber_connector or ""), plain(cable.b_class or ""))
    if word == "flt":
        yield "flat", cable.a_top


def _of_gpu(word: str, gpu: Gpu) -> Iterator[tuple[Any, Any]]:
    if word in ("sxm", "pcie"):
        yield True, gpu.form_factor.lower().startswith(word)
    if re.fullmatch(r"\d{2,3}", word):
        yield int(word), int(gpu.memory_gb)


@pytest.mark.parametrize("part", [record.id for record in PARTS])
def test_an_id_says_nothing_that_its_row_denies(part: str) -> None:
    found = CATALOG.part(part)
    assert found is not None
    assert list(denials(found[1])) == []


OLD, NOW = "mi355x-8u-air", "mi350x-8u-air"


def test_a_former_id_finds_its_part_and_is_not_listed() -> None:
    assert CATALOG.servers[OLD] is CATALOG.servers[NOW]
    assert CATALOG.servers.get(OLD) is CATALOG.servers[NOW]
    assert OLD in CATALOG.servers
    assert OLD not in list(CATALOG.servers)
    assert CATALOG.part(OLD) == CATALOG.part(NOW)
    assert CATALOG.price(OLD) == CATALOG.price(NOW) is not None
    with pytest.raises(KeyError):
        CATALOG.servers["mi355x-9u-air"]


def test_a_kept_request_takes_todays_id_with_its_own_prices() -> None:
    price = {"part": OLD, "low": 1, "typical": 1, "high": 1, "basis": "quote", "as_of": "2026-11-02"}
    values = {
        "name": OLD,
        "compute": {"server": OLD, "nodes": 8},
        "fabric": {"generation": "roce-400"},
        "economics": {"prices": {"name": "Book", "prices": [price]}},
    }
    spec = parse_spec(values, CATALOG)
    assert (spec.name, spec.compute.server, spec.as_given()["compute"]["server"]) == (OLD, NOW, NOW)
    assert spec.economics.prices is not None
    assert spec.economics.prices.prices[0].part == NOW
    assert spec_hash(spec) == spec_hash(parse_spec(renamed(values, {OLD: NOW}), CATALOG))
    assert own_price_problems(OwnPrices.model_validate(values["economics"]["prices"]), CATALOG, "prices") == []


def test_sheets_and_quotations_that_hold_a_former_id_find_the_part() -> None:
    assert part_names(CATALOG)[OLD] == NOW
    known = numbers_of(CATALOG).by_number(OLD)
    assert known is not None
    assert known.part == NOW
    assert [current_key(key, CATALOG) for key in (OLD, "fib-mfp7e10@30", None)] == [NOW, "fib-mfp7e10@30", None]
