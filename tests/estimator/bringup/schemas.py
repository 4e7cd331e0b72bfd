"""Fields of the custom resources that manifests use, restated as JSON schemas from the operators' own definitions.

Sources: Mellanox/network-operator, config/crd/bases (commit b06827e0); Mellanox/nic-configuration-operator, config/crd/bases
(8bfbeb3); Mellanox/nvidia-k8s-ipam, deploy/crds; the SR-IOV network operator's chart in Mellanox/network-operator. A field
that is not listed is refused, which the API server would drop in silence.
"""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
TRUTH: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}
NAME: Schema = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "maxLength": 63}


def record(required: str = "", **fields: Schema) -> Schema:
    """An object of just these fields."""
    return {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}


def choice(*values: object) -> Schema:
    return {"enum": list(values)}


def rows(of: Schema) -> Schema:
    return {"type": "array", "items": of, "minItems": 1}


def resource(version: str, kind: str, spec: Schema) -> Schema:
    return record(
        "apiVersion kind metadata spec",
        apiVersion=choice(version),
        kind=choice(kind),
        metadata=record("name", name=NAME, namespace=NAME, labels=TEXTS),
        spec=spec,
    )


def image(**more: Schema) -> Schema:
    parts = {
        "image": {"type": "string", "pattern": r"^[a-zA-Z0-9\-]+$"},
        "repository": {"type": "string", "pattern": r"^[a-zA-Z0-9.\-/]+$"},
        "version": TEXT,
    }
    return record("image", **parts, **more)


SWITCH = record("enabled", enabled=TRUTH)
QOS = record(
    "pfc trust",
    trust=TEXT,
    pfc={"type": "string", "pattern": "^([01],){7}[01]$"},
    tos=WHOLE,
    cableLen=WHOLE,
    ecn=record("enabled priority", enabled=TRUTH, priority={"type": "integer", "minimum": 0, "maximum": 7}),
    pauseFrames=SWITCH,
)
NIC_TEMPLATE = record(
    "",
    numVfs=WHOLE,
    linkType=choice("Ethernet", "Infiniband"),
    pciPerformanceOptimized=record(
        "enabled", enabled=TRUTH, maxAccOutRead=WHOLE, maxReadRequest=choice(128, 256, 512, 1024, 2048, 4096)
    ),
    gpuDirectOptimized=record("enabled env", enabled=TRUTH, env=TEXT),
    roceOptimized=record("enabled", enabled=TRUTH, roceMode=choice(1, 2), qos=QOS),
    rawNvConfig=rows(
        record("name value", name={"type": "string", "maxLength": 64}, value={"type": "string", "maxLength": 128})
    ),
)
SPECS: dict[tuple[str, str], Schema] = {
    ("mellanox.com/v1alpha1", "NicClusterPolicy"): record(
        "",
        nvIpam=image(enableWebhook=TRUTH),
        sriovDevicePlugin=image(config=TEXT, useCdi=TRUTH),
        secondaryNetwork=record("", cniPlugins=image(), multus=image(config=TEXT), ipoib=image()),
        nicConfigurationOperator=record(
            "operator configurationDaemon",
            operator=image(),
            configurationDaemon=image(),
            logLevel=choice("info", "debug"),
        ),
    ),
    ("configuration.net.nvidia.com/v1alpha1", "NicConfigurationTemplate"): record(
        "nicSelector template",
        nicSelector=record("nicType", nicType=TEXT, pciAddresses=rows(TEXT)),
        nodeSelector=TEXTS,
        resetToDefault=TRUTH,
        template=NIC_TEMPLATE,
    ),
    ("mellanox.com/v1alpha1", "HostDeviceNetwork"): record(
        "", ipam=TEXT, metaPlugins=TEXT, networkNamespace=TEXT, resourceName=TEXT
    ),
    ("mellanox.com/v1alpha1", "MacvlanNetwork"): record(
        "",
        ipam=TEXT,
        master=TEXT,
        metaPlugins=TEXT,
        mode=choice("bridge", "private", "vepa", "passthru"),
        mtu={"type": "integer", "minimum": 0},
        networkNamespace=TEXT,
    ),
    ("nv-ipam.nvidia.com/v1alpha1", "CIDRPool"): record(
        "cidr perNodeNetworkPrefix",
        cidr=TEXT,
        perNodeNetworkPrefix=WHOLE,
        gatewayIndex=WHOLE,
        nodeSelector=record(
            "nodeSelectorTerms",
            nodeSelectorTerms=rows(
                record("", matchExpressions=rows(record("key operator", key=TEXT, operator=TEXT, values=rows(TEXT))))
            ),
        ),
        defaultGateway=TRUTH,
        routes=rows(record("dst", dst=TEXT)),
        staticAllocations=rows(record("prefix", prefix=TEXT, nodeName=TEXT, gateway=TEXT)),
    ),
    ("nv-ipam.nvidia.com/v1alpha1", "IPPool"): record(
        "subnet perNodeBlockSize", subnet=TEXT, perNodeBlockSize=WHOLE, gateway=TEXT
    ),
    ("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy"): record(
        "nicSelector nodeSelector numVfs resourceName",
        deviceType=choice("netdevice", "vfio-pci"),
        isRdma=TRUTH,
        linkType=choice("eth", "ETH", "ib", "IB"),
        mtu={"type": "integer", "minimum": 1},
        nicSelector=record("", vendor=TEXT, deviceID=TEXT, pfNames=rows(TEXT), rootDevices=rows(TEXT)),
        nodeSelector=TEXTS,
        numVfs={"type": "integer", "minimum": 0},
        priority={"type": "integer", "minimum": 0, "maximum": 99},
        resourceName={"type": "string", "pattern": "^[a-zA-Z0-9_]+$"},
    ),
    ("sriovnetwork.openshift.io/v1", "SriovNetwork"): record(
        "resourceName",
        ipam=TEXT,
        linkState=choice("auto", "enable", "disable"),
        networkNamespace=TEXT,
        resourceName=TEXT,
        spoofChk=choice("on", "off"),
        trust=choice("on", "off"),
    ),
    ("sriovnetwork.openshift.io/v1", "SriovIBNetwork"): record(
        "resourceName",
        ipam=TEXT,
        linkState=choice("auto", "enable", "disable"),
        networkNamespace=TEXT,
        resourceName=TEXT,
    ),
    ("kueue.x-k8s.io/v1beta2", "Topology"): record("levels", levels=rows(record("nodeLabel", nodeLabel=TEXT))),
}
SCHEMAS = {key: resource(*key, spec) for key, spec in SPECS.items()} | {
    ("v1", "List"): record(
        "apiVersion kind items",
        apiVersion=choice("v1"),
        kind=choice("List"),
        items=rows(
            record(
                "apiVersion kind metadata",
                apiVersion=choice("v1"),
                kind=choice("Node"),
                metadata=record("name labels", name=NAME, labels=TEXTS),
            )
        ),
    )
}
