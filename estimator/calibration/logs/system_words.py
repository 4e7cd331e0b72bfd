"""What the keys of a log's system are called: labels of the form, and words of sentences that name a key beside them."""

from collections.abc import Iterable

from estimator.errors import Part, Sentence
from estimator.performance.system import FABRIC_NAMES
from estimator.record import Given
from estimator.sentences import by_reader, said
from estimator.wording import in_sentence

COLLECTIVE_WORDS = {"alltoall": "all-to-all", "sendrecv": "send-receive"}
FIT_FAULTY = "Fit what looks faulty, too"  # the tick of the form for fit_faulty

LABELS = {
    "gpu": "GPU",
    "nodes": "Nodes",
    "gpus_per_node": "GPUs a node",
    "fabric": "Network",
    "nics_per_node": "NICs a node",
    "nic_gbit_s": "Rate of a NIC",
    "in_network_reduction": "In-network reduction",
    "collective": "Collective",
    "gpus": "GPUs of the run",
    "launch": "Launch",
    "algorithm": "Forced algorithm",
    "protocol": "Forced protocol",
    "scale_up_domain_gpus": "Scale-up domain",
    "oversubscription": "Oversubscription of leaves",
    "nodes_per_leaf": "Nodes a leaf",
    "load_balancing": "Load balancing",
}


def labelled(*keys: str) -> Sentence:
    """Labels, with their keys behind them for programs: "the network (fabric) and the NICs a node (nics_per_node)"."""
    words = [said(f"the {in_sentence(LABELS[key])}", by_reader(f" ({key})")) for key in keys]
    first, *others = words
    for at, other in enumerate(others, start=2):
        first = said(first, " and " if at == len(words) else ", ", other)
    return first


def in_sentences(*keys: str) -> str:
    """Labels as a page's sentence lists them: "GPUs of the run, forced algorithm and network"."""
    words = [in_sentence(LABELS[key]) for key in keys]
    return " and ".join([", ".join(words[:-1]), words[-1]])


def collective_word(key: str) -> Part:
    """A collective by its key, on a page in words: "all-reduce"."""
    return by_reader(key, COLLECTIVE_WORDS.get(key, key.replace("_", "-")))


def network_words(system: Given, keys: Iterable[str]) -> str:
    """These keys of a network with their values: "InfiniBand, 8 NICs a node, 400 Gb/s a NIC"."""
    words = {
        "fabric": "{}",
        "nics_per_node": "{:,} NICs a node",
        "nic_gbit_s": "{:g} Gb/s a NIC",
    }
    values = {**system, "fabric": FABRIC_NAMES.get(str(system.get("fabric")), "no network")}
    return ", ".join(words[key].format(values[key]) for key in keys)
