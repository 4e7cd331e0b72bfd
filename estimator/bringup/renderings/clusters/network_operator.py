"""NVIDIA network operator: policy of the cluster, configuration of NICs, a network a rail with its addresses, topology labels.

Fields: custom resources of Mellanox/network-operator, Mellanox/nic-configuration-operator, Mellanox/nvidia-k8s-ipam and the
SR-IOV network operator. A cluster takes one of the three ways to give a pod its NICs; networks of the others are for choice.
"""

import json
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import islice
from math import ceil
from typing import NamedTuple

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, own, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.catalog.records import Nic
from estimator.handoff import kubernetes, kueue

POLICY = "nic-cluster-policy.yaml"
COMPONENTS = {  # image by field; each has repository and version beside it
    "nvIpam": "nvidia-k8s-ipam",
    "sriovDevicePlugin": "sriov-network-device-plugin",
}
SECONDARY = {"cniPlugins": "plugins", "multus": "multus-cni"}
NAMESPACE = "nvidia-network-operator"

LINK_PREFIX, ONE_ADDRESS = 31, 32


def files(plan: Plan) -> Iterator[File]:
    """Policy, NICs, networks by way, labels and Kueue's topology; of NICs that are not NVIDIA's, the last two alone."""
    nic = _nic(plan)
    if nic is None or nic.vendor == "NVIDIA":
        yield _policy(plan)
        yield _configuration(plan, nic)
        yield _pools(plan)
        yield _host_devices(plan)
        yield _virtual_functions(plan)
        if plan.is_ethernet:
            yield _macvlan(plan)
    yield _written(plan, "node-labels.yaml", kubernetes.write(plan.links), "kubectl apply --server-side -f")
    yield _written(
        plan, "kueue-topology.yaml", kueue.write(plan.links), "A ResourceFlavor names it by spec.topologyName."
    )


def _nic(plan: Plan) -> Nic | None:
    """The NIC of this fabric in the server; None of a custom server."""
    links = plan.links
    server = links.catalog.servers.get(links.spec.compute.server or "")
    for network in server.networks if server else ():
        if network.role.startswith("compute") and network.nic_id:
            return links.catalog.nics[network.nic_id]
    return None


class Attachment(NamedTuple):
    """A port of every node on this fabric: its network, and what it is called in the host."""

    network: str
    netdev: str

    @property
    def resource(self) -> str:
        """Name of the device plugin's resource."""
        return self.network.replace("-", "")


def _ports(plan: Plan) -> dict[int, Attachment]:
    """By port of a node: a network a rail, and a plane where there are several; a port where leaves serve no one rail."""
    table = plan.links.table
    several = plan.links.fabric.planes > 1
    out = {}
    for port in plan.wired.ports(plan.wired.nodes[0]):
        plane = int(table.plane[port.link])
        leads = int(table.devices.rail[port.peer])
        rail = f"rail-{leads}" if leads else f"port-{port.port + 1}"
        of_plane = several and leads > 0
        out[port.port] = Attachment(f"{rail}-plane-{plane}" if of_plane else rail, f"{rail.replace('-', '')}p{plane}")
    return out


def _names(plan: Plan) -> Value:
    return own(
        "k8s.port_names",
        "railRpP",
        "Rail and plane: names that udev rules or a NicInterfaceNameTemplate give; the design knows no names of the kernel",
    )


def _image(plan: Plan, page: Page, image: str, indent: str) -> None:
    repository, version = plan.value("k8s.repository"), plan.value("k8s.operator_version")
    page.put(
        (repository, version),
        f"{indent}image: {image}",
        f"{indent}repository: {repository.value}",
        f"{indent}version: {version.value}",
    )


def _policy(plan: Plan) -> File:
    page = Page(plan, "Policy of the cluster: apply it first. The driver of the hosts stays as it is (no ofedDriver).")
    page.say("Components")
    layers = own("k8s.policy_name", "nic-cluster-policy", "The operator takes one policy, of this name")
    page.put(
        layers,
        "---",
        "apiVersion: mellanox.com/v1alpha1",
        "kind: NicClusterPolicy",
        "metadata:",
        f"  name: {layers.value}",
    )
    page.put(layers, "spec:")
    for field, image in COMPONENTS.items():
        page.put(layers, f"  {field}:")
        _image(plan, page, image, "    ")
        if field == "sriovDevicePlugin":
            names = _names(plan)
            page.put(names, "    config: |", *(f"      {line}" for line in _resources(plan)))
    page.put(layers, "  secondaryNetwork:")
    for field, image in SECONDARY.items():
        page.put(layers, f"    {field}:")
        _image(plan, page, image, "      ")
    page.put(layers, "  nicConfigurationOperator:")
    for field, image in (("operator", ""), ("configurationDaemon", "-daemon")):
        page.put(layers, f"    {field}:")
        _image(plan, page, f"nic-configuration-operator{image}", "      ")
    return page.file(POLICY)


def _resources(plan: Plan) -> list[str]:
    """Configuration of the device plugin: a resource a rail."""
    listed = [
        {
            "resourcePrefix": "nvidia.com",
            "resourceName": port.resource,
            "selectors": {"pfNames": [port.netdev], "isRdma": True},
        }
        for port in _ports(plan).values()
    ]
    return json.dumps({"resourceList": listed}, indent=2).splitlines()


def _configuration(plan: Plan, nic: Nic | None) -> File:
    page = Page(
        plan, "Configuration of the NICs of this fabric, by the NIC configuration operator; nodes reboot where needed."
    )
    page.say("NICs")
    kind = plan.value("k8s.nic_type", **({"nic": nic.model.split()[0]} if nic else {}))
    link = "Ethernet" if plan.is_ethernet else "Infiniband"
    page.put(
        kind,
        "---",
        "apiVersion: configuration.net.nvidia.com/v1alpha1",
        "kind: NicConfigurationTemplate",
        "metadata:",
        "  name: compute-fabric",
        f"  namespace: {NAMESPACE}",
        "spec:",
        "  nicSelector:",
        f'    nicType: "{kind.value}"',
    )
    virtual = plan.value("k8s.num_vfs")
    page.put(virtual, "  template:", f"    linkType: {link}", f"    numVfs: {virtual.value}")
    read = plan.value("pcie.max_read_request_bytes")
    page.put(read, "    pciPerformanceOptimized:", "      enabled: true", f"      maxReadRequest: {read.value}")
    page.put(
        plan.value("pcie.ats_enabled", platform="bare-metal"),
        "    gpuDirectOptimized:",
        "      enabled: true",
        "      env: Baremetal",
    )
    raw = [(plan.value("pcie.advanced_pci_settings"), "ADVANCED_PCI_SETTINGS")]
    if plan.is_ethernet:
        _roce(plan, page)
        raw.append((plan.value("cnp.dscp"), "CNP_DSCP_P1"))
    page.put(raw[0][0], "    rawNvConfig:")
    for value, name in raw:
        page.put(value, f"      - name: {name}", f'        value: "{value.value}"')
    return page.file("nic-configuration.yaml")


def _roce(plan: Plan, page: Page) -> None:
    version, trust, pfc = (plan.value(f"nic.{name}") for name in ("roce_version", "trust", "pfc"))
    tos, data = plan.value("data.tos"), plan.value("data.priority")
    enabled, pause = plan.value("dcqcn.enabled"), plan.value("nic.global_pause")
    longest = max(plan.nics(), key=lambda group: group.cable_m)
    cable = worked_out(
        "nic.cable_m", ceil(longest.cable_m), "Cable lengths of the design", "The longest of any NIC", "m"
    )
    page.put(version, "    roceOptimized:", "      enabled: true", f"      roceMode: {version.value}", "      qos:")
    page.put((trust, pfc), f"        trust: {trust.value}", f'        pfc: "{pfc.value}"')
    page.put(tos, f"        tos: {tos.value}")
    page.put(cable, f"        cableLen: {cable.value}")
    page.put(
        (enabled, data),
        "        ecn:",
        f"          enabled: {'true' if enabled.value == 'on' else 'false'}",
        f"          priority: {data.value}",
    )
    page.put(pause, "        pauseFrames:", f"          enabled: {'true' if pause.value == 'on' else 'false'}")


def _pools(plan: Plan) -> File:
    """A pool a rail: the plan's own /31s on Ethernet; on InfiniBand a part of the range for IPoIB."""
    page = Page(plan, "Addresses of pods, by nv-ipam, a pool a rail. A host leaves these addresses to its pods.")
    if plan.is_ethernet:
        _links(plan, page)
    else:
        _shares(plan, page)
    return page.file("pools.yaml")


def _links(plan: Plan, page: Page) -> None:
    hosts, each = plan.value("addressing.hosts"), plan.value("addressing")
    ports = _ports(plan)
    is_shared = plan.choices.addressing == "rail"
    length = ONE_ADDRESS if is_shared else LINK_PREFIX
    size = own(
        "k8s.per_node_prefix",
        length,
        "A pod has the node's own address on the leaf's subnet" if is_shared else "A link",
    )
    allocated: dict[str, list[str]] = {port.network: [] for port in ports.values()}
    for node in plan.wired.nodes:
        for port in plan.wired.ports(node):
            at = plan.host_link(port.link)
            prefix = at.prefix if plan.choices.addressing == "port" else f"{at.host.partition('/')[0]}/{ONE_ADDRESS}"
            allocated[ports[port.port].network].extend(
                (
                    f"    - nodeName: {plan.wired.name(node)}",
                    f"      prefix: {prefix}",
                    f"      gateway: {at.switch.partition('/')[0]}",
                )
            )
    for name, lines in allocated.items():
        page.say(f"Pool of {name}")
        page.put(
            (hosts, each, size),
            *_kind("nv-ipam.nvidia.com/v1alpha1", "CIDRPool", name, NAMESPACE),
            f"  cidr: {hosts.value}",
            f"  perNodeNetworkPrefix: {size.value}",
            # all pools share the range: a node that is in none must not be given addresses of others
            "  nodeSelector:",
            "    nodeSelectorTerms:",
            "      - matchExpressions:",
            f"          - key: {kubernetes.TIER.format(0)}",
            "            operator: Exists",
            *(["  gatewayIndex: 0"] if plan.choices.addressing == "port" else []),
            "  routes:",
            f"    - dst: {hosts.value}",
            "  staticAllocations:",
            *lines,
        )


def _shares(plan: Plan, page: Page) -> None:
    hosts = plan.value("addressing.hosts")
    per_node = own("k8s.addresses_per_node", 4, "IPoIB addresses a rail and node: pods that use the rail at once")
    needed = (len(plan.wired.nodes) * int(per_node.value) + 2).bit_length()
    shares = IPv4Network(str(hosts.value)).subnets(new_prefix=32 - needed)
    names = [port.network for port in _ports(plan).values()]
    for name, share in zip(names, islice(shares, len(names)), strict=True):
        subnet = worked_out(
            "k8s.subnet", str(share), f"Parts of {hosts.value} that hold {per_node.value} a node", hosts.why
        )
        page.say(f"Pool of {name}")
        page.put(
            (subnet, per_node),
            *_kind("nv-ipam.nvidia.com/v1alpha1", "IPPool", name, NAMESPACE),
            f"  subnet: {share}",
            f"  perNodeBlockSize: {per_node.value}",
        )


def _kind(version: str, kind: str, name: str, namespace: str = "") -> list[str]:
    within = [f"  namespace: {namespace}"] if namespace else []
    return ["---", f"apiVersion: {version}", f"kind: {kind}", "metadata:", f"  name: {name}", *within, "spec:"]


def _ipam(plan: Plan, rail: str) -> list[str]:
    text: dict[str, str] = {"type": "nv-ipam", "poolName": rail}
    if plan.is_ethernet:
        text["poolType"] = "cidrpool"
    return ["  ipam: |", f"    {json.dumps(text)}"]


def _host_devices(plan: Plan) -> File:
    page = Page(
        plan, "Way 1, chosen: a pod takes whole NICs. Jobs fill nodes, so that nothing is shared, and no VF is between."
    )
    names = _names(plan)
    for port in _ports(plan).values():
        page.say(f"Network of {port.network}")
        page.put(
            names,
            *_kind("mellanox.com/v1alpha1", "HostDeviceNetwork", port.network),
            '  networkNamespace: "default"',
            f"  resourceName: {port.resource}",
            *_ipam(plan, port.network),
        )
    return page.file("networks-host-device.yaml")


def _virtual_functions(plan: Plan) -> File:
    page = Page(
        plan,
        "Way 2: SR-IOV, where pods share NICs or run in virtual machines. Leave sriovDevicePlugin out of the policy.",
    )
    names, virtual = _names(plan), plan.value("k8s.num_vfs", way="sriov")
    largest = plan.value("mtu.host_bytes" if plan.is_ethernet else "ib.ipoib_mtu_bytes")
    for port in _ports(plan).values():
        page.say(f"Virtual functions of {port.network}, and their network")
        page.put(
            (names, virtual, largest),
            *_kind("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy", port.network, NAMESPACE),
            "  deviceType: netdevice",
            "  isRdma: true",
            f"  linkType: {'eth' if plan.is_ethernet else 'ib'}",
            f"  mtu: {largest.value}",
            "  nicSelector:",
            '    vendor: "15b3"',
            "    pfNames:",
            f"      - {port.netdev}",
            "  nodeSelector:",
            '    feature.node.kubernetes.io/pci-15b3.present: "true"',
            f"  numVfs: {virtual.value}",
            f"  resourceName: {port.resource}",
            *_kind(
                "sriovnetwork.openshift.io/v1",
                "SriovNetwork" if plan.is_ethernet else "SriovIBNetwork",
                port.network,
                NAMESPACE,
            ),
            '  networkNamespace: "default"',
            "  linkState: enable",
            f"  resourceName: {port.resource}",
            *_ipam(plan, port.network),
        )
    return page.file("networks-sriov.yaml")


def _macvlan(plan: Plan) -> File:
    page = Page(plan, "Way 3: MacVLAN over shared NICs, where neither whole NICs nor virtual functions can be had.")
    names, mtu = _names(plan), plan.value("mtu.host_bytes")
    for port in _ports(plan).values():
        page.say(f"Network of {port.network}")
        page.put(
            (names, mtu),
            *_kind("mellanox.com/v1alpha1", "MacvlanNetwork", port.network),
            '  networkNamespace: "default"',
            f"  master: {port.netdev}",
            "  mode: bridge",
            f"  mtu: {mtu.value}",
            *_ipam(plan, port.network),
        )
    return page.file("networks-macvlan.yaml")


def _written(plan: Plan, name: str, pieces: Iterator[str], note: str) -> File:
    """A file that is also exported by itself, with its source."""
    page = Page(plan, note)
    value = worked_out(
        "k8s.topology",
        "tiers of the fabric",
        "Links of the design; NVIDIA topograph 1.0: keys of labels; Kueue 0.15: Topology",
        "Levels as the switches have them: pods of a job are placed close together",
    )
    page.say("Topology")
    lines = [line for line in "".join(pieces).splitlines() if not line.startswith("#")]
    page.put(value, "---", *lines)
    return page.file(name)
