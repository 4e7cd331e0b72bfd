"""The contract as a shell script: every gate with all its paths, in order; logs are named so that they are read back.

A log is ``GATE__WHERE__REPETITION.log``; where is made of the design's own names, joined by ``+``, and of ``rail-3``.
"""

import shlex
from collections.abc import Iterator

from estimator.bringup.acceptance.gates import Contract, Path
from estimator.bringup.acceptance.site import Site
from estimator.version import MODEL_VERSION

HEAD = """\
#!/usr/bin/env bash
# Clusterwright: acceptance of {name}
# spec_hash {spec_hash}, model_version {version}
#
# accept.sh            lists what would run
# accept.sh run        runs all gates in order
# accept.sh run GATE…  runs some; gates are: {codes}
#
# HOSTS (hosts.txt): one reachable name a line, in the order of the design's nodes.
# HCAS, GPU_OF_RAIL: as the design has them, in rail order; check against ibdev2netdev and the GPU topology of your nodes.
# Logs go to OUT (acceptance-results); judge them with: python -m estimator accept SPEC --results OUT/*.log
set -uo pipefail
HOSTS=${{HOSTS:-hosts.txt}}
OUT=${{OUT:-acceptance-results}}
read -ra HCAS <<<"${{HCAS:-{hcas}}}"
read -ra GPU_OF_RAIL <<<"${{GPU_OF_RAIL:-{gpus}}}"
SSH=${{SSH:-ssh -o BatchMode=yes}}
MODE=${{1:-list}}
shift || true
WANTED=" $* "
mapfile -t HOST < <(grep -v '^ *\\(#\\|$\\)' "$HOSTS" 2>/dev/null || true)
mkdir -p "$OUT"
"""
FUNCTIONS = """\

wanted() { [[ $WANTED == "  " || $WANTED == *" $1 "* ]]; }

# save GATE WHERE REPETITIONS COMMAND…: one path, each repetition with a log of its own
save() {
  local gate=$1 where=$2 times=$3 i
  shift 3
  for ((i = 1; i <= times; i++)); do
    if [[ $MODE == run ]]; then
      "$@" >"$OUT/${gate}__${where}__$i.log" 2>&1 || echo "$gate $where: exit $?" >&2
    else
      echo "${gate}__${where}__$i.log: $*"
    fi
  done
}

# hostfile SLOTS NODE…: writes a file for mpirun and sets FILE
hostfile() {
  local slots=$1 node
  shift
  FILE="$OUT/hosts-$$-$RANDOM"
  for node in "$@"; do echo "${HOST[$node]:-${NODE[$node]}} slots=$slots"; done >"$FILE"
}

on() { local node=$1; shift; $SSH "${HOST[$node]:-${NODE[$node]}}" "$@"; }

# write_bw HCA GPU SERVER CLIENT COMMAND…: the server's end first
write_bw() {
  local hca=$1 gpu=$2 server=$3 client=$4 words
  shift 4
  words="${*//HCA/$hca}"
  words="${words//=GPU/=$gpu}"
  on "$server" ${words% PEER} >/dev/null 2>&1 &
  local waits=$!
  sleep 3
  on "$client" ${words/PEER/${HOST[$server]:-${NODE[$server]}}}
  local code=$?
  kill "$waits" 2>/dev/null
  wait "$waits" 2>/dev/null
  return $code
}

# collective GATE WHERE REPETITIONS SLOTS RAIL COMMAND NODE…: rail 0 is all NICs
collective() {
  local gate=$1 where=$2 times=$3 slots=$4 rail=$5 words=$6
  shift 6
  hostfile "$slots" "$@"
  words="${words/HOSTS/$FILE}"
  if ((rail > 0)); then
    words="${words//==HCA/==${HCAS[rail - 1]:-mlx5_$((rail - 1))}}"
    words="${words//=GPU/=${GPU_OF_RAIL[rail - 1]:-0}}"
  fi
  save "$gate" "$where" "$times" $words
  rm -f "$FILE"
}
"""


def write(contract: Contract) -> Iterator[str]:
    """The script, piece by piece."""
    site = contract.site
    rails = range(site.n_rails)
    yield HEAD.format(
        name=" ".join(site.name.split()),
        spec_hash=site.spec_hash,
        version=MODEL_VERSION,
        codes=" ".join(gate.code for gate in contract.gates),
        hcas=" ".join(site.nics[rail] if rail < len(site.nics) else f"mlx5_{rail}" for rail in rails),
        gpus=" ".join(str(rail * site.gpus_per_node // site.n_rails) for rail in rails),
    )
    yield "NODE=(\n"
    for name in site.nodes:
        yield f"  {shlex.quote(name)}\n"
    yield ")\n" + FUNCTIONS
    for path, gate in zip(contract.paths, contract.gates, strict=True):
        yield f"\n# {gate.code}: {gate.title}. Pass at {gate.pass_at:g} {gate.unit}, expected {gate.expected:g}\n"
        yield f"# (nine in ten {gate.low:g} to {gate.high:g}). {gate.fault[0].upper()}{gate.fault[1:]}: {gate.on_failure}\n"
        yield f"if wanted {gate.code}; then\n"
        for line in _WRITERS[path.code](site, path, gate.repetitions):
            yield f"  {line}\n"
        yield "fi\n"


def _every_node(site: Site, path: Path, times: int) -> Iterator[str]:
    yield "for ((i = 0; i < ${#NODE[@]}; i++)); do"
    if path.part:
        yield f'  collective {path.code} "${{NODE[i]}}" {times} {path.n_gpus} 0 "{_local(path)}" "$i"'
    else:
        yield f'  save {path.code} "${{NODE[i]}}" {times} on "$i" {path.command}'
    yield "done"


def _local(path: Path) -> str:
    """The command on a node that mpirun is to reach."""
    return path.command.replace(" --bind-to", " --hostfile HOSTS --bind-to")


def _links(site: Site, path: Path, times: int) -> Iterator[str]:
    yield _in_pairs(2)
    yield f"  for ((r = 0; r < {site.n_rails}; r++)); do"
    yield f'    save {path.code} "${{NODE[i]}}+${{NODE[i + 1]}}__rail-$((r + 1))" {times} \\'
    yield '      write_bw "${HCAS[r]:-mlx5_$r}" "${GPU_OF_RAIL[r]:-0}" $((i + 1)) "$i" \\'
    yield f"      {path.command}"
    yield "  done"
    yield "done"


def _pairs(site: Site, path: Path, times: int) -> Iterator[str]:
    width = site.domain_nodes
    nodes = " ".join(f"$((i + {k}))" for k in range(2 * width))
    yield _in_pairs(2 * width)
    where = f'"${{NODE[i]}}+${{NODE[i + {width}]}}"'
    yield f'  collective {path.code} {where} {times} {site.gpus_per_node} 0 "{path.command}" {nodes}'
    yield "done"


def _in_pairs(step: int) -> str:
    """Head of a loop over neighbours; of an odd number the last one is run with its neighbour again."""
    return f"for ((i = 0; i < ${{#NODE[@]}}; i += {step})); do ((i + {step} <= ${{#NODE[@]}})) || i=$((${{#NODE[@]}} - {step}))"


def _domains(site: Site, path: Path, times: int) -> Iterator[str]:
    yield f"for ((i = 0; i + {path.n_nodes} <= ${{#NODE[@]}}; i += {path.n_nodes})); do"
    nodes = " ".join(f"$((i + {k}))" for k in range(path.n_nodes))
    yield f'  collective {path.code} "${{NODE[i]}}" {times} {site.gpus_per_node} 0 "{path.command}" {nodes}'
    yield "done"


def _racks(site: Site, path: Path, times: int) -> Iterator[str]:
    for nodes in site.rack_nodes:
        whole = nodes[: len(nodes) // site.domain_nodes * site.domain_nodes]
        if len(whole) < 2:
            continue
        rack = site.racks[int(site.rack_of[nodes[0]])]
        command = path.command.replace(f"-np {path.n_gpus} ", f"-np {len(whole) * site.gpus_per_node} ")
        yield f'collective {path.code} {shlex.quote(rack)} {times} {site.gpus_per_node} 0 "{command}" {_numbers(whole)}'


def _rails(site: Site, path: Path, times: int) -> Iterator[str]:
    yield f"for ((r = 1; r <= {site.n_rails}; r++)); do"
    yield f'  collective {path.code} "rail-$r" {times} 1 "$r" "{path.command}" "${{!NODE[@]}}"'
    yield "done"


def unit_pairs(site: Site) -> list[tuple[int, int]]:
    """Groups of nodes below the same leaves, each with the next one, the last with the first: each is in two pairs."""
    n = len(site.units)
    return [(i, (i + 1) % n) for i in range(n if n > 2 else 1)]


def _leaf_pairs(site: Site, path: Path, times: int) -> Iterator[str]:
    slots = 1 if site.has_rails else site.gpus_per_node
    each = path.n_nodes // 2
    for one, other in unit_pairs(site):
        turns = [node for pair in zip(site.units[one][:each], site.units[other][:each], strict=True) for node in pair]
        for rail in range(1, site.n_rails + 1) if site.has_rails else (0,):
            leaves = "+".join(site.leaves_of(nodes, rail)[0] for nodes in turns[:2])
            where = f"{leaves}__rail-{rail}" if rail else leaves
            yield f'collective {path.code} {shlex.quote(where)} {times} {slots} {rail} "{path.command}" {_numbers(turns)}'


def _cluster(site: Site, path: Path, times: int) -> Iterator[str]:
    nodes = "{0.." + str(path.n_nodes - 1) + "}"
    yield f'collective {path.code} all {times} {site.gpus_per_node} 0 "{path.command}" {nodes}'


def _numbers(nodes: tuple[int, ...] | list[int]) -> str:
    """Numbers in a row as the shell's braces."""
    first, last = nodes[0], nodes[-1]
    if len(nodes) > 2 and list(nodes) == list(range(first, last + 1)):
        return f"{{{first}..{last}}}"
    return " ".join(map(str, nodes))


_WRITERS = {
    "pcie": _every_node,
    "nvlink": _every_node,
    "node": _every_node,
    "domain": _domains,
    "link": _links,
    "pair_all_reduce": _pairs,
    "pair_all_gather": _pairs,
    "rack": _racks,
    "rail": _rails,
    "leaf_pair": _leaf_pairs,
    "cluster_all_reduce": _cluster,
    "cluster_all_gather": _cluster,
    "cluster_alltoall": _cluster,
}
