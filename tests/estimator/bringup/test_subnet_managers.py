"""OpenSM routes designs' fabrics with the written configuration; subnets, roots and conflicts are those of the design."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.infiniband.subnets import routing_engine, subnets
from estimator.bringup.renderings.targets import files_of, plan_answer, targets_of
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff.formats import FORMATS
from tests.estimator.bringup.plans import DESIGNS, plan_named, plan_of_values
from tests.estimator.handoff.fabric_tools import in_fabric, needs_opensm, opensm_sweep, rows_of


def custom(nodes: int, ports: int, radix: int, **fabric: Any) -> dict[str, Any]:
    """A small HDR fabric."""
    compute = {"server": "custom", "nodes": nodes, "gpus_per_node": ports, "nics_per_node": ports}
    radices = {"leaf_radix": radix, "spine_radix": radix, "core_radix": radix}
    return {"compute": compute, "fabric": {"generation": "hdr", **radices, **fabric}}


TABLES = {
    "ftree": "ftree tables configured",
    "updn": "updn tables configured",
    "minhop": "minhop tables configured",
    "dfsssp": "dfsssp tables configured",
}
FABRICS: dict[str, tuple[dict[str, Any], int, str]] = {  # design, subnets, engine that takes it
    "one switch": (custom(6, 1, 8, layout="top-of-rack"), 1, "minhop"),
    "two tiers, by rail": (custom(11, 4, 12, provision="full-unit", scalable_unit_nodes=6,
                                  reserved={"fabric_manager_links": 4}), 1, "ftree"),
    "three tiers": (custom(32, 1, 8, tiers=3, layout="top-of-rack"), 1, "ftree"),
    "uneven": (custom(40, 1, 16, leaf_radix=8, leaf_downlinks=5, leaf_uplinks=3, layout="top-of-rack",
                      uplink_spread="uneven", tiers=2), 1, "updn"),
    "pods that differ": (custom(20, 1, 8, tiers=3, scalable_unit_nodes=4, pod_nodes=16), 1, "updn"),
    "planes": ({"compute": {"server": "dgx-b300", "nodes": 8},
                "fabric": {"generation": "ndr", "planes": 2, "leaf_radix": 16, "spine_radix": 16}}, 2, "ftree"),
    "down and up again": (custom(20, 1, 8, tiers=3, layout="top-of-rack", scalable_unit_nodes=3, pod_nodes=16,
                                 uplink_spread="uneven"), 1, "dfsssp"),
    "rails apart": (custom(6, 2, 8, layout="rail-only"), 2, "minhop"),
}  # fmt: skip

COUNTS_ON_SHARP = {"workload": {"in_network_reduction": True}}


def written(plan: Plan, folder: Path, within: str) -> None:
    """The files of OpenSM for one subnet, with paths of this machine."""
    for file in files_of(plan, "opensm"):
        if file.name.startswith(within) and "/" not in file.name.removeprefix(within):
            text = file.text.replace(f"/etc/opensm/{within}", f"{folder}/")
            (folder / file.name.removeprefix(within)).write_text(text)


def guids(folder: Path, discovered: str) -> subprocess.CompletedProcess[str]:
    """The script, on what ibnetdiscover printed."""
    (folder / "discovered").write_text(discovered)
    command = ["bash", str(folder / "guids.sh"), str(folder / "discovered")]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


@needs_opensm
@pytest.mark.parametrize("name", FABRICS)
def test_opensm_routes_each_fabric_with_the_written_configuration_and_no_error(name: str, tmp_path: Path) -> None:
    values, n_subnets, engine = FABRICS[name]
    plan = plan_of_values(values)
    found = subnets(plan)
    assert len(found) == n_subnets
    last = found[-1]
    rows = rows_of(b"".join(FORMATS["csv"].write(plan.links)).decode())
    rows = [row for row in rows if row["b_device"] in last.switches]
    written(plan, tmp_path, last.folder)
    with in_fabric(rows, tmp_path) as run:
        made = guids(tmp_path, run("ibnetdiscover"))
        assert made.returncode == 0, made.stderr
        log = opensm_sweep(run, tmp_path, "-F", str(tmp_path / "opensm.conf"))
    assert "SUBNET UP" in log
    assert TABLES[engine] in log
    assert re.findall(r".*\bERR\b.*|.*[Uu]nrecognized.*|.*not recognized.*", log) == []
    nodes = {row["a_device"] for row in rows if row["a_device"].startswith("node-")}
    ports = (tmp_path / "cn_guid_file").read_text().split()
    assert len(set(ports[::2])) == sum(row["a_device"] in nodes for row in rows)
    assert set(ports[1::2]) == nodes
    managers = {row["a_device"] for row in rows if row["a_device"].startswith("manager-")}
    assert (tmp_path / "io_guid_file").exists() == bool(managers) == (name == "two tiers, by rail")


@needs_opensm
def test_a_device_that_the_fabric_lacks_is_named_and_no_file_is_written(tmp_path: Path) -> None:
    plan = plan_of_values(FABRICS["one switch"][0])
    written(plan, tmp_path, "")
    made = guids(tmp_path, 'Ca\t1 "H-0000000000100000"\t\t# "node-0001 mlx5_0"\n[1](100001) \t"S-0"[1]\n')
    assert made.returncode != 0
    assert "node-0002" in made.stderr
    assert "node-0001" not in made.stderr
    assert not (tmp_path / "cn_guid_file").exists()


def test_each_subnet_has_its_switches_and_all_of_them_together_are_the_fabric() -> None:
    plan = plan_of_values(FABRICS["planes"][0])
    found = subnets(plan)
    assert [subnet.folder for subnet in found] == ["plane-1/", "plane-2/"]
    together = [switch for subnet in found for switch in subnet.switches]
    assert sorted(together) == sorted(plan.wired.name(switch) for switch in plan.wired.switches)
    for subnet in found:
        assert len(subnet.compute) == 8
        assert all(root.startswith("spine") for root in subnet.roots)
    mains = [file.name for file in files_of(plan, "opensm") if file.name.endswith("opensm.conf")]
    assert mains == ["plane-1/opensm.conf", "plane-2/opensm.conf"]


def test_the_reason_of_an_engine_names_what_differs() -> None:
    assert "leaves have 1 or 2 links" in routing_engine(plan_of_values(FABRICS["uneven"][0])).why
    assert routing_engine(plan_named("InfiniBand")).value == "ftree,updn"


def test_both_values_of_max_op_vls_stand_in_either_file() -> None:
    plan = plan_named("InfiniBand")
    for target, value, other in (("opensm", 5, 2), ("ufm", 2, 5)):
        text = next(iter(files_of(plan, target))).text
        assert f"\nmax_op_vls {value}\n" in text
        comment = next(line for line in text.splitlines() if line.startswith("# ib.max_op_vls"))
        assert f"Others: {other} [A]" in comment


def test_sharp_is_on_where_the_design_counts_on_it_and_has_a_tree_a_root() -> None:
    on = plan_of_values(FABRICS["two tiers, by rail"][0] | COUNTS_ON_SHARP)
    (manager,) = files_of(on, "sharp")
    (subnet,) = subnets(on)
    assert f"\nmax_trees_to_build {len(subnet.roots)}\n" in manager.text
    assert "\ndynamic_tree_algorithm 0\n" in manager.text
    uneven = plan_of_values(FABRICS["uneven"][0] | COUNTS_ON_SHARP)
    assert "\ndynamic_tree_algorithm 1\n" in next(iter(files_of(uneven, "sharp"))).text


def said_of_sharp(plan: Plan) -> dict[str, set[str]]:
    """What each file of each target says of SHARP in its own words, comments aside, by what it says it of."""
    found: dict[str, set[str]] = {}
    for target in targets_of(plan):
        for file in files_of(plan, target):
            name = file.name.rpartition("/")[2]
            lines = [line for line in file.text.splitlines() if not line.startswith("#")]
            if file.name.startswith("sites/"):  # as others have it, on machines of theirs
                continue
            if target == "ansible":
                found.setdefault(name, set()).add("carries it" if "dest: /etc/sharp/" in file.text else "carries none")
                continue
            if target == "sharp":
                found.setdefault(name, set()).add("is there")
            words = [line for line in lines if re.search(r"(?i)sharp|collnet", line) and line != "[Sharp]"]
            found.setdefault(f"{target}/{name}", set()).update(words)
    return {name: words for name, words in found.items() if words}


@pytest.mark.parametrize("name", ["two tiers, by rail", "planes", "rails apart"])
def test_all_files_and_the_plan_agree_on_sharp_on_or_off(name: str) -> None:
    values = FABRICS[name][0]
    off, on = plan_of_values(values), plan_of_values(values | COUNTS_ON_SHARP)
    inventory = {"inventory.yml": {"carries none"}}
    assert said_of_sharp(off) == inventory | {
        "ufm/gv.cfg": {"sharp_enabled = false"},
        "ufm/opensm.conf": {"sharp_enabled 1"},
        "site.yml": {"carries none"},
    }
    assert said_of_sharp(on) == inventory | {
        "ufm/gv.cfg": {"sharp_enabled = true"},
        "ufm/opensm.conf": {"sharp_enabled 2"},
        "sharp_am.cfg": {"is there"},
        "nccl/nccl.conf": {"NCCL_COLLNET_ENABLE=1"},
        "site.yml": {"carries it"},
    }
    for plan, words in ((off, ("false", 1, False)), (on, ("true", 2, True))):
        answer = plan_answer(plan)
        said = {value.key: value.value for value in answer.values}
        has_manager = {"sharp" in answer.targets, "ib.sharp.dynamic_tree_allocation" in said}
        assert (said["ib.sharp_enabled"], said["ib.sharp_in_switches"], *has_manager) == words
        files = [(file.name, file.text.encode()) for target in ("ufm", "nccl") for file in files_of(plan, target)]
        assert checked_against(plan, files, load_catalog()).findings == []
    with pytest.raises(SpecError, match=r"workload\.in_network_reduction of this one is false") as refused:
        files_of(off, "sharp")
    assert refused.value.problems[0].change == {"workload.in_network_reduction": True}


def test_files_of_the_other_state_are_found_where_the_design_counts_on_sharp() -> None:
    values = FABRICS["two tiers, by rail"][0]
    on = plan_of_values(values | COUNTS_ON_SHARP)
    for file in files_of(plan_of_values(values), "ufm"):
        if file.name in ("gv.cfg", "opensm.conf"):
            (found,) = checked_against(on, [(file.name, file.text.encode())], load_catalog()).findings
            assert (found.code, found.file) == ("sharp_off", file.name)
            assert "sharp_enabled" in file.text.splitlines()[(found.line or 0) - 1]


def test_a_roce_fabric_counts_on_no_sharp() -> None:
    plan = plan_of_values(DESIGNS["two tiers"] | COUNTS_ON_SHARP)
    assert "COLLNET" not in next(iter(files_of(plan, "nccl"))).text


def test_dfsssp_is_chosen_where_paths_go_down_and_up_again_alone_and_the_check_wants_it() -> None:
    plan = plan_of_values(FABRICS["down and up again"][0])
    chosen = routing_engine(plan)
    assert chosen.value == "dfsssp"
    assert "down and up again" in chosen.why
    assert all(
        routing_engine(plan_of_values(FABRICS[name][0])).value != "dfsssp" for name in ("uneven", "pods that differ")
    )

    def codes(engine: str) -> list[tuple[str, str]]:
        made = checked_against(plan, [("opensm.conf", f"routing_engine {engine}\nlmc 0\n".encode())], load_catalog())
        return [(one.code, one.expected) for one in made.findings]

    assert codes("dfsssp") == []
    for engine in ("ftree,updn", "updn", "minhop"):
        assert codes(engine) == [("routing_engine_wrong", "dfsssp")]
