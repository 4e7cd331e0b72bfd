"""Files of GUIDs: names of the design until the fabric is there, and the script that puts GUIDs in their place.

GUIDs are on the devices and in no design, so a template has a name a line, which OpenSM refuses (cl_nodenamemap.c wants a
number first). The script reads what ibnetdiscover prints, takes the GUID of a switch and the port GUIDs of a host, as
osm_ucast_ftree.c compares them, and ends with an error where a name of the design is missing.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, worked_out
from estimator.bringup.renderings.infiniband.subnets import Subnet
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File

ROOTS, COMPUTE, IO = "root_guid_file", "cn_guid_file", "io_guid_file"
TEMPLATE = ".by-name"
SCRIPT = "guids.sh"
BASH = r"""
set -euo pipefail
found=$(mktemp)
trap 'rm -f "$found"' EXIT
if [[ $# -gt 0 ]]; then cat "$1"; else ibnetdiscover; fi >"$found"
cd "$(dirname "$0")"
for template in *.by-name; do
  awk '
    FNR == NR && /^#/ { next }
    FNR == NR && NF { wanted[$1] = 1; order[++n] = $1; next }
    FNR == NR { next }
    /^(Switch|Ca)\t/ {
      split($0, words, "\"")
      split(words[4], name, /[ \t;:]/)
      device = name[1]; sub(/^MF0;/, "", device)
      if (/^Switch/ && device in wanted) guids[device] = "0x" substr(words[2], 3)
      next
    }
    /^\[[0-9]+\]\([0-9a-f]+\)/ && device in wanted {
      split($1, parts, /[()]/)
      guids[device] = (guids[device] == "" ? "" : guids[device] " ") "0x" parts[2]
    }
    END {
      for (i = 1; i <= n; i++) {
        if (guids[order[i]] == "") { print "no such device in the fabric: " order[i] >"/dev/stderr"; missing = 1 }
        many = split(guids[order[i]], one, " ")
        for (j = 1; j <= many; j++) print one[j], order[i]
      }
      exit missing
    }' "$template" "$found" >"${template%.by-name}.new"
  mv "${template%.by-name}.new" "${template%.by-name}"
done
"""


def lists(subnet: Subnet, has_roots: bool) -> dict[str, tuple[str, ...]]:
    """Names by file: roots where there is more than one tier, hosts other than nodes where there are any."""
    named = {ROOTS: subnet.roots if has_roots else (), COMPUTE: subnet.compute, IO: subnet.io}
    return {file: names for file, names in named.items() if names}


def setting(file: str, folder: str, n: int) -> Value:
    """The path of a file, as a value of the plan."""
    said = {
        ROOTS: "Switches of the highest tier: ranks count from them",
        COMPUTE: "Nodes: traffic between them is balanced first",
        IO: "Hosts that are no nodes: fabric managers",
    }
    return worked_out(f"ib.{file}", f"{folder}{file}", "Names of the design's link list", f"{said[file]}; {n} of them")


def files(plan: Plan, subnet: Subnet, has_roots: bool) -> Iterator[File]:
    """A template a list, and the script."""
    for file, names in lists(subnet, has_roots).items():
        page = Page(
            plan, f"Template of {file}: a name a line. {SCRIPT} writes {file} from the fabric, GUIDs in place of names."
        )
        page.say("Devices, as their node description begins")
        page.put(setting(file, "", len(names)), *names)
        yield page.file(f"{subnet.folder}{file}{TEMPLATE}")
    page = Page(
        plan,
        "bash guids.sh: asks the fabric (ibnetdiscover), or reads a file of its output that is named; writes the files of",
        "GUIDs beside the templates. Switches need their names first (UFM, or a node name map that ibnetdiscover prints).",
        first="#!/usr/bin/env bash",
    )
    page.say("GUIDs by name")
    known = setting(COMPUTE, "", len(subnet.compute))
    page.put(known, *BASH.strip().splitlines())
    yield page.file(f"{subnet.folder}{SCRIPT}")
