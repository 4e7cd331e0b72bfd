"""A design → the plans of its networks beside the compute fabric: the subnet of each, and which is above which."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import IPv4Network

from estimator.bringup.networks.other import FIRST_HOST, ROLES, OtherPlan, host_links
from estimator.bringup.plan.choices import Choices
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.wired import Wired
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import LEAF
from estimator.fabric.hosts import UPLINK
from estimator.link_list import link_list
from estimator.spec.network_rules import other_keys

SMALLEST_BITS = 16  # of addresses of a network


def other_plans(plan: Plan) -> list[OtherPlan]:
    """All networks of a design beside the compute fabric, in its order.

    Raises
    ------
    SpecError
        If the range of addresses of a role is too small.
    """
    spec, catalog = plan.links.spec, plan.links.catalog
    taken = dict.fromkeys(ROLES, 0)
    made: list[OtherPlan] = []
    for number, key in enumerate(other_keys(spec)):
        links = link_list(spec, catalog, key)
        protocol = catalog.generations[links.spec.fabric.generation].protocol
        one = OtherPlan(
            links,
            Wired(links),
            protocol,
            Choices(data_class=plan.choices.data_class),
            key=key,
            number=number,
            subnet=IPv4Network("0.0.0.0/0"),
            leaf_bits=0,
        )
        made.append(_addressed(one, taken))
    return _joined(made)


def _addressed(plan: OtherPlan, taken: dict[str, int]) -> OtherPlan:
    """The plan with the next subnet of its role's range."""
    pool = IPv4Network(str(plan.fact("pool").value))
    by_leaf = [len(links) for links in host_links(plan)]
    most = max(by_leaf, default=0) if plan.is_ethernet else sum(by_leaf)
    least = 32 - int(plan.fact("leaf_prefix").value)
    bits = max(least if plan.is_ethernet else SMALLEST_BITS, (most + FIRST_HOST).bit_length())
    subnet = next_subnet(pool, taken[plan.role], bits, len(by_leaf) if plan.is_ethernet else 1, plan.key)
    taken[plan.role] = int(subnet.broadcast_address) + 1 - int(pool.network_address)
    return replace(plan, subnet=subnet, leaf_bits=bits)


def next_subnet(pool: IPv4Network, taken: int, leaf_bits: int, n_leaves: int, key: str) -> IPv4Network:
    """The next subnet of a range of which ``taken`` addresses are used: a /16, larger where leaves need more.

    Raises
    ------
    SpecError
        If the range has no such subnet left.
    """
    size = max(2**SMALLEST_BITS, 1 << (max(n_leaves, 1) * 2**leaf_bits - 1).bit_length())
    start = -(-taken // size) * size
    if start + size > pool.num_addresses:
        message = (
            f"{key}: {pool} has no subnet of {size:,} addresses left for {n_leaves:,} leaves. Give it fewer nodes, or fewer "
            "networks of its role."
        )
        raise SpecError([Problem("other_fabrics", "too_many_subnets", message)])
    return IPv4Network((int(pool.network_address) + start, 33 - size.bit_length()))


def _joined(made: list[OtherPlan]) -> list[OtherPlan]:
    """The plans, each with the network above it, which knows the leaves below."""
    tops = [replace(one, asns_below=dict(_below(one, made))) for one in made]
    return [replace(one, above=next((top for top in tops if _is_above(top, one)), None)) for one in tops]


def _below(above: OtherPlan, made: list[OtherPlan]) -> Iterator[tuple[str, int]]:
    for one in made:
        if _is_above(above, one):
            yield from ((one.wired.name(device), one.asns[device]) for device in _leaves(one))


def _is_above(above: OtherPlan, one: OtherPlan) -> bool:
    """Whether uplinks of a network's leaves end in another one."""
    hosts = above.links.table.fabric.hosts
    return any(group.kind == UPLINK and group.source == one.key for group in (hosts.groups if hosts else ()))


def _leaves(plan: OtherPlan) -> Iterable[int]:
    first = plan.links.table.devices.first[LEAF]
    return range(first, first + plan.links.table.devices.n[LEAF])
